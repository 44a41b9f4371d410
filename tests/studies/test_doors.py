"""What enters the biomarker model through each door, against closed forms."""

import pytest

from course_lib.measures import linear_gaussian
from course_lib.studies import door_flows
from course_lib.studies.doors import through_doors
from course_lib.worlds import make_biomarker_world


@pytest.mark.parametrize("biomarker", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("cycling", [0.0, 0.7, 1.0])
def test_leak_and_error_have_their_closed_forms(biomarker, cycling):
    doors = through_doors(biomarker, cycling)
    assert doors.leak == pytest.approx(0.125 * cycling)
    cost = (1 - biomarker) ** 2 / 4 + (1 - cycling) ** 2 / 16
    assert doors.cost == pytest.approx(cost)
    assert doors.error == pytest.approx(0.3125 + cost)
    assert doors.flows.loc["PSA", "cycling"] == pytest.approx(doors.leak)
    assert doors.flows.loc["biomarker", "cycling"] == pytest.approx(0)


def test_a_flow_is_the_importance_of_a_variable_via_a_feature():
    exact = linear_gaussian(make_biomarker_world(), "label", {"biomarker": 1, "cycling": 0.5})
    flows = door_flows(exact, ["PSA", "biomarker"], ["biomarker", "cycling"])
    for j in flows.index:
        for k in flows.columns:
            via = exact.associative_importance_via(j, k)
            assert flows.loc[j, k] == via.importances[0, 0]
