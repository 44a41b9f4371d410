"""Arguments of cases travel as data; what cannot travel is refused where it is packed."""

from functools import partial

import numpy as np
import pytest

from course_lib.lessons.given import bent, worth
from course_lib.lessons.packing import pack, unpack


def test_data_and_functions_with_an_address_arrive():
    game, X, predict = unpack(
        pack((partial(worth, [0, 1, 2, 5]), np.eye(2), partial(bent, [1, 2])))
    )
    assert game({0, 1}) == 5.0 and predict(X).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("function", [lambda S: 0.0, partial(lambda a, S: a, 1)])
def test_a_function_without_an_address_is_refused_with_where_it_belongs(function):
    with pytest.raises(TypeError, match="course_lib.lessons.given.*functools.partial"):
        pack((function,))
