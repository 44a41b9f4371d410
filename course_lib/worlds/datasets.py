"""Small data sets with a known truth: each generator states its law, and a test checks it.

Every function returns `(X, y)`: a DataFrame of inputs and a Series of targets, the same every
time for the same `random_state`. Nothing is read from the network or from the disk.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from course_lib.validation import (
    RandomState,
    check_count,
    check_number,
    check_option,
    check_random_state,
)

Table = tuple[pd.DataFrame, pd.Series]

#       top  upper left  upper right  middle  lower left  lower right  bottom
LED_SEGMENTS = (
    (1, 1, 1, 0, 1, 1, 1),
    (0, 0, 1, 0, 0, 1, 0),
    (1, 0, 1, 1, 1, 0, 1),
    (1, 0, 1, 1, 0, 1, 1),
    (0, 1, 1, 1, 0, 1, 0),
    (1, 1, 0, 1, 0, 1, 1),
    (1, 1, 0, 1, 1, 1, 1),
    (1, 0, 1, 0, 0, 1, 0),
    (1, 1, 1, 1, 1, 1, 1),
    (1, 1, 1, 1, 0, 1, 1),
)

LED_PRINTED = {  # Louppe et al. (2013), as printed: theorem 1, then simulations for K = 1, ..., 7
    "Thm. 1": (0.412, 0.581, 0.531, 0.542, 0.656, 0.225, 0.372),
    "K=1": (0.414, 0.583, 0.532, 0.543, 0.658, 0.221, 0.368),
    "K=2": (0.362, 0.663, 0.512, 0.525, 0.731, 0.140, 0.385),
    "K=3": (0.327, 0.715, 0.496, 0.484, 0.778, 0.126, 0.392),
    "K=4": (0.309, 0.757, 0.489, 0.445, 0.810, 0.122, 0.387),
    "K=5": (0.304, 0.787, 0.483, 0.414, 0.827, 0.122, 0.382),
    "K=6": (0.305, 0.801, 0.475, 0.409, 0.831, 0.121, 0.375),
    "K=7": (0.306, 0.799, 0.475, 0.412, 0.835, 0.120, 0.372),
}

NULL_LEVELS = (2, 4, 10, 20)

GATES = {"and": (0, 0, 0, 1), "or": (0, 1, 1, 1), "xor": (0, 1, 1, 0)}


def load_led_table() -> pd.DataFrame:
    """The importances of the display's segments as Louppe et al. print them, in bits.

    The column of theorem 1 is cut off after three decimals, not rounded; the columns for K are
    simulations, good to 0.005. `course_lib.measures.asymptotic_mdi` computes all of them exactly.

    Examples
    --------
    >>> load_led_table().loc["X5", ["Thm. 1", "K=7"]].tolist()
    [0.656, 0.835]
    """
    return pd.DataFrame(LED_PRINTED, index=[f"X{m}" for m in range(1, 8)])


def load_node() -> Table:
    """The node of 20 samples that Louppe et al. split by hand, along one numeric feature.

    `x` takes the values 1 to 20; 8 samples are of class 1. The best threshold, 12.5, leaves 12
    samples (2 of class 1) on the left and 8 (6 of class 1) on the right: entropies 0.971 before,
    0.650 and 0.811 after, a decrease of 0.2564 bits. Every other threshold decreases it less.

    Examples
    --------
    >>> X, y = load_node()
    >>> left = X["x"] <= 12.5
    >>> int(left.sum()), int(y[left].sum()), int(y[~left].sum())
    (12, 2, 6)
    """
    y = np.array([0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1])
    return pd.DataFrame({"x": np.arange(1.0, 21.0)}), pd.Series(y, name="y")


def load_rank_swap() -> Table:
    """Twenty rows where Gini and entropy grow the same tree and rank its variables oppositely.

    The tree asks x1 first and x2 after it. Gini credits x1 with 0.125 and x2 with 0.100; entropy
    credits x2 with more.

    Examples
    --------
    >>> X, y = load_rank_swap()
    >>> len(y), int(y.sum())
    (20, 9)
    """
    counts = {(0, 0): (0, 4), (0, 1): (3, 3), (1, 0): (5, 0), (1, 1): (3, 2)}
    rows = [(*x, c) for x, ns in counts.items() for c, n in enumerate(ns) for _ in range(n)]
    table = pd.DataFrame(rows, columns=["x1", "x2", "y"])
    return table[["x1", "x2"]], table["y"]


def make_gauges() -> Table:
    """Two gauges that tell equally much about the weather in every context, but not alike.

    The target is season and weather, four equally likely pairs. Gauge `A` shows the weather in
    summer and a coin flip in winter; gauge `B` shows it on every second day, at random, and is
    blank on the others; `season` is the calendar. Sixteen equally likely rows. Whether or not the
    season is known, each gauge tells half a bit: in the game v(S) = I(X_S; Y) they are symmetric.

    Examples
    --------
    >>> X, y = make_gauges()
    >>> X["A"].eq(y.str.split().str[1]).groupby(X["season"]).mean().to_dict()
    {'summer': 1.0, 'winter': 0.5}
    """
    cases = product(("summer", "winter"), ("dry", "rain"), ("dry", "rain"), (True, False))
    rows = [
        (weather if season == "summer" else coin, weather if works else "blank", season, weather)
        for season, weather, coin, works in cases
    ]
    table = pd.DataFrame(rows, columns=["A", "B", "season", "weather"])
    return table[["A", "B", "season"]], pd.Series(
        table["season"] + " " + table["weather"], name="y"
    )


def make_led(n_samples: int | None = None, random_state: RandomState = None) -> Table:
    """The seven segments of a digital display (X1, ..., X7) and the digit they show (y).

    X1 top, X2 upper left, X3 upper right, X4 middle, X5 lower left, X6 lower right, X7 bottom; 1
    is lit. The ten digits are equally likely, and the segments determine the digit, so that
    I(X1, ..., X7; Y) = H(Y) = log2(10) bits.

    Parameters
    ----------
    n_samples : int, default=None
        Number of independent draws; None gives the ten support points, one row per digit, which
        as a distribution are the exact law.
    random_state : int, Generator or None, default=None

    Examples
    --------
    The 1 lights the two segments on the right.

    >>> X, y = make_led()
    >>> X[y == 1]
       X1  X2  X3  X4  X5  X6  X7
    1   0   0   1   0   0   1   0
    """
    digits = np.arange(10)
    if n_samples is not None:
        n_samples = check_count(n_samples, "n_samples")
        digits = check_random_state(random_state).integers(10, size=n_samples)
    names = [f"X{m}" for m in range(1, 8)]
    return pd.DataFrame(np.array(LED_SEGMENTS)[digits], columns=names), pd.Series(digits, name="y")


def make_null(
    n_samples: int = 200, random_state: RandomState = None, *, target: str = "class"
) -> Table:
    """Pure noise: five inputs that differ in their number of values, and a target they ignore.

    `levels_2`, `levels_4`, `levels_10` and `levels_20` are uniform on 0, 1, ..., levels - 1 and
    `continuous` is uniform on [0, 1); all inputs and the target are independent, so that every
    importance to the distribution is exactly 0.

    Parameters
    ----------
    n_samples : int, default=200
    random_state : int, Generator or None, default=None
    target : {"class", "number"}, default="class"
        A fair coin (0 or 1), or a standard normal number.

    Examples
    --------
    >>> X, y = make_null(1000, random_state=0)
    >>> X.nunique().tolist(), sorted(y.unique().tolist())
    ([2, 4, 10, 20, 1000], [0, 1])
    """
    n_samples = check_count(n_samples, "n_samples")
    check_option(target, "target", ("class", "number"))
    rng = check_random_state(random_state)
    X = pd.DataFrame({f"levels_{k}": rng.integers(k, size=n_samples) for k in NULL_LEVELS})
    X["continuous"] = rng.random(n_samples)
    y = rng.integers(2, size=n_samples) if target == "class" else rng.standard_normal(n_samples)
    return X, pd.Series(y, name="y")


def make_gate(gate: str = "and", counts: Sequence[int] = (1, 1, 1, 1)) -> Table:
    """A logical gate of two bits x1, x2: each input pair as often as `counts` says.

    Parameters
    ----------
    gate : {"and", "or", "xor"}, default="and"
    counts : four ints, default=(1, 1, 1, 1)
        How many rows have (x1, x2) = 00, 01, 10 and 11; equal counts are two fair, independent
        bits, others make the bits uneven or dependent.

    Examples
    --------
    >>> X, y = make_gate("and", counts=(4, 1, 2, 3))
    >>> len(y), int(y.sum())
    (10, 3)
    """
    outputs = np.array(GATES[check_option(gate, "gate", tuple(GATES))])
    if isinstance(counts, str) or np.shape(counts) != (4,):
        raise ValueError(
            f"counts must be four whole numbers, the rows with inputs 00, 01, 10 and 11, got "
            f"{counts!r}. Pass for example counts=(4, 1, 2, 3)."
        )
    counts = [check_count(count, "each of counts", minimum=0) for count in counts]
    if not sum(counts):
        raise ValueError("counts are all 0, so there would be no row. Make one of them positive.")
    pair = np.repeat(np.arange(4), counts)
    return pd.DataFrame({"x1": pair // 2, "x2": pair % 2}), pd.Series(outputs[pair], name="y")


def make_rare() -> Table:
    """One input that informs when it is usual and confuses when it is rare, in ten rows.

    P(x = 1) = 0.2; y is 0 whenever x = 0 and a fair coin when x = 1. Before x is known the
    entropy of y is H(0.1) = 0.469 bits: seeing x = 0 removes all of it, seeing x = 1 raises it to
    1. The local importance of x is +0.469 at x = 0 and -0.531 at x = 1.

    Examples
    --------
    >>> X, y = make_rare()
    >>> X["x"].mean(), y.mean(), y[X["x"] == 1].mean()
    (np.float64(0.2), np.float64(0.1), np.float64(0.5))
    """
    x = np.repeat([0, 1], [8, 2])
    return pd.DataFrame({"x": x}), pd.Series([0] * 9 + [1], name="y")


def make_trial(
    n_samples: int = 200,
    random_state: RandomState = None,
    *,
    levels: int | None = 20,
    effect: float = 0.3,
) -> Table:
    """A trial in which the treatment works and a numbered ticket means nothing.

    `treated` is a fair coin, `ticket` uniform on 1, ..., levels, and the probability of recovery
    (y = 1) is 0.5 + effect/2 with and 0.5 - effect/2 without treatment, whatever the ticket. In the
    distribution the treatment removes effect^2 / 2 of a Gini of 0.5, the ticket nothing.

    Parameters
    ----------
    n_samples : int, default=200
    random_state : int, Generator or None, default=None
    levels : int or None, default=20
        Different tickets; None makes the ticket uniform on [0, 1), a new number for everybody.
    effect : float, default=0.3
        Difference of the two probabilities of recovery, from -1 to 1.

    Examples
    --------
    >>> X, y = make_trial(20_000, random_state=0)
    >>> y.groupby(X["treated"]).mean().round(1).tolist()
    [0.3, 0.7]
    """
    n_samples = check_count(n_samples, "n_samples")
    if levels is not None:
        levels = check_count(levels, "levels", minimum=2)
    effect = check_number(effect, "effect")
    if abs(effect) > 1:
        raise ValueError(
            f"effect is a difference of two probabilities, from -1 to 1, got {effect:g}. "
            f"Choose one in between."
        )
    rng = check_random_state(random_state)
    treated = rng.integers(2, size=n_samples)
    ticket = rng.random(n_samples) if levels is None else rng.integers(1, levels + 1, n_samples)
    recovered = rng.random(n_samples) < 0.5 + effect * (treated - 0.5)
    X = pd.DataFrame({"treated": treated, "ticket": ticket})
    return X, pd.Series(recovered.astype(int), name="recovered")


def make_correlated(
    n_samples: int = 400,
    random_state: RandomState = None,
    *,
    rho: float = 0.9,
    noise: float = 1.0,
) -> Table:
    """A cause, a copy and a bystander: y = x1 + noise, x2 merely correlates with x1, x3 is alone.

    x1, x2, x3 are standard normal, corr(x1, x2) = rho, x3 is independent of all; the noise is
    normal with standard deviation `noise`. Given x1, neither x2 nor x3 tells anything about y.

    Parameters
    ----------
    n_samples : int, default=400
    random_state : int, Generator or None, default=None
    rho : float, default=0.9
        From -1 to 1; at 1, x2 is an exact duplicate of x1.
    noise : float, default=1.0

    Examples
    --------
    >>> X, y = make_correlated(50, random_state=0, rho=1.0)
    >>> bool((X["x1"] == X["x2"]).all())
    True
    """
    n_samples = check_count(n_samples, "n_samples")
    noise = check_number(noise, "noise", minimum=0)
    if abs(check_number(rho, "rho")) > 1:
        raise ValueError(f"rho is a correlation, from -1 to 1, got {rho}. Choose one in between.")
    rng = check_random_state(random_state)
    x1, other, x3, e = rng.standard_normal((4, n_samples))
    X = pd.DataFrame({"x1": x1, "x2": rho * x1 + np.sqrt(1 - rho**2) * other, "x3": x3})
    return X, pd.Series(x1 + noise * e, name="y")


def make_exact_linear(
    n_samples: int = 200,
    random_state: RandomState = None,
    *,
    correlation: Sequence[Sequence[float]],
    coefficients: Sequence[float],
    noise: float = 1.0,
) -> Table:
    """A linear world whose sample obeys the law to the last digit: y = X beta + noise.

    In the sample every column has the mean 0 and the variance 1 (with n), the columns have exactly
    the given correlations, and the noise has the mean 0, the given standard deviation and no
    correlation with any column. So least squares finds beta itself, with the error noise^2, and
    closed forms hold without sampling error. Columns are called x1, x2, ...

    Parameters
    ----------
    n_samples : int, default=200
        More than the number of columns plus one.
    random_state : int, Generator or None, default=None
    correlation : array-like of shape (p, p)
        Positive definite, with ones on the diagonal.
    coefficients : sequence of p numbers
        beta.
    noise : float, default=1.0

    Examples
    --------
    >>> X, y = make_exact_linear(random_state=0, correlation=[[1, 0.9], [0.9, 1]],
    ...                          coefficients=[1, 1])
    >>> X.corr().round(6).loc["x1", "x2"].item(), round(float(y @ X["x1"]) / 200, 6)
    (0.9, 1.9)
    """
    correlation, beta = np.array(correlation, dtype=float), np.array(coefficients, dtype=float)
    p, noise = beta.size, check_number(noise, "noise", minimum=0)
    n_samples = check_count(n_samples, "n_samples", minimum=p + 2)
    square = beta.shape == (p,) and correlation.shape == (p, p)
    if (
        not square
        or not np.allclose(correlation, correlation.T)
        or (np.diag(correlation) != 1).any()
    ):
        raise ValueError(
            f"correlation must be a symmetric table of {p} rows and columns with ones on its "
            f"diagonal, one row for each coefficient, got {correlation.tolist()}. Write it anew."
        )
    if np.linalg.eigvalsh(correlation)[0] <= 1e-12:
        raise ValueError(
            "correlation is not positive definite: no columns have such correlations, or some are "
            "combinations of others. Bring the correlations closer to 0."
        )
    Z = check_random_state(random_state).standard_normal((n_samples, p + 1))
    Z = np.linalg.qr(Z - Z.mean(axis=0))[0] * np.sqrt(n_samples)  # uncorrelated, variance 1
    X = pd.DataFrame(
        Z[:, :p] @ np.linalg.cholesky(correlation).T, columns=[f"x{j + 1}" for j in range(p)]
    )
    return X, pd.Series(X.to_numpy() @ beta + noise * Z[:, p], name="y")
