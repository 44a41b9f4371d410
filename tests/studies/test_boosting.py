"""The stored importances of XGBoost and LightGBM: shares, and what the packages say today."""

import numpy as np
import pytest

from course_lib.studies import boosted_importances
from course_lib.studies.boosting import N_REPEATS, WORLDS, _stored
from course_lib.tools import boosting

KINDS = {
    "xgboost": ["XGBoost weight", "XGBoost gain", "XGBoost cover", "XGBoost total_gain"],
    "lightgbm": ["LightGBM split", "LightGBM gain"],
}
each_world = pytest.mark.parametrize("world", WORLDS)


@each_world
def test_every_kind_is_a_share_in_each_of_twenty_data_sets(world):
    results = boosted_importances(world)
    assert list(results) == [kind for kinds in KINDS.values() for kind in kinds]
    for result in results.values():
        assert result.importances.shape == (5 if world == "noise" else 2, N_REPEATS)
        np.testing.assert_allclose(result.importances.sum(axis=0), 1)


@each_world
@pytest.mark.parametrize("package", KINDS)
def test_the_stored_numbers_are_what_the_package_computes(package, world):
    """Up to 5 %: another version or machine may break a tie otherwise."""
    pytest.importorskip(package)
    found = boosting.repeated(package, world, n_repeats=3)
    assert list(found) == KINDS[package]
    for kind, rows in found.items():
        stored, rows = np.array(_stored()[world][kind][:3]), np.array(rows)
        np.testing.assert_allclose(rows, stored, atol=0.05 * stored.max(), err_msg=kind)


@each_world
def test_the_mean_gain_of_xgboost_is_its_total_gain_per_split(world):
    kinds = {kind: np.array(rows) for kind, rows in _stored()[world].items()}
    product = kinds["XGBoost gain"] * kinds["XGBoost weight"]
    np.testing.assert_allclose(product, kinds["XGBoost total_gain"], rtol=0.01)


def test_an_unknown_world_is_refused():
    with pytest.raises(ValueError, match="world"):
        boosted_importances("census")


def test_without_the_packages_a_sentence_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(boosting, "find_spec", lambda name: None)
    assert boosting.main() == 1
    said = capsys.readouterr().err
    assert "Not installed: xgboost, lightgbm." in said and "pip install" in said
