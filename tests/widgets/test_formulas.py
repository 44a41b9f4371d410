"""Formulas of forms, site and slides: the same on a machine without any font for mathematics."""

import json
import re
import tomllib
from html import unescape
from importlib.resources import files
from unicodedata import normalize

import pytest
from fontTools.ttLib import TTFont

from course_lib.lessons.prose import mathml, to_html
from course_lib.lessons.reading import texts_in
from course_lib.lessons.ties import untied
from course_lib.tools.browser import browser_page
from course_lib.tools.system import ROOT
from course_lib.widgets.surface import style

FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)


def font() -> TTFont:
    return TTFont(files("course_lib.widgets.surface") / "formulas" / "formulas.woff")


def texts():
    """All that the course shows as Markdown, with its place."""
    for path in [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("solutions/*/*.ipynb")]:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield from ((path.stem, "".join(cell["source"])) for cell in cells)
    for path in ROOT.glob("notebooks/*.md"):
        yield path.stem, path.read_text(encoding="utf-8")
    for path in ROOT.glob("course_lib/lessons/*.toml"):
        entry = tomllib.loads(path.read_text(encoding="utf-8"))
        yield from ((path.stem, untied(text)) for text in texts_in(entry))


def test_the_font_has_every_letter_of_every_formula_of_the_course():
    has = set(font().getBestCmap())
    formulas = {(where, one) for where, text in texts() for one in FORMULA.findall(to_html(text))}
    assert len(formulas) > 300
    letters = {
        (letter, where)
        for where, formula in formulas
        for letter in normalize("NFC", unescape(re.sub(r"<[^>]*>", "", formula)))
    }
    assert [one for one in letters if ord(one[0]) not in has] == []


def test_the_font_knows_where_indices_fractions_and_large_signs_stand():
    table = font()["MATH"].table
    assert table.MathConstants.SubscriptShiftDown.Value > 100  # of 1000 for a letter's height
    assert font().getBestCmap()[ord("∑")] in table.MathVariants.VertGlyphCoverage.glyphs


def test_bars_around_a_letter_stand_close_to_it():
    assert mathml("|S|!").count('lspace="0" rspace="0"') == 2
    assert "lspace" not in mathml(r"I(X; Y \mid B)")


@pytest.mark.browser
def test_an_index_stands_lower_than_its_letter_whatever_fonts_there_are(tmp_path):
    """Without a font for mathematics a browser sets N_t as Nt."""
    path = tmp_path / "page.html"
    path.write_text(
        f"<meta charset=utf-8><style>{style()}</style><p>{mathml('N_t = x^2')}</p>",
        encoding="utf-8",
    )
    with browser_page(tmp_path / "profile") as page:
        page.goto(path.as_uri())
        page.evaluate("() => document.fonts.ready")
        loaded = page.evaluate("() => [...document.fonts].map(font => font.status)")
        boxes = page.evaluate(
            """() => [...document.querySelectorAll("msub > *, msup > *")].map(each => {
                const {top, bottom} = each.getBoundingClientRect(); return {top, bottom}; })"""
        )
    letter, index, base, power = boxes
    assert loaded == ["loaded"]
    assert index["bottom"] > letter["bottom"] + 1
    assert power["top"] < base["top"] - 1
