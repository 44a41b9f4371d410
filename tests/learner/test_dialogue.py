"""Every path of the dialogue ends in a measure that exists, answers its question and is taught."""

import json
import re
import subprocess
import sys
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import course_lib
from course_lib import lessons
from course_lib.learner import ask
from course_lib.learner.dialogue import START, dialogue_spec
from course_lib.measures import prediction_game
from course_lib.measures.catalogue import CARD, COLUMNS, MEASURES, TURNS
from course_lib.models import linear_coefficients, shapley_values
from course_lib.questions import QUESTIONS
from course_lib.worlds import Categorical, LinearSCM

GAMES = {"shapley_values": shapley_values, "prediction_game": prediction_game}


def paths(turn=START, so_far=()):
    """All ways through the dialogue: the keyword and answer of each turn, and the measure's id."""
    for reply in TURNS[turn].replies:
        way = (*so_far, (TURNS[turn].asks, reply.answer))
        if reply.measure:
            yield way, reply.measure
        else:
            yield from paths(reply.turn, way)


PATHS = dict(paths())
each_path = pytest.mark.parametrize(
    ("way", "end"), PATHS.items(), ids=["-".join(answer for _, answer in way) for way in PATHS]
)
ENDS = MEASURES | {"card": CARD}
each_measure = pytest.mark.parametrize("measure", ENDS.values(), ids=ENDS.keys())


@pytest.fixture(scope="module")
def desk():
    """What a practitioner has at hand, under the names that the calls use."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, size=(60, 3)).astype(float), columns=["a", "b", "c"])
    y = X["a"] + X["b"] + rng.normal(size=60)
    forest = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y)
    booster = GradientBoostingRegressor(n_estimators=3, random_state=0).fit(X, y)
    world = LinearSCM({"b": {"a": 2.0}}, {"a": 1.0, "b": 1.0})
    return {
        **{"X": X, "y": y, "X_test": X[:30], "y_test": y[:30], "x": X.iloc[0], "background": X},
        **{"model": LinearRegression().fit(X, y), "forest": forest, "n_features": 3},
        **{"booster": booster},
        **{"estimator": LinearRegression(), "epsilon": 0.1, "world": world},
        **{"feature": "a", "variable": "b", "source": "c", "cause": "a", "effect": "b"},
        "law": Categorical(X.to_numpy(dtype=int), (X["a"] > 0).to_numpy(dtype=int)),
    }


@each_path
def test_each_path_ends_in_its_measure_by_order_and_by_name(way, end):
    in_order, by_name = ask(*(answer for _, answer in way)), ask(**dict(way))
    assert in_order == by_name
    assert (in_order.measure, in_order.call) == (ENDS[end].name, ENDS[end].call)
    assert (in_order.answers, in_order.assumed) == (dict(way), {})


def test_each_measure_is_at_the_end_of_exactly_one_path():
    assert sorted(PATHS.values()) == sorted(ENDS)


def test_each_turn_is_reached_and_no_keyword_is_asked_twice_on_a_path():
    reached = {reply.turn for turn in TURNS.values() for reply in turn.replies if reply.turn}
    assert reached | {START} == set(TURNS)
    assert all(len(dict(way)) == len(way) for way in PATHS)


@each_measure
def test_what_a_call_uses_is_public_where_it_is_imported_from(measure):
    for path in measure.imports:
        module, _, name = path.rpartition(".")
        assert name in import_module(module).__all__


@each_measure
def test_the_call_works_as_printed_and_its_result_carries_the_question(measure, desk):
    imported = {
        path.rpartition(".")[2]: getattr(import_module(path.rpartition(".")[0]), name)
        for path in measure.imports
        for name in [path.rpartition(".")[2]]
    }
    result = eval(measure.call, desk | imported)  # our own data
    assert getattr(result, "question", measure.question) == measure.question
    assert np.all(np.isfinite(getattr(result, "importances", 0)))


@each_measure
def test_each_measure_is_taught_in_a_lesson_that_uses_its_name(measure):
    assert measure.lesson in lessons.numbers()
    lesson = lessons.load(measure.lesson)
    notebook = lessons.files("course_lib").parent / "notebooks" / f"{lesson.name}.ipynb"
    names = {path.rpartition(".")[2] for path in measure.imports} - {
        "LinearSCM",
        "linear_coefficients",
    }
    assert all(name in notebook.read_text(encoding="utf-8") for name in names)


@pytest.fixture(scope="module")
def mixed():
    """The same desk with a table that has gaps, text, categories, yes or no, and dates."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "size": np.where(rng.random(40) < 0.1, np.nan, rng.normal(size=40)),
            "town": rng.choice(["Gent", "Namur"], 40),
            "grade": pd.Categorical(rng.choice(["low", "high"], 40)),
            "member": rng.random(40) < 0.5,
            "joined": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(40) % 9, unit="D"),
        }
    )
    y = X["size"].fillna(0) + (X["town"] == "Gent")
    estimator = make_pipeline(
        make_column_transformer(
            (SimpleImputer(), make_column_selector(dtype_include="number")),
            (
                OneHotEncoder(handle_unknown="ignore"),
                make_column_selector(dtype_exclude=["number", "datetime"]),
            ),
        ),
        LinearRegression(),
    )
    numbers = X[["size"]].fillna(0.0)
    return {
        **{"X": X, "y": y, "X_test": X[:20], "y_test": y[:20], "x": X.iloc[0], "background": X},
        **{"model": estimator.fit(X, y), "estimator": estimator, "n_features": 5, "epsilon": 0.1},
        **{"feature": "town", "variable": "size", "source": "grade"},
        "forest": RandomForestRegressor(5, random_state=0).fit(numbers, y),
    }


@each_measure
def test_what_is_said_of_ones_own_columns_is_so(measure, mixed):
    """A table of any kind is measured, or refused with a sentence, as the advice says."""
    assert measure.columns in COLUMNS and measure.limits.endswith(".")
    if measure.columns not in ("any", "numbers"):
        return
    imported = {
        path.rpartition(".")[2]: getattr(import_module(path.rpartition(".")[0]), name)
        for path in measure.imports
        for name in [path.rpartition(".")[2]]
    }
    call = measure.call.replace("(model, X, y)", "(model, X, y, **quick)")
    quick = {"quick": {"n_repeats": 2, "n_halves": 0} if measure is CARD else {}}
    if measure.columns == "any":
        result = eval(call, mixed | imported | quick)
        assert np.all(np.isfinite(getattr(result, "importances", 0)))
    else:
        with pytest.raises((TypeError, ValueError)):
            eval(call, mixed | imported | quick)


@each_measure
def test_the_advice_says_what_it_takes_and_leads_to_the_card(measure):
    way = next(way for way, end in PATHS.items() if end == measure.id)
    lines = ask(**dict(way)).lines()
    assert lines["your data"] == f"{COLUMNS[measure.columns]} {measure.limits}"
    assert ("for a report" in lines) == (measure.question is not None)


def test_a_report_is_advised_the_card():
    advice = ask("report")
    assert advice.imports == ("course_lib.studies.importance_card",)
    assert "each of the six questions" in str(advice) and advice.question is None


def test_linear_contributions_are_the_shapley_values_of_the_marginal_game(desk):
    linear, shapley = (
        eval(MEASURES[name].call, desk | {"linear_coefficients": linear_coefficients} | GAMES)
        for name in ("linear", "interventional")
    )
    np.testing.assert_allclose(linear, shapley, atol=1e-12)


def test_every_question_has_a_measure_and_only_an_action_has_no_question():
    assert {measure.question for measure in MEASURES.values()} == {*QUESTIONS, None}
    assert [m.id for m in MEASURES.values() if m.question is None] == ["effect"]
    assert CARD.id not in MEASURES


def test_true_and_false_are_yes_and_no():
    assert ask("class", True) == ask("class", unique=True) == ask("class", "yes")
    assert ask("class", unique=False).measure == MEASURES["class_reliance"].name


def test_a_question_left_open_takes_its_first_reply_and_says_so():
    advice = ask("model")
    assert advice.assumed == {"unique": "no", "how": "shuffle"}
    assert "unique='no'" in str(advice) and "taken for granted" in advice._repr_html_()
    assert "taken for granted" not in str(ask("action"))


@pytest.mark.parametrize("wrong", ["modle", 3, None, ["model"], True])
def test_an_answer_that_is_none_is_told_the_replies(wrong):
    with pytest.raises(ValueError, match="no answer to that.*'model'.*'action'"):
        ask(wrong)


def test_answers_nobody_asked_for_are_refused():
    with pytest.raises(ValueError, match="Nobody asked for unique=True.*to='action'"):
        ask("action", unique=True)
    with pytest.raises(ValueError, match="Nobody asked for 'draw'"):
        ask("class", True, "draw")
    with pytest.raises(ValueError, match="answered twice"):
        ask("model", to="data")


def test_the_advice_shows_all_that_is_needed():
    advice = ask("model", unique=True, how="predict")
    for shown in (str(advice), advice._repr_html_()):
        assert "from course_lib.measures import conditional_model_reliance" in shown
        assert advice.call in shown and "03 Permutation pitfalls" in shown and "Q2" in shown


@each_path
def test_the_page_is_told_the_same_path_and_the_same_advice(way, end):
    spec, turn = dialogue_spec(), START
    for _, answer in way:
        reply = next(r for r in spec["turns"][turn]["replies"] if r["answer"] == answer)
        turn = reply["turn"]
    assert turn is None and reply["measure"] == end
    assert spec["measures"][end] == ask(**dict(way)).lines()


def test_while_notebooks_are_built_a_page_can_bring_it_to_life(monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")
    first, again = ask()._repr_mimebundle_(), ask()._repr_mimebundle_()
    assert first == again and 'data-kind="dialogue"' in first["text/html"]
    described = re.search(r"json\">(.*?)</script>", first["text/html"])[1]
    assert json.loads(described) == json.loads(json.dumps(dialogue_spec()))
    assert "→" in first["text/html"]  # the tree, for readers without a script


def test_without_a_kernel_the_whole_tree_is_there():
    html = ask().html
    named = Markup("<b>{}</b>")
    assert all(named.format(measure.name) in html for measure in MEASURES.values())
    assert html.count("→") == len(PATHS)
    assert len(re.findall("<ul>", html)) == len(re.findall("</ul>", html)) == len(TURNS)


def test_ask_is_found_on_the_package_without_making_it_heavy():
    assert course_lib.ask is ask
    with pytest.raises(AttributeError, match="no attribute 'aks'"):
        course_lib.aks  # noqa: B018
    code = "import sys, course_lib; assert not {'numpy', 'ipywidgets'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
