"""Explanations of images: agreement, three measures of the class that is read, the digits."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import ExtraTreesClassifier

from course_lib.measures import local_mdi, saabas, tree_shap
from course_lib.studies import digit_forest, digit_images, explained_digits
from course_lib.studies.digits import agreement, agreements_by_digit, explain


@pytest.fixture(scope="module")
def iris():
    X, species = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[species]
    return ExtraTreesClassifier(10, random_state=0).fit(X, names), X[45:105:6], names[45:105:6]


def test_agreement_is_the_correlation_of_sizes_in_each_row():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 5, 7))
    expected = [np.corrcoef(abs(a), abs(b))[0, 1] for a, b in zip(first, second, strict=True)]
    np.testing.assert_allclose(agreement(first, second), expected)
    np.testing.assert_allclose(agreement(first, -3 * first), 1)


def test_explained_images_hold_the_three_measures_of_the_class_that_is_read(iris):
    forest, X, species = iris
    explained = explain(forest, X, species)
    np.testing.assert_array_equal(explained.read, forest.predict(X))
    np.testing.assert_array_equal(explained.certainty, forest.predict_proba(X).max(axis=1))
    np.testing.assert_allclose(explained.local, local_mdi(forest, X).values)
    for k in range(len(X)):
        whose = {"output": explained.read[k]}
        row = X[[k]]
        np.testing.assert_allclose(explained.saabas[k], saabas(forest, row, **whose).values[0])
        np.testing.assert_allclose(explained.shap[k], tree_shap(forest, row, **whose).values[0])


def test_the_halves_of_the_digits_are_whole_and_apart():
    train, held_out, y_train, y_held_out = digit_images()
    assert len(train) + len(held_out) == 1797
    assert train.shape[1] == held_out.shape[1] == 64
    assert set(y_train) == set(y_held_out) == set(range(10))
    assert not {row.tobytes() for row in train} & {row.tobytes() for row in held_out}


def test_the_forest_is_grown_on_the_training_images():
    train, _, y_train, _ = digit_images()
    forest = digit_forest(8)
    assert (len(forest.estimators_), forest.max_features, forest.criterion) == (150, 8, "entropy")
    np.testing.assert_array_equal(forest.predict_proba(train).max(axis=1), 1)
    np.testing.assert_array_equal(forest.predict(train), y_train)


@pytest.mark.parametrize(("seen", "n_each"), [(False, 6), (True, 3)])
def test_explained_digits_are_the_first_of_each_digit(seen, n_each):
    train, held_out, y_train, y_held_out = digit_images()
    images, digits = (train, y_train) if seen else (held_out, y_held_out)
    explained = explained_digits(8, seen=seen)
    np.testing.assert_array_equal(explained.digits, np.repeat(range(10), n_each))
    np.testing.assert_array_equal(explained.images[:n_each], images[digits == 0][:n_each])
    pair = explained.agreements["Saabas, tree SHAP"]
    np.testing.assert_allclose(pair, agreement(explained.saabas, explained.shap))


def test_agreements_stand_in_a_row_for_each_digit():
    explained, table = explained_digits(8), agreements_by_digit(8, "Saabas")
    assert table.shape == (10, 6)
    np.testing.assert_array_equal(table[3], explained.agreements["local MDI, Saabas"][18:24])
    np.testing.assert_array_equal(explained.values["tree SHAP"], explained.shap)
