"""What the tests of explorers share: a frame as a reader meets it."""

import re
from html import unescape

import pytest

from course_lib.plots.pictures import course_style
from course_lib.plots.svg import drawn

TIP, SERIES = re.compile(r'data-tip="([^"]*)"'), re.compile(r'data-series="([^"]*)"')


@pytest.fixture(scope="session")
def frame_of():
    """The whole SVG of an explorer in one of its states."""

    def frame(explorer, **state) -> str:
        layers = explorer.moving.layers(explorer.state | state)
        return explorer.moving.background + "".join(layers)

    return frame


@pytest.fixture(scope="session")
def tips_of(frame_of):
    """What a reader can point at in one of the states of an explorer, in words."""
    return lambda explorer, **state: list(map(unescape, TIP.findall(frame_of(explorer, **state))))


@pytest.fixture(scope="session")
def series_of(frame_of):
    """What can be highlighted, and by how many parts of the picture."""

    def series(explorer, **state) -> dict[str, int]:
        found = list(map(unescape, SERIES.findall(frame_of(explorer, **state))))
        return {name: found.count(name) for name in found}

    return series


@pytest.fixture(scope="session")
def follows_theme():
    """Whether a dark theme changes a colour of an artist."""

    def follows(artist) -> bool:
        with course_style():
            return "var(--course-" in drawn(artist, (500, 300))

    return follows
