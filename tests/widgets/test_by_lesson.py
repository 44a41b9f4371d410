"""What the explorers of all lessons have in common: words, goals, and what can be dragged."""

import re

import numpy as np
import pytest
from matplotlib.text import Text

from course_lib.widgets.by_lesson import EXPLORERS
from course_lib.widgets.controls import described
from course_lib.widgets.stills import still_states

WORD = re.compile(r"[a-zA-Z]{3,}")
DRAGGED = {
    "01": {"threshold"},
    "03": {"rho"},
    "06": {"digit"},
    "07": {"effect"},
    "08": {"biomarker", "cycling"},
    "09": {"epsilon"},
}


@pytest.fixture(scope="module")
def explorers():
    return {lesson: explorer() for lesson, explorer in EXPLORERS.items()}


@pytest.mark.parametrize("lesson", EXPLORERS)
def test_every_control_has_a_label_in_words(explorers, lesson):
    for name, control in explorers[lesson].controls.items():
        shown = described(control, name)
        assert WORD.search(shown["label"]) and len(shown["label"]) > 3, shown
        for text in shown["texts"]:
            assert WORD.search(text) or re.fullmatch(r"[+−-]?[\d.]+%?", text), shown


@pytest.mark.parametrize("lesson", EXPLORERS)
def test_the_goal_is_not_reached_at_the_start_and_is_reached_on_paper(explorers, lesson):
    explorer = explorers[lesson]
    start, *others = still_states(explorer)
    assert start == explorer.state and explorer.goal and not explorer.reached
    assert any(explorer.attains(**state) for state in others)


@pytest.mark.parametrize("lesson", EXPLORERS)
def test_every_explorer_has_a_small_picture_and_stills_that_differ(explorers, lesson, monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")
    assert len(explorers[lesson].figure().svg) < 90_000
    html = explorers[lesson]._repr_mimebundle_()["text/html"]
    pictures = re.findall(r'<svg role="img" aria-label="[^"]{20,}".*?</svg>', html)
    assert 2 <= len(pictures) <= 3 and len(set(pictures)) == len(pictures)
    assert html.count("<figcaption>") == len(pictures)


@pytest.mark.parametrize("lesson", EXPLORERS)
def test_what_can_be_dragged_runs_along_its_control(explorers, lesson):
    """The page takes the value whose handle is nearest, so each must be nearest to itself."""
    explorer = explorers[lesson]
    actor = explorer.moving
    assert set(actor.handles(explorer.state)) == DRAGGED.get(lesson, set())
    for name in DRAGGED.get(lesson, ()):
        values = explorer.grids[name]
        places = [actor.handles(explorer.state | {name: value})[name] for value in values]
        known = np.array([[0 if at is None else at for at in place] for place in places])
        far = np.linalg.norm(known[:, np.newaxis] - known, axis=-1)
        assert far.argmin(axis=1).tolist() == list(range(len(values)))
        inside = (known >= 0) & (known <= explorer.moving.size)
        assert inside.all()


@pytest.mark.parametrize("lesson", EXPLORERS)
def test_marks_have_names_and_values(explorers, tips_of, lesson):
    tips = tips_of(explorers[lesson])
    assert len(tips) >= 5
    assert all(WORD.search(tip) for tip in tips)
    assert sum(bool(re.search(r"\d", tip)) for tip in tips) > len(tips) / 2


@pytest.mark.parametrize("lesson", EXPLORERS)
def test_every_label_of_an_axis_is_in_words_or_a_variable(explorers, lesson):
    figure = explorers[lesson].frame.figure(**explorers[lesson].state)
    labels = [label for ax in figure.axes for label in (ax.get_xlabel(), ax.get_ylabel())]
    assert all(WORD.search(label) or label in ("x1", "x2") for label in labels if label)


@pytest.mark.parametrize("lesson", EXPLORERS)
def test_the_picture_fits_a_lab_of_1100_pixels_with_letters_that_can_be_read(explorers, lesson):
    """The page keeps letters at 11 pixels and lets the rest be swiped; at a desk nothing may be."""
    figure = explorers[lesson].frame.figure(**explorers[lesson].state)
    shown = [text for text in figure.findobj(Text) if text.get_text().strip()]
    smallest = min(text.get_fontsize() for text in shown)
    assert figure.get_figwidth() * 72 * 11 / smallest <= 660
