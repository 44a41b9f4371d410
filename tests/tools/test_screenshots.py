"""The README's pictures: all there, described, small, and each one taken by the script."""

import io
import re

import numpy as np
import pytest
from depth import LEVEL
from PIL import Image

from course_lib.plots.pictures import small_png
from course_lib.tools import screenshots
from course_lib.tools.screenshots import FOLDER, PICTURES
from course_lib.tools.system import ROOT

NAMED = re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
LIMIT = 150_000  # bytes of one frame


def test_the_readme_shows_exactly_the_pictures_that_the_script_takes():
    assert [place for _, place in NAMED] == [f".github/{name}" for name in PICTURES]
    assert {path.name for path in FOLDER.glob("*.png")} == set(PICTURES)


@pytest.mark.parametrize(("alt", "place"), NAMED)
def test_each_picture_says_in_words_what_it_shows(alt, place):
    assert len(alt.split()) >= 8


@pytest.mark.parametrize("name", PICTURES)
def test_each_picture_is_small_and_sharp(name):
    picture = Image.open(FOLDER / name)
    assert (FOLDER / name).stat().st_size < LIMIT * min(picture.n_frames, 5)
    assert picture.width >= 1200


def test_fewer_colours_leave_the_size_and_nearly_the_picture():
    x = np.linspace(0, 255, 60, dtype=np.uint8)
    screen = np.stack(np.broadcast_arrays(x[:, None], x[None, :], 128), axis=-1).astype(np.uint8)
    png = io.BytesIO()
    Image.fromarray(screen).save(png, "PNG")
    small = np.asarray(Image.open(io.BytesIO(small_png(png, screenshots.COLOURS))).convert("RGB"))
    assert small.shape == screen.shape
    assert len(np.unique(small.reshape(-1, 3), axis=0)) <= screenshots.COLOURS
    assert np.abs(small.astype(int) - screen).mean() < 255 / screenshots.COLOURS**0.5


def test_the_picture_that_moves_shows_all_its_frames_in_turn():
    colours = ["red", "green", "red", "blue"]
    pngs = []
    for colour in colours:
        png = io.BytesIO()
        screen = Image.new("RGB", (40, 30), "white")
        screen.paste(colour, (0, 0, 20, 30))
        screen.paste("green", (20, 0, 30, 10))
        screen.paste("blue", (20, 10, 30, 20))
        screen.paste("red", (20, 20, 30, 30))
        screen.save(png, "PNG")
        pngs.append(png.getvalue())
    moving = Image.open(io.BytesIO(screenshots.moving_png(pngs)))
    assert moving.n_frames == len(colours) and moving.info["loop"] == 0
    for place, png in enumerate(pngs):
        moving.seek(place)
        wanted = np.asarray(Image.open(io.BytesIO(png)))
        assert np.abs(np.asarray(moving.convert("RGB")).astype(int) - wanted).max() <= 8
    assert Image.open(FOLDER / "moving.png").n_frames == screenshots.FRAMES


def test_only_the_pictures_that_are_named_are_taken(monkeypatch, capsys):
    taken = []
    monkeypatch.setattr(screenshots, "take", lambda names, folder: taken.append(names))
    assert screenshots.main(["map.png"]) == screenshots.main([]) == 0
    assert taken == [["map.png"], list(PICTURES)]
    with pytest.raises(SystemExit):
        screenshots.main(["other.png"])
    assert "invalid choice: 'other.png'" in capsys.readouterr().err


@pytest.mark.skipif(LEVEL != "long", reason="the same lab is looked at by tests/learner")
@pytest.mark.browser
def test_the_check_is_photographed_in_a_real_lab(tmp_path):
    screenshots.take(["check.png"], tmp_path)
    assert Image.open(tmp_path / "check.png").width == Image.open(FOLDER / "check.png").width
