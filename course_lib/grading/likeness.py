"""Which answers of a class say the same, beyond what their tasks force: a hint for a person.

Alike are two submissions whose equal answers add up to ENOUGH nodes that were not handed out. Tasks
with several blanks, and tasks that ask for a value, are forced and do not count. The number is from
a measurement, which `tests/grading/test_likeness.py` repeats: of 45 answers that were written
without a look at the solution, 12 equalled it, the largest with 46 nodes of its own; together they
came to 87 in a lesson at most. A copy of a whole lesson has 168 or more; lesson 00 is too short.

A paragraph that is the same, but for case, layout and punctuation, is enough by itself, in a group
of its own. What is compared are digests; those of code the box has made. Members are found by what
they share, never pair by pair, so a class of any size takes a time in proportion to it.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

from course_lib import lessons
from course_lib.grading.box import LIBRARY
from course_lib.grading.forms import Form
from course_lib.grading.paragraphs import form_of_text
from course_lib.grading.reading import Cell, parse_source, read_cells
from course_lib.grading.records import Result
from course_lib.lessons.cells import grade_id, parse_grade_id

ENOUGH = 150  # nodes of equal answers
MAX_TASKS = 10  # of a submission, those that say most
MODEL = ""  # in place of a student's name, which is never empty

Answers = dict[str, Form]  # task -> digest, and the nodes that were not handed out


@dataclass(frozen=True)
class Same:
    """Members of a class whose answers to an exercise are the same, with the tasks concerned."""

    name: str  # of the lesson
    members: dict[str, tuple[str, ...]]  # who, perhaps MODEL -> in which tasks

    @property
    def has_model(self) -> bool:
        """Whether the model solution is one of them."""
        return MODEL in self.members

    @property
    def students(self) -> list[str]:
        return [member for member in self.members if member != MODEL]

    @property
    def tasks(self) -> list[str]:
        """All tasks concerned."""
        return sorted({task for tasks in self.members.values() for task in tasks})


def alike(results: Iterable[Result], course: Path = LIBRARY.parent) -> list[Same]:
    """All groups of submissions that say the same, lesson by lesson."""
    by_lesson: dict[str, dict[str, Answers]] = defaultdict(dict)
    paragraphs: dict[str, dict[str, Answers]] = defaultdict(dict)
    for result in results:
        answers = {task.task: task.form for task in result.tasks}
        by_lesson[result.name][result.student] = answers
        paragraphs[result.name][result.student] = {w.task: w.form for w in result.written}
    found = []
    for name, members in sorted(by_lesson.items()):
        handed_out, model = _yardstick(course, name)
        telling = {m: _telling(answers, handed_out) for m, answers in members.items()}
        telling[MODEL] = _telling(model, handed_out)
        found += [Same(name, group) for group in _groups(telling)]
        texts = paragraphs[name] | {MODEL: _model_paragraphs(name)}
        found += [Same(name, group) for group in _groups(_each_enough(texts))]
    return found


@cache
def _model_paragraphs(name: str) -> Answers:
    """The written answers of the model solution."""
    mine = [lesson for lesson in lessons.available() if lesson.name == name]
    return {w.id: form_of_text(w.answer) for lesson in mine for w in lesson.written}


def _each_enough(members: dict[str, Answers]) -> dict[str, Answers]:
    """The paragraphs that can be compared; each of them is enough by itself."""
    return {
        member: {task: Form(form.digest, ENOUGH) for task, form in texts.items() if form.digest}
        for member, texts in members.items()
    }


@cache
def _yardstick(course: Path, name: str) -> tuple[Answers, Answers]:
    """Of the tasks that can tell something: their cells as handed out, and solved."""
    inside = Path(name, f"{name}.ipynb")
    try:
        released = read_cells((course / "exercises" / inside).read_bytes())[0]
        solved = read_cells((course / "solutions" / inside).read_bytes())[0]
    except OSError:  # a lesson that is not here any more has nothing to be compared with
        return {}, {}
    free = [name for cell in released if (name := _free_task(cell))]
    return _answers(free, released), _answers(free, solved)


def _free_task(cell: Cell) -> str:
    """The task whose cell this is, if it asks for a function and leaves one blank for all of it."""
    kind, task = parse_grade_id(cell.grade_id) or ("", "")
    nodes = list(ast.walk(parse_source(cell.source))) if kind == "task" else []
    blanks = sum(isinstance(node, ast.Constant) and node.value is ... for node in nodes)
    is_function = any(isinstance(node, ast.FunctionDef) for node in nodes)
    return task if is_function and blanks == 1 else ""


def _answers(tasks: list[str], cells) -> Answers:
    forms = {cell.grade_id: cell.form for cell in cells}
    return {task: forms.get(grade_id("task", task), Form()) for task in tasks}


def _telling(answers: Answers, handed_out: Answers) -> Answers:
    """The answers that say something of their own; size is what they say beyond the task."""
    own = {
        task: Form(form.digest, form.size - handed_out[task].size)
        for task, form in answers.items()
        if form.digest and task in handed_out and form.size > handed_out[task].size
    }
    most = sorted(own, key=lambda task: -own[task].size)[:MAX_TASKS]
    return {task: own[task] for task in sorted(most)}


def _groups(members: dict[str, Answers]) -> Iterator[dict[str, tuple[str, ...]]]:
    """Members who share enough, directly or by way of others; each with the tasks shared."""
    sharing = defaultdict(list)
    for member, answers in members.items():
        for tasks in _enough(answers):
            sharing[tuple((task, answers[task].digest) for task in tasks)].append(member)
    shared, leader = defaultdict(set), {}
    for key, group in sharing.items():
        if len(group) > 1:
            first = _leader(leader, group[0])
            for member in group:
                leader[_leader(leader, member)] = first
                shared[member] |= {task for task, _ in key}
    together = defaultdict(dict)
    for member in sorted(shared):
        together[_leader(leader, member)][member] = tuple(sorted(shared[member]))
    yield from together.values()


def _enough(answers: Answers) -> Iterator[tuple[str, ...]]:
    """The sets of tasks that are just enough: without any one of them they are not."""
    for number in range(1, len(answers) + 1):
        for tasks in combinations(answers, number):
            sizes = [answers[task].size for task in tasks]
            if sum(sizes) - min(sizes) < ENOUGH <= sum(sizes):
                yield tasks


def _leader(leader: dict[str, str], member: str) -> str:
    """Who stands for the group of a member."""
    while leader.setdefault(member, member) != member:
        leader[member] = leader[leader[member]]
        member = leader[member]
    return member
