"""Answers that say the same: copies are noted, honest answers are not, and no mark changes."""

import ast
import csv
import inspect
import json
import textwrap
from collections import defaultdict
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import product

import numpy as np
import pytest
from students.blind import ANSWERS
from test_publishing import run, store, submissions
from test_roster import result

from course_lib import lessons
from course_lib.grading.forms import Form, form_of
from course_lib.grading.likeness import ENOUGH, MODEL, _yardstick, alike
from course_lib.grading.marking import empty_result
from course_lib.grading.notebook import Released, make_schedule
from course_lib.grading.reading import read_cells
from course_lib.grading.records import Result, TaskResult, from_json, to_json
from course_lib.learner.checks import judge
from course_lib.lessons.cells import grade_id
from course_lib.tools.bench.students import Notebook
from course_lib.tools.system import ROOT

LESSONS = lessons.available()
NAME = "03_permutation_pitfalls"


def yardstick(name: str):
    """The tasks that can tell something: as handed out, and solved."""
    return _yardstick(ROOT, name)


def form(source: str) -> Form:
    return form_of(ast.parse(source))


def own_size(task: str, found: Form) -> int:
    """Nodes of an answer that were not handed out."""
    name = lessons.load(task[:2]).name
    return found.size - yardstick(name)[0][task].size


def free_tasks() -> list[str]:
    return [task for lesson in LESSONS for task in yardstick(lesson.name)[0]]


def solved(task: str) -> Form:
    return yardstick(lessons.load(task[:2]).name)[1][task]


# ---- what the number rests on ------------------------------------------------------------


@cache
def styles() -> dict[str, list[Form]]:
    """The answers in other styles that can be read as one function."""
    found = defaultdict(list)
    for task in free_tasks():
        right = import_module(f"lessons.answers.answers_{task[:2]}").RIGHT[task]
        for answer in right:
            tree = ast.parse(textwrap.dedent(inspect.getsource(answer)))
            if isinstance(tree.body[0], ast.FunctionDef):
                found[task].append(form_of(tree))
    return found


def given_names(name: str) -> dict:
    """What an exercise imports and defines for its tasks."""
    content = (ROOT / "exercises" / name / f"{name}.ipynb").read_bytes()
    code = [cell for cell in read_cells(content)[0] if cell.kind == "code"]
    parts = [s for cell in code if not cell.grade_id for s in ast.parse(cell.source).body]
    kinds = ast.Import | ast.ImportFrom | ast.FunctionDef
    body, names = [part for part in parts if isinstance(part, kinds)], {}
    exec(compile(ast.Module(body, type_ignores=[]), name, "exec"), names)
    return names


@cache
def blind() -> dict[str, Form]:
    """Answers that were written without a look at the solution, as far as they are right today."""
    found = {}
    for number in sorted({task[:2] for task in ANSWERS}):
        names = given_names(lessons.load(number).name)
        for task in (task for task in ANSWERS if task[:2] == number and task in free_tasks()):
            exec(ANSWERS[task], names)
            if is_right(task, names[ast.parse(ANSWERS[task]).body[0].name]):
                found[task] = form(ANSWERS[task])
    return found


def is_right(task: str, answer) -> bool:
    try:
        return judge(lessons.exercise(task), answer).passed
    except Exception:  # the exercise asks for something else by now
        return False


@pytest.mark.slow
def test_honest_answers_equal_the_solution_only_where_they_are_short():
    """When the number was chosen: 45 answers, 12 equal, of 46 nodes at most, 87 in a lesson."""
    equal = {task: own_size(task, f) for task, f in blind().items() if f == solved(task)}
    assert len(blind()) >= 35, "too many of these exercises have changed: write new answers to them"
    assert 0.1 < len(equal) / len(blind()) < 0.4 and max(equal.values()) < 55
    by_lesson = defaultdict(int)
    for task, size in equal.items():
        by_lesson[task[:2]] += size
    assert 1.3 * max(by_lesson.values()) < ENOUGH


@pytest.mark.slow
def test_an_honest_student_is_noted_in_about_one_of_a_hundred_lessons_or_fewer():
    """If the chance to coincide is exp(-size / scale), with the scale that fits these data best."""
    pairs = [(own_size(task, found), found == solved(task)) for task, found in blind().items()]
    scale = max(np.arange(5, 80, 0.5), key=lambda scale: _log_likelihood(pairs, scale))
    for lesson in LESSONS:
        sizes = [own_size(task, found) for task, found in yardstick(lesson.name)[1].items()]
        assert _chance_of_enough(sizes, scale) < 0.015, lesson.name


def _log_likelihood(pairs, scale: float) -> float:
    chances = [(np.exp(-size / scale), equal) for size, equal in pairs]
    return sum(np.log(chance if equal else 1 - chance) for chance, equal in chances)


def _chance_of_enough(sizes: list[int], scale: float) -> float:
    """The probability that the sizes of the tasks that coincide add up to enough."""
    chances, total = np.exp(-np.array(sizes) / scale), 0.0
    for equal in product((False, True), repeat=len(sizes)):
        if np.dot(equal, sizes) >= ENOUGH:
            total += np.prod(np.where(equal, chances, 1 - chances))
    return total


def test_answers_in_other_styles_are_not_the_same():
    forms = [(task, found) for task, listed in styles().items() for found in listed]
    assert len(forms) > 100
    equal = [own_size(task, found) for task, found in forms if found == solved(task)]
    assert len(equal) <= 5 and all(size < 55 for size in equal)


def test_a_copy_of_a_whole_lesson_is_enough_but_for_short_ones():
    totals = {
        lesson.number: sum(own_size(task, solved(task)) for task in yardstick(lesson.name)[1])
        for lesson in LESSONS
    }
    short = {number for number, total in totals.items() if total < ENOUGH}
    assert "00" in short and len(short) <= 2, totals


def test_forced_tasks_do_not_count():
    free = set(free_tasks())
    assert not free & {"01.2", "01.7", "08.1", "08.7"} and {"01.3", "08.4"} <= free
    blanks = {task for task in ANSWERS if task not in free}
    assert blanks and all(lessons.exercise(task).blanks > 1 for task in blanks)


# ---- who is noted --------------------------------------------------------------------------


def submitted(student: str, forms: dict[str, Form], name: str = NAME) -> Result:
    """A result with these answers."""
    tasks = [
        TaskResult.of(lessons.exercise(task), "correct", "", form=found)
        for task, found in forms.items()
    ]
    return Result(student, name[:2], name, 12, tuple(tasks), ())


def answers(kind: int) -> dict[str, Form]:
    """Answers of a person to lesson 03 that nobody else has."""
    sizes = {task: found.size for task, found in yardstick(NAME)[1].items()}
    return {task: Form(f"{kind:032x}", size) for task, size in sizes.items()}


def model() -> dict[str, Form]:
    return dict(yardstick(NAME)[1])


def noted(*results: Result) -> list[set[str]]:
    return [set(group.members) for group in alike(results)]


@pytest.mark.slow
def test_a_copy_of_the_model_solution_is_noted_and_honest_answers_are_not():
    by_heart = {task: found for task, found in blind().items() if task.startswith("03")}
    class_ = [submitted("copy", model()), submitted("blind", by_heart), submitted("a", answers(1))]
    (group,) = alike(class_)
    assert group.has_model and group.students == ["copy"] and group.tasks == sorted(model())


@pytest.mark.slow
def test_whoever_is_honest_in_every_lesson_is_noted_in_none():
    for lesson in LESSONS:
        mine = {task: found for task, found in blind().items() if task.startswith(lesson.number)}
        assert noted(submitted("blind", mine, lesson.name)) == []


def test_two_who_share_their_own_answers_are_noted_as_a_pair():
    found = noted(*(submitted(name, answers(k)) for name, k in [("a", 1), ("b", 2), ("c", 1)]))
    assert found == [{"a", "c"}]


def test_a_few_equal_answers_are_not_enough():
    forms = answers(1)
    small = dict(sorted(forms.items(), key=lambda item: item[1].size)[:3])
    assert sum(own_size(task, found) for task, found in small.items()) < ENOUGH
    assert noted(submitted("a", forms), submitted("b", answers(2) | small)) == []


def test_a_group_is_one_group_with_the_tasks_that_each_shares():
    forms = answers(1)
    large = dict(sorted(forms.items(), key=lambda item: -item[1].size)[:2])
    class_ = [submitted("a", forms), submitted("b", forms), submitted("c", answers(2) | large)]
    (group,) = alike(class_)
    assert set(group.members) == {"a", "b", "c"} and group.members["c"] == tuple(sorted(large))
    assert set(group.members["a"]) == set(forms) and not group.has_model


def test_untouched_and_unreadable_answers_are_not_the_same():
    stubs = dict(yardstick(NAME)[0])
    nothing = dict.fromkeys(stubs, Form())
    assert noted(*(submitted(s, f) for s in "ab" for f in (stubs, nothing))) == []
    assert noted(submitted("a", stubs), submitted("b", stubs)) == []


def test_other_lessons_are_compared_with_their_own():
    forms = answers(1)
    assert noted(submitted("a", forms), submitted("b", forms, "04_shapley_axioms")) == []


def test_a_lesson_that_is_gone_has_nothing_to_be_compared_with():
    assert noted(*(submitted(s, answers(1), "03_long_gone") for s in "ab")) == []


def test_a_student_cannot_be_taken_for_the_model_solution():
    assert MODEL == "" and noted(submitted("(the model solution)", answers(1))) == []


def test_a_large_class_of_copies_is_one_group_and_takes_no_pairs():
    one = submitted("s", model())
    everybody = [replace(one, student=f"s{k}") for k in range(3000)]
    others = [submitted(f"t{k}", answers(k)) for k in range(20)]
    (group,) = alike(everybody + others)
    assert len(group.students) == 3000 and group.has_model


# ---- where the answer stands ----------------------------------------------------------------


def code(source: str) -> dict:
    return {"cell_type": "code", "id": "new", "metadata": {}, "source": source}


def compared(notebook: Notebook, name: str = "01_mdi") -> Result:
    """What of a notebook is compared."""
    released = Released.read(ROOT / "exercises" / name / f"{name}.ipynb", name[:2])
    made = make_schedule(released, read_cells(notebook.to_bytes())[0])
    forms = {task: one.form for task, one in made.tasks.items()}
    return submitted("ada", forms, name)


def beside(name: str, place: str) -> Notebook:
    """The solution pasted into new cells around the task's own, which are as handed out."""
    solution = Notebook.solved(name)
    handed_out = json.loads((ROOT / "exercises" / name / f"{name}.ipynb").read_text("utf-8"))
    cells = []
    for old, cell in zip(handed_out["cells"], solution.cells, strict=True):
        new = [code(cell["source"])] if cell["id"].startswith("task") else []
        cells += [*new, old] if place == "above" else [old, *new]
    if place == "into the checks":
        return pasted_into_checks(handed_out, solution)
    return Notebook(handed_out | {"cells": cells})


def pasted_into_checks(handed_out: dict, solution: Notebook) -> Notebook:
    for cell in handed_out["cells"]:
        if cell["id"].startswith("check"):
            answer = solution.cells[solution.index(cell["id"].replace("check", "task"))]
            cell["source"] = f"{''.join(answer['source'])}\n\n{''.join(cell['source'])}"
    return Notebook(handed_out)


@pytest.mark.parametrize("place", ["below", "into the checks"])
@pytest.mark.parametrize("lesson", LESSONS[1:], ids=lambda lesson: lesson.name)
def test_the_model_answers_in_other_cells_are_noted(lesson, place):
    (group,) = alike([compared(beside(lesson.name, place), lesson.name)])
    assert group.has_model and group.tasks


def test_what_a_task_cell_replaces_is_not_what_answers():
    assert noted(compared(beside("01_mdi", "above"))) == []


def test_the_last_cell_that_defines_the_answer_before_its_check_is_compared():
    notebook, mine = Notebook.solved(), "def tree_mdi(tree):\n    return mine(tree)"
    notebook.cells.insert(notebook.index("task-01-4") + 1, code("tried = tree_mdi(3)"))
    notebook.cells.insert(notebook.index("check-01-4") + 1, code(mine))
    assert forms_of(notebook)["01.4"] == solved("01.4")
    notebook.cells.insert(notebook.index("check-01-4"), code(mine))
    assert forms_of(notebook)["01.4"] == form(mine)


def forms_of(notebook: Notebook) -> dict[str, Form]:
    return {task.task: task.form for task in compared(notebook).tasks}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_what_the_exercise_gives_itself_is_nobodys_answer(lesson):
    handed_out = (ROOT / "exercises" / lesson.name / f"{lesson.name}.ipynb").read_bytes()
    found = compared(Notebook(json.loads(handed_out)), lesson.name)
    stubs = {cell.grade_id: cell.form for cell in read_cells(handed_out)[0]}
    assert all(task.form == stubs[grade_id("task", task.task)] for task in found.tasks)


@pytest.mark.slow
@pytest.mark.parametrize("own_cell", [True, False])
def test_honest_answers_in_new_cells_are_noted_no_more_than_in_their_own(own_cell):
    for name in {lessons.load(task[:2]).name for task in ANSWERS}:
        handed_out = (ROOT / "exercises" / name / f"{name}.ipynb").read_text("utf-8")
        notebook = Notebook(json.loads(handed_out))
        for task in (task for task in ANSWERS if task[:2] == name[:2]):
            if own_cell:
                notebook.answer(task, ANSWERS[task])
            else:
                where = notebook.index(grade_id("task", task)) + 1
                notebook.cells.insert(where, code(ANSWERS[task]))
        assert noted(compared(notebook, name)) == []


# ---- paragraphs ------------------------------------------------------------------------------

OWN_WORDS = """The 0.31 is what age took away of the impurity, as a share of all that went.
It says nothing of causes, nothing of other forests, and nothing of how well this one predicts."""


def wrote(student: str, text: str) -> Result:
    """A summary of a result of lesson 01 with this paragraph."""
    return result(student, 15, answer=text).summary()


def model_answer() -> str:
    return lessons.load("01").written[0].answer


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        str.upper,
        lambda text: "*Write your answer here.*\n\n" + text,
        lambda text: "YOUR ANSWER HERE\n" + text,
        lambda text: f"### BEGIN SOLUTION\n{text}\n### END SOLUTION",  # as solutions/ has it
        lambda text: "> " + "  \n> ".join(text.split(". ")).replace("  \n> ", ".\n> "),
        lambda text: text.replace("impurity", "**impurity**").replace("nothing", "_nothing_"),
        lambda text: f"\u201c{text.rstrip('.')}\u201d!".replace("'", "\u2019"),
    ],
)
@pytest.mark.parametrize("source", [model_answer, lambda: OWN_WORDS])
def test_the_same_paragraph_is_noted_whatever_its_case_layout_and_emphasis(source, change):
    class_ = [wrote("a", source()), wrote("b", change(source())), wrote("c", "Words " * 40)]
    (group,) = alike(class_)
    assert group.students == ["a", "b"] and group.tasks == ["01.w"]
    assert group.has_model == (source is model_answer)


@pytest.mark.parametrize("other", [OWN_WORDS + " I think.", OWN_WORDS.replace("well", "badly"), ""])
def test_other_paragraphs_are_not_the_same(other):
    assert noted(wrote("a", OWN_WORDS), wrote("b", other)) == []


@pytest.mark.parametrize("short", ["", "I do not know.", "x" * 99, "*Write your answer here.*" * 9])
def test_short_paragraphs_and_those_that_are_no_answer_are_not_the_same(short):
    assert noted(wrote("a", short), wrote("b", short)) == []


def test_every_model_answer_is_long_enough_to_be_known_again():
    for lesson in LESSONS:
        released = Released.read(
            ROOT / "exercises" / lesson.name / f"{lesson.name}.ipynb", lesson.number
        )
        one = empty_result(released, "a", [])
        texts = (w.answer for w in lesson.written)
        written = (replace(w, answer=t) for w, t in zip(one.written, texts, strict=True))
        (group,) = alike([replace(one, written=tuple(written)).summary()])
        assert group.has_model, lesson.name


def test_who_shares_a_paragraph_with_a_copier_is_not_said_to_have_the_models_code():
    class_ = [replace(copied("a"), written=wrote("a", OWN_WORDS).written), wrote("b", OWN_WORDS)]
    assert noted(*class_) == [{MODEL, "a"}, {"a", "b"}]


def test_paragraphs_that_are_the_same_are_in_the_table_and_on_the_page(tmp_path):
    store(tmp_path, *(result(name, 15, answer=OWN_WORDS) for name in ("ada", "bob")))
    assert "of 2 students: a hint" in run(tmp_path, submissions("ada", "bob"))[-1]
    found = [(row["student"], row["tasks"]) for row in rows(tmp_path / "same.csv")]
    assert found == [("ada", "01.w"), ("bob", "01.w")]
    assert "01.w" in (tmp_path / "class.html").read_text("utf-8").partition("are the same</h2>")[2]


# ---- where it is said ----------------------------------------------------------------------


def rows(path) -> list[dict]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def copied(student: str) -> Result:
    """A result of lesson 01 with the forms of the model solution."""
    made, forms = result(student, 15), _yardstick(ROOT, "01_mdi")[1]
    tasks = (replace(task, form=forms.get(task.task, Form())) for task in made.tasks)
    return replace(made, tasks=tuple(tasks))


def test_the_lecturer_is_told_and_nobody_else(tmp_path):
    store(tmp_path, copied("ada"), result("bob", 15))
    said = run(tmp_path, submissions("ada", "bob"))
    assert "Answers that are the same, of 1 student: a hint" in said[-1]
    found = rows(tmp_path / "same.csv")
    assert [(row["group"], row["student"]) for row in found] == [
        ("1", "(the model solution)"),
        ("1", "ada"),
    ]
    assert "01.4" in found[1]["tasks"]
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert "as the model solution:</b> ada" in page and "never a mark" in page
    for path in (tmp_path / "feedback").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "model solution" not in text and "the same" not in text
    points = {row["student"]: row["points"] for row in rows(tmp_path / "grades.csv")}
    assert points == {"ada": "15", "bob": "15"}
    assert not any("model" in row["notes"] for row in rows(tmp_path / "grades.csv"))


def test_late_ones_are_compared_with_those_who_were_graded_before(tmp_path):
    store(tmp_path, copied("ada"))
    run(tmp_path, submissions("ada"))
    store(tmp_path, copied("zoe"))
    run(tmp_path, submissions("zoe"))
    assert [row["student"] for row in rows(tmp_path / "same.csv")][1:] == ["ada", "zoe"]


def test_without_any_there_is_an_empty_table_and_no_section(tmp_path):
    store(tmp_path, result("ada", 15))
    assert run(tmp_path, submissions("ada")) == []
    assert rows(tmp_path / "same.csv") == []
    assert "the same" not in (tmp_path / "class.html").read_text(encoding="utf-8")


def test_results_from_before_are_read_and_have_nothing_to_compare():
    data = json.loads(to_json(copied("ada")))
    for task in data["tasks"]:
        del task["form"]
    old = from_json(json.dumps(data))
    assert old.points == 15 and noted(old) == []
