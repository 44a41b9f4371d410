"""Tools that may be missing skip their tests, or fail them where everything is required."""

import sys

import conftest
import pytest

from course_lib.tools import system


class Item:
    """A test with one marker."""

    def __init__(self, marker):
        self.marker = marker

    def get_closest_marker(self, name):
        return name if name == self.marker else None


@pytest.fixture
def bare_machine(monkeypatch):
    monkeypatch.setitem(conftest.TROUBLE, "browser", lambda: "chromium is missing. Install it.")
    monkeypatch.setitem(conftest.TROUBLE, "container", lambda: "bubblewrap is missing.")
    for name in ("CI", "COURSE_REQUIRE_ALL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("marker", ["browser", "container"])
def test_a_missing_tool_skips_its_tests_and_says_why(bare_machine, marker):
    with pytest.raises(pytest.skip.Exception, match="missing"):
        conftest.pytest_runtest_setup(Item(marker))


@pytest.mark.parametrize("marker", ["browser", "container"])
@pytest.mark.parametrize("variable", ["CI", "COURSE_REQUIRE_ALL"])
def test_where_everything_is_required_a_missing_tool_fails(
    bare_machine, monkeypatch, marker, variable
):
    monkeypatch.setenv(variable, "true")
    with pytest.raises(pytest.fail.Exception, match="missing"):
        conftest.pytest_runtest_setup(Item(marker))


def test_a_missing_hub_skips_its_tests_everywhere(bare_machine, monkeypatch):
    monkeypatch.setitem(conftest.TROUBLE, "hub", lambda: "the proxy is missing.")
    monkeypatch.setenv("COURSE_REQUIRE_ALL", "1")
    with pytest.raises(pytest.skip.Exception, match="missing"):
        conftest.pytest_runtest_setup(Item("hub"))


def test_tests_without_a_marker_need_no_tool(bare_machine):
    assert conftest.pytest_runtest_setup(Item(None)) is None


@pytest.mark.parametrize(
    ("value", "meant"), [("", False), ("0", False), ("false", False), ("1", True)]
)
def test_what_counts_as_required(bare_machine, monkeypatch, value, meant):
    monkeypatch.setenv("COURSE_REQUIRE_ALL", value)
    assert conftest.requires_all() is meant


def test_chromium_may_be_named_by_hand(monkeypatch):
    monkeypatch.setenv("COURSE_CHROMIUM", sys.executable)
    assert system.find_chromium() == sys.executable


def test_missing_programs_are_none_or_a_sentence(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("COURSE_CHROMIUM", raising=False)
    monkeypatch.setattr(system, "CHROMIUMS", ("chromium",))
    assert system.find_chromium() is None
    assert system.bubblewrap.__wrapped__().fix == "install the package bubblewrap"
    monkeypatch.setattr(system.shutil, "which", lambda name: name)
    monkeypatch.setattr(system, "find_library", lambda name: None)
    assert "apt install libseccomp2" in system.bubblewrap.__wrapped__().fix
    monkeypatch.setattr(system.sys, "platform", "darwin")
    assert "Linux only" in system.bubblewrap.__wrapped__().found


def test_where_bubblewrap_is_missing_the_machines_own_line_is_named(monkeypatch):
    programs = {"pacman": "/usr/bin/pacman"}
    monkeypatch.setattr(system.shutil, "which", programs.get)
    assert system.bubblewrap.__wrapped__().fix == "sudo pacman -S bubblewrap"
