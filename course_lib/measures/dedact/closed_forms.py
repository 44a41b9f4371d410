"""Direct and associative importance in closed form: a linear model in a linear-Gaussian world."""

from collections.abc import Mapping
from itertools import combinations
from math import comb

import numpy as np

from course_lib.measures.dedact.pathways import (
    MAX_EXACT_PLAYERS,
    Pathways,
    Plan,
    Set,
    associative_via,
    direct_from,
    missed,
    shapley_of_pairs,
    without,
)
from course_lib.questions import DISTRIBUTION, Q1, Q2
from course_lib.results import Decomposition, Importances
from course_lib.validation import check_number, check_option, feature_index
from course_lib.worlds.scm import LinearSCM, regression


def linear_gaussian(
    scm: LinearSCM, target: str, coefficients: Mapping[str, float]
) -> "LinearGaussian":
    """The measures of `dedact` in closed form, for f(x) = sum of b_j x_j and squared error.

    After a plan of perturbation the prediction has the mean  b'M x  given the data: row i of M
    holds the coefficients of E[X_i | X_G], G what feature i was drawn from. So the risk is

        Var(Y) - 2 b'M Cov(X, Y) + b'M Sigma M'b  +  sum over groups g of b_g' V_g b_g

    with V_g the conditional covariance of the group; a marginalised model has no last term. An
    intercept would change nothing: draws keep the means of the features.

    Parameters
    ----------
    scm : LinearSCM
    target : str
        The variable Y; all others are the variables D, in the order of the world.
    coefficients : dict
        From feature to its coefficient in the model; the model does not read the others.

    Returns
    -------
    exact : LinearGaussian
        With the measures as methods, each result exact (one column).

    Examples
    --------
    The model reads the proxy and not the cause. The cause has no direct importance; all that the
    proxy has comes from it.

    >>> world = LinearSCM({"proxy": {"cause": 1.0}, "y": {"cause": 1.0}},
    ...                   {"cause": 1.0, "proxy": 1.0, "y": 1.0})
    >>> exact = linear_gaussian(world, "y", {"proxy": 0.5})
    >>> exact.permutation_importance().importances_mean
    array([0., 1.])
    >>> exact.direct_importance_from("proxy", "cause").importances_mean
    array([1.])
    """
    return LinearGaussian(scm, target, coefficients)


class LinearGaussian(Pathways):
    """A linear model in a linear-Gaussian world; made by `linear_gaussian`."""

    _shapley_via = staticmethod(shapley_of_pairs)

    def __init__(self, scm, target, coefficients):
        if not isinstance(scm, LinearSCM):
            raise TypeError(
                f"scm must be a LinearSCM, got {type(scm).__name__}. Write the world down with "
                f"course_lib.worlds.scm.LinearSCM(equations, noise)."
            )
        sigma = scm.covariance()
        target = scm.variables[scm._index(target)]
        self.scm, self.target = scm, target
        self.feature_names = tuple(name for name in scm.variables if name != target)
        if not self.feature_names:
            raise ValueError(
                f"The world has no variable but the target {target!r}, so nothing can be "
                f"important. Add one."
            )
        names = list(self.feature_names)
        self.coefficients = _checked_coefficients(coefficients, names)
        self._b = np.array([self.coefficients.get(name, 0.0) for name in names])
        self._sigma = sigma.loc[names, names].to_numpy()
        self._with_target = sigma.loc[names, target].to_numpy()
        self._variance = float(sigma.loc[target, target])
        self._cache: dict[Set, tuple[np.ndarray, np.ndarray]] = {}

    def mean_squared_error(self) -> float:
        """The risk of the model as it is, with the best intercept."""
        return float(self._risk((), marginalize=False)[0])

    def permutation_importance(self) -> Importances:
        """Permutation importance of every variable: DI(X_k | all the rest), table 1 row 1."""
        return self._each(lambda risk, k, rest: direct_from(risk, self._D, k, k, rest), "PFI", Q1)

    def conditional_permutation_importance(self) -> Importances:
        """Conditional feature importance of every variable: AI(X_j | all the rest), row 4."""
        return self._each(
            lambda risk, j, rest: associative_via(risk, self._D, j, self._D, rest), "CFI", Q2
        )

    def sage(self, removal: str = "marginal") -> Importances:
        """SAGE values: Shapley values of v(S), which is DI(X_S) or AI(X_S), marginalised.

        removal="marginal" draws the absent features independently of the present ones (row 2 of
        table 1), removal="conditional" given them (row 3). 2**n risks.
        """
        check_option(removal, "removal", ("marginal", "conditional"))
        question = Q1 if removal == "marginal" else DISTRIBUTION
        D = self._D

        def gain(risk, j, C):
            if removal == "marginal":
                return direct_from(risk, D, j, j, C)
            return associative_via(risk, D, j, D, C)

        values = [
            self._evaluate(
                lambda risk, j=j: sum(
                    weight * gain(risk, (j,), C) for C, weight in self._contexts(j)
                ),
                marginalize=True,
            )
            for j in D
        ]
        return Importances(np.array(values), self.feature_names, f"{removal} SAGE", question)

    def decompose_sage(self, j, how="fast") -> Decomposition:
        """The conditional SAGE value of X_j, split over the features through which it enters."""
        split = {"fast": missed, "shapley": shapley_of_pairs}[
            check_option(how, "how", ("fast", "shapley"))
        ]
        j = feature_index(j, self.feature_names)
        D = self._D
        rows = np.zeros((1 + len(D), 1))
        for C, weight in self._contexts(j):
            players = without(D, C)
            parts = self._evaluate(
                lambda risk, C=C, players=players: split(
                    lambda K: associative_via(risk, D, (j,), K, C), players
                ),
                marginalize=True,
            )
            rows[[0, *(1 + k for k in players)]] += weight * parts
        measure = f"conditional SAGE({self.feature_names[j]}), {how} parts by feature"
        return self._decomposition(rows, D, "feature", measure, DISTRIBUTION)

    def _contexts(self, j: int) -> list[tuple[Set, float]]:
        """Every set C of other variables with its Shapley weight."""
        others = without(self._D, (j,))
        n = len(self._D)
        if n > MAX_EXACT_PLAYERS:
            raise ValueError(
                f"SAGE averages over 2**{n - 1} sets of variables, too many; up to "
                f"{MAX_EXACT_PLAYERS} variables are computed exactly. Use decompose_sage or "
                f"sage on data, with n_orders."
            )
        return [
            (C, 1 / (n * comb(n - 1, size)))
            for size in range(n)
            for C in combinations(others, size)
        ]

    def _each(self, definition, measure: str, question) -> Importances:
        values = [
            self._evaluate(
                lambda risk, k=k: definition(risk, (k,), without(self._D, (k,))), marginalize=False
            )
            for k in self._D
        ]
        return Importances(np.array(values), self.feature_names, measure, question)

    def _evaluate(self, definition, marginalize: bool, n_repeats: int | None = None) -> np.ndarray:
        return definition(lambda plan: self._risk(plan, marginalize))

    def _orders(self, players: Set, n_orders: int):
        raise ValueError(
            f"Closed forms are exact and need no random orders, got n_orders={n_orders!r}. "
            f"Leave it out."
        )

    def _risk(self, plan: Plan, marginalize: bool) -> np.ndarray:
        b, sigma = self._b, self._sigma
        M, own = np.eye(len(b)), 0.0
        for group in plan:
            g = list(group.columns)
            means, left = self._conditional(group.given)
            M[g] = means[g]
            own += 0.0 if marginalize else b[g] @ left[np.ix_(g, g)] @ b[g]
        a = b @ M
        return np.array([self._variance - 2 * a @ self._with_target + a @ sigma @ a + own])

    def _conditional(self, given: Set) -> tuple[np.ndarray, np.ndarray]:
        """E[X | X_G] as a matrix on all variables, and the covariance it leaves."""
        if given not in self._cache:
            G = list(given)
            means = np.zeros_like(self._sigma)
            means[:, G] = regression(self._sigma, self._D, G)
            left = self._sigma - means @ self._sigma
            self._cache[given] = means, (left + left.T) / 2
        return self._cache[given]


def _checked_coefficients(coefficients, names: list[str]) -> dict[str, float]:
    if not isinstance(coefficients, Mapping) and hasattr(coefficients, "to_dict"):
        coefficients = coefficients.to_dict()
    if not isinstance(coefficients, Mapping):
        raise TypeError(
            f"coefficients must be a dict from feature to coefficient, got "
            f"{type(coefficients).__name__}. Write for example {{{names[0]!r}: 1.0}}."
        )
    unknown = [name for name in coefficients if name not in names]
    if unknown:
        raise ValueError(
            f"coefficients has {unknown[0]!r}, which is no feature of this world; it has: "
            f"{', '.join(names)}. Correct the name, or leave it out."
        )
    return {
        name: check_number(value, f"coefficients[{name!r}]") for name, value in coefficients.items()
    }
