"""What XGBoost and LightGBM call importance: on five columns of noise, and in the trial.

The two packages are no part of the course. Their numbers, with the defaults of both and 200 rows,
lie in `boosting.json`.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from course_lib.questions import Q4
from course_lib.results import Importances
from course_lib.validation import check_option
from course_lib.worlds.datasets import make_null, make_trial

STORED = Path(__file__).with_name("boosting.json")
N_REPEATS, N_SAMPLES = 20, 200
WORLDS = ("noise", "trial")


def boosted_importances(world: str) -> dict[str, Importances]:
    """Importances by XGBoost and LightGBM, each divided by its sum, one column per data set.

    Parameters
    ----------
    world : {"noise", "trial"}
        `make_null(200, seed)` or `make_trial(200, seed)` with the seeds 0 to 19.

    Returns
    -------
    results : dict from kind, such as "XGBoost gain", to Importances

    Examples
    --------
    >>> list(boosted_importances("trial"))[-2:]
    ['LightGBM split', 'LightGBM gain']
    >>> boosted_importances("noise")["XGBoost weight"].importances.shape
    (5, 20)
    """
    check_option(world, "world", WORLDS)
    X, _ = make_null(1) if world == "noise" else make_trial(1)
    said = {
        "sample": f"{N_SAMPLES} training rows each time",
        "repeats": f"{N_REPEATS} data sets",
        "covers": "the drawing of data sets",
    }
    results = {}
    for kind, rows in _stored()[world].items():
        values = np.array(rows).T
        shares = values / values.sum(axis=0)
        results[kind] = Importances(
            shares, tuple(X.columns), "share of the importance", Q4, loss=kind, **said
        )
    return results


@cache
def _stored() -> dict[str, dict[str, list]]:
    return json.loads(STORED.read_text(encoding="utf-8"))
