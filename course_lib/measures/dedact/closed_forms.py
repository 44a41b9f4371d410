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
    Table,
    associative,
    direct,
    loss_without,
    shapley_of_pairs,
    without,
)
from course_lib.models.losses import squared_error
from course_lib.questions import DISTRIBUTION, Q1, Q2
from course_lib.results import Decomposition, Importances
from course_lib.validation import check_flag, check_number, check_option, feature_index
from course_lib.worlds.gaussian import regression
from course_lib.worlds.scm import LinearSCM, check_world


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

    shapley_via = staticmethod(shapley_of_pairs)

    def __init__(self, scm, target, coefficients):
        check_world(scm, "scm")
        target, sigma = scm.variables[scm.index(target)], scm.covariance()
        names = [name for name in scm.variables if name != target]
        if not names:
            raise ValueError(
                f"The world has no variable but the target {target!r}, so nothing can be "
                f"important. Add one."
            )
        self.scm, self.target, self.feature_names = scm, target, tuple(names)
        self.coefficients = _checked_coefficients(coefficients, names)
        self._b = np.array([self.coefficients.get(name, 0.0) for name in names])
        self._sigma = sigma.loc[names, names].to_numpy()
        self._with_target = sigma.loc[names, target].to_numpy()
        self._variance = float(sigma.loc[target, target])
        self._cache: dict[Set, tuple[np.ndarray, np.ndarray]] = {}

    def evaluate(self, table: Table, marginalize: bool, n_repeats: int | None = None) -> np.ndarray:
        """The rows of a table, exact, in one column."""
        check_flag(marginalize, "marginalize")
        return table.evaluate(lambda plan: np.array([self._risk(plan, marginalize)]))

    def said(self, n_columns: int = 1, what: str = "") -> dict[str, str]:
        """What every result here rests on, in words."""
        return {
            "loss": squared_error.in_words,
            "sample": "the distribution given",
            "repeats": "exact",
        }

    def orders(self, players: Set, n_orders: int):
        """Refused: nothing is drawn here."""
        raise ValueError(
            f"Closed forms are exact and need no random orders, got n_orders={n_orders!r}. "
            f"Leave it out."
        )

    def mean_squared_error(self) -> float:
        """The risk of the model as it is, with the best intercept."""
        return float(self._risk((), marginalize=False))

    def prediction_slope(self, j) -> float:
        """How much the mean prediction rises per unit of X_j, whether the model reads it or not.

        The slope of E[f(X) | X_j]. Between two groups of equal size, coded -1 and +1, the mean
        predictions differ by twice the slope.
        """
        j = feature_index(j, self.feature_names)
        return float(self._b @ self._sigma[:, j] / self._sigma[j, j])

    def permutation_importance(self) -> Importances:
        """Permutation importance of every variable: DI(X_k | all the rest), table 1 row 1."""
        return self._each_given_the_rest(direct, "permutation importance", Q1)

    def conditional_permutation_importance(self) -> Importances:
        """Conditional feature importance of every variable: AI(X_j | all the rest), row 4."""
        return self._each_given_the_rest(associative, "CFI", Q2)

    def sage(self, removal: str = "marginal") -> Importances:
        """SAGE values: Shapley values of v(S), which is DI(X_S) or AI(X_S), marginalised.

        removal="marginal" draws the absent features independently of the present ones (row 2 of
        table 1), removal="conditional" given them (row 3). 2**n risks.
        """
        check_option(removal, "removal", ("marginal", "conditional"))
        gain, question = (direct, Q1) if removal == "marginal" else (associative, DISTRIBUTION)

        def value(j: int) -> np.ndarray:
            contexts = self._contexts(j)
            gains = self.evaluate(Table([gain(self.D, (j,), C) for C in contexts]), True)
            return sum(w * row for w, row in zip(contexts.values(), gains, strict=True))

        values = [value(j) for j in self.D]
        names, measure = self.feature_names, f"{removal} SAGE"
        return Importances(np.array(values), names, measure, question, **self.said())

    def decompose_sage(self, j, how="fast") -> Decomposition:
        """The conditional SAGE value of X_j, split over the features through which it enters."""
        splits = {"fast": loss_without, "shapley": shapley_of_pairs}
        split = splits[check_option(how, "how", tuple(splits))]
        j = feature_index(j, self.feature_names)
        contexts = self._contexts(j).items()
        rows = sum(weight * self.gain_parts(j, C, split) for C, weight in contexts)
        measure = f"conditional SAGE({self.feature_names[j]}), {how} parts by feature"
        return self.decomposition(rows, "feature", measure, DISTRIBUTION)

    def _contexts(self, j: int) -> dict[Set, float]:
        """Every set C of other variables with its Shapley weight."""
        n = len(self.D)
        if n > MAX_EXACT_PLAYERS:
            raise ValueError(
                f"SAGE averages over 2**{n - 1} sets of variables, too many; up to "
                f"{MAX_EXACT_PLAYERS} variables are computed exactly. Use decompose_sage or "
                f"sage on data, with n_orders."
            )
        return {
            C: 1 / (n * comb(n - 1, size))
            for size in range(n)
            for C in combinations(without(self.D, (j,)), size)
        }

    def _each_given_the_rest(self, definition, measure: str, question) -> Importances:
        savings = [definition(self.D, (k,), without(self.D, (k,))) for k in self.D]
        values = self.evaluate(Table(savings), marginalize=False)
        return Importances(values, self.feature_names, measure, question, **self.said())

    def _risk(self, plan: Plan, marginalize: bool) -> float:
        b, sigma = self._b, self._sigma
        M, own = np.eye(len(b)), 0.0
        for group in plan:
            g = list(group.columns)
            means, left = self._conditional(group.given)
            M[g] = means[g]
            own += 0.0 if marginalize else b[g] @ left[np.ix_(g, g)] @ b[g]
        a = b @ M
        return self._variance - 2 * a @ self._with_target + a @ sigma @ a + own

    def _conditional(self, given: Set) -> tuple[np.ndarray, np.ndarray]:
        """E[X | X_G] as a matrix on all variables, and the covariance it leaves."""
        if given not in self._cache:
            G = list(given)
            means = np.zeros_like(self._sigma)
            means[:, G] = regression(self._sigma, self.D, G)
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
