"""Worths by bit mask: player i is bit i. The fast form of the Shapley value for many players.

`games.shapley_by_size` is the definition; the test of `shapley_of_many` compares the two.
"""

from math import comb

import numpy as np


def shapley_weights(n_players: int) -> np.ndarray:
    """w(s) = 1 / (n C(n-1, s)) for s = 0, ..., n - 1."""
    return 1 / np.array([n_players * comb(n_players - 1, s) for s in range(n_players)])


def coalition_sizes(n_players: int) -> np.ndarray:
    """Number of members of each coalition, by bit mask."""
    return np.bitwise_count(np.arange(2**n_players))


def split_by_player(table: np.ndarray, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Two matched views of the last axis: the coalitions S without player i, and S + i."""
    pairs = table.reshape(*table.shape[:-1], -1, 2, 2**i)
    return pairs[..., 0, :], pairs[..., 1, :]


def shapley_of_many(table: np.ndarray, n_players: int) -> np.ndarray:
    """Shapley values in a few passes over the worths, not one for each player.

    A coalition is a row of high and a column of low bits. A low player's weights look at a row's
    size alone, so rows of the same size are summed before gains are taken; of a row, a high
    player needs two weighted sums: as it is when they join, and as it is once they have joined.
    """
    n_low = n_players // 2 + 2
    n_high = n_players - n_low
    rows, weights = table.reshape(-1, 2**n_low), _row_weights(n_high, n_low)
    of_row, of_size = np.empty((len(rows), 2)), np.zeros((n_high + 1, 2**n_low))
    for row, of, k in zip(rows, of_row, coalition_sizes(n_high).tolist(), strict=True):
        of[:] = weights[k] @ row
        of_size[k] += row
    of_column = (weights * of_size[:, np.newaxis]).sum(axis=0)
    return np.array(
        [
            np.sum(split_by_player(joined, i)[1] - split_by_player(joining, i)[0])
            for joining, joined, n in ((*of_column, n_low), (*of_row.T, n_high))
            for i in range(n)
        ]
    )


def _row_weights(n_high: int, n_low: int) -> np.ndarray:
    """[a, 0, S]: w of S and a high players, when one more joins; [a, 1, S]: when one has joined."""
    w = shapley_weights(n_high + n_low)
    size = np.add.outer(np.arange(n_high + 1), coalition_sizes(n_low))
    return np.stack([np.append(w, 0.0)[size], np.append(0.0, w)[size]], axis=1)
