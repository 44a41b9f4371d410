"""The importance card in a browser: readable in light and in dark, and one page on paper."""

import re

import pytest
from sklearn.linear_model import LinearRegression

from course_lib.studies import importance_card
from course_lib.tools.browser import browser_page
from course_lib.worlds import load_patients

pytestmark = pytest.mark.browser

COLOURS = """() => {
    const style = element => getComputedStyle(element);
    return [...document.querySelectorAll('p, td, th, dd, h1, h2')].map(one => style(one).color);
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    X, y = load_patients()
    folder = tmp_path_factory.mktemp("card")
    card = importance_card(LinearRegression().fit(X, y), X, y, n_halves=2)
    (folder / "card.html").write_text(card.to_html(), encoding="utf-8")
    with browser_page(folder / "browser") as page:
        page.goto((folder / "card.html").as_uri())
        yield page


def test_a_card_of_ten_columns_and_six_questions_is_one_page_of_paper(page, tmp_path):
    page.pdf(path=tmp_path / "card.pdf", format="A4", prefer_css_page_size=False)
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "card.pdf").read_bytes())) == 1


@pytest.mark.parametrize(("scheme", "ink"), [("light", "rgb(0, 0, 0)"), ("dark", "rgb(255")])
def test_the_page_is_written_in_the_ink_of_its_scheme(page, scheme, ink):
    page.emulate_media(color_scheme=scheme)
    colours = set(page.evaluate(COLOURS))
    assert len(colours) == 1 and colours.pop().startswith(ink)


def test_nothing_is_wider_than_a_narrow_window(page):
    page.set_viewport_size({"width": 700, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
