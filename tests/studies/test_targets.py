"""Two forests, one on a shuffled target: what their features move, and of what use it is."""

import numpy as np
import pandas as pd

from course_lib.studies import moves_and_use


def test_only_on_the_target_are_the_moves_of_use_and_the_same_seed_gives_the_same():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(360, 3)), columns=list("abc"))
    y = 5 * X["a"]
    first, second = (moves_and_use(X, y, random_state=1, n_trees=5) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    (moves, no_moves), (use, no_use) = first.to_numpy()
    assert moves > no_moves > 0.2 * moves
    assert use > 0.5 * y.var() and abs(no_use) < 0.3 * use
    np.testing.assert_array_equal(y, 5 * X["a"])
