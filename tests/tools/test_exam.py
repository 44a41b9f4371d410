"""The numbers of the exam questions in solutions/teaching.md, computed again."""

import re

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from course_lib.measures import asymptotic_mdi, linear_gaussian, mdi, shapley_values
from course_lib.models import impurity
from course_lib.tools.system import ROOT
from course_lib.worlds import Categorical, LinearSCM, make_gate

TEXT = (ROOT / "solutions" / "teaching.md").read_text(encoding="utf-8")
QUESTIONS = dict(re.findall(r"\*\*(E\d)\. (.*?)(?=\n\n\*\*E|\Z)", TEXT, re.DOTALL))


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_points_of_a_question_are_the_sum_of_its_rubric(name):
    said = int(re.search(r"(\d+) points\)", QUESTIONS[name])[1])
    assert said == sum(map(int, re.findall(r"^- (\d):", QUESTIONS[name], re.MULTILINE)))


def test_there_are_eight_questions():
    assert list(QUESTIONS) == [f"E{k}" for k in range(1, 9)]


def test_e1_a_lamp_with_an_or():
    X, lamp = make_gate("or")
    assert impurity(lamp) == pytest.approx(0.811, abs=5e-4)
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, lamp)
    assert sorted(mdi(tree).importances_mean) == pytest.approx([0.311, 0.5], abs=5e-4)
    fair = asymptotic_mdi(Categorical(X, lamp)).importances_mean
    assert fair == pytest.approx([0.41, 0.41], abs=5e-3)
    assert all(number in QUESTIONS["E1"] for number in ("0.81", "0.31", "0.50", "0.41"))


def test_e3_what_a_model_reads():
    """E[(y - f)²] of linear y and f is a quadratic form in the covariance of (x1, x2)."""
    covariance = np.array([[1, 0.8], [0.8, 1]])
    y, f = np.array([1.0, 1.0]), np.array([2.0, 0.0])
    error = (y - f) @ covariance @ (y - f)
    exchanged = y @ covariance @ y + f @ covariance @ f  # f of another row is independent of y
    slope = (y @ covariance)[1]
    without = y @ covariance @ y - slope**2
    found = [error, exchanged, exchanged - error, slope, without]
    assert found == pytest.approx([0.4, 7.6, 7.2, 1.8, 0.36])
    assert all(f"{number:.4g}" in QUESTIONS["E3"] for number in found)


def test_e4_fair_shares():
    worth = {frozenset(): 0, frozenset({0}): 0, frozenset({1}): 2, frozenset({0, 1}): 6}
    assert shapley_values(worth.get, 2) == pytest.approx([2, 4])


def test_e6_predict_use_change():
    world = LinearSCM({"x": {"z": 1}, "y": {"z": 1}}, {"z": 1, "x": 1, "y": 1})
    covariance = world.covariance()
    slope = covariance.loc["x", "y"] / covariance.loc["x", "x"]
    alone = linear_gaussian(world, "y", {"x": slope}).direct_importance("x")
    both = linear_gaussian(world, "y", {"x": 0, "z": 1}).direct_importance("x")
    found = [slope, *alone.importances_mean, *both.importances_mean]
    assert found == pytest.approx([0.5, 1, 0])
    assert world.do(x=2).mean()["y"] == 0
