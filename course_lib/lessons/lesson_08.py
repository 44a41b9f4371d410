"""The exercises of lesson 08: direct and associative importance by hand, for linear models."""

import numpy as np

from course_lib.lessons.exercise import ALLOWED, Exercise, Slip
from course_lib.models.games import shapley_values

# All tasks live in one setting: inputs with covariance S, covariances c with the target, a linear
# model with coefficients b, squared error. Positions j and k count from 0.


def _draw_world(rng: np.random.Generator) -> dict:
    """A covariance with variances away from 1, a target, a model that skips the variable j."""
    while True:
        A = rng.normal(size=(4, 4))
        S = (A @ A.T + np.eye(4)).round(2)
        c = (S @ rng.normal(size=4)).round(2)
        b = rng.uniform(0.3, 1.5, size=4).round(1) * rng.choice([-1, 1], size=4)
        j, k = rng.choice(4, size=2, replace=False)
        b[j] = 0.0
        if _is_telling(S, c, b, j):
            break
    world = {"S": S.tolist(), "c": c.tolist(), "b": b.tolist()}
    return world | {"j": int(j), "k": int(k)}


def _is_telling(S, c, b, j) -> bool:
    """Whether the doors of variable j are clearly ranked, and differently from the coefficients."""
    doors = [k for k in range(4) if k != j]
    via = np.array([_via(S, c, b, j, k) for k in doors])
    best = doors[int(np.argmax(via))]
    pfi = np.array([_pfi(S, c, b, k) for k in doors])
    gaps = np.diff(np.sort(via))
    return bool(
        gaps[-1] > 0.05
        and best != doors[int(np.argmax(np.abs(b[doors])))]
        and best != doors[int(np.argmax(pfi))]
        and abs(c[j]) > 0.2
        and min(abs(S[j, doors])) > 0.2
    )


def _pfi(S, c, b, k) -> float:
    rest = np.where(np.arange(len(b)) == k, 0.0, b)
    return float(2 * b[k] * (c[k] - rest @ S[:, k]))


def _arrays(*names):
    def inputs(case):
        return tuple(
            case[name] if isinstance(case[name], int) else np.array(case[name], dtype=float)
            for name in names
        )

    return inputs


def _describe(case: dict) -> str:
    return f"with j = {case['j']}, k = {case['k']} and coefficients {case['b']}"


def _rebuilt(S, b, j, k=None) -> float:
    """g: how much the prediction moves per unit of x_j, through all doors or through door k."""
    effect = b * S[:, j] / S[j, j]
    return float(effect.sum() if k is None else effect[k])


# 08.1 and 08.2 Associative importance, plain and marginalised


def _associative(S, c, b, j) -> float:
    return 2 * _rebuilt(S, b, j) * c[j]


def _marginalised(S, c, b, j) -> float:
    g = _rebuilt(S, b, j)
    return 2 * g * c[j] - g**2 * S[j, j]


ASSOCIATIVE = Exercise(
    id="08.1",
    title="Associative importance of one variable",
    points=2,
    expects="twice the covariance between the target and the prediction rebuilt from x_j",
    draw=_draw_world,
    inputs=_arrays("S", "c", "b", "j"),
    describe=_describe,
    reference=_associative,
    hints=(
        "If x_j is one unit larger, how much larger is x_l on average? That is a regression "
        "coefficient: a covariance divided by a variance.",
        "The prediction moves by g = sum over l of b_l S[l, j] / S[j, j] for each unit of x_j.",
        "The covariance of g times x_j with the target is g times c[j]; the squared error drops "
        "by twice that.",
    ),
    slips=(
        Slip(
            "only its own door",
            lambda S, c, b, j: float(2 * b[j] * c[j]),
            "Only the coefficient of x_j itself is used here, and the model does not read x_j. "
            "What x_j tells about the others counts too: sum over all features.",
        ),
        Slip(
            "not divided by the variance",
            lambda S, c, b, j: float(2 * (b @ S[:, j]) * c[j]),
            "S[:, j] are covariances. To know how much x_l moves per unit of x_j, divide by the "
            "variance S[j, j].",
        ),
        Slip(
            "factor 2 left out",
            lambda S, c, b, j: _associative(S, c, b, j) / 2,
            "Half of it. The squared error holds minus two times the covariance of prediction and "
            "target.",
        ),
    ),
)

MARGINALISED = Exercise(
    id="08.2",
    title="Associative importance of the averaged model",
    points=2,
    expects="Var(y) minus the mean squared error of predicting y by g x_j",
    draw=_draw_world,
    inputs=_arrays("S", "c", "b", "j"),
    describe=_describe,
    reference=_marginalised,
    hints=(
        "Averaged over all that is not known, the prediction is g times x_j, with the g of 08.1.",
        "Expand the mean of (y - g x_j)^2. Which terms does Var(y) not have?",
    ),
    slips=(
        Slip(
            "the plain model",
            _associative,
            "That is the answer for the plain model, which draws one set of features. The averaged "
            "model has a variance of its own: g^2 S[j, j] is to be subtracted.",
        ),
        Slip(
            "variance of x_j forgotten",
            lambda S, c, b, j: 2 * _rebuilt(S, b, j) * c[j] - _rebuilt(S, b, j) ** 2,
            "The variance of g x_j is g^2 times the variance of x_j, which is not 1 here.",
        ),
        Slip(
            "wrong sign",
            lambda S, c, b, j: 2 * _rebuilt(S, b, j) * c[j] + _rebuilt(S, b, j) ** 2 * S[j, j],
            "The variance of the prediction makes the error larger, so it lowers the importance.",
        ),
    ),
)

# 08.3 Where a feature's importance comes from


def _direct_from(S, c, b, k, j) -> float:
    rest = np.where(np.arange(len(b)) == k, 0.0, b)
    return float(2 * b[k] * S[k, j] / S[j, j] * (c[j] - rest @ S[:, j]))


DIRECT_FROM = Exercise(
    id="08.3",
    title="Direct importance from a variable",
    points=3,
    expects="twice b_k times the covariance of y minus the rest of the model with the feature k "
    "rebuilt from x_j",
    draw=_draw_world,
    inputs=_arrays("S", "c", "b", "k", "j"),
    describe=_describe,
    reference=_direct_from,
    hints=(
        "All features but k keep their values, so what feature k still has to explain is y minus "
        "the rest of the model.",
        "Feature k rebuilt from x_j is S[k, j] / S[j, j] times x_j, plus noise that is of no use.",
        "The covariance of x_j with what is left is c[j] - sum over l != k of b_l S[l, j].",
    ),
    slips=(
        Slip(
            "the whole permutation importance",
            lambda S, c, b, k, j: _pfi(S, c, b, k),
            "That is what the feature is worth with its own values. Here it is rebuilt from x_j "
            "alone.",
        ),
        Slip(
            "the rest of the model forgotten",
            lambda S, c, b, k, j: float(2 * b[k] * S[k, j] / S[j, j] * c[j]),
            "The other features are still at work. Subtract what they explain: use the covariance "
            "of x_j with y minus the rest of the model.",
        ),
        Slip(
            "feature k counted among the rest",
            lambda S, c, b, k, j: float(2 * b[k] * S[k, j] / S[j, j] * (c[j] - b @ S[:, j])),
            "The rest of the model is everything but feature k.",
        ),
    ),
)

# 08.4 Through which door


def _via(S, c, b, j, k) -> float:
    g = _rebuilt(S, b, j, k)
    return 2 * g * c[j] - g**2 * S[j, j]


VIA = Exercise(
    id="08.4",
    title="Associative importance through one door",
    points=2,
    expects="the importance of 08.2 if x_j may move the prediction through feature k only",
    draw=_draw_world,
    inputs=_arrays("S", "c", "b", "j", "k"),
    describe=_describe,
    reference=_via,
    hints=(
        "With one door open, the averaged prediction moves by b_k S[k, j] / S[j, j] per unit of "
        "x_j. Call that g.",
        "Then it is 08.2 with this g.",
    ),
    slips=(
        Slip(
            "all doors open",
            lambda S, c, b, j, k: _marginalised(S, c, b, j),
            "That is the importance through all doors together. Only feature k may be rebuilt "
            "from x_j.",
        ),
        Slip(
            "the plain model",
            lambda S, c, b, j, k: 2 * _rebuilt(S, b, j, k) * c[j],
            "The right door, but the variance of the averaged prediction, g^2 S[j, j], is missing.",
        ),
        Slip(
            "from and via exchanged",
            lambda S, c, b, j, k: _direct_from(S, c, b, k, j),
            "That is how much of feature k's importance x_j explains, with the other features in "
            "place. Here the other features know nothing.",
        ),
    ),
)

# 08.5 Parts that add up


def _draw_worths(rng: np.random.Generator) -> dict:
    return {"w": rng.uniform(0.2, 3.0, size=8).round(2).tolist()}


PARTS = Exercise(
    id="08.5",
    title="Parts that add up",
    points=2,
    expects="three numbers that add up to w[7] - w[0], by Shapley's rule",
    draw=_draw_worths,
    inputs=_arrays("w"),
    describe=lambda case: f"w = {case['w']}",
    reference=lambda w: shapley_values(w - w[0], 3),
    allowed=(*ALLOWED, "course_lib.models.shapley_values", "course_lib.measures.shapley_values"),
    hints=(
        "w[0] is what happens with nobody's information. It is nobody's merit.",
        "shapley_values(game, 3) takes the worths as an array by bit mask.",
    ),
    slips=(
        Slip(
            "each alone",
            lambda w: np.array([w[1] - w[0], w[2] - w[0], w[4] - w[0]]),
            "That is what each brings alone. These parts need not add up: what two of them share "
            "is counted twice, what only both together bring is lost.",
        ),
        Slip(
            "each taken away",
            lambda w: np.array([w[7] - w[6], w[7] - w[5], w[7] - w[3]]),
            "That is what is missed if one is taken away. What two of them share is missed by "
            "nobody.",
        ),
        Slip(
            "only w(empty) set to 0",
            lambda w: shapley_values(np.append(0.0, w[1:]), 3),
            "w[0] was replaced by 0, and the others still contain it. Subtract it from every "
            "worth.",
        ),
    ),
)

# 08.6 A use: which door to shut


def _best_door(S, c, b, j, score) -> int:
    doors = [k for k in range(len(b)) if k != j]
    return max(doors, key=lambda k: score(k))


DOOR = Exercise(
    id="08.6",
    title="The door to shut first",
    points=2,
    expects="the position of the feature through which most of x_j enters the model",
    draw=_draw_world,
    inputs=_arrays("S", "c", "b", "j"),
    describe=_describe,
    reference=lambda S, c, b, j: _best_door(S, c, b, j, lambda k: _via(S, c, b, j, k)),
    hints=(
        "You have a function for the importance of x_j through one door. Ask it at every door.",
        "max(doors, key=...) over all features but j.",
    ),
    slips=(
        Slip(
            "the largest coefficient",
            lambda S, c, b, j: _best_door(S, c, b, j, lambda k: abs(b[k])),
            "That is the feature with the largest coefficient. A wide door is of no use to a "
            "variable that does not go through it.",
        ),
        Slip(
            "the most important feature",
            lambda S, c, b, j: _best_door(S, c, b, j, lambda k: _pfi(S, c, b, k)),
            "That is the feature with the largest permutation importance, whatever its "
            "importance comes from.",
        ),
    ),
)

# 08.7 Which measure answers which question?

MEASURES = Exercise(
    id="08.7",
    title="Four questions, four measures",
    points=1,
    expects="for each of the four questions one of DI, AI, DI from, AI via",
    reference=lambda: {"a": "DI", "b": "AI", "c": "AI via", "d": "DI from"},
    hints=(
        "Direct is about what the model reads, associative about what reaches it by any way.",
        "'via' names the feature through which a variable comes in; 'from' names the variable "
        "from which a feature has what it knows.",
    ),
    slips=(
        Slip(
            "direct and associative exchanged",
            lambda: {"a": "AI", "b": "DI", "c": "AI via", "d": "DI from"},
            "Direct importance asks what the model reads; associative importance what reaches it.",
        ),
        Slip(
            "from and via exchanged",
            lambda: {"a": "DI", "b": "AI", "c": "DI from", "d": "AI via"},
            "'via' belongs to a variable and names its doors; 'from' belongs to a feature and "
            "names its sources.",
        ),
    ),
)

EXERCISES = (ASSOCIATIVE, MARGINALISED, DIRECT_FROM, VIA, PARTS, DOOR, MEASURES)
