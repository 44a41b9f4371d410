"""The display in trees that choose the best of K: exact importances, and who overtakes whom."""

import numpy as np
import pytest

from course_lib.measures import asymptotic_mdi
from course_lib.studies.display import led_degrees, third_is_ahead, third_overtakes
from course_lib.worlds import Categorical, make_led

KS = range(1, 8)


@pytest.fixture(scope="module")
def exact():
    led = Categorical(*make_led())
    return {K: asymptotic_mdi(led, K).importances_mean for K in KS}


def test_bars_are_the_exact_importances_and_add_up_to_the_information(exact):
    for K in KS:
        np.testing.assert_allclose(led_degrees(K).sum(axis=1), exact[K])
        assert led_degrees(K).sum() == pytest.approx(np.log2(10))


def test_x3_overtakes_x4_once(exact):
    assert [third_is_ahead(K) for K in KS] == [exact[K][2] > exact[K][3] for K in KS]
    assert [K for K in KS if third_overtakes(K)] == [3]
