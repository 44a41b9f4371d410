"""Slides of a lesson: a talk with all its figures, answers after questions, and no network."""

import re
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path

import nbformat
import pytest

from course_lib import lessons
from course_lib.lessons import Item, Option, Prediction, Statement
from course_lib.tools import cli, slides
from course_lib.tools.browser import browser_page
from course_lib.tools.slides import outputs, votes
from course_lib.tools.slides.deck import Slide
from course_lib.tools.slides.outputs import code_html, outputs_of
from course_lib.tools.slides.prose import blocks, key_sentences, sentences, to_html
from course_lib.tools.slides.talk import talk
from course_lib.tools.system import ROOT

LESSONS = lessons.available()
SMALLEST = 20  # pixels of text on a slide of 720
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


@cache
def notebook(lesson):
    return nbformat.read(ROOT / "notebooks" / f"{lesson.name}.ipynb", as_version=4)


@cache
def deck(lesson):
    return slides.read(lesson)


@cache
def page(lesson) -> str:
    return slides.page(lesson, deck(lesson))


def plain(html: str) -> str:
    """The words of some HTML, whatever stands between them."""
    return re.sub(r"\W+", " ", unescape(re.sub(r"<[^>]+>", " ", html))).strip()


def on_slides(lesson) -> str:
    return plain(" ".join(part.html for slide in deck(lesson) for part in slide.parts))


def in_notes(lesson) -> str:
    return plain(" ".join(note for slide in deck(lesson) for note in slide.notes))


def prose_of(lesson) -> Iterator[str]:
    """The paragraphs of a lesson, each in one line."""
    for cell in notebook(lesson).cells:
        if cell.cell_type == "markdown":
            for block in blocks(cell.source):
                if block.kind == "paragraph":
                    yield " ".join(block.text.split()).removeprefix("*Sources.* ")


def images(html: str) -> set[str]:
    return set(re.findall(r"<img\b[^>]*>", html))


# ---- what is shown -----------------------------------------------------------------------


@each_lesson
def test_the_sections_of_the_talk_are_those_of_the_lesson(lesson):
    cells = [cell.source for cell in notebook(lesson).cells if cell.cell_type == "markdown"]
    titles = re.findall(r"^##? (.*)", "\n".join(cells), re.MULTILINE)
    begun = [plain(slide.heading) for slide in deck(lesson) if slide.begins]
    assert begun == [*(plain(to_html(title)) for title in titles), "Sources"]


@each_lesson
def test_every_figure_of_the_lesson_is_shown_with_its_text(lesson):
    code = [cell for cell in notebook(lesson).cells if cell.cell_type == "code"]
    html = (output.get("data", {}).get("text/html", "") for cell in code for output in cell.outputs)
    drawn = images("".join(html))
    assert drawn and drawn == images(page(lesson).partition("<script>")[0])
    assert all(re.search(r'alt="[^"]{20,}"', image) for image in drawn)


@each_lesson
def test_what_is_cut_from_a_slide_stands_in_the_notes(lesson):
    found = f"{on_slides(lesson)} {in_notes(lesson)}"
    said = [sentence for text in prose_of(lesson) for sentence in sentences(text)]
    lost = [s for s in said if plain(to_html(s)) not in found and not s.endswith(":")]
    assert lost == []


@each_lesson
def test_a_talk_shows_less_than_the_lesson_says(lesson):
    said = sum(len(plain(to_html(text)).split()) for text in prose_of(lesson))
    texts = [part.text for slide in deck(lesson) for part in slide.parts]
    assert 0.2 * said < len(" ".join(texts).split()) < 0.75 * said


@each_lesson
def test_no_slide_is_empty(lesson):
    assert all(slide.parts for slide in deck(lesson))


# ---- questions and answers ---------------------------------------------------------------


@each_lesson
def test_the_answer_to_a_prediction_comes_on_a_later_slide(lesson):
    shown_on = [plain(" ".join(part.html for part in slide.parts)) for slide in deck(lesson)]
    for prediction in lesson.predictions:
        asked, *told = [k for k, text in enumerate(shown_on) if plain(prediction.question) in text]
        explained = plain(prediction.when_wrong), plain(prediction.when_right)
        assert deck(lesson)[asked].kind == "vote"
        assert [deck(lesson)[k].kind for k in told] == ["answer"]
        assert not any(text in shown_on[k] for text in explained for k in range(told[0]))


@each_lesson
def test_other_questions_keep_their_answer_for_a_further_step(lesson):
    for item in (*lesson.recall, *lesson.statements):
        right = next(plain(option.feedback) for option in item.options if option.right)
        told = [p for slide in deck(lesson) for p in slide.parts if right in plain(p.html)]
        assert told and all(part.later for part in told)


@each_lesson
def test_neither_solutions_nor_answers_to_the_pretest_are_told(lesson):
    told = f"{on_slides(lesson)} {in_notes(lesson)}"
    for item in lessons.pretest():
        assert all(plain(option.feedback) not in told for option in item.options)
    source = (ROOT / "solutions" / "src" / f"{lesson.name}.py").read_text(encoding="utf-8")
    regions = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", source, re.DOTALL)
    lines = [plain(line) for region in regions for line in region.splitlines() if len(line) > 40]
    assert not [line for line in lines if line in told]


# ---- the file ----------------------------------------------------------------------------


@each_lesson
def test_the_file_names_no_other_host_but_in_licences_and_namespaces(lesson):
    html = re.sub(r"base64,[A-Za-z0-9+/=]+", "", page(lesson))
    hosts = set(re.findall(r"(?:https?:)?//([a-z0-9-]+(?:\.[a-z0-9-]+)+)", html))
    assert hosts <= {"www.w3.org", "revealjs.com", "hakim.se", "github.com"}
    programs = re.compile(r"<script>.*?</script>|base64,[A-Za-z0-9+/=]+", re.DOTALL)
    shown = programs.sub("", html)
    assert not re.search(r"<(?:link|iframe|object|a)\b|@import|<script\s|url\((?!data:)", shown)


def test_the_licence_of_reveal_comes_with_every_file():
    assert "Permission is hereby granted" in page(LESSONS[0])


def test_the_command_writes_the_lessons_asked_for(tmp_path, capsys):
    assert cli.main(["slides", "01", "04", "--out", str(tmp_path)]) == 0
    assert sorted(path.name[:2] for path in tmp_path.iterdir()) == ["01", "04"]
    assert "01_mdi.html" in capsys.readouterr().out


def test_without_a_number_all_lessons_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(slides, "page", lambda lesson, deck: lesson.name)
    assert slides.run(Namespace(numbers=[], out=tmp_path)) == 0
    assert {path.stem for path in tmp_path.iterdir()} == {lesson.name for lesson in LESSONS}


def test_an_unknown_number_is_told_the_lessons_there_are(tmp_path, capsys):
    assert cli.main(["slides", "1", "42", "--out", str(tmp_path / "new")]) == 2
    said = capsys.readouterr().err
    assert "no lesson 1, 42" in said and all(lesson.number in said for lesson in LESSONS)
    assert not (tmp_path / "new").exists()


def test_a_lesson_that_is_not_built_is_named_with_the_line_that_builds_it(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(slides, "ROOT", tmp_path)
    assert slides.run(Namespace(numbers=["01"], out=tmp_path)) == 1
    assert "./course build 01" in capsys.readouterr().err


# ---- the rule ----------------------------------------------------------------------------


def cell(source: str, *results: str, **metadata):
    data = [nbformat.v4.new_output("display_data", {"text/plain": text}) for text in results]
    if results or "(" in source:
        return nbformat.v4.new_code_cell(source, outputs=data, metadata=metadata)
    return nbformat.v4.new_markdown_cell(source, metadata=metadata)


def told(*cells) -> list[str]:
    """What each slide after the title shows."""
    made = nbformat.v4.new_notebook(cells=[cell("# 01 · Title"), *cells])
    return [plain(" ".join(p.html for p in slide.parts)) for slide in talk(made, LESSONS[1])][1:]


LONG = "It is a long day in May, and nobody is in a hurry. One waits. **Then it rains.** " + (
    "And so on and on. " * 8
)


def test_of_a_long_paragraph_the_first_and_the_bold_sentences_are_shown():
    first, bold = key_sentences(LONG)
    assert first.endswith("in a hurry.") and bold == "**Then it rains.**"


def test_a_short_paragraph_is_shown_whole_but_for_what_is_in_brackets():
    assert key_sentences("It rains. (It often does.) So what?") == ["It rains. So what?"]


def test_a_sentence_that_points_back_brings_the_one_before():
    text = LONG.replace("**Then it rains.**", "It pours all night. **That is rain.**")
    assert key_sentences(text)[1] == "It pours all night. **That is rain.**"


def test_a_curt_first_sentence_brings_the_second():
    assert key_sentences(f"One waits. {LONG}")[0].startswith("One waits. It is a long day")


def test_sentences_for_a_reader_at_a_machine_are_not_for_an_audience():
    assert key_sentences("Move the slider to 3.") == []


def test_a_skipped_cell_is_not_shown():
    words = cell("Not this.", slideshow={"slide_type": "skip"})
    assert told(cell("## One"), words, cell("But this.")) == ["But this"]


def test_a_mere_true_is_shown_only_after_words_that_wait_for_it():
    section = cell("## One"), cell("f(x)\n" * 9, "True")
    assert told(*section, cell("So it is.")) == ["So it is"]
    assert told(section[0], cell("Is it?"), section[1]) == ["Is it True"]


def test_an_announcement_goes_with_the_result_it_announces():
    text = cell("Words. " * 130 + "Here is the number:")
    assert told(cell("# 01 · Title"), text, cell("f(x)", "42"))[-1] == "Here is the number 42"


def test_very_few_words_are_a_step_of_the_slide_before_but_not_of_a_question():
    long, few, vote = cell("Words are many here. " * 3), cell("How many?"), cell('predict("01.1")')
    quotation = cell("> Said.")
    assert len(told(cell("## One"), long, quotation, few)) == 2
    assert told(cell("## One"), vote, few, quotation)[1] == "How many"


def test_the_sentence_that_leads_to_a_result_is_not_cut():
    (slide,) = told(cell("## One"), cell(f"{LONG} Here it is."), cell("f(x)", "42"))
    assert slide.startswith("It is a long day") and slide.endswith("Here it is f x 42")


def test_what_an_author_or_a_cell_writes_cannot_become_markup():
    sneaky = "<script>"
    wrong, right = Option(sneaky, sneaky, behind="M1"), Option(sneaky, sneaky, right=True)
    item = Item(sneaky, sneaky, (wrong, right))
    statement = Statement(sneaky, sneaky, sneaky, True, sneaky, sneaky, behind="M1")
    spoken = {"when_right": sneaky, "when_wrong": sneaky, "in_class": sneaky}
    vote = Prediction(sneaky, "choice", sneaky, sneaky, options=(sneaky, "b"), **spoken)
    number = Prediction("1", "number", sneaky, 1.0, unit=sneaky, tolerance=0.1, **spoken)
    made = [*votes.prediction(vote), *votes.prediction(number)]
    made += [
        *votes.recall(item),
        *votes.statement(statement),
        outputs_of(cell("f(x)", sneaky))[0].html,
    ]
    page = slides.page(replace(LESSONS[1], title=sneaky), [Slide(sneaky, notes=[sneaky])])
    made += [re.search(rf"<{tag}.*?</{tag}>", page)[0] for tag in ("title", "h2", "aside")]
    assert all("&lt;script&gt;" in html and sneaky not in html for html in made)


def test_numbers_of_numpy_are_shown_as_numbers():
    (result,) = outputs_of(cell("f(x)", "(np.float64(1.5), np.True_)"))
    assert plain(result.html) == "1 5 True"


def test_code_that_is_long_or_a_mere_name_is_not_shown():
    assert code_html("import numpy as np\n\nf(np.pi)") != ""
    assert code_html("f(x)\n" * 5) == code_html("table.round(3)") == code_html("x" * 99) == ""


@pytest.mark.parametrize(
    ("width", "height", "layout"),
    [(1228, 300, "under"), (1228, 900, "beside"), (1700, 900, "alone")],
)
def test_a_picture_stands_where_it_is_largest(width, height, layout):
    from base64 import b64encode

    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    image = b64encode(bytes(16) + size).decode()
    assert outputs._layout(f'<img src="data:image/png;base64,{image}">') == layout


def test_a_formula_is_mathml_and_set_difference_has_the_usual_sign():
    html = to_html(r"$A \setminus B$, and $$\begin{aligned} a &= b \\ c &= d \end{aligned}$$")
    assert html.count("<math") == 2 and "&#x2216;" in html
    assert html.count("<mtr>") == 2 and "&amp;" not in html


# ---- in the browser ----------------------------------------------------------------------

CROWDED = """() => [...document.querySelectorAll(".slides .slide")].map(slide => {
    document.documentElement.classList.add("fitting");
    const boxes = [...slide.querySelectorAll(".body")];
    const full = boxes.some(b => b.scrollHeight > b.clientHeight || b.scrollWidth > b.clientWidth);
    const size = parseFloat(getComputedStyle(slide).fontSize);
    const flat = [...slide.querySelectorAll("img, .body math")].some(e => {
        const box = e.getBoundingClientRect();
        return box.height < 5 || box.width < 3 || (e.naturalWidth === 0);
    });
    document.documentElement.classList.remove("fitting");
    return full || flat || size < %d ? slide.textContent.trim().slice(0, 60) : null;
}).filter(Boolean)"""
OUTSIDE = """() => {
    const slide = Reveal.getCurrentSlide(), frame = slide.getBoundingClientRect();
    return [...slide.querySelectorAll("h1, h2, .body *")].filter(element => {
        const box = element.getBoundingClientRect();
        return box.width && (box.left < frame.left || box.right > frame.right + 1 ||
            box.top < frame.top || box.bottom > frame.bottom);
    }).map(element => element.textContent.slice(0, 60));
}"""


@pytest.fixture(scope="module")
def screen(tmp_path_factory):
    """A projector of 1280 by 720 without a network; `asked` are the addresses it asked for."""
    with browser_page(tmp_path_factory.mktemp("browser")) as page:
        page.set_viewport_size({"width": 1280, "height": 720})
        page.context.set_offline(True)
        page.asked = []
        page.context.on("request", lambda request: page.asked.append(request.url))
        yield page


def present(screen, lesson, folder: Path) -> None:
    path = folder / f"{lesson.name}.html"
    path.write_text(page(lesson), encoding="utf-8")
    screen.asked.clear()
    screen.goto(path.as_uri())
    screen.wait_for_function("window.Reveal && Reveal.isReady()")


@pytest.mark.browser
@each_lesson
def test_everything_fits_and_can_be_read(screen, lesson, tmp_path):
    present(screen, lesson, tmp_path)
    assert screen.evaluate(CROWDED % SMALLEST) == []


@pytest.mark.browser
@pytest.mark.parametrize("lesson", [LESSONS[1], LESSONS[9]], ids=lambda lesson: lesson.name)
def test_the_arrow_key_leads_through_all_steps_without_a_network(screen, lesson, tmp_path):
    present(screen, lesson, tmp_path)
    seen, steps = (
        set(),
        sum(p.html.count("<figure ") + p.later for s in deck(lesson) for p in s.parts),
    )
    for _ in range(len(deck(lesson)) + steps):
        seen.add(screen.evaluate("Reveal.getSlidePastCount()"))
        assert screen.evaluate(OUTSIDE) == []
        screen.keyboard.press("ArrowRight")
    assert screen.evaluate("Reveal.isLastSlide() && !Reveal.availableFragments().next")
    assert seen == set(range(len(deck(lesson))))
    assert {url.partition("#")[0] for url in screen.asked if not url.startswith("data:")} == {
        (tmp_path / f"{lesson.name}.html").as_uri()
    }


@pytest.mark.browser
def test_the_answer_is_not_to_be_seen_before_its_step(screen, tmp_path):
    lesson = LESSONS[1]
    present(screen, lesson, tmp_path)
    k = next(k for k, slide in enumerate(deck(lesson)) if slide.parts[-1].kind == "told")
    for _ in range(k):
        screen.keyboard.press("ArrowRight")
    answer = screen.locator(".slide.present .told")
    assert not answer.is_visible()
    screen.keyboard.press("ArrowRight")
    assert answer.is_visible()


@pytest.mark.browser
def test_the_speaker_sees_the_notes_in_a_window_of_their_own(screen, tmp_path):
    lesson = LESSONS[1]
    present(screen, lesson, tmp_path)
    with screen.context.expect_page() as opened:
        screen.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes")
    notes.get_by_text("Lecturer: ").wait_for()
    opened.value.close()


@pytest.mark.browser
def test_each_slide_is_a_page_when_printed(screen, tmp_path):
    lesson = LESSONS[1]
    present(screen, lesson, tmp_path)
    screen.goto((tmp_path / f"{lesson.name}.html").as_uri() + "?print-pdf")
    screen.wait_for_selector(".pdf-page")
    assert screen.locator(".pdf-page").count() == len(deck(lesson))
