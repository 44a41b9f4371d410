"""The cells that put the six answers of the capstone's exercise together, whoever is on the way."""

import json

import numpy as np
import pandas as pd
import pytest
from lessons.answers import answers_10

from course_lib.tools.system import ROOT

pytestmark = pytest.mark.slow

FUNCTIONS = {
    "10.1": "to_model",
    "10.2": "unique_to_model",
    "10.3": "to_prediction",
    "10.4": "to_algorithm",
    "10.5": "to_good_models",
    "10.6": "unique_to_good_models",
    "10.7": "survives",
}


def code_cells() -> list[str]:
    path = ROOT / "exercises" / "10_capstone" / "10_capstone.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def shown(answered, style=0) -> list[tuple]:
    """What the two cells show if these tasks have answers and the others are as handed out."""
    space, found = {}, []
    for source in code_cells():
        if "check(" in source or "model_answer" in source or "progress(" in source:
            continue
        exec(source.replace("range(20)", "range(3)"), space)  # three halves are enough here
        for task in answered:
            space[FUNCTIONS[task]] = answers_10.RIGHT[task][style]
        found += [space[name] for name in ("shown", "in_halves") if f"{name} = " in source]
    return found


@pytest.mark.parametrize(
    "answered", [[], ["10.1"], ["10.1", "10.2"], [*FUNCTIONS][:4]], ids=lambda a: f"{len(a)}"
)
def test_on_the_way_the_cells_say_what_to_answer_first(answered):
    assert shown(answered) == [("Answer 10.1 to 10.6 first.",), ("Answer 10.1 to 10.7 first.",)]


@pytest.mark.parametrize("missing", [*FUNCTIONS])
def test_with_one_answer_missing_no_number_is_made_up_for_it(missing):
    table, halves = shown([task for task in FUNCTIONS if task != missing])
    assert halves == ("Answer 10.1 to 10.7 first.",)
    assert missing == "10.7" or table == ("Answer 10.1 to 10.6 first.",)


@pytest.mark.parametrize("style", [0, 2])
def test_with_all_answers_the_table_is_whole_whatever_kind_of_sequence_they_return(style):
    (table,), (leading, smallest, lasting) = shown(FUNCTIONS, style)
    assert isinstance(table, pd.DataFrame) and table.shape == (8, 7)
    assert table.notna().all(axis=None) and set(table.dtypes) == {np.dtype(float)}
    assert leading.index.tolist() == ["Q1", "Q2", "Q4", "Q5 at least", "Q5 at most", "Q6"]
    assert smallest.sum() == 3 and 0 <= lasting <= 3
