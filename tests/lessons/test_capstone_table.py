"""The capstone's exercise follows the table that is declared for it: any csv, any target."""

import numpy as np
import pandas as pd
import pytest

from course_lib.lessons import lesson_10
from course_lib.lessons.judgement import AnswerKey
from course_lib.lessons.response import Response
from course_lib.measures import six_answers
from course_lib.worlds.tables import Table

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


@pytest.fixture(params=[(120, 5), (300, 12)], ids=["five columns", "twelve columns"])
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
