"""A lesson can be read in an hour: its spine is short, and shows its first picture early.

The spine ends before `## Further`, which is for those who want more, or before `## Practise`.
"""

import nbformat
import pytest

from course_lib import lessons
from course_lib.tools.slides.talk import FURTHER
from course_lib.tools.system import ROOT

each_lesson = pytest.mark.parametrize("lesson", lessons.available(), ids=lambda one: one.name)

CELLS, MINUTES, PREDICTIONS, FIRST_PICTURE = 45, 60, 5, 5


def cells(lesson) -> list:
    """All cells of a built lesson."""
    path = ROOT / "notebooks" / f"{lesson.name}.ipynb"
    return nbformat.read(path, as_version=4).cells


def spine(found: list) -> list:
    """The cells before the further part, or before the exercise if there is none."""
    ends = [k for k, cell in enumerate(found) if cell.source.startswith((FURTHER, "## Practise"))]
    return found[: ends[0]]


def is_further(cell) -> bool:
    """Whether the further part begins in this cell."""
    return cell.cell_type == "markdown" and cell.source.startswith(FURTHER)


def shows_a_picture(cell) -> bool:
    outputs = cell.get("outputs", []) if cell.cell_type == "code" else []
    return any("<svg" in str(one) or "<img" in str(one) for one in outputs)


@each_lesson
def test_the_spine_has_few_cells_predictions_and_minutes(lesson):
    short = spine(cells(lesson))
    asked = [cell for cell in short if cell.source.startswith("predict(")]
    assert len(short) <= CELLS
    assert len(asked) <= PREDICTIONS
    assert lesson.minutes.learner <= MINUTES


@each_lesson
def test_the_first_picture_comes_early(lesson):
    assert any(map(shows_a_picture, cells(lesson)[:FIRST_PICTURE]))


@each_lesson
def test_the_further_part_stands_after_keep_this_in_a_cell_of_its_own(lesson):
    """A heading in the middle of a cell would leave part of the spine behind it."""
    found = cells(lesson)
    heads = [k for k, cell in enumerate(found) if f"\n{FURTHER}" in f"\n{cell.source}"]
    kept = [k for k, cell in enumerate(found) if "\n## Keep this" in f"\n{cell.source}"]
    assert all(is_further(found[k]) for k in heads)
    assert len(kept) == 1 and all(k > kept[0] for k in heads)
    assert bool(heads) == bool(lesson.minutes.further)
