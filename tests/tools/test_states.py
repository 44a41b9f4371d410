"""Stored states: what the Python functions give, known when they are stale, and small enough."""

import hashlib
import random
import re
import shutil
from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest

from course_lib.tools import states
from course_lib.tools.system import ROOT
from course_lib.widgets.by_lesson import STORED
from course_lib.widgets.frames import MovingPicture
from course_lib.widgets.states import (
    NARROW,
    States,
    listed_places,
    packed_states,
    stored_states,
)

NUMBER = re.compile(r"-?\d+\.?\d*")
SAMPLE = 6  # states of each explorer, others in every run
TOGETHER, EACH = 15e6, 3e6  # bytes


def places(name: str) -> list[tuple[int, ...]]:
    """Every stored place of an explorer."""
    explorer = STORED[name]()
    listed = listed_places(explorer)
    return list(
        product(*(range(len(values)) for values in explorer.grids.values()))
        if listed is None
        else map(tuple, listed)
    )


def assert_same_drawing(one: str, other: str) -> None:
    """Equal but for the last digit of coordinates; texts, colours and structure are compared."""
    if "base64," in one:
        one, other = (re.sub(r"base64,[^\"]*", "", text) for text in (one, other))
    assert NUMBER.sub("#", one) == NUMBER.sub("#", other)
    numbers = [np.array(NUMBER.findall(text), dtype=float) for text in (one, other)]
    np.testing.assert_allclose(*numbers, atol=0.02)


@pytest.mark.parametrize("kind", ["", NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", STORED)
def test_a_random_sample_of_stored_states_is_what_python_computes_now(name, kind):
    seed = random.randrange(10**6)
    print(f"seed {seed}")  # shown where the test fails
    stored, explorer = stored_states(name + kind), STORED[name]()
    explorer.moving = MovingPicture(explorer.frame, explorer.state, narrow=bool(kind))
    for place in random.Random(seed).sample(places(name), SAMPLE):
        shown, anew = stored.shown(stored.number(place)), explorer.drawn(explorer.state_at(place))
        assert {k: shown[k] for k in ("text", "alt", "attained")} == {
            k: anew[k] for k in ("text", "alt", "attained")
        }
        assert len(shown["layers"]) == len(anew["layers"])
        for one, other in zip(shown["layers"], anew["layers"], strict=True):
            assert_same_drawing(one, other)


@pytest.mark.parametrize("name", STORED)
def test_the_drawing_for_a_phone_is_narrow_and_has_the_size_that_a_page_keeps_free(name):
    explorer, still = STORED[name](), stored_states(name + NARROW).still
    assert still["size"] == pytest.approx(explorer.surface.spec["narrow"])
    assert still["size"][0] <= 360  # points: letters of 9 points have 9 pixels on a phone


@pytest.mark.parametrize("name", STORED)
def test_every_stored_place_has_a_number_of_its_own(name):
    stored, all_places = stored_states(name), places(name)
    assert sorted(map(stored.number, all_places)) == list(range(len(stored)))


@pytest.mark.parametrize("name", STORED)
def test_a_stored_state_attains_the_goal_and_the_first_one_does_not(name):
    stored, explorer = stored_states(name), STORED[name]()
    start = stored.number(tuple(explorer.place.values()))
    attained = np.array([stored.shown(k)["attained"] for k in range(len(stored))])
    parts = explorer.surface.spec["parts"]
    assert np.bitwise_or.reduce(attained) == 2**parts - 1
    assert attained[start] == 0


def test_the_repository_stays_small():
    weights = [states.file_of(name, ROOT).stat().st_size for name in states.FILES]
    assert max(weights) <= EACH and sum(weights) <= TOGETHER


def test_nothing_stored_is_stale():
    assert states.stale(ROOT) == []


@pytest.fixture
def copy(tmp_path):
    for part in ("course_lib", "requirements.lock"):
        source = ROOT / part
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(
            source, tmp_path / part, ignore=ignored
        ) if source.is_dir() else shutil.copy(source, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "change", "named"),
    [
        ("widgets/threshold.py", ("size = (", "size = (1 + "), {"threshold"}),
        ("studies/gauges.py", ("FAN = ", "FAN = 1 * "), {"rashomon"}),
        ("plots/theme.css", ("#0445ac", "#0445ad"), set(STORED)),
        ("widgets/surface/explorer.js", ("//", "// more"), set()),
        ("studies/gauges.py", ('"""', '# a comment\n"""'), set()),
        ("studies/gauges.py", ('"""', '"""More words. '), set()),
    ],
)
def test_what_the_states_depend_on_makes_them_stale_and_nothing_else(copy, file, change, named):
    path = copy / "course_lib" / file
    text = path.read_text(encoding="utf-8")
    assert change[0] in text
    path.write_text(text.replace(*change, 1), encoding="utf-8")
    found = {re.search(r"stored/([\w-]+)\.gz", problem)[1] for problem in states.stale(copy)}
    assert found == named | {name + NARROW for name in named}


EVERY_PYTHON = b'''
"""Said."""
@wraps(one)
def f(a, /, b: int = 2, *c, d=None, **e) -> str:
    """Said."""
    return f"{a!r:>9} and {d}" "x"
class C(f, metaclass=type):
    x: int
    async def g(self): return [i async for i in self if i]
match f:
    case {"a": [1, *_]} | C(x=1) as g: pass
h = lambda x: (x := 1, -x, u"u", b"b", ..., None, 1j)
try: pass
except* ValueError: pass
'''


def test_what_code_says_is_the_same_in_every_python():
    """Each has a syntax tree of its own; the digest is that of 3.11, 3.12 and 3.13."""
    digest = hashlib.sha256(states._without_explanations(EVERY_PYTHON)).hexdigest()
    assert digest.startswith("ce739eaf808ff67d")


def test_only_the_states_of_the_lessons_that_are_named_are_built(monkeypatch):
    monkeypatch.setattr(states, "_key_stored", lambda name, root: "old")
    monkeypatch.setattr(states, "ProcessPoolExecutor", lambda max_workers: nullcontext(Idle()))
    assert states.build(ROOT, ["01"]) == ["threshold", "threshold-narrow"]
    assert states.build(ROOT, ["02_mdi_bias", "09"]) == [
        *("noise", "noise-narrow"),
        *("rashomon", "rashomon-narrow"),
    ]
    assert states.build(ROOT, ["00"]) == []
    assert states.build(ROOT) == [f"{name}{kind}" for name in STORED for kind in ("", NARROW)]


class Idle:
    """A pool that hands back what is stored."""

    def map(self, _, names, keys):
        return [states.file_of(name, ROOT).read_bytes() for name in names]


def test_missing_and_orphaned_files_are_named(copy):
    states.file_of("noise", copy).rename(states.file_of("noisy", copy))
    missing, orphan = states.stale(copy)
    assert "noise.gz has not been built" in missing and "noisy.gz belongs to no explorer" in orphan


def test_packing_is_the_same_every_time_and_shares_what_is_equal():
    explorer = STORED["display"]()
    packed = packed_states(explorer)
    assert packed == packed_states(STORED["display"]())
    stored = States(packed)
    layers = sum(len(stored.shown(k)["layers"]) for k in range(len(stored)))
    assert len(packed) < 40 * layers
