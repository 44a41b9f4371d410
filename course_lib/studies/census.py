"""Seven rankings of the same ten variables, each computed correctly: the paradox of lesson 00."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from course_lib.measures.attribution.tree_shap import tree_shap
from course_lib.measures.dedact.closed_forms import linear_gaussian
from course_lib.measures.forests.mdi import mdi
from course_lib.measures.permutation import (
    conditional_permutation_importance,
    permutation_importance,
)
from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.studies.rankings import ranks_of
from course_lib.worlds.causal import make_census_world
from course_lib.worlds.samplers import GaussianSampler

AT_LEAST = ("Q5", "Q6")  # the least reliance of any good model
PERSON = 154  # of the new people, counted from 0: number 754 of all


@dataclass(frozen=True, eq=False)
class Census:
    """People to learn from, new people to measure on, and a forest that predicts income."""

    X: pd.DataFrame
    y: pd.Series
    X_new: pd.DataFrame
    y_new: pd.Series
    forest: RandomForestRegressor


@cache
def census(seed: int = 4) -> Census:
    """Twelve hundred people of the invented census, the first half to learn from."""
    people = make_census_world().sample(1200, random_state=seed)
    y, X = people["income"], people.drop(columns="income")
    forest = RandomForestRegressor(60, min_samples_leaf=3, random_state=0).fit(X[:600], y[:600])
    return Census(X[:600], y[:600], X[600:], y[600:], forest)


@cache
def seven_answers(seed: int = 4, n_repeats: int = 5) -> pd.DataFrame:
    """The importance of each variable by the six questions and by the distribution.

    Q3 is about one person; Q5 and Q6 are the least reliance of a good linear model, one
    whose squared error on the new people is at most 0.1 above the least possible.
    """
    world, people = make_census_world(), census(seed)
    names, sample = list(people.X), (people.X_new, people.y_new)
    law = GaussianSampler.from_moments(world.mean()[names], world.covariance().loc[names, names])
    options = {"n_repeats": n_repeats, "random_state": 0}
    unique = conditional_permutation_importance(people.forest, *sample, sampler=law, **options)
    good = LinearRashomonSet(*sample, epsilon=0.1)
    best = dict(world.least_squares("income", names))
    her = people.X_new[PERSON : PERSON + 1]
    return pd.DataFrame(
        {
            "Q1": permutation_importance(people.forest, *sample, **options).importances_mean,
            "Q2": unique.importances_mean,
            "Q3": np.abs(tree_shap(people.forest, her).values[0]),
            "Q4": mdi(people.forest).importances_mean,
            "Q5": [good.model_class_reliance(j, as_ratio=False).low for j in names],
            "Q6": [good.conditional_model_class_reliance(j, as_ratio=False).low for j in names],
            "Distribution": linear_gaussian(world, "income", best)
            .sage("conditional")
            .importances_mean,
        },
        index=names,
    )


def seven_rankings(seed: int = 4) -> pd.DataFrame:
    """The places that the seven answers give to the ten variables.

    Those that some good model does without share the last place of Q5, or of Q6.

    Examples
    --------
    >>> seven_rankings().loc["race"].tolist()
    [1, 3, 3, 1, 10, 10, 2]
    """
    return ranks_of(seven_answers(seed), at_least=AT_LEAST)
