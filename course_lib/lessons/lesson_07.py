"""The exercises of lesson 07: from a product along a path to an effect estimated on data."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from course_lib.lessons.exercise import Exercise, Slip


def _without_signs(answer) -> tuple[Slip, Slip]:
    """The two slips of those who believe that such a number cannot be negative."""
    return (
        Slip(
            "the sign taken away",
            lambda *arguments: np.abs(answer(*arguments)),
            "The size is right, and the sign is gone. A negative number is no error here: more of "
            "the one goes with less of the other.",
            behind="M6",
        ),
        Slip(
            "clipped at 0",
            lambda *arguments: np.maximum(0, answer(*arguments)),
            "What is negative has become 0. A negative number is no error here: more of the one "
            "goes with less of the other.",
            behind="M6",
        ),
    )


# 07.1 One confounder: slope, importance, effect, three blanks


def _draw_confounding(rng: np.random.Generator) -> dict:
    """Coefficients of both signs, none of which decides the sign of the slope alone."""
    while True:
        sizes = rng.uniform(0.2, 0.8, size=3) * rng.choice([-1, 1], size=3)
        a, c, d = (round(float(x), 2) for x in sizes)
        if abs(a + c * d) > 0.05:
            return {"a": a, "c": c, "d": d}


def _confounded(a, c, d) -> np.ndarray:
    slope = a + c * d
    return np.array([slope, 2 * slope**2, a])


def _of_slope(slope, effect, factor=2) -> np.ndarray:
    return np.array([slope, factor * slope**2, effect])


CONFOUNDED = Exercise(
    id="07.1",
    title="One confounder: slope, importance, effect",
    points=2,
    blanks=3,
    expects="the slope of the best line, the permutation importance 2 b^2 Var(X) and the total "
    "effect of X, in this order",
    draw=_draw_confounding,
    reference=_confounded,
    n_cases=12,
    hints=(
        "The slope of the best line is Cov(X, Y) / Var(X), and Var(X) is 1 here.",
        "Two paths link X and Y in the drawing: the arrow a, and the one through Z. Each adds the "
        "product of its coefficients to the covariance.",
        "An intervention on X cuts the arrow from Z into X. Which of the two paths is left?",
    ),
    slips=(
        Slip(
            "the slope taken for the effect",
            lambda a, c, d: _of_slope(a + c * d, a + c * d),
            "You give the slope as the effect. The slope also counts what comes through Z, and "
            "do(X) cuts that path.",
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
            "The importance is half of what it should be: the right value and the shuffled one "
            "belong to two students, and both vary.",
        ),
        Slip(
            "the path through Z added up",
            lambda a, c, d: _of_slope(a + c + d, a),
            "Along a path coefficients are multiplied: Z moves X by c and Y by d, which adds c * d "
            "to the covariance.",
        ),
        Slip(
            "the importance of the effect",
            lambda a, c, d: np.array([a + c * d, 2 * a**2, a]),
            "Your importance is made of the effect. The model errs by its own slope, whatever that "
            "consists of.",
            behind="M7",
        ),
        Slip(
            "the conditional importance",
            lambda a, c, d: np.array([a + c * d, 2 * a**2 * (1 - c**2), a]),
            "Your importance is the conditional one, of a model that reads Z as well. This line "
            "reads X alone: 2 b^2 Var(X) with its own slope b.",
            behind="M2",
        ),
        Slip(
            "half of the path through Z",
            lambda a, c, d: _of_slope(a + d, a),
            "You add d to a. The path through Z has two arrows, c and d, and they are multiplied.",
        ),
        Slip(
            "the effect through Z",
            lambda a, c, d: _of_slope(a + c * d, c * d),
            "Your effect is what comes through Z. do(X) cuts the arrow from Z into X; what is "
            "left is the arrow from X to Y.",
            behind="M7",
        ),
        Slip(
            "the size of the slope",
            lambda a, c, d: np.array([abs(a + c * d), 2 * (a + c * d) ** 2, a]),
            "The slope has lost its sign. A line may fall.",
            behind="M6",
        ),
        *_without_signs(_confounded),
    ),
)

# 07.2 Total effect, from the signature

NAMES = ("rain", "soil", "seed", "weed", "wage", "crop", "price", "tax")
SURE = ("zc", "ze", "cm", "me", "cs", "ms", "sp", "sq", "pq", "pe", "qe", "ce", "ew")  # arrows
MAYBE = ("zm", "zs", "cp", "mq", "zw", "sw")
ROLES = "zcmspqew"  # a confounder, the cause, four on the way (two ways into s and out), the effect
KINDS = ("negative", "itself", "no path", "on a root", "positive", "root itself", "through all")
ASKED = {"itself": "ss", "on a root": "cz", "root itself": "zz", "through all": "zw"}


def _draw_equations(rng: np.random.Generator, kind: str) -> dict:
    """Other names and arrows each time; also a question that is asked backwards.

    "Through all" asks for the effect of the first variable on the last: one path has all arrows
    that a path among eight variables can have.
    """
    name = dict(zip(ROLES, (str(n) for n in rng.permutation(NAMES)), strict=True))
    arrows = [*SURE, *(arrow for arrow in MAYBE if rng.random() < 0.5)]
    backwards = ("ec", "qp")[rng.integers(2)]
    asked = {"no path": backwards, **ASKED}.get(kind, "ce")
    cause, effect = (name[role] for role in asked)
    while True:
        equations = {}
        for child in ROLES:
            parents = [name[arrow[0]] for arrow in arrows if arrow[1] == child]
            values = rng.uniform(0.3, 1.5, size=len(parents)) * rng.choice([-1, 1], len(parents))
            if parents:
                equations[name[child]] = dict(zip(parents, values.round(2).tolist(), strict=True))
        total, seen = (f(equations, cause, effect) for f in (_total, _slope))
        wanted = {"negative": -1, "positive": 1}.get(kind)
        if wanted is None or (wanted * total > 0.1 and abs(seen - total) > 0.1):
            return {"equations": equations, "cause": cause, "effect": effect}


def _total(equations, cause, effect, longest=9) -> float:
    paths = _paths(equations, cause, effect)
    return float(sum(np.prod(path) for path in paths if len(path) <= longest))


def _slope(equations, cause, effect) -> float:
    """Of the best line of the effect on the cause, with noises of variance 1."""
    arrows = [[_direct(equations, parent, child) for parent in NAMES] for child in NAMES]
    total = np.linalg.inv(np.eye(len(NAMES)) - arrows)  # row i: what each noise does to variable i
    of_cause, of_effect = total[NAMES.index(cause)], total[NAMES.index(effect)]
    return float(of_cause @ of_effect / (of_cause @ of_cause))


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
    return equations.get(effect, {}).get(cause, 0.0)


TOTAL = Exercise(
    id="07.2",
    title="Total effect along all paths",
    points=3,
    expects="the sum, over all directed paths from cause to effect, of the product of the "
    "coefficients along the path",
    draw=_draw_equations,
    turns=tuple((kind,) for kind in KINDS),
    reference=_total,
    describe=lambda case: f"of {case['cause']} on {case['effect']} in {case['equations']}",
    n_cases=20,
    hints=(
        "Every path ends with an arrow from some parent of the effect. What is the total effect of "
        "the cause on that parent?",
        "The total effect on y is the sum, over the parents of y, of the parent's coefficient "
        "times the total effect of the cause on the parent. That is the same question again.",
        "A function may call itself. It stops where cause and effect are the same: 1. A variable "
        "without parents has no entry: equations.get(effect, {}) is then empty, and the sum 0.",
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
            lambda e, c, f: sum(sum(path) if path else 1.0 for path in _paths(e, c, f)),
            "Along a path the coefficients are multiplied: two per unit, then three per unit, make "
            "six per unit. Only different paths are added.",
        ),
        Slip(
            "the last step only",
            lambda e, c, f: sum(path[-1] if path else 1.0 for path in _paths(e, c, f)),
            "Each path counts only with its last arrow here. Multiply all the arrows along it.",
        ),
        Slip(
            "short paths only",
            lambda e, c, f: _total(e, c, f, longest=2),
            "Paths of one and two arrows are counted here. There are longer ones: let the function "
            "call itself for each parent of the effect.",
        ),
        Slip(
            "the first path only",
            lambda e, c, f: float(np.prod((_paths(e, c, f) or [[0.0]])[0])),
            "One path is counted here, the first that was found. Add up all of them.",
        ),
        Slip(
            "the strongest path only",
            lambda e, c, f: max(map(np.prod, _paths(e, c, f)), key=abs, default=0.0),
            "Only the strongest path is counted. The others act as well: add up all of them.",
        ),
        Slip(
            "nothing on itself",
            lambda e, c, f: 0.0 if c == f else _total(e, c, f),
            "A variable acts on itself with 1: raise it by one unit, and it is one unit higher.",
        ),
        Slip(
            "cause and effect exchanged",
            lambda e, c, f: _total(e, f, c),
            "That is the effect in the other direction. equations[child][parent] is the arrow from "
            "parent to child: begin at the effect and go back to its parents.",
        ),
        Slip(
            "what one sees",
            _slope,
            "That is the slope that one sees, with noises of variance 1. It also counts what comes "
            "through the causes of the cause; setting the cause cuts these arrows.",
            behind="M7",
        ),
        *_without_signs(_total),
    ),
)

# 07.3 What do() leaves of the arrows


def _draw_arrows(rng: np.random.Generator) -> dict:
    """The chosen variable has a name that is part of another, two arrows in, and some out."""
    name, twin = (str(one) for one in rng.permutation(["log", "logins"]))
    first, second, *later = (str(one) for one in rng.permutation(["age", "sex", "work", "score"]))
    into = [[first, name], [second, name]]  # one after the other in the list
    others = [[first, twin], [name, later[0]], [name, twin], [twin, later[1]], [first, later[1]]]
    others = [others[k] for k in rng.permutation(5)[: rng.integers(4, 6)]]
    others += [[name, later[0]]] * ([name, later[0]] not in others)
    others += [[first, twin]] * ([first, twin] not in others)
    place = int(rng.integers(len(others) + 1))
    return {"arrows": others[:place] + into + others[place:], "name": name}


def _kept(arrows, keep) -> list[list[str]]:
    return [[cause, effect] for cause, effect in arrows if keep(cause, effect)]


def _removed_on_the_way(arrows, name) -> list[list[str]]:
    """The slip of taking entries out of a list while one walks along it."""
    left = list(arrows)
    for arrow in left:
        if arrow[1] == name:
            left.remove(arrow)
    return left


ARROWS = Exercise(
    id="07.3",
    title="Arrows that are left after do()",
    points=1,
    expects="the list of the arrows that are left, in the order given",
    draw=_draw_arrows,
    reference=lambda arrows, name: _kept(arrows, lambda cause, effect: effect != name),
    n_cases=16,
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
            "what is cut",
            lambda arrows, name: _kept(arrows, lambda cause, effect: effect == name),
            "Those are the arrows that the intervention cuts. Return the others.",
        ),
        Slip(
            "nothing cut",
            lambda arrows, name: _kept(arrows, lambda cause, effect: True),
            "Nothing is cut here. Then setting would be the same as seeing, and thermometers would "
            "make weather.",
            behind="M7",
        ),
        Slip(
            "removed on the way",
            _removed_on_the_way,
            "One arrow into the variable is left. Cut all that point into it. (Whoever removes "
            "from a list while walking along it jumps over the next entry: collect the arrows that "
            "stay in a new list.)",
        ),
        Slip(
            "names that contain the name",
            lambda arrows, name: _kept(arrows, lambda cause, effect: name not in effect),
            "An arrow into another variable is cut as well, one whose name contains this name. "
            "Compare whole names, with ==.",
        ),
        Slip(
            "sorted",
            lambda arrows, name: sorted(_kept(arrows, lambda cause, effect: effect != name)),
            "The right arrows, sorted. Return them in the order in which they came.",
        ),
    ),
)

# 07.4 A policy: what the model says and what happens


def _draw_policy(rng: np.random.Generator, kept: float, rises: int, against: int) -> dict:
    """Logins raised or lowered; where confounding outweighs the effect, the signs disagree.

    `kept` is the share of their own logins that students keep; with 0 all come to the same level.
    The predicted change has the sign `rises`; `against` is -1 where the score goes the other way.
    """
    while True:
        sign, level = (int(x) for x in rng.choice([-1, 1], size=2))
        effect = rng.uniform(0.2, 0.5)
        confounding = against * rng.uniform(effect + 0.2, 0.9)
        case = {
            "n_students": int(rng.integers(30, 120)),
            "effect": round(float(sign * effect), 2),
            "confounding": round(float(sign * confounding), 2),
            "level": round(float(level * rng.uniform(0.5, 2)), 2),
            "kept": kept,
            "seed": int(rng.integers(10**6)),
        }
        model, before, after = _policy(case)
        predicted, scored = _policy_report(model, before, after)
        apart = np.diff(_means(model, before))[0]  # the mean prediction and the mean score
        one = _of_one_student(model, before, after)[0] - predicted if kept else 1.0
        gaps = np.abs([predicted, scored, predicted - scored, apart, one])
        if rises * predicted > 0 < against * predicted * scored and gaps.min() > 0.02:
            return case


def _cohorts(case: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The line of last year, and this year's logins and scores before and after the policy."""
    rng = np.random.default_rng(case["seed"])
    last, this = (_cohort(case, rng.normal(size=(3, case["n_students"]))) for _ in range(2))
    set_to = case["level"] + case["kept"] * this[0]
    after = np.array([set_to, this[1] + case["effect"] * (set_to - this[0])])
    return np.polyfit(*last, 1), this, after


def _cohort(case: dict, chance: np.ndarray) -> np.ndarray:
    """Logins and scores; interest acts on both."""
    interest, more, other = chance
    k = case["confounding"]
    logins = np.sqrt(abs(k)) * interest + np.sqrt(1 - abs(k)) * more
    score = case["effect"] * logins + np.sign(k) * np.sqrt(abs(k)) * interest + 0.6 * other
    return np.array([logins, score])


def _policy(case: dict) -> tuple:
    """A model of last year's students, and those of this year before and after."""
    (slope, intercept), *tables = _cohorts(case)
    model = LinearRegression()
    model.coef_, model.intercept_ = np.array([slope]), float(intercept)  # as it has been fitted
    model.feature_names_in_, model.n_features_in_ = np.array(["logins"], dtype=object), 1
    return model, *(pd.DataFrame(table.T, columns=["logins", "score"]) for table in tables)


def _means(model, table) -> np.ndarray:
    """The mean prediction, which is the prediction at the mean for a line, and the mean score."""
    return np.array(
        [model.intercept_ + model.coef_[0] * table["logins"].mean(), table["score"].mean()]
    )


def _policy_report(model, before, after) -> np.ndarray:
    return _means(model, after) - _means(model, before)


def _of_one_student(model, before, after) -> np.ndarray:
    """The slip of taking the first student's logins under the policy for everybody's."""
    one = after.assign(logins=after["logins"].iloc[0])
    return _means(model, one) - _means(model, before)


def _describe_policy(case: dict) -> str:
    set_to = f"{case['kept']:.0%} of what they were, plus {case['level']}"
    return (
        f"logins set to {set_to if case['kept'] else case['level']} for {case['n_students']} "
        f"students (seed {case['seed']})"
    )


POLICY = Exercise(
    id="07.4",
    title="What the model says of a policy, and what happens",
    points=2,
    expects="two numbers: the change of the mean prediction and the change of the mean score",
    draw=_draw_policy,
    inputs=_policy,
    reference=_policy_report,
    describe=_describe_policy,
    turns=((0, 1, -1), (0.5, -1, 1), (0.8, 1, 1), (0, -1, -1), (0.5, 1, -1), (0.8, -1, 1)),
    n_cases=6,
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
            "a prediction compared with a score",
            lambda model, before, after: _means(model, after) - before["score"].mean(),
            "Your first number compares a prediction with a score. By how much does the mean "
            "prediction change?",
        ),
        Slip(
            "after only",
            lambda model, before, after: _means(model, after),
            "Those are the means after the policy. A change is the difference from before.",
        ),
        Slip(
            "one student for all",
            _of_one_student,
            "After the policy, your mean prediction is that for a single student. Not all students "
            "need have the same logins then: predict for each of them, and take the mean.",
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
        Slip(
            "the model fitted again",
            lambda model, before, after: np.array(
                [
                    np.polyfit(before["logins"], before["score"], 1)[0]
                    * (after["logins"].mean() - before["logins"].mean()),
                    _policy_report(model, before, after)[1],
                ]
            ),
            "Your first number comes from a line fitted to these students. The model that is given "
            "was fitted to last year's: let it predict.",
        ),
        Slip(
            "no change, as in the lesson",
            lambda model, before, after: _policy_report(model, before, after) * [1, 0],
            "The scores did not change in the lesson's university, where logins have no effect. "
            "Here they may have one: take the means of the scores.",
        ),
        Slip(
            "sums instead of means",
            lambda model, before, after: len(before) * _policy_report(model, before, after),
            "Those are the changes added up over all students. By how much does the mean change?",
        ),
        Slip(
            "the lesson's slope",
            lambda model, before, after: np.array(
                [
                    0.6 * (after["logins"].mean() - before["logins"].mean()),
                    _policy_report(model, before, after)[1],
                ]
            ),
            "Your first number has the slope 0.6 of the lesson's line. The model that is given has "
            "a slope of its own: let it predict.",
        ),
        *_without_signs(_policy_report),
    ),
)

# 07.5 Conditional importance from a covariance matrix, from the signature


def _draw_covariance(rng: np.random.Generator, n: int, j: int) -> dict:
    """Covariances of n features and a target, far from singular, and one of the features."""
    while True:
        root = rng.integers(-3, 4, size=(n + 1, n + 1)) + 4 * np.eye(n + 1)
        case = {"covariance": (root @ root.T).tolist(), "j": j}
        if np.linalg.cond(root) < 20 and _conditional(**case) > 0.01:
            return case


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


def _given_the_target(covariance, j) -> float:
    b = np.linalg.solve(*_split(covariance))
    return float(2 * b[j] ** 2 * _unique_variance(covariance, j))


def _given(covariance, j, others, variance=None) -> float:
    """2 b_j^2 times what is left of a variance of X_j given some of the others."""
    sigma, with_target = _split(covariance)
    explained = sigma[j, others] @ np.linalg.solve(sigma[np.ix_(others, others)], sigma[others, j])
    left = (sigma[j, j] if variance is None else variance) - explained
    return float(2 * np.linalg.solve(sigma, with_target)[j] ** 2 * left)


def _of_correlations(covariance, j) -> float:
    deviations = np.sqrt(np.diag(covariance))
    return _conditional(covariance / np.outer(deviations, deviations), j)


def _others(covariance, j) -> list[int]:
    return [k for k in range(len(covariance) - 1) if k != j]


CONDITIONAL = Exercise(
    id="07.5",
    title="Conditional importance in closed form",
    points=3,
    expects="2 b_j^2 Var(X_j | the other features) for the best line on all features",
    draw=_draw_covariance,
    turns=((3, 2), (2, 0), (5, 1), (4, 3), (2, 1), (3, 0), (5, 4), (4, 1)),  # features, j
    inputs=lambda case: (np.array(case["covariance"]), case["j"]),
    reference=_conditional,
    n_cases=8,
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
            "other features cannot predict counts here.",
            behind="M2",
        ),
        Slip(
            "factor 2 left out",
            lambda covariance, j: _conditional(covariance, j, factor=1),
            "Half of what it should be: the right value and the drawn one both vary around what "
            "the other features predict.",
        ),
        Slip(
            "slope of a line on X_j alone",
            _alone,
            "Your coefficient comes from a line on X_j alone. The model reads all features; take "
            "its coefficient.",
        ),
        Slip(
            "given the target as well",
            _given_the_target,
            "The variance that you took is that of X_j given the other features and the target. "
            "Leave the target, the last row and column, out of it.",
        ),
        Slip(
            "times the inverse",
            lambda covariance, j: (
                _marginal(covariance, j)
                * np.linalg.inv(_split(covariance)[0])[j, j]
                / covariance[j][j]
            ),
            "Entry (j, j) of the inverse is one over the variance that is left. Divide by it.",
        ),
        Slip(
            "given one of the others",
            lambda covariance, j: _given(covariance, j, _others(covariance, j)[:1]),
            "The variance that you took is that of X_j given one other feature. All the others "
            "are known.",
        ),
        Slip(
            "a variance of 1 taken for granted",
            lambda covariance, j: _given(covariance, j, _others(covariance, j), variance=1.0),
            "You subtract from 1, as if the features had been standardised. Their variances are "
            "on the diagonal: begin with Var(X_j).",
        ),
        Slip(
            "standard deviation for variance",
            lambda covariance, j: (
                _conditional(covariance, j) / np.sqrt(_unique_variance(_split(covariance)[0], j))
            ),
            "You took the standard deviation that is left of X_j. The formula has the variance.",
        ),
        Slip(
            "correlations for covariances",
            _of_correlations,
            "Your numbers are those of standardised variables. Keep the covariances as they are: "
            "the importance is in the squared unit of the target.",
        ),
        Slip(
            "always the first feature",
            lambda covariance, j: _conditional(covariance, 0),
            "That is the importance of the first feature, whatever j is. Position j is asked for.",
        ),
    ),
)

# 07.6 On new data: an effect in the presence of a confounder, a mediator and a collider


def _draw_patients(rng: np.random.Generator, sign: int) -> dict:
    """With the sign -1 the drug does harm."""
    return {
        "n_samples": int(rng.integers(150, 300)),
        "seed": int(rng.integers(10**6)),
        "sign": sign,
    }


def _patients(case: dict) -> tuple:
    rng = np.random.default_rng(case["seed"])
    b, c = rng.uniform(0.5, 1.5, size=2) * (1, case["sign"])
    chance = rng.normal(size=(5, case["n_samples"]))
    age = chance[0]
    dose = age + chance[1]
    level = b * dose + chance[2]
    recovery = c * level - 1.5 * age + chance[3]
    visits = dose + recovery + chance[4]
    columns = {"age": age, "dose": dose, "level": level, "recovery": recovery, "visits": visits}
    return (pd.DataFrame(columns),)


def _coefficient(table: pd.DataFrame, features) -> float:
    """The coefficient of dose in the line of recovery on dose and these features."""
    return _step(table, "recovery", ["dose", *features])


def _step(table: pd.DataFrame, target: str, features) -> float:
    """The coefficient of the first of these features in the line of the target on them."""
    line = np.column_stack([table[features], np.ones(len(table))])
    return float(np.linalg.lstsq(line, table[target], rcond=None)[0][0])


def _coefficient_of_age(table: pd.DataFrame) -> float:
    return _step(table, "recovery", ["age", "dose"])


def _without_intercept(table: pd.DataFrame) -> float:
    X = table[["dose", "age"]].to_numpy()
    return float(np.linalg.lstsq(X, table["recovery"], rcond=None)[0][0])


EFFECT = Exercise(
    id="07.6",
    title="An effect, with a confounder, a mediator and a collider about",
    points=3,
    expects="the coefficient of dose in a line of recovery on the right columns",
    draw=_draw_patients,
    turns=((-1,), (1,), (-1,)),
    inputs=_patients,
    reference=lambda table: _coefficient(table, ["age"]),
    describe=lambda case: f"of {case['n_samples']} patients (seed {case['seed']})",
    n_cases=6,
    hints=(
        "Draw the five variables and their arrows on paper. Which one is the confounder of dose "
        "and recovery, which the mediator, which the collider?",
        "Adjusting for the confounder is needed. Adjusting for a mediator takes away what goes "
        "through it, adjusting for a collider can add what is not there.",
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
            "no intercept",
            _without_intercept,
            "Your line has to pass through the origin. Give it an intercept, as LinearRegression "
            "does, or subtract the mean of each column first.",
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
        Slip(
            "the mediator for the confounder",
            lambda table: _coefficient(table, ["level"]),
            "You adjust for the level and not for age. The dose acts through the level, a "
            "mediator; it is age that acts on dose and recovery both.",
        ),
        Slip(
            "the collider for the confounder",
            lambda table: _coefficient(table, ["visits"]),
            "You adjust for the visits and not for age. Visits are a consequence of dose and "
            "recovery, a collider; it is age that acts on both.",
        ),
        Slip(
            "everything but the confounder",
            lambda table: _coefficient(table, ["level", "visits"]),
            "Of the three, you have left out the one that acts on dose and recovery both, and "
            "put in the two that the dose acts on.",
        ),
        Slip(
            "the coefficient of age",
            _coefficient_of_age,
            "The line is right, and this is the coefficient of age. coef_ has the order of the "
            "columns: take the one of dose.",
        ),
        Slip(
            "the product of two steps",
            lambda table: (
                _step(table, "level", ["dose"]) * _step(table, "recovery", ["level", "age"])
            ),
            "Dose to level times level to recovery: a fair estimate of the same effect. The task "
            "asks for the coefficient of dose in one line, with the right columns.",
        ),
        Slip(
            "everything standardised",
            lambda table: _coefficient((table - table.mean()) / table.std(), ["age"]),
            "Your columns are standardised, and so is your number. Leave them in their units: one "
            "unit of dose raises the recovery by so many units.",
        ),
        Slip(
            "features standardised",
            lambda table: _coefficient(table, ["age"]) * table["dose"].std(ddof=0),
            "Your dose is standardised: that is the effect of one standard deviation of it. The "
            "effect of one unit is asked for, so leave the columns as they are.",
        ),
        Slip(
            "half of the patients",
            lambda table: _coefficient(table[: len(table) // 2], ["age"]),
            "Your line is fitted to the first half of the patients. Nobody is predicted here, so "
            "none has to be held out: use all rows.",
        ),
        *_without_signs(lambda table: _coefficient(table, ["age"])),
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
            "cause whose mediator is measured can have a zero too.",
            behind="M7",
        ),
        Slip(
            "any model",
            lambda: {"a", "d", "e"},
            "One of yours speaks of all models. One model was measured; another may make more of "
            "exercise.",
            behind="M4",
        ),
        Slip(
            "only the second",
            lambda: {"d"},
            "There is another one that says what was measured: what happens to the model's errors "
            "with other patients' values of exercise.",
        ),
        Slip(
            "only the first",
            lambda: {"a"},
            "There is another one that claims no more than what was measured: about this model, "
            "given the other columns.",
        ),
    ),
)

EXERCISES = (CONFOUNDED, TOTAL, ARROWS, POLICY, CONDITIONAL, EFFECT, SENTENCES)
