"""The build: stable bytes, drift, ids, no solution in an exercise (mirrors tools/build.py)."""

import argparse
import inspect
import re
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import nbformat
import pytest
from nbgrader.utils import compute_checksum

from course_lib import lessons
from course_lib.measures import mdi
from course_lib.tools import build as command
from course_lib.tools.build import build, check, forms_key, state, targets
from course_lib.tools.notebooks import clean_environment, execute, refuse_unfit_outputs, to_bytes
from course_lib.tools.sources import BuildError, read_source
from course_lib.tools.system import ROOT as REPOSITORY

LESSON = """# %% [markdown]
# # A lesson with all kinds of output

# %% tags=["hide-input"]
import ipywidgets as widgets
import matplotlib.pyplot as plt
import pandas as pd

# %%
figure, ax = plt.subplots(figsize=(2, 1))
_ = ax.plot([1, 2, 4])

# %%
slider = widgets.IntSlider(value=3, description="K")
readout = widgets.HTML()
slider.observe(lambda change: setattr(readout, "value", f"K squared is {change.new**2}"), "value")
widgets.VBox([slider, readout])

# %% [markdown]
# The next cell moves the slider, so that its readout can be checked.

# %%
slider.value = 7
readout.value

# %%
for k in range(3):
    print(k, {"b", "a"}, flush=True)
print(print_twice := lambda: 0)

# %%
pd.DataFrame({"decrease": [0.2564, 0.971]}, index=["x1", "x2"])

# %% tags=["raises-exception"]
pd.Series([1])["no such row"]
"""

SOLUTION = '''# %% [markdown]
# # Exercise

# %%
import os


def check(name, answer):
    good = answer is not ... and answer(3) == 9
    if os.environ.get("NBGRADER_EXECUTION") and not good:
        raise AssertionError(name)
    return "correct" if good else "not yet"


# %% task="99.1"
def square(x):
    """The square of x."""
    ### BEGIN SOLUTION
    secret_answer = x * x
    return secret_answer
    ### END SOLUTION


# %% check="99.1" points=2
check("99.1", square)

# %% task="99.2"
power = ...
### BEGIN SOLUTION
power = lambda hidden_word: hidden_word**2
### END SOLUTION

# %% check="99.2" points=1
check("99.2", power)

# %% [markdown] written="99.w" points=4
# A modelanswer in prose.
'''


POWER = SOLUTION[SOLUTION.index("power = ...") : SOLUTION.index('\n# %% check="99.2"')]
IN_BRACKETS = "power = (\n    ### BEGIN SOLUTION\n    abs\n    ### END SOLUTION\n)\n"
REGION = """    ### BEGIN SOLUTION
    secret_answer = x * x
    return secret_answer
    ### END SOLUTION
"""


def put(root: Path, path: str, text: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A small course, built once."""
    root = tmp_path_factory.mktemp("course")
    put(root, "notebooks/src/99_tiny.py", LESSON)
    put(root, "solutions/src/99_tiny.py", SOLUTION)
    assert build(root) == []
    return root


@pytest.fixture
def own_course(course, tmp_path):
    """A copy that a test may spoil."""
    for file in course.rglob("*"):
        if file.is_file():
            copy = tmp_path / file.relative_to(course)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    return tmp_path


def built(root: Path) -> dict[str, bytes]:
    return {f.relative_to(root).as_posix(): f.read_bytes() for f in root.rglob("*.ipynb")}


# ---- building ---------------------------------------------------------------------------


def test_a_second_build_gives_the_same_bytes_whatever_the_user_has_set(
    course, own_course, monkeypatch, tmp_path_factory
):
    settings = put(tmp_path_factory.mktemp("user"), "matplotlibrc", "lines.linewidth: 9\n")
    monkeypatch.setenv("MATPLOTLIBRC", str(settings))
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert build(own_course, force=True) == []
    assert built(own_course) == built(course)
    assert set(built(course)) == {
        "notebooks/99_tiny.ipynb",
        "solutions/99_tiny/99_tiny.ipynb",
        "exercises/99_tiny/99_tiny.ipynb",
    }


def test_stored_outputs_hold_every_kind_and_nothing_of_the_run(course):
    notebook = nbformat.read(course / "notebooks/99_tiny.ipynb", as_version=4)
    text = (course / "notebooks/99_tiny.ipynb").read_text(encoding="utf-8")
    mimes = {m for c in notebook.cells for o in c.get("outputs", ()) for m in o.get("data", ())}
    assert {"image/png", "text/html"} <= mimes
    assert not any("widget" in mime for mime in mimes)  # dead without a kernel
    assert "K squared is 49" in text
    assert " at 0x" not in text and str(course) not in text
    assert notebook.cells[-1].outputs[0].traceback == ["KeyError: 'no such row'"]
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


def test_a_lesson_that_makes_no_sense_is_refused_before_anything_is_written(
    own_course, monkeypatch
):
    def refused():
        raise ValueError("lesson_99.toml: field name must be another")

    put(own_course, "notebooks/src/99_tiny.py", LESSON + "\n# %%\n1 + 1\n")
    before = built(own_course)
    monkeypatch.setattr(lessons, "available", refused)
    for called in (build, check):
        with pytest.raises(ValueError, match="must be another"):
            called(own_course)
    assert built(own_course) == before


@pytest.mark.parametrize("place", ["notebooks/src/99_tiny.py", "solutions/src/99_tiny.py"])
def test_a_source_in_another_encoding_is_named_with_its_line(
    own_course, place, monkeypatch, capsys
):
    text = (own_course / place).read_text(encoding="utf-8")
    (own_course / place).write_text(f"# %% [markdown]\n# Für alle\n\n{text}", encoding="latin-1")
    monkeypatch.setattr(command, "ROOT", own_course)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    for arguments in ([], ["--check"]):
        assert command.run(parser.parse_args(arguments)) == 1
        said = capsys.readouterr().err
        assert "99_tiny.py, line 2: '# F�r alle' is not" in said
        assert "Save the file as UTF-8." in said


def test_only_what_changed_is_built_again(own_course, capsys):
    assert build(own_course) == []
    assert "99_tiny" not in capsys.readouterr().out
    put(own_course, "solutions/src/99_tiny.py", SOLUTION.replace("# # Exercise", "# # New"))
    assert build(own_course) == []
    out = capsys.readouterr().out
    assert "solutions/src/99_tiny.py" in out and "notebooks/src" not in out


COPIED = ("course_lib", "notebooks/src", "solutions/src")
MDI = Path(inspect.getfile(mdi)).relative_to(REPOSITORY / "course_lib")
LEFT = shutil.ignore_patterns("__pycache__", "tools", "*.ipynb")


@pytest.fixture
def sources(tmp_path):
    """A copy of the course as it is before a build."""
    for folder in COPIED:
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=LEFT)
    return tmp_path


def states(root: Path) -> dict[str, list[str]]:
    return {f"{t.source.parts[-3]} {t.source.stem[:2]}": state(t, root) for t in targets(root)}


def stale_after(root: Path, *changed: str) -> set[str]:
    """The notebooks that a further line in these files makes stale."""
    before = states(root)
    for name in changed:
        with open(root / name, "a", encoding="utf-8") as file:
            file.write("\n# changed\n")
    return {name for name, now in states(root).items() if now != before[name]}


def test_questions_and_exercises_make_only_their_own_lesson_stale(sources):
    own = {"notebooks 03", "solutions 03"}
    assert stale_after(sources, "course_lib/lessons/lesson_03.toml") == own
    assert stale_after(sources, "course_lib/lessons/lesson_03.py") == own


def test_what_no_notebook_shows_makes_nothing_stale(sources):
    assert not stale_after(sources, "course_lib/README.md", "course_lib/grading/engine.py")


@pytest.mark.parametrize(
    ("changed", "stale", "fresh"),
    [
        ("measures/catalogue.toml", {"notebooks 00"}, {"solutions 02"}),
        ("plots/course.mplstyle", {"notebooks 01"}, set()),
        ("learner/predictions.py", {"notebooks 01"}, {"solutions 01"}),
        ("learner/before_and_after.py", {"notebooks 00", "notebooks 10"}, {"notebooks 01"}),
        (
            MDI,
            {"notebooks 01"},
            set(),
        ),
        ("studies/noise.json", set(), {"notebooks 01"}),
    ],
)
def test_what_a_notebook_imports_makes_it_stale(sources, changed, stale, fresh):
    found = stale_after(sources, f"course_lib/{changed}")
    assert stale <= found and not fresh & found and found


def reworded_after(root: Path, name: str, old: str, new: str) -> set[str]:
    """The notebooks that would show other forms after a change in a file of the library."""

    def keys():
        return {f"{t.source.parts[-3]} {t.source.stem[:2]}": forms_key(t, root) for t in found}

    found, file = targets(root), root / "course_lib" / name
    before, text = keys(), file.read_text(encoding="utf-8")
    assert old in text and all(before.values())
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return {one for one, key in keys().items() if key != before[one]}


def test_other_words_of_forms_are_noticed_without_running_anything(sources):
    notebooks = {f"notebooks {t.source.stem[:2]}" for t in targets(sources)}
    assert notebooks <= reworded_after(sources, "lessons/schema.py", '"M1": "', '"M1": "Or, ')
    assert notebooks <= reworded_after(sources, "learner/statements.py", "May I say", "May one say")
    own = {"notebooks 03", "solutions 03"}
    assert reworded_after(sources, "lessons/lesson_03.toml", "title = ", "title =  ") == own


def test_explanations_and_what_no_form_shows_leave_forms_as_they_are(sources):
    begin, extra = '"""', '"""Explained: '
    assert not reworded_after(sources, "lessons/schema.py", begin, extra)
    assert not reworded_after(sources, "learner/statements.py", begin, f"# A comment.\n{begin}")
    assert not reworded_after(sources, MDI, "return ", "return 0 + ")


def test_a_check_names_the_notebook_whose_forms_are_out_of_date(own_course):
    target = targets(own_course)[0]
    assert not forms_key(target, own_course)  # it has no forms
    notebook = nbformat.read(target.built, as_version=4)
    notebook.metadata[command.FORMS] = "of another version"
    target.built.write_bytes(to_bytes(notebook))
    (problem,) = check(own_course)
    assert "99_tiny.ipynb shows forms as another version of the course words them" in problem


def test_a_new_lock_makes_all_stale(sources):
    (sources / "requirements.lock").write_text("")
    assert stale_after(sources, "requirements.lock") == set(states(sources))


@pytest.mark.parametrize("target", targets(REPOSITORY), ids=lambda t: "/".join(t.source.parts[-3:]))
def test_a_notebook_asks_and_shows_only_what_is_of_its_own_lesson(target):
    calls = r"\b(?:predict|reveal|may_i_say|recall|progress|check|hint)\(\"(\d\d)"
    text = target.source.read_text(encoding="utf-8")
    assert set(re.findall(calls, text)) == {target.source.stem[:2]}
    assert not re.search(r"^progress\(\)", text, re.MULTILINE)  # would show all lessons


def test_no_gradebook_and_no_temporary_file_is_left(course):
    names = {file.name for file in course.rglob("*") if file.is_file()}
    assert names == {"99_tiny.py", "99_tiny.ipynb", "cache.json"}


def test_a_failing_cell_is_named_and_nothing_is_overwritten(own_course):
    before = built(own_course)
    put(own_course, "notebooks/src/99_tiny.py", "# %%\n1 + 1\n\n# %%\nboom = 1 / 0\n")
    (problem,) = build(own_course, ["99"])
    assert "notebooks/src/99_tiny.py, cell 2 ('boom = 1 / 0')" in problem
    assert "ZeroDivisionError" in problem and "\x1b" not in problem
    assert built(own_course) == before


def test_a_kernel_that_dies_fails_its_notebook_only(own_course):
    put(own_course, "notebooks/src/98_dies.py", "# %%\nimport os\n\nos._exit(1)\n")
    put(own_course, "notebooks/src/99_tiny.py", "# %%\n1 + 1\n")
    (problem,) = build(own_course)
    assert "98_dies.py, cell 1" in problem and "Kernel died" in problem
    assert not (own_course / "notebooks/98_dies.ipynb").exists()
    assert check(own_course, ["99"]) == []


def test_a_solution_that_fails_its_own_check_is_refused(own_course):
    put(own_course, "solutions/src/99_tiny.py", SOLUTION.replace("x * x", "x + x"))
    (problem,) = build(own_course)
    assert "AssertionError: 99.1" in problem


def test_a_path_of_this_machine_in_an_output_is_refused(tmp_path):
    source = put(tmp_path, "99_x.py", "# %%\nimport sys\n\nsys.prefix + '/lib'\n")
    done = execute(read_source(source), root=tmp_path, path="99_x.py")
    with pytest.raises(BuildError, match="cell 1 .*a path of this machine"):
        refuse_unfit_outputs(done, root=tmp_path, path="99_x.py")


@pytest.mark.parametrize(("html", "refused"), [("base64,AA/zz/AA==", False), ("/zz/AA", True)])
def test_a_picture_in_html_is_not_searched_for_paths(html, refused):
    output = nbformat.v4.new_output("display_data", {"text/html": f'<img src="{html}">'})
    cell = nbformat.v4.new_code_cell("picture", execution_count=1, outputs=[output])
    notebook = nbformat.v4.new_notebook(cells=[cell])
    with pytest.raises(BuildError, match="/zz") if refused else nullcontext():
        refuse_unfit_outputs(notebook, root=Path("/zz"), path="99_x.py")


# ---- the text sources -------------------------------------------------------------------


def ids(tmp_path, text, **options):
    return [c.id for c in read_source(put(tmp_path, "99_x.py", text), **options).cells]


def test_ids_are_unique_and_survive_the_insertion_of_a_cell(tmp_path):
    twice = LESSON + "\n# %%\nslider.value = 7\nreadout.value\n"
    before = ids(tmp_path, twice)
    after = ids(tmp_path, "# %%\nnew = 1\n\n" + twice)
    assert len(set(before)) == len(before)
    assert after[1:] == before


def test_graded_cells_carry_their_grade_id_through_any_edit(tmp_path):
    names = {"task-99-1", "check-99-1", "task-99-2", "check-99-2", "written-99-w"}
    assert names <= set(ids(tmp_path, SOLUTION, graded=True))
    assert names <= set(ids(tmp_path, SOLUTION.replace("x * x", "x**2"), graded=True))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('task="99.1"', 'tsk="99.1"', "marker line has tsk"),
        ('task="99.1"', 'task="98.1"', 'must look like "99.1"'),
        ('task="99.2"', 'task="99.1"', "is repeated"),
        ('# %% check="99.2" points=1', "# %%", "has only one of them"),
        ('[markdown] written="99.w"', '[markdown] task="99.3"', "belong on code cells"),
        (" points=2", "", "has no points"),
        (REGION, "    return x * x\n", "no ### BEGIN SOLUTION"),
        ('check("99.1", square)', "square(3)", "never calls check"),
        ("# # Exercise", "#", "the cell is empty"),
        ("    ### END SOLUTION\n\n", "\n", "They come in pairs"),
        ("# # Exercise", "# BEGIN SOLUTION END SOLUTION", "only in cells marked task"),
        (POWER, IN_BRACKETS, "must be whole statements, never part of one"),
        ("power = ...\n", "", "no longer defines power"),
    ],
)
def test_a_slip_of_the_author_is_named(tmp_path, old, new, message):
    assert old in SOLUTION
    with pytest.raises(BuildError, match=message):
        ids(tmp_path, SOLUTION.replace(old, new), graded=True)


def test_a_line_for_the_times_becomes_what_the_toml_says(tmp_path):
    source = put(tmp_path, "01_x.py", "# %% [markdown]\n# Text.\n#\n# {{times}}\n")
    (cell,) = read_source(source).cells
    assert cell.source == f"Text.\n\n{lessons.load('01').times}"


@pytest.mark.parametrize(
    ("name", "marker", "message"),
    [
        ("01_x.py", "{{tims}}", r"cell 1 .*\{\{tims\}\} stands for nothing.*only \{\{times\}\}"),
        ("99_x.py", "{{times}}", "needs the lesson's toml. There is no lesson '99'"),
    ],
)
def test_a_marker_that_stands_for_nothing_is_refused(tmp_path, name, marker, message):
    source = put(tmp_path, name, f"# %% [markdown]\n# {marker}\n")
    with pytest.raises(BuildError, match=message):
        read_source(source)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("[markdown]\n# There are {{two thousand}} of them.", "cell 1 .*has no bar.*is written"),
        ("[markdown]\n# About {{times}} of it.", "cell 1 .*has no bar"),
        ("[markdown]\n# {{two thousand}}", "stands for nothing.*words .* expression"),
        ("[markdown]\n#| holds x > 0", "cell 1 .*belongs into a code cell"),
        ("\nx = 1\n#| hold x > 0", "cell 1 .*'#. hold x > 0' would stay in the code"),
        ("\nx = 1\n#| says It is {{one}}.", "cell 1 .*has no bar"),
    ],
)
def test_a_malformed_tie_is_refused_by_its_cell(tmp_path, cell, message):
    source = put(tmp_path, "01_x.py", f"# %% {cell}\n")
    with pytest.raises(BuildError, match=f"(?s){message}"):
        read_source(source)


def test_a_lesson_has_no_graded_cells(tmp_path):
    with pytest.raises(BuildError, match="marker line has check, points"):
        ids(tmp_path, '# %% check="99.1" points=2\ncheck("99.1", 1)\n')


def test_points_come_from_the_declaration_and_must_not_contradict_it(tmp_path, monkeypatch):
    monkeypatch.setattr(lessons, "points", {"99.1": 2, "99.2": 5, "99.w": 4}.__getitem__)
    silent = SOLUTION.replace(" points=1", "").replace(" points=2", "").replace(" points=4", "")
    cells = read_source(put(tmp_path, "99_x.py", silent), graded=True).cells
    found = {c.id: c.metadata.nbgrader.get("points") for c in cells if "nbgrader" in c.metadata}
    assert (found["check-99-1"], found["check-99-2"], found["written-99-w"]) == (2, 5, 4)
    with pytest.raises(BuildError, match="points=1 here, 5 in the declaration"):
        ids(tmp_path, SOLUTION, graded=True)


# ---- exercises --------------------------------------------------------------------------


def test_no_word_of_the_solution_reaches_the_exercise(course):
    exercise = (course / "exercises/99_tiny/99_tiny.ipynb").read_text(encoding="utf-8")
    solution = (course / "solutions/99_tiny/99_tiny.ipynb").read_text(encoding="utf-8")
    for word in ("secret_answer", "hidden_word", "modelanswer", "BEGIN SOLUTION"):
        assert word in solution
        assert word not in exercise


def test_an_exercise_defines_every_name_and_locks_its_checks(course):
    cells = nbformat.read(course / "exercises/99_tiny/99_tiny.ipynb", as_version=4).cells
    by_id = {cell.id: cell for cell in cells}
    namespace = {}
    for cell in (by_id["task-99-1"], by_id["task-99-2"]):
        exec(cell.source, namespace)
    assert namespace["power"] is ... and namespace["square"](3) is None
    assert by_id["task-99-2"].source == "power = ..."  # one blank, though a region stood below it
    assert all(
        cell.metadata.nbgrader.checksum == compute_checksum(cell)
        for cell in cells
        if "nbgrader" in cell.metadata
    )
    assert by_id["check-99-1"].source == 'check("99.1", square)'
    assert by_id["check-99-1"].metadata.editable is False
    assert by_id["check-99-1"].metadata.nbgrader.points == 2
    assert by_id["written-99-w"].source == "*Write your answer here.*"


# ---- --check ----------------------------------------------------------------------------


def test_a_fresh_build_has_no_drift(course):
    assert check(course) == []


def tamper(root: Path, path: str, change) -> None:
    notebook = nbformat.read(root / path, as_version=4)
    change(notebook)
    (root / path).write_bytes(to_bytes(notebook))


def test_an_edited_source_is_drift_and_the_cell_is_named(own_course):
    put(own_course, "notebooks/src/99_tiny.py", LESSON.replace("value = 7", "value = 8"))
    (problem,) = check(own_course)
    assert "notebooks/99_tiny.ipynb is not what notebooks/src/99_tiny.py gives" in problem
    assert "cell 6 ('slider.value = 8')" in problem and "./course build 99" in problem


def unexecuted(notebook):
    notebook.cells[1].execution_count = None


def stored_error(notebook):
    notebook.cells[-1].metadata = {}


def one_cell_less(notebook):
    notebook.cells.pop()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (unexecuted, "executed as number None, not 1"),
        (stored_error, "metadata of cell 9"),
        (one_cell_less, "it has 8 cells, not 9"),
        (lambda notebook: notebook.metadata.update(author="x"), "the notebook's metadata differ"),
    ],
)
def test_a_notebook_changed_by_hand_is_drift(own_course, change, message):
    tamper(own_course, "notebooks/99_tiny.ipynb", change)
    (problem,) = check(own_course)
    assert message in problem


def test_other_bytes_for_the_same_notebook_are_drift(own_course):
    path = own_course / "notebooks/99_tiny.ipynb"
    path.write_bytes(path.read_bytes() + b"\n")
    (problem,) = check(own_course)
    assert "written by something else" in problem
    path.write_text("{", encoding="utf-8")
    (problem,) = check(own_course)
    assert "cannot be read as a notebook" in problem


def test_an_exercise_that_its_solution_does_not_give_is_drift(own_course):
    def shorten(notebook):
        notebook.cells.pop(0)

    tamper(own_course, "exercises/99_tiny/99_tiny.ipynb", shorten)
    (problem,) = check(own_course)
    assert "exercises/99_tiny/99_tiny.ipynb is not what solutions/99_tiny" in problem


def test_missing_and_orphaned_notebooks_are_drift(own_course):
    (own_course / "exercises/99_tiny/99_tiny.ipynb").unlink()
    (own_course / "notebooks/src/99_tiny.py").unlink()
    problems = check(own_course)
    assert any("exercises/99_tiny/99_tiny.ipynb has not been built" in p for p in problems)
    assert "notebooks/99_tiny.ipynb has no source. Delete it." in problems


def test_pictures_may_differ_between_machines(own_course):
    def other_picture(notebook):
        for cell in notebook.cells:
            for output in cell.get("outputs", ()):
                if "image/png" in output.get("data", ()):
                    output.data["image/png"] = "AAAA"

    tamper(own_course, "notebooks/99_tiny.ipynb", other_picture)
    assert check(own_course) == []


# ---- the command ------------------------------------------------------------------------


def test_the_command_says_what_is_wrong_and_returns_one(own_course, monkeypatch, capsys):
    monkeypatch.setattr(command, "ROOT", own_course)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    assert command.run(parser.parse_args(["--check"])) == 0
    assert command.run(parser.parse_args(["99", "--check"])) == 0
    put(own_course, "notebooks/src/99_tiny.py", LESSON + "\n# %%\n1 + 1\n")
    assert command.run(parser.parse_args(["--check"])) == 1
    assert "notebooks/99_tiny.ipynb" in capsys.readouterr().err
    assert command.run(parser.parse_args(["42"])) == 1
    assert "no lesson 42. Known are: 99, 99_tiny" in capsys.readouterr().err


def test_the_documents_are_written_by_the_build_and_missed_by_the_check(own_course):
    put(own_course, "README.md", "<!-- lessons -->\n<!-- end of lessons -->\n")
    (problem,) = check(own_course)
    assert "README.md is not what the lessons give now" in problem
    assert build(own_course) == [] == check(own_course)
    assert f"[{lessons.load('01').title}]" in (own_course / "README.md").read_text("utf-8")


def test_the_build_names_what_is_left_of_a_lesson_without_a_source(own_course, monkeypatch, capsys):
    """As the check does; of the lessons that are built by number nothing is said about others."""
    (own_course / "notebooks/src/99_tiny.py").unlink()
    monkeypatch.setattr(command, "ROOT", own_course)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    assert command.run(parser.parse_args([])) == 0
    assert "notebooks/99_tiny.ipynb has no source. Delete it." in capsys.readouterr().out
    assert command.run(parser.parse_args(["99"])) == 0
    assert "has no source" not in capsys.readouterr().out


def test_a_first_build_says_beforehand_that_it_runs_everything(tmp_path, monkeypatch, capsys):
    built = []
    monkeypatch.setattr(command, "_build_one", lambda target, *_: built.append(target) or "changed")
    for name in ("01_one", "02_two", "03_three"):
        put(tmp_path, f"notebooks/src/{name}.py", LESSON)
    assert build(tmp_path) == []
    said = capsys.readouterr().out
    assert said.index("all 3 notebooks are run: some minutes") < said.index("01_one.py")
    put(tmp_path, "notebooks/src/01_one.py", LESSON + "\n")
    assert build(tmp_path) == [] and len(built) == 4
    assert "earlier build" not in capsys.readouterr().out


def test_a_stopped_build_says_so(monkeypatch, capsys):
    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "build", stopped)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    assert command.run(parser.parse_args([])) == 1
    assert "What was finished is kept" in capsys.readouterr().err


def test_lessons_are_chosen_by_number_or_name(course):
    assert len(targets(course, ["99"])) == len(targets(course, ["99_tiny"])) == 2


# ---- nbval ------------------------------------------------------------------------------


def nbval(root: Path, *paths: Path) -> subprocess.CompletedProcess:
    settings = root / "settings"
    settings.mkdir()
    options = ["--nbval", "--nbval-current-env", "-p", "no:cacheprovider", "-rA", "--color=no"]
    sanitize = REPOSITORY / "tests" / "nbval_sanitize.cfg"
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--nbval-sanitize-with={sanitize}", *paths],
        env=clean_environment(root, settings),
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_nbval_accepts_what_was_built_and_fails_on_each_changed_number(own_course):
    untouched = own_course / "notebooks" / "99_tiny.ipynb"
    tampered = untouched.with_name("tampered.ipynb")
    notebook = nbformat.read(untouched, as_version=4)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            for mime in {"text/plain", "text/html"} & set(output.get("data", ())):
                value = output.data[mime].replace("K squared is 49", "K squared is 48")
                output.data[mime] = value.replace("0.2564", "0.2563")
    tampered.write_bytes(to_bytes(notebook))

    result = nbval(own_course, untouched, tampered)

    outcomes = re.findall(r"^(PASSED|FAILED) \S*?(\w+)\.ipynb::Cell (\d)", result.stdout, re.M)
    assert {cell for outcome, file, cell in outcomes if outcome == "FAILED"} == {"3", "5"}
    assert {file for outcome, file, cell in outcomes if outcome == "FAILED"} == {"tampered"}
    assert sum(file == "99_tiny" for _, file, _ in outcomes) == 7, result.stdout
