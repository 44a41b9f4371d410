"""How far the output of a forest moves when a column is replaced, without predicting all anew."""

from collections.abc import Iterator

import numpy as np

BLOCK = 10_000  # rows whose paths are looked at together

NewBlocks = dict[int, tuple[np.ndarray, np.ndarray]]  # name -> (its columns, array (r, n, columns))


def output_moves(trees: list, values: np.ndarray, new: NewBlocks) -> Iterator[np.ndarray]:
    """How far the mean output of the trees moves when a block of columns is replaced, for each.

    A row whose path in a tree never asks for one of these columns keeps its leaf whatever the new
    values, so only the others are sent down again.

    Parameters
    ----------
    trees : list of scikit-learn's `tree_`
    values : array of shape (n, p)
    new : dict from a name to the columns of the block and their new values, of shape (r, n, g)

    Yields
    ------
    moves : array of shape (r, n, n_outputs)
    """
    X = values.astype(np.float32)
    new = {
        name: (columns, np.ascontiguousarray(block.swapaxes(0, 1), np.float32))  # (n, r, g)
        for name, (columns, block) in new.items()
    }
    n_outputs = trees[0].value.shape[2]
    moves = {name: np.zeros((*block.shape[:2], n_outputs)) for name, (_, block) in new.items()}
    for tree in trees:
        own, asked = tree.predict(X), features_on_path(tree, X)
        for name, (columns, block) in new.items():
            rows = np.flatnonzero(asked[:, columns].any(axis=1))
            sent = np.repeat(X[rows], block.shape[1], axis=0)
            sent[:, columns] = block[rows].reshape(len(sent), len(columns))
            outputs = tree.predict(sent).reshape(len(rows), block.shape[1], n_outputs)
            moves[name][rows] += outputs - own[rows, np.newaxis]
    return (moves[name].swapaxes(0, 1) / len(trees) for name in new)


def features_on_path(tree, X: np.ndarray) -> np.ndarray:
    """Whether row i, on its way to a leaf, is asked for feature j: shape (n, p) of bool."""
    asked = np.zeros(X.shape, dtype=bool)
    for start in range(0, len(X), BLOCK):
        path = tree.decision_path(X[start : start + BLOCK])
        row = start + np.repeat(np.arange(path.shape[0]), np.diff(path.indptr))
        feature = tree.feature[path.indices]
        asked[row[feature >= 0], feature[feature >= 0]] = True
    return asked


def read_answers(forest, outputs: np.ndarray, method: str) -> np.ndarray:
    """What `forest` answers by `method` when its trees put out `outputs` (last axis) on average."""
    if not hasattr(forest, "classes_"):
        return outputs[..., 0]
    if method == "predict_proba":
        return outputs
    return forest.classes_[outputs.round(12).argmax(axis=-1)]  # rounded, so that ties stay ties
