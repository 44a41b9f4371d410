"""What stands on an importance card, in which order."""

import numpy as np
import pandas as pd

from course_lib.measures.reports import AT_LEAST, AT_MOST
from course_lib.questions import Q1, Q2, Q3, Q4, Q5, Q6, QUESTIONS, Question
from course_lib.results import how_many
from course_lib.studies.card.answers import RANKINGS
from course_lib.studies.card.disagreements import Disagreement
from course_lib.studies.card.licences import CAUSAL, ends
from course_lib.studies.card.page import Block, Columns, Facts, Grid, Heading, Paragraph
from course_lib.studies.rankings import ranks_of

TITLE = "Importance card"
N_SHOWN = 6  # columns of the data in a ranking, pairs of rankings in the comparison
IN_HALVES = "places in halves"
BEST, WORST = "best place in halves", "worst place in halves"
IN_SHORT = {
    Q1.key: "the model (Q1)",
    Q2.key: "the model, unique part (Q2)",
    Q4.key: "the algorithm (Q4)",
    AT_LEAST: "any good model, at least (Q5)",
    AT_MOST: "any good model, at most (Q5)",
    Q6.key: "any good model, unique part (Q6)",
}
BY_KEY = {one.key: one for one in QUESTIONS}
ONE_PAIR = "Between the two rankings"
IN_A_HALF = " In a half of the rows they may: see the places in halves."
OVERLAPPING = "Changes of places also count where the intervals of two columns overlap."
FLATTERING = (
    "The two were chosen on the same rows from which the halves are drawn, so the counts tend "
    "to be too high."
)


def blocks(card) -> list[Block]:
    """The page, from top to bottom."""
    answered = tuple(_section(card, BY_KEY[key]) for key in card.licences)
    return [
        Heading(TITLE, 2),
        Facts(card.facts["data"] | card.facts["model"]),
        Columns(answered),
        Heading("Where the rankings differ"),
        *_comparison(card),
        *_not_computed(card),
        Paragraph(CAUSAL),
        Facts(card.facts["making"]),
    ]


def table_of(card, key: str) -> pd.DataFrame:
    """One ranking: value, interval and place of each column, and its places in the halves."""
    result, question = card.results[key], RANKINGS[key]
    low, high = ends(result, card.scales[key])
    table = {
        "ranking": key,
        "question": str(question),
        "feature": result.feature_names,
        "value": card.values[key].to_numpy(),
        "low": low,
        "high": high,
        "place": card.ranks[key].to_numpy(),
    }
    best, worst = places_in_halves(card, key)
    return pd.DataFrame(table | {BEST: best, WORST: worst})


def places_in_halves(card, key: str) -> tuple[list, list]:
    """The best and the worst place of each column in the halves; None where there are none.

    Columns that share places have the first of them as the best, the last as the worst.
    """
    tables = [
        ranks_of(values[[key]], at_least=[key] if key == AT_LEAST else [], scales=card.scales)[key]
        for values in card.halves.values()
        if key in values
    ]
    if not tables:
        nothing = [None] * len(card.values)
        return nothing, nothing
    last = pd.concat(tables, axis=1)
    return last.rank(method="min").min(axis=1).tolist(), last.max(axis=1).tolist()


def _section(card, question: Question) -> tuple[Block, ...]:
    said = card.licences[question.key]
    keys = [key for key in card.results if RANKINGS[key] is question]
    result = card.results[keys[-1]]
    grid = _range_grid(card) if question is Q5 else _ranking_grid(card, keys[-1])
    return (
        Heading(str(question)),
        Paragraph(f"{_measure(result)}: {result.basis}.", kind="quiet"),
        grid,
        *_left_out(card.values[keys[-1]], grid),
        Paragraph(said.licensed, "It licenses:", "may"),
        Paragraph(f"“{said.not_licensed}” {said.because}", "It does not license:", "not"),
    )


def _measure(result) -> str:
    """The measure and, in brackets, its formula."""
    name, _, formula = result.measure.partition("  ")
    return f"{name} ({formula})" if formula else name


def _ranking_grid(card, key: str) -> Grid:
    table = table_of(card, key).sort_values("place", kind="stable").head(N_SHOWN)
    value, low, high = alike(table["value"], table["low"], table["high"])
    columns = {"column": table["feature"], "value": value}
    if not card.results[key].is_exact:
        columns["95 % interval"] = [f"{a} to {b}" for a, b in zip(low, high, strict=True)]
    if card.halves and key != Q3.key:
        columns[IN_HALVES] = map(_from_to, table[BEST], table[WORST])
    return _grid(columns)


def _range_grid(card) -> Grid:
    """Question 5: both ends of the range, the columns that every good model needs first."""
    least, most = (table_of(card, key).set_index("feature") for key in (AT_LEAST, AT_MOST))
    places = pd.concat([least["place"], most["place"]], axis=1, keys=["least", "most"])
    names = places.sort_values(["least", "most"], kind="stable").index[:N_SHOWN]
    columns = {
        "column": names,
        "at least": alike(least.loc[names, "value"])[0],
        "at most": alike(most.loc[names, "value"])[0],
    }
    if card.halves:
        columns[f"{IN_HALVES}, by the most"] = map(
            _from_to, most.loc[names, BEST], most.loc[names, WORST]
        )
    return _grid(columns)


def alike(*columns) -> list[list[str]]:
    """Columns of numbers with as many decimals as give the largest of the first three digits.

    >>> alike([0.4994, -0.0043])
    [['0.499', '-0.004']]
    """
    largest = np.abs(columns[0]).max()
    decimals = max(0, 2 - int(np.floor(np.log10(largest)))) if largest > 0 else 0
    rounded = np.round(columns, decimals) + 0.0  # no minus before a zero
    return [[f"{value:,.{decimals}f}" for value in column] for column in rounded]


def _grid(columns: dict) -> Grid:
    return Grid(tuple(columns), tuple(zip(*columns.values(), strict=True)))


def _from_to(best, worst) -> str:
    if pd.isna(best):
        return "not drawn"
    return f"{best:.0f}" if best == worst else f"{best:.0f} to {worst:.0f}"


def _left_out(values: pd.Series, grid: Grid) -> list[Block]:
    rest = values.drop([name for name, *_ in grid.rows])
    zero = f", {(rest == 0).sum()} of them with the value 0" * bool((rest == 0).any())
    more = f"and {how_many(len(rest), 'more column')}{zero}, in to_frame()"
    return [Paragraph(more, kind="quiet")] if len(rest) else []


def _comparison(card) -> list[Block]:
    turned = [pair for pair in card.disagreements if pair.opposite]
    n_pairs = len(card.disagreements)
    if not n_pairs:
        only = "column" if len(card.values) == 1 else "ranking"
        return [Paragraph(f"There is only one {only}, so there is nothing to compare.")]
    if not turned:
        none = f"In none of {n_pairs} pairs of rankings do two columns change places."
        none = f"{ONE_PAIR} no two columns change places." if n_pairs == 1 else none
        return [Paragraph(none + IN_A_HALF * bool(card.halves))]
    where = ONE_PAIR if n_pairs == 1 else f"In {len(turned)} of {n_pairs} pairs of rankings,"
    lead = f"{where} some two columns change places. "
    head = ("rankings", "rank correlation", "moves most", "changes places", "in halves")
    shown = sorted(turned, key=lambda pair: not pair.lasts)[:N_SHOWN]  # those that last come first
    grid = Grid(head, tuple(_pair_row(pair) for pair in shown))
    return [Paragraph(lead + _survival(turned)), grid, *_reservations(card, turned)]


def _survival(turned: list[Disagreement]) -> str:
    drawn = [pair for pair in turned if pair.n_halves]
    if not drawn:
        return "Whether that lasts when rows are drawn again was not tried."
    if len(turned) == 1:
        (pair,) = drawn
        return (
            f"The two that are turned round most clearly change places in {pair.lasting} of "
            f"{pair.n_halves} random halves of the rows."
        )
    n_lasting = sum(pair.lasts for pair in drawn)
    every = "Both" if len(drawn) == 2 else "All"
    these = every if len(drawn) == len(turned) else f"{len(drawn)}"
    again = f"{these} of these {'was' if len(drawn) == 1 else 'were'} looked at again"
    first = ", which come first below," * (0 < n_lasting < len(turned))
    which = f"in {n_lasting} of them{first}" if n_lasting else "in none of them do"
    return (
        f"{again} in random halves of the rows: {which} the two that are turned round most clearly "
        f"change places in more than nine tenths of the halves."
    )


def _pair_row(pair: Disagreement) -> tuple[str, ...]:
    a, b = pair.opposite
    before, after = pair.places
    return (
        f"{IN_SHORT[pair.left]} / {IN_SHORT[pair.right]}",
        "none" if pair.correlation != pair.correlation else f"{pair.correlation:.2f}",
        f"{pair.moved}: {before} / {after}",
        f"{a} above / below {b}",
        f"{pair.lasting} of {pair.n_halves}" if pair.n_halves else "not drawn",
    )


def _reservations(card, turned: list[Disagreement]) -> list[Block]:
    more = len(turned) - N_SHOWN
    rest = [f"The card's disagreements hold {how_many(more, 'more pair')}."] * (more > 0)
    drawn = [FLATTERING] * any(pair.n_halves for pair in turned)
    words = " ".join(["Rank correlation is Kendall's.", OVERLAPPING, *drawn, *rest])
    return [Paragraph(words, kind="quiet")]


def _not_computed(card) -> list[Block]:
    if not card.not_computed:
        return []
    alike: dict[str, list[str]] = {}
    for key, text in card.not_computed.items():
        alike.setdefault(text, []).append(str(BY_KEY[key]))
    why = {"; ".join(questions): text for text, questions in alike.items()}
    return [Heading("What was not computed, and why"), Facts(why)]
