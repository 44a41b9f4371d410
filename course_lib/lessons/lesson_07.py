"""The exercises of lesson 07: from a product along a path to an effect estimated on data."""

from copy import deepcopy

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from course_lib.lessons.exercise import Exercise, Slip
from course_lib.worlds.causal import make_logins_world
from course_lib.worlds.scm import LinearSCM

# 07.1 One confounder: slope, importance, effect, three blanks


def _draw_confounding(rng: np.random.Generator) -> dict:
    a, c, d = (round(float(x), 2) for x in rng.uniform(0.2, 0.8, size=3))
    return {"a": a, "c": c, "d": float(rng.choice([-d, d]))}


def _confounded(a, c, d) -> np.ndarray:
    slope = a + c * d
    return np.array([slope, 2 * slope**2, a])


def _of_slope(slope, effect, factor=2) -> np.ndarray:
    return np.array([slope, factor * slope**2, effect])


CONFOUNDED = Exercise(
    id="07.1",
    title="One confounder: slope, importance, effect",
    points=2,
    expects="the slope of the best line, the permutation importance 2 b^2 Var(X) and the total "
    "effect of X, in this order",
    draw=_draw_confounding,
    reference=_confounded,
    hints=(
        "The slope of the best line is Cov(X, Y) / Var(X), and Var(X) is 1 here.",
        "Two ways lead from X to Y in the drawing: the arrow a, and back through Z. Each adds the "
        "product of its coefficients to the covariance.",
        "An intervention on X cuts the arrow from Z into X. Which of the two ways is left?",
    ),
    slips=(
        Slip(
            "the slope taken for the effect",
            lambda a, c, d: _of_slope(a + c * d, a + c * d),
            "You give the slope as the effect. The slope also counts what comes through Z, and "
            "do(X) cuts that way off.",
            behind="M7",
        ),
        Slip(
            "no confounding in the slope",
            lambda a, c, d: _of_slope(a, a),
            "Your slope is the effect alone. The model cannot know that part of the association "
            "comes through Z: its line takes all of it.",
        ),
        Slip(
            "factor 2 left out",
            lambda a, c, d: _of_slope(a + c * d, a, factor=1),
            "The importance is half of what it should be: a shuffled value misses by the spread of "
            "two students, the own one and the one it came from.",
        ),
        Slip(
            "the way through Z added up",
            lambda a, c, d: _of_slope(a + c + d, a),
            "Along a way coefficients are multiplied: Z moves X by c and Y by d, which adds c * d "
            "to the covariance.",
        ),
    ),
)

# 07.2 Total effect, from the signature

NAMES = ("u", "v", "w", "x", "y")


def _draw_equations(rng: np.random.Generator) -> dict:
    """A graph on five variables in which u acts on y directly and by several detours."""

    def value() -> float:
        return round(float(rng.choice([-1, 1]) * rng.uniform(0.3, 2)), 1)

    equations = {
        "v": {"u": value()},
        "w": {"u": value(), "v": value()},
        "x": {"y": value()},
        "y": {"u": value(), "v": value(), "w": value()},
    }
    return {"equations": equations, "cause": "u", "effect": "y"}


def _world(equations) -> LinearSCM:
    return LinearSCM(equations, dict.fromkeys(NAMES, 1.0))


def _total(equations, cause, effect) -> float:
    return _world(equations).total_effect(cause, effect)


def _paths(equations, cause, effect) -> list[list[float]]:
    """The coefficients along each directed path."""
    if cause == effect:
        return [[]]
    return [
        [*path, a]
        for parent, a in equations.get(effect, {}).items()
        for path in _paths(equations, cause, parent)
    ]


def _direct(equations, cause, effect) -> float:
    return equations[effect].get(cause, 0.0)


TOTAL = Exercise(
    id="07.2",
    title="Total effect along all paths",
    points=3,
    expects="the sum, over all directed paths from cause to effect, of the product of the "
    "coefficients along the path",
    draw=_draw_equations,
    inputs=lambda case: tuple(deepcopy(case).values()),
    reference=_total,
    describe=lambda case: "of u on y in " + str(case["equations"]),
    hints=(
        "Every path ends with an arrow from some parent of the effect. What is the total effect of "
        "the cause on that parent?",
        "The total effect on y is the sum, over the parents of y, of the parent's coefficient "
        "times the total effect of the cause on the parent. That is the same question again.",
        "A function may call itself. It stops where cause and effect are the same: 1.",
    ),
    slips=(
        Slip(
            "the direct arrow only",
            _direct,
            "That is the arrow from cause to effect alone. What goes through other variables "
            "changes the effect as well.",
        ),
        Slip(
            "the detours only",
            lambda e, c, f: _total(e, c, f) - _direct(e, c, f),
            "The direct arrow is missing: it is a path too, of one step.",
        ),
        Slip(
            "coefficients added along a path",
            lambda e, c, f: sum(sum(path) for path in _paths(e, c, f)),
            "Along a path the coefficients are multiplied: two per unit, then three per unit, make "
            "six per unit. Only different paths are added.",
        ),
        Slip(
            "the last step only",
            lambda e, c, f: sum(path[-1] for path in _paths(e, c, f)),
            "Each path counts only with its last arrow here. Multiply all the arrows along it.",
        ),
    ),
)

# 07.3 What do() leaves of the arrows


def _draw_arrows(rng: np.random.Generator) -> dict:
    """Arrows of an acyclic graph; the chosen variable has arrows in and out."""
    order = [str(name) for name in rng.permutation(list(NAMES))]
    pairs = [(a, b) for k, a in enumerate(order) for b in order[k + 1 :]]
    needed = {(order[0], order[2]), (order[2], order[4])}
    arrows = [list(pair) for pair in pairs if pair in needed or rng.random() < 0.6]
    arrows = [arrows[k] for k in rng.permutation(len(arrows))]
    return {"arrows": arrows, "name": order[2]}


def _kept(arrows, keep) -> list[list[str]]:
    return [[cause, effect] for cause, effect in arrows if keep(cause, effect)]


ARROWS = Exercise(
    id="07.3",
    title="Arrows that are left after do()",
    points=1,
    expects="the list of the arrows that are left, in the order given",
    draw=_draw_arrows,
    inputs=lambda case: tuple(deepcopy(case).values()),
    reference=lambda arrows, name: _kept(arrows, lambda cause, effect: effect != name),
    describe=lambda case: f"do({case['name']}) in {case['arrows']}",
    hints=(
        "A thermometer that is held over a flame no longer follows the weather. Does the weather "
        "still act on other things?",
        "An arrow is a pair [cause, effect]. The variable that is set has lost its causes, so drop "
        "the arrows that point into it.",
    ),
    slips=(
        Slip(
            "arrows out of it cut",
            lambda arrows, name: _kept(arrows, lambda cause, effect: cause != name),
            "You cut what the variable does, not what makes it. Setting a variable leaves its "
            "effects alone; otherwise no policy could ever work.",
        ),
        Slip(
            "all its arrows cut",
            lambda arrows, name: _kept(arrows, lambda cause, effect: name not in (cause, effect)),
            "You cut the arrows into it and those out of it. It keeps its effects.",
        ),
        Slip(
            "nothing cut",
            lambda arrows, name: _kept(arrows, lambda cause, effect: True),
            "Nothing is cut here. Then setting would be the same as seeing, and thermometers would "
            "make weather.",
            behind="M7",
        ),
    ),
)

# 07.4 A policy: what the model says and what happens


def _draw_policy(rng: np.random.Generator) -> dict:
    kind = str(rng.choice(["confounder", "mediator", "cause"]))
    level = round(float(rng.uniform(0.5, 2)), 1)
    return {"kind": kind, "level": level, "seed": int(rng.integers(10**6))}


def _policy(case: dict) -> tuple:
    """A fitted model and the same students before and after; logins do not start from 0."""
    world = make_logins_world(case["kind"])
    before, after = (w.sample(80, case["seed"]) for w in (world, world.do(logins=case["level"])))
    columns = ["logins", "score"]
    model = LinearRegression().fit(before[["logins"]], before["score"])
    return model, before[columns], after[columns]


def _means(model, table) -> np.ndarray:
    return np.array([model.predict(table[["logins"]]).mean(), table["score"].mean()])


def _policy_report(model, before, after) -> np.ndarray:
    return _means(model, after) - _means(model, before)


POLICY = Exercise(
    id="07.4",
    title="What the model says of a policy, and what happens",
    points=2,
    expects="two numbers: the change of the mean prediction and the change of the mean score",
    draw=_draw_policy,
    inputs=_policy,
    reference=_policy_report,
    describe=lambda case: f"logins set to {case['level']} for 80 students (seed {case['seed']})",
    hints=(
        "The model reads a table of one column: before[['logins']], with two brackets.",
        "Four means are needed: predictions before and after, scores before and after.",
    ),
    slips=(
        Slip(
            "the prediction taken for the score",
            lambda model, before, after: np.repeat(_policy_report(model, before, after)[0], 2),
            "Both numbers are changes of the prediction. The second one is about what the students "
            "really scored.",
            behind="M7",
        ),
        Slip(
            "after only",
            lambda model, before, after: _means(model, after),
            "Those are the means after the policy. A change is the difference from before.",
        ),
        Slip(
            "before minus after",
            lambda model, before, after: -_policy_report(model, before, after),
            "Right size, wrong sign: a change is after minus before.",
        ),
        Slip(
            "in the other order",
            lambda model, before, after: _policy_report(model, before, after)[::-1],
            "The right numbers in the other order: first the prediction, then the score.",
        ),
    ),
)

# 07.5 Conditional importance from a covariance matrix, from the signature


def _draw_covariance(rng: np.random.Generator) -> dict:
    """Covariances of three features and a target, far from singular."""
    while True:
        root = rng.integers(-3, 4, size=(4, 4)) + 4 * np.eye(4)
        if np.linalg.cond(root) < 20:
            return {"covariance": (root @ root.T).tolist(), "j": int(rng.integers(3))}


def _split(covariance) -> tuple[np.ndarray, np.ndarray]:
    sigma = np.asarray(covariance, dtype=float)
    return sigma[:-1, :-1], sigma[:-1, -1]


def _unique_variance(sigma, j) -> float:
    """Var(X_j | the other features): one over the diagonal of the inverse."""
    return float(1 / np.linalg.inv(sigma)[j, j])


def _conditional(covariance, j, factor=2) -> float:
    sigma, with_target = _split(covariance)
    b = np.linalg.solve(sigma, with_target)
    return float(factor * b[j] ** 2 * _unique_variance(sigma, j))


def _marginal(covariance, j) -> float:
    sigma, with_target = _split(covariance)
    return float(2 * np.linalg.solve(sigma, with_target)[j] ** 2 * sigma[j, j])


def _alone(covariance, j) -> float:
    sigma, with_target = _split(covariance)
    return float(2 * (with_target[j] / sigma[j, j]) ** 2 * _unique_variance(sigma, j))


CONDITIONAL = Exercise(
    id="07.5",
    title="Conditional importance in closed form",
    points=3,
    expects="2 b_j^2 Var(X_j | the other features) for the best line on all features",
    draw=_draw_covariance,
    inputs=lambda case: (np.array(case["covariance"]), case["j"]),
    reference=_conditional,
    describe=lambda case: f"of feature {case['j']} with the covariances {case['covariance']}",
    hints=(
        "First the best line on all features: b solves Cov(features) b = Cov(features, target). "
        "np.linalg.solve does it.",
        "The variance that is left of X_j given the others is Var(X_j) minus c' S^-1 c, with S the "
        "covariances among the others and c those with X_j.",
        "There is a shorter way to the same number: one divided by entry (j, j) of the inverse of "
        "the features' covariance matrix.",
    ),
    slips=(
        Slip(
            "the whole variance",
            _marginal,
            "That is the importance without the condition: it takes all of Var(X_j). Only what the "
            "other features cannot tell counts here.",
            behind="M2",
        ),
        Slip(
            "factor 2 left out",
            lambda covariance, j: _conditional(covariance, j, factor=1),
            "Half of what it should be: the own value and the drawn one both vary around what the "
            "other features tell.",
        ),
        Slip(
            "slope of a line on X_j alone",
            _alone,
            "Your coefficient comes from a line on X_j alone. The model reads all features; take "
            "its coefficient.",
        ),
    ),
)

# 07.6 On new data: an effect in the presence of a confounder, a mediator and a collider

TREATMENT = ("age", "dose", "level", "recovery", "visits")


def _draw_patients(rng: np.random.Generator) -> dict:
    return {"n_samples": int(rng.integers(150, 300)), "seed": int(rng.integers(10**6))}


def _patients(case: dict) -> tuple:
    rng = np.random.default_rng(case["seed"])
    b, c = rng.uniform(0.5, 1.5, size=2)
    world = LinearSCM(
        {
            "dose": {"age": 1.0},
            "level": {"dose": b},
            "recovery": {"level": c, "age": -1.5},
            "visits": {"dose": 1.0, "recovery": 1.0},
        },
        dict.fromkeys(TREATMENT, 1.0),
    )
    return (world.sample(case["n_samples"], rng),)


def _coefficient(table: pd.DataFrame, features) -> float:
    """The coefficient of dose in the line of recovery on these features."""
    columns = ["dose", *features]
    return float(LinearRegression().fit(table[columns], table["recovery"]).coef_[0])


EFFECT = Exercise(
    id="07.6",
    title="An effect, with a confounder, a mediator and a collider about",
    points=3,
    expects="the coefficient of dose in a line of recovery on the right columns",
    draw=_draw_patients,
    inputs=_patients,
    reference=lambda table: _coefficient(table, ["age"]),
    describe=lambda case: f"of {case['n_samples']} patients (seed {case['seed']})",
    hints=(
        "Draw the five variables and their arrows on paper. Which one is the confounder of dose "
        "and recovery, which the mediator, which the collider?",
        "Adjusting for the confounder is needed. Adjusting for a mediator takes away part of the "
        "effect you want, adjusting for a collider adds what is not there.",
    ),
    slips=(
        Slip(
            "no adjustment",
            lambda table: _coefficient(table, []),
            "That is what one sees, not what one does: age acts on the dose and on the recovery, "
            "and its part is still in your number.",
            behind="M7",
        ),
        Slip(
            "everything in the model",
            lambda table: _coefficient(table, ["age", "level", "visits"]),
            "You have put in every column. Through one of them the dose acts, and another one is "
            "acted on by dose and recovery both. Leave those out.",
            behind="M7",
        ),
        Slip(
            "the mediator in the model",
            lambda table: _coefficient(table, ["age", "level"]),
            "With the level in the model, the dose has nothing left to do: all of its effect goes "
            "through the level.",
        ),
        Slip(
            "the collider in the model",
            lambda table: _coefficient(table, ["age", "visits"]),
            "Visits are a consequence of dose and recovery. Among patients with equal visits the "
            "two are linked in a way that no dose has made.",
        ),
    ),
)

# 07.7 Which sentences may stay?

SENTENCES = Exercise(
    id="07.7",
    title="Sentences that the numbers license",
    points=1,
    expects="the letters of all sentences that the report licenses",
    reference=lambda: {"a", "d"},
    hints=(
        "Underline the verb of each sentence: uses, predicts, changes, needs. Which verb does each "
        "number of the report speak of?",
        "A zero conditional importance is about this model and these columns. It speaks neither of "
        "effects nor of what another model could do.",
    ),
    slips=(
        Slip(
            "all of them",
            lambda: {"a", "b", "c", "d", "e"},
            "Three of these speak of what would happen if one acted, or of other models. The "
            "report has no number for that.",
            behind="M7",
        ),
        Slip(
            "use taken for effect",
            lambda: {"a", "b", "d"},
            "One of yours says what a change of exercise would do. The importance says what the "
            "model does with the column.",
            behind="M7",
        ),
        Slip(
            "zero taken for no effect",
            lambda: {"a", "c", "d"},
            "One of yours concludes from a zero conditional importance that there is no effect. A "
            "cause whose mediator is measured has a zero too.",
            behind="M7",
        ),
        Slip(
            "only the first",
            lambda: {"a"},
            "There is another one that claims no more than what was measured: on this model, given "
            "the other columns.",
        ),
    ),
)

EXERCISES = (CONFOUNDED, TOTAL, ARROWS, POLICY, CONDITIONAL, EFFECT, SENTENCES)
