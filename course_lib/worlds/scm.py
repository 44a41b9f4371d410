"""Linear structural causal models: worlds whose effects, moments and conditionals are all known."""

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

import numpy as np
import pandas as pd

from course_lib.validation import (
    RandomState,
    check_count,
    check_number,
    check_random_state,
)
from course_lib.worlds.gaussian import regression


class LinearSCM:
    """Each variable is a weighted sum of its causes plus independent Gaussian noise.

    x_child = intercept_child + sum over parents of a_(child, parent) x_parent + noise_child

    Parameters
    ----------
    equations : dict of dicts
        ``equations[child][parent]`` is the coefficient of the arrow parent -> child. A variable
        without an entry has no causes here.
    noise : dict
        ``noise[name]`` is the standard deviation of the variable's own noise, 0 for a variable
        that its causes determine. It names all variables; its order is the order of the columns.
    intercepts : dict, default=None
        ``intercepts[name]`` is a constant added to the variable, 0 if not given.

    Examples
    --------
    Smoke comes from fire and sets off the alarm. Making smoke rings the alarm, and lights no fire.

    >>> world = LinearSCM(
    ...     {"smoke": {"fire": 2.0}, "alarm": {"smoke": 3.0}}, {"fire": 1, "smoke": 0, "alarm": 1}
    ... )
    >>> world.total_effect("fire", "alarm"), world.total_effect("smoke", "fire")
    (6.0, 0.0)
    >>> world.do(smoke=1).mean().to_dict()
    {'fire': 0.0, 'smoke': 1.0, 'alarm': 3.0}
    """

    def __init__(self, equations, noise, *, intercepts=None):
        self.noise = _numbers(noise, "noise", minimum=0)
        self.variables = tuple(self.noise)
        if not self.variables:
            raise ValueError(
                "noise is empty, so the world would have no variable. "
                "Name each one with the standard deviation of its noise."
            )
        self.intercepts = _numbers({} if intercepts is None else intercepts, "intercepts")
        self.equations = {
            child: _numbers(parents, f"equations[{child!r}]")
            for child, parents in _mapping(equations, "equations").items()
        }
        for name in (*self.intercepts, *self.equations, *_all_parents(self.equations)):
            self.index(name)
        self._effects = self._total_effects()

    def __repr__(self) -> str:
        terms = {
            child: [f"{a:g} {parent}" for parent, a in self.equations.get(child, {}).items()]
            for child in self.variables
        }
        for name, constant in self.intercepts.items():
            terms[name].append(f"{constant:g}")
        for name, sd in self.noise.items():
            terms[name] += [f"N(0, {sd:g}**2)"] if sd else []
        lines = [f"{name} = {' + '.join(terms[name]) or '0'}" for name in self.variables]
        return "LinearSCM:\n  " + "\n  ".join(lines)

    def parents(self, name: str) -> tuple[str, ...]:
        """The direct causes of a variable: the tails of the arrows into it."""
        return tuple(self.equations.get(self.variables[self.index(name)], {}))

    def sample(self, n_samples: int, random_state: RandomState = None) -> pd.DataFrame:
        """Independent draws, one row each, with the columns in the order of `noise`.

        Every variable has its own place in the stream of random numbers, also where its noise is
        0. So for the same int, `world` and `world.do(...)` share the noise of all variables that
        are not set: row i is the same individual in both, as it is and as it would have been.
        """
        n_samples = check_count(n_samples, "n_samples")
        draws = check_random_state(random_state).standard_normal((n_samples, len(self.variables)))
        own = self._vector(self.intercepts) + draws * self._vector(self.noise)
        # term by term: `own @ effects.T` has other last digits on another processor, and forests
        # grown on them other cuts
        values = sum(np.outer(*each) for each in zip(own.T, self._effects.T, strict=True))
        return pd.DataFrame(values, columns=list(self.variables))

    def do(self, **values: float) -> "LinearSCM":
        """The world in which variables are set from outside: their arrows cut, their value fixed.

        Examples
        --------
        >>> world = LinearSCM({"y": {"x": 1.0}}, {"x": 1.0, "y": 1.0})
        >>> world.do(y=5).total_effect("x", "y")
        0.0
        """
        fixed = _numbers(values, "do()")
        for name in fixed:
            self.index(name)
        kept = {child: causes for child, causes in self.equations.items() if child not in fixed}
        return LinearSCM(
            kept,
            self.noise | dict.fromkeys(fixed, 0.0),
            intercepts=self.intercepts | fixed,
        )

    def mean(self) -> pd.Series:
        """The expectation of each variable."""
        return self._series(self._effects @ self._vector(self.intercepts))

    def covariance(self) -> pd.DataFrame:
        """The covariance matrix  T diag(noise**2) T',  T the total effects; rows as columns."""
        scaled = self._effects * self._vector(self.noise)
        names = list(self.variables)
        return pd.DataFrame(scaled @ scaled.T, index=names, columns=names)

    def total_effect(self, cause: str, effect: str) -> float:
        """Change of the mean of `effect` per unit of `cause`, set from outside: d E[effect | do].

        The sum, over all directed paths from cause to effect, of the product of the coefficients
        along the path; 0 if there is no path, 1 from a variable to itself.
        """
        return float(self._effects[self.index(effect), self.index(cause)])

    def least_squares(self, target: str, features: Sequence[str]) -> pd.Series:
        """Coefficients of the best linear predictor of `target` from `features`, in this world.

        What least squares finds in an infinite sample: association, not effect. Collinear
        features share their coefficient (the shortest solution).

        Examples
        --------
        Of the two only the cause remains once both are known.

        >>> world = LinearSCM({"copy": {"x": 1.0}, "y": {"x": 2.0}}, {"x": 1, "copy": 1, "y": 1})
        >>> world.least_squares("y", ["copy"]).round(9).to_dict()
        {'copy': 1.0}
        >>> world.least_squares("y", ["x", "copy"]).abs().round(9).to_dict()
        {'x': 2.0, 'copy': 0.0}
        """
        coefficients, _ = self.conditional([target], features)
        return coefficients.loc[self.variables[self.index(target)]].rename(None)

    def conditional(self, columns, given) -> tuple[pd.DataFrame, pd.DataFrame]:
        """How `columns` follow from `given`: the coefficients and the covariance that is left.

        Given x_G, the columns are Gaussian with mean  mean_C + B (x_G - mean_G)  and covariance
        Sigma_CC - B Sigma_GC, where  B = Sigma_CG Sigma_GG^-1  (a pseudo-inverse, if need be).

        Returns
        -------
        coefficients : DataFrame, one row per column of `columns` and one column per `given`
        covariance : DataFrame, rows and columns `columns`
        """
        sigma, C, G = self.covariance(), self._indices(columns), self._indices(given)
        B = regression(sigma.to_numpy(), C, G)
        left = sigma.iloc[C, C] - B @ sigma.iloc[G, C].to_numpy()
        return pd.DataFrame(B, index=sigma.index[C], columns=sigma.columns[G]), left

    def _total_effects(self) -> np.ndarray:
        """T[effect, cause], filled from causes to effects; a cycle is refused."""
        try:
            causes = {child: set(self.equations.get(child, ())) for child in self.variables}
            order = list(TopologicalSorter(causes).static_order())
        except CycleError as error:
            cycle = " -> ".join(error.args[1])
            raise ValueError(
                f"The equations go in a circle, {cycle}; causes must come before their effects. "
                f"Remove one of these arrows."
            ) from None
        T = np.eye(len(self.variables))
        for child in order:
            for parent, a in self.equations.get(child, {}).items():
                T[self.index(child)] += a * T[self.index(parent)]
        return T

    def index(self, name: str) -> int:
        """The position of a variable; an unknown one is refused."""
        if not isinstance(name, str):
            raise TypeError(
                f"A variable is given by its name, got {name!r} ({type(name).__name__}). "
                f"The world has: {', '.join(self.variables)}."
            )
        if name not in self.noise:
            raise ValueError(
                f"Unknown variable {name!r}; the world has: {', '.join(self.variables)}. Correct "
                f"the name, or add it to noise, which names every variable (0 for no noise)."
            )
        return self.variables.index(name)

    def _indices(self, names) -> list[int]:
        names = [names] if isinstance(names, str) or not isinstance(names, Iterable) else names
        return list(dict.fromkeys(self.index(name) for name in names))

    def _vector(self, numbers: Mapping[str, float]) -> np.ndarray:
        return np.array([numbers.get(name, 0.0) for name in self.variables])

    def _series(self, values: np.ndarray) -> pd.Series:
        return pd.Series(values, index=list(self.variables))


def _all_parents(equations: Mapping[str, Mapping[str, float]]) -> list[str]:
    return [parent for causes in equations.values() for parent in causes]


def _mapping(values, name: str) -> dict:
    if not isinstance(values, Mapping):
        raise TypeError(
            f"{name} must be a dict with the names of variables as keys, got "
            f"{type(values).__name__}. For a world with one arrow, write "
            f"LinearSCM({{'y': {{'x': 2.0}}}}, {{'x': 1.0, 'y': 1.0}})."
        )
    for key in values:
        if not isinstance(key, str):
            raise TypeError(
                f"{name} has the key {key!r} ({type(key).__name__}); variables are named by "
                f"strings. Write {str(key)!r}."
            )
    return dict(values)


def _numbers(values, name: str, *, minimum: float = -np.inf) -> dict[str, float]:
    return {
        key: check_number(value, f"{name}[{key!r}]", minimum=minimum)
        for key, value in _mapping(values, name).items()
    }


def check_world(scm, name: str) -> None:
    """Raise unless `scm`, called `name` by the caller, is a LinearSCM."""
    if not isinstance(scm, LinearSCM):
        raise TypeError(
            f"{name} must be a LinearSCM, got {type(scm).__name__}. Write the world down with "
            f"course_lib.worlds.LinearSCM(equations, noise)."
        )
