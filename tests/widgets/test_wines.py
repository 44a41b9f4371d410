"""The report explorer: its readout is the report's, its goal where first meets last."""

from itertools import product

import pytest

from course_lib.measures.reports import ANSWERS
from course_lib.studies.wines import wine_report
from course_lib.widgets import report_explorer


def test_the_readout_has_the_place_and_the_sentence_of_both_measures():
    explorer = report_explorer()
    explorer.controls["left"].value, explorer.controls["right"].value = "Q2", "Q6"
    explorer.controls["variable"].value = "hue"
    report = wine_report()
    wanted = [
        f"{key}, place {report.ranks[key]['hue']} of 8: {report.sentence(key, 'hue')}"
        for key in ("Q2", "Q6")
    ]
    assert explorer.readout_text.splitlines() == wanted


def test_one_measure_chosen_twice_is_read_once():
    explorer = report_explorer()
    explorer.controls["right"].value = "Q1"
    assert len(explorer.readout_text.splitlines()) == 1


def test_the_goal_is_reached_exactly_where_first_meets_last():
    ranks = wine_report().ranks
    found, attains = set(), report_explorer().attains
    for left, right, name in product(ANSWERS, ANSWERS, ranks.index):
        ends = sorted((ranks[left][name], ranks[right][name]))
        attained = attains(left=left, right=right, variable=name)
        assert attained == (ends == [1, 8])
        found |= {(name, left, right)} if attained else set()
    assert found, "the goal could not be reached"
    name, left, right = min(found)
    explorer = report_explorer()
    assert not explorer.reached
    for control, value in (("variable", name), ("left", left), ("right", right)):
        explorer.controls[control].value = value
    assert explorer.reached


def test_the_lines_join_the_places_of_the_two_measures():
    explorer = report_explorer()
    figure = explorer.frame.figure(left="Q4", right="Q5", variable="flavanoids")
    drawn = [line.get_ydata() for line in figure.axes[0].lines]
    assert [list(ends) for ends in drawn] == wine_report().ranks[["Q4", "Q5"]].values.tolist()


def test_a_state_that_the_controls_cannot_show_is_refused():
    with pytest.raises(ValueError, match="variable must be one of"):
        report_explorer().figure(variable="taste")
