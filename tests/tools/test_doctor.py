"""The doctor: what is missing is named with the line that fixes it."""

import re
import sys
from argparse import Namespace

import pytest

from course_lib.learner import conditions
from course_lib.learner.conditions import Condition
from course_lib.tools import doctor
from course_lib.tools.system import ROOT


@pytest.fixture
def healthy(monkeypatch):
    monkeypatch.setattr(doctor, "originals", lambda root: {"01_mdi.ipynb": root})
    monkeypatch.setattr(doctor, "find_chromium", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(doctor, "bubblewrap", lambda: Condition("bubblewrap", "bwrap"))


def test_the_doctor_finds_this_environment_fit_for_work(healthy, capsys):
    assert doctor.run(Namespace()) == 0
    said = capsys.readouterr().out
    assert "MISSING" not in said and "You can work: ./course lab" in said


@pytest.mark.parametrize("gone", ["numpy", "jupyterlab", "shap"])
def test_a_missing_package_of_the_lessons_is_a_failure_with_its_line(
    healthy, monkeypatch, capsys, gone
):
    there, missing = doctor.package, Condition(gone, "missing", "look")
    monkeypatch.setattr(doctor, "package", lambda name: missing if name == gone else there(name))
    assert doctor.run(Namespace()) == 1
    assert re.search(
        rf"MISSING .* missing: {gone}\n +to fix: \./course lab", capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("find_chromium", lambda: None, "install chromium"),
        ("bubblewrap", lambda: Condition("bubblewrap", "gone", "install x", True), "install x"),
    ],
)
def test_what_a_learner_can_do_without_is_noted_only(
    healthy, monkeypatch, capsys, name, value, line
):
    monkeypatch.setattr(doctor, name, value)
    assert doctor.run(Namespace()) == 0
    said = capsys.readouterr().out
    assert "optional" in said and line in said


@pytest.mark.parametrize("gone", ["jinja2", "sphinx", "nbval"])
def test_what_a_lecturer_lacks_is_installed_by_one_line_beforehand(
    healthy, monkeypatch, capsys, gone
):
    there, missing = doctor.package, Condition(gone, "missing", "look")
    monkeypatch.setattr(doctor, "package", lambda name: missing if name == gone else there(name))
    assert doctor.run(Namespace(install=None)) == 0
    assert re.search(
        rf"missing: {gone}\n +to fix: \./course doctor --install lecturer", capsys.readouterr().out
    )
    assert doctor.run(Namespace(install="lecturer")) == 1
    assert f"Still missing: {gone}. To fix: ./course doctor" in capsys.readouterr().out


def test_whoever_has_installed_beforehand_is_told_what_needs_no_network(healthy, capsys):
    assert doctor.run(Namespace(install="lecturer")) == 0
    assert "no network any more: slides, site, build" in capsys.readouterr().out


def test_a_version_that_differs_from_the_lock_is_named(healthy, monkeypatch, capsys):
    there, old = doctor.package, Condition("numpy", "0.1")
    monkeypatch.setattr(doctor, "package", lambda name: old if name == "numpy" else there(name))
    doctor.run(Namespace())
    wanted = doctor.pins(ROOT / "requirements.lock")["numpy"]
    assert f"numpy 0.1, not {wanted}" in capsys.readouterr().out


def test_in_conda_the_versions_of_the_lock_are_restored_by_name(healthy, monkeypatch, capsys):
    """environment.yml names no package that only others need, so it would change nothing."""
    there, old = doctor.package, Condition("comm", "0.1")
    monkeypatch.setattr(doctor, "package", lambda name: old if name == "comm" else there(name))
    monkeypatch.setenv("CONDA_PREFIX", sys.prefix)
    doctor.run(Namespace())
    line = f"conda run --prefix {sys.prefix} python -m pip install -c {ROOT / 'requirements.lock'}"
    assert f"to fix: {line} comm\n" in capsys.readouterr().out


@pytest.mark.parametrize("other", [(3, 10, 1), (3, 15, 0)])
def test_an_old_or_a_new_python_is_a_failure(healthy, monkeypatch, capsys, other):
    monkeypatch.setattr(conditions.sys, "version_info", other)
    assert doctor.run(Namespace()) == 1
    said = capsys.readouterr().out
    assert "needs 3.11 to 3.14" in said and "to fix: python3.13 ./course lab" in said
