"""Shares of a game of three by two rules, against games known by heart."""

import numpy as np
import pytest

from course_lib.models.rules import RULES, broken_axioms
from course_lib.studies.sharing import COALITIONS, RIVALS, game_of_three, share_out

DUO = {"A": 3, "B": 3, "AB": 10, "C": 0, "AC": 3, "BC": 3, "ABC": 10}


def test_a_game_is_put_in_the_order_of_bit_masks():
    assert game_of_three(DUO).tolist() == [0, 3, 3, 10, 0, 3, 3, 10]
    assert game_of_three(dict(reversed(DUO.items()))).tolist() == [0, 3, 3, 10, 0, 3, 3, 10]


@pytest.mark.parametrize("rule", RIVALS)
def test_the_shares_are_those_of_the_rules_and_the_broken_axioms_those_of_the_rival(rule):
    sharing, table = share_out(rule, **DUO), game_of_three(DUO)
    np.testing.assert_allclose(sharing.shapley, [5, 5, 0])
    np.testing.assert_allclose(sharing.rival, RULES[rule](table, 3))
    assert sharing.broken == broken_axioms(RULES[rule], table, 3, ("Ann", "Ben", "Cem"))


def test_a_rule_without_an_answer_breaks_nothing():
    sharing = share_out("proportional", **dict.fromkeys(COALITIONS, 0) | {"ABC": 6})
    assert sharing.rival is None and sharing.broken == {}
    np.testing.assert_allclose(sharing.shapley, 2)
