"""How far local MDI, Saabas and tree SHAP agree on digits in forests of a thousand trees.

Tree SHAP takes minutes here, so the forests were explained beforehand: `agreements.json` holds the
agreements that `simulate_agreements` gives, and `write_agreements` writes the file anew.
"""

import json
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from course_lib.studies.digits import digit_images, explain, first_of_each

CANDIDATES = (1, 2, 4, 8, 16, 32, 64)  # K
SAMPLES = ("training images", "held-out images")
N_TREES, N_EACH, DIGITS = 1000, 2, 4  # trees in a forest; images of each digit; digits stored


def simulate_agreements(
    K: int, sample: str, *, n_trees: int = N_TREES, n_each: int = N_EACH
) -> dict[str, np.ndarray]:
    """Agreements of each pair of measures on the first images of every digit, as in figure 2.

    Parameters
    ----------
    K : int
        Pixels drawn at each node of the Extra-Trees, which are grown on the training images.
    sample : {"training images", "held-out images"}
    n_trees : int, default=1000
    n_each : int, default=2
        Images of each digit, one digit after the other.

    Returns
    -------
    agreements : dict from pair of measures to array of shape (10 * n_each,)
        Costs some seconds for each image, most with small K, where the trees are large.
    """
    train, held_out, y_train, y_held_out = digit_images()
    options = {"max_features": K, "criterion": "entropy", "random_state": 0}
    forest = ExtraTreesClassifier(n_trees, **options).fit(train, y_train)
    images, digits = (train, y_train) if sample == SAMPLES[0] else (held_out, y_held_out)
    rows = first_of_each(digits, n_each)
    return explain(forest, images[rows], digits[rows]).agreements


def write_agreements(path: Path) -> None:
    """Explain all forests and write the agreements as JSON."""
    stored = {
        _key(K, sample): {
            pair: np.round(values, DIGITS).tolist()
            for pair, values in simulate_agreements(K, sample).items()
        }
        for K in CANDIDATES
        for sample in SAMPLES
    }
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in stored.items())
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def stored_agreements(K: int, sample: str) -> dict[str, np.ndarray]:
    """The agreements of each pair of measures on twenty images, in a forest of 1000 trees."""
    return {pair: np.array(values) for pair, values in _stored()[_key(K, sample)].items()}


def _key(K: int, sample: str) -> str:
    return f"K={K} {sample}"


@cache
def _stored() -> dict[str, dict[str, list]]:
    text = (files("course_lib.studies") / "agreements.json").read_text(encoding="utf-8")
    return json.loads(text)
