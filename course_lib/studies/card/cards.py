"""`importance_card`: a model and a table become a page or two for a paper or a review."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from markupsafe import Markup

from course_lib.measures.reports import AT_LEAST
from course_lib.measures.rounding import settled
from course_lib.patience import announced
from course_lib.questions import Q1, Q2, Q3, Q4, Q5, Q6, Question
from course_lib.results import Importances
from course_lib.studies.card import layout, page
from course_lib.studies.card.answers import RANKINGS, Answers
from course_lib.studies.card.cost import expected_seconds
from course_lib.studies.card.disagreements import Disagreement, disagreements
from course_lib.studies.card.facts import (
    algorithm_name,
    data_facts,
    halves_facts,
    making_facts,
    mean_losses,
    model_facts,
    without_addresses,
)
from course_lib.studies.card.licences import Licence, licence
from course_lib.studies.card.setting import make_setting
from course_lib.studies.rankings import ranks_of
from course_lib.validation import (
    check_count,
    check_number,
    check_random_state,
    sklearn_seed,
)

QUESTIONS = (Q1, Q2, Q3, Q4, Q5, Q6)
CHEAPER = (
    "Fewer rows (max_rows), fewer halves (n_halves) or fewer questions, such as "
    'questions=["Q1", "Q3"], take less.'
)


@dataclass(frozen=True, eq=False, repr=False)
class ImportanceCard:
    """What can be said of the importance of each column, and what cannot.

    Attributes
    ----------
    results : dict from ranking, such as "Q1" or "Q5 at least", to Importances
    not_computed : dict from the key of a question to why it has no answer here
    licences : dict from the key of a question to what may be said and what may not
    halves : dict from the number of a random half of the rows to the values there
    disagreements : list of Disagreement, the least alike rankings first
    facts : dict from "data", "model" and "making" to what is known of them
    scales : dict from ranking to the size of the losses or predictions that its values compare
        1e-9 of it, or of the largest value, counts as rounding error: as 0, and as a tie.
    """

    results: dict[str, Importances]
    not_computed: dict[str, str]
    licences: dict[str, Licence]
    halves: dict[int, pd.DataFrame]
    disagreements: list[Disagreement]
    facts: dict[str, dict[str, str]]
    scales: dict[str, float]

    @property
    def values(self) -> pd.DataFrame:
        """A row for each column of the data, a column for each ranking; rounding error is 0."""
        return _values(self.results, self.scales)

    @property
    def ranks(self) -> pd.DataFrame:
        """The places, 1 for the largest; contributions to one prediction go by their size."""
        return _ranks(self.values, self.scales)

    def to_frame(self) -> pd.DataFrame:
        """One row for each question and column: value, interval, place, places in the halves."""
        tables = [layout.table_of(self, key) for key in self.results]
        return pd.concat(tables, ignore_index=True)

    def to_markdown(self) -> str:
        """The page as Markdown."""
        return page.to_markdown(layout.blocks(self))

    def to_html(self) -> str:
        """The page as an HTML document of its own."""
        return page.to_page(layout.TITLE, layout.blocks(self))

    def _repr_html_(self) -> Markup:
        return page.to_html(layout.blocks(self))

    def __repr__(self) -> str:
        answered = ", ".join(self.licences)
        return f"{layout.TITLE}: {answered} answered; see to_markdown() or to_html()."


def importance_card(
    model,
    X,
    y,
    *,
    X_test=None,
    y_test=None,
    sample: str | None = None,
    loss=None,
    questions: Sequence[str] = tuple(one.key for one in QUESTIONS),
    instance: int = 0,
    slack: float = 0.05,
    n_repeats: int = 10,
    n_halves: int = 10,
    n_folds: int = 5,
    max_rows: int = 2000,
    random_state=0,
) -> ImportanceCard:
    """A page or two on the importance of each column, by each of the six questions that can be.

    Q1 permutation importance, Q2 conditional permutation importance, Q3 Shapley values of one
    prediction, Q4 algorithm reliance on rows that were not fitted to, Q5 and Q6 the ranges over
    all good linear models. Each is given with its interval, the sentence that it licenses and one
    that it does not. Then: where the rankings differ most, and in how many random halves of the
    rows they still do. A question without an answer here says why.

    Parameters
    ----------
    model : fitted model or scikit-learn estimator
        Fitted, it is measured on the rows given. An estimator that is not fitted is cross-fitted.
    X, y : the rows, of any kind of columns that the model takes
    X_test, y_test : default=None
        Rows held out from fitting: if given, they are measured on, and X and y only fitted to.
    sample : str, default=None
        What the rows measured on are, if the card cannot know it, such as "held-out rows".
    loss : callable, default=None
        Squared error for regressors, cross-entropy for classifiers if None.
    questions : sequence of keys, default=all six
    instance : int, default=0
        The row whose prediction Q3 is about, by its position in X_test if that is given, else in
        X; it need not be among the `max_rows` that are drawn.
    slack : float, default=0.05
        How much larger than the least error that of a good model (Q5, Q6) may be, as a share.
    n_repeats : int, default=10
        Shuffles (Q1) and draws (Q2) of each column.
    n_halves : int, default=10
        Smaller studies: the algorithm is fitted again to a random half of the rows and measured
        on the other half, and the rankings are made again. 0 for none.
    n_folds : int, default=5
        Of the cross-fitting.
    max_rows : int, default=2000
        Rows to measure on at most, drawn at random; fits use all.
    random_state : int, Generator or None, default=0

    Returns
    -------
    card : ImportanceCard
        It shows itself in a notebook; `to_markdown()`, `to_html()` and `to_frame()` give it away.

    Notes
    -----
    Cost: about (n_features + 1) (n_folds + n_halves) fits, or 1 + n_halves with test rows, and for
    each column 2 n_repeats + 3 n_halves predictions of all rows. More than about ten seconds are
    announced.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> card = importance_card(LinearRegression(), X[["bmi", "s5", "age"]], y, n_halves=0)
    >>> card.ranks.loc["age"].unique().tolist()  # last by every question
    [3]
    """
    seed = _seed(random_state)
    rng = np.random.default_rng(seed)
    asked = _checked_questions(questions)
    n_halves = check_count(n_halves, "n_halves", minimum=0)
    setting = make_setting(
        model,
        X,
        y,
        X_test=X_test,
        y_test=y_test,
        sample=sample,
        loss=loss,
        instance=instance,
        max_rows=check_count(max_rows, "max_rows", minimum=4),
        n_folds=check_count(n_folds, "n_folds", minimum=2),
        rng=rng,
    )
    means = mean_losses(setting, loss)
    answers = Answers(
        setting,
        loss=loss,
        loss_scale=means.scale,
        n_repeats=check_count(n_repeats, "n_repeats", minimum=2),
        slack=check_number(slack, "slack", minimum=0, strict=True),
        seed=seed,
    )
    facts = {
        "data": data_facts(setting, getattr(y, "name", None) or "y"),
        "model": model_facts(setting, model, loss, means),
        "making": making_facts(seed, setting.algorithm),
    }
    seconds = expected_seconds(answers, asked, n_halves)
    with announced(seconds, len(asked) + n_halves, CHEAPER) as done:
        results, refusals = _ask_all(answers, asked, done)
        answered = list(dict.fromkeys(RANKINGS[key] for key in results))
        halves = {}
        for number, half in enumerate(setting.halves(n_halves, rng)):
            if half is not None:
                halves[number] = answers.in_half(half, answered)
            done(1)
    facts["model"] |= halves_facts(setting, n_halves, answered, halves)
    scales = answers.scales
    ranks = _ranks(_values(results, scales), scales)
    ranks = ranks.drop(columns=Q3.key, errors="ignore")  # about one row
    return ImportanceCard(
        results,
        refusals,
        _licences(answers, results, answered, cut_off=means.n_zero > 0),
        halves,
        disagreements(ranks, halves, RANKINGS, scales),
        facts,
        scales,
    )


def _seed(random_state) -> int:
    """A number that is printed, so that whoever has it can make the same card."""
    is_number = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    rng = check_random_state(random_state)
    return int(random_state) if is_number else sklearn_seed(rng)


def _checked_questions(questions) -> list[Question]:
    known = {one.key: one for one in QUESTIONS}
    keys = [questions] if isinstance(questions, str) else list(questions)
    unknown = [key for key in keys if key not in known]
    if unknown or not keys:
        raise ValueError(
            f"questions must be some of {', '.join(known)}, got {unknown[0]!r}. Choose from those."
            if unknown
            else f"questions is empty; choose at least one of {', '.join(known)}."
        )
    return [one for one in QUESTIONS if one.key in keys]


def _ask_all(answers: Answers, asked: list[Question], done) -> tuple[dict, dict]:
    """The results by ranking, and the refusals by question."""
    results, refusals = {}, {one.key: "Not asked for." for one in QUESTIONS if one not in asked}
    for question in asked:
        try:
            results |= answers.ask(question)
        except (TypeError, ValueError) as refusal:
            refusals[question.key] = without_addresses(str(refusal))
        done(1)
    if not results:
        raise ValueError(
            "No question has an answer here: "
            + " ".join(f"{key}: {why}" for key, why in refusals.items())
        )
    return results, dict(sorted(refusals.items()))


def _licences(
    answers: Answers, results, answered: list[Question], *, cut_off: bool
) -> dict[str, Licence]:
    setting = answers.setting
    about = {
        "scales": answers.scales,
        "cut_off": cut_off,
        "slack": answers.slack,
        "algorithm": algorithm_name(setting.algorithm),
        "n_models": len(setting.pieces),
        "draws": setting.draws,
        "constant": setting.constant,
        "few_rows": answers.few_rows,
    }
    return {one.key: licence(one, results, **about) for one in answered}


def _values(results: dict[str, Importances], scales: dict[str, float]) -> pd.DataFrame:
    names = next(iter(results.values())).feature_names
    values = {key: settled(result.importances_mean, scales[key]) for key, result in results.items()}
    return pd.DataFrame(values, index=pd.Index(names, name="feature"))


def _ranks(values: pd.DataFrame, scales: dict[str, float]) -> pd.DataFrame:
    sizes = values.assign(**{key: values[key].abs() for key in values if key == Q3.key})
    return ranks_of(sizes, at_least=[key for key in values if key == AT_LEAST], scales=scales)
