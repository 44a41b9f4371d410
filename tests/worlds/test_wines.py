"""The wines of the capstone: what the data card says of them."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from course_lib.worlds import load_wines
from course_lib.worlds.wines import WINE_COLUMNS


@pytest.mark.parametrize("response", WINE_COLUMNS.values())
def test_any_of_the_nine_measurements_can_be_the_response_with_mean_0_and_variance_1(response):
    X, y = load_wines(response)
    assert X.shape == (178, 8) and y.name == response and response not in X
    assert y.mean() == pytest.approx(0, abs=1e-12)
    assert y.var(ddof=0) == pytest.approx(1)


def test_the_columns_are_those_of_scikit_learn_in_their_own_units():
    raw = load_wine(as_frame=True).data
    X, y = load_wines("alcohol")
    for theirs, ours in WINE_COLUMNS.items():
        if ours != "alcohol":
            np.testing.assert_array_equal(X[ours], raw[theirs])
    assert np.corrcoef(y, raw["alcohol"])[0, 1] == pytest.approx(1)


def test_the_wines_are_stored_grower_by_grower():
    growers = load_wine().target
    assert (np.diff(growers) >= 0).all()
    assert np.bincount(growers).tolist() == [59, 71, 48]


def test_a_caller_may_change_the_table_without_changing_it_for_others():
    X, _ = load_wines()
    X.iloc[0, 0] = 99.0
    assert load_wines()[0].iloc[0, 0] != 99.0


def test_an_unknown_response_is_refused():
    with pytest.raises(ValueError, match="response must be 'alcohol' or"):
        load_wines("taste")
