"""Definitions 1-4 of `003` and their decompositions, written once for estimates and closed forms.

Every measure is a difference of two risks, and a risk is the mean loss after some features were
replaced by draws. A plan says which: a tuple of groups, each drawn jointly inside and independently
of the other groups; features in no group keep their value. How a plan becomes a number, by
simulation (`dedact`) or by a formula (`closed_forms`), is left to the subclass.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from course_lib.models.games import coalitions, shapley_values
from course_lib.questions import DISTRIBUTION, Q1, Q2, Question
from course_lib.results import Decomposition, Importances
from course_lib.validation import check_option, feature_indices

Set = tuple[int, ...]  # of features or variables, by position, in increasing order

MAX_EXACT_PLAYERS = 12


class Group(NamedTuple):
    """The features `columns` of one joint draw of `drawn`, given the variables `given`.

    Two groups come from the same draw if `drawn`, `given` and `stream` agree; groups of different
    streams are independent.
    """

    columns: Set
    given: Set
    drawn: Set
    stream: int


Plan = tuple[Group, ...]
Risk = Callable[[Plan], np.ndarray]  # plan -> mean loss, one value per repeat
Game = Callable[[Set], np.ndarray]  # coalition -> worth, one value per repeat


def without(features: Iterable[int], *others: Iterable[int]) -> Set:
    """The features that are in none of the others."""
    return tuple(sorted(set(features).difference(*others)))


def _plan(*groups: Group) -> Plan:
    return tuple(group for group in groups if group.columns)


def noise(D: Set, B: Set, K: Set = ()) -> Plan:
    """do(X_(D-B-K) = ~X^0): all features but B and K are noise, drawn jointly."""
    return _plan(Group(without(D, B, K), (), without(D, B), 0))


def direct_from(risk: Risk, D: Set, K: Set, J: Set, B: Set) -> np.ndarray:
    """Definition 3, DI(X_K | X_B <- X_J); definition 1 if J contains K."""
    rest, unknown = without(D, B, K), without(K, J)
    from_J = Group(unknown, J, unknown, 1 if rest else 0)
    return risk(noise(D, B)) - risk(noise(D, B, K) + _plan(from_J))


def associative_via(risk: Risk, D: Set, J: Set, K: Set, C: Set) -> np.ndarray:
    """Definition 4, AI(X_J | X_C -> X_K); definition 2 if K is all features."""
    known = tuple(sorted({*C, *J}))
    blocked = Group(without(D, C, K), C, without(D, C), 0)
    open_ = Group(without(K, known), known, without(D, known), 1 if J or blocked.columns else 0)
    baseline = Group(without(D, C), C, without(D, C), 0)
    return risk(_plan(baseline)) - risk(_plan(blocked, open_))


# Splits of a game w: the first row is w(all) - w(nobody), then one row for each player.


def alone(w: Game, players: Set) -> np.ndarray:
    """Section 5.1 for DI: what each player brings alone, over what nobody brings."""
    nobody = w(())
    return np.array([w(players) - nobody] + [w((i,)) - nobody for i in players])


def missed(w: Game, players: Set) -> np.ndarray:
    """Section 5.1 for AI: what is lost if only this player is taken away."""
    everybody = w(players)
    return np.array([everybody - w(())] + [everybody - w(without(players, (i,))) for i in players])


def shapley(w: Game, players: Set) -> np.ndarray:
    """Section 5.2: Shapley values, exact, from all 2**len(players) worths."""
    worths = np.array([w(tuple(players[i] for i in sorted(S))) for S in coalitions(len(players))])
    phi = [shapley_values(column, len(players)) for column in worths.T]
    return np.vstack([worths[-1] - worths[0], np.transpose(phi)])


def shapley_of_pairs(w: Game, players: Set) -> np.ndarray:
    """Shapley values of a game in which at most two players interact: half of each interaction.

    With a linear model and squared error, AI-via is such a game in its features.
    """
    one = {i: w((i,)) - w(()) for i in players}
    both = {(i, j): w((i, j)) - w(()) for i in players for j in players if i < j}
    phi = [
        one[i] + sum((both[min(i, j), max(i, j)] - one[i] - one[j]) / 2 for j in players if j != i)
        for i in players
    ]
    return np.array([w(players) - w(())] + phi)


def shapley_along(w: Game, players: Set, order: Iterable[int]) -> np.ndarray:
    """Contributions along one order of the players and along its reverse, averaged."""
    total, order = w(players) - w(()), tuple(order)
    gain = {i: np.zeros_like(total) for i in players}
    for path in (order, order[::-1]):
        worth = [w(tuple(sorted(path[:step]))) for step in range(len(path) + 1)]
        for i, contribution in zip(path, np.diff(worth, axis=0), strict=True):
            gain[i] = gain[i] + contribution / 2
    return np.array([total] + [gain[i] for i in players])


def _mode(marginalize: bool) -> str:
    return ", marginalised" if marginalize else ""


class Pathways:
    """The measures of `003` on top of risks; a subclass knows `feature_names` and `_evaluate`."""

    feature_names: tuple[str, ...]
    _shapley_via = staticmethod(shapley)

    def _evaluate(self, definition, marginalize: bool, n_repeats: int | None = None) -> np.ndarray:
        """definition(risk) for the risks of this model; the last axis holds the repeats."""
        raise NotImplementedError

    def _orders(self, players: Set, n_orders: int) -> np.ndarray:
        raise NotImplementedError

    @property
    def _D(self) -> Set:
        return tuple(range(len(self.feature_names)))

    def direct_importance(self, K, B=(), marginalize=False) -> Importances:
        """Definition 1, DI(X_K | X_B)."""
        K, B = self._disjoint(K=K, B=B)
        return self._row(
            lambda risk: direct_from(risk, self._D, K, K, B),
            marginalize,
            self._label(K),
            f"DI({self._label(K)}{self._over(B, K)})",
            Q1,
        )

    def direct_importance_from(self, K, J, B=None, marginalize=False) -> Importances:
        """Definition 3, DI(X_K | X_B <- X_J); B=None stands for all features but K."""
        K, B = self._disjoint(K=K, B=self._all_but(K) if B is None else B)
        J = self._set(J)
        arrow = f"{self._label(K)}{self._over(B, K)} <- {self._label(J)}"
        return self._row(
            lambda risk: direct_from(risk, self._D, K, J, B),
            marginalize,
            f"{self._label(K)} from {self._label(J)}",
            f"DI({arrow})",
            Q1,
        )

    def associative_importance(self, J, C=(), marginalize=False) -> Importances:
        """Definition 2, AI(X_J | X_C)."""
        J, C = self._disjoint(J=J, C=C)
        return self._row(
            lambda risk: associative_via(risk, self._D, J, self._D, C),
            marginalize,
            self._label(J),
            f"AI({self._label(J)}{self._over(C, J)})",
            self._question(J, C, marginalize),
        )

    def associative_importance_via(self, J, K, C=(), marginalize=False) -> Importances:
        """Definition 4, AI(X_J | X_C -> X_K)."""
        J, C = self._disjoint(J=J, C=C)
        K = self._set(K)
        return self._row(
            lambda risk: associative_via(risk, self._D, J, K, C),
            marginalize,
            f"{self._label(J)} via {self._label(K)}",
            f"AI({self._label(J)}{self._over(C, J)} -> {self._label(K)})",
            self._question(J, C, marginalize),
        )

    def decompose_direct(self, k, B=None, marginalize=False, how="fast", n_orders=None):
        """DI(X_k | X_B), by default the permutation importance, split over its sources."""
        K, B = self._disjoint(k=k, B=self._all_but(k) if B is None else B)
        rows = self._split(
            lambda risk: lambda J: direct_from(risk, self._D, K, J, B),
            self._D,
            {"fast": alone, "shapley": shapley},
            (marginalize, how, n_orders),
        )
        measure = (
            f"DI({self._label(K)}{self._over(B, K)}){_mode(marginalize)}, {how} parts by source"
        )
        return self._decomposition(rows, self._D, "variable", measure, Q1)

    def decompose_associative(self, j, C=(), marginalize=False, how="fast", n_orders=None):
        """AI(X_j | X_C), split over the features through which it enters the model."""
        J, C = self._disjoint(j=j, C=C)
        rows = self._split(
            lambda risk: lambda K: associative_via(risk, self._D, J, K, C),
            without(self._D, C),
            {"fast": missed, "shapley": self._shapley_via},
            (marginalize, how, n_orders),
        )
        measure = (
            f"AI({self._label(J)}{self._over(C, J)}){_mode(marginalize)}, {how} parts by feature"
        )
        question = self._question(J, C, marginalize)
        return self._decomposition(rows, without(self._D, C), "feature", measure, question)

    def _split(self, game, players: Set, splits: dict, options) -> np.ndarray:
        """Total and parts of the game, exact or, with n_orders, one column for each order."""
        marginalize, how, n_orders = options
        split = splits[check_option(how, "how", tuple(splits))]
        if how == "shapley" and n_orders is not None:
            columns = [
                self._evaluate(
                    lambda risk, order=order: shapley_along(game(risk), players, order),
                    marginalize,
                    n_repeats=1,
                )
                for order in self._orders(players, n_orders)
            ]
            return np.hstack(columns)
        if split is shapley and len(players) > MAX_EXACT_PLAYERS:
            raise ValueError(
                f"Exact Shapley parts need a risk for each of 2**{len(players)} coalitions, too "
                f"many; up to {MAX_EXACT_PLAYERS} variables are computed exactly. Pass "
                f"n_orders=50, say, or how='fast'."
            )
        return self._evaluate(lambda risk: split(game(risk), players), marginalize)

    def _row(self, definition, marginalize, name, measure, question) -> Importances:
        values = self._evaluate(definition, marginalize)
        return Importances(values[np.newaxis], (name,), measure + _mode(marginalize), question)

    def _decomposition(self, rows, players, of: str, measure, question) -> Decomposition:
        """Rows: the total, then one per player; who does not play gets 0. `of` names the parts."""
        total, n_repeats = rows[0], rows.shape[1]
        parts = np.zeros((len(self.feature_names), n_repeats))
        parts[list(players)] = rows[1:]
        index = pd.Index(self.feature_names, name=of)
        table = pd.DataFrame({"importance": parts.mean(axis=1)}, index=index)
        if n_repeats == 1:
            return Decomposition(float(total[0]), table, measure, question)
        errors = np.vstack([total, parts]).std(axis=1, ddof=1) / np.sqrt(n_repeats)
        return Decomposition(
            float(total.mean()),
            table,
            measure,
            question,
            errors=pd.Series(errors[1:], index=index),
            total_error=float(errors[0]),
        )

    def _question(self, J: Set, C: Set, marginalize: bool) -> Question:
        """Conditional feature importance, the last row of table 1, asks for unique information."""
        given_the_rest = C and {*J, *C} == {*self._D}
        return Q2 if given_the_rest and not marginalize else DISTRIBUTION

    def _set(self, features) -> Set:
        return tuple(sorted(feature_indices(features, self.feature_names)))

    def _all_but(self, K) -> Set:
        return without(self._D, self._set(K))

    def _disjoint(self, **sets) -> tuple[Set, Set]:
        """Both sets by position; refused if they overlap."""
        (one, two), (first, second) = sets, (self._set(features) for features in sets.values())
        if both := set(first) & set(second):
            shared = self._label(sorted(both))
            raise ValueError(
                f"{shared} is in both {one} and {two}; what is measured cannot also be its "
                f"baseline. Leave it out of one of them."
            )
        return first, second

    def _label(self, features) -> str:
        return ", ".join(self.feature_names[j] for j in features) or "nothing"

    def _over(self, baseline, measured) -> str:
        is_rest = len(baseline) > 1 and {*baseline, *measured} == {*self._D}
        return f" | {'rest' if is_rest else self._label(baseline)}" if baseline else ""
