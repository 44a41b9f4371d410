"""`./course bench`: what it accepts, what it says; one short run in a real browser."""

import argparse
import sys

import pytest
from depth import LEVEL

from course_lib.tools import bench
from course_lib.tools.bench.growth import fitted_exponent, quickest
from course_lib.tools.bench.lines import Line, alternating
from course_lib.tools.bench.lines import table as measures_table
from course_lib.tools.bench.measures import _chosen, model_reliance_line
from course_lib.tools.bench.own_data import boosted_pipeline, mixed_table
from course_lib.tools.bench.widgets import Timing, measure, table


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    return parser.parse_args(arguments)


def timings(ours, goal):
    return [
        Timing("01", "interactive_output", 40, 150.0, 300.0, None, None),
        Timing("01", "Explorer", 40, ours / 2, ours, 40, goal),
    ]


def test_only_widgets_and_measures_can_be_measured(capsys):
    assert parsed("widgets").subject == "widgets" and parsed("measures").subject == "measures"
    with pytest.raises(SystemExit):
        parsed("gizmos")
    assert "gizmos" in capsys.readouterr().err


def test_the_subject_is_imported_only_when_it_is_measured(monkeypatch):
    class Subject:
        @staticmethod
        def run(args):
            return 7

    monkeypatch.setitem(sys.modules, "course_lib.tools.bench.measures", Subject)
    assert bench.run(parsed("measures")) == 7


@pytest.mark.parametrize(
    ("ours", "goal", "verdict"),
    [(20, 20, ": met"), (21, 20, "not met"), (100, 100, ": met"), (101, 100, "not met")],
)
def test_each_explorer_is_held_against_its_goal_and_the_other_ways_against_none(
    ours, goal, verdict
):
    _, theirs, own = table(timings(ours, goal)).splitlines()
    assert own.endswith(verdict) and "goal" not in theirs


@pytest.mark.parametrize(("lesson", "moves", "error"), [("99", 4, "lesson"), ("01", 1, "moves")])
def test_an_unknown_lesson_or_too_few_moves_are_refused(lesson, moves, error):
    with pytest.raises(ValueError, match=error):
        measure(lesson, moves=moves)


@pytest.mark.browser
@pytest.mark.skipif(LEVEL != "long", reason="tests/widgets moves the same explorers in a browser")
def test_in_a_browser_every_frame_shown_is_the_newest():
    lab, png, output, page = measure("00", moves=6)  # a list, whose keys the lab takes from others
    for ours in (lab, page):
        assert ours.newest == ours.moves == 6
        assert 0 < ours.median <= ours.percentile_95
    assert lab.median < min(png.median, output.median)


def test_a_line_knows_whether_it_holds_and_the_table_says_so():
    faster, limit = Line("a", "b", 3.0, 2.0), Line("c", "d", 3.0, 2.0, is_limit=True)
    assert faster.met and not limit.met
    text = measures_table([faster, limit])
    assert "3x faster" in text and "at most 2x" in text and "NO" in text


def test_both_sides_run_in_turns():
    turns = []

    def side(name):
        return lambda: turns.append(name) if turns[-1:] != [name] else None

    ours, theirs = alternating(side("ours"), side("theirs"), repeats=3)
    assert turns == ["ours", "theirs"] * 3
    assert 0 < ours < 1e-3 and 0 < theirs < 1e-3


def test_exact_measures_beat_the_table_they_replace_and_agree_with_it():
    (line,) = model_reliance_line()
    assert line.ratio > 1 and float(line.note.split()[-1]) < 1e-10


def test_lines_are_chosen_by_a_part_of_their_name_and_an_unknown_part_is_refused():
    assert [measured.__name__ for measured in _chosen("all_pairs")] == ["all_pairs_lines"]
    assert len(_chosen(None)) > 10
    with pytest.raises(ValueError, match="'gizmos'.*growth_lines"):
        _chosen("gizmos")


def test_the_exponent_of_a_power_is_found_and_noise_only_adds():
    assert fitted_exponent([1, 2, 4], [3.0, 12.0, 48.0]) == pytest.approx(2)
    assert (quickest([lambda: None, lambda: sum(range(10**5))]).argsort() == [0, 1]).all()


def test_the_table_of_the_bench_is_mixed_and_its_pipeline_reads_all_of_it():
    X, y = mixed_table(300)
    assert (
        X.shape == (300, 29) and X.select_dtypes(float).shape[1] == 20 and set(y) == {"yes", "no"}
    )
    model = boosted_pipeline(X, y, max_iter=2)
    assert model[-1].n_features_in_ == 20 + sum(range(4, 13))
    assert model.score(X, y) > y.value_counts(normalize=True).max()
