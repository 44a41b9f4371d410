"""Predicting, being used, changing the outcome: three numbers for one variable of a known world."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from course_lib.measures.permutation import (
    conditional_permutation_importance,
    permutation_importance,
)
from course_lib.validation import RandomState, check_count, check_random_state
from course_lib.worlds.samplers import GaussianSampler
from course_lib.worlds.scm import LinearSCM, check_world

NUMBERS = ("importance", "conditional importance", "total effect")


def three_numbers(
    world: LinearSCM, cause: str, target: str, features: Sequence[str] | None = None
) -> pd.Series:
    """Importance, conditional importance and total effect of one variable, in closed form.

    For the best linear predictor of `target` from `features`, with b_j its coefficient, and squared
    error (`001`; in an infinite sample):

        importance              2 b_j^2 Var(X_j)
        conditional importance  2 b_j^2 Var(X_j | the other features)
        total effect            d E[Y | do(X_j = x)] / dx

    The first two depend on what was measured and given to the model; the third does not.

    Parameters
    ----------
    world : LinearSCM
    cause, target : str
        Which variable, and of what. A variable that the model does not read has importance 0.
    features : sequence of str, default=None
        What the model reads; every variable but the target if None.

    Returns
    -------
    numbers : Series with the index `NUMBERS`

    Examples
    --------
    The barometer predicts the storm, and setting its needle changes no weather.

    >>> world = LinearSCM({"barometer": {"pressure": 1.0}, "storm": {"pressure": -1.0}},
    ...                   {"pressure": 1.0, "barometer": 0.0, "storm": 1.0})
    >>> three_numbers(world, "barometer", "storm", ["barometer"]).round(9).to_dict()
    {'importance': 2.0, 'conditional importance': 2.0, 'total effect': 0.0}
    """
    features = _checked_features(world, cause, target, features)
    if cause in features:
        b = world.least_squares(target, features)[cause]
        rest = [name for name in features if name != cause]
        variance = world.covariance().loc[cause, cause]
        unique = world.conditional([cause], rest)[1].loc[cause, cause]
    else:
        b = variance = unique = 0.0
    values = (2 * b**2 * variance, 2 * b**2 * unique, world.total_effect(cause, target))
    return pd.Series(values, index=list(NUMBERS), dtype=float)


def estimated_numbers(
    world: LinearSCM,
    cause: str,
    target: str,
    features: Sequence[str] | None = None,
    *,
    n_samples: int = 1000,
    n_repeats: int = 20,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """The three numbers as one would find them: a fit, a test sample, and a trial.

    In each repeat a linear model is fitted to `n_samples` rows and the importances are measured on
    as many new ones, the conditional one with draws from the true conditional distribution. The
    effect comes from a trial: in one half of `n_samples` rows `cause` is set to 1, in the other
    half to -1, and the difference of the means is divided by 2.

    Parameters
    ----------
    world, cause, target, features
        As in `three_numbers`; `cause` must be among the features.
    n_samples : int, default=1000
        At least 20; an odd one leaves one row of the trial out.
    n_repeats : int, default=20
        Independent repetitions of all of it. Cost: one fit and 10 predictions each.
    random_state : int, Generator or None

    Returns
    -------
    estimates : DataFrame with the index `NUMBERS` and one column per repeat

    Examples
    --------
    >>> world = LinearSCM({"y": {"x": 1.0}}, {"x": 1.0, "y": 0.0})
    >>> estimated_numbers(world, "x", "y", n_repeats=3, random_state=0).loc["total effect"].tolist()
    [1.0, 1.0, 1.0]
    """
    features = _checked_features(world, cause, target, features)
    if cause not in features:
        raise ValueError(
            f"The model does not read {cause!r}, so all there is to estimate of its importance is "
            f"0; features has: {', '.join(features)}. Add it, or use three_numbers."
        )
    n_samples = check_count(n_samples, "n_samples", minimum=20)
    check_count(n_repeats, "n_repeats")
    rng = check_random_state(random_state)
    covariance = world.covariance().loc[features, features]
    sampler = GaussianSampler.from_moments(world.mean()[features], covariance)
    j = features.index(cause)
    columns = [
        (
            *_importances(world, target, features, sampler, n_samples, rng)[:, j],
            _trial_effect(world, cause, target, n_samples // 2, rng),
        )
        for _ in range(n_repeats)
    ]
    return pd.DataFrame(np.transpose(columns), index=list(NUMBERS))


def _importances(world, target, features, sampler, n_samples, rng) -> np.ndarray:
    """Importance and conditional importance of each feature, on rows the model has not seen."""
    train, test = (world.sample(n_samples, rng) for _ in range(2))
    model = LinearRegression().fit(train[features], train[target])
    rows = (model, test[features], test[target])
    options = {"n_repeats": 5, "random_state": rng}
    marginal = permutation_importance(*rows, **options)
    conditional = conditional_permutation_importance(*rows, sampler=sampler, **options)
    return np.array([marginal.importances_mean, conditional.importances_mean])


def _trial_effect(world: LinearSCM, cause: str, target: str, n_samples: int, rng) -> float:
    high, low = (world.do(**{cause: x}).sample(n_samples, rng)[target].mean() for x in (1, -1))
    return (high - low) / 2


def _checked_features(world, cause, target, features) -> list[str]:
    check_world(world, "world")
    others = [name for name in world.variables if name != target]
    features = others if features is None else features
    names = [features] if isinstance(features, str) else list(features)
    for name in (cause, target, *names):
        world.parents(name)  # an unknown name is refused by the world
    if target in (cause, *names):
        raise ValueError(
            f"The target {target!r} cannot be its own cause or feature. Leave it out; there are: "
            f"{', '.join(others)}."
        )
    if not names:
        raise ValueError(
            "features is empty, so the model would read nothing. Name at least one variable."
        )
    return list(dict.fromkeys(names))
