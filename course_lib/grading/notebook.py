"""From a submitted notebook to a schedule: which cells run, in which order, what answers what."""

import ast
from dataclasses import dataclass, field, replace
from pathlib import Path

from course_lib import lessons
from course_lib.grading.forms import Form
from course_lib.grading.paragraphs import Page
from course_lib.grading.reading import (
    FOR_SHELL,
    MAX_NAMES,
    MAX_SOURCE,
    Cell,
    Names,
    UnreadableError,
    names_in,
    read_cells,
)
from course_lib.lessons.cells import grade_id, parse_grade_id, with_own_blanks
from course_lib.lessons.exercise import Exercise

LOOKS_UP_NAMES = {
    *("globals", "locals", "vars", "dir", "eval", "exec", "get_ipython"),
    *("_", "__", "___", "_oh", "Out", "_ih", "In"),  # Jupyter's own, for what other cells gave
}

# What was handed out


@dataclass(frozen=True)
class Released:
    """The exercise as it was handed out: the one trusted notebook."""

    lesson: str
    name: str
    cells: tuple[Cell, ...]
    exercises: tuple[Exercise, ...]

    @classmethod
    def read(cls, path: Path, lesson: str) -> "Released":
        """Read `exercises/NN_name/NN_name.ipynb`."""
        return cls.parse(path.read_bytes(), path.stem, lesson)

    @classmethod
    def parse(cls, content: bytes, name: str, lesson: str) -> "Released":
        """The same from the notebook's bytes."""
        return cls(lesson, name, tuple(read_cells(content)[0]), lessons.exercises(lesson))

    def source(self, name: str) -> str:
        """The source of a cell as handed out, by its grade id."""
        return next((_plain(c.source) for c in self.cells if c.grade_id == name), "")

    def answer(self, exercise: Exercise) -> str:
        """The expression that holds the answer: the last argument of the released check."""
        for node in ast.walk(ast.parse(self.source(grade_id("check", exercise.id)))):
            if isinstance(node, ast.Call) and len(node.args) == 2:
                return ast.unparse(node.args[1])
        raise UnreadableError(f"The released notebook has no check of {exercise.id}.")

    @property
    def graded(self) -> list[Exercise]:
        """The exercises that this notebook asks for."""
        return [e for e in self.exercises if self.source(grade_id("task", e.id))]

    @property
    def written(self) -> list[lessons.Written]:
        return [
            w for w in lessons.load(self.lesson).written if self.source(grade_id("written", w.id))
        ]

    @property
    def max_points(self) -> int:
        return sum(exercise.points for exercise in self.graded)


def _plain(source: str) -> str:
    lines = (line.rstrip() for line in source.strip().splitlines())
    return with_own_blanks("\n".join(lines))


# What will be done


@dataclass(frozen=True)
class Action:
    """Run a cell, or keep the answer to a task as it is at this moment."""

    index: int
    source: str = ""
    task: str = ""  # whose answer the cell is
    keep: str = ""  # the task to keep
    extra: bool = False  # not a cell that was handed out, nor an answer to it
    names: Names = Names()


@dataclass
class TaskSchedule:
    """How one task was answered."""

    exercise: Exercise
    answer: str  # expression
    code: str = ""
    index: int | None = None  # of its cell
    attempted: bool = False
    form: Form = Form()
    notes: list[str] = field(default_factory=list)


@dataclass
class Schedule:
    """What will be done with one submission."""

    actions: list[Action]
    tasks: dict[str, TaskSchedule]
    written: dict[str, str]  # id -> text, empty if not answered
    notes: list[str]
    idle: list[Action] = field(default_factory=list)  # left out, since nothing seems to need them

    def whole(self) -> "Schedule":
        """The same with nothing left out."""
        kept_last = sorted([*self.actions, *self.idle], key=lambda a: (a.index, bool(a.keep)))
        return replace(self, actions=kept_last, idle=[])


def make_schedule(released: Released, cells: list[Cell]) -> Schedule:
    """Match a submission with what was handed out; everything unexpected becomes a note."""
    known = {c.grade_id for c in released.cells if c.grade_id}
    cells, notes = _identify(cells, known)
    if not known & {cell.grade_id for cell in cells}:
        parsed = [parse_grade_id(cell.grade_id) for cell in cells]
        others = sorted({found[1].partition(".")[0] for found in parsed if found})
        hint = f" It has cells of lesson {', '.join(others[:3])}." if others else ""
        notes.append(f"No cell of this lesson was found.{hint}")
    tasks, quiet = {}, set()
    for exercise in released.graded:
        tasks[exercise.id], ignored = _answer_to(released, exercise, cells)
        quiet |= ignored
    written = _written_answers(released, cells, notes)
    actions = _actions(released, cells, tasks, quiet, notes)
    for task, form in _forms_that_answer(released, cells, actions).items():
        tasks[task].form = form
    idle = _idle(released, actions, [task.answer for task in tasks.values()])
    actions = [action for action in actions if action not in idle]
    if (order := [t.index for t in tasks.values() if t.index is not None]) != sorted(order):
        notes.append("The tasks are not in their order.")
    return Schedule(actions, tasks, written, notes, idle)


def _identify(cells: list[Cell], known: set[str]) -> tuple[list[Cell], list[str]]:
    """Cells with their grade ids; a cell that lost the mark but kept its id is recognised."""
    marked = {cell.grade_id for cell in cells}
    lost = {c.id for c in cells if not c.grade_id and c.id in known and c.id not in marked}
    found = [replace(c, grade_id=c.id) if not c.grade_id and c.id in lost else c for c in cells]
    note = f"Cells without nbgrader's marks, recognised by their ids: {', '.join(sorted(lost))}."
    return found, [note] if lost else []


def _answer_to(released: Released, exercise: Exercise, cells: list[Cell]):
    """How the task is answered, and the indices of copies that must not run."""
    name = grade_id("task", exercise.id)
    stub, task = released.source(name), TaskSchedule(exercise, released.answer(exercise))
    mine = [k for k, cell in enumerate(cells) if cell.grade_id == name and cell.kind == "code"]
    changed = [k for k in mine if _plain(cells[k].source) != stub]
    if not mine:
        task.notes.append(f"The cell of task {exercise.id} is missing.")
        return task, set()
    task.index, task.attempted = (changed or mine)[-1], bool(changed)
    task.code, task.form = cells[task.index].source[:MAX_SOURCE], cells[task.index].form
    if len(mine) > 1:
        task.notes.append(
            f"{len(mine)} cells answer task {exercise.id}; the last that differs from the one "
            f"handed out counts."
        )
    return task, {k for k in mine if k not in changed and k != task.index}


def _written_answers(released: Released, cells: list[Cell], notes: list[str]) -> dict[str, str]:
    """The answers that a person reads, by task; where they were found becomes a note."""
    handed_out = {_plain(cell.source) for cell in released.cells} | {""}
    fresh = {k for k, cell in enumerate(cells) if _plain(cell.source) not in handed_out}
    page = Page(cells, [cell.grade_id for cell in released.cells if cell.grade_id], fresh)
    found = {}
    for w in released.written:
        found[w.id], said = page.answer(grade_id("written", w.id), w.id)
        notes += said
    return found


def _actions(released, cells, tasks, quiet, notes) -> list[Action]:
    """Cells in their order; each answer is kept where its check stands, or at the end."""
    counting = {task.index: name for name, task in tasks.items() if task.index is not None}
    checks = {grade_id("check", name): name for name in tasks}
    sources = {_plain(cell.source) for cell in released.cells if cell.kind == "code"}
    actions, kept, edited, extra = [], set(), [], 0
    for k, cell in enumerate(cells):
        name = checks.get(cell.grade_id)
        same = _plain(cell.source) in sources
        if cell.kind == "code" and k not in quiet and not (name and same) and cell.source.strip():
            added = not same and k not in counting
            own = {"source": cell.source, "names": cell.names}
            actions.append(Action(k, task=counting.get(k, ""), extra=added, **own))
            extra += added
        if name and not same:
            edited.append(name)
        index = tasks[name].index if name else None
        if name and name not in kept and index is not None and index < k:
            actions.append(Action(k, keep=name))
            kept.add(name)
    late = [name for name, task in tasks.items() if task.index is not None and name not in kept]
    actions += [Action(len(cells), keep=name) for name in late]
    if edited:
        notes.append(f"Edited checks: {', '.join(edited)}. They do not count for grading.")
    if extra:
        notes.append(f"Extra or edited cells: {extra}.")
    return actions


def _forms_that_answer(released, cells: list[Cell], actions: list[Action]) -> dict[str, Form]:
    """Of each task that is kept, the form of the student's last cell that defines its answer."""
    found, last = {}, {}  # last: name -> the cell that defines it
    for action in actions:
        if action.keep:
            made = [last[name] for name in _asked_for(released, action.keep) if name in last]
            found |= {action.keep: cells[max(made)].form} if made else {}
        elif action.task or action.extra:
            last |= dict.fromkeys(action.names.defined, action.index)
    return found


def _asked_for(released: Released, task: str) -> frozenset[str]:
    """The names that the check of a task asks for and the task's cell defines."""
    stub = next(cell for cell in released.cells if cell.grade_id == grade_id("task", task))
    answer = next(e for e in released.exercises if e.id == task)
    return stub.names.defined & names_in(released.answer(answer)).used


def _idle(released: Released, actions: list[Action], answers: list[str]) -> list[Action]:
    """Cells that only show something, unchanged, of which nothing else uses what they define.

    If another cell's use of names cannot be seen, there are none. It can be hidden so that nobody
    sees it; a run with errors about such names is therefore repeated with nothing left out.
    """
    shown = {_plain(cell.source) for cell in released.cells if cell.only_shown}
    idle = [action for action in actions if action.source and _plain(action.source) in shown]
    others = [action for action in actions if action.source and action not in idle]
    if any(_is_opaque(action) for action in others):
        return []
    used = {name for action in others for name in action.names.used}
    used |= {name for answer in answers for name in names_in(answer).used}
    for action in reversed(idle.copy()):
        if action.names.defined & used:
            used |= action.names.used
            idle.remove(action)
    return idle


def _is_opaque(action: Action) -> bool:
    """Whether a cell may use names that its text does not tell."""
    lines = action.source.splitlines()
    if any(line.lstrip().startswith(FOR_SHELL) for line in lines) or action.names == Names():
        return True
    used = action.names.used
    return len(used) == MAX_NAMES or bool(used & LOOKS_UP_NAMES)


# For the boxes in which a task is alone


def actions_for(schedule: Schedule, task: str, left_out: set[int]) -> list[Action]:
    """Only the actions that a task needs: its cell, and the cells that define what it uses."""
    actions = [a for a in schedule.actions if not a.keep and a.index not in left_out]
    cells, makers = {a.index: a.names for a in actions}, {}
    for index, names in cells.items():
        for name in names.defined:
            makers.setdefault(name, []).append(index)
    needed, waiting = {schedule.tasks[task].index}, [names_in(schedule.tasks[task].answer)]
    waiting += [cells[index] for index in needed if index in cells]
    while waiting:
        makers_of_used = (makers.pop(name, ()) for name in waiting.pop().used)
        for index in {index for found in makers_of_used for index in found} - needed:
            needed.add(index)
            waiting.append(cells[index])
    return [a for a in actions if a.index in needed] + [Action(len(schedule.actions), keep=task)]
