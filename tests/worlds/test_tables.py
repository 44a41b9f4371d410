"""The real tables of the capstone: what their data cards say of them."""

import numpy as np
import pytest
from sklearn import datasets

from course_lib.worlds import load_patients, load_wines
from course_lib.worlds.tables import PATIENTS, WINES

TABLES = {"patients": (load_patients, PATIENTS, 442), "wines": (load_wines, WINES, 178)}
RESPONSES = [(name, r) for name, (_, table, _) in TABLES.items() for r in table.columns.values()]


@pytest.mark.parametrize(("name", "response"), RESPONSES)
def test_any_column_can_be_the_response_with_mean_0_and_variance_1(name, response):
    load, table, n = TABLES[name]
    X, y = load(response)
    assert X.shape == (n, len(table.columns) - 1) and y.name == response and response not in X
    assert y.mean() == pytest.approx(0, abs=1e-12)
    assert y.var(ddof=0) == pytest.approx(1)


@pytest.mark.parametrize("name", TABLES)
def test_the_declared_response_is_the_default(name):
    load, table, _ = TABLES[name]
    assert load()[1].name == table.response


@pytest.mark.parametrize("name", TABLES)
def test_the_columns_are_those_of_scikit_learn_in_their_own_units(name):
    load, table, _ = TABLES[name]
    raw, (X, y) = table.read(), load()
    for theirs, ours in table.columns.items():
        if ours != table.response:
            np.testing.assert_array_equal(X[ours], raw[theirs])
        else:
            assert np.corrcoef(y, raw[theirs])[0, 1] == pytest.approx(1)


def test_the_patients_are_in_the_units_of_the_clinic_and_the_two_sexes_coded_1_and_2():
    X, _ = load_patients()
    assert 18 <= X["bmi"].min() and X["bmi"].max() < 43 and X["age"].max() == 79
    assert set(X["sex"]) == {1.0, 2.0}


def test_the_wines_are_stored_variety_by_variety():
    varieties = datasets.load_wine().target
    assert (np.diff(varieties) >= 0).all()
    assert np.bincount(varieties).tolist() == [59, 71, 48]


def test_a_caller_may_change_the_table_without_changing_it_for_others():
    X, _ = load_wines()
    X.iloc[0, 0] = 99.0
    assert load_wines()[0].iloc[0, 0] != 99.0


def test_an_unknown_response_is_refused():
    with pytest.raises(ValueError, match="response must be 'alcohol' or"):
        load_wines("taste")
