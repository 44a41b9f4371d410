"""What enters the biomarker model through each door, against closed forms."""

import pytest

from course_lib.measures import linear_gaussian
from course_lib.studies import (
    audit,
    door_flows,
    splits_by_door,
    splits_by_source,
    worth_and_slope,
)
from course_lib.studies.doors import parts_along, through_doors
from course_lib.worlds import LinearSCM, make_biomarker_world


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


def test_the_parts_of_an_order_and_of_shapley_add_up_and_the_fast_ones_need_not():
    exact = linear_gaussian(make_biomarker_world(), "label", {"biomarker": 1, "cycling": 0.5})
    orders = [["PSA", "cycling", "biomarker"], ["cycling", "biomarker", "PSA"]]
    table = splits_by_source(exact, "cycling", orders)
    assert list(table.index) == ["fast", *(f"order: {', '.join(o)}" for o in orders), "Shapley"]
    assert table.sum(axis=1).tolist() == pytest.approx([0.25, 0.125, 0.125, 0.125])
    assert table["PSA"].tolist() == pytest.approx([0.125, 0.125, 0, 0.0625])


def test_a_split_by_door_has_a_row_for_each_way_and_a_column_for_each_door():
    scm = LinearSCM({"b": {"a": 0.5}, "y": {"a": 1.0}}, {"a": 1.0, "b": 1.0, "z": 1.0, "y": 1.0})
    table = splits_by_door(linear_gaussian(scm, "y", {"a": 1.0, "b": 2.0}), "z", ["a", "b"])
    credit = 2 * 1.0 * 2.0 * 0.5  # twice the covariance that drawing apart takes away
    assert table["a"].tolist() == pytest.approx([credit, -credit, credit, 0, 0])
    assert table["b"].tolist() == pytest.approx([credit, -credit, -credit, 0, 0])


def test_an_audit_has_the_closed_forms_of_a_world_with_two_doors():
    scm = LinearSCM(
        {"u": {"g": 1.0}, "v": {"g": 1.0}, "y": {"u": 1.0, "v": 1.0}},
        dict.fromkeys(["g", "u", "v", "y"], 1.0),
    )
    found = audit(scm, "y", "g", ["u", "v"], without=[[], ["u"], ["u", "v"]])
    # least squares on v alone has the slope Cov(y, v) / Var(v) = 3 / 2, and Var(y) = 7
    assert list(found.index) == ["nothing", "u", "u and v"]
    assert found["gap"].tolist() == pytest.approx([4, 3, 0])
    assert found["associative importance of g"].tolist() == pytest.approx([4, 3.75, 0])
    assert found["squared error"].tolist() == pytest.approx([1, 2.5, 7])


def test_worth_and_slope_are_those_of_each_model():
    scm = LinearSCM({"y": {"x": 2.0}}, {"x": 1.0, "y": 1.0})
    models = {str(b): linear_gaussian(scm, "y", {"x": b}) for b in (1.0, 4.0)}
    table = worth_and_slope(models, "x")
    assert table["1.0"].tolist() == pytest.approx([4, 3, 1])  # 2 b 2, 2 b 2 - b^2, b
    assert table["4.0"].tolist() == pytest.approx([16, 0, 4])
