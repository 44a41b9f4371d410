"""The five intervals, beside the same numbers computed row by row."""

import numpy as np
import pytest

from course_lib.studies import shuffle_intervals

N = 30


def table(seed):
    x, e = np.random.default_rng(seed).normal(size=(2, N))
    y = x + 0.5 * e
    return (y[:, np.newaxis] - x) ** 2 - ((y - x) ** 2)[:, np.newaxis]


@pytest.mark.parametrize("seed", range(3))
def test_one_shuffle_and_all_pairs_are_what_loops_give(seed):
    D = table(seed)
    found = shuffle_intervals(D, np.random.default_rng(seed), n_shuffles=4)
    order = np.random.default_rng(seed).permutation(N)
    one = [D[k, order[k]] for k in range(N)]
    assert tuple(found.iloc[0]) == pytest.approx((np.mean(one), np.std(one) / N**0.5))
    pairs = [D[k, i] for k in range(N) for i in range(N) if i != k]
    assert found["mean"].iloc[3] == found["mean"].iloc[4] == pytest.approx(np.mean(pairs))
    both = [
        np.mean([D[k, i] for i in range(N) if i != k])
        + np.mean([D[i, k] for i in range(N) if i != k])
        for k in range(N)
    ]
    assert found["standard error"].iloc[3] == pytest.approx(np.std(both) / N**0.5)


def test_the_spread_of_more_shuffles_stays_and_over_the_root_it_shrinks():
    D = table(0)
    few, many = (
        shuffle_intervals(D, np.random.default_rng(1), n_shuffles=n)["standard error"]
        for n in (400, 6400)
    )
    assert many.iloc[1] == pytest.approx(few.iloc[1], rel=0.15)
    assert many.iloc[2] == pytest.approx(few.iloc[2] / 4, rel=0.15)


def test_the_bootstrap_and_body_plus_head_agree_in_large_tables():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1500)
    D = (x[:, np.newaxis] - x) ** 2
    found = shuffle_intervals(D, rng, n_shuffles=2)["standard error"]
    assert found.iloc[4] == pytest.approx(found.iloc[3], rel=4 / 200**0.5)
