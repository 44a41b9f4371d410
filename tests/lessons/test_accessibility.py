"""Everyone can take the course: by ear, by keyboard, in dark and in light, with any colour vision.

What figures look like is tested in test_plots.py; here is what stands around them, in all built
notebooks and in the prose files. Each finder of faults is also shown a fault.
"""

import inspect
import json
import re
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import ipywidgets as widgets
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from course_lib import learner, lessons, results
from course_lib.learner import checks, forms, statements
from course_lib.learner import predictions as forecasts
from course_lib.lessons import Option, judgement
from course_lib.lessons.judgement import CORRECT, NOT_ATTEMPTED, NOT_YET, Verdict
from course_lib.questions import Q1
from course_lib.results import Importances
from course_lib.tools.system import ROOT
from course_lib.widgets import digits, rankings_explorer
from course_lib.widgets.by_lesson import EXPLORERS

NOTEBOOKS = sorted(
    path
    for pattern in ("notebooks/*.ipynb", "solutions/*/*.ipynb", "exercises/*/*.ipynb")
    for path in ROOT.glob(pattern)
)
PROSE = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PROSE += [ROOT / "solutions" / "README.md", ROOT / "course_lib" / "README.md"]
WHITE, DARK = "#ffffff", "#111111"  # the backgrounds of JupyterLab's two themes

GENERIC = (
    r"(an?|the)? ?(image|picture|figure|plot|graph|chart|diagram|output|png|alt)( of .{0,15})?"
)
EMPTY_WORDS = {"here", "click here", "this", "link", "this link", "more", "read more", ""}
KEYBOARD = (
    *(widgets.FloatSlider, widgets.IntSlider, widgets.SelectionSlider, widgets.ToggleButtons),
    *(widgets.Dropdown, widgets.RadioButtons, widgets.Checkbox, widgets.Text),
)
SYMBOLS_AND_WORDS = r"[✓✔✗↻○]\s*(<b>)?[A-Za-z]{3}"


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def notebook(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def cells(path: Path, kind: str) -> list[dict]:
    return [cell for cell in notebook(path)["cells"] if cell["cell_type"] == kind]


def markdown(path: Path) -> str:
    """The prose of a notebook or of a Markdown file, without its code."""
    if path.suffix == ".md":
        text = path.read_text(encoding="utf-8")
    else:
        text = "\n\n".join("".join(cell["source"]) for cell in cells(path, "markdown"))
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def outputs(path: Path) -> list[dict]:
    return [output for cell in cells(path, "code") for output in cell["outputs"]]


@cache
def shown_html(path: Path) -> str:
    """The HTML of all outputs; pictures without their bytes."""
    pages = ("".join(o.get("data", {}).get("text/html", "")) for o in outputs(path))
    return re.sub(r"base64,[A-Za-z0-9+/=]+", "", "\n".join(pages))


# Pictures, tables, colours: what the HTML of an output must say


class LeftOver(HTMLParser):
    """What of an output is left by viewers such as GitHub's, which take most elements away."""

    GONE = {"script", "style", "svg", "iframe"}

    def __init__(self, html: str):
        super().__init__()
        self.inside, self.words, self.pictures, self.formulas = [], "", 0, 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag in self.GONE:
            self.inside.append(tag)
        elif not self.inside:
            self.pictures += tag == "img"
            self.formulas += tag == "math"  # whose letters stay, a half as 12

    def handle_endtag(self, tag):
        if self.inside and tag == self.inside[-1]:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.words += data.strip()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=short)
def test_where_scripts_and_drawings_are_taken_away_no_output_is_empty_or_garbled(path):
    pages = ["".join(o.get("data", {}).get("text/html", "")) for o in outputs(path)]
    left = [LeftOver(page) for page in pages if page]
    assert all(page.words or page.pictures for page in left)
    assert not any(page.formulas for page in left)


def test_what_a_viewer_would_leave_empty_or_garbled_is_seen():
    gone = LeftOver("<style>x</style><script>y</script><svg><text>z</text><svg/></svg></svg>")
    assert not gone.words and not gone.pictures
    assert LeftOver("<p>So <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math></p>").formulas == 1


class Faults(HTMLParser):
    """Collects what a reader who cannot see the output would miss."""

    VOID = {"img", "br", "hr", "input", "line", "path", "circle", "rect", "wbr"}

    def __init__(self, html: str):
        super().__init__()
        self.found, self.stack, self.headers = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "img" and not says_something(attrs.get("alt")):
            self.found.append(f"alt text {attrs.get('alt')!r}")
        if tag == "svg" and (attrs.get("role") != "img" or not attrs.get("aria-label")):
            self.found.append("a drawing without role and label")
        if re.fullmatch(r"h[1-6]", tag):
            self.found.append(f"<{tag}> in an output breaks the order of headings")
        if tag == "table":
            self.headers.append(0)
        if tag == "th" and self.headers:
            self.headers[-1] += 1
        if colours(attrs) and not self.labelled(tag, attrs):
            self.found.append(f"<{tag}> is coloured, and nothing says the same without colour")
        if tag not in self.VOID:
            self.stack.append((tag, attrs))

    def handle_endtag(self, tag):
        if tag == "table" and self.headers and not self.headers.pop():
            self.found.append("a table without headers")
        if tag in {name for name, _ in self.stack}:
            while self.stack.pop()[0] != tag:
                pass

    def labelled(self, tag: str, attrs: dict) -> bool:
        """Whether the element is decoration beside text, or part of a drawing with a label."""
        around = [*self.stack, (tag, attrs)]
        return any(a.get("aria-hidden") == "true" or a.get("aria-label") for _, a in around)


def says_something(alt: str | None) -> bool:
    words = (alt or "").strip().rstrip(".")
    return len(words.split()) >= 4 and not re.fullmatch(GENERIC, words, re.IGNORECASE)


def colours(attrs: dict) -> list[str]:
    """The colours an element sets itself; the theme's own ink is not one of them."""
    styled = re.findall(
        r"(?:color|background|fill|stroke)[a-z-]*:\s*([^;]+)", attrs.get("style", "")
    )
    set_here = [*styled, attrs.get("fill", ""), attrs.get("stroke", "")]
    neutral = {"", "none", "inherit", "transparent", "currentcolor"}
    return [c.strip() for c in set_here if c.strip().lower() not in neutral]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=short)
def test_outputs_have_alt_texts_headers_and_no_colour_without_words(path):
    assert Faults(shown_html(path)).found == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=short)
def test_no_picture_comes_without_html_that_can_carry_its_alt_text(path):
    """JupyterLab shows plain image outputs without an alternative text."""
    mimes = {mime for output in outputs(path) for mime in output.get("data", {})}
    assert not {mime for mime in mimes if mime.startswith("image/")}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=short)
def test_no_output_shows_a_number_as_numpy_writes_it(path):
    texts = map(str, outputs(path))
    assert not [text for text in texts if re.search(r"\bnp\.(float|int|bool|True_|False_)", text)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=short)
def test_pictures_in_the_prose_have_alt_texts(path):
    assert all(map(says_something, re.findall(r"!\[([^\]]*)\]\(", markdown(path))))


@pytest.mark.parametrize(
    "html",
    [
        '<img src="x">',
        '<img alt="" src="x">',
        '<img alt="a plot" src="x">',
        '<img alt="A figure of the results." src="x">',
        "<svg><path/></svg>",
        "<h2>Result</h2>",
        "<table><tr><td>1</td></tr></table>",
        "<table><tr><th>a<table><tr><td>1</td></tr></table></th></tr></table>",
        '<div style="color:red">wrong</div>',
        '<div><br><span style="background-color: #f00"></span></div>',
    ],
)
def test_a_fault_in_an_output_is_found(html):
    assert len(Faults(html).found) == 1


def test_outputs_that_say_everything_pass():
    alt = '<img alt="The importance of x1 is three times that of x2." src="x">'
    table = "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>"
    drawing = '<svg role="img" aria-label="guess 2, truth 3"><path fill="#123456"/></svg>'
    bar = '<span aria-hidden="true"><span style="background:#2f7fb8"></span></span>'
    assert Faults(alt + table + drawing + bar).found == []


# Headings and links


def heading_faults(text: str) -> list[str]:
    found = re.findall(r"^(#{1,6}) (.+)$", text, re.MULTILINE)
    levels = [len(marks) for marks, _ in found]
    faults = [] if levels.count(1) == 1 and levels[0] == 1 else ["not one first-level heading"]
    for (before, after), (_, title) in zip(pairwise(levels), found[1:], strict=True):
        if after > before + 1:
            faults.append(f"{title!r} skips a level")
    return faults


def links(text: str) -> list[tuple[str, str]]:
    without_code = re.sub(r"`[^`\n]*`", "code", text)
    return re.findall(r"(?<!!)\[([^\]\n]*)\]\(([^)\s]*)\)", without_code)


def anchors(text: str) -> set[str]:
    """The anchors of the headings, as they are made on the pages of a repository."""
    titles = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def target_exists(path: Path, target: str) -> bool:
    """Whether a relative link leads somewhere from where the file lies."""
    name = unquote(target.partition("#")[0])
    if not name:
        return target[1:] in anchors(markdown(path))
    return (path.parent / name).exists()


@pytest.mark.parametrize("path", NOTEBOOKS + PROSE, ids=short)
def test_headings_are_one_title_and_no_level_is_skipped(path):
    assert heading_faults(markdown(path)) == []


@pytest.mark.parametrize("path", NOTEBOOKS + PROSE, ids=short)
def test_links_say_where_they_lead_and_lead_there(path):
    text = markdown(path)
    html = shown_html(path) if path.suffix == ".ipynb" else ""
    hrefs = re.findall(r'<a [^>]*href="([^"]*)"', html)
    assert not {words for words, _ in links(text) if words.strip().lower() in EMPTY_WORDS}
    targets = [target for _, target in links(text)] + hrefs
    local_ones = [t for t in targets if not re.match(r"[a-z]+:", t)]
    assert [target for target in local_ones if not target_exists(path, target)] == []


@pytest.mark.parametrize("text", ["## a", "# a\n# b", "## a\n# b", "# a\n### c", "no heading"])
def test_a_fault_in_the_headings_is_found(text):
    assert heading_faults(text)


def test_a_dead_link_is_found_and_code_is_not_a_link():
    lesson = ROOT / "notebooks" / "01_mdi.ipynb"
    assert target_exists(lesson, "../exercises/01_mdi/01_mdi.ipynb")
    assert not target_exists(lesson, "exercises/01_mdi.ipynb")  # a name of the workbook's
    assert not target_exists(ROOT / "README.md", "nowhere.md")
    assert not target_exists(ROOT / "README.md", "#nowhere")
    assert links("`X[a](b)` and [here](c.md)") == [("here", "c.md")]


# Contrast, and status without colour


def luminance(color) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return sum(c * weight for c, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(first, second) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_21_between_black_and_white_and_1_to_itself():
    assert contrast("#000000", WHITE) == pytest.approx(21)
    assert contrast("#2f7fb8", "#2f7fb8") == 1


def html_colours() -> set[str]:
    """All colours in the HTML of outputs, and those in the sources that write it."""
    sources = "".join(
        map(inspect.getsource, (forecasts, forms, statements, results, checks, judgement))
    )
    html = "".join(map(shown_html, NOTEBOOKS))
    html = re.sub(r"<svg.*?</svg>|<style.*?</style>|<script.*?</script>", "", html, flags=re.DOTALL)
    styled = re.findall(r'(?:color|background|fill|stroke)[a-z-]*[:=]"?\s*(#[0-9a-fA-F]+)', html)
    return {c.lower() for c in styled + re.findall(r"#[0-9a-fA-F]{6}\b", sources)}


def test_bars_and_marks_stand_out_in_both_themes():
    """WCAG 2.2, 1.4.11: graphical objects need 3:1 against what lies behind them."""
    found = html_colours()
    weak = {c for c in found if min(contrast(c, WHITE), contrast(c, DARK)) < 3}
    assert not weak


def test_the_paler_line_under_a_measure_can_be_read_in_both_themes():
    """WCAG 2.2, 1.4.3: text needs 4.5:1; the theme's ink is 87 % black, or white."""
    html = Importances([[1.0]], ("a",), "measure", Q1)._repr_html_()
    opacity = float(re.search(r"opacity:([.\d]+)", html)[1])
    on_white = 1 - opacity * 0.87
    on_dark = 17 / 255 + opacity * 0.87 * (1 - 17 / 255)
    assert contrast((on_white,) * 3, WHITE) >= 4.5
    assert contrast((on_dark,) * 3, DARK) >= 4.5


@pytest.mark.parametrize("outcome", [CORRECT, NOT_YET, NOT_ATTEMPTED])
def test_a_verdict_is_a_symbol_and_a_word_and_is_announced(outcome):
    html = Verdict("01.1", outcome, "Because.")._repr_html_()
    assert 'role="status"' in html
    assert re.search(SYMBOLS_AND_WORDS, html)
    assert outcome in html and "style" not in html


def test_the_three_verdicts_have_three_symbols():
    shown = {re.sub(r"[\w\s.<>/=\":]", "", repr(Verdict("1", o, ""))) for o in judgement.SYMBOLS}
    assert len(shown) == 3


@pytest.mark.parametrize("right", [True, False])
def test_feedback_is_a_symbol_and_a_word(right):
    option = Option("x", "Because.", right, "" if right else "M1")
    assert re.match(SYMBOLS_AND_WORDS, statements.feedback(option))


def test_a_reveal_is_a_symbol_and_words(monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")  # the typical guess stands in for the learner
    for truth in ("both the same", "the one it asks second"):
        assert re.search(SYMBOLS_AND_WORDS, learner.reveal("01.1", truth).html)


# Widgets by keyboard and by ear


@pytest.fixture(params=["00", *EXPLORERS])
def explorer(request, monkeypatch):
    if request.param == "00":  # made of rankings that the lesson computes
        ranks = pd.DataFrame({"Q1": [1, 2], "Q2": [2, 1]}, index=["age", "race"])
        return rankings_explorer(ranks, "race")
    if request.param == "06":  # one forest of three will do
        monkeypatch.setattr(digits, "KS", (8,))
    return EXPLORERS[request.param]()


def test_an_explorer_is_named_in_words_and_has_texts(explorer):
    """How it works by keyboard and by touch is tested in tests/widgets/test_surface.py."""
    spec, shown = explorer.surface.spec, explorer.surface.shown
    for control in spec["controls"]:
        assert control["kind"] in ("slider", "choice", "list")
        assert len(control["label"]) > 2, control["label"]
        assert all(map(str.strip, control["texts"]))
    assert says_something(shown["alt"]) and says_something(shown["text"])
    assert not re.search(r"\b(Left|Right), ", explorer.figure().alt)  # a phone stacks panels
    assert spec["goal"].endswith((".", "?")) and spec["then"]


def predictions() -> list[str]:
    return [p.id for lesson in lessons.available() for p in lesson.predictions]


@pytest.mark.parametrize("name", predictions())
def test_a_prediction_names_what_is_asked_and_each_of_its_fields(name, monkeypatch, tmp_path):
    """How it works by keyboard and by ear is tested in a browser, in test_forms_browser.py."""
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    spec = learner.predict(name).box.spec
    assert spec["question"].strip() and spec["sure"]["legend"].startswith("How sure")
    assert (
        spec["label"].strip() if spec["kind"] == "number" else all(map(str.strip, spec["options"]))
    )
