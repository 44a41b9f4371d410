"""What is sealed is recognised and cannot be read."""

import json

import pytest

from course_lib.lessons.comparison import same
from course_lib.lessons.sealing import from_json, seal, spelling, to_json, unsealed


def agree(value, sealed) -> bool:
    return same(value, sealed, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("right", "also_right", "wrong"),
    [
        (frozenset("bde"), [list("edb"), tuple("bbde")], [frozenset("bd"), list("bdf"), "bde", 3]),
        ({"a": "Q1", "b": "DI"}, [], [{"a": "Q1"}, {"a": "Q1", "b": "AI"}, {"a": "DI", "b": "Q1"}]),
        ("DI via", [], ["DI", "di via", frozenset(["DI via"]), True]),
        (["x", "y"], [("x", "y")], [["y", "x"], ["x"], frozenset("xy")]),
    ],
)
def test_only_the_right_value_opens_it_also_after_storing(right, also_right, wrong):
    sealed = from_json(json.loads(json.dumps(to_json(seal(right, "00.1")))))
    assert sealed == seal(right, "00.1")
    assert all(agree(value, sealed) for value in [right, *also_right])
    assert not any(agree(value, sealed) for value in wrong)


def test_two_sets_of_any_size_look_the_same_but_for_the_digest():
    one, other = (seal(frozenset(letters), "00.1") for letters in ("bde", "vwxyz"))
    assert unsealed(one) == unsealed(other) == frozenset("a")
    assert one.digest != other.digest


def test_the_same_answer_to_two_tasks_has_two_digests():
    assert seal("Q1", "00.3 a").digest != seal("Q1", "00.3 b").digest


@pytest.mark.parametrize("text", ["Q1", "DI via", "x-2"])
def test_what_a_sealed_text_looks_like_is_its_spelling_alone(text):
    assert unsealed(seal(text, "s")) == spelling(text) == spelling(spelling(text))


@pytest.mark.parametrize("value", [0.5, 3, frozenset([1, 2]), None])
def test_numbers_cannot_be_sealed_and_the_message_says_what_could(value):
    with pytest.raises(TypeError, match="09.9 cannot be kept .* a set, a list or a dictionary"):
        seal(value, "09.9")
