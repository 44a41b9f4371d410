"""A saved notebook holds what can be shown without a kernel, and loses nothing else."""

import json

from markupsafe import escape

from course_lib.learner import forms
from course_lib.learner.forms import Display
from course_lib.tools.lab import SETTINGS
from course_lib.tools.saving import ASLEEP, KEPT, VIEW, without_live_views


def saved(data: dict, **model) -> dict:
    """What is left of one output when its notebook has been saved."""
    output = {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1}
    cells = [
        {"cell_type": "markdown", "source": "# 1"},
        {"cell_type": "code", "source": "1", "outputs": [output]},
    ]
    without_live_views({"type": "notebook", "content": {"cells": cells}} | model, path="x")
    return output["data"]


def test_a_form_becomes_the_text_that_stands_in_for_it():
    form = Display("<b>Which?</b>", text="Which?")._repr_mimebundle_()
    kept = saved({**form, VIEW: {"model_id": "gone"}})
    words = {"text/plain": "Which?", "text/html": f"<b>Which?</b>{ASLEEP}"}
    assert kept == words | {KEPT: {"model_id": "gone"}}


def test_a_form_that_slept_and_woke_says_only_once_that_it_sleeps():
    data = {"text/html": "<b>Which?</b>", VIEW: {"model_id": "1"}}
    kept = saved(data)
    again = saved({**kept, VIEW: kept.pop(KEPT)})
    assert again["text/html"].count(ASLEEP) == 1


def test_the_extension_of_the_lab_finds_the_view_where_it_is_kept():
    folder = SETTINGS / "labextensions" / "what-do-you-mean-important"
    name = json.loads((folder / "package.json").read_text())["name"]
    assert f"application/vnd.{name}.view+json" == KEPT
    assert VIEW in (folder / "static" / "remoteEntry.js").read_text()


def test_a_saved_form_says_how_to_wake_it_in_the_words_of_a_living_one():
    assert escape(forms.ASLEEP) in ASLEEP


def test_a_widget_without_a_page_of_its_own_keeps_its_words():
    kept = saved({VIEW: {}, "text/plain": ["Goal: x < 3\n", "now 4"]})
    assert kept["text/html"] == f"<p>Goal: x &lt; 3<br>now 4</p>{ASLEEP}"


def test_other_outputs_stay_as_they_are():
    figure = {"image/png": "iVBOR", "text/plain": "<Figure>"}
    assert saved(dict(figure)) == figure


def test_only_notebooks_that_are_saved_with_their_content_are_changed():
    view = {VIEW: {}, "text/plain": "a"}
    assert saved(dict(view), type="file") == view
    without_live_views({"type": "notebook", "content": None}, path="x")
    without_live_views({"type": "directory"}, path="x")
