"""A class of simulated students, honest and hostile, graded by the command, contained for real.

`test_both_users.py` runs this as the other kind of user too: with those whom a wall of the box
stops and some honest ones, or, in a long run, with all.
"""

import csv
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from depth import LEVEL
from people import IS_OTHER
from students import honest, hostile
from students.kit import TASKS, Notebook

from course_lib.grading.engine import load_result
from course_lib.grading.records import from_json
from course_lib.grading.spreadsheet import neutral
from course_lib.grading.submissions import safe_name
from course_lib.tools.bench.students import NAME
from course_lib.tools.system import ROOT

pytestmark = pytest.mark.container


TOKEN = f"token{secrets.token_hex(6)}"
SECONDS = "1"


class Listener(threading.Thread):
    """Counts who calls a port of this machine."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket, self.calls = socket.create_server(("127.0.0.1", 0)), 0
        self.port = self.socket.getsockname()[1]
        self.start()

    def run(self):
        while True:
            self.socket.accept()
            self.calls += 1


LISTENER = Listener()
PLACES = [str(ROOT / "solutions"), str(ROOT / "tests"), str(Path.home()), str(ROOT), "/etc", "/usr"]
HOSTILE = hostile.students(token=TOKEN, port=LISTENER.port, places=PLACES)
EVERYBODY = [*honest.STUDENTS, *HOSTILE]
SOME = {"solved", "renamed", "untouched", "slips", "magics", "scripts", *hostile.AT_A_WALL}
STUDENTS = [s for s in EVERYBODY if s.name in SOME or not IS_OTHER or LEVEL == "long"]


def grade(submissions, out, *options, environment=None):
    """Run the command as a lecturer would."""
    words = [sys.executable, "-m", "course_lib", "grade", str(submissions), "--out", str(out)]
    return subprocess.run(
        [*words, *map(str, options)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | (environment or {}),
    )


def rows(path: Path) -> list[dict]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def submit(folder: Path, student) -> None:
    path = folder / student.name / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    content = student.make(Notebook.solved())
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.to_bytes())


class Class:
    """The submissions and what came of them."""

    def __init__(self, base: Path):
        self.submissions, self.out = base / "submissions", base / "results"
        for student in STUDENTS:
            submit(self.submissions, student)
        self.secret = base / "secret.txt"
        self.secret.write_text("not for students")
        self._links()
        self.before = self._bytes()
        self.run = grade(
            self.submissions,
            self.out,
            *("--task-seconds", SECONDS, "--jobs", 2),
            environment={"SECRET": TOKEN},
        )
        assert self.run.returncode == 0, self.run.stderr
        grades = rows(self.out / "grades.csv")
        self.grades = {row["student"]: row for row in grades if row["lesson"] == NAME}
        self.tasks = {(r["student"], r["task"]): r for r in rows(self.out / "tasks.csv")}

    def _links(self):
        """A notebook that is a link, a folder that is one, and a link beside a notebook."""
        other = self.submissions / "solved" / f"{NAME}.ipynb"
        for name in ("linked", "reads_link"):
            (self.submissions / name).mkdir()
        (self.submissions / "linked" / f"{NAME}.ipynb").symlink_to(other)
        (self.submissions / "linked_folder").symlink_to(self.submissions / "solved")
        notebook = Notebook.solved().answer("01.1", "open('data.txt').read()")
        notebook.answer("01.7", "same_tree = set(open('letters.txt').read())")
        mine = self.submissions / "reads_link"
        (mine / f"{NAME}.ipynb").write_bytes(notebook.to_bytes())
        (mine / "data.txt").symlink_to(self.secret)
        (mine / "letters.txt").write_text("abcf")

    def _bytes(self) -> dict:
        return {path: path.read_bytes() for path in self.submissions.rglob("*") if path.is_file()}

    def unchanged(self) -> bool:
        return self._bytes() == self.before


@pytest.fixture(scope="module")
def classroom(tmp_path_factory) -> Class:
    return Class(tmp_path_factory.mktemp("class"))


@pytest.mark.parametrize("student", STUDENTS, ids=lambda student: safe_name(student.name)[:30])
def test_each_student_gets_exactly_the_marks_deserved(classroom, student):
    name = neutral(safe_name(student.name))
    outcomes = {task: classroom.tasks[name, task] for task in TASKS}
    points = {task: int(row["points"]) for task, row in outcomes.items()}
    assert points == {t: 0 if t in student.lost else TASKS[t] for t in TASKS}, outcomes
    for task, outcome in student.lost.items():
        assert outcome in (None, outcomes[task]["outcome"])
    for task, slip in student.slips.items():
        assert outcomes[task]["slip"] == slip
    grade_row = classroom.grades[name]
    assert (grade_row["points"], grade_row["max_points"]) == (str(student.points), "15")
    assert (grade_row["contained"], grade_row["written_points"]) == ("true", "")
    for words in student.notes:
        assert words in grade_row["notes"]


def test_copies_of_the_solution_are_noted_for_the_lecturer_alone(classroom):
    listed = rows(classroom.out / "same.csv")
    found = {row["student"]: row for row in listed if row["tasks"] != "01.w"}
    assert {"(the model solution)", "solved", "renamed"} <= found.keys()
    assert not found.keys() & {"on_my_own", "untouched", "garbage"}
    page = (classroom.out / "class.html").read_text(encoding="utf-8")
    assert "as the model solution:" in page
    for student in ("solved", "renamed"):
        own = (classroom.out / "feedback" / student / f"{NAME}.html").read_text(encoding="utf-8")
        assert "model solution" not in own


def test_links_are_not_followed(classroom):
    for name in ("linked", "linked_folder"):
        assert classroom.grades[name]["points"] == "0"
        assert "links are not followed" in classroom.grades[name]["notes"]
    assert classroom.tasks["reads_link", "01.1"]["points"] == "0"
    assert classroom.tasks["reads_link", "01.7"]["points"] == "1", "an ordinary file is taken along"
    assert "data.txt" in classroom.grades["reads_link"]["notes"]


def test_submissions_stay_byte_for_byte_what_they_were(classroom):
    assert classroom.unchanged()


def test_nothing_is_written_outside_and_nobody_is_called(classroom):
    for place in PLACES:
        for name in ("gradebook.db", f"written-{TOKEN}"):
            assert not Path(place, name).exists()
    assert LISTENER.calls == 0


def test_results_are_private(classroom):
    assert classroom.out.stat().st_mode & 0o077 == 0
    for path in classroom.out.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_no_process_is_left(classroom):
    alive = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            alive += [path] if TOKEN.encode() in path.read_bytes() else []
        except OSError:
            continue
    assert alive == []


def test_reading_everything_finds_nothing(classroom):
    cells = load_result(classroom.out, "reads", NAME).cells
    errors = [cell.run.error.message for cell in cells if cell.run.error]
    assert errors == ["NOTHING FOUND"]


def test_feedback_is_there_for_everybody_small_and_escaped(classroom):
    for student in STUDENTS:
        page = classroom.out / "feedback" / safe_name(student.name) / f"{NAME}.html"
        text = page.read_text(encoding="utf-8")
        assert len(text.encode()) <= 5_000_000
        assert "<script" not in text and 'onerror="' not in text and "<b>bold" not in text
    for name in ("class.html", "grades.csv", "written.csv", "not_taken.csv", "tasks.csv"):
        assert "<script" not in (classroom.out / name).read_text(encoding="utf-8") or (
            name == "written.csv"
        )


@pytest.mark.parametrize("name", ["tells_inputs", "remembers"])
def test_feedback_never_shows_a_secret_case(classroom, name):
    """A student who prints, raises or remembers every input sees only those of the notebook."""
    from course_lib import lessons
    from course_lib.grading.drawing import draw, seed_from

    secret = json.loads((classroom.out / "seed.json").read_text())["seed"]
    content = (classroom.submissions / name / f"{NAME}.ipynb").read_bytes()
    exercise = lessons.exercise("01.2")
    drawn = draw(exercise, seed_from(secret, NAME.encode(), content)).key.cases
    page = classroom.out / "feedback" / name / f"{NAME}.html"
    text = page.read_text(encoding="utf-8")
    public = [str(case["left"]) for case in exercise.cases()]
    assert any(case in text for case in public)
    assert not any(str(case["left"]) in text for case in drawn if str(case["left"]) not in public)


def test_kept_output_is_limited(classroom):
    for path in (classroom.out / "results").glob("*/*.json"):
        result = from_json(path.read_text(encoding="utf-8"))
        parts = [part for owner in (*result.tasks, *result.cells) for part in owner.run.output]
        assert sum(map(len, parts)) <= 1_000_100


def test_magics_shell_and_display_work_in_the_box(classroom):
    cells = load_result(classroom.out, "magics", NAME).cells
    parts = [part for cell in cells for part in cell.run.output]
    text = "".join(part.text for part in parts)
    assert "from the shell" in text and "Wall time" in text
    assert any(part.png for part in parts), "the figure is kept"
    assert not any(cell.run.error for cell in cells)


def test_pages_run_nothing_in_a_browser(classroom):
    """Even without the page's own policy, no script of a submission would run: all is text."""
    page = (classroom.out / "feedback" / "scripts" / f"{NAME}.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;" in page and "default-src 'none'" in page
