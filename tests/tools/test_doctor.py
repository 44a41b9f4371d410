"""The doctor: what is missing is named with the line that fixes it."""

import re
import sys
from argparse import Namespace

import pytest

from course_lib.tools import doctor
from course_lib.tools.system import ROOT


@pytest.fixture
def healthy(monkeypatch):
    monkeypatch.setattr(doctor, "originals", lambda root: {"01_mdi.ipynb": root})
    monkeypatch.setattr(doctor, "find_chromium", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(doctor, "bubblewrap_trouble", lambda: None)


def test_the_doctor_finds_this_environment_fit_for_work(healthy, capsys):
    assert doctor.run(Namespace()) == 0
    said = capsys.readouterr().out
    assert "MISSING" not in said and "You can work: ./course lab" in said


@pytest.mark.parametrize("gone", ["numpy", "jupyterlab", "shap"])
def test_a_missing_package_of_the_lessons_is_a_failure_with_its_line(
    healthy, monkeypatch, capsys, gone
):
    there = doctor.installed_version
    monkeypatch.setattr(
        doctor, "installed_version", lambda name: None if name == gone else there(name)
    )
    assert doctor.run(Namespace()) == 1
    assert re.search(
        rf"MISSING .* missing: {gone}\n +to fix: \./course lab", capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("find_chromium", lambda: None, "sudo apt install chromium"),
        (
            "bubblewrap_trouble",
            lambda: "bubblewrap is missing. On X: sudo apt install x",
            "install x",
        ),
    ],
)
def test_what_a_learner_can_do_without_is_noted_only(
    healthy, monkeypatch, capsys, name, value, line
):
    monkeypatch.setattr(doctor, name, value)
    assert doctor.run(Namespace()) == 0
    said = capsys.readouterr().out
    assert "optional" in said and line in said


def test_a_version_that_differs_from_the_lock_is_named(healthy, monkeypatch, capsys):
    there = doctor.installed_version
    monkeypatch.setattr(doctor, "installed_version", lambda n: "0.1" if n == "numpy" else there(n))
    doctor.run(Namespace())
    wanted = doctor.pins(ROOT / "requirements.lock")["numpy"]
    assert f"numpy 0.1, not {wanted}" in capsys.readouterr().out


def test_an_old_python_is_a_failure(healthy, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 1, "final", 0))
    assert doctor.python().fix
