"""The map of the course shows every measure with its lesson and question, also to the blind."""

import matplotlib.pyplot as plt
import pytest

from course_lib import lessons
from course_lib.measures.catalogue import MEASURES
from course_lib.plots import map_text, picture, plot_map
from course_lib.questions import QUESTIONS


@pytest.fixture
def drawn():
    ax = plot_map({lesson.number: lesson.title for lesson in lessons.available()})
    yield ax
    plt.close(ax.figure)


def texts(ax) -> list[str]:
    return [" ".join(text.get_text().split()) for text in ax.texts]


def rows(ax) -> dict[str, float]:
    return {" ".join(text.get_text().split()): text.get_position()[1] for text in ax.texts}


def test_every_measure_question_and_lesson_is_on_the_map(drawn):
    shown = texts(drawn)
    assert {measure.name for measure in MEASURES.values()} <= set(shown)
    assert {str(question) for question in QUESTIONS} <= set(shown)
    taught = {measure.lesson for measure in MEASURES.values()}
    assert {f"{n} {lessons.load(n).title}" for n in taught} <= set(shown)


def test_each_measure_stands_beside_its_lesson_and_below_its_question(drawn):
    height = rows(drawn)
    placed = {(" ".join(t.get_text().split()), t.get_position()[1]) for t in drawn.texts}
    heads = {str(question): height[str(question)] for question in QUESTIONS}
    for measure in MEASURES.values():
        title = f"{measure.lesson} {lessons.load(measure.lesson).title}"
        assert (title, height[measure.name]) in placed
        above = [head for head, at in heads.items() if at < height[measure.name]]
        if measure.question is not None:
            assert max(above, key=heads.get) == str(measure.question)


def test_the_bar_of_a_question_has_its_colour_and_spans_its_measures(drawn):
    heads = {t.get_text(): t for t in drawn.texts if t.get_fontweight() == "bold"}
    bars = {line.get_color(): [] for line in drawn.lines}
    for line in drawn.lines:
        bars[line.get_color()].append(line.get_ydata())
    for measure in (m for m in MEASURES.values() if m.question is not None):
        spans, at = bars[heads[str(measure.question)].get_color()], rows(drawn)[measure.name]
        assert any(low < at < high for low, high in spans)


def test_the_map_is_700_pixels_wide_in_a_notebook(drawn):
    assert drawn.figure.get_figwidth() == 7


def test_no_two_texts_overlap_and_none_is_cut_off(drawn):
    drawn.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in drawn.texts]
    overlaps = [
        (a.get_text(), b.get_text())
        for k, a in enumerate(drawn.texts)
        for m, b in enumerate(drawn.texts[:k])
        if boxes[k].overlaps(boxes[m])
    ]
    assert overlaps == []
    width, height = drawn.figure.canvas.get_width_height()
    assert all(0 <= b.x0 and b.x1 <= width and 0 <= b.y0 and b.y1 <= height for b in boxes)
    assert min(text.get_fontsize() for text in drawn.texts) >= 10


def test_the_text_says_what_the_picture_shows():
    text = map_text()
    for measure in MEASURES.values():
        assert f"{measure.name} (lesson {measure.lesson})" in text
    assert all(str(question) in text for question in QUESTIONS)


@pytest.mark.filterwarnings("error")
def test_the_map_is_stored_without_a_warning(drawn, monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")  # it is drawn twice then
    assert picture(drawn, alt=map_text()).still


def test_the_map_can_be_drawn_on_given_axes_without_titles():
    figure, ax = plt.subplots(figsize=(9, 8))
    assert plot_map(ax=ax) is ax
    assert "03" in texts(ax)
    plt.close(figure)
