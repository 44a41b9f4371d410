"""A written answer is found wherever it stands, and what is not one is said."""

import copy
import time

import pytest
from students.kit import Notebook, code

from course_lib.grading.notebook import Released, make_schedule
from course_lib.grading.paragraphs import form_of_text
from course_lib.grading.reading import read_cells
from course_lib.tools.bench.students import NAME
from course_lib.tools.system import ROOT

OWN, STUB = "written-01-w", "*Write your answer here.*"


def markdown(source: str) -> dict:
    return {"cell_type": "markdown", "id": "new", "metadata": {}, "source": source}


def found(edit) -> tuple[str, str]:
    """The written answer and all notes, after an edit of the cells around an untouched one."""
    notebook = Notebook.solved()
    where = notebook.index(OWN)
    notebook.cells[where]["source"] = STUB
    edit(notebook.cells, where)
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    made = make_schedule(released, read_cells(notebook.to_bytes())[0])
    return made.written["01.w"], " ".join(made.notes)


def test_an_untouched_cell_is_empty_and_nothing_is_said():
    assert found(lambda cells, k: None) == ("", "")


@pytest.mark.parametrize("distance", [0, 1, 2, 5])
def test_a_paragraph_in_a_new_cell_before_below_or_at_the_end_is_taken_and_said(distance):
    text, notes = found(lambda cells, k: cells.insert(k + distance, markdown("MINE")))
    assert text == "MINE" and "01.w" in notes and "cell" in notes


@pytest.mark.parametrize("source", ["It is a share of the total.", "# It is a share"])
def test_a_paragraph_in_a_new_code_cell_is_taken(source):
    assert found(lambda cells, k: cells.insert(k + 1, code(source)))[0] == source


def test_code_that_somebody_tries_out_at_the_end_is_no_paragraph():
    assert found(lambda cells, k: cells.append(code("print(gini([1, 2]))")))[0] == ""


def test_a_cell_that_was_split_or_copied_is_put_together_in_its_order():
    def split(cells, k):
        cells[k]["source"] = "First half."
        copies = [copy.deepcopy(cells[k]) for _ in range(3)]
        for each, text in zip(copies, ("Second half.", STUB, "First half."), strict=True):
            each["source"] = text
        cells[k + 1 : k + 1] = [*copies, markdown("A last thought.")]

    text, notes = found(split)
    assert text == "First half.\n\nSecond half.\n\nA last thought."
    assert "put together" in notes


def test_an_answer_in_its_own_cell_alone_is_nothing_to_be_said():
    assert found(lambda cells, k: cells[k].update(source="Mine.")) == ("Mine.", "")


def test_a_paragraph_in_place_of_its_cell_is_taken_and_the_loss_said():
    text, notes = found(lambda cells, k: cells.__setitem__(k, markdown("MINE")))
    assert text == "MINE" and "missing" in notes


def test_an_answer_written_into_the_question_is_taken():
    def edit(cells, k):
        cells[k - 1]["source"] = "".join(cells[k - 1]["source"]) + "\n\nMINE"

    assert found(edit)[0].endswith("MINE")


def test_text_elsewhere_is_no_answer_but_is_said_where_there_is_none():
    text, notes = found(lambda cells, k: cells.insert(2, markdown("MINE")))
    assert text == "" and "empty" in notes and "cell 3" in notes
    text, notes = found(
        lambda cells, k: (cells[k].update(source="Here."), cells.insert(2, markdown("MINE")))
    )
    assert (text, notes) == ("Here.", "")


def test_a_paragraph_of_accents_takes_no_longer_than_its_length():
    begin = time.process_time()
    assert not form_of_text("a" + "\u0300\u0316" * 100_000).digest
    assert time.process_time() - begin < 2
