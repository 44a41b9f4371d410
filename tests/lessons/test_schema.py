"""A slip in a lesson's toml is named: the file, the item, the field, what is there, what may be."""

import tomllib
from copy import deepcopy
from math import inf

import pytest

from course_lib import lessons
from course_lib.lessons import Prediction, Statement
from course_lib.lessons.prediction import Reply
from course_lib.lessons.reading import LessonFileError, read_record, record_of
from course_lib.lessons.schema import Lesson, fields_in_words
from course_lib.tools.system import ROOT

FILE = ROOT / "course_lib" / "lessons" / "lesson_01.toml"
ENTRY = tomllib.loads(FILE.read_text(encoding="utf-8"))
REST = {"text": "x"}
LOW, HIGH, FIRST = REST | {"below": 1}, REST | {"below": 2}, REST | {"to": "both the same"}
CHOICE, NUMBER = 0, 1  # the kinds of the first two predictions of lesson 01


def refusal(path: tuple, value) -> str:
    """What is said of lesson 01 with another value at one place, or with the place left out."""
    entry = deepcopy(ENTRY)
    *way, last = path
    table = entry
    for step in way:
        table = table[step]
    if value is None:
        del table[last]
    else:
        table[last] = value
    with pytest.raises(ValueError) as caught:
        record_of(Lesson, entry, FILE.name)
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("titel",), "x", "lesson_01.toml: there is no field titel. There are: name, title, about"),
        (("title",), None, "lesson_01.toml: field title is missing; it is what stands over it"),
        (("title",), {"a": 1}, "field title must be a text; got a table."),
        (("title",), 7, "lesson_01.toml: field title must be a text; got 7"),
        (("title",), " ", 'field title must be a text; got " "'),
        (("recall",), [], "field recall must be a list of tables; got none"),
        (("recall",), ["x"], 'lesson_01.toml, recall 1 must be a table; got "x"'),
        (("minutes", "learner"), 0, "lesson_01.toml, minutes: field learner must be 1 or more"),
        (("minutes", "learner"), 1.5, "field learner must be a whole number; got 1.5"),
        (
            ("predictions", CHOICE, "typical"),
            "neither",
            'lesson_01.toml, predictions 01.1: field typical must be one of the options "the one '
            'it asks first", "both the same" or "the one it asks second"; got "neither".',
        ),
        (("predictions", CHOICE, "kind"), "bet", 'one of number, choice, ranking; got "bet"'),
        (("predictions", CHOICE, "kind"), "ranking", 'same" and "the one it asks second"; got'),
        (("predictions", CHOICE, "options"), ["a", "a"], 'different texts; got "a" and "a".'),
        (("predictions", CHOICE, "options", 1), 7, "field options 2 must be a text; got 7"),
        (("predictions", NUMBER, "low"), 1.0, "01.2: field low must be below high, which is 1"),
        (("predictions", NUMBER, "typical"), 3, "field typical must be from 0 to 1; got 3."),
        (("predictions", NUMBER, "typical"), True, "a text or a number or a list of texts"),
        (("predictions", NUMBER, "tolerance"), None, "field tolerance must be above 0; got 0."),
        (("predictions", NUMBER, "options"), ["a"], "left out, since kind is number"),
        (("predictions", NUMBER, "least"), 0.5, "typical must be a number from 0.5 to"),
        (("predictions", NUMBER, "whole"), True, "typical must be a whole number from"),
        (("predictions", NUMBER, "most"), -inf, "field least must be below most, -inf"),
        (
            ("predictions", NUMBER, "replies"),
            [LOW, HIGH, LOW, REST],
            "in the order of their bounds",
        ),
        (("predictions", NUMBER, "replies"), [LOW, HIGH], "below must be left out in the last"),
        (("predictions", NUMBER, "replies"), [FIRST], "to must be left out, since kind is number"),
        (("predictions", CHOICE, "least"), 0, "least must be left out, since kind is choice"),
        (
            ("predictions", CHOICE, "whole"),
            True,
            "whole must be left out, since kind is choice; got true.",
        ),
        (("predictions", CHOICE, "replies"), [REST], "field to must be one of the options"),
        (("predictions", CHOICE, "replies"), [FIRST, FIRST], "each option has at most one"),
        (
            ("predictions", CHOICE, "replies"),
            [FIRST | LOW],
            "below must be left out, since kind is",
        ),
        (
            ("predictions", NUMBER, "id"),
            "01.1",
            "lesson_01.toml: field id of predictions 2 must be another than that of predictions 1; "
            'got "01.1".',
        ),
        (
            ("recall", 0, "id"),
            "01.1",
            'field id of recall 1 must be another than that of predictions 1; got "01.1".',
        ),
        (
            ("statements", 1, "id"),
            "02.a2",
            'field group must be 02.a for id 02.a2; got "01.a".',
        ),
        (
            ("predictions", NUMBER, "id"),
            "02.1",
            'field id of predictions 2 must begin with 01.; got "02.1".',
        ),
        (
            ("statements", 0, "group"),
            "01.b",
            'statements 01.a1: field group must be 01.a for id 01.a1; got "01.b".',
        ),
        (("statements", 0, "licensed"), "yes", "01.a1: field licensed must be true or false"),
        (("statements", 0, "behind"), "M11", "one of M1, M2, M3, M4, M5, M6, M7, M8, M9, M10; got"),
        (
            ("recall", 0, "options", 0, "behind"),
            "M11",
            "recall 01.r1, options 1: field behind must",
        ),
        (("recall", 0, "options", 0, "right"), True, "left out, since the option is right"),
        (("written", 0, "rubric", 0, "points"), 0, "written 01.w, rubric 1: field points must be"),
    ],
)
def test_a_slip_is_named_by_its_place_with_what_is_allowed(path, value, said):
    assert said in refusal(path, value)


@pytest.mark.parametrize(
    ("replies", "said"),
    [
        (({"text": "x", "to": "a"},), "to must be left out, since kind is ranking"),
        (({"text": "x", "below": 1.0},), "below must be left out, since kind is ranking"),
        (({"text": "x"}, {"text": "y"}), "replies must be one at most"),
    ],
)
def test_one_reply_answers_every_wrong_order(replies, said):
    made = tuple(Reply(**reply) for reply in replies)
    with pytest.raises(ValueError, match=said):
        Prediction("9.1", "ranking", "?", ("a", "b"), "y", "-", replies=made, options=("a", "b"))


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({}, ""),
        ({"whole": True}, "a whole number (pairs)"),
        ({"least": 0, "most": 45, "whole": True}, "a whole number from 0 to 45 (pairs)"),
        ({"least": 0}, "a number, 0 or more (pairs)"),
        ({"most": 1}, "a number, 1 or less (pairs)"),
    ],
)
def test_what_is_possible_is_said_in_words(bounds, words):
    asked = Prediction("9.1", "number", "?", 1.0, "y", "-", unit="pairs", tolerance=1, **bounds)
    assert asked.possible == words
    for number in (-1.0, 0.0, 0.5, 45.0, 46.0):
        fits = bounds.get("least", -inf) <= number <= bounds.get("most", inf)
        assert asked.allows(number) == (fits and (number != 0.5 or "whole" not in bounds))


@pytest.mark.parametrize(
    ("unit", "one", "several"),
    [
        ("euros", "1 euro", "2 euros"),
        ("people", "1 person", "2 people"),
        ("of 20 trials", "1 of 20 trials", "2 of 20 trials"),
        ("SD", "1 SD", "2 SD"),
        ("%", "1 %", "2 %"),
        ("", "1", "2"),
    ],
)
def test_a_number_is_spelled_with_its_unit_and_one_with_the_singular(unit, one, several):
    asked = Prediction("9.1", "number", "?", 1.0, "y", "-", unit=unit, tolerance=0.1)
    assert [asked.spelled(1.0), asked.spelled(2.0)] == [one, several]
    assert asked.spelled(-1) == f"-{one}" and asked.spelled(0.5).endswith(unit)
    assert list(asked.replies_in_words()) == []


@pytest.mark.parametrize(
    ("right", "got"), [([], "none"), ([0, 1], '"a" and "b"')], ids=["none", "two"]
)
def test_an_item_has_exactly_one_right_option(right, got):
    options = [
        {"text": text, "feedback": "x"} | ({"right": True} if k in right else {"behind": "M1"})
        for k, text in enumerate("ab")
    ]
    said = refusal(("recall", 0, "options"), options)
    allowed = "recall 01.r1: field options must be such that exactly one has right = true"
    assert f"{allowed}; got {got}." in said


def test_what_is_no_toml_is_refused(tmp_path):
    broken = tmp_path / "lesson_01.toml"
    broken.write_text("name = 1\nname = 2\n")
    with pytest.raises(ValueError, match=r"lesson_01\.toml is not toml: .*line 2.*: 'name = 2'"):
        read_record(Lesson, broken)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("latin-1", "lesson_01.toml, line 2: 'title = \"F�r alle\"' is not"), ("utf-16", "name = ")],
)
def test_another_encoding_is_named_with_its_line_and_the_remedy(tmp_path, encoding, said):
    broken = tmp_path / "lesson_01.toml"
    broken.write_text('name = "01_mdi"\ntitle = "Für alle"\n', encoding=encoding)
    with pytest.raises(ValueError) as caught:
        read_record(Lesson, broken)
    assert type(caught.value) is LessonFileError
    assert said in str(caught.value) and "Save the file as UTF-8." in str(caught.value)


def test_a_mark_of_the_encoding_at_the_beginning_is_no_slip(tmp_path):
    marked = tmp_path / "lesson_01.toml"
    marked.write_text(FILE.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert read_record(Lesson, marked) == lessons.load("01")


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A course with the questions of lesson 01, and the folder of their file."""
    library = tmp_path / "course_lib"
    (library / "lessons").mkdir(parents=True)
    monkeypatch.setattr(lessons, "files", lambda package: library / "lessons")
    monkeypatch.setattr(lessons, "LIBRARY", library)
    (library / "lessons" / FILE.name).write_bytes(FILE.read_bytes())
    return library


def test_a_lesson_has_the_number_of_its_file(copied):
    (copied / "lessons" / "lesson_02.toml").write_bytes(FILE.read_bytes())
    with pytest.raises(LessonFileError, match=r"lesson_02\.toml: field name must begin with 02_;"):
        lessons.load.__wrapped__("02")


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("clone", "notebooks/src/01_md.py"),
        ("clone", "solutions/src/01_md.py"),
        ("clone", "notebooks/01_md.ipynb"),  # the student edition
        ("clone", "exercises/01_md/01_md.ipynb"),
        ("package", "course_lib/shipped/notebooks/01_md.ipynb"),
    ],
)
def test_a_lesson_is_named_as_its_files_are_called(copied, kind, file):
    root = copied.parent
    if kind == "clone":
        (root / "pyproject.toml").touch()
    assert lessons.load.__wrapped__("01").name == "01_mdi"  # nothing is known of files
    (root / file).parent.mkdir(parents=True)
    (root / file).touch()
    with pytest.raises(LessonFileError) as caught:
        lessons.load.__wrapped__("01")
    said = 'lesson_01.toml: field name must be "01_md", as its files are called ('
    assert str(caught.value).startswith(said) and 'got "01_mdi".' in str(caught.value)
    right = root / file.replace("01_md", "01_mdi")
    right.parent.mkdir(exist_ok=True)
    right.touch()
    assert lessons.load.__wrapped__("01").name == "01_mdi"  # a file that lies beside it


def test_where_sources_are_there_they_name_a_lesson_and_not_what_an_old_build_left(copied):
    root = copied.parent
    for file in ("pyproject.toml", "notebooks/src/01_mdi.py", "notebooks/01_md.ipynb"):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).touch()
    assert lessons.load.__wrapped__("01").name == "01_mdi"


@pytest.mark.parametrize("licensed", [True, False])
def test_a_statement_has_two_options_and_the_licence_says_which_is_right(licensed):
    statement = Statement("01.a1", "01.a", "x", licensed, "Well done.", "Not so.", "M4")
    yes, no = statement.options
    assert (yes.right, no.right) == (licensed, not licensed)
    assert {o.feedback: o.behind for o in (yes, no)} == {"Well done.": "", "Not so.": "M4"}


def test_each_field_of_a_file_is_described_once():
    rows = list(fields_in_words())
    places = {place for place, *_ in rows}
    inside = {"minutes", "predictions", "predictions.replies", "statements", "recall"}
    assert places == inside | {"", "recall.options", "written", "written.rubric"}
    assert len({(place, name) for place, name, *_ in rows}) == len(rows)
    assert all(about for *_, about in rows)
