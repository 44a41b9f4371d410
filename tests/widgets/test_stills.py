"""The states that an explorer shows on paper."""

import re

import ipywidgets as widgets
import matplotlib.pyplot as plt
import pytest

from course_lib.widgets import Explorer, lattice_explorer, noise_explorer, threshold_explorer
from course_lib.widgets.stills import still_states, stills_html


def explorer_of(**options):
    defaults = {
        "frame": lambda n: plt.figure(figsize=(2, 1)),
        "readout": lambda n: f"n squared is {n**2}",
        "controls": {"n": widgets.IntSlider(2, 0, 10, description="number")},
        "goal": "Make n squared 81.",
        "reached": lambda n: n**2 == 81,
    }
    return Explorer(**defaults | options)


def test_the_start_the_far_end_and_the_goal_are_shown():
    assert still_states(explorer_of()) == [{"n": 2}, {"n": 10}, {"n": 9}]


def test_the_nearest_state_that_attains_the_goal_is_shown():
    assert still_states(explorer_of(reached=lambda n: n in (0, 7)))[-1] == {"n": 0}


def test_without_a_goal_the_two_ends_are_left():
    explorer = explorer_of(reached=None, controls={"n": widgets.Dropdown(options=[1, 2, 3])})
    assert still_states(explorer) == [{"n": 1}, {"n": 3}]


def test_no_state_is_shown_twice():
    assert still_states(explorer_of(reached=lambda n: n == 10)) == [{"n": 2}, {"n": 10}]


def test_captions_say_what_was_moved():
    html = stills_html(explorer_of())
    assert re.findall(r"<figcaption><b>(.*?)</b> (.*?)</figcaption>", html) == [
        ("At the start.", "n squared is 4"),
        ("number: 10.", "n squared is 100"),
        ("number: 9.", "n squared is 81"),
    ]


def test_a_named_state_has_its_name_as_caption():
    html = stills_html(lattice_explorer())
    assert re.findall(r"<figcaption><b>(.*?)</b>", html) == [
        "Gloves.",
        "Two musicians and a listener.",
        "Opposite orders.",
    ]


@pytest.mark.parametrize("explorer", [noise_explorer, threshold_explorer])
def test_stills_leave_the_controls_where_they_are_and_differ(explorer):
    explorer = explorer()
    before = explorer.state
    pictures = re.findall(r"<svg.*?</svg>", stills_html(explorer), re.DOTALL)
    assert len(set(pictures)) == len(pictures) == 3
    assert explorer.state == before and not explorer.reached
