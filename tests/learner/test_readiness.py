"""The look at the environment: well here, and clear where something is missing."""

from importlib.metadata import PackageNotFoundError

import pytest

from course_lib.learner import conditions, ready
from course_lib.learner.conditions import Condition
from course_lib.learner.readiness import Readiness


@pytest.fixture
def learner(tmp_path, monkeypatch):
    """A learner's workbook."""
    for name in ("COURSE_BUILD", "NBGRADER_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    return tmp_path


def test_here_all_is_well_and_a_learner_sees_the_versions(learner):
    found = ready()
    assert found and str(found).endswith("all is well")
    assert all("ready (" in c.found for c in found.conditions if c.name != "workbook")
    assert str(learner) not in found._repr_html_()


def test_what_is_stored_in_a_built_notebook_names_no_version(monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")
    assert {c.found for c in ready().conditions} == {"ready"}


def test_a_missing_package_is_named_with_what_to_do(learner, monkeypatch):
    def version(name):
        if name == "shap":
            raise PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(conditions, "version", version)
    found = ready()
    assert not found and found.missing == ("shap",)
    assert "not ready: shap; run ./course doctor" in str(found)
    assert "↻ shap: missing" in found._repr_html_()


def test_whether_a_line_is_well_is_not_read_from_its_words():
    named = Readiness((Condition("missing", "ready (too old to be not ready)"),))
    assert named and "↻" not in named._repr_html_()


def test_an_old_python_is_named(learner, monkeypatch):
    monkeypatch.setattr(conditions, "OLDEST", (9, 9))
    assert ready().missing == ("Python",)


def test_a_workbook_that_is_not_there_is_named(learner, monkeypatch):
    monkeypatch.setenv("COURSE_WORKBOOK", str(learner / "nowhere"))
    assert ready().missing == ("workbook",)
