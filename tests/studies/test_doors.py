"""What enters the biomarker model through each door, against closed forms."""

import pytest

from course_lib.measures import linear_gaussian
from course_lib.studies import door_flows, parts_along
from course_lib.studies.doors import through_doors
from course_lib.worlds import make_biomarker_world


@pytest.mark.parametrize("biomarker", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("cycling", [0.0, 0.5, 0.7, 2.0, 2.5])
def test_slopes_leak_and_error_have_their_closed_forms(biomarker, cycling):
    doors = through_doors(biomarker, cycling)
    assert doors.slopes.to_dict() == pytest.approx(
        {"biomarker": biomarker, "cycling": cycling, "PSA": cycling / 2}
    )
    assert doors.leak == pytest.approx(cycling / 4 - cycling**2 / 8, abs=1e-12)
    cost = (1 - biomarker) ** 2 / 4 + (0.5 - cycling) ** 2 / 4
    assert doors.cost == pytest.approx(cost, abs=1e-12)
    assert doors.error == pytest.approx(0.3125 + cost)


def test_parts_along_an_order_are_what_each_adds_and_sum_to_the_whole():
    worths = {(): 1.0, ("a",): 0.5, ("a", "b"): 3.0, ("a", "b", "c"): 2.0}
    parts = parts_along(lambda team: worths[tuple(team)], ["a", "b", "c"])
    assert parts.to_dict() == {"a": -0.5, "b": 2.5, "c": -1.0}
    assert parts.sum() == worths["a", "b", "c"] - worths[()]


def test_a_flow_is_the_importance_of_a_variable_via_a_feature():
    exact = linear_gaussian(make_biomarker_world(), "label", {"biomarker": 1, "cycling": 0.5})
    flows = door_flows(exact, ["PSA", "biomarker"], ["biomarker", "cycling"])
    for j in flows.index:
        for k in flows.columns:
            via = exact.associative_importance_via(j, k)
            assert flows.loc[j, k] == via.importances[0, 0]
