"""nbgrader as it comes: quickstart's configuration, our solutions as sources, points in the end."""

import csv
import linecache
import os
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from depth import LEVEL, at_most

from course_lib import lessons
from course_lib.grading.notebook import _plain
from course_lib.learner.checks import CheckFailedError
from course_lib.lessons.cells import grade_id
from course_lib.tools import nbgrader as command
from course_lib.tools.notebooks import to_bytes
from course_lib.tools.sources import read_source
from course_lib.tools.system import ROOT

pytestmark = pytest.mark.nbgrader

NAMES = [lesson.name for lesson in lessons.available()]
WRONG = "def square(x):\n    return 2 * x"
TINY = '''# %%
import os


def check(name, answer):
    good = answer is not ... and answer(3) == 9
    if os.environ.get("NBGRADER_EXECUTION") and not good:
        raise AssertionError(name)


# %% task="99.1"
def square(x):
    """The square of x."""
    ### BEGIN SOLUTION
    return x * x
    ### END SOLUTION


# %% check="99.1" points=2
check("99.1", square)

# %% task="99.2"
power = ...
### BEGIN SOLUTION
power = lambda x: x**2
### END SOLUTION

# %% check="99.2" points=1
check("99.2", power)

# %% [markdown] written="99.w" points=4
# A model answer in prose.
'''


@pytest.fixture(scope="module", autouse=True)
def surroundings():
    """nbgrader calls alembic by name, which is beside the interpreter; kernels share two cores."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
        patch.setenv("OMP_NUM_THREADS", "1")
        yield


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """What `nbgrader quickstart` makes, with our solutions and a tiny one dropped into source/."""
    from nbgrader.apps import quickstartapp

    folder, call = tmp_path_factory.mktemp("quickstart"), subprocess.call
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        # not the three students of its example, each by a process of 4 s, into another gradebook
        lean = SimpleNamespace(
            **vars(subprocess) | {"call": lambda c, **k: "db" in c or call(c, **k)}
        )
        patch.setattr(quickstartapp, "subprocess", lean)
        start = quickstartapp.QuickStartApp()
        start.initialize(["course101"])
        start.start()
    course = folder / "course101"
    for name in NAMES:
        shutil.copytree(ROOT / "solutions" / name, course / "source" / name)
    source = folder / "99_tiny.py"
    source.write_text(TINY, encoding="utf-8")
    tiny = course / "source" / "99_tiny" / "99_tiny.ipynb"
    tiny.parent.mkdir()
    tiny.write_bytes(to_bytes(read_source(source, graded=True)))
    return course


@pytest.fixture(scope="module")
def api(course):
    """The real nbgrader with the configuration that quickstart wrote; all is released with it."""
    from nbgrader.apps import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import PyFileConfigLoader

    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    config.CourseDirectory.root = str(course)
    config.Execute.timeout = 300  # seconds for a cell; 30, by default, are few on a busy machine
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course)  # quickstart names its header relative to the course
        api = NbGraderAPI(CourseDirectory(config=config), config=config)
        for name in [*NAMES, "99_tiny"]:
            fine(api.generate_assignment(name))
        yield api


def fine(outcome: dict) -> None:
    """nbgrader did it, and had nothing to complain of."""
    assert outcome["success"], outcome["log"]
    complaints = [line for line in outcome["log"].splitlines() if not line.startswith("[INFO]")]
    assert complaints == []


def released(course: Path, name: str):
    return nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)


def answered(course: Path, name: str, *, blank=(), replaced=None):
    """The exercise with the solution's answers, but for the cells in `blank` and `replaced`."""
    exercise = released(course, name)
    solution = nbformat.read(course / "source" / name / f"{name}.ipynb", as_version=4)
    sources = {cell.id: cell.source for cell in solution.cells} | (replaced or {})
    for cell in exercise.cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.id not in blank:
            cell.source = sources[cell.id]
    return exercise


def answers(course: Path, name: str) -> list[str]:
    flags = [cell.metadata.get("nbgrader", {}) for cell in released(course, name).cells]
    return [flag["grade_id"] for flag in flags if flag.get("solution")]


def autograded(api, name: str, student: str, notebook) -> dict:
    """Hand in and grade; return the points for each cell, as (points, of how many)."""
    file = Path(api.coursedir.root, "submitted", student, name, f"{name}.ipynb")
    file.parent.mkdir(parents=True)
    file.write_bytes(to_bytes(notebook))
    fine(api.autograde(name, student))
    with api.gradebook as gradebook:
        grades = gradebook.find_submission_notebook(name, name, student).grades
        return {grade.name: (grade.auto_score, grade.max_score) for grade in grades}


def failed_checks(notebook, folder: Path) -> list[str]:
    """Sources of the cells that `nbgrader validate` complains about."""
    from nbgrader.validator import Validator

    file = folder / "submission.ipynb"
    file.write_bytes(to_bytes(notebook))
    found = Validator().validate(str(file))
    assert "changed" not in found, "a locked cell is not what was released"
    return [cell["source"].strip() for cell in found.get("failed", ())]


def test_validate_names_the_checks_that_fail_and_accepts_a_solution(course, api, tmp_path):
    both = ['check("99.1", square)', 'check("99.2", power)']
    untouched = released(course, "99_tiny")
    assert failed_checks(untouched, tmp_path) == [*both, "YOUR ANSWER HERE"]
    wrong = answered(course, "99_tiny", replaced={"task-99-1": WRONG})
    assert failed_checks(wrong, tmp_path) == both[:1]
    assert failed_checks(answered(course, "99_tiny"), tmp_path) == []


VALIDATED = NAMES[: at_most(1, 1, len(NAMES))]  # each runs twice in a kernel
# Each is run in a kernel and made into a page: some seconds. That every solution passes its checks,
# and that nbgrader releases every exercise as we do, is tested for all of them in any run.
GRADED = NAMES if LEVEL == "long" else [NAMES[1], NAMES[-1]]


@pytest.mark.parametrize("name", VALIDATED)
def test_validate_accepts_the_solution_and_names_every_check_of_the_untouched(
    name, course, api, tmp_path
):
    solution = nbformat.read(course / "source" / name / f"{name}.ipynb", as_version=4)
    assert failed_checks(solution, tmp_path) == []
    named = [
        re.match(r'check\("(.*?)"', cell)
        for cell in failed_checks(released(course, name), tmp_path)
    ]
    asked = [task.id for task in lessons.exercises(name[:2])]
    assert [one[1] for one in named if one] == asked
    assert named.count(None) == len(lessons.load(name[:2]).written)


@pytest.mark.parametrize(
    ("student", "changes", "points"),
    [
        ("nobody", {"blank": ["task-99-1", "task-99-2", "written-99-w"]}, (0, 0, 0)),
        ("almost", {"replaced": {"task-99-1": WRONG}}, (0, 1, None)),
        ("ada", {}, (2, 1, None)),  # a written answer waits for a reader
    ],
)
def test_autograde_gives_nothing_part_or_all_of_the_points(course, api, student, changes, points):
    found = autograded(api, "99_tiny", student, answered(course, "99_tiny", **changes))
    names = ("check-99-1", "check-99-2", "written-99-w")
    assert found == dict(zip(names, zip(points, (2, 1, 4), strict=True), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_exercise_parses_runs_and_is_not_attempted(name, course, api, monkeypatch):
    """A cell of it may say that something is not implemented yet, and a check must."""
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    namespace, said = {}, {}
    for cell in released(course, name).cells:
        if cell.cell_type == "code":
            try:
                run_cell(cell, namespace)
            except (NotImplementedError, CheckFailedError) as error:
                said[cell.id] = str(error)
    checks = {grade_id("check", task.id) for task in lessons.exercises(name[:2])}
    assert checks <= set(said)
    assert all("not attempted" in said[check] for check in checks), said


def run_cell(cell, namespace: dict) -> None:
    """Run a cell of our own notebook; its source can be looked up, as in a notebook."""
    file = f"<{cell.id}>"
    linecache.cache[file] = (len(cell.source), None, cell.source.splitlines(True), file)
    exec(compile(cell.source, file, "exec"), namespace)


@pytest.mark.parametrize("name", NAMES)
def test_the_grader_takes_what_nbgrader_releases_for_what_we_release(name, course, api):
    ours = nbformat.read(ROOT / "exercises" / name / f"{name}.ipynb", as_version=4)
    theirs = {cell.id: cell for cell in released(course, name).cells}
    for cell in ours.cells:
        assert _plain(theirs[cell.id].source) == _plain(cell.source)


def test_an_exercise_is_graded_told_to_the_student_and_exported(course, api):
    """All but the last answer of each lesson are there; only that one is missed."""
    for name in GRADED:
        last = [grade_id for grade_id in answers(course, name) if grade_id.startswith("task")][-1]
        points = autograded(api, name, "ada", answered(course, name, blank=[last]))
        checks = {k: got for k, got in points.items() if k.startswith("check")}
        lost = [k for k, (got, most) in checks.items() if got != most]
        assert lost == [last.replace("task", "check")] and checks[lost[0]][0] == 0, name
        fine(api.generate_feedback(name, "ada"))
        page = (course / "feedback" / "ada" / name / f"{name}.html").read_text(encoding="utf-8")
        words = unescape(re.sub(r"<[^>]+>", "", page))
        assert "not attempted" in words and secret_of(course, name, last) not in words
    export = [sys.executable, "-m", "nbgrader", "export"]
    subprocess.run(export, cwd=course, check=True, capture_output=True)
    with open(course / "grades.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["student_id"] == "ada"]
    scores = {row["assignment"]: float(row["score"]) for row in rows}
    assert all(scores[name] > 0 for name in GRADED)


def secret_of(course: Path, name: str, task: str) -> str:
    """The answer to a task, as its solution has it."""
    solution = nbformat.read(course / "source" / name / f"{name}.ipynb", as_version=4)
    source = next(cell.source for cell in solution.cells if cell.id == task)
    return re.search(r"BEGIN SOLUTION\n(.*?)\n *### END", source, re.DOTALL)[1]


# ---- ./course nbgrader ------------------------------------------------------------------


def test_the_command_makes_a_course_in_which_bare_nbgrader_works(tmp_path, monkeypatch, capsys):
    """Only the folders of the system are on the path: alembic must be found all the same."""
    monkeypatch.chdir(tmp_path)
    assert command.run(Namespace(folder=Path("my course"))) == 0
    made = tmp_path / "my course"
    assert str(made) in capsys.readouterr().out
    assert sorted(path.name for path in (made / "release").iterdir()) == NAMES
    monkeypatch.setenv("PATH", os.defpath)
    (made / "gradebook.db").unlink()  # the next command makes it again, which needs alembic
    again = [sys.executable, "-m", "nbgrader", "generate_assignment", "01_mdi", "--force"]
    done = subprocess.run(again, cwd=made, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert released(made, "01_mdi").cells


def test_a_cell_has_five_minutes_also_where_the_machine_is_busy(tmp_path):
    from nbgrader.preprocessors import Execute
    from traitlets.config import PyFileConfigLoader

    command.write_config(tmp_path)
    config = PyFileConfigLoader("nbgrader_config.py", path=str(tmp_path)).load_config()
    assert Execute(config=config).timeout == 300


def test_what_the_student_edition_calls_an_exercise_gets_the_name_that_nbgrader_wants(tmp_path):
    names = ("bob/01_mdi/exercise_01_mdi.ipynb", "cy/01_mdi/exercise_02_mdi_bias.ipynb")
    both = ("dan/01_mdi/exercise_01_mdi.ipynb", "dan/01_mdi/01_mdi.ipynb")
    found = after_start(tmp_path, *names, *both)
    assert found == {"bob/01_mdi/01_mdi.ipynb", names[1], *both}, "nothing else is renamed"
    assert (tmp_path / "submitted" / both[1]).read_text(encoding="utf-8") == both[1]
    assert "exercise_01_mdi.ipynb" in command.NEXT


def after_start(course: Path, *names: str) -> set[str]:
    """What lies in submitted/ once nbgrader has read its configuration."""
    from traitlets.config import PyFileConfigLoader

    for name in ("source/01_mdi/01_mdi.ipynb", *(f"submitted/{name}" for name in names)):
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_text(name.removeprefix("submitted/"), encoding="utf-8")
    command.write_config(course)
    PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    files = (path for path in (course / "submitted").rglob("*") if path.is_file())
    return {str(path.relative_to(course / "submitted")) for path in files}


@pytest.mark.parametrize(
    "copy",
    [
        "exercise_01_mdi (2).ipynb",
        "Kopie von exercise_01_mdi (1).ipynb",
        "01_mdi (1).ipynb",
        "Exercise_01_MDI-1.ipynb",
    ],
)
def test_the_only_copy_of_an_exercise_gets_its_name_and_nothing_is_said(copy, tmp_path, capfd):
    beside = {"bob/01_mdi/notes.ipynb", "bob/01_mdi/timestamp.txt"}
    assert after_start(tmp_path, f"bob/01_mdi/{copy}", *beside) == {
        "bob/01_mdi/01_mdi.ipynb",
        *beside,
    }
    assert (tmp_path / "submitted/bob/01_mdi/01_mdi.ipynb").read_text("utf-8").endswith(copy)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "files",
    [
        ("exercise_01_mdi.ipynb", "exercise_01_mdi (1).ipynb"),
        ("homework.ipynb", "more {notes}.ipynb"),
        ("answers.docx",),
    ],
)
def test_what_may_be_several_or_none_is_named_and_not_renamed(files, tmp_path, capfd):
    names = {f"bob/01_mdi/{name}" for name in files}
    assert after_start(tmp_path, *names, "ada/01_mdi/01_mdi.ipynb") >= names
    said = capfd.readouterr().err
    assert said.count("\n") == 1 and str(Path("submitted/bob/01_mdi")) in said
    assert all(name in said for name in files)


def test_an_assignment_whose_notebooks_have_other_names_is_left_alone(tmp_path, capfd):
    names = {"bob/own/first.ipynb", "bob/own/own (1).ipynb"}
    assert after_start(tmp_path, *names) == names and capfd.readouterr().err == ""


@pytest.mark.parametrize("used", ["notes.txt", ""])
def test_a_folder_that_is_not_empty_or_a_file_is_refused_and_left_alone(used, tmp_path, capsys):
    place = tmp_path / "place"
    file = place / used if used else place
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine", encoding="utf-8")
    assert command.run(Namespace(folder=place)) == 2
    assert "new or empty folder" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "mine"
