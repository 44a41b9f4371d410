"""Slides of a lesson: a talk with all its figures, answers after questions, and no network."""

import re
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from depth import at_most
from markupsafe import Markup

from course_lib import lessons
from course_lib.lessons import Item, Option, Prediction, Statement
from course_lib.lessons.prediction import Reply
from course_lib.plots.svg import svg_html
from course_lib.tools import cli, slides
from course_lib.tools.browser import browser_page
from course_lib.tools.slides import votes
from course_lib.tools.slides.pieces import pieces
from course_lib.tools.slides.prose import few, first_sentences, last_sentences, sentences, to_html
from course_lib.tools.slides.talk import FURTHER, Slide, talk
from course_lib.tools.system import ROOT
from course_lib.widgets.surface import mount_html

LESSONS = lessons.available()
SMALLEST = 20  # pixels of text on a slide of 720
SMALLEST_IN_FIGURES = 14  # of the letters in its figures
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


@cache
def notebook(lesson):
    """A lesson without its further part, which has no slides."""
    found = nbformat.read(ROOT / "notebooks" / f"{lesson.name}.ipynb", as_version=4)
    starts = [k for k, cell in enumerate(found.cells) if cell.source.startswith(FURTHER)]
    if starts:
        ends = [k for k, cell in enumerate(found.cells) if cell.source.startswith("## Practise")]
        del found.cells[starts[0] : ends[0]]
    return found


def is_asked(lesson, call: str) -> bool:
    """Whether a question is asked outside of the further part."""
    return any(call in cell.source for cell in notebook(lesson).cells)


@cache
def deck(lesson):
    return slides.read(lesson)


@cache
def page(lesson) -> str:
    return slides.page(lesson, deck(lesson))


def plain(html: str) -> str:
    """The words of some HTML, whatever stands between them."""
    return re.sub(r"\W+", " ", unescape(re.sub(r"<[^>]+>", " ", html))).strip()


def html_of(slide: Slide) -> str:
    return " ".join(part.html for part in slide.parts)


def on_slides(lesson) -> str:
    return plain(" ".join(map(html_of, deck(lesson))))


def notes_of(lesson) -> str:
    return " ".join(note for slide in deck(lesson) for note in slide.notes)


def in_notes(lesson) -> str:
    return plain(notes_of(lesson))


def prose_of(lesson) -> Iterator[str]:
    """The paragraphs of a lesson, each in one line; `times` has no place of its own."""
    for piece in pieces(notebook(lesson)):
        if piece.kind in ("text", "note", "caption") and piece.text not in ("", lesson.times):
            yield " ".join(piece.text.split())


def images(html: str) -> list[str]:
    return re.findall(r'<figure><svg role="img"[^>]*>', html)


# ---- what is shown -----------------------------------------------------------------------


@each_lesson
def test_the_sections_of_the_talk_are_those_of_the_lesson(lesson):
    titles = [piece.text for piece in pieces(notebook(lesson)) if piece.kind == "heading"]
    begun = [plain(slide.heading) for slide in deck(lesson) if slide.begins]
    assert begun == [plain(to_html(title.lstrip("# "))) for title in titles]
    assert begun[-1] == "Practise"
    assert [part.kind for part in deck(lesson)[-1].parts] == ["text", "sources"]


@each_lesson
def test_what_a_lesson_is_about_is_said_and_not_shown(lesson):
    shown = "".join(html_of(slide) for slide in deck(lesson))
    assert "In this lesson:" not in plain(shown) and not re.search(
        r"About \d+ minutes", plain(shown)
    )


@each_lesson
def test_a_lesson_has_as_many_slides_as_a_lecture_has_time_for(lesson):
    fewest = 25 if len(lesson.predictions) >= 3 else 5  # a new lesson has begun with less
    assert fewest <= len(deck(lesson)) <= 30


@each_lesson
def test_every_figure_has_a_slide_with_its_text_and_an_explorer_is_alive(lesson):
    found = [piece for piece in pieces(notebook(lesson)) if piece.kind.startswith("figure")]
    drawn = [image for piece in found for image in images(piece.html)]
    shown = [images(html_of(slide)) for slide in deck(lesson)]
    assert drawn == [image for on_slide in shown for image in on_slide]
    assert all(re.search(r'aria-label="[^"]{20,}"', image) for image in drawn)
    explorers = [piece.html for piece in found if piece.kind == "figure explorer"]
    assert len(explorers) == 1
    assert 'data-states="' in explorers[0] and 'data-memory="none"' in explorers[0]


@each_lesson
def test_no_figure_is_shown_without_a_sentence_that_says_what_to_see(lesson):
    """An explorer has its goal; a picture or table a whole sentence above, below or beside it."""
    for slide in (one for one in deck(lesson) if one.kind.startswith(("figure", "table"))):
        if slide.kind == "figure explorer":
            assert "<b>Goal:</b> " in html_of(slide)
            continue
        words = " ".join(part.html.striptags() for part in slide.parts if part.kind == "text")
        whole = [one for one in sentences(words) if one.endswith((".", "?", "!"))]
        assert whole, f"{lesson.name}, {slide.heading}: {images(html_of(slide)) or slide.kind}"


@each_lesson
def test_everything_that_the_lesson_says_stands_on_a_slide_or_in_the_notes(lesson):
    found = f"{on_slides(lesson)} {in_notes(lesson)}"
    said = [sentence for text in prose_of(lesson) for sentence in sentences(text)]
    missing = [sentence for sentence in said if plain(to_html(sentence)) not in found]
    assert missing == ["Your progress so far:"]  # which leads to what only a learner has
    assert "progress so far" not in found


@each_lesson
def test_the_words_on_a_slide_are_whole_sentences_of_the_lesson(lesson):
    said = [one for text in prose_of(lesson) for one in sentences(text)]
    whole = sorted((plain(to_html(one)) for one in said), key=len, reverse=True)
    for slide in deck(lesson):
        texts = [plain(part.html) for part in slide.parts if part.kind == "text"]
        for text in texts if slide.kind not in ("vote", "formula", "sources") else []:
            for one in whole:
                text = text.replace(one, "") if one else text
            assert text.strip() == "", slide


@each_lesson
def test_no_slide_shows_a_mere_value_of_python(lesson):
    values = [piece.html for piece in pieces(notebook(lesson)) if "<pre>" in piece.html]
    assert all("<pre" not in html_of(slide) for slide in deck(lesson))
    assert all(value in notes_of(lesson) for value in values)


@each_lesson
def test_no_slide_is_empty(lesson):
    assert all(slide.parts and all(part.html for part in slide.parts) for slide in deck(lesson))


# ---- questions and answers ---------------------------------------------------------------


@each_lesson
def test_each_vote_is_followed_by_its_answer_and_comes_with_what_to_say(lesson):
    put = [one for one in lesson.predictions if is_asked(lesson, f'predict("{one.id}")')]
    for prediction in put:
        asked = plain(prediction.question)
        (slide,) = [one for one in deck(lesson) if asked in plain(html_of(one))]
        question, answer = slide.parts
        assert not question.later and answer.later
        assert "The truth:" in answer.html
        assert f"A typical guess: {prediction.spelled(prediction.typical)}" in unescape(answer.html)
        notes = plain(" ".join(slide.notes))
        replies = (reply.text for reply in prediction.replies)
        said = (prediction.id, prediction.in_class, prediction.when_right, *replies)
        assert all(plain(text) in notes for text in said)


@each_lesson
def test_other_questions_are_followed_by_their_answers_too(lesson):
    parts = [part for slide in deck(lesson) if slide.kind == "vote" for part in slide.parts]
    assert [part.later for part in parts] == [False, True] * (len(parts) // 2)
    told = [plain(part.html) for part in parts if part.later]
    stated = [one for one in lesson.statements if is_asked(lesson, f'may_i_say("{one.group}")')]
    for item in (*lesson.recall, *stated):
        for option in item.options:
            where = told if option.right else [in_notes(lesson)]
            assert sum(plain(option.feedback) in text for text in where) == 1


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
    programs = re.compile(
        r'<script(?: type="application/json")?>.*?</script>|base64,[A-Za-z0-9+/=]+', re.DOTALL
    )
    shown = programs.sub("", html)
    assert not re.search(r"<(?:link|iframe|object|a)\b|@import|<script\s|url\((?!data:|#)", shown)


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


def figure(width: int) -> str:
    svg = svg_html((width, 100), "", "A picture.")
    return f'<div class="course-figure"><style></style>{svg}</div>'


FIGURE = figure(300)


def cell(source: str, *results: str, mark: str = ""):
    kind = {True: "text/html", False: "text/plain"}
    data = [{kind[text.startswith("<")]: text} for text in results]
    metadata = {"slideshow": {"slide_type": mark}} if mark else {}
    if results or "(" in source:
        outputs = [nbformat.v4.new_output("display_data", one) for one in data]
        return nbformat.v4.new_code_cell(source, outputs=outputs, metadata=metadata)
    return nbformat.v4.new_markdown_cell(source, metadata=metadata)


def form(spec: dict):
    return cell("f()", mount_html("form", spec, Markup("<p>Asked.</p>")))


def made(*cells) -> list[Slide]:
    """The slides after the title, of a section."""
    cells = [cell("# 01 · Title\n\nIt begins."), cell("## One"), *cells]
    return talk(nbformat.v4.new_notebook(cells=cells), LESSONS[1])[1:]


def shown(*cells) -> list[str]:
    return [plain(html_of(slide)) for slide in made(*cells)]


def test_below_a_picture_stands_the_beginning_of_the_text_after_it():
    assert shown(cell("f()", FIGURE), cell("It is May. It **rains**.\n\nSo what?")) == [
        "It is May It rains"
    ]
    long = cell("It rains. " + "It pours and pours. " * 20)
    assert len(shown(cell("f()", FIGURE), long)[0].split()) == 34
    (slide,) = made(cell("Before it."), cell("f()", FIGURE), cell("It rains. It pours."))
    assert [part.kind for part in slide.parts] == ["figure", "text"]
    assert plain(" ".join(slide.notes)) == "Before it It rains It pours"


def test_a_text_marked_fragment_stands_whole_below_the_picture_before_it():
    marked = cell("It pours.\n\n" + "And pours. " * 20, mark="fragment")
    for between in ([], [cell("It rains.")], [cell("f()", "12"), cell("It rains.")]):
        (text,) = shown(cell("f()", FIGURE), *between, marked)
        assert text.split() == ["It", "pours", *["And", "pours"] * 20]
    first, second = shown(cell("f()", FIGURE), cell("One."), cell("f()", FIGURE), marked)
    assert first == "One" and second.startswith("It pours")
    assert shown(cell("It rains."), marked)[0].startswith("It pours")


def test_what_a_code_cell_says_stands_below_its_picture():
    drawn = cell("f()", FIGURE)
    drawn.metadata["slideshow"] = {"caption": "It **rains**."}
    (slide,) = made(cell("Before it."), drawn, cell("After it."))
    assert [part.kind for part in slide.parts] == ["figure", "text"]
    assert plain(slide.parts[1].html) == "It rains"


def test_above_the_table_of_keep_this_stands_its_keeper():
    text = "Some words before. **Never forget this.**\n\n| a |\n|---|\n| b |\n\nStill wrong."
    cells = [cell("# 01 · Title\n\nIt begins."), cell(f"## Keep this\n\n{text}")]
    slide = talk(nbformat.v4.new_notebook(cells=cells), LESSONS[1])[1]
    assert [plain(part.html) for part in slide.parts] == ["Never forget this", "a b"]


def test_without_text_after_it_the_text_before_a_picture_stands_above_it():
    (slide,) = made(cell("Not this. " * 20 + "Here it is:"), cell("f()", FIGURE))
    assert [part.kind for part in slide.parts] == ["text", "figure"]
    assert plain(slide.parts[0].html).endswith("Not this Here it is")


def test_a_sentence_in_brackets_or_that_waits_for_what_follows_is_no_caption():
    text = "(An aside.) It rains. And this is how much:"
    assert first_sentences([text]) == "It rains."
    assert first_sentences(["How much:"]) == first_sentences([]) == ""


def test_few_sentences_are_whole_ones_and_one_at_least():
    assert few(["One two.", "Three.", "Four."], most=3) == ["One two.", "Three."]
    assert few(["One two three."], most=1) == ["One two three."]
    assert last_sentences("One. Two. Three.", most=2) == "Two. Three."


def test_a_formula_stands_in_its_sentence():
    text = "Long ago. " * 60 + "The sum is\n\n$$a + b,$$\n\nwhich is $c$. And so on."
    (slide,) = made(cell(text))
    assert plain(slide.parts[0].html).endswith("The sum is a b which is c")
    assert shown(cell("It is\n\n$$a.$$\n\nAnd so on."))[0].endswith("It is a")


def test_the_answer_follows_its_vote_whatever_stands_between():
    asked, truth = {"form": "prediction", "id": "01.1"}, "the one it asks second"
    vote, reveal = form(asked), form({"form": "reveal", "id": "01.1", "truth": truth})
    slides = made(vote, cell("Text."), cell("f()", FIGURE), reveal, cell("The end."))
    assert [slide.kind for slide in slides][:2] == ["vote", "figure"]
    assert f"The truth:</b> {truth}" in slides[0].parts[1].html and slides[0].parts[1].later


def test_what_a_reveal_tells_is_said_where_it_stands(monkeypatch):
    told = replace(lessons.find("predictions", "01.1"), told="Told **now**.")
    monkeypatch.setattr(lessons, "find", lambda *_: told)
    spec = {"form": "reveal", "id": "01.1", "truth": "the one it asks second"}
    assert shown(cell("f()", FIGURE), form(spec)) == [""]
    assert plain("".join(made(cell("f()", FIGURE), form(spec))[0].notes)) == "Told now"


def test_a_result_that_is_a_text_is_only_spoken():
    (slide,) = made(cell("f()", FIGURE), cell("f(x)", "(1.0, 0.014)"))
    assert "1.0" not in html_of(slide) and "(1.0, 0.014)" in "".join(slide.notes)


def test_a_section_with_only_text_has_a_slide():
    assert shown(cell("It rains. So what?\n\nIt **pours**.")) == ["It rains So what"]


def test_a_cell_marked_skip_is_left_out():
    figure = cell("f()", FIGURE, mark="skip")
    assert shown(figure, cell("Not this.", mark="skip"), cell("But this.")) == ["But this"]


@each_lesson
def test_no_slide_leaves_its_speaker_without_a_word(lesson):
    silent = [slide.heading for slide in deck(lesson) if not plain("".join(slide.notes))]
    assert silent == []


def test_a_picture_about_which_nothing_is_said_is_described_in_the_notes():
    (slide,) = made(cell("f()", FIGURE))
    assert plain("".join(slide.notes)).startswith("What there is to see")


def test_a_cell_marked_notes_is_only_spoken():
    (slide,) = made(cell("Only said.", mark="notes"), cell("f()", FIGURE))
    assert [part.kind for part in slide.parts] == ["figure"]
    assert plain("".join(slide.notes)) == "Only said"


def test_a_cell_marked_slide_is_shown_whole_with_its_code():
    text, code = cell("All. Of it.", mark="slide"), cell("f(x)", "42", mark="slide")
    assert shown(text, code) == ["All Of it", "f x 42"]


@pytest.mark.parametrize(
    ("index", "kept"), [(None, False), ([0, 2], True), (pd.Index([0, 1], name="digit"), True)]
)
def test_the_numbers_of_rows_without_a_name_are_left_out(index, kept):
    table = pd.DataFrame({"rule": ["equal split", "proportional"]}, index)
    (slide,) = made(cell("f()", table._repr_html_()))
    assert bool(re.search(r"<th>\d</th>", html_of(slide))) == kept


def test_what_an_author_or_a_cell_writes_cannot_become_markup():
    sneaky = "<script>"
    wrong, right = Option(sneaky, sneaky, behind="M1"), Option(sneaky, sneaky, right=True)
    item = Item(sneaky, sneaky, (wrong, right))
    statement = Statement(sneaky, sneaky, sneaky, True, sneaky, sneaky, behind="M1")
    spoken = {"when_right": sneaky, "in_class": sneaky}
    replies = {"choice": (Reply(sneaky, to=sneaky),), "number": (Reply(sneaky),)}
    vote = Prediction(
        sneaky, "choice", sneaky, sneaky, options=(sneaky, "b"), replies=replies["choice"], **spoken
    )
    number = Prediction(
        "1", "number", sneaky, 1.0, unit=sneaky, tolerance=0.1, replies=replies["number"], **spoken
    )
    written = [*votes.prediction(vote, "b"), *votes.prediction(number, 0.5)]
    written += [*votes.recall(item), *votes.statement(statement)]
    written += ["".join(made(cell("x()", FIGURE), cell("f(x)", f" {sneaky}"))[0].notes)]
    written += [html_of(made(cell("(<script>)", mark="slide"))[0])]
    page = slides.page(replace(LESSONS[1], title=sneaky), [Slide(sneaky, "text", [], [sneaky])])
    written += [re.search(rf"<{tag}.*?</{tag}>", page)[0] for tag in ("title", "h2", "aside")]
    assert all("&lt;script&gt;" in html and sneaky not in html for html in written)


@pytest.mark.parametrize(("width", "beside"), [(300, False), (140, True)])
def test_a_tall_picture_has_its_words_beside_it(width, beside):
    (slide,) = made(cell("f()", figure(width)))
    assert ("beside" in slide.kind) == beside


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
    const flat = [...slide.querySelectorAll("figure:not(.paper) > *, .body math")].some(e => {
        const box = e.getBoundingClientRect();
        return box.height < 5 || box.width < 3;
    });
    document.documentElement.classList.remove("fitting");
    return full || flat || size < %d ? slide.textContent.trim().slice(0, 60) : null;
}).filter(Boolean)"""
SMALL_LETTERS = """smallest => {
    document.documentElement.classList.add("fitting");
    const texts = document.querySelectorAll(".slides .figure svg text");
    const small = [...texts].filter(text => {
        const {a, b} = text.getScreenCTM();  // turned or not, its scale
        const sizes = [text, ...text.querySelectorAll("tspan")].map(
            part => parseFloat(getComputedStyle(part).fontSize));
        return text.textContent.trim() && Math.hypot(a, b) * Math.min(...sizes) < smallest - 0.01;
    });
    document.documentElement.classList.remove("fitting");
    return small.map(text => text.closest(".slide").querySelector("h1, h2").textContent
        + ": " + text.textContent.trim());
}"""
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
    assert screen.evaluate(SMALL_LETTERS, SMALLEST_IN_FIGURES) == []


@pytest.mark.browser
@pytest.mark.parametrize("lesson", [LESSONS[1], LESSONS[9]], ids=lambda lesson: lesson.name)
def test_the_arrow_key_leads_through_all_steps_without_a_network(screen, lesson, tmp_path):
    present(screen, lesson, tmp_path)
    seen, steps = set(), sum(part.later for slide in deck(lesson) for part in slide.parts)
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
    k = next(k for k, slide in enumerate(deck(lesson)) if slide.kind == "vote")
    for _ in range(k):
        screen.keyboard.press("ArrowRight")
    answer = screen.locator(".slide.present .answer")
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


@pytest.mark.browser
def test_printed_an_explorer_is_a_still_at_its_goal(screen, tmp_path):
    present(screen, LESSONS[1], tmp_path)
    assert not screen.locator(".paper").is_visible()
    screen.goto((tmp_path / f"{LESSONS[1].name}.html").as_uri() + "?print-pdf")
    screen.wait_for_selector(".pdf-page")
    assert screen.locator(".paper img").evaluate("image => image.naturalWidth") > 300
    assert "= 0.2564" in screen.locator(".paper figcaption").inner_text()  # the largest decrease
    assert screen.locator(".paper").is_visible()
    assert not screen.locator(".course-surface").is_visible()


STANDS_OUT = """() => [...document.querySelectorAll(".paper > *")].filter(part => {
    const box = part.getBoundingClientRect(), room = part.closest(".body").getBoundingClientRect();
    return box.top < room.top - 1 || box.bottom > room.bottom + 1 || box.right > room.right + 1;
}).map(part => part.textContent)"""


@pytest.mark.browser
@each_lesson
def test_on_paper_the_words_of_an_explorer_fit_and_no_votes_are_typed(screen, lesson, tmp_path):
    present(screen, lesson, tmp_path)
    screen.goto((tmp_path / f"{lesson.name}.html").as_uri() + "?print-pdf")
    screen.wait_for_selector(".pdf-page")
    assert screen.evaluate(STANDS_OUT) == []
    assert not any(ballot.is_visible() for ballot in screen.locator(".ballot").all())


# ---- explorers and votes -----------------------------------------------------------------


def go_to(screen, selector: str) -> None:
    """Turn the pages until one has this."""
    for _ in range(60):
        if screen.locator(f".slide.present {selector}").count():
            return
        screen.keyboard.press("ArrowRight")
    raise AssertionError(f"No slide has {selector}.")


@pytest.mark.browser
def test_a_lecturer_moves_a_slider_and_its_keys_do_not_turn_the_page(screen, tmp_path):
    present(screen, LESSONS[1], tmp_path)
    go_to(screen, ".course-explorer")
    slide = screen.evaluate("Reveal.getSlidePastCount()")
    slider = screen.locator(".slide.present input[type=range]:enabled").first
    text = screen.locator(".slide.present .course-readout")
    slider.focus()
    before = text.inner_text()
    screen.keyboard.press("ArrowRight")
    text.filter(has_not_text=before).wait_for()  # its states are unpacked when it is first seen
    for key in ("ArrowDown", "End", "Escape"):
        screen.keyboard.press(key)
        assert screen.evaluate("Reveal.getSlidePastCount()") == slide
        assert not screen.evaluate("Reveal.isOverview()")
    screen.keyboard.press("ArrowRight")
    assert screen.evaluate("Reveal.getSlidePastCount()") == slide + 1


@pytest.mark.browser
def test_a_presenters_key_turns_the_page_even_from_a_slider(screen, tmp_path):
    present(screen, LESSONS[1], tmp_path)
    go_to(screen, ".course-explorer")
    slide = screen.evaluate("Reveal.getSlidePastCount()")
    screen.locator(".slide.present input[type=range]").first.focus()
    screen.keyboard.press("PageDown")
    assert screen.evaluate("Reveal.getSlidePastCount()") == slide + 1


@pytest.mark.browser
def test_an_explorer_starts_where_the_lesson_has_it_every_time(screen, tmp_path):
    present(screen, LESSONS[1], tmp_path)
    for _ in range(2):
        go_to(screen, ".course-explorer")
        slider = screen.locator(".slide.present input[type=range]:enabled").first
        assert slider.get_attribute("aria-valuetext") == "5.0"
        slider.press("End")
        present(screen, LESSONS[1], tmp_path)


def typed(place, *votes: str) -> None:
    """Type votes into the boxes of the slide that is shown."""
    boxes = place.locator(".slide.present .ballot input").all()
    for box, vote in zip(boxes, votes, strict=True):
        box.fill(vote)


def values(place) -> list[str]:
    return [box.input_value() for box in place.locator(".slide.present .ballot input").all()]


def counts(bars) -> list[str]:
    return [text.split("\n")[-1] for text in bars.all_inner_texts()]


@pytest.mark.browser
def test_how_the_votes_fell_is_shown_at_once_and_what_is_right_with_the_answer(screen, tmp_path):
    """The guide asks for a second vote between the two; the bars came with the answer."""
    present(screen, LESSONS[1], tmp_path)
    go_to(screen, ".options + .ballot")
    typed(screen, "6", "3", "3")
    bars, right = (screen.locator(f".slide.present .tally .bar{what}") for what in ("", ".right"))
    assert counts(bars) == ["6 (50 %)", "3 (25 %)", "3 (25 %)"] and right.count() == 0
    assert "✓" not in screen.locator(".slide.present .tally").inner_text()
    screen.get_by_role("button", name="vote again").click()
    assert values(screen) == ["", "", ""]
    typed(screen, "2", "9", "-4")
    twice = ["2 (18 %), before 50 %", "9 (82 %), before 25 %", "0 (0 %), before 25 %"]
    assert counts(bars) == twice and right.count() == 0
    screen.keyboard.press("Enter")
    assert counts(bars) == twice and right.inner_text().startswith("✓")
    assert screen.evaluate(CROWDED % SMALLEST) == [] and screen.evaluate(OUTSIDE) == []
    screen.keyboard.press("ArrowLeft")
    assert counts(bars) == twice and right.count() == 0


@pytest.mark.browser
def test_votes_outlive_a_reload_and_not_the_tab(screen, tmp_path):
    present(screen, LESSONS[1], tmp_path)
    go_to(screen, ".options + .ballot")
    typed(screen, "6", "3", "4")
    screen.reload()
    screen.wait_for_function("window.Reveal && Reveal.isReady()")
    go_to(screen, ".options + .ballot")
    assert values(screen) == ["6", "3", "4"]
    assert screen.locator(".slide.present .tally .bar").count() == 3
    other = screen.context.new_page()
    other.goto(screen.url)
    other.wait_for_function("window.Reveal && Reveal.isReady()")
    go_to(other, ".options + .ballot")
    assert values(other) == ["", "", ""]
    other.close()
    kept = screen.evaluate("[...Object.keys(localStorage), document.cookie]")
    assert [key for key in kept if "votes" in key] == []


@pytest.mark.browser
def test_what_is_typed_in_the_speakers_view_is_on_the_projector_and_the_reverse(screen, tmp_path):
    present(screen, LESSONS[1], tmp_path)
    go_to(screen, ".options + .ballot")
    typed(screen, "1", "2", "3")
    with screen.context.expect_page() as opened:
        screen.keyboard.press("Escape")
        screen.keyboard.press("s")
    speaker = opened.value.frame_locator("#current-slide iframe")
    box = speaker.locator(".slide.present .ballot input").nth(1)
    from playwright.sync_api import expect

    expect(box).to_have_value("2")
    box.fill("12")
    ours = screen.locator(".slide.present .ballot input")
    expect(ours.nth(1)).to_have_value("12")
    ours.nth(2).fill("7")
    expect(speaker.locator(".slide.present .ballot input").nth(2)).to_have_value("7")
    assert counts(screen.locator(".slide.present .tally .bar"))[2] == "7 (35 %)"
    opened.value.close()


@pytest.mark.browser
@pytest.mark.parametrize("key", ["ArrowRight", "Enter", "PageDown"])
@pytest.mark.parametrize(
    ("kind", "typed"), [(".options + .ballot", "12"), (".ballot input[type=text]", "3 4.5")]
)
def test_after_typing_votes_the_keys_that_go_on_go_on(screen, tmp_path, kind, typed, key):
    present(screen, LESSONS[1], tmp_path)
    go_to(screen, kind)
    field = screen.locator(".slide.present .ballot input").first
    field.focus()
    screen.keyboard.type(typed)
    assert field.input_value() == typed
    shown = screen.locator(".slide.present .fragment.visible")
    assert shown.count() == 0
    screen.keyboard.press(key)
    assert shown.count() == 1 and field.input_value() == typed
    assert screen.evaluate("document.activeElement === document.body")


@pytest.mark.browser
def test_after_typing_votes_alt_and_an_arrow_lead_past_the_answer(screen, tmp_path):
    """The guide tells lecturers so where an explorer after the answer shows why."""
    present(screen, LESSONS[1], tmp_path)
    go_to(screen, ".ballot input[type=text]")
    before = screen.evaluate("window.Reveal.getSlidePastCount()")
    screen.locator(".slide.present .ballot input").fill("3 4.5")
    screen.keyboard.press("Alt+ArrowRight")
    assert screen.evaluate("window.Reveal.getSlidePastCount()") == before + 1


@pytest.mark.browser
def test_inside_of_a_text_arrows_move_in_it_and_at_its_beginning_they_go_back(screen, tmp_path):
    present(screen, LESSONS[1], tmp_path)
    go_to(screen, ".ballot input[type=text]")
    field = screen.locator(".slide.present .ballot input")
    field.focus()
    screen.keyboard.type("34")
    screen.keyboard.press("ArrowLeft")
    screen.keyboard.type("0")
    assert field.input_value() == "304"
    for _ in range(3):
        assert field.is_visible()
        screen.keyboard.press("ArrowLeft")
    assert not field.is_visible()


@pytest.mark.browser
def test_guesses_of_a_number_are_dots_beside_the_truth(screen, tmp_path):
    present(screen, LESSONS[1], tmp_path)
    go_to(screen, ".ballot input[type=text]")
    screen.locator(".slide.present .ballot input").fill("0,1 0.2; .2 many 0.45")
    drawn = screen.locator(".slide.present .tally svg")
    assert drawn.locator("circle").count() == 4
    assert drawn.get_attribute("aria-label") == "4 guesses from 0.1 to 0.45"
    assert drawn.locator(".truth").count() == 0
    screen.keyboard.press("Escape")
    screen.keyboard.press("ArrowRight")
    assert "4 guesses from 0.1 to 0.45; the truth is 0.256" in drawn.get_attribute("aria-label")


@pytest.mark.browser
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0,25", "1 guess: 0.25"),
        ("0.1 0.2", "2 guesses"),
        ("0.1,0.2,0.2", "3 guesses"),
        ("0.1, 0.2 ,0.3", "3 guesses"),
        ("0.1 many", "1 guess: 0.1; no number: many"),
        ("0.1 1e9", "2 guesses; beyond the line: 1000000000"),
    ],
)
def test_what_was_read_of_guesses_is_said_and_a_slip_moves_no_axis(screen, tmp_path, text, said):
    present(screen, LESSONS[1], tmp_path)
    go_to(screen, ".ballot input[type=text]")
    ends = ".slide.present .tally svg text"
    screen.locator(".slide.present .ballot input").fill("0.5")
    axis = screen.locator(ends).all_inner_texts()
    screen.locator(".slide.present .ballot input").fill(text)
    assert screen.locator(".slide.present .ballot .said").inner_text() == said
    assert screen.locator(ends).all_inner_texts() == axis
    assert screen.evaluate(OUTSIDE) == []


@pytest.mark.browser
@pytest.mark.axe
@pytest.mark.parametrize("lesson", LESSONS[:: at_most(10, 10, 1)], ids=lambda lesson: lesson.name)
def test_axe_finds_no_violation_on_any_slide_of_a_lesson(screen, lesson, tmp_path, violations):
    """On paper all slides are there at once, the answers with them."""
    present(screen, lesson, tmp_path)
    screen.goto((tmp_path / f"{lesson.name}.html").as_uri() + "?print-pdf")
    screen.wait_for_selector(".pdf-page")
    assert violations(screen) == []


@pytest.mark.browser
@pytest.mark.axe
def test_axe_finds_no_violation_on_explorers_and_votes(screen, tmp_path, violations):
    present(screen, LESSONS[1], tmp_path)
    for selector in (".ballot", ".course-explorer"):
        go_to(screen, selector)
        assert violations(screen) == []
