"""Definitions 1-4 of `003` as plans of what is drawn given what, and the measures made of them.

Every measure is a difference of two risks, and a risk is the mean loss after some features were
replaced by draws. A plan says which: a tuple of groups, each drawn jointly inside and independently
of the other groups; features in no group keep their value. A subclass of `Pathways` turns plans
into numbers: by drawing (`perturbation`) or by a formula (`closed_forms`).
"""

from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from course_lib.models.games import coalitions, shapley_values
from course_lib.patience import paced
from course_lib.questions import DISTRIBUTION, Q1, Q2, Question
from course_lib.results import Decomposition, Importances
from course_lib.validation import Position, check_option, feature_indices

Set = tuple[int, ...]  # of features or variables, by position, in increasing order

MAX_EXACT_PLAYERS = 12
FEWER = (
    "Fewer repeats or orders (n_repeats, n_orders), fewer inner draws (n_samples) or a random "
    "sample of the rows take less time in proportion and give a larger standard error."
)


class Group(NamedTuple):
    """The features `columns` of one joint draw of `drawn`, given the variables `given`.

    Two groups come from the same draw if `drawn`, `given` and `stream` agree; groups of different
    streams are independent.
    """

    columns: Set
    given: Set
    drawn: Set
    stream: int = 0


Plan = tuple[Group, ...]


class Saving(NamedTuple):
    """The risk after one plan less the risk after another."""

    before: Plan
    after: Plan


def without(features: Iterable[int], *others: Iterable[int]) -> Set:
    """The features that are in none of the others."""
    return tuple(sorted(set(features).difference(*others)))


def do(*groups: Group) -> Plan:
    """The plan of these groups, without empty ones."""
    return tuple(group for group in groups if group.columns)


def noise(D: Set, B: Set, K: Set = ()) -> Group:
    """X_(D-B-K) = ~X^0, of a joint draw of all features but B that looks at nothing."""
    return Group(without(D, B, K), (), without(D, B))


def draw_given(D: Set, C: Set, stream: int = 0) -> Group:
    """X_(D-C) = ~X^C: all features but C, drawn given X_C."""
    return Group(without(D, C), C, without(D, C), stream)


def direct(D: Set, K: Set, B: Set) -> Saving:
    """Definition 1, DI(X_K | X_B): features K, noise until then, get their values back."""
    return Saving(do(noise(D, B)), do(noise(D, B, K)))


def associative(D: Set, J: Set, C: Set) -> Saving:
    """Definition 2, AI(X_J | X_C): all features are drawn given X_J too, not given X_C alone."""
    more = tuple(sorted({*C, *J}))
    return Saving(do(draw_given(D, C)), do(draw_given(D, more, stream=1 if J else 0)))


def direct_from(D: Set, K: Set, J: Set, B: Set) -> Saving:
    """Definition 3, DI(X_K | X_B <- X_J): K, noise until then, is drawn from what X_J tells."""
    rest, unknown = noise(D, B, K), without(K, J)
    from_J = Group(unknown, J, unknown, stream=1 if rest.columns else 0)
    return Saving(do(noise(D, B)), do(rest, from_J))


def associative_via(D: Set, J: Set, K: Set, C: Set) -> Saving:
    """Definition 4, AI(X_J | X_C -> X_K): K is drawn given X_J too, the rest given X_C alone."""
    more = tuple(sorted({*C, *J}))
    blocked = Group(without(D, C, K), C, without(D, C))
    via_K = Group(without(K, more), more, without(D, more), 1 if J or blocked.columns else 0)
    return Saving(do(draw_given(D, C)), do(blocked, via_K))


class Table(NamedTuple):
    """Savings that share their draws, and a result's rows as a linear function of their values."""

    savings: list[Saving]
    rows: Callable[[np.ndarray], np.ndarray] = np.asarray  # takes (n_savings, n_repeats)

    def evaluate(self, risk: Callable[[Plan], np.ndarray]) -> np.ndarray:
        """The rows, with a `risk` that gives each plan its mean loss, one value per repeat."""
        risk = cache(risk)
        return self.rows(np.array([risk(before) - risk(after) for before, after in self.savings]))


# Splits of a game w: the first row is w(all) - w(nobody), then one row for each player.

SavingGame = Callable[[Set], Saving]  # coalition -> worth


def gain_alone(w: SavingGame, players: Set) -> Table:
    """Section 5.1 for DI: what each player brings alone, over what nobody brings."""
    looked_at = [(), players, *((i,) for i in players)]
    return Table([w(S) for S in looked_at], lambda worths: worths[1:] - worths[0])


def loss_without(w: SavingGame, players: Set) -> Table:
    """Section 5.1 for AI: what is lost if only this player is taken away."""
    looked_at = [players, (), *(without(players, (i,)) for i in players)]
    return Table([w(S) for S in looked_at], lambda worths: worths[0] - worths[1:])


def shapley(w: SavingGame, players: Set) -> Table:
    """Section 5.2: Shapley values, exact, from all 2**len(players) worths."""
    n = len(players)
    if n > MAX_EXACT_PLAYERS:
        raise ValueError(
            f"Exact Shapley parts need a risk for each of 2**{n} coalitions, too many; up to "
            f"{MAX_EXACT_PLAYERS} variables are computed exactly. Pass n_orders=50, say, or "
            f"how='fast'."
        )

    def rows(worths):
        phi = [shapley_values(column, n) for column in worths.T]
        return np.vstack([worths[-1] - worths[0], np.transpose(phi)])

    return Table([w(tuple(players[i] for i in sorted(S))) for S in coalitions(n)], rows)


def shapley_of_pairs(w: SavingGame, players: Set) -> Table:
    """Shapley values of a game in which at most two players interact: half of each interaction.

    With a linear model and squared error, AI via is such a game in its features.
    """
    pairs = list(combinations(players, 2))

    def rows(worths):
        total, *gains = worths[1:] - worths[0]
        one = dict(zip(players, gains, strict=False))
        both = dict(zip(pairs, gains[len(players) :], strict=True))

        def half(i, j):
            return (both[min(i, j), max(i, j)] - one[i] - one[j]) / 2

        phi = [one[i] + sum(half(i, j) for j in players if j != i) for i in players]
        return np.array([total, *phi])

    return Table([w(S) for S in [(), players, *((i,) for i in players), *pairs]], rows)


def shapley_along(w: SavingGame, players: Set, order: Iterable[int]) -> Table:
    """Contributions along one order of the players and along its reverse, averaged."""
    order = list(order)
    steps = range(len(order) + 1)
    paths = [[tuple(sorted(path[:n])) for n in steps] for path in (order, order[::-1])]

    def rows(worths):
        there, back = np.diff(np.split(worths, 2), axis=1)
        gains = there / 2 + back[::-1] / 2
        return np.vstack([worths[len(order)] - worths[0], gains[np.argsort(order)]])

    return Table([w(S) for path in paths for S in path], rows)


class Pathways:
    """The measures of `003`; a subclass knows `feature_names` and how to `evaluate` a table."""

    feature_names: tuple[str, ...]
    shapley_via = staticmethod(shapley)  # how AI is split exactly

    def evaluate(self, table: Table, marginalize: bool, n_repeats: int | None = None) -> np.ndarray:
        """The rows of a table with the risks of this model, one column per repeat."""
        raise NotImplementedError

    def orders(self, players: Set, n_orders: int) -> list[list[int]]:
        """Random orders of the players."""
        raise NotImplementedError

    def said(self, n_columns: int, what: str = "draw") -> dict[str, str]:
        """What a result with so many columns rests on, in words; a column is one `what`."""
        raise NotImplementedError

    @property
    def D(self) -> Set:
        """All variables."""
        return tuple(range(len(self.feature_names)))

    def direct_importance(self, K, B=(), marginalize=False) -> Importances:
        """Definition 1, DI(X_K | X_B)."""
        K, B = self._disjoint(K=K, B=B)
        name = self._label(K)
        return self._row(direct(self.D, K, B), marginalize, name, f"DI({self._over(K, B)})", Q1)

    def associative_importance(self, J, C=(), marginalize=False) -> Importances:
        """Definition 2, AI(X_J | X_C)."""
        J, C = self._disjoint(J=J, C=C)
        question = self.associative_question(J, C, marginalize)
        measure = f"AI({self._over(J, C)})"
        return self._row(associative(self.D, J, C), marginalize, self._label(J), measure, question)

    def direct_importance_from(self, K, J, B=None, marginalize=False) -> Importances:
        """Definition 3, DI(X_K | X_B <- X_J); B=None stands for all features but K."""
        K, B = self._disjoint(K=K, B=self._all_but(K) if B is None else B)
        J = self._set(J)
        name = f"{self._label(K)} from {self._label(J)}"
        measure = f"DI({self._over(K, B)} <- {self._label(J)})"
        return self._row(direct_from(self.D, K, J, B), marginalize, name, measure, Q1)

    def associative_importance_via(self, J, K, C=(), marginalize=False) -> Importances:
        """Definition 4, AI(X_J | X_C -> X_K)."""
        J, C = self._disjoint(J=J, C=C)
        K = self._set(K)
        name = f"{self._label(J)} via {self._label(K)}"
        measure = f"AI({self._over(J, C)} -> {self._label(K)})"
        question = self.associative_question(J, C, marginalize)
        return self._row(associative_via(self.D, J, K, C), marginalize, name, measure, question)

    def decompose_direct(self, k, B=None, marginalize=False, how="fast", n_orders=None):
        """DI(X_k | X_B), by default the permutation importance, split over its sources."""
        K, B = self._disjoint(k=k, B=self._all_but(k) if B is None else B)
        game = partial(direct_from, self.D, K, B=B)
        splits = {"fast": gain_alone, "shapley": shapley}
        rows = self._split(game, self.D, splits, marginalize, how, n_orders)
        measure = f"DI({self._over(K, B)}){_mode(marginalize)}, {how} parts by source"
        return self.decomposition(rows, "variable", measure, Q1, _column(n_orders))

    def decompose_associative(self, j, C=(), marginalize=False, how="fast", n_orders=None):
        """AI(X_j | X_C), split over the features through which it enters the model."""
        J, C = self._disjoint(j=j, C=C)
        splits = {"fast": loss_without, "shapley": self.shapley_via}
        game = partial(associative_via, self.D, J, C=C)
        rows = self._split(game, without(self.D, C), splits, marginalize, how, n_orders)
        measure = f"AI({self._over(J, C)}){_mode(marginalize)}, {how} parts by feature"
        question = self.associative_question(J, C, marginalize)
        return self.decomposition(rows, "feature", measure, question, _column(n_orders))

    def gain_parts(self, j: int, C: Set, split: Callable[[SavingGame, Set], Table]) -> np.ndarray:
        """The gain AI(X_j | X_C) of SAGE, marginalised, and its split over the features."""
        game, players = partial(associative_via, self.D, (j,), C=C), without(self.D, C)
        return self._all_rows(self.evaluate(split(game, players), True, n_repeats=1), players)

    def decomposition(
        self, rows, of: str, measure: str, question: Question, what: str = "draw"
    ) -> Decomposition:
        """Rows: the total, then one per variable. `of` names the parts, `what` the columns."""
        total, *parts = rows.mean(axis=1)
        index = pd.Index(self.feature_names, name=of)
        table = pd.DataFrame({"importance": parts}, index=index)
        n_repeats = rows.shape[1]
        found = (float(total), table, measure, question)
        if n_repeats == 1:
            return Decomposition(*found, **self.said(1, what) | {"covers": ""})
        errors = rows.std(axis=1, ddof=1) / np.sqrt(n_repeats)
        return Decomposition(
            *found,
            errors=pd.Series(errors[1:], index=index),
            total_error=float(errors[0]),
            **self.said(n_repeats, what),
        )

    def associative_question(self, J: Set, C: Set, marginalize: bool) -> Question:
        """Conditional feature importance, the last row of table 1, asks for unique information."""
        given_the_rest = C and {*J, *C} == {*self.D}
        return Q2 if given_the_rest and not marginalize else DISTRIBUTION

    def _row(self, saving: Saving, marginalize, name: str, measure: str, question) -> Importances:
        values = self.evaluate(Table([saving]), marginalize)
        said = self.said(values.shape[1])
        return Importances(values, (name,), measure + _mode(marginalize), question, **said)

    def _split(self, game: SavingGame, players: Set, splits: dict, marginalize, how, n_orders):
        """Total and parts of the game, exact or, with n_orders, one column for each order."""
        split = splits[check_option(how, "how", tuple(splits))]
        if how != "shapley" and n_orders is not None:
            raise ValueError(
                f"n_orders belongs to how='shapley', got n_orders={n_orders!r} with how={how!r}. "
                f"Leave it out, or pass how='shapley'."
            )
        if n_orders is not None:
            tables = [shapley_along(game, players, o) for o in self.orders(players, n_orders)]
            tasks = [(table, marginalize, 1) for table in tables]
            columns = paced(self.evaluate, tasks, FEWER)
        else:
            columns = [self.evaluate(split(game, players), marginalize)]
        return self._all_rows(np.hstack(columns), players)

    def _all_rows(self, rows: np.ndarray, players: Set) -> np.ndarray:
        """The total and one row for each variable; who does not play gets 0."""
        filled = np.zeros((1 + len(self.D), rows.shape[1]))
        filled[[0, *(1 + i for i in players)]] = rows
        return filled

    def _set(self, features) -> Set:
        return tuple(sorted(feature_indices(features, self.feature_names)))

    def _all_but(self, K) -> Set:
        return tuple(map(Position, without(self.D, self._set(K))))

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

    def _label(self, features: Set) -> str:
        return ", ".join(self.feature_names[j] for j in features) or "nothing"

    def _over(self, measured: Set, baseline: Set) -> str:
        """What is measured, and over which baseline: "x1 | x2"."""
        is_rest = len(baseline) > 1 and {*baseline, *measured} == {*self.D}
        over = f" | {'rest' if is_rest else self._label(baseline)}" if baseline else ""
        return self._label(measured) + over


def _mode(marginalize: bool) -> str:
    return ", marginalised" if marginalize else ""


def _column(n_orders: int | None) -> str:
    """What one column of a split is."""
    return "draw" if n_orders is None else "order"
