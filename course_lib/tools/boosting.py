"""The importances of XGBoost and LightGBM on noise and in the trial, written for lesson 02.

`python -m course_lib.tools.boosting` computes them with the packages that are installed and writes
`course_lib/studies/boosting.json`, which the lesson reads: so it runs without the two packages.
"""

import json
import sys
from importlib.util import find_spec

from course_lib.measures.forests.boosting import booster_importances
from course_lib.studies.boosting import N_REPEATS, N_SAMPLES, STORED
from course_lib.worlds.datasets import make_null, make_trial

WORLDS = {"noise": make_null, "trial": make_trial}
DIGITS = 4


XGBOOST = {  # its names, and ours
    "weight": "splits",
    "gain": "mean_gain",
    "cover": "mean_cover",
    "total_gain": "total_gain",
}
LIGHTGBM = {"split": "splits", "gain": "total_gain"}


def by_xgboost(X, y, seed: int) -> dict[str, list[float]]:
    from xgboost import XGBClassifier

    model = XGBClassifier(random_state=seed, n_jobs=1).fit(X, y)
    return {f"XGBoost {theirs}": rounded(model, ours) for theirs, ours in XGBOOST.items()}


def by_lightgbm(X, y, seed: int) -> dict[str, list[float]]:
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1).fit(X, y)
    return {f"LightGBM {theirs}": rounded(model, ours) for theirs, ours in LIGHTGBM.items()}


def rounded(model, kind: str) -> list[float]:
    return booster_importances(model, kind).importances_mean.round(DIGITS).tolist()


PACKAGES = {"xgboost": by_xgboost, "lightgbm": by_lightgbm}


def repeated(package: str, world: str, n_repeats: int = N_REPEATS) -> dict[str, list[list[float]]]:
    """What a package, with its defaults, calls importance: for each kind a row per data set."""
    samples = [(*WORLDS[world](N_SAMPLES, seed), seed) for seed in range(n_repeats)]
    rows = [PACKAGES[package](*sample) for sample in samples]
    return {kind: [row[kind] for row in rows] for kind in rows[0]}


def main() -> int:
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        sys.stderr.write(
            f"Not installed: {', '.join(missing)}. Install both with {sys.executable} -m pip "
            f"install xgboost lightgbm, and repeat this. The lesson reads what is stored.\n"
        )
        return 1
    found = {
        world: {kind: rows for p in PACKAGES for kind, rows in repeated(p, world).items()}
        for world in WORLDS
    }
    STORED.write_text(json.dumps(found) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
