"""The local explorer and its numbers: agreement, explanations of images, the goal."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import ExtraTreesClassifier

from course_lib.measures import local_mdi, saabas, tree_shap
from course_lib.widgets import KS, digit_forest, digit_images, explained_digits, local_explorer
from course_lib.widgets.local import N_IMAGES, agreement, explain


@pytest.fixture(scope="module")
def explorer():
    return local_explorer()


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


def readouts(explorer, K, measure="tree SHAP"):
    """Digit, image and agreement of every state with this K, as the readout says."""
    explorer.controls["K"].value, explorer.controls["measure"].value = K, measure
    for digit in range(10):
        for image in range(1, N_IMAGES + 1):
            text = explorer._readout(digit=digit, image=image, K=K, measure=measure)
            yield digit, image, float(text.split(f"{measure}: ")[1].split(";")[0])


def test_the_readout_says_what_the_measures_say(explorer):
    _, held_out, _, y_held_out = digit_images()
    forest = digit_forest(8)
    second_7 = held_out[y_held_out == 7][[1]]
    read = forest.predict(second_7)[0]
    shap = tree_shap(forest, second_7, output=read).values
    expected = np.corrcoef(abs(local_mdi(forest, second_7).values), abs(shap))[0, 1]
    text = explorer._readout(digit=7, image=2, K=8, measure="tree SHAP")
    assert f"agreement of local MDI and tree SHAP: {expected:.2f};" in text
    assert f"{forest.predict_proba(second_7).max():.0%} of the trees read a {read}" in text


@pytest.mark.parametrize("K", KS)
def test_the_goal_is_reached_exactly_at_the_least_agreement(explorer, K):
    states = list(readouts(explorer, K))
    worst = min(states, key=lambda state: state[2])
    reached = [
        (digit, image)
        for digit, image, _ in states
        if explorer._attains(digit=digit, image=image, K=K, measure="tree SHAP")
    ]
    assert len(reached) == 1
    value = {(digit, image): agrees for digit, image, agrees in states}
    assert value[reached[0]] == worst[2]
    assert not explorer._attains(digit=reached[0][0], image=reached[0][1], K=K, measure="Saabas")


def test_the_first_state_has_not_reached_the_goal():
    assert not local_explorer().reached


def test_a_state_that_the_controls_cannot_show_is_refused(explorer):
    with pytest.raises(ValueError, match="K must be one of 1, 8, 64"):
        explorer.figure(K=2)
    with pytest.raises(ValueError, match="digit must lie between 0 and 9"):
        explorer.figure(digit=10)
    with pytest.raises(ValueError, match="no control 'pixel'"):
        explorer.figure(pixel=1)


def test_a_move_changes_picture_and_alternative_text(explorer):
    before = explorer.png
    explorer.controls["digit"].value = (explorer.controls["digit"].value + 1) % 10
    assert explorer.png != before
    assert f"An image of the digit {explorer.state['digit']}" in explorer._image.tooltip
