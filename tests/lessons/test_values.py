"""Which values an answer may be, and that they pass through JSON as what they are."""

import array
import json
from collections import OrderedDict, UserList, deque
from decimal import Decimal
from fractions import Fraction
from itertools import islice, product
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.lessons.comparison import same
from course_lib.lessons.values import Other, brief, decode, encode, plain
from course_lib.questions import Q1
from course_lib.results import Importances


class Liar(float):
    def __eq__(self, other):
        return True

    def __float__(self):
        return 1.0

    __hash__ = float.__hash__


class Empty(np.ndarray):
    def tolist(self):
        return []


VALUES = [
    None,
    True,
    3,
    -2.5,
    float("inf"),
    "text",
    [1, [2.0, "x"]],
    (1, 2),
    {"a", "b"},
    {"key": [1], 2: None},
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_plain_values_survive_the_wall(value):
    assert decode(json.loads(json.dumps(encode(value)))) == value


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0).reshape(2, 3), np.array([True, False]), np.array(3.5), np.zeros((0, 2))],
)
def test_arrays_keep_shape_and_content(array):
    back = decode(json.loads(json.dumps(encode(array))))
    assert back.shape == array.shape and back.dtype.kind == array.dtype.kind
    np.testing.assert_array_equal(back, array)


def test_numpy_and_pandas_become_plain():
    assert decode(encode(np.float64(0.5))) == 0.5
    assert decode(encode(np.int64(7))) == 7
    assert np.isnan(decode(encode(float("nan"))))
    np.testing.assert_array_equal(decode(encode(pd.Series([1.0, 2.0]))), [1.0, 2.0])
    assert decode(encode(pd.Index(["a", "b"]))) == ["a", "b"]


def test_a_subclass_is_judged_by_its_true_content():
    assert decode(encode([Liar(-7.0)])) != [1.0]
    np.testing.assert_array_equal(decode(encode(np.full(2, -7.0).view(Empty))), [-7.0, -7.0])


@pytest.mark.parametrize(
    "value",
    [(x for x in []), map(str, []), object(), 10**30, 1j],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_plain_value_stays_something_else(value):
    assert isinstance(decode(encode(value)), Other)


def test_endless_and_huge_values_are_cut_off():
    endless = []
    endless.append(endless)
    assert "too large" in repr(decode(encode(endless)))
    assert "too large" in repr(decode(encode(np.zeros(10**6))))


@pytest.mark.parametrize(
    "forged",
    [
        None,
        [],
        ["float", "1e5"],
        ["float", [1]],
        ["int", True],
        ["int", 2**80],
        ["array", "float", [3], [1.0]],
        ["array", "float", [-1, -1], [1.0]],
        ["array", "float", ["2"], [1.0, 2.0]],
        ["array", "int", [1], [1.5]],
        ["array", "object", [0], []],
        ["set", [["list", []]]],
        ["dict", [[["int", 1]]]],
        ["unknown", 1],
        {"float": 1},
    ],
    ids=lambda value: type(value).__name__,
)
def test_forged_values_are_refused(forged):
    with pytest.raises(ValueError):
        decode(forged)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@given(json_values)
@settings(max_examples=200)
def test_no_json_makes_decoding_raise_anything_but_value_errors(data):
    try:
        decode(data)
    except ValueError:
        pass


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(1, 2), 0.5),
        (Decimal("0.5"), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.array([1, 2], dtype=np.longdouble), [1.0, 2.0]),
        (np.array([2**63], dtype=np.uint64), [float(2**63)]),
        (np.array([[Fraction(1, 2), 1]], dtype=object), [[0.5, 1]]),
        (pd.DataFrame({"a": [1, 2], "b": [0.5, 1.0]}), [[1, 0.5], [2, 1.0]]),
        (pd.DataFrame({"a": ["x"], "b": [1]}), [["x", 1]]),
        (pd.Series([1, 2], dtype="Int64"), [1, 2]),
        (pd.array([1, 2], dtype="Int64"), [1, 2]),
        (deque([1, 2]), [1, 2]),
        (array.array("d", [1, 2]), [1.0, 2.0]),
        (range(3), [0, 1, 2]),
        (UserList("ab"), ["a", "b"]),
        ({"b": 1, "a": 2}.keys(), ["b", "a"]),
        ({"b": 1, "a": 2}.values(), [1, 2]),
        ({frozenset("a"), frozenset("b")}, {frozenset("a"), frozenset("b")}),
        (OrderedDict(a=1), {"a": 1}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        ({(1, 2): [np.int8(3)]}, {(1, 2): [3]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_means_a_number_a_list_a_set_or_a_table_is_accepted_as_one(value, expected):
    found = decode(json.loads(json.dumps(encode(value))))
    assert (found.tolist() if isinstance(found, np.ndarray) else found) == expected


@pytest.mark.parametrize(
    "value", [Fraction(10**400), Decimal("sNaN")], ids=lambda value: type(value).__name__
)
def test_a_number_that_is_no_float_is_something_else(value):
    assert isinstance(plain(value), Other)


def test_an_endless_sequence_is_cut_off():
    class Endless(UserList):
        def __iter__(self):
            while True:
                yield 1

    assert plain(Endless()).text == "something too large"


def test_a_text_that_cannot_be_stored_becomes_one_that_can():
    for text in (plain("\ud800"), repr(decode(["other", "\ud800"]))):
        assert text.encode("utf-8") == b"?"


def test_a_value_in_a_sentence_is_short_and_always_the_same():
    assert brief(plain(np.float32(2 / 3))) == "0.6667"
    assert brief(plain({"b", "a"})) == "{'a', 'b'}" and brief(frozenset()) == "set()"
    assert brief(plain(np.array([1 / 3, 2.0]))) == "array([0.3333, 2. ])"
    assert brief(plain(print)) == "a function"
    assert brief(plain(object())) == "an object"
    assert brief(plain(x for x in "ab")) == "a generator"
    record = Importances(np.ones((2, 1)), ("a", "b"), "some measure", question=Q1)
    assert brief(plain(record)) == "an Importances: take its importances_mean"
    assert len(brief("x" * 500)) == 80


def equal_hashes(number: int) -> list[tuple]:
    """Different tuples with one hash: 2**61 is 1 modulo 2**61 - 1."""
    powers = [2.0 ** (61 * k) for k in range(-16, 17)]
    return list(islice(product(powers, repeat=3), number))


@pytest.mark.parametrize(
    "value",
    [
        np.empty((10**7, 0)),  # nothing in it, and ten million rows
        np.empty((0, 10**7)),
        equal_hashes(24_000),  # a set of them costs 24,000 squared
        frozenset(equal_hashes(6_000)),
        dict.fromkeys(equal_hashes(6_000)),
        ["x" * 100_000] * 2_000,
        [[]] * 50_000,
    ],
    ids=["rows", "columns", "list", "set", "dict", "texts", "lists"],
)
def test_what_is_larger_than_any_answer_costs_those_who_judge_it_nothing(value):
    """Neither through `encode` nor sent past it."""
    assert isinstance(plain(value), Other)
    assert not same(plain(value), frozenset("ab"), rtol=0, atol=0)


@pytest.mark.parametrize(
    "sent",
    [
        ["array", "float", [10**7, 0], []],
        ["list", [["tuple", [["float", x] for x in one]] for one in equal_hashes(6_000)]],
        ["set", [["tuple", [["float", x] for x in one]] for one in equal_hashes(6_000)]],
        ["list", [["str", "x" * 1000]] * 2_000],
    ],
    ids=["rows", "list", "set", "texts"],
)
def test_what_was_not_made_by_encode_is_held_to_the_same_limits(sent):
    with pytest.raises(ValueError, match="too large"):
        decode(sent)
