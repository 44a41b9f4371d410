"""The exercises of lesson 04: from one order of arrival to the games that models play."""

from functools import partial
from itertools import permutations
from math import comb, factorial

import numpy as np

from course_lib.lessons.exercise import Exercise, Slip
from course_lib.lessons.given import curved, shares, worth
from course_lib.models.games import shapley_values
from course_lib.models.rules import arrival, equal_split, leave_one_out

# 04.1 Shares by order of arrival


PLAYERS = ((4,), (3,), (5,))  # so that no answer with one number written in fits


def _draw_game(rng: np.random.Generator, n_players: int) -> dict:
    """Worths of a game by bit mask; somebody's value is negative.

    The empty set is worth something, as it is in the games that models play.
    """
    while True:
        worths = rng.uniform(2, 40, size=2**n_players).round(3)
        if shapley_values(worths, n_players).min() < -0.5:
            return {"worths": worths.tolist()}


def _draw_arrival(rng: np.random.Generator, n_players: int) -> dict:
    """A game and an order in which somebody lowers the worth on arrival.

    Who comes when is another list than when who comes: the order is not its own inverse.
    """
    while True:
        case = _draw_game(rng, n_players)
        order = rng.permutation(n_players)
        falls = np.diff(_along(_game(case), order.tolist())).min() < -0.5
        if falls and (order[order] != np.arange(n_players)).any():
            return case | {"order": order.tolist()}


def _n_players(case: dict) -> int:
    return len(case["worths"]).bit_length() - 1


def _game(case: dict):
    """The game as a function of any collection of players."""
    return partial(worth, [float(value) for value in case["worths"]])


def _along(v, order) -> np.ndarray:
    """Worths of the growing coalition, from nobody to everybody."""
    return np.array([v(order[:k]) for k in range(len(order) + 1)])


def _nobody_is_worth_0(v):
    """The slip of taking it for granted that the empty set is worth nothing."""
    return lambda S: v(S) if len(S) else 0.0


def _by_player(order, values) -> np.ndarray:
    shares = np.empty(len(order))
    shares[list(order)] = values
    return shares


ARRIVAL = Exercise(
    id="04.1",
    title="Shares by order of arrival",
    points=2,
    expects="one share per player, player 0 first: v(those before and the player) minus v(those "
    "before)",
    draw=_draw_arrival,
    turns=PLAYERS,
    inputs=lambda case: (_game(case), case["order"]),
    reference=shares,
    describe=lambda case: f"with {_n_players(case)} players arriving in the order {case['order']}",
    hints=(
        "Walk through the order with a set that starts empty and grows by one player at a time.",
        "The share of player i is v(set with i) minus v(set without i), at the moment i comes in.",
        "Write it to place i of the result, not to the place of arrival.",
    ),
    slips=(
        Slip(
            "in the order of arrival",
            lambda v, order: np.diff(_along(v, order)),
            "These are the right amounts in the order of arrival. Player 0's share belongs in "
            "place 0, whenever player 0 came.",
        ),
        Slip(
            "places exchanged",
            lambda v, order: np.diff(_along(v, order))[list(order)],
            "These are the right amounts in the wrong places: gains[order] reads at the places in "
            "order. They are where the gains have to be written: shares[order] = gains.",
        ),
        Slip(
            "before minus after",
            lambda v, order: -arrival(v, len(order), order),
            "Right size, wrong sign: a share is the worth after the arrival minus the worth "
            "before.",
        ),
        Slip(
            "worth instead of gain",
            lambda v, order: _by_player(order, _along(v, order)[1:]),
            "That is what the room is worth after each arrival. A share is what it rises by.",
        ),
        Slip(
            "given order ignored",
            lambda v, order: arrival(v, len(order)),
            "These shares are for the order 0, 1, 2, ... Use the order that was given.",
        ),
        Slip(
            "worth alone",
            lambda v, order: np.array([v({i}) for i in range(len(order))]),
            "That is what each player is worth alone. Whoever comes later joins those who are "
            "already there.",
        ),
        Slip(
            "leave-one-out",
            lambda v, order: leave_one_out(v, len(order)),
            "That is what would be lost without each player once all are there. A share is what "
            "is added on arrival, when only those before are there.",
            behind="M9",
        ),
        Slip(
            "the order turned round",
            lambda v, order: arrival(v, len(order), order[::-1]),
            "These are the shares for the reverse order. The first in the list comes first.",
        ),
        Slip(
            "cut off to whole numbers",
            lambda v, order: np.trunc(arrival(v, len(order), order)),
            "Every share is right and has lost what stands behind its point: an array made for "
            "integers cuts it off. Make it with np.zeros(n), without int.",
        ),
        Slip(
            "the empty room taken for 0",
            lambda v, order: arrival(_nobody_is_worth_0(v), len(order), order),
            "Whoever comes first is paid their whole worth here, as if an empty room were worth 0. "
            "This one is not: subtract v(set()) from the first worth, too.",
        ),
        Slip(
            "sign thrown away",
            lambda v, order: abs(arrival(v, len(order), order)),
            "The sizes are right, but a player whose arrival lowers the worth has a negative "
            "share. Without the sign the shares do not add up to what the room has gained.",
            behind="M6",
        ),
        Slip(
            "negative shares set to 0",
            lambda v, order: np.maximum(arrival(v, len(order), order), 0),
            "A player whose arrival lowers the worth has a negative share. Set to 0, the shares "
            "no longer add up to what the room has gained.",
            behind="M6",
        ),
    ),
)

# 04.2 The mean over all orders, three blanks


def _players(case: dict) -> tuple:
    return _game(case), _n_players(case)


def _players_and_arrival(case: dict) -> tuple:
    return *_players(case), shares


NO_SIGN = "The sizes are right, but a player who lowers the worth on average has a negative "
NO_SIGN += "Shapley value. Without the sign the values do not add up to what all have gained."
CLIPPED = "A player who lowers the worth on average has a negative Shapley value. Set to 0, the "
CLIPPED += "values no longer add up to what all together have gained."


def _total_over_orders(v, n_players) -> np.ndarray:
    return sum(arrival(v, n_players, order) for order in permutations(range(n_players)))


def _rotations(v, n_players) -> np.ndarray:
    order = list(range(n_players))
    turned = [order[k:] + order[:k] for k in range(n_players)]
    return np.mean([arrival(v, n_players, each) for each in turned], axis=0)


SHAPLEY = Exercise(
    id="04.2",
    title="Shapley values from all orders",
    points=2,
    blanks=3,
    expects="for each player the mean, over all orders, of what they add when they come",
    draw=_draw_game,
    turns=PLAYERS,
    inputs=_players_and_arrival,
    reference=lambda v, n_players, shares: shapley_values(v, n_players),
    describe=lambda case: f"of a game of {_n_players(case)} players",
    hints=(
        "How many orders of n players are there? itertools.permutations lists them.",
        "Every order counts the same: add up the shares of all orders, then divide by their "
        "number.",
    ),
    slips=(
        Slip(
            "not divided",
            lambda v, n, shares: _total_over_orders(v, n),
            "That is the sum over the orders. The Shapley value is their mean.",
        ),
        Slip(
            "divided by the number of players",
            lambda v, n, shares: _total_over_orders(v, n) / n,
            "The sum over the orders is divided by the number of players. Divide by the number "
            "of orders.",
        ),
        Slip(
            "one factor too few",
            lambda v, n, shares: _total_over_orders(v, n) / factorial(n - 1),
            "The sum over the orders is divided by (n - 1)!. There are n! orders of n players.",
        ),
        Slip(
            "only rotations",
            lambda v, n, shares: _rotations(v, n),
            "Only some of the orders are used, those that turn 0, 1, 2, ... around. There are n! "
            "of them.",
        ),
        Slip(
            "one order",
            lambda v, n, shares: arrival(v, n),
            "That is a single order, 0, 1, 2, ... Average over all of them.",
        ),
        Slip(
            "sign thrown away",
            lambda v, n, shares: abs(shapley_values(v, n)),
            NO_SIGN,
            behind="M6",
        ),
        Slip(
            "negative shares set to 0",
            lambda v, n, shares: np.maximum(shapley_values(v, n), 0),
            CLIPPED,
            behind="M6",
        ),
    ),
)

# 04.3 The same by coalitions, from the signature


def _weighted(v, n_players, weight) -> np.ndarray:
    """Contributions of each player, weighted by the size of the coalition that is joined."""
    phi = np.zeros(n_players)
    for mask in range(2**n_players):
        S = {i for i in range(n_players) if mask >> i & 1}
        for i in set(range(n_players)) - S:
            phi[i] += weight(len(S), n_players) * (v(S | {i}) - v(S))
    return phi


def _factorials(s: int, p: int) -> float:
    return factorial(s) * factorial(p - s - 1) / factorial(p)


def _but(size: int):
    """Shapley's weights without the coalitions of one size; -1 is the largest."""
    return lambda v, n: _weighted(v, n, lambda s, p: _factorials(s, p) * (s != size % p))


COALITIONS = Exercise(
    id="04.3",
    title="Shapley values from all coalitions",
    points=3,
    expects="for each player the sum over the coalitions S without the player of "
    "|S|! (p - |S| - 1)! / p! times v(S and the player) - v(S)",
    draw=_draw_game,
    turns=PLAYERS,
    inputs=_players,
    reference=shapley_values,
    describe=lambda case: f"of a game of {_n_players(case)} players",
    hints=(
        "For one player, list all coalitions of the others: itertools.combinations for every "
        "size from 0 to n_players - 1.",
        "The weight depends only on the size of S. math.factorial counts the orders before and "
        "after.",
        "The weights of one player add up to 1. Check that first.",
    ),
    slips=(
        Slip(
            "all coalitions alike",
            lambda v, n: _weighted(v, n, lambda s, n: 1 / 2 ** (n - 1)),
            "Every coalition counts the same here. That is another index, Banzhaf's, and its "
            "shares need not add up to what all have gained. Weight by |S|! (p - |S| - 1)! / p!.",
        ),
        Slip(
            "sizes not weighted",
            lambda v, n: _weighted(v, n, lambda s, n: 1 / comb(n - 1, s)),
            "Within each size the mean is right, but the sizes are added up. Divide by the "
            "number of sizes too.",
        ),
        Slip(
            "the empty coalition taken for 0",
            lambda v, n: shapley_values(_nobody_is_worth_0(v), n),
            "The empty coalition counts as 0 here. In this game it is worth something: v(set()) "
            "has to be subtracted where S is empty, as v(S) is everywhere else.",
        ),
        Slip(
            "leave-one-out",
            leave_one_out,
            "That is the topmost edge alone, v(N) - v(N without the player). All the other "
            "coalitions count as well.",
            behind="M9",
        ),
        Slip(
            "equal split",
            equal_split,
            "Everybody gets the same here, whatever they contribute.",
        ),
        Slip(
            "the empty coalition left out",
            _but(0),
            "The empty coalition is missing, S = {}: what the player adds to nobody counts, too. "
            "The sizes begin at 0.",
        ),
        Slip(
            "all the others left out",
            _but(-1),
            "The largest coalition is missing, that of all the others: the sizes go from 0 to "
            "p - 1, and range(p) gives them.",
        ),
        Slip(
            "one too many afterwards",
            lambda v, n: _weighted(v, n, lambda s, p: _factorials(s, p) * (p - s)),
            "The weight has (p - |S|)!. After the player itself, p - |S| - 1 are still to come.",
        ),
        Slip(
            "sign thrown away",
            lambda v, n: abs(shapley_values(v, n)),
            NO_SIGN,
            behind="M6",
        ),
        Slip(
            "negative shares set to 0",
            lambda v, n: np.maximum(shapley_values(v, n), 0),
            CLIPPED,
            behind="M6",
        ),
    ),
)

# 04.4 An estimate and its standard error


def _draw_contributions(rng: np.random.Generator, n_players: int, n_orders: int) -> dict:
    """Contributions of some players in some orders; one mean is negative."""
    contributions = rng.uniform(-9, 20, size=(n_players, n_orders))
    contributions[rng.integers(n_players)] -= 20
    return {"contributions": contributions.round(3).tolist()}


def _estimate(contributions, *, ddof=1, axis=1, root=True) -> np.ndarray:
    n_orders = contributions.shape[axis]
    spread = contributions.std(axis=axis, ddof=ddof)
    error = spread / (np.sqrt(n_orders) if root else 1)
    return np.column_stack([contributions.mean(axis=axis), error])


def _with_error(error):
    """The right means beside another error, from the contributions and their standard error."""
    return lambda c: np.column_stack([c.mean(axis=1), error(c, _estimate(c)[:, 1])])


ESTIMATE = Exercise(
    id="04.4",
    title="Sampled Shapley values and their standard errors",
    points=2,
    expects="one row per player: the mean over the orders, and the standard deviation (with n - 1) "
    "divided by the square root of the number of orders",
    draw=_draw_contributions,
    turns=((3, 6), (2, 8), (4, 5)),
    inputs=lambda case: (np.array(case["contributions"], dtype=float),),
    reference=_estimate,
    describe=lambda case: (
        f"of {len(case['contributions'])} players in {len(case['contributions'][0])} orders"
    ),
    hints=(
        "Players are rows, orders are columns. Over which axis does one average?",
        "The standard error of a mean of n independent numbers is their standard deviation "
        "divided by the square root of n; estimate the deviation with ddof=1.",
    ),
    slips=(
        Slip(
            "standard deviation",
            lambda c: _estimate(c, root=False),
            "The second column is how much one order differs from another. The mean of n orders "
            "is known better than that: divide by the square root of n.",
        ),
        Slip(
            "divided by n",
            lambda c: _estimate(c, ddof=0),
            "Nearly: numpy's std divides by n. With few orders it matters; use ddof=1.",
        ),
        Slip(
            "over the players",
            lambda c: _estimate(c, axis=0),
            "There is one row per order here. Average over the orders, for each player.",
        ),
        Slip(
            "players as columns",
            lambda c: _estimate(c).T,
            "These are the right numbers, but with a row of estimates and a row of errors. Give "
            "one row per player and two columns.",
        ),
        Slip(
            "sign thrown away",
            lambda c: abs(_estimate(c)),
            "The sizes are right. An estimate of a Shapley value may be negative: keep its sign.",
            behind="M6",
        ),
        Slip(
            "negative estimates set to 0",
            lambda c: np.maximum(_estimate(c), 0),
            "A player who lowers the worth on average has a negative estimate. It is not an error "
            "to be set to 0.",
            behind="M6",
        ),
        Slip(
            "root of the number of players",
            _with_error(lambda c, error: error * np.sqrt(c.shape[1] / c.shape[0])),
            "The second column is divided by the square root of the number of players. The mean "
            "is taken over the orders: divide by the square root of their number.",
        ),
        Slip(
            "root of n - 1",
            _with_error(lambda c, error: error * np.sqrt(c.shape[1] / (c.shape[1] - 1))),
            "The n - 1 is used twice. It belongs in the standard deviation; the root is of n, the "
            "number of orders.",
        ),
        Slip(
            "n instead of its root",
            _with_error(lambda c, error: error / np.sqrt(c.shape[1])),
            "The second column is divided by n. The standard error is the standard deviation "
            "divided by the square root of n.",
        ),
        Slip(
            "variance",
            _with_error(lambda c, error: error**2),
            "The second column is the variance of the mean. Its square root is the standard error.",
        ),
        Slip(
            "columns exchanged",
            lambda c: _estimate(c)[:, ::-1],
            "The right numbers in the wrong columns: the mean comes first, then its error.",
        ),
        Slip(
            "two standard errors",
            _with_error(lambda c, error: 2 * error),
            "The second column is two standard errors, half the width of an interval. One is "
            "asked for.",
        ),
    ),
)

# 04.5 and 04.6 What is a coalition of features worth?


COLUMNS = ((4,), (5,), (3,))
LEVELS = (-1.0, -0.7, 2.0)  # few, so that rows agree; close and of both signs, so that slips show


def _draw_coalitions(rng: np.random.Generator, p: int) -> dict:
    """Rows of p features, x among them, and coalitions of all but one, one, none, two and all.

    The worths of some are negative, and what the first leaves behind would change the others.
    """
    while True:
        background = rng.choice(LEVELS, size=(int(rng.integers(18, 27)), p))
        sets = [rng.permutation(p)[:size].tolist() for size in (p - 1, 1, 0, 2, p)]
        case = {
            "a": rng.choice([-3.1, -2.3, 1.7, 2.9], size=p).tolist(),
            "x": background[int(rng.integers(len(background)))].tolist(),
            "background": background.tolist(),
            "coalitions": sets,
        }
        if _tells_apart(case):
            return case


def _tells_apart(case: dict) -> bool:
    """Whether both games, also without the last column, and every slip in either differ."""
    slips = [slip.answer for game in (MARGINAL, CONDITIONAL) for slip in game.slips]
    slips += [_each(_but_the_last(worth)) for worth in (_marginal, _conditional)]
    games = (MARGINAL.reference, CONDITIONAL.reference)
    found = [answer(*_several(case)) for answer in (*games, *slips)]
    if min(abs(found[0] - found[-2]).max(), abs(found[1] - found[-1]).max()) < 1e-3:
        return False
    values = np.unique(found, axis=0)
    gaps = abs(values[:, np.newaxis] - values).max(axis=2)[np.triu_indices(len(values), 1)]
    return gaps.min() > 1e-3 and all(game(*_several(case)).min() < -0.1 for game in games)


def _several(case: dict) -> tuple:
    return (
        partial(curved, case["a"]),
        np.array(case["x"]),
        np.array(case["background"]),
        case["coalitions"],
    )


def _each(worth):
    """The worths of several coalitions, one after the other, by a rule for one of them."""
    return lambda f, x, background, coalitions: np.array(
        [worth(f, x, background, S) for S in coalitions]
    )


def _overwritten(f, x, background, coalitions) -> np.ndarray:
    """The slip of writing x into the same table again and again."""
    rows, found = background.copy(), []
    for S in coalitions:
        rows[:, S] = x[S]
        found.append(f(rows).mean())
    return np.array(found)


def _mixed(x, background, S) -> np.ndarray:
    rows = background.copy()
    rows[:, S] = x[S]
    return rows


def _marginal(f, x, background, S) -> float:
    return float(f(_mixed(x, background, S)).mean())


def _alike(x, background, S) -> np.ndarray:
    return (background[:, S] == x[S]).all(axis=1)


def _conditional(f, x, background, S) -> float:
    return float(f(background[_alike(x, background, S)]).mean())


def _others_known(f, x, background, S) -> float:
    return _marginal(f, x, background, [j for j in range(len(x)) if j not in S])


def _mean_row(f, x, background, S) -> float:
    return float(f(_mixed(x, background.mean(axis=0)[np.newaxis], S))[0])


def _zeros(f, x, background, S) -> float:
    return float(f(_mixed(x, np.zeros((1, len(x))), S))[0])


def _different(f, x, background, S) -> float:
    rows = background[~_alike(x, background, S)]
    return float(f(rows).mean()) if len(rows) else 0.0


def _alike_somewhere(f, x, background, S) -> float:
    return float(f(background[(background[:, S] == x[S]).any(axis=1) | (not S)]).mean())


def _over_all_rows(f, x, background, S) -> float:
    return float((f(background) * _alike(x, background, S)).mean())


def _empty_is_0(worth):
    """The slip of taking it for granted that knowing nothing is worth nothing."""
    return lambda f, x, background, S: worth(f, x, background, S) if S else 0.0


def _summed(f, x, background, S) -> float:
    return float(f(_mixed(x, background, S)).sum())


def _alike_elsewhere(f, x, background, S) -> float:
    rows = background[_alike(x, background, [j for j in range(len(x)) if j not in S])]
    return float(f(rows).mean())  # x is one of them


def _less_the_mean(f, x, background, S) -> float:
    return _marginal(f, x, background, S) - float(f(background).mean())


def _mean_of_the_alike(f, x, background, S) -> float:
    rows = background[_alike(x, background, S)]
    return float(f(rows.mean(axis=0)[np.newaxis])[0])


def _but_the_last(worth):
    """The slip of not reading the last column, as where fewer columns are written in."""
    return lambda f, x, background, S: worth(f, x, background, [j for j in S if j < len(x) - 1])


def _first_only(worth):
    """The slip of reading only the first feature of a coalition."""
    return lambda f, x, background, S: worth(f, x, background, S[:1])


NOTHING_KNOWN = (
    "Knowing nothing is worth 0 here. No prediction is made from nothing: the worth of the "
)
NOTHING_KNOWN += "empty coalition is the mean prediction over the background."
ONE_KNOWN = (
    "Only the first feature of each coalition is used. A coalition may have several features, "
)
ONE_KNOWN += "and all of them are known."
KEEP_SIGN = (
    "The sizes are right. A prediction may be negative, and so may a mean of predictions: keep "
)
KEEP_SIGN += "the sign."


def _describe_coalitions(case: dict) -> str:
    return f"with x = {case['x']} and the coalitions {case['coalitions']}"


MARGINAL = Exercise(
    id="04.5",
    title="The marginal game",
    points=2,
    expects="for each coalition S in the list the mean of f over the background rows, with the "
    "columns in S set to the values of x and all others as they are in the background",
    draw=_draw_coalitions,
    turns=COLUMNS,
    inputs=_several,
    reference=_each(_marginal),
    describe=_describe_coalitions,
    hints=(
        "Begin each coalition with a fresh copy of the background. Which columns are replaced?",
        "Predict for every row of the copy first, and average the predictions after that.",
    ),
    slips=(
        Slip(
            "background overwritten",
            _overwritten,
            "The values of x that were written for one coalition are still there for the next. "
            "Begin each coalition with a fresh copy of the background, and leave the original as "
            "it is.",
        ),
        Slip(
            "the wrong features known",
            _each(_others_known),
            "The features outside S were set to the values of x, and those in S left open. It is "
            "S that is known.",
        ),
        Slip(
            "prediction of the mean row",
            _each(_mean_row),
            "That is the prediction for an average row. Average the predictions, not the inputs: "
            "for a curved f the two differ.",
        ),
        Slip(
            "zeros",
            _each(_zeros),
            "Unknown features were set to 0. Zero is a value like any other; take the values of "
            "the background rows instead.",
        ),
        Slip(
            "conditional",
            _each(_conditional),
            "That is the conditional game: only the rows that agree with x on S. The marginal "
            "game uses every background row.",
            behind="M10",
        ),
        Slip(
            "summed",
            _each(_summed),
            "The predictions are added up over the background rows. Average them.",
        ),
        Slip(
            "mean prediction subtracted",
            _each(_less_the_mean),
            "The mean prediction has been subtracted from every worth. No contribution would "
            "change, but asked for is the mean of f itself.",
        ),
        Slip("nothing known is worth 0", _each(_empty_is_0(_marginal)), NOTHING_KNOWN),
        Slip("one feature of each coalition", _each(_first_only(_marginal)), ONE_KNOWN),
        Slip(
            "sign thrown away",
            lambda *given: abs(_each(_marginal)(*given)),
            KEEP_SIGN,
            behind="M6",
        ),
    ),
)

CONDITIONAL = Exercise(
    id="04.6",
    title="The conditional game",
    points=2,
    expects="for each coalition S in the list the mean of f over the background rows that equal x "
    "in every column of S",
    draw=_draw_coalitions,
    turns=COLUMNS,
    inputs=_several,
    reference=_each(_conditional),
    describe=_describe_coalitions,
    hints=(
        "Nothing is replaced here. Which rows of the background may stay?",
        "(background[:, S] == x[S]).all(axis=1) marks the rows that agree with x on all of S.",
    ),
    slips=(
        Slip(
            "marginal",
            _each(_marginal),
            "That is the marginal game: values of x put into every row. Here rows are chosen, "
            "and none is changed.",
            behind="M10",
        ),
        Slip(
            "the rows that differ",
            _each(_different),
            "Those are the rows that differ from x somewhere on S. Keep the ones that agree.",
        ),
        Slip(
            "the wrong features known",
            _each(_alike_elsewhere),
            "Kept are the rows that agree with x outside S. It is S that is known.",
        ),
        Slip(
            "agreement in one feature is enough",
            _each(_alike_somewhere),
            "A row that agrees with x in one feature of S is kept here. Keep only the rows that "
            "agree in all of them.",
        ),
        Slip(
            "divided by all rows",
            _each(_over_all_rows),
            "The predictions are summed over the right rows and divided by the number of all "
            "rows. Divide by the number of rows that agree.",
        ),
        Slip(
            "prediction of the mean row",
            _each(_mean_of_the_alike),
            "That is the prediction for the mean of the rows that agree. Predict for each of them, "
            "and average the predictions.",
        ),
        Slip("nothing known is worth 0", _each(_empty_is_0(_conditional)), NOTHING_KNOWN),
        Slip("one feature of each coalition", _each(_first_only(_conditional)), ONE_KNOWN),
        Slip(
            "sign thrown away",
            lambda *given: abs(_each(_conditional)(*given)),
            KEEP_SIGN,
            behind="M6",
        ),
    ),
)

# 04.7 Who can get credit without being read?

UNREAD = Exercise(
    id="04.7",
    title="Credit for a feature that the model does not read",
    points=1,
    expects="the letters of all measures that can differ from 0 for a feature that the model does "
    "not read",
    reference=lambda: {"d", "f"},
    hints=(
        "If the model does not read a feature, its predictions stay the same when the feature is "
        "replaced, and no split of a tree asks about it. Which measures only follow branches, or "
        "replace features without regard to the features that are kept?",
        "In the conditional game a known feature changes what is expected of those that go with "
        "it.",
    ),
    slips=(
        Slip(
            "Kernel SHAP is conditional",
            lambda: {"b", "d", "f"},
            "One of yours is often described by the conditional expectation. As implemented it "
            "fills in background rows: the marginal game, in which an unread feature gets 0.",
            behind="M10",
        ),
        Slip(
            "permutation leaks",
            lambda: {"a", "d", "f"},
            "One of yours only replaces values of the one column. Where it is not read, every "
            "prediction stays as it was, whatever the column is correlated with.",
            behind="M2",
        ),
        Slip(
            "all of them",
            lambda: {"a", "b", "c", "d", "e", "f"},
            "To be correlated with what the model reads is not enough. Three of these replace "
            "inputs by values that do not depend on the inputs that are kept, and an input that is "
            "not read can be replaced without any change in the predictions. A fourth follows the "
            "branches of the trees, and no split asks about such an input.",
        ),
        Slip(
            "none of them",
            set,
            "Two of these games draw the missing features given the known ones; there an unread "
            "feature changes what is expected of those that are read.",
            behind="M8",
        ),
        Slip(
            "path-dependent tree SHAP",
            lambda: {"c", "d", "f"},
            "One of yours gives credit only where a branch asks for the feature. A feature that "
            "is not read has no branch.",
            behind="M10",
        ),
        Slip(
            "marginal SAGE",
            lambda: {"d", "e", "f"},
            "One of yours fills in what is unknown as if it had nothing to do with what is "
            "known. A feature that is not read then saves no loss.",
            behind="M10",
        ),
        Slip(
            "one prediction only",
            lambda: {"d"},
            "True of single predictions. One more of these measures draws the missing features "
            "given the known ones, for the loss of a whole model.",
        ),
        Slip(
            "the whole model only",
            lambda: {"f"},
            "True of the loss of a whole model. One more of these measures draws the missing "
            "features given the known ones, for a single prediction.",
        ),
    ),
)

EXERCISES = (ARRIVAL, SHAPLEY, COALITIONS, ESTIMATE, MARGINAL, CONDITIONAL, UNREAD)
