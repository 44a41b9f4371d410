"""Every measure says its loss, its sample, its repeats, and what its interval covers."""

from functools import partial
from inspect import signature

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from course_lib import measures
from course_lib.models import absolute_error, cross_entropy, zero_one
from course_lib.models.losses import loss_in_words
from course_lib.results import Decomposition, Importances, LocalImportances, RelianceRange
from course_lib.worlds import Categorical, GaussianSampler, LinearSCM, make_led

X, y = (part[:60] for part in load_diabetes(return_X_y=True, as_frame=True))
X = X.iloc[:, :3]
LINE = LinearRegression().fit(X, y)
X_IRIS, IRIS = load_iris(return_X_y=True, as_frame=True)
FOREST = RandomForestClassifier(5, random_state=0).fit(X_IRIS, IRIS)
BOOSTED = GradientBoostingRegressor(n_estimators=3, random_state=0).fit(X, y)
WORLD = LinearSCM({"y": {"a": 1.0, "b": 1.0}}, {"a": 1.0, "b": 1.0, "y": 1.0})
GOOD = measures.LinearRashomonSet(X, y, epsilon=1.0)
FEW = {"n_repeats": 2, "random_state": 0}
ORDERS = {"n_orders": 2, "random_state": 0}
DATA = (LINE, X, y)

SQUARED, ROWS = "mean squared error", "60 rows given"
DRAWN = f"{SQUARED}, {ROWS}, 2 draws by GaussianSampler; the interval covers the drawing only"
TREES = "5 trees; the interval covers the differences between the trees only"
OUTSIDE = "training rows outside each tree's bag"

SAID = {  # name of a measure, call, what its basis says
    "booster_importances": (
        lambda: measures.booster_importances(BOOSTED, kind="splits"),
        "number of its splits, the rows it was grown on, exact",
    ),
    "permutation_importance": (
        lambda: measures.permutation_importance(*DATA, **FEW),
        f"{SQUARED}, {ROWS}, 2 shuffles; the interval covers the shuffling only",
    ),
    "conditional_permutation_importance": (
        lambda: measures.conditional_permutation_importance(*DATA, **FEW),
        DRAWN,
    ),
    "oob_permutation_importance": (
        lambda: measures.oob_permutation_importance(FOREST, X_IRIS, IRIS, loss=zero_one),
        f"share of wrong classes, {OUTSIDE}, {TREES}",
    ),
    "permutation_null": (
        lambda: measures.permutation_null(*DATA, "age", X_test=X[:9], y_test=y[:9], **FEW),
        f"{SQUARED}, 9 test rows, fitted to 60 rows, 2 twins; the interval covers the shuffling "
        f"and refitting of twins only",
    ),
    "model_reliance": (
        lambda: measures.model_reliance(*DATA),
        f"{SQUARED}, {ROWS}, exact over all pairs of them",
    ),
    "conditional_model_reliance": (
        lambda: measures.conditional_model_reliance(*DATA, imputer=DecisionTreeRegressor()),
        f"{SQUARED}, {ROWS}, exact over all pairs, imputer DecisionTreeRegressor",
    ),
    "algorithm_reliance": (
        lambda: measures.algorithm_reliance(LinearRegression(), X, y),
        f"{SQUARED}, {ROWS}, fitted to them too, one fit without each feature",
    ),
    "sage": (
        lambda: measures.sage(*DATA, sampler=GaussianSampler(), **ORDERS),
        f"{SQUARED}, {ROWS}, 2 orders, drawn by GaussianSampler; the interval covers orders and "
        f"draws only",
    ),
    "mdi": (lambda: measures.mdi(FOREST), f"Gini impurity, the rows it was grown on, {TREES}"),
    "unbiased_mdi": (
        lambda: measures.unbiased_mdi(FOREST, X_IRIS, IRIS),
        f"Gini impurity, {OUTSIDE}, {TREES}",
    ),
    "local_mdi": (
        lambda: measures.local_mdi(FOREST, X_IRIS[:4]),
        "Gini impurity, 4 rows given, exact",
    ),
    "saabas": (
        lambda: measures.saabas(FOREST, X_IRIS[:4]),
        "the probability of the predicted class, 4 rows given, exact",
    ),
    "tree_shap": (
        lambda: measures.tree_shap(FOREST, X_IRIS[:4], background=X_IRIS, output=2),
        "the probability of class 2, 4 rows given, exact over 150 background rows",
    ),
    "asymptotic_mdi": (
        lambda: measures.asymptotic_mdi(Categorical(*make_led()), impurity="gini"),
        "Gini impurity, the distribution given, exact",
    ),
    "asymptotic_local_mdi": (
        lambda: measures.asymptotic_local_mdi(Categorical(*make_led()), make_led()[0].iloc[0]),
        "entropy (bits), the distribution given, exact",
    ),
    "direct_importance": (
        lambda: measures.direct_importance(*DATA, "age", sampler=GaussianSampler(), **FEW),
        DRAWN,
    ),
    "associative_importance": (
        lambda: measures.associative_importance(*DATA, "age", **FEW),
        DRAWN,
    ),
    "direct_importance_from": (
        lambda: measures.direct_importance_from(*DATA, "age", "bmi", **FEW),
        DRAWN,
    ),
    "associative_importance_via": (
        lambda: measures.associative_importance_via(*DATA, "age", "bmi", **FEW),
        DRAWN,
    ),
    "decompose_direct": (
        lambda: measures.decompose_direct(*DATA, "age", **FEW),
        DRAWN.replace("interval covers", "standard errors cover"),
    ),
    "decompose_associative": (
        lambda: measures.decompose_associative(*DATA, "age", how="shapley", **ORDERS),
        f"{SQUARED}, {ROWS}, 2 orders, drawn by GaussianSampler; the standard errors cover orders "
        f"and draws only",
    ),
    "decompose_sage": (
        lambda: measures.decompose_sage(*DATA, "age", **ORDERS),
        f"{SQUARED}, {ROWS}, 2 orders, drawn by GaussianSampler; the standard errors cover orders "
        f"and draws only",
    ),
    "LinearRashomonSet": (
        lambda: GOOD.model_class_reliance("age"),
        f"{SQUARED}, {ROWS}, exact over the good models",
    ),
    "KernelRashomonSet": (
        lambda: measures.KernelRashomonSet(
            X[:9], y[:9], epsilon=1.0, gamma=1.0, alpha=0.1
        ).conditional_model_class_reliance("age"),
        f"{SQUARED}, 9 rows given, exact over the good models",
    ),
    "linear_gaussian": (
        lambda: measures.linear_gaussian(WORLD, "y", {"a": 1.0}).sage(),
        f"{SQUARED}, the distribution given, exact",
    ),
}
RECORDS = (Importances, LocalImportances, RelianceRange, Decomposition)


def returns_a_record(name: str) -> bool:
    """Whether a name of the package is a measure: it promises one of the records."""
    function = getattr(measures, name)
    promised = getattr(signature(function), "return_annotation", None)
    return promised in RECORDS


def test_no_measure_is_forgotten():
    assert {name for name in measures.__all__ if returns_a_record(name)} <= SAID.keys()


@pytest.mark.parametrize("name", SAID)
def test_a_measure_says_what_its_numbers_rest_on(name):
    call, basis = SAID[name]
    assert call().basis == basis


def pinball(y, prediction):
    return np.maximum(0.9 * (y - prediction), 0.1 * (prediction - y))


@pytest.mark.parametrize(
    ("model", "loss", "words"),
    [
        (LINE, None, SQUARED),
        (FOREST, None, "mean cross-entropy (nats)"),
        (LINE, absolute_error, "mean absolute error"),
        (LINE, pinball, "mean pinball"),
        (FOREST, partial(cross_entropy, classes=[0, 1, 2]), "mean cross-entropy (nats)"),
        (LINE, lambda y, prediction: (y - prediction) ** 4, "the loss given"),
        (LogisticRegression(), None, "mean cross-entropy (nats)"),
    ],
)
def test_a_loss_has_a_name_in_words(model, loss, words):
    assert loss_in_words(model, loss) == words


def test_the_loss_that_was_counted_is_the_one_that_is_named():
    result = measures.permutation_importance(*DATA, loss=pinball, **FEW)
    assert result.loss == "mean pinball"


def test_halves_leave_out_the_odd_row_and_say_so():
    result = measures.model_reliance(LINE, X[:59], y[:59], pairs="halves")
    assert result.basis == f"{SQUARED}, 58 rows given, exact over their two halves"
