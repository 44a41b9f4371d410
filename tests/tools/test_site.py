"""The static course: complete, without answers, whole in its links, readable without a network."""

import json
import re
import threading
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from depth import LEVEL

from course_lib import lessons
from course_lib.measures.catalogue import MEASURES
from course_lib.questions import QUESTIONS
from course_lib.tools import site
from course_lib.tools.browser import browser_page
from course_lib.tools.site.notebooks import only_asks
from course_lib.tools.site.pages import map_list, write_pages
from course_lib.tools.slides.pieces import FOR_ONE
from course_lib.tools.system import ROOT

LESSONS = [lesson.name for lesson in lessons.available()]
ORDER = ["index", *LESSONS, "glossary", "references", "claims"]
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
LINKS_THAT_LOAD = {"stylesheet", "icon", "preload", "modulepreload", "manifest"}


class Page(HTMLParser):
    """What a page links to, what it loads, and what can be linked to in it."""

    def __init__(self, html: str):
        super().__init__()
        self.ids, self.links, self.loads, self.alts, self.order = set(), [], [], [], {}
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids |= {attrs[name] for name in ("id", "name") if name in attrs}
        if tag == "a" and "href" in attrs:
            self.links.append(attrs["href"])
        if tag == "img":
            self.alts.append(attrs.get("alt", ""))
        if tag == "svg" and attrs.get("role") == "img":
            self.alts.append(attrs.get("aria-label", ""))
        relation = attrs.get("rel", "")
        if tag == "link" and relation in ("next", "prev"):
            self.order[relation] = attrs["href"]
        if LOADING.get(tag) in attrs and (tag != "link" or relation in LINKS_THAT_LOAD):
            self.loads.append(attrs[LOADING[tag]])


@cache
def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def pages(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.html"))


def is_outside(link: str) -> bool:
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


# ---- what is there, and what is not ------------------------------------------------------


def test_the_pages_are_those_of_the_course(built):
    assert {path.stem for path in pages(built)} == {*ORDER, "search"}


def test_one_page_follows_the_other_in_the_order_of_the_course(built):
    for before, after in pairwise(ORDER):
        assert page(built / f"{before}.html").order["next"] == f"{after}.html"
        assert page(built / f"{after}.html").order["prev"] == f"{before}.html"


def downloads(built: Path, name: str) -> list[dict]:
    links = [link for link in page(built / f"{name}.html").links if link.endswith(".ipynb")]
    return [json.loads((built / link).read_text(encoding="utf-8")) for link in links]


def without_outputs(notebook: dict) -> bool:
    return not any(cell.get("outputs") for cell in notebook["cells"])


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_hands_out_its_exercise_and_its_own_notebook_to_be_run(built, name):
    file = f"{name}.ipynb"
    lesson = json.loads((ROOT / "notebooks" / file).read_text(encoding="utf-8"))
    exercise = json.loads((ROOT / "exercises" / name / file).read_text(encoding="utf-8"))
    own, first, last = downloads(built, name)
    assert without_outputs(own) and not without_outputs(lesson)
    assert first == last  # below the introduction, and where the lesson ends
    for given, kept in ((own, lesson), (first, exercise)):
        note = given["cells"].pop(1)
        assert [cell["id"] for cell in given["cells"]] == [cell["id"] for cell in kept["cells"]]
        assert "course_lib" in note["source"] and "Get the course from" in note["source"]
        assert note["source"].endswith("`./course lab`.*") and "\n" not in note["source"]
    assert first == exercise


def test_no_page_and_no_download_holds_a_solution_or_the_lecturers_guide(built):
    texts = [path for path in built.rglob("*") if path.suffix in (".html", ".ipynb", ".js")]
    found = "\n".join(path.read_text(encoding="utf-8") for path in texts)
    assert standing_in([*guide(), *solutions(), "### BEGIN SOLUTION"], found) == []


def standing_in(lines: list[str], text: str) -> list[str]:
    """The lines that stand in a text; most of it are coordinates, which no line is looked for in.

    >>> standing_in(["a = b + 1", "a = b + 2"], "M 0 1 L 2 3; a = b + 2")
    ['a = b + 2']
    """
    words = only_letters(text)
    return [line for line in lines if only_letters(line) in words and line in text]


def only_letters(text: str) -> bytes:
    """A text without what coordinates are made of, so that what it held it still holds."""
    return text.encode().translate(None, b" \n0123456789.,-+MLHVQCZz")


def guide() -> list[str]:
    """The sentences of the lecturer's guide that are written for it alone."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "solutions").glob("*.md")]
    return [line for text in texts for line in text.splitlines() if len(line) > 60]


def solutions() -> list[str]:
    """Lines of solutions that stand in no lesson and no exercise, as notebooks store them."""
    regions = [
        region
        for path in sorted((ROOT / "solutions" / "src").glob("*.py"))
        for region in re.findall(
            r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", path.read_text("utf-8"), re.DOTALL
        )
    ]
    lines = {line.strip() for region in regions for line in region.splitlines()}
    open_to_all = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("exercises/*/*.ipynb")]
    shown = "".join(path.read_text("utf-8") for path in open_to_all)
    stored = (json.dumps(line, ensure_ascii=False)[1:-1] for line in lines if len(line) > 30)
    return [line for line in stored if line not in shown]


def test_there_are_solutions_and_a_guide_to_look_for():
    assert len(solutions()) > 50 and len(guide()) > 50


@pytest.mark.parametrize("name", LESSONS)
def test_without_a_script_a_widget_is_a_few_of_its_pictures(built, name):
    html = (built / f"{name}.html").read_text(encoding="utf-8")
    assert 'data-kind="explorer"' in html
    assert html.count('<figure><div class="course-figure">') >= 2


@pytest.mark.parametrize("name", LESSONS)
def test_code_that_is_folded_in_the_lab_is_folded_here_and_forms_have_none(built, name):
    notebook = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    folded = [c for c in codes if c["metadata"].get("jupyter", {}).get("source_hidden")]
    html = (built / f"{name}.html").read_text(encoding="utf-8")
    assert html.count("Show the code") == len(folded)
    asked = [c for c in codes if only_asks("".join(c["source"]))]
    own = [c for c in codes if FOR_ONE.search("".join(c["source"]))]
    assert asked and html.count("cell_input") == len(codes) - len(asked) - len(own)


@pytest.mark.parametrize("name", LESSONS)
def test_a_page_tells_of_nothing_that_only_a_learner_in_jupyterlab_has(built, name):
    """Where progress is kept, whether the packages are there, sliders that a page leaves out."""
    html = (built / f"{name}.html").read_text(encoding="utf-8")
    prose = " ".join(re.sub(r"<script.*?</script>|<[^>]*>", " ", html, flags=re.DOTALL).split())
    assert "Your progress so far" not in prose and "all is well" not in prose
    assert "progress.json" not in prose or "in your browser" in prose  # lesson 00 names both
    if '"listed":true' in html:
        assert not re.search(r"(Each|the|these|every) sliders?\b", prose)
    assert "course-still" not in html


def test_the_front_page_shows_questions_map_lessons_and_how_to_start(built):
    html = (built / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{name}.html"' in html for name in LESSONS)
    assert "How important is the variable to a given model?" in html
    assert "./course lab" in html and "makes the environment the first time" in html
    assert "local MDI (lesson 06)" in page(built / "index.html").alts[-1]
    assert html.index('data-kind="explorer"') < html.index("The course")


def test_on_a_narrow_page_the_map_is_a_list_of_questions_with_their_measures():
    listed = map_list()
    assert listed.count("\n- ") == len(QUESTIONS) - 1
    assert all(measure.name in listed for measure in MEASURES.values() if measure.question)


# ---- links, pictures, hosts --------------------------------------------------------------


def dead_links(folder: Path) -> list[str]:
    return [
        f"{path.name}: {link}"
        for path in pages(folder)
        for link in page(path).links + page(path).loads
        if not is_outside(link) and not leads_somewhere(path, link)
    ]


def leads_somewhere(path: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = path.parent / unquote(urlsplit(name).path) if name else path
    if target.is_dir() or not target.exists():
        return False
    return target.suffix != ".html" or anchor == "" or unquote(anchor) in page(target).ids


def test_every_link_inside_the_site_leads_to_a_file_and_an_anchor(built):
    assert dead_links(built) == []
    assert "glossary.html#measures" in "".join(
        f"{path.name}#{name} " for path in pages(built) for name in page(path).ids
    )


def test_a_dead_link_and_a_dead_anchor_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="x"><a href="#x"><a href="#y"><a href="b.html"><img src="c.png"><a href="d/">'
    )
    assert [link.split()[1] for link in dead_links(tmp_path)] == ["#y", "b.html", "d/", "c.png"]


def test_links_to_other_hosts_are_secure_and_those_to_papers_are_dois(built):
    outside = {link for path in pages(built) for link in page(path).links if is_outside(link)}
    assert len(outside) > 20
    assert [link for link in outside if not link.startswith("https://")] == []
    dois = [link for link in outside if "doi.org" in link]
    assert all(re.fullmatch(r"https://doi\.org/10\.\d{4,5}/[^\s<>]+", link) for link in dois)


def test_no_page_and_no_style_loads_anything_from_another_host(built):
    loaded = {load for path in pages(built) for load in page(path).loads}
    styles = "".join(path.read_text("utf-8") for path in built.rglob("*.css"))
    loaded |= set(re.findall(r"url\(\s*['\"]?([^'\")]+)", styles))
    assert "_static/surface.js" in {load.partition("?")[0] for load in loaded}
    assert [load for load in loaded if is_outside(load) and not load.startswith("data:")] == []
    assert "@import" not in styles


def test_every_picture_has_a_text(built):
    alts = [alt for path in pages(built) for alt in page(path).alts]
    assert len(alts) > 100
    assert [alt for alt in alts if len(alt.split()) < 4] == []


def test_the_search_knows_the_words_of_the_lessons(built):
    text = (built / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    numbers = index["terms"]["permut"] + index["titleterms"]["permut"]
    found = {index["docnames"][number] for number in numbers}
    assert {"00_six_questions", "03_permutation_pitfalls", "glossary"} <= found


# ---- the build ---------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_same_course_gives_the_same_bytes(built, tmp_path):
    """What sphinx is given, in a long run also what it makes of it."""
    if LEVEL == "long":
        first = built
        site.build(ROOT, tmp_path / "again")
    else:
        first = tmp_path / "first"
        for name in ("first", "again"):
            write_pages(ROOT, tmp_path / name)
    first, second = contents(first), contents(tmp_path / "again")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


# ---- in a browser ------------------------------------------------------------------------

RENDERED = "() => document.fonts.ready"
CUT_OFF = r"""() => {
    const width = document.documentElement.clientWidth;
    const HIDDEN = 'svg';
    const scrolls = e => e && e.tagName !== 'ARTICLE' &&
        (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
    const wide = [...document.querySelectorAll('article *')].filter(
        e => e.getBoundingClientRect().right > width + 1 && !e.closest(HIDDEN) && !scrolls(e));
    const all = document.documentElement.scrollWidth > width ? [document.body, ...wide] : wide;
    return all.map(e => e.tagName);
}"""
UNREADABLE_FORMULAS = r"""() => [
    ...document.querySelectorAll('.math:not(:has(math)), merror'),
    ...[...document.querySelectorAll('article :is(p, li, td, h1, h2, h3)')]
        .filter(e => /\\[a-zA-Z(\[]|\$/.test(e.innerText)),
].map(e => e.textContent)"""
EMPTY_PICTURES = "() => [...document.images].filter(i => !i.naturalWidth).map(i => i.alt)"
PICTURES_NOT_ON_WHITE = """() => [...document.querySelectorAll('article img')]
    .filter(i => getComputedStyle(i).backgroundColor !== 'rgb(255, 255, 255)').map(i => i.alt)"""
WEAK_TEXT = r"""() => {
    const numbers = color => { const n = color.match(/[\d.]+/g).map(Number);
                               return n.length < 4 ? [...n, 1] : n; };
    const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3]));
    const behind = e => { if (!e) return [255, 255, 255];
        const color = numbers(getComputedStyle(e).backgroundColor);
        return color[3] === 1 ? color : over(color, behind(e.parentElement)); };
    const opacity = e => e ? getComputedStyle(e).opacity * opacity(e.parentElement) : 1;
    const linear = v => v <= 0.04045 * 255 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
    const light = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
    const contrast = e => { const under = behind(e), ink = numbers(getComputedStyle(e).color);
        ink[3] *= opacity(e);
        const [low, high] = [light(over(ink, under)), light(under)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05); };
    const says = e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    return [...document.querySelectorAll('body *')]
        .filter(e => says(e) && e.getBoundingClientRect().width && !e.closest('svg, math'))
        .filter(e => contrast(e) < 4.5).map(e => e.textContent.trim());
}"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A page of a browser without network; `requests` are the addresses it has asked for."""
    with browser_page(tmp_path_factory.mktemp("browser"), timeout=60) as opened:
        opened.context.set_offline(True)
        opened.requests = []
        opened.on("request", lambda request: opened.requests.append(request.url))
        yield opened


def look(browser, path: Path) -> None:
    browser.goto(path.as_uri())
    browser.evaluate(RENDERED)


@pytest.mark.browser
@pytest.mark.parametrize("name", ORDER)
def test_a_page_can_be_read_narrow_and_wide_in_light_and_dark_without_network(browser, built, name):
    look(browser, built / f"{name}.html")
    assert browser.evaluate(UNREADABLE_FORMULAS) == []
    assert browser.evaluate(EMPTY_PICTURES) == []
    for theme in ("light", "dark"):
        browser.emulate_media(color_scheme=theme)
        for width in (390, 1400):
            browser.set_viewport_size({"width": width, "height": 900})
            assert browser.evaluate(CUT_OFF) == [], f"{theme}, {width} px wide"
        assert browser.evaluate(WEAK_TEXT) == []
        assert browser.evaluate(PICTURES_NOT_ON_WHITE) == []
    assert [url for url in browser.requests if not url.startswith(("file:", "data:"))] == []


@pytest.mark.browser
def test_faults_of_a_page_are_found(browser, tmp_path):
    faults = tmp_path / "faults.html"
    faults.write_text(
        "<article><p style='width: 3000px; color: #999'>grey and wide</p>"
        "<p>a raw \\frac12</p><p class='math'>f</p><img src='gone.png' alt='gone'></article>"
    )
    look(browser, faults)
    browser.set_viewport_size({"width": 1400, "height": 900})
    assert browser.evaluate(CUT_OFF) == ["BODY", "P"]
    assert browser.evaluate(UNREADABLE_FORMULAS) == ["f", "a raw \\frac12"]
    assert browser.evaluate(EMPTY_PICTURES) == browser.evaluate(PICTURES_NOT_ON_WHITE) == ["gone"]
    assert browser.evaluate(WEAK_TEXT) == ["grey and wide"]


@pytest.fixture(params=["from the file system", "from a server"])
def front_page(request, built):
    """The address of the front page."""
    if request.param == "from the file system":
        yield (built / "index.html").as_uri()
        return

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=built))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()


@pytest.mark.browser
def test_the_search_finds_a_lesson(browser, front_page):
    browser.context.set_offline(False)  # for the server on this machine
    browser.set_viewport_size({"width": 1400, "height": 900})
    browser.goto(front_page)
    browser.fill("input[name=q]", "permutations")
    browser.keyboard.press("Enter")
    found = browser.locator("#search-results li a").first
    assert found.inner_text() == "03 · Permutation pitfalls"
    found.click()
    browser.wait_for_selector("h1:has-text('Permutation pitfalls')")
    browser.context.set_offline(True)
