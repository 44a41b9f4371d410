"""From a submitted notebook to a schedule: which cells run, in which order, what answers what."""

import ast
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from course_lib import lessons
from course_lib.lessons.cells import grade_id, parse_grade_id
from course_lib.lessons.exercise import Exercise

MAX_CELLS, MAX_PARTS, MAX_SOURCE = 2_000, 2_000_000, 200_000


class UnreadableError(ValueError):
    """A file that is no notebook; the message is the note for its result."""


@dataclass(frozen=True)
class Cell:
    """What grading needs of a cell."""

    kind: str  # "code" or "markdown"
    source: str
    grade_id: str = ""
    id: str = ""


def read_cells(content: bytes) -> tuple[list[Cell], list[str]]:
    """The cells of a notebook in any usual encoding, and notes on what was odd."""
    if not content.strip():
        raise UnreadableError("The file is empty.")
    if sum(content.count(mark) for mark in (b",", b"[", b"{")) > MAX_PARTS:
        raise UnreadableError("The file has too many parts to be a notebook.")
    text, notes = _decode(content)
    try:
        data = json.loads(text)
        if not isinstance(data, dict):
            raise UnreadableError("The file is not a notebook.")
        cells = data["cells"] if "cells" in data else _old_cells(data)
        read = [_cell(cell) for cell in cells]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError("The file is not a notebook.") from None
    if len(read) > MAX_CELLS:
        raise UnreadableError(f"The notebook has more than {MAX_CELLS} cells.")
    return read, notes


def _decode(content: bytes) -> tuple[str, list[str]]:
    for mark, encoding in (
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
        (b"\xef\xbb\xbf", "utf-8-sig"),
        (b"", "utf-8"),
    ):
        if content.startswith(mark):
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError:
                continue
            return text, [] if encoding == "utf-8" else [f"The file is encoded as {encoding}."]
    return content.decode("latin-1"), ["The file is not UTF-8; it was read as Latin-1."]


def _old_cells(data: dict) -> list:
    """The cells of notebook format 3."""
    cells = [cell for sheet in data["worksheets"] for cell in sheet["cells"]]
    return [{**cell, "source": cell.get("input", cell.get("source", ""))} for cell in cells]


def _cell(data: dict) -> Cell:
    source = data.get("source", "")
    source = "".join(source) if isinstance(source, list) else str(source)
    metadata = data.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    mark = marks.get("grade_id") if isinstance(marks, dict) else None
    return Cell(
        kind=str(data.get("cell_type")),
        source=source.encode("utf-8", "replace").decode(),
        grade_id=mark if isinstance(mark, str) else "",
        id=data["id"] if isinstance(data.get("id"), str) else "",
    )


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
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


# What will be done


@dataclass(frozen=True)
class Action:
    """Run a cell, or keep the answer to a task as it is at this moment."""

    index: int
    source: str = ""
    task: str = ""  # whose answer the cell is
    keep: str = ""  # the task to keep
    extra: bool = False  # not a cell that was handed out, nor an answer to it


@dataclass
class TaskSchedule:
    """How one task was answered."""

    exercise: Exercise
    answer: str  # expression
    code: str = ""
    index: int | None = None  # of its cell
    attempted: bool = False
    notes: list[str] = field(default_factory=list)


@dataclass
class Schedule:
    """What will be done with one submission."""

    actions: list[Action]
    tasks: dict[str, TaskSchedule]
    written: dict[str, str]  # id -> text, empty if not answered
    notes: list[str]


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
    written = {w.id: _written_answer(released, w.id, cells, notes) for w in released.written}
    actions = _actions(released, cells, tasks, quiet, notes)
    if (order := [t.index for t in tasks.values() if t.index is not None]) != sorted(order):
        notes.append("The tasks are not in their order.")
    return Schedule(actions, tasks, written, notes)


def _identify(cells: list[Cell], known: set[str]) -> tuple[list[Cell], list[str]]:
    """Cells with their grade ids; a cell that lost the mark but kept its id is recognised."""
    marked = {cell.grade_id for cell in cells}
    lost = {c.id for c in cells if not c.grade_id and c.id in known and c.id not in marked}
    found = [
        Cell(c.kind, c.source, c.id, c.id) if not c.grade_id and c.id in lost else c for c in cells
    ]
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
    task.code = cells[task.index].source[:MAX_SOURCE]
    if len(mine) > 1:
        task.notes.append(
            f"{len(mine)} cells answer task {exercise.id}; the last that differs from the one "
            f"handed out counts."
        )
    return task, {k for k in mine if k not in changed and k != task.index}


def _written_answer(released: Released, name: str, cells: list[Cell], notes: list[str]) -> str:
    own = grade_id("written", name)
    mine = [cell.source for cell in cells if cell.grade_id == own]
    changed = [text for text in mine if _plain(text) != released.source(own)]
    if not mine:
        notes.append(f"The cell of the written answer {name} is missing.")
    return changed[-1][:MAX_SOURCE] if changed else ""


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
            actions.append(Action(k, source=cell.source, task=counting.get(k, ""), extra=added))
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


# Names, for the boxes in which a task is alone and for the imports that are not allowed


def parse_source(source: str) -> ast.Module:
    """The syntax tree of a cell without its magics; an empty one if it is no Python."""
    try:
        return ast.parse(re.sub(r"(?m)^\s*[%!].*$", "", source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])


def names(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell defines at its top level, and those it uses."""
    tree = parse_source(source)
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return _bound_names(tree), used


def _bound_names(node: ast.AST) -> set[str]:
    """Names that code binds where it stands; what a function or class binds inside is its own."""
    defined = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(child.name)
        elif isinstance(child, ast.Import | ast.ImportFrom):
            defined |= {a.asname or a.name.partition(".")[0] for a in child.names}
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            defined.add(child.id)
        elif not isinstance(child, ast.Lambda | ast.comprehension):
            defined |= _bound_names(child)
    return defined


def actions_for(schedule: Schedule, task: str, left_out: set[int]) -> list[Action]:
    """Only the actions that a task needs: its cell, and the cells that define what it uses."""
    actions = [a for a in schedule.actions if not a.keep and a.index not in left_out]
    tables = {a.index: names(a.source) for a in actions}
    needed = {schedule.tasks[task].index}
    wanted = names(schedule.tasks[task].answer)[1]
    while True:
        for index in needed:
            wanted |= tables.get(index, (set(), set()))[1]
        more = {k for k, (defined, _) in tables.items() if defined & wanted} - needed
        if not more:
            break
        needed |= more
    return [a for a in actions if a.index in needed] + [Action(len(schedule.actions), keep=task)]
