"""The exercises of lesson 08: direct and associative importance by hand, for linear models."""

import numpy as np

from course_lib.lessons.exercise import ALLOWED, Exercise, Slip
from course_lib.models.games import shapley_values

# All tasks have one setting: inputs with covariance S, covariances c with the target, a linear
# model with coefficients b, squared error. Positions j and k count from 0. Answers are arrays, so
# that every case has values of both signs.


SIZES = ((4,), (3,), (5,))  # how many variables there are, case by case


def _draw_world(rng: np.random.Generator, n: int, answer) -> dict:
    """A covariance, a target, a model that leaves one variable unread; values of both signs.

    Feature k is read. Variable j is mostly another one that is read, now and then the unread one.
    """
    while True:
        A = rng.normal(size=(n, n))
        S = (A @ A.T + np.eye(n)).round(2)
        c = (S @ rng.normal(size=n)).round(2)
        b = rng.uniform(0.3, 1.5, size=n).round(2) * rng.choice([-1, 1], size=n)
        unread, k, other = (int(i) for i in rng.choice(n, size=3, replace=False))
        j = unread if rng.random() < 0.2 else other
        b[unread] = 0.0
        values = answer(S, c, b, j, k)
        if values.min() < -0.1 and values.max() > 0.1:
            world = {"S": S.tolist(), "c": c.tolist(), "b": b.tolist()}
            return world | {"j": j, "k": k}


def _arrays(*names):
    def inputs(case):
        return tuple(
            case[name] if isinstance(case[name], int) else np.array(case[name], dtype=float)
            for name in names
        )

    return inputs


def _clipped(answer):
    return lambda *arguments: np.clip(answer(*arguments), 0, None)


def _unsigned(answer):
    return lambda *arguments: np.abs(answer(*arguments))


def _without_signs(answer, meaning: str) -> tuple[Slip, Slip]:
    """The two slips of those who believe that an importance cannot be negative."""
    return (
        Slip(
            "clipped at 0",
            _clipped(answer),
            f"Your negative values have become 0. They are not errors: {meaning}",
            behind="M6",
        ),
        Slip(
            "the sign taken away",
            _unsigned(answer),
            f"The sizes are right, and the signs are gone. A negative value says something: "
            f"{meaning}",
            behind="M6",
        ),
    )


def _unread_as_zero(answer, position: int = 2) -> Slip:
    """The slip of those who believe that what is not read cannot matter."""
    return Slip(
        "unread variables set to 0",
        lambda *given: np.where(given[position] == 0, 0.0, answer(*given)),
        "What the model does not read has got 0 here. Not being read is one thing, not getting in "
        "is another: such a variable is associated with features that are read.",
        behind="M8",
    )


def _per_unit(S) -> np.ndarray:
    """Entry (l, j): how much larger x_l is on average for each unit of x_j."""
    return S / np.diag(S)


# 08.1 and 08.2 Associative importance, plain and averaged, of every variable


def _associative(S, c, b) -> np.ndarray:
    return 2 * (b @ _per_unit(S)) * c


def _of_slope(g, S, c) -> np.ndarray:
    """How much smaller the error becomes by predicting g x_j."""
    return 2 * g * c - g**2 * np.diag(S)


def _averaged(S, c, b) -> np.ndarray:
    return _of_slope(b @ _per_unit(S), S, c)


def _describe(case: dict) -> str:
    return f"with the coefficients {case['b']}"


ASSOCIATIVE = Exercise(
    id="08.1",
    title="Associative importance of every variable, plain",
    points=2,
    blanks=3,
    expects="for every variable, twice the covariance between the target and the prediction "
    "rebuilt from it",
    draw=lambda rng, n: _draw_world(rng, n, lambda S, c, b, j, k: _associative(S, c, b)),
    turns=SIZES,
    inputs=_arrays("S", "c", "b"),
    describe=_describe,
    reference=_associative,
    hints=(
        "If x_j is one unit larger, how much larger is x_l on average? That is a regression "
        "coefficient: the covariance of the two divided by the variance of x_j.",
        "Column j of the table is S[:, j] / S[j, j]. Dividing S by np.diag(S) does it for all "
        "columns at once.",
        "The prediction rises by g[j] = sum over l of b[l] S[l, j] / S[j, j] for each unit of x_j. "
        "The covariance of g[j] x_j with the target is g[j] c[j].",
    ),
    slips=(
        Slip(
            "only its own door",
            lambda S, c, b: 2 * b * c,
            "Only the coefficient of the variable itself is used here. A variable also moves the "
            "features that are associated with it: sum over all features.",
            behind="M8",
        ),
        Slip(
            "not divided by the variance",
            lambda S, c, b: 2 * (b @ S) * c,
            "S has covariances. To know how much x_l moves per unit of x_j, divide column j by "
            "the variance S[j, j].",
        ),
        Slip(
            "divided by the other variance",
            lambda S, c, b: 2 * (b @ (S / np.diag(S)[:, np.newaxis])) * c,
            "You divide S[l, j] by the variance of x_l. What is known is x_j: divide by S[j, j].",
        ),
        Slip(
            "factor 2 left out",
            lambda S, c, b: _associative(S, c, b) / 2,
            "Half of it. The squared error contains minus two times the covariance of prediction "
            "and target.",
        ),
        _unread_as_zero(_associative),
        *_without_signs(
            _associative,
            "knowing such a variable moves the prediction away from the target.",
        ),
    ),
)

AVERAGED = Exercise(
    id="08.2",
    title="Associative importance of every variable, averaged",
    points=2,
    expects="for every variable, Var(y) minus the mean squared error of predicting y by g x_j",
    draw=lambda rng, n: _draw_world(rng, n, lambda S, c, b, j, k: _averaged(S, c, b)),
    turns=SIZES,
    inputs=_arrays("S", "c", "b"),
    describe=_describe,
    reference=_averaged,
    hints=(
        "Averaged over all that is not known, the prediction is g x_j, with the g of 08.1: "
        "g[j] = sum over l of b[l] S[l, j] / S[j, j].",
        "Expand the mean of (y - g x_j)^2. Which terms does Var(y) not have?",
    ),
    slips=(
        Slip(
            "the plain version",
            _associative,
            "That is the plain version, in which the model gets one draw at a time. The averaged "
            "prediction has a variance of its own: subtract g^2 S[j, j].",
        ),
        Slip(
            "variance of x_j forgotten",
            lambda S, c, b: 2 * (b @ _per_unit(S)) * c - (b @ _per_unit(S)) ** 2,
            "The variance of g x_j is g^2 times the variance of x_j, which is not 1 here.",
        ),
        Slip(
            "the variance added",
            lambda S, c, b: 2 * _associative(S, c, b) - _averaged(S, c, b),
            "The variance of the prediction makes the error larger, so it lowers the importance.",
        ),
        Slip(
            "divided by the other variance",
            lambda S, c, b: _of_slope(b @ (S / np.diag(S)[:, np.newaxis]), S, c),
            "You divide S[l, j] by the variance of x_l. What is known is x_j: divide by S[j, j].",
        ),
        Slip(
            "factor 2 left out",
            lambda S, c, b: _averaged(S, c, b) - _associative(S, c, b) / 2,
            "The covariance of g x_j and the target is there once. Expand (y - g x_j)^2: it comes "
            "twice.",
        ),
        Slip(
            "only the variance",
            lambda S, c, b: _associative(S, c, b) - _averaged(S, c, b),
            "That is the variance of the averaged prediction: how much it moves, not whether it "
            "moves towards the target. The covariance with the target is missing.",
        ),
        Slip(
            "a rise instead of a fall",
            lambda S, c, b: -_averaged(S, c, b),
            "The sizes are right, and every sign is turned. Asked for is how much smaller the "
            "error becomes: Var(y) minus the error.",
        ),
        Slip(
            "the best that x_j can do",
            lambda S, c, b: c**2 / np.diag(S),
            "This does not depend on b: it is what the best line on x_j would save. The model "
            "predicts g x_j, and its g need not be the best slope.",
            behind="M4",
        ),
        _unread_as_zero(_averaged),
        *_without_signs(
            _averaged,
            "a guess that varies too much, or moves the wrong way, is worse than no guess at all.",
        ),
    ),
)

# 08.3 Where a feature's importance comes from


def _direct_from(S, c, b, k) -> np.ndarray:
    rest = np.where(np.arange(len(b)) == k, 0.0, b)
    return 2 * b[k] * _per_unit(S)[k] * (c - rest @ S)


def _pfi(S, c, b, k) -> float:
    return float(_direct_from(S, c, b, k)[k])


def _correlations(S, k) -> np.ndarray:
    """Of feature k with every variable."""
    return S[k] / np.sqrt(S[k, k] * np.diag(S))


def _rest_at_k(S, c, b, k) -> np.ndarray:
    rest = np.where(np.arange(len(b)) == k, 0.0, b)
    return 2 * b[k] * _per_unit(S)[k] * (c - rest @ S[:, k])


DIRECT_FROM = Exercise(
    id="08.3",
    title="Direct importance from every variable",
    points=3,
    expects="for every source j, twice b_k times the covariance of y minus the rest of the model "
    "with the feature k rebuilt from x_j",
    draw=lambda rng, n: _draw_world(rng, n, lambda S, c, b, j, k: _direct_from(S, c, b, k)),
    turns=SIZES,
    inputs=_arrays("S", "c", "b", "k"),
    describe=lambda case: f"with k = {case['k']} and the coefficients {case['b']}",
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
            lambda S, c, b, k: np.full(len(b), _pfi(S, c, b, k)),
            "That is what the feature is worth with its own values, whatever the source. Here it "
            "is rebuilt from x_j alone.",
        ),
        Slip(
            "the rest of the model forgotten",
            lambda S, c, b, k: 2 * b[k] * _per_unit(S)[k] * c,
            "The other features are still at work. Subtract what they explain: use the covariance "
            "of x_j with y minus the rest of the model.",
        ),
        Slip(
            "feature k counted among the rest",
            lambda S, c, b, k: 2 * b[k] * _per_unit(S)[k] * (c - b @ S),
            "The rest of the model is everything but feature k.",
        ),
        Slip(
            "divided by the other variance",
            lambda S, c, b, k: _direct_from(S, c, b, k) * np.diag(S) / S[k, k],
            "You divide S[k, j] by the variance of x_k. What is known is x_j: divide by S[j, j].",
        ),
        Slip(
            "factor 2 left out",
            lambda S, c, b, k: _direct_from(S, c, b, k) / 2,
            "Half of it. The squared error contains minus two times the covariance of prediction "
            "and target.",
        ),
        Slip(
            "the share of the variance",
            lambda S, c, b, k: _pfi(S, c, b, k) * _correlations(S, k) ** 2,
            "You multiply by the share of the feature's variance that x_j explains. What counts is "
            "whether that share is the one that the target needs: take the covariance of x_j with "
            "what is left of y.",
        ),
        Slip(
            "the correlation",
            lambda S, c, b, k: _pfi(S, c, b, k) * _correlations(S, k),
            "You multiply by the correlation of x_j and the feature. What counts is how x_j is "
            "associated with what is left of y: take their covariance.",
        ),
        Slip(
            "the rest at the feature instead of the source",
            _rest_at_k,
            "What the rest of the model explains was taken at feature k, as in the worked example. "
            "The source is x_j: use the covariance of the rest with x_j, rest @ S[:, j].",
        ),
        Slip(
            "the target at the feature instead of the source",
            lambda S, c, b, k: _pfi(S, c, b, k) * _per_unit(S)[k],
            "The covariance with what is left of y was taken at feature k, as in the worked "
            "example. The feature is rebuilt from x_j: take the covariance of x_j with it.",
        ),
        Slip(
            "the averaged version",
            lambda S, c, b, k: (
                _direct_from(S, c, b, k) - (b[k] * _per_unit(S)[k]) ** 2 * np.diag(S)
            ),
            "That is the averaged version. Here the feature gets one draw at a time, so its "
            "variance is the same whatever the source, and cancels.",
        ),
        Slip(
            "its own source set to 0",
            lambda S, c, b, k: np.where(np.arange(len(b)) == k, 0.0, _direct_from(S, c, b, k)),
            "The entry of j = k was set to 0. Rebuilt from itself, the feature has its own values, "
            "and all of its importance comes back.",
        ),
        _unread_as_zero(_direct_from),
        *_without_signs(
            _direct_from, "a feature rebuilt from such a source is worse than a scrambled one."
        ),
    ),
)

# 08.4 Through which door


def _slopes(S, b, j) -> np.ndarray:
    """How much the prediction moves per unit of x_j, through every door alone."""
    return b * _per_unit(S)[:, j]


def _of_door(g, S, c, j) -> np.ndarray:
    return 2 * g * c[j] - g**2 * S[j, j]


def _via(S, c, b, j) -> np.ndarray:
    return _of_door(_slopes(S, b, j), S, c, j)


def _via_fast(S, c, b, j) -> np.ndarray:
    """What is lost when one door alone is closed."""
    g = _slopes(S, b, j)
    return _averaged(S, c, b)[j] - _of_door(g.sum() - g, S, c, j)


VIA = Exercise(
    id="08.4",
    title="Associative importance through every door",
    points=2,
    expects="for every feature k, the importance of 08.2 if x_j may move the prediction through "
    "feature k only",
    draw=lambda rng, n: _draw_world(rng, n, lambda S, c, b, j, k: _via(S, c, b, j)),
    turns=SIZES,
    inputs=_arrays("S", "c", "b", "j"),
    describe=lambda case: f"with j = {case['j']} and the coefficients {case['b']}",
    n_cases=6,
    reference=_via,
    hints=(
        "With door k alone open, the averaged prediction moves by b[k] S[k, j] / S[j, j] per unit "
        "of x_j. Call that g[k].",
        "Then it is the formula of 08.2, 2 g c[j] - g^2 S[j, j], with this g for each k.",
    ),
    slips=(
        Slip(
            "all doors open",
            lambda S, c, b, j: np.full(len(b), _averaged(S, c, b)[j]),
            "That is the importance through all doors together. Only feature k may be rebuilt "
            "from x_j.",
        ),
        Slip(
            "the plain version",
            lambda S, c, b, j: 2 * b * _per_unit(S)[:, j] * c[j],
            "The right doors, but the variance of the averaged prediction, g^2 S[j, j], is "
            "missing.",
        ),
        Slip(
            "from and via exchanged",
            lambda S, c, b, j: np.array([_direct_from(S, c, b, k)[j] for k in range(len(b))]),
            "That is how much of feature k's importance x_j can bring back, with the other "
            "features in place. Here the other features are drawn without looking at x_j.",
        ),
        Slip(
            "one door closed",
            _via_fast,
            "That is what is lost when door k alone is closed: the fast split. Here it is the only "
            "one that is open.",
        ),
        Slip(
            "Shapley parts",
            lambda S, c, b, j: (_via(S, c, b, j) + _via_fast(S, c, b, j)) / 2,
            "Those are the Shapley parts of 8.7, which add up to the whole. Here each door is "
            "taken by itself.",
        ),
        Slip(
            "the covariance of the feature",
            lambda S, c, b, j: _via(S, c, b, j) + 2 * b * _per_unit(S)[:, j] * (c - c[j]),
            "You use c[k]. The prediction moves with x_j, so its covariance with the target is "
            "g[k] c[j].",
        ),
        Slip(
            "divided by the other variance",
            lambda S, c, b, j: _of_door(b * S[:, j] / np.diag(S), S, c, j),
            "You divide S[k, j] by the variance of x_k. What is known is x_j: divide by S[j, j].",
        ),
        Slip(
            "variance of x_j forgotten",
            lambda S, c, b, j: 2 * _slopes(S, b, j) * c[j] - _slopes(S, b, j) ** 2,
            "The variance of g x_j is g^2 times the variance of x_j, which is not 1 here.",
        ),
        Slip(
            "its own door shut",
            lambda S, c, b, j: np.where(np.arange(len(b)) == j, 0.0, _via(S, c, b, j)),
            "The entry of k = j was set to 0. Where the model reads x_j, it comes in through its "
            "own door as well.",
        ),
        Slip(
            "the variable that is not read",
            lambda S, c, b, j: _via(S, c, b, int(np.argmin(np.abs(b)))),
            "These are the doors of the variable with the coefficient 0, whatever j is. Use the "
            "given j: it may be a variable that the model reads.",
        ),
        *_without_signs(_via, "through such a door x_j makes the prediction worse."),
    ),
)

# 08.5 Parts along an order


def _gains(w, order) -> np.ndarray:
    """What each player adds, in the order of arrival."""
    masks = np.cumsum([0, *(1 << player for player in order)])
    return np.diff(w[masks])


def _after(w, order) -> np.ndarray:
    """The worth of all who are there after each arrival."""
    return w[0] + np.cumsum(_gains(w, order))


def _along(w, order) -> np.ndarray:
    return _gains(w, order)[np.argsort(order)]


def _draw_worths(rng: np.random.Generator) -> dict:
    """Worths and gains of both signs; an order that is not its own inverse."""
    while True:
        w = rng.uniform(-1.0, 3.0, size=8).round(2)
        order = [[1, 2, 0], [2, 0, 1]][rng.integers(2)]
        gains = _gains(w, order)
        if gains.min() < -0.1 and gains.max() > 0.1 and abs(w[0]) > 0.1:
            return {"w": w.tolist(), "order": order}


PARTS = Exercise(
    id="08.5",
    title="Parts along an order",
    points=2,
    expects="for each player, by number, what it adds to the worth of those who came before it",
    draw=_draw_worths,
    inputs=lambda case: (np.array(case["w"]), list(case["order"])),
    reference=_along,
    n_cases=6,
    allowed=(*ALLOWED, "course_lib.models.shapley_values", "course_lib.measures.shapley_values"),
    hints=(
        "Keep the bit mask of those who are there already: it begins at 0, and player i adds "
        "2 ** i to it.",
        "The part of the player who arrives is the worth with it minus the worth without it; for "
        "the first one, the worth without it is w[0].",
        "Put the part at the player's own place: parts[player] = ...",
    ),
    slips=(
        Slip(
            "in the order of arrival",
            _gains,
            "The right numbers, listed as the players arrive. Part i belongs to player i. (A "
            "Series is read in its order, not by its labels: sort it by player.)",
        ),
        Slip(
            "handed to another player",
            lambda w, order: _gains(w, order)[order],
            "The right numbers, handed to other players: order[0] is the player who arrives first, "
            "so the first gain belongs at place order[0].",
        ),
        Slip(
            "the empty set counted as 0",
            lambda w, order: _along(np.append(0.0, w[1:]), order),
            "The first player is credited with w[0] as well, which is there before anybody comes. "
            "The parts must add up to w[7] - w[0].",
        ),
        Slip(
            "each alone",
            lambda w, order: w[[1, 2, 4]] - w[0],
            "That is what each adds as the first of all: the fast split of direct importance. Here "
            "the others may be there already.",
        ),
        Slip(
            "each taken away",
            lambda w, order: w[7] - w[[6, 5, 3]],
            "That is what is missing if one is taken away from all: the fast split of associative "
            "importance. Here they arrive in an order.",
        ),
        Slip(
            "Shapley values",
            lambda w, order: shapley_values(w, 3),
            "Those are the Shapley values, the mean over all orders. Here one order is given.",
        ),
        Slip(
            "the order ignored",
            lambda w, order: _along(w, [0, 1, 2]),
            "You let player 0 arrive first, then 1, then 2. The players arrive as `order` says.",
        ),
        Slip(
            "the other way round",
            lambda w, order: _along(w, order[::-1]),
            "You let the last of the list arrive first.",
        ),
        Slip(
            "bits counted from the left",
            lambda w, order: _along(w.reshape(2, 2, 2).T.ravel(), order),
            "Player 0 was given the bit worth 4. Bit masks count from the right: player i is worth "
            "2 ** i, so w[1] belongs to player 0 alone.",
        ),
        Slip(
            "the worth after the arrival",
            lambda w, order: _after(w, order)[np.argsort(order)],
            "That is the worth of all who are there once the player has come. Its part is how much "
            "that is more than before.",
        ),
        *_without_signs(_along, "with this player the team is worth less."),
    ),
)

# 08.6 A use: what each closed door leaves of the gap


def _draw_groups(rng: np.random.Generator, n: int) -> dict:
    """Two groups in column j, coded -1 and +1, which the model does not read.

    It is neither the first nor the last of the columns that are not read.
    """
    while True:
        A = rng.normal(size=(n, n))
        S = A @ A.T + np.eye(n)
        unread = np.sort(rng.choice(n, size=3, replace=False))
        j = int(unread[1])
        scale = np.ones(n)
        scale[j] = np.sqrt(S[j, j])
        S = (S / np.outer(scale, scale)).round(2)
        b = rng.uniform(0.3, 1.5, size=n).round(2) * rng.choice([-1, 1], size=n)
        b[unread] = 0.0
        left = _gap_left(S, b, j)
        if left.min() < -0.1 and left.max() > 0.1:
            return {"S": S.tolist(), "b": b.tolist(), "j": j}


def _gap_parts(S, b, j) -> np.ndarray:
    return 2 * b * S[:, j]


def _gap_left(S, b, j) -> np.ndarray:
    parts = _gap_parts(S, b, j)
    return parts.sum() - parts


GAP = Exercise(
    id="08.6",
    title="What a closed door leaves of the gap",
    points=2,
    expects="for every feature k, the gap between the mean predictions of the two groups if the "
    "coefficient of k is set to 0",
    draw=_draw_groups,
    turns=((6,), (5,), (7,)),
    inputs=_arrays("S", "b", "j"),
    describe=lambda case: f"with j = {case['j']} and the coefficients {case['b']}",
    reference=_gap_left,
    hints=(
        "From group -1 to group +1 is a step of two units of x_j. Feature l moves by 2 S[l, j] "
        "along with it, since the variance of x_j is 1.",
        "Through feature l the prediction therefore moves by 2 b[l] S[l, j]. The whole gap is the "
        "sum of these parts.",
        "With door k shut, its part is missing from the sum.",
    ),
    slips=(
        Slip(
            "per unit",
            lambda S, b, j: _gap_left(S, b, j) / 2,
            "That is the slope per unit of x_j. The groups are coded -1 and +1, so they lie two "
            "units apart.",
        ),
        Slip(
            "what each door contributes",
            _gap_parts,
            "Those are the parts of the gap that come through each door. Asked for is what is left "
            "of the gap when that door is shut.",
        ),
        Slip(
            "the whole gap",
            lambda S, b, j: np.full(len(b), _gap_parts(S, b, j).sum()),
            "That is the gap with all doors open, for every k. Shut door k.",
        ),
        Slip(
            "group +1 subtracted",
            lambda S, b, j: -_gap_left(S, b, j),
            "The sizes are right, and every sign is turned. The gap is group +1 minus group -1.",
        ),
        Slip(
            "its own entry set to 0",
            lambda S, b, j: np.where(np.arange(len(b)) == j, 0.0, _gap_left(S, b, j)),
            "The entry of k = j was set to 0. The model does not read column j, so shutting that "
            "door changes nothing, and the whole gap is left.",
        ),
        Slip(
            "divided by the other variance",
            lambda S, b, j: _gap_left(S / np.diag(S)[:, np.newaxis], b, j),
            "You divide S[l, j] by the variance of x_l. What is known is the group: divide by "
            "S[j, j], which is 1.",
        ),
        Slip(
            "the first column that is not read",
            lambda S, b, j: _gap_left(S, b, int(np.argmin(np.abs(b)))),
            "That is the gap along the first column with the coefficient 0. Several columns are "
            "not read; the groups are those of column j.",
        ),
        *_without_signs(
            _gap_left, "the group coded +1 gets the lower predictions then, and it is good to know."
        ),
    ),
)

# 08.7 Which measure answers which question?

QUESTIONS = {"a": "DI", "b": "AI", "c": "AI via", "d": "DI from", "e": "gap"}


def _instead(letter: str, measure: str, hint: str, behind: str = "") -> Slip:
    """The slip of one question that is answered with another measure."""
    answers = QUESTIONS | {letter: measure}
    return Slip(f"{measure} for {letter})", lambda: answers, hint, behind=behind)


READS = (
    "Scrambling a column asks what the model reads: that is direct importance. Associative "
    "importance asks what knowing a variable saves, read or not."
)
LOSS = (
    "Associative importance is about the loss: it can be 0 although the predictions of two "
    "groups differ. The question with the loss in it is not the one about predictions."
)
FROM_VIA = (
    "'via' belongs to a variable and names its doors; 'from' belongs to a feature and names its "
    "sources."
)
PARTS_OF_IT = "{} is one number for the whole. This question asks for its parts, one for each {}."

MEASURES = Exercise(
    id="08.7",
    title="Five questions, five numbers",
    points=1,
    blanks=5,
    expects="for each of the five questions one of DI, AI, DI from, AI via, gap",
    reference=lambda: QUESTIONS,
    hints=(
        "Direct is about what the model reads, associative about what a variable is worth for the "
        "loss, read or not. The gap looks at the predictions and at no loss.",
        "'via' names the feature through which a variable comes in; 'from' names the variable "
        "from which the importance of a feature comes.",
    ),
    slips=(
        Slip(
            "direct and associative exchanged",
            lambda: QUESTIONS | {"a": "AI", "b": "DI"},
            READS,
            behind="M8",
        ),
        Slip(
            "from and via exchanged",
            lambda: QUESTIONS | {"c": "DI from", "d": "AI via"},
            FROM_VIA,
        ),
        Slip(
            "associative importance taken for the gap",
            lambda: QUESTIONS | {"b": "gap", "e": "AI"},
            LOSS,
            behind="M8",
        ),
        _instead("a", "AI", READS, "M8"),
        _instead(
            "b",
            "DI",
            "Direct importance is 0 for whatever the model does not read. Question b) asks what "
            "knowing it saves, read or not.",
            "M8",
        ),
        _instead("b", "gap", LOSS, "M8"),
        _instead("c", "AI", PARTS_OF_IT.format("Associative importance", "door")),
        _instead("c", "DI from", FROM_VIA),
        _instead("d", "DI", PARTS_OF_IT.format("Direct importance", "source")),
        _instead("d", "AI via", FROM_VIA),
        _instead("e", "AI", LOSS, "M8"),
        _instead(
            "e",
            "DI",
            "Direct importance is about a loss, and about one column that is scrambled. Question "
            "e) is about predictions.",
        ),
    ),
)

EXERCISES = (ASSOCIATIVE, AVERAGED, DIRECT_FROM, VIA, PARTS, GAP, MEASURES)
