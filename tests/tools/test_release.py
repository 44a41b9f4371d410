"""The student edition: nothing in it knows an answer, and everything in it works."""

import ast
import hashlib
import io
import json
import os
import posixpath
import re
import subprocess
import sys
import zipfile
from argparse import Namespace
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from course_lib import lessons
from course_lib.lessons.editions import GUARDED
from course_lib.lessons.exercise import PUBLIC_SEED
from course_lib.lessons.judgement import CORRECT, NOT_ATTEMPTED, NOT_YET, AnswerKey
from course_lib.lessons.values import encode
from course_lib.tools import cli, release
from course_lib.tools.release import edition, writing
from course_lib.tools.release.edition import ReleaseError, contents, with_commands
from course_lib.tools.release.writing import NOTE, write, write_zip
from course_lib.tools.system import ROOT

pytestmark = pytest.mark.slow  # `tests/lessons/test_stored.py` is the quick one beside it

LESSONS = lessons.available()
EXERCISES = {task.id: task for one in LESSONS for task in lessons.exercises(one.number)}
COMMANDS = ("lab", "recall", "doctor")


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return contents(ROOT)


@pytest.fixture(scope="module")
def folder(files, tmp_path_factory):
    place = tmp_path_factory.mktemp("edition") / "student"
    write(place, files)
    return place


# ---- what is not in it --------------------------------------------------------------------


def squeezed(text: str) -> str:
    """A text without blanks and comments at the end of a line."""
    return re.sub(r"\s+", "", re.sub(r"  #.*", "", text))


def notebook_text(content: bytes | str) -> str:
    """Sources and outputs of a notebook, line by line."""
    parts = []
    for cell in json.loads(content)["cells"]:
        parts.append("".join(cell["source"]))
        for output in cell.get("outputs", []):
            shown = [*output.get("data", {}).values(), output.get("text", "")]
            parts += ["".join(text) for text in shown if isinstance(text, str | list)]
    return "\n".join(parts)


@pytest.fixture(scope="module")
def texts(files) -> dict[str, str]:
    """All texts of the edition; of a lesson's numbers without the packed arguments."""
    found = {}
    for place, content in files.items():
        if place.endswith(".ipynb"):
            found[place] = notebook_text(content)
        elif not place.endswith((".gz", ".png", ".woff")):
            text = content.decode("utf-8")
            found[place] = re.sub(r'"packed": "[^"]*"', "", text)
    return found


def guarded(texts: dict[str, str]) -> dict[str, str]:
    """Those of the packages that would know an answer."""
    packages = tuple(f"course_lib/{package}/" for package in GUARDED)
    return {place: text for place, text in texts.items() if place.startswith(packages)}


def solution_regions() -> Iterator[tuple[str, list[str]]]:
    """Each region of a solution that learners do not see: its task, its lines."""
    for lesson in LESSONS:
        path = ROOT / "solutions" / lesson.name / f"{lesson.name}.ipynb"
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for region in re.findall(
                r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", "".join(cell["source"]), re.S
            ):
                yield cell["id"], [line for line in region.splitlines() if line.strip()]


def test_solutions_tests_and_what_grades_are_not_there(files):
    tops = {place.split("/")[0] for place in files}
    assert tops == {*edition.TOP, "README.md", "course", "course_lib", "exercises", "notebooks"}
    assert not [place for place in files if place.startswith("course_lib/grading")]
    assert not [place for place in files if re.search(r"lesson_\d\d\.py$", place)]
    assert not [place for place in files if "skeleton" in place or "bench" in place]


def test_every_link_of_a_notebook_leads_to_a_file_of_the_edition(files):
    found = 0
    for place, text in prose(files):
        for link in re.findall(r"\]\(([^)#:\s]+\.(?:ipynb|md))", text):
            found += 1
            assert posixpath.normpath(posixpath.join(posixpath.dirname(place), link)) in files
    assert found > 50


def test_no_exercise_promises_a_model_answer_that_is_not_there(files):
    exercises = dict(one for one in prose(files) if one[0].startswith("exercises/"))
    for place, text in exercises.items():
        promises = [s for s in re.split(r"(?<=[.:])\s", text) if "model answer" in s]
        assert promises and all("if your edition of the course has one" in s for s in promises), (
            place
        )
    assert len(exercises) == len(LESSONS)


def prose(files) -> Iterator[tuple[str, str]]:
    """Place and text cells of each notebook."""
    for place, content in files.items():
        if place.endswith(".ipynb"):
            cells = (c for c in json.loads(content)["cells"] if c["cell_type"] == "markdown")
            yield place, "\n".join("".join(cell["source"]) for cell in cells)


def solution_lines_in(texts) -> list:
    """Lines of solutions in what could know them, but for such as `return {`."""
    there = {squeezed(line) for text in guarded(texts).values() for line in text.splitlines()}
    known = [(task, squeezed(line)) for task, lines in solution_regions() for line in lines]
    return [(task, line) for task, line in known if line in there and len(line) > 8]


def solution_pairs_in(texts) -> list:
    """Two lines of a solution that follow each other anywhere but in lessons and exercises."""
    whole = [squeezed(text) for place, text in texts.items() if not place.endswith(".ipynb")]
    pairs = [
        (task, squeezed("".join(lines[k : k + 2])))
        for task, lines in solution_regions()
        for k in range(len(lines) - 1)
    ]
    found = [(task, pair) for task, pair in pairs if len(pair) > 16]
    return [(task, pair) for task, pair in found if any(pair in text for text in whole)]


def model_answers_in(texts) -> list:
    """Sentences of model answers, wherever they stand."""
    whole = [squeezed(text) for text in texts.values()]
    answers = [task.answer for lesson in LESSONS for task in lesson.written]
    parts = [squeezed(s) for answer in answers for s in re.split(r"(?<=[.:])\s", answer)]
    return [s for s in parts if len(s) > 40 and any(s in text for text in whole)]


@cache
def code_that_knows() -> frozenset[str]:
    """Every statement and every lambda of the modules that know answers, as Python writes it."""
    found = set()
    for number in lessons.numbers():
        path = ROOT / "course_lib" / "lessons" / f"lesson_{number}.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Lambda):
                found.add(ast.unparse(node.body))
            elif isinstance(node, ast.FunctionDef):
                inner = (s for s in ast.walk(node) if isinstance(s, ast.stmt) and s is not node)
                found |= {ast.unparse(s) for s in inner if not _is_docstring(s)}
    return frozenset(text for text in map(squeezed, found) if len(text) > 20)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def code_in(texts) -> list:
    """Code of references, slips and draws in what could know it."""
    whole = []
    for place, text in guarded(texts).items():
        is_python = place.endswith(".py")
        whole.append(squeezed(ast.unparse(ast.parse(text)) if is_python else text))
    return [code for code in code_that_knows() if any(code in text for text in whole)]


@pytest.mark.parametrize(
    "search", [solution_lines_in, solution_pairs_in, model_answers_in, code_in]
)
def test_nothing_that_knows_an_answer_is_there(texts, search):
    assert search(texts) == []


@pytest.mark.parametrize(
    ("search", "folder", "of", "suffix"),
    [
        (solution_lines_in, "solutions", "01_mdi/01_mdi", ".ipynb"),
        (solution_pairs_in, "solutions", "04_shapley_axioms/04_shapley_axioms", ".ipynb"),
        (model_answers_in, "course_lib/lessons", "lesson_02", ".toml"),
        (code_in, "course_lib/lessons", "lesson_03", ".py"),
    ],
)
def test_the_search_would_find_it(texts, search, folder, of, suffix):
    leak = (ROOT / folder / f"{of}{suffix}").read_text(encoding="utf-8")
    leak = notebook_text(leak) if suffix == ".ipynb" else leak
    place = f"course_lib/lessons/leak{suffix}".replace(".ipynb", ".txt")
    assert len(search(texts | {place: leak})) >= 3


def numbers_in(value) -> set[float]:
    """The numbers of a plain value that are no simple fractions, which are there by chance."""
    array = np.ravel(np.asarray(value, dtype=object))
    parts = [x for x in array.tolist() if isinstance(x, float)]
    return {x for x in parts if abs(Fraction(x).limit_denominator(1000) - Fraction(x)) > 1e-12}


def test_expected_values_of_other_seeds_are_not_there(files):
    """But for cases that every seed has, and a few numbers that small counts give again and again,
    such as the entropy of 1 in 4."""
    wanted, there = [], []
    for name, exercise in EXERCISES.items():
        stored = files[f"course_lib/lessons/lesson_{name[:2]}.json"].decode()
        for seed in (1, 2) if exercise.is_function else ():
            values = AnswerKey(exercise, seed).wanted[len(exercise.always) :]
            wanted += [(name, repr(x)) for value in values for x in numbers_in(value)]
            there += [pair for pair in wanted if pair[0] == name and pair[1] in stored]
    assert len(wanted) > 500 and len(there) < 0.01 * len(wanted), there


# ---- what works in it -----------------------------------------------------------------------


def run_in(folder, code: str, given=None, **environment) -> str:
    """Run code by the library of the edition and the packages of this environment."""
    settings = {"PYTHONPATH": str(folder), "COURSE_WORKBOOK": str(folder / "workbook")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        input=json.dumps(given),
        env=os.environ | settings | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


ALL_CHECKS = """
import json, sys
import numpy as np
import course_lib
from course_lib.learner import check
from course_lib.lessons.values import decode

given, said = json.load(sys.stdin), {}
said["library"] = course_lib.__file__
for kind in ("solutions", "exercises"):
    said[kind] = {}
    for tasks, checks in given[kind]:
        names = {}
        for source in tasks:
            exec(source, names)
        names["check"] = lambda name, answer: (name, check(name, answer).outcome)
        said[kind] |= dict(eval(source, names) for source in checks)

def by_heart(values):
    rest = iter(values)
    return lambda *_: next(rest)

said["slips"] = []
for name, slip, is_function, answers in given["slips"]:
    values = [decode(value) for value in answers]
    verdict = check(name, by_heart(values) if is_function else values[0])
    said["slips"].append([name, verdict.outcome, verdict.slip and verdict.slip.name, verdict.words])
said["wrong"] = {
    name: check(name, (lambda *_: "nonsense") if is_function else "nonsense").outcome
    for name, is_function in given["exercises_by_kind"]
}
print(json.dumps(said))
"""


def cells(kind: str, name: str) -> tuple[list[str], list[str]]:
    """The code of a notebook but for its checks, and the calls of its checks."""
    path = ROOT / kind / name / f"{name}.ipynb"
    code = [
        (cell["metadata"].get("nbgrader", {}).get("grade_id", ""), "".join(cell["source"]))
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    needed = [source for grade_id, source in code if _is_needed(grade_id, source)]
    return needed, [source for grade_id, source in code if grade_id.startswith("check")]


def _is_needed(grade_id: str, source: str) -> bool:
    """Whether a check may use what a cell defines; examples and pictures are left out."""
    defines = any(
        isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef)
        for node in ast.parse(source).body
    )
    return grade_id.startswith("task") or (defines and not grade_id)


@pytest.fixture(scope="module")
def said(folder) -> dict:
    """What the checks of the edition say to solutions, untouched exercises, slips and nonsense."""
    slips = [
        [name, slip.name, exercise.is_function, [encode(value) for value in values]]
        for name, exercise in EXERCISES.items()
        for slip, values in AnswerKey(exercise, PUBLIC_SEED).slips
    ]
    given = {
        kind: [cells(kind, one.name) for one in LESSONS] for kind in ("solutions", "exercises")
    }
    by_kind = [[name, exercise.is_function] for name, exercise in EXERCISES.items()]
    given |= {"slips": slips, "exercises_by_kind": by_kind}
    workbook = {"COURSE_WORKBOOK": str(folder.parent)}
    found = json.loads(run_in(folder, ALL_CHECKS, given, **workbook).splitlines()[-1])
    assert found["library"].startswith(str(folder)), "else another library was tried"
    return found | {"given": given}


def test_every_solution_passes_by_the_stored_numbers(said):
    assert said["solutions"] == dict.fromkeys(EXERCISES, CORRECT)


def test_every_untouched_exercise_counts_as_not_attempted(said):
    assert said["exercises"] == dict.fromkeys(EXERCISES, NOT_ATTEMPTED)


def test_every_slip_gets_its_own_hint(said):
    for (name, slip, *_), (_, outcome, found, words) in zip(
        said["given"]["slips"], said["slips"], strict=True
    ):
        assert (outcome, found) == (NOT_YET, slip), name
        hints = {one.name: one.hint for one in EXERCISES[name].slips}
        assert hints[slip] in words
    assert len(said["slips"]) > 250


def test_nonsense_is_wrong_everywhere(said):
    assert said["wrong"] == dict.fromkeys(EXERCISES, NOT_YET)


def command(folder, *words: str) -> str:
    code = f"from course_lib.tools import cli, lab\nlab._become = lambda *_: 0\ncli.main({words!r})"
    return run_in(folder, code)


def test_the_doctor_looks_at_what_a_student_needs_and_finds_it(folder):
    said = command(folder, "doctor")
    assert "22 notebooks" in said and "You can work: ./course lab" in said
    assert "lecturers" not in said and "bubblewrap" not in said


def test_the_lab_fills_the_workbook_and_recall_asks_about_it(folder):
    assert "Put into your workbook: 22 notebooks." in command(folder, "lab")
    assert (folder / "workbook" / "exercises" / "exercise_01_mdi.ipynb").exists()
    assert "There is nothing to recall yet" in command(folder, "recall")
    run_in(folder, "from course_lib.learner import check\ncheck('01.1', lambda counts: 0)")
    assert LESSONS[1].recall[0].text[:30] in command(folder, "recall", "-n", "20")


def test_only_what_is_there_is_offered(folder, files):
    listed = (
        command(folder, "--help")
        if False
        else run_in(folder, "from course_lib.tools import cli\nprint(*cli.commands())")
    )
    assert tuple(listed.split()) == COMMANDS
    script = files["course"].decode()
    compile(script, "course", "exec")
    assert re.findall(r"^  \./course (\w+)", script, re.M) == list(COMMANDS)
    assert re.findall(r'^    "(\w+)": \[', script, re.M) == list(COMMANDS)
    assert "install lecturer" not in script and "For lecturers" not in script
    assert with_commands(script, files) == script
    assert set(cli.COMMANDS) > set(COMMANDS)


def test_the_readme_speaks_to_students_and_names_what_is_there(files):
    text = files["README.md"].decode()
    assert all(f"notebooks/{lesson.name}.ipynb" in text for lesson in LESSONS)
    assert set(re.findall(r"\./course (\w+)", text)) <= set(COMMANDS)
    named = set(re.findall(r"\]\(([\w/.]+)\)", text)) | set(re.findall(r"`(LICENSE[\w-]*)`", text))
    assert named <= files.keys()


def test_the_cell_of_a_model_answer_says_kindly_that_it_is_not_there(folder):
    said = run_in(
        folder,
        "from course_lib import lessons\n"
        "from course_lib.learner.model_answers import model_answer, answer_to\n"
        "surface = model_answer('01.w').make()\n"
        "print(surface.spec['words'])\n"
        "task = lessons.find('written', '01.w')\n"
        "print(answer_to(task, {'do': 'open', 'text': 'too short'}))\n"
        "print(answer_to(task, {'do': 'open', 'text': 'word ' * 60})['answer'])",
    )
    assert "The model answer is not in the student edition; your lecturer has it." in said
    assert "then the list of points opens" in said and "as somebody who marks it" in said


def test_the_student_server_of_a_hub_is_there(folder):
    run_in(folder, "import course_lib.tools.hub.__main__")
    assert (folder / "course_lib" / "tools" / "hub" / "jupyterhub_config.py").exists()


# ---- how it is written ----------------------------------------------------------------------


def test_the_same_course_gives_the_same_zip(files, tmp_path):
    for name in ("one", "two"):
        write_zip(tmp_path / name, "student", files)
    content = (tmp_path / "one").read_bytes()
    assert content == (tmp_path / "two").read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        assert modes["student/course"] & 0o111 and not modes["student/README.md"] & 0o111
        assert modes.keys() == {f"student/{place}" for place in (*files, NOTE)}


def test_numbers_do_not_depend_on_the_order_of_sets(files):
    """Another process, in which texts have other hashes, writes the same bytes."""
    code = (
        "import hashlib\nfrom course_lib import lessons\nfrom course_lib.lessons import stored\n"
        "for n in ('00', '03', '07'):\n"
        "    text = stored.to_json(lessons.exercises(n))\n"
        "    print(n, hashlib.sha256(text.encode()).hexdigest())"
    )
    for line in run_in(ROOT, code, PYTHONHASHSEED="12345").splitlines():
        number, digest = line.split()
        place = f"course_lib/lessons/lesson_{number}.json"
        assert hashlib.sha256(files[place]).hexdigest() == digest, number


def test_an_earlier_edition_is_brought_up_to_date_and_other_files_are_left(tmp_path):
    write(tmp_path, {"a.txt": b"1", "b/c.txt": b"2"})
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "mine").write_text("x")
    write(tmp_path, {"a.txt": b"3"})
    assert (tmp_path / "a.txt").read_bytes() == b"3" and not (tmp_path / "b" / "c.txt").exists()
    assert (tmp_path / ".venv" / "mine").exists()
    assert json.loads((tmp_path / NOTE).read_text())["files"].keys() == {"a.txt"}


@pytest.mark.parametrize("note", [None, "{", '{"files": 3}'])
def test_a_folder_with_something_else_in_it_is_refused(tmp_path, note):
    (tmp_path / "thesis.txt").write_text("mine")
    if note is not None:
        (tmp_path / NOTE).write_text(note)
    with pytest.raises(ReleaseError, match="holds no earlier student edition. Give a new folder"):
        write(tmp_path, {"a.txt": b"1"})
    assert not (tmp_path / "a.txt").exists()


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ReleaseError, match="thesis.txt is a file. Give a new folder, such as"):
        write(tmp_path / "thesis.txt", {"a.txt": b"1"})


def test_a_model_answer_that_cannot_be_taken_out_is_refused():
    text = "[[written]]\nid = '1'\nanswer = '''a'''\n[[written]]\nid = '2'\n  answer = 'b'\n"
    with pytest.raises(ReleaseError, match="lesson_01.toml: the model answers cannot be taken out"):
        edition.without_model_answers(text, "lesson_01.toml")


def arguments(folder, **more) -> Namespace:
    return Namespace(**{"folder": folder, "zip": False, "workbook": None} | more)


def test_the_command_writes_folder_zip_and_workbook(files, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(release.build, "check", lambda root: [])
    monkeypatch.setattr(release, "contents", lambda root: files)
    wanted = arguments(tmp_path / "s", zip=True, workbook=tmp_path / "lessons")
    assert release.run(wanted) == 0
    assert (tmp_path / "s" / "course").stat().st_mode & 0o111
    assert (tmp_path / "s.zip").exists() and (tmp_path / "lessons" / "01_mdi.ipynb").exists()
    said = capsys.readouterr().out
    assert "The student edition" in said
    assert f"As a zip: {tmp_path / 's.zip'}" in said and str(tmp_path / "lessons") in said
    assert release.run(arguments(tmp_path)) == 1
    assert "is not empty" in capsys.readouterr().err


def test_what_is_not_built_is_not_handed_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(release.build, "check", lambda root: ["x is stale. Run ./course build."])
    assert release.run(arguments(tmp_path / "s")) == 1
    assert "x is stale. Run ./course build." in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def test_the_note_says_which_edition_it_is(files):
    data = json.loads(writing.note(files))
    assert data["edition"] == "student" and data["files"].keys() == files.keys()
