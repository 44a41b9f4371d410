"""The map of the course shows every measure with its lesson and question, also to the blind."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_lib import lessons
from course_lib.measures.catalogue import MEASURES
from course_lib.plots import map_text, plot_map
from course_lib.questions import QUESTIONS


@pytest.fixture
def drawn():
    ax = plot_map({lesson.number: lesson.title for lesson in lessons.available()})
    yield ax
    plt.close(ax.figure)


def texts(ax) -> list[str]:
    return [" ".join(text.get_text().split()) for text in ax.texts]


def test_every_measure_question_and_lesson_is_on_the_map(drawn):
    shown = texts(drawn)
    assert {measure.name for measure in MEASURES.values()} <= set(shown)
    assert {str(question) for question in QUESTIONS} <= set(shown)
    taught = {measure.lesson for measure in MEASURES.values()}
    assert {f"{n} {lessons.load(n).title}" for n in taught} <= set(shown)


def test_a_line_leads_from_each_lesson_to_each_of_its_measures(drawn):
    places = zip(texts(drawn), drawn.texts, strict=True)
    height = {text: place.get_position()[1] for text, place in places}
    lines = {tuple(line.get_ydata()) for line in drawn.lines}
    for measure in MEASURES.values():
        title = f"{measure.lesson} {lessons.load(measure.lesson).title}"
        assert (height[title], height[measure.name]) in lines


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


def test_measures_end_before_the_line_beside_them(drawn):
    drawn.figure.canvas.draw()
    lines = [line.get_window_extent().x0 for line in drawn.lines if np.ptp(line.get_xdata()) == 0]
    names = {measure.name for measure in MEASURES.values()}
    ends = [text.get_window_extent().x1 for text in drawn.texts if text.get_text() in names]
    assert len(ends) == len(names) and max(ends) < min(lines)


def test_lessons_stand_in_the_order_of_their_measures(drawn):
    """So that two lessons whose measures lie apart have lines that do not cross."""
    height = {text.get_text()[:2]: text.get_position()[1] for text in drawn.texts}
    spans = {}
    for line in (line for line in drawn.lines if np.ptp(line.get_xdata())):
        spans.setdefault(line.get_ydata()[0], []).append(line.get_ydata()[1])
    middles = [np.mean(spans[at]) for at in sorted(spans)]
    assert len(middles) > 5 and middles == sorted(middles)
    assert height["07"] == min(spans)


def test_the_text_says_what_the_picture_shows():
    text = map_text()
    for measure in MEASURES.values():
        assert f"{measure.name} (lesson {measure.lesson})" in text
    assert all(str(question) in text for question in QUESTIONS)


def test_the_map_can_be_drawn_on_given_axes_without_titles():
    figure, ax = plt.subplots(figsize=(9, 8))
    assert plot_map(ax=ax) is ax
    assert "03" in texts(ax)
    plt.close(figure)
