"""The causal worlds of the lessons, each a `LinearSCM` from which one can sample."""

import numpy as np

from course_lib.validation import check_option
from course_lib.worlds.scm import LinearSCM

LOGINS_WORLDS = {  # every variable has the variance 1
    "confounder": (
        {"logins": {"interest": 0.8}, "score": {"interest": 0.75}},
        {"logins": 0.6, "interest": 1.0, "score": np.sqrt(0.4375)},
    ),
    "mediator": (
        {"practice": {"logins": 0.8}, "score": {"practice": 0.75}},
        {"logins": 1.0, "practice": 0.6, "score": np.sqrt(0.4375)},
    ),
    "reverse cause": ({"logins": {"score": 0.6}}, {"logins": 0.8, "score": 1.0}),
    "cause": ({"score": {"logins": 0.6}}, {"logins": 1.0, "score": 0.8}),
    "collider": (
        {"award": {"logins": 0.6, "score": 0.6}},
        {"logins": 1.0, "award": np.sqrt(0.28), "score": 1.0},
    ),
}


def make_logins_world(kind: str = "confounder") -> LinearSCM:
    """Five worlds with students' logins and exam scores, each explained by another graph.

    In four of them logins and score have the same law: variance 1 each, correlation 0.6. In
    "collider" they are independent. A third variable, where there is one, has variance 1 too, and
    "confounder" and "mediator" have the same law of all three.

    Parameters
    ----------
    kind : {"confounder", "mediator", "reverse cause", "cause", "collider"}
        interest acts on both / logins act by practice / the score acts on logins / logins act
        directly / an award depends on both.

    Examples
    --------
    The same covariance, and another effect.

    >>> kinds = ("confounder", "mediator", "reverse cause", "cause")
    >>> worlds = [make_logins_world(kind) for kind in kinds]
    >>> [world.covariance().round(6).loc["logins", "score"].item() for world in worlds]
    [0.6, 0.6, 0.6, 0.6]
    >>> [round(world.total_effect("logins", "score"), 6) for world in worlds]
    [0.0, 0.6, 0.0, 0.6]
    """
    check_option(kind, "kind", tuple(LOGINS_WORLDS))
    return LinearSCM(*LOGINS_WORLDS[kind])


def make_biomarker_world() -> LinearSCM:
    """The world of `003`, example 1: a model that may not see PSA finds it through cycling.

    The label should follow the biomarker alone, but was given with an eye on PSA, which cycling
    raises. All four noises have the variance 1/4. Least squares on biomarker and cycling finds
    the coefficients 1 and 0.5; given PSA, cycling tells nothing about the label.

    Examples
    --------
    >>> make_biomarker_world().least_squares("label", ["biomarker", "cycling"]).round(6).to_dict()
    {'biomarker': 1.0, 'cycling': 0.5}
    """
    return LinearSCM(
        {"PSA": {"cycling": 1.0}, "label": {"biomarker": 1.0, "PSA": 0.5}},
        {"biomarker": 0.5, "cycling": 0.5, "PSA": 0.5, "label": 0.5},
    )


def make_census_world() -> LinearSCM:
    """A world with the graph of `003`, example 2: three protected attributes and many doors.

    Age acts on income only by capital gain, education and hours; sex acts directly and by
    relationship and workclass; race directly and by marital status and occupation. The arrows are
    the paper's, their strengths are ours: every variable but income has the variance 1, and no
    claim about the real world is meant.

    Examples
    --------
    Age is no parent of income, and yet a cause of it.

    >>> world = make_census_world()
    >>> "age" in world.parents("income"), round(world.total_effect("age", "income"), 6)
    (False, 1.2)
    """
    return LinearSCM(
        {
            "capital_gain": {"age": 0.6},
            "education_num": {"age": 0.6},
            "hours_per_week": {"age": 0.6},
            "relationship": {"sex": 0.8},
            "workclass": {"sex": 0.6},
            "marital_status": {"race": 0.6},
            "occupation": {"race": 0.8},
            "income": {
                "sex": 0.5,
                "race": 0.5,
                "capital_gain": 0.5,
                "education_num": 1.0,
                "hours_per_week": 0.5,
                "relationship": 0.5,
                "workclass": 0.5,
                "marital_status": 0.5,
                "occupation": 1.0,
            },
        },
        {
            "age": 1.0,
            "sex": 1.0,
            "race": 1.0,
            "capital_gain": 0.8,
            "education_num": 0.8,
            "hours_per_week": 0.8,
            "relationship": 0.6,
            "workclass": 0.8,
            "marital_status": 0.8,
            "occupation": 0.6,
            "income": 1.0,
        },
    )
