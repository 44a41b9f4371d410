"""The report explorer: its readout is the report's, its goal where first meets the lower half."""

from itertools import product

import pytest

from course_lib.measures.reports import ANSWERS
from course_lib.studies.capstone import capstone_report
from course_lib.widgets import report_explorer


def test_the_readout_has_the_place_and_the_sentence_of_both_answers():
    explorer = report_explorer()
    explorer.controls["left"].value, explorer.controls["right"].value = "Q2", "Q5 at least"
    explorer.controls["variable"].value = "cholesterol"
    first, second = explorer.readout_text.splitlines()
    report = capstone_report()
    assert first.startswith("By Q2, a model, unique part: cholesterol is 5th of 10. ")
    assert first.endswith(report.sentence("Q2", "cholesterol"))
    assert "at least: cholesterol shares the places 3–10 with 7 others. " in second
    assert second.endswith(report.sentence("Q5 at least", "cholesterol"))
    assert second.endswith("when cholesterol is exchanged, and none whose error falls further.")
    assert " changes by -0.011 when cholesterol" in second
    assert "linear model within 5 % of the least squared error" in second
    assert report.sentence("Q5 at least", "bmi").endswith("and none whose error grows by less.")
    assert report.sentence("Q5 at most", "bmi").endswith("and none whose error grows by more.")


def test_one_answer_chosen_twice_is_read_once():
    explorer = report_explorer()
    explorer.controls["right"].value = "Q1"
    assert len(explorer.readout_text.splitlines()) == 1


def test_the_goal_is_reached_exactly_where_first_meets_the_lower_half():
    ranks = capstone_report().ranks
    found, attains = set(), report_explorer().attains
    for left, right, name in product(ANSWERS, ANSWERS, ranks.index):
        best, worst = sorted((ranks[left][name], ranks[right][name]))
        attained = attains(left=left, right=right, variable=name)
        assert attained == (best == 1 and worst > len(ranks) / 2)
        found |= {(name, left, right)} if attained else set()
    assert {name for name, _, _ in found} == {"bmi", "cholesterol"}, "the lesson says: two"
    name, left, right = min(found)
    explorer = report_explorer()
    assert not explorer.reached
    for control, value in (("variable", name), ("left", left), ("right", right)):
        explorer.controls[control].value = value
    assert explorer.reached


def test_the_lines_join_rows_in_the_order_of_the_places():
    figure = report_explorer().frame.figure(left="Q4", right="Q5 at least", variable="bmi")
    ranks = capstone_report().ranks
    for side, answer in enumerate(("Q4", "Q5 at least")):
        rows = [line.get_ydata()[side] for line in figure.axes[0].lines]
        assert sorted(rows) == list(range(1, 11))
        by_row = ranks[answer].to_numpy()[sorted(range(10), key=rows.__getitem__)]
        assert (by_row[1:] >= by_row[:-1]).all()


def test_a_state_that_the_controls_cannot_show_is_refused():
    with pytest.raises(ValueError, match="variable must be one of"):
        report_explorer().figure(variable="taste")


def test_the_marks_say_place_and_value_by_both_answers(tips_of):
    tips, report = tips_of(report_explorer(), left="Q4", right="Q5 at most"), capstone_report()
    in_words = {"Q4": "Q4, an algorithm", "Q5 at most": "Q5, any good model, at most"}
    for name, answer in product(report.ranks.index, in_words):
        place, value = report.ranks[answer][name], report.values[answer][name]
        told = f"{name}, place {place} by {in_words[answer]}: {value:+.3f}"
        assert told.replace("-", "−") in tips


def test_a_variable_is_highlighted_by_its_line_and_both_names(series_of):
    assert series_of(report_explorer()) == dict.fromkeys(capstone_report().ranks.index, 3)
