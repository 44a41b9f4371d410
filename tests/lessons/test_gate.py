"""The prediction is a gate: a freshly opened workbook does not say what is to be predicted.

Of every prediction the truth is taken from the built notebook. Then its words and numbers are
looked for in all that a workbook shows from the prediction to the next heading after its reveal:
prose, and code that is not folded. The opening of the lesson must not say it either.
"""

import re
from functools import cache
from types import SimpleNamespace

import nbformat
import pytest
from lessons.giveaways import giveaways, is_folded, outputs, said, span
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_lib import lessons
from course_lib.lessons import Prediction
from course_lib.tools.sources import read_source
from course_lib.tools.system import ROOT
from course_lib.tools.workbook import without_outputs

PREDICTIONS = [(lesson, p) for lesson in lessons.available() for p in lesson.predictions]
each_lesson = pytest.mark.parametrize("lesson", lessons.available(), ids=lambda one: one.name)
each_prediction = pytest.mark.parametrize(
    ("lesson", "prediction"), PREDICTIONS, ids=[p.id for _, p in PREDICTIONS]
)

# What says the answer in other words than its option does
IN_OTHER_WORDS = {
    "00.2": ("not need race", "without race"),
    "01.1": ("twice as much",),
    "02.1": ("not an unlucky",),
    "02.3": ("have the bias",),
    "02.6": ("lost its place",),
    "03.1": ("doubl",),
    "03.2": ("by heart",),
    "03.3": ("below zero", "wrong way", "the wrong sign"),
    "03.4": ("do not change", "it cannot:"),
    "04.4": ("less than nothing", "wrong direction", "worse than knowing nothing"),
    "05.3": ("as they were", "unchanged"),
    "05.4": ("better question in summer", "two to one"),
}
# Where an answer's word gives nothing away: prediction -> words that stand beside it -> why
HARMLESS: dict[str, dict[str, str]] = {
    "01.1": {"second-highest peak": "a hill of the slider's curve, not a switch"},
    "02.2": {"four samples for each": "samples, not units of decrease"},
    "02.6": {
        "In another world": "another world, in which x2 is a proxy",
        "With `max_features=1`, `x2` gets": "the same other world",
        "of_x2": "code about that other world",
        "MDI of x2": "the label of a table about that other world",
        "They should agree: `x2` does predict": "the same other world",
    },
    "09.3": {
        "doubles the error": "what one model loses, not a number of variables",
        "[1, 2]": "a range to practise on, not a number of variables",
    },
    "09.8": {"kinds = {0:": "the code lists all three options"},
}


# All lessons


@cache
def workbook(lesson: str) -> list:
    """The cells of a lesson as a learner opens them."""
    path = ROOT / "notebooks" / "src" / f"{lesson}.py"
    return without_outputs(read_source(path))["cells"]


@cache
def built(lesson: str) -> list:
    """The cells of a lesson as they are stored, with their outputs."""
    return nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", as_version=4).cells


@cache
def told_truths(lesson: str) -> dict[str, str]:
    """What the reveals of the built lesson say after 'The truth', by prediction."""
    found = {}
    for cell in built(lesson):
        name = re.search(r'\breveal\(\s*"([^"]+)"', cell.source)
        texts = [output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])]
        truth = re.search(r"The truth: (.*)", "\n".join(texts), re.S)
        if name and truth:
            found[name[1]] = truth[1]
    return found


def truth_of(lesson: str, prediction: Prediction):
    revealed = told_truths(lesson)[prediction.id]
    if prediction.kind == "number":
        return float(re.match(r"-?[\d.]+(?:e-?\d+)?(?=[. ])", revealed)[0].rstrip("."))
    fitting = [option for option in prediction.options if revealed.startswith(option)]
    assert fitting, f"{revealed[:60]!r} is none of the options of {prediction.id}: ./course build"
    return max(fitting, key=len)


def found_in_workbook(lesson: str, prediction: Prediction, harmless=()) -> list[str]:
    phrases = IN_OTHER_WORDS.get(prediction.id, ())
    truth = truth_of(lesson, prediction)
    return giveaways(workbook(lesson), prediction, truth, phrases, harmless)


def found_in_outputs(lesson: str, prediction: Prediction, harmless=()) -> list[str]:
    seen = list(outputs(built(lesson), prediction.id))
    return said(seen, prediction, truth_of(lesson, prediction), harmless=harmless)


@each_prediction
def test_no_visible_cell_says_the_answer(lesson, prediction):
    found = found_in_workbook(lesson.name, prediction, HARMLESS.get(prediction.id, ()))
    assert not found, f"{lesson.name}, prediction {prediction.id}:\n" + "\n".join(found)


@each_prediction
def test_no_output_says_the_answer_unless_it_waits_for_the_commitment(lesson, prediction):
    """On the site outputs are there from the beginning, but for cells tagged after-NN-k."""
    found = found_in_outputs(lesson.name, prediction, HARMLESS.get(prediction.id, ()))
    assert not found, f"{lesson.name}, prediction {prediction.id}:\n" + "\n".join(found)


@each_prediction
def test_what_is_called_harmless_would_be_found_otherwise(lesson, prediction):
    found = found_in_workbook(lesson.name, prediction) + found_in_outputs(lesson.name, prediction)
    idle = [words for words in HARMLESS.get(prediction.id, ()) if words not in "".join(found)]
    assert not idle, f"Delete from HARMLESS: {idle}"


@each_lesson
def test_no_visible_cell_holds_an_alternative_text(lesson):
    assert visible_alts(workbook(lesson.name)) == []


def visible_alts(cells: list) -> list[str]:
    code = [(k, c) for k, c in enumerate(cells, 1) if c["cell_type"] == "code"]
    return [f"cell {k}" for k, c in code if not is_folded(c) and re.search(r"\balt=", c["source"])]


@each_lesson
def test_cells_that_wait_for_a_commitment_stand_behind_its_prediction(lesson):
    assert misplaced(workbook(lesson.name), {p.id for p in lesson.predictions}) == []


def misplaced(cells: list, known: set[str]) -> list[str]:
    """Tags such as after-05-2 that name no prediction, or stand before it."""
    faults = []
    for k, cell in enumerate(cells):
        for tag in cell["metadata"].get("tags", []):
            if not tag.startswith("after"):
                continue
            name = ".".join(tag.split("-")[1:])
            if name not in known:
                faults.append(f"cell {k + 1}: {tag} names no prediction")
            elif not span(cells, name)[0] < k:
                faults.append(f"cell {k + 1}: {tag} stands before its prediction")
    return faults


@each_prediction
def test_every_wrong_guess_has_a_reply_of_its_own(lesson, prediction):
    assert unanswered(prediction, truth_of(lesson.name, prediction)) == []


def unanswered(prediction: Prediction, truth) -> list[str]:
    """What is wrong with the replies: missing ones, idle ones, some that can never be read."""
    faults = [f"short: {r.text!r}" for r in prediction.replies if len(r.text) < 40]
    if prediction.kind == "choice":
        answered = [reply.to for reply in prediction.replies]
        wrong = [option for option in prediction.options if option != truth]
        return (
            faults
            + [f"not once: {o}" for o in wrong if answered.count(o) != 1]
            + ([f"idle: {to!r}" for to in answered if to not in wrong])
        )
    bounds = [reply.below for reply in prediction.replies]
    if not bounds or bounds[-1] != float("inf") or bounds != sorted(set(bounds)):
        return [*faults, f"bounds must grow and the last be left out: {bounds}"]
    lower = prediction.least
    for below in bounds:
        low, high = max(lower, prediction.least), min(below, prediction.most)
        near = truth - prediction.tolerance, truth + prediction.tolerance
        if low >= high and low != prediction.most or (near[0] <= low and high <= near[1]):
            faults.append(f"nobody can be answered between {low:g} and {high:g}")
        lower = below
    return faults


# The finders, shown what they have to find


ASKED = {"id": "98.1", "question": "Which?", "when_right": "Yes.", "in_class": "Ask."}
OPTIONS = ("the top", "the lower left", "both")
CHOICE = Prediction(kind="choice", typical="the top", options=OPTIONS, **ASKED)
NUMBER_ASKED = Prediction(kind="number", typical=0.5, high=200.0, tolerance=0.02, **ASKED)
SHARE, COUNT = 0.375, 123.0


def lesson_with(*middle, after=()) -> list:
    predict, reveal = new_code_cell('predict("98.1")'), new_code_cell('reveal("98.1", answer)')
    rest = new_markdown_cell("More prose.\n\n## 98.2 Next\n\nThe lower left has 0.375.")
    return new_notebook(cells=[predict, *middle, reveal, *after, rest]).cells


def folded(source: str):
    return new_code_cell(source, metadata={"jupyter": {"source_hidden": True}})


@pytest.mark.parametrize(
    "cell",
    [
        new_markdown_cell("We look at the display.\nThe *lower left*\nis brightest."),
        new_markdown_cell("> Lower left, they say."),
        new_code_cell("imp.idxmax() == 'X5, lower left'"),
        new_code_cell("picture(x, alt='brightest at lower left')"),
        new_code_cell("lower_left_leads = True"),
    ],
)
def test_an_option_that_is_said_is_found(cell):
    for cells in (lesson_with(cell), lesson_with(after=[cell])):
        (found,) = giveaways(cells, CHOICE, "the lower left")
        assert found.startswith(f"cell {cells.index(cell) + 1}: lower, left in")


def test_an_opening_that_says_the_answer_is_found():
    cells = [new_markdown_cell("# 98\n\nIt is the lower left.\n\n## 98.1"), *lesson_with()]
    (found,) = giveaways(cells, CHOICE, "the lower left")
    assert found == "cell 1: lower, left in 'It is the lower left.'"
    (found,) = giveaways(cells, NUMBER_ASKED, SHARE, phrases=["it is the"])
    assert found.startswith("cell 1: it is the in")


@pytest.mark.parametrize(
    ("truth", "text"),
    [
        (SHARE, "The share is 0.375."),
        (SHARE, "It is about 0.38 of it."),
        (SHARE, "Cut off, 0.37 remain."),
        (SHARE, "It is 37.5 % of it."),
        (SHARE, "Some 38 per cent, then."),
        (SHARE, "They get three eighths each."),
        (SHARE, "They get 3/8 each."),
        (SHARE, r"It is $\tfrac{3}{8}$ of it."),
        (SHARE, "Es sind 0,375."),
        (COUNT, "For 123 people."),
        (COUNT, "For one hundred and twenty-three people."),
        (2.0, "It doubles."),
        (2.0, "They are twice as large."),
        (0.5, "It is halved."),
        (0.25, "One quarter, then."),
        (12.0, "All twelve of them."),
        (-0.53, "It is −0.53 bits."),
        (0.0, "It is zero."),
    ],
)
def test_a_number_that_is_said_is_found(truth, text):
    assert len(giveaways(lesson_with(new_markdown_cell(text)), NUMBER_ASKED, truth)) == 1
    code = new_code_cell(f"# {text}\nvalue = 7")
    assert len(giveaways(lesson_with(code), NUMBER_ASKED, truth)) == 1


@pytest.mark.parametrize(
    "cell",
    [
        new_markdown_cell("Half of it is 0.5; lesson 37 and section 0.38 say more. The left one."),
        new_code_cell("X[:, 0].mean(axis=1)"),
        folded("picture(x, alt='lower left, 0.375')"),
    ],
)
def test_what_says_nothing_and_what_is_folded_or_comes_later_is_left_in_peace(cell):
    cells = lesson_with(cell)
    assert giveaways(cells, CHOICE, "the lower left") == []
    assert giveaways(cells, NUMBER_ASKED, SHARE) == []


def test_an_output_that_says_the_answer_is_found_unless_it_waits():
    shown = {"output_type": "stream", "name": "stdout", "text": "mean\nlower left  0.375\n"}
    cell = new_code_cell("ranking", outputs=[shown])
    (seen,) = said(list(outputs(lesson_with(cell), "98.1")), CHOICE, "the lower left")
    assert seen.startswith("cell 2: lower, left")
    assert len(said(list(outputs(lesson_with(cell), "98.1")), NUMBER_ASKED, SHARE)) == 1
    cell.metadata["tags"] = ["after-98-1"]
    assert list(outputs(lesson_with(cell), "98.1")) == []


def test_an_alternative_text_is_found_unless_it_is_folded():
    assert visible_alts([new_code_cell("f(x,\n  alt='a')"), folded("f(alt='a')")]) == ["cell 1"]


@pytest.mark.parametrize("tag", ["after-98-2", "after-98", "after-99-1"])
def test_a_tag_that_names_no_prediction_is_found(tag):
    cells = lesson_with(new_code_cell("x", metadata={"tags": [tag]}))
    assert misplaced(cells, {"98.1"}) == [f"cell 2: {tag} names no prediction"]


def test_a_tag_before_its_prediction_is_found():
    tagged = new_code_cell("x", metadata={"tags": ["after-98-1"]})
    assert misplaced(lesson_with(tagged), {"98.1"}) == []
    assert len(misplaced([tagged, *lesson_with()], {"98.1"})) == 1
    assert misplaced([*lesson_with(), tagged], {"98.1"}) == []


def replying(prediction: Prediction, *replies: SimpleNamespace, **changed) -> SimpleNamespace:
    """A prediction with replies that its own record might refuse."""
    return SimpleNamespace(**vars(prediction) | {"replies": replies} | changed)


def reply(text: str, to: str = "", below: float = float("inf")) -> SimpleNamespace:
    return SimpleNamespace(text=text, to=to, below=below)


TEXT = "A sensible thing to say, long enough to be one."


@pytest.mark.parametrize(
    "prediction",
    [
        replying(CHOICE, reply(TEXT, to="the top")),
        replying(CHOICE, reply(TEXT, to="the top"), reply("No.", to="both")),
        replying(CHOICE, *(reply(TEXT, to=to) for to in ("the top", "both", "the lower left"))),
    ],
)
def test_an_option_without_a_reply_of_its_own_is_found(prediction):
    assert len(unanswered(prediction, "the lower left")) == 1


@pytest.mark.parametrize(
    "replies",
    [
        [],
        [reply(TEXT, below=0.2)],
        [reply(TEXT, below=0.4), reply(TEXT, below=0.3), reply(TEXT)],
        [reply(TEXT, below=0.36), reply(TEXT, below=0.39), reply(TEXT)],
        [reply(TEXT, below=0.0), reply(TEXT)],
    ],
)
def test_numbers_that_nobody_answers_or_replies_that_nobody_reads_are_found(replies):
    asked = replying(NUMBER_ASKED, *replies, least=0.0, most=1.0)
    assert len(unanswered(asked, SHARE)) == 1


def test_good_replies_pass():
    asked = replying(NUMBER_ASKED, reply(TEXT, below=0.375), reply(TEXT), least=0.0, most=1.0)
    assert unanswered(asked, SHARE) == []
    both = replying(CHOICE, reply(TEXT, to="the top"), reply(TEXT, to="both"))
    assert unanswered(both, "the lower left") == []
