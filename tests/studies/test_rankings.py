"""Rankings side by side: places, and the pairs they agree on."""

import numpy as np
import pandas as pd
import pytest

from course_lib.studies import agreed_pairs, ranks_of


def test_the_largest_is_first_and_equals_share_the_last_of_their_places():
    values = pd.DataFrame({"Q1": [0.1, -3.0, 0.1 + 1e-12, 2.0]}, index=list("abcd"))
    assert ranks_of(values)["Q1"].tolist() == [3, 4, 3, 1]
    assert values["Q1"].tolist()[2] == 0.1 + 1e-12


def test_of_the_least_reliance_all_that_is_not_above_0_shares_the_last_place():
    values = pd.DataFrame({"Q1": [0.3, -0.1, 0.0, -0.2], "Q5": [0.3, -0.1, 0.0, -0.2]})
    ranks = ranks_of(values, at_least=["Q5"])
    assert ranks["Q1"].tolist() == [1, 3, 2, 4]
    assert ranks["Q5"].tolist() == [1, 4, 4, 4]


def test_a_ranking_agrees_with_itself_on_all_pairs_and_with_its_reverse_on_none():
    places = np.arange(1, 6)
    same = pd.DataFrame({"Q1": places, "Q2": places})
    reverse = pd.DataFrame({"Q1": places, "Q2": places[::-1]})
    assert (agreed_pairs(same), agreed_pairs(reverse)) == (10, 0)


def test_a_shared_place_is_no_agreement():
    assert agreed_pairs(pd.DataFrame({"Q1": [1, 2], "Q2": [1, 1]})) == 0


def test_agreement_of_two_rankings_is_what_kendalls_tau_counts():
    rng = np.random.default_rng(0)
    places = pd.DataFrame({k: rng.permutation(7) for k in ("Q1", "Q2")})
    tau = places.corr("kendall").loc["Q1", "Q2"]
    assert agreed_pairs(places) == round((tau + 1) / 2 * 21)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ranks_of([1, 2]), TypeError, "DataFrame"),
        (lambda: agreed_pairs(pd.DataFrame()), TypeError, "DataFrame"),
        (lambda: ranks_of(pd.DataFrame({"Q1": [1.0, np.nan]})), ValueError, "finite"),
        (lambda: ranks_of(pd.DataFrame({"Q1": ["x", "y"]})), ValueError, "finite"),
    ],
)
def test_bad_input_gets_a_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
