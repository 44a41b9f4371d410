"""The capstone follows the table that is declared for it: any csv, any target."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from depth import at_most

from course_lib.lessons import lesson_10
from course_lib.lessons.judgement import AnswerKey
from course_lib.lessons.response import Response
from course_lib.measures import six_answers
from course_lib.tools.system import ROOT
from course_lib.worlds.tables import PATIENTS, Table

FROM_THE_TABLE = [task for task in lesson_10.EXERCISES if task.draw and task.id < "10.7"]


def declared(folder, n_rows: int, n_columns: int) -> Table:
    """A csv with correlated columns of which some matter little, as a table of the capstone."""
    rng = np.random.default_rng(n_columns)
    columns = rng.normal(size=(n_rows, n_columns)) + 0.7 * rng.normal(size=(n_rows, 1))
    columns[:, -1] += columns[:, : n_columns // 2].sum(axis=1)
    names = [f"column {k}" for k in range(n_columns)]
    file = folder / "own.csv"
    pd.DataFrame(columns, columns=names).to_csv(file, index=False)
    return Table(lambda: pd.read_csv(file), {name: f"c{k}" for k, name in enumerate(names)}, "c1")


SIZES, IN_WORDS = [(120, 5), (300, 12)], ["five columns", "twelve columns"]
NOT_COPIED = (".git", ".venv", "build", "workbook", ".*_cache", ".hypothesis")
BUILD = (  # all but the pictures of the explorer, which take longest: tools/test_states.py
    "from course_lib.tools import cli, states; states.build = lambda *given, **options: []; "
    "raise SystemExit(cli.main(['build', '10']))"
)
DECLARED = """
PATIENTS = WINES = Table(lambda: pd.read_csv({file!r}), {columns!r}, {response!r})
"""
ABOUT_A_CELL = r"(notebooks|solutions)/src/10_capstone\.py, cell \d+ \(.*(is not so|is no longer)"


@pytest.fixture(params=SIZES, ids=IN_WORDS)
def table(request, tmp_path, monkeypatch):
    table = declared(tmp_path, *request.param)
    monkeypatch.setattr(lesson_10, "WINES", table)
    lesson_10._wines.cache_clear()
    yield table
    lesson_10._wines.cache_clear()


@pytest.mark.parametrize("task", FROM_THE_TABLE, ids=lambda task: task.id)
def test_its_tasks_can_be_answered_and_tell_every_slip(task, table):
    for seed in range(3):
        key = AnswerKey(task, seed)
        assert key.verdict(Response(key.wanted)).passed
        for slip, values in key.slips:
            assert key.verdict(Response(values)).slip is slip, (slip.name, seed)


def test_sizes_are_those_of_the_table(table):
    X, _ = table.load()
    sizes = [(case["n"], case["p"]) for case in FROM_THE_TABLE[0].cases(0)]
    assert sizes[0] == (len(X) // 2, X.shape[1])
    assert len(set(sizes)) == 3 and all(1 < p <= X.shape[1] for _, p in sizes)


@pytest.mark.parametrize("target", ["c1", "c4"])
def test_any_of_its_columns_can_be_the_target_of_six_answers(target, table):
    X, y = table.load(target)
    report = six_answers(X, y, random_state=0)
    assert list(report.ranks.index) == list(X) and target not in report.ranks.index


def test_a_table_in_which_no_answer_can_be_negative_is_refused(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=X @ [1, 2, 3, 4])
    frame["y"] += 0.01 * rng.normal(size=400)
    monkeypatch.setattr(lesson_10, "TRIES", 20)
    monkeypatch.setattr(lesson_10, "WINES", Table(lambda: frame, {c: c for c in frame}, "y"))
    lesson_10._wines.cache_clear()
    with pytest.raises(ValueError, match="20 draws.*worlds/tables.py"):
        FROM_THE_TABLE[0].cases(0)
    lesson_10._wines.cache_clear()


def test_columns_that_follow_a_formula_are_found_whatever_is_predicted():
    X, _ = PATIENTS.load()
    assert list(PATIENTS.by_formula(X)) == ["LDL", "ratio"]
    assert (PATIENTS.by_formula(X)["LDL"] - X["LDL"]).abs().median() < 0.01
    for response, left in [("LDL", ["ratio"]), ("triglycerides", ["ratio"]), ("HDL", [])]:
        X, _ = PATIENTS.load(response)
        assert list(PATIENTS.by_formula(X)) == left and len(PATIENTS.by_formula(X)) == len(X)


@pytest.mark.build
@pytest.mark.parametrize("size", SIZES[: at_most(1, 1, 2)], ids=IN_WORDS[: at_most(1, 1, 2)])
def test_lesson_and_exercise_run_to_their_end_and_every_untrue_sentence_is_named(tmp_path, size):
    root, table = tmp_path / "course", declared(tmp_path, *size)
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*NOT_COPIED))
    given = {"file": str(tmp_path / "own.csv"), "columns": dict(table.columns)}
    with open(root / "course_lib" / "worlds" / "tables.py", "a", encoding="utf-8") as file:
        file.write(DECLARED.format(**given, response=table.response))
    done = subprocess.run(
        [sys.executable, "-P", "-c", BUILD],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 1 and "Traceback" not in said and "NameError" not in said, said
    named = [line for line in said.splitlines() if "10_capstone.py, cell" in line]
    assert all(re.match(ABOUT_A_CELL, line) for line in named), said
    for sentence in (
        f"X.shape[1] is {size[1] - 1}.",  # of the first cell
        "14 % for bmi, less than 1 % for cholesterol.",  # of the last one with a number
        f"X_wines.shape[1] is {size[1] - 1}.",  # at the end of the exercise
    ):
        assert any(sentence in line for line in named), said
