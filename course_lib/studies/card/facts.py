"""What a card says of its data, its model and its making, before any importance."""

import platform
import re
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import pandas as pd
import sklearn
from pandas.api import types as kinds
from sklearn.dummy import DummyClassifier, DummyRegressor

from course_lib import __version__
from course_lib.measures.responses import first_answers
from course_lib.models.boosters import package_of
from course_lib.models.losses import (
    Loss,
    classifies,
    cross_entropy,
    default_loss,
    loss_in_words,
    prediction_loss,
    row_loss,
    zero_one,
)
from course_lib.questions import Q2, Q3, Q5, Q6, Question
from course_lib.results import how_many
from course_lib.studies.card.answers import RANKINGS
from course_lib.studies.card.licences import CUT_OFF, amount, listed
from course_lib.studies.card.setting import EVENLY, Setting, take
from course_lib.tables import Coding, answer_function, table_function
from course_lib.validation import shortened

LONGEST = 400  # characters of a model in print


def data_facts(setting: Setting, target: str) -> dict[str, str]:
    """Rows, columns, kinds, missing values, and the target."""
    table = pd.DataFrame(setting.X_fit) if setting.origin is not None else _joined(setting)
    y = setting.y_fit if setting.origin is not None else np.append(setting.y_fit, setting.y)
    return {
        "rows and columns": f"{len(table):,} rows, {how_many(table.shape[1], 'column')}",
        "kinds of columns": _kinds(table),
        "missing values": _missing(table),
        "target": f"{target}, {_target(y, setting)}",
    }


def _joined(setting: Setting) -> pd.DataFrame:
    return pd.concat([pd.DataFrame(setting.X_fit), pd.DataFrame(setting.X)], ignore_index=True)


def kind_of(column: pd.Series) -> str:
    """What a column holds, in one word."""
    if kinds.is_bool_dtype(column.dtype):
        return "yes-or-no values"
    if kinds.is_datetime64_any_dtype(column.dtype):
        return "dates"
    if kinds.is_numeric_dtype(column.dtype):
        return "numbers"
    if isinstance(column.dtype, pd.CategoricalDtype):
        return "categories"
    return "numbers" if Coding(column.to_frame()).is_numeric else "text"


def _kinds(table: pd.DataFrame) -> str:
    counts = pd.Series([kind_of(table.iloc[:, j]) for j in range(table.shape[1])]).value_counts()
    return ", ".join(f"{n} of {kind}" for kind, n in counts.items())


def _missing(table: pd.DataFrame) -> str:
    gaps = table.isna().sum()
    gaps = gaps[gaps > 0].sort_values(ascending=False)
    if gaps.empty:
        return "none"
    named = ", ".join(f"{name} {100 * n / len(table):.0f} %" for name, n in gaps.head(5).items())
    more = f" and {how_many(len(gaps) - 5, 'more column')}" * (len(gaps) > 5)
    return f"{gaps.sum():,} values; share of rows: {named}{more}"


def _target(y: np.ndarray, setting: Setting) -> str:
    if classifies(setting.algorithm) or y.dtype.kind not in "biuf":
        shares = pd.Series(y).value_counts(normalize=True)
        named = [f"class {label}: {100 * share:.0f} %" for label, share in shares.items()]
        return f"{len(shares):,} class{'es' * (len(shares) > 1)}; {shortened(named)}"
    mean = 0.0 if abs(y.mean()) < 1e-9 * y.std() else y.mean()
    return f"numbers, mean {amount(mean)}, standard deviation {amount(y.std())}"


@dataclass(frozen=True)
class MeanLosses:
    """What the importances are compared with.

    Attributes
    ----------
    model : float
        The mean loss of the model, or of the models of the folds, on the rows measured on.
    constant : float or None
        That of the best guess that reads no column; None if the loss does not take it.
    n_zero, n_cut : int
        In how many rows cross-entropy meets a probability of 0, which it cuts off: of any class,
        and of the row's own.
    """

    model: float
    constant: float | None
    n_zero: int = 0
    n_cut: int = 0

    @property
    def scale(self) -> float:
        """How large the losses are whose differences are importances."""
        return max(abs(self.model), abs(self.constant or 0.0))


def mean_losses(setting: Setting, loss: Loss | None) -> MeanLosses:
    """The losses of the rows as they are, before anything is shuffled."""
    losses, n_zero, n_cut = np.empty(len(setting.y)), 0, 0
    is_cut = _is_cut_off(setting, loss)
    for model, mine in setting.pieces:
        y, (rows, method) = setting.y[mine], prediction_loss(model, loss)
        answers = _answers(model, take(setting.X, mine), method)
        losses[mine] = rows(y, answers)
        if is_cut:
            n_zero += int((answers <= np.exp(-CUT_OFF)).any(axis=1).sum())
            n_cut += int((losses[mine] >= CUT_OFF).sum())
    return MeanLosses(float(losses.mean()), _constant(setting, loss), n_zero, n_cut)


def _is_cut_off(setting: Setting, loss: Loss | None) -> bool:
    """Whether the loss is cross-entropy, which would be infinite for a probability of 0."""
    loss = default_loss(setting.algorithm) if loss is None else loss
    return getattr(loss, "func", loss) is cross_entropy


def model_facts(setting: Setting, model, loss: Loss | None, means: MeanLosses) -> dict[str, str]:
    """The model as it came, with the parameters that differ from their defaults, and its loss."""
    words = loss_in_words(setting.algorithm, loss)
    if _is_cut_off(setting, loss):
        words += f", cut off at {CUT_OFF:.0f} where a row's true class has the probability 0"
    best = _best_guess(setting, loss)[1]
    told = f"; always predicting {best}, {amount(means.constant or 0.0, 4)}"
    return {
        "model": in_print(model),
        "loss": f"{words}: {amount(means.model, 4)} on the {setting.sample}"
        f"{told * (means.constant is not None)}{_zeros(means, len(setting.y))}",
        "sample": setting.how,
    }


def _zeros(means: MeanLosses, n_rows: int) -> str:
    """How often the cut-off counts, and how often it may once values have been exchanged."""
    if not means.n_zero:
        return ""
    return (
        f". Some class has the probability 0 in {means.n_zero:,} of the {n_rows:,} rows, and the "
        f"row's true class in {means.n_cut or 'none'}"
    )


def _answers(model, X, method: str) -> np.ndarray:
    """What the model says of each row, or why it does not take the table."""
    coding = Coding(X)
    table = table_function(model, X, coding)(coding.values)
    try:
        return first_answers(model, answer_function(model, method), table, coding)
    except AttributeError as error:  # of a class that is not scikit-learn's, which alone can tell
        raise ValueError(
            f"This {type(model).__name__} does not predict the rows. It says: {error}. If it has "
            f"not been fitted, call its fit(X, y) first."
        ) from error


def halves_facts(
    setting: Setting, n_halves: int, answered: list[Question], halves: dict[int, pd.DataFrame]
) -> dict[str, str]:
    """How the places in halves of the rows are found, by the questions that have an answer."""
    if n_halves == 0:
        return {}
    of_classes = classifies(setting.algorithm)
    study, whose = _study(setting)
    of_good_models = " and ".join(one.key for one in answered if one in (Q5, Q6))
    good = f" {of_good_models}: over the good linear models of {whose}."
    drawn = (
        " Q2: one sampler serves all of them; it has learnt from all the rows that the card "
        "measures on."
    )
    return {
        "halves": f"{_studies(n_halves)} of the rows{EVENLY * of_classes}: "
        f"the model is {study}.{drawn * (Q2 in answered)}{good * bool(of_good_models)}"
        f"{_unanswered(n_halves, answered, halves)} The places of a column there stand beside its "
        f"value."
    }


def _studies(n_halves: int) -> str:
    if n_halves == 1:
        return "1 smaller study of a random half"
    return f"{n_halves} smaller studies of random halves"


def _study(setting: Setting) -> tuple[str, str]:
    """What is done with the model in a smaller study, and where the good linear models are good."""
    if setting.origin is None:
        to_fit, measured = "a half of the rows to fit to", "a half of the test rows"
    elif setting.can_fit_again:
        to_fit, measured = "one half", "the other half"
    else:
        to_fit, measured = "the other half", "one half"
    if setting.can_fit_again:
        return f"fitted again to {to_fit} and measured on {measured}", "the half that is fitted to"
    return f"kept as it is and measured on {measured}", to_fit


def _unanswered(n_halves: int, answered: list[Question], halves: dict[int, pd.DataFrame]) -> str:
    """In how many halves questions have an answer, of those that have one not in all."""
    in_halves: dict[int, list[str]] = {}
    for one in (one for one in answered if one is not Q3):
        n = sum(any(RANKINGS[key] is one for key in values) for values in halves.values())
        in_halves.setdefault(n, []).append(one.key)
    return "".join(
        f" {listed(keys)} {'has' if len(keys) == 1 else 'have'} an answer in {n or 'none'} of them."
        for n, keys in in_halves.items()
        if n < n_halves
    )


def algorithm_name(model) -> str:
    """What is fitted, by name; of a pipeline, its last step too."""
    name = type(model).__name__
    steps = getattr(model, "steps", None)
    return f"the {name} with {type(steps[-1][1]).__name__}" if steps else name


def without_addresses(text: str) -> str:
    """A text that is the same whenever it is made.

    >>> without_addresses("got <Mine object at 0x7f3a>")
    'got <Mine object>'
    """
    return re.sub(" at 0x[0-9a-fA-F]+", "", text)


def in_print(model) -> str:
    """A model as scikit-learn prints it: the parameters that differ from their defaults.

    What is too long is cut in the middle; of a pipeline the last step then comes first.
    """
    with sklearn.config_context(print_changed_only=True):
        text = " ".join(without_addresses(str(model)).split())
    if len(text) <= LONGEST:
        return text
    steps, half = getattr(model, "steps", None), LONGEST // 2
    last = f"{in_print(steps[-1][1])}, at the end of " if steps else ""
    return f"{last}{text[:half]} ... {text[-half:]}"


def _constant(setting: Setting, loss: Loss | None) -> float | None:
    """The same loss of the best guess that reads no column, to compare with."""
    loss = default_loss(setting.algorithm) if loss is None else loss
    guess, _ = _best_guess(setting, loss)
    blank = np.zeros((len(setting.y), 1))
    try:
        return float(row_loss(guess, blank, loss)(blank, setting.y).mean())
    except (TypeError, ValueError):  # a loss of the reader's own may want more than such a model
        return None


def _best_guess(setting: Setting, loss: Loss | None) -> tuple:
    """A fitted model that reads no column, and what it always predicts, in words."""
    loss = default_loss(setting.algorithm) if loss is None else loss
    blank, y = np.zeros((len(setting.y_fit), 1)), setting.y_fit
    if not (classifies(setting.algorithm) or loss is zero_one or y.dtype.kind not in "biuf"):
        return DummyRegressor().fit(blank, y), "the mean of y"
    guess = DummyClassifier(strategy="prior").fit(blank, y)
    if getattr(loss, "response_method", "predict") == "predict_proba":
        return guess, "the shares of the classes"
    return guess, f"the largest class ({guess.predict(blank[:1])[0]})"


def making_facts(seed: int, model) -> dict[str, str]:
    """Versions, also of the package that the model is from, and seed: to make the card again."""
    packages = ["numpy", "pandas", "scikit-learn", *_package(model)]
    numbers = ", ".join(f"{name} {version(name)}" for name in packages)
    return {
        "made with": f"course_lib {__version__}, Python {platform.python_version()}, {numbers}",
        "seed": f"random_state={seed}",
    }


def _package(model) -> list[str]:
    """The package of boosted trees at the end of a model, fitted or not, if it is from one."""
    while inner := getattr(model, "estimator", None) or getattr(model, "steps", None):
        model = inner[-1][1] if isinstance(inner, list) else inner
    package = package_of(model)
    return [package] if package else []
