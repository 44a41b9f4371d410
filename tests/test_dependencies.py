"""What is imported is declared, where those who import it get it, and nothing else is declared."""

import ast
import re
import runpy
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from course_lib.tools.cli import MODULES
from course_lib.tools.system import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
GROUPS = runpy.run_path(str(ROOT / "course"))["GROUPS"]  # command -> what it installs besides

WORKSHOP = ("course_lib/tools", "course_lib/grading", "tests")
NOT_HERE = {"sage": "sage-importance"}  # comes with a group that not everybody installs
OPTIONAL = {"distributed"}  # ./course grade --engine dask says what to install
PROGRAMS = {  # run, or found by their name, and imported nowhere
    *("jupyterlab", "ruff", "sphinx", "myst-nb", "furo"),
    *("nbval", "pytest-xdist", "jupyterhub-idle-culler", "nbgitpuller"),
}


def declared(*groups: str) -> set[str]:
    lines = [*PROJECT["dependencies"], *(line for group in groups for line in EXTRAS[group])]
    return {canonicalize_name(Requirement(line).name) for line in lines}


@cache
def imports(path: Path) -> frozenset[str]:
    """Full names of what a file imports, also inside functions."""
    found = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {alias.name for node in found if isinstance(node, ast.Import) for alias in node.names}
    return frozenset(names) | {
        f"{node.module}.{alias.name}"
        for node in found
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@cache
def own_names() -> frozenset[str]:
    """What is imported from this repository: the library, and the helpers among the tests."""
    helpers = {path.stem for path in (ROOT / "tests").rglob("*") if path.name != "__init__.py"}
    return frozenset({"course_lib"} | helpers)


OWNERS = packages_distributions()


def distributions(path: Path) -> dict[str, set[str]]:
    """Each foreign package that a file imports, and the distributions that bring it."""
    packages = {name.partition(".")[0] for name in imports(path)}
    foreign = packages - sys.stdlib_module_names - own_names()
    return {p: set(map(canonicalize_name, OWNERS.get(p, [NOT_HERE.get(p, p)]))) for p in foreign}


def undeclared(paths, known: set[str]) -> set[str]:
    """What files import although no distribution that brings it is among the known ones."""
    return {
        f"{package}, imported in {path.name}"
        for path in paths
        for package, bringing in distributions(path).items()
        if not bringing & known
    }


@cache
def files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def test_a_learner_gets_what_the_library_and_the_lessons_import():
    own = {*files("course_lib", "notebooks/src", "solutions/src")} - {*files(*WORKSHOP)}
    assert own and undeclared(own, declared()) == set()


@cache
def workshop() -> frozenset[Path]:
    return frozenset(files(*WORKSHOP))


def needed_by(module: str, seen: set[Path]) -> set[Path]:
    """The files of the workshop that a module or a package of it needs, its own included."""
    place = Path(*module.split(".")).as_posix()
    for path in {ROOT / f"{place}.py", *files(place)} & workshop() - seen:
        seen.add(path)
        for name in imports(path):
            needed_by(name, seen)
            if name.count(".") > 2:  # what is imported from a module
                needed_by(name.rpartition(".")[0], seen)
    return seen


@pytest.mark.parametrize("command", GROUPS)
def test_a_command_installs_what_it_imports(command):
    known = declared(*GROUPS[command]) | OPTIONAL
    needed = needed_by(f"course_lib.tools.{MODULES.get(command, command)}", set())
    assert needed and undeclared(needed, known) == set()


def test_everything_that_is_imported_anywhere_is_declared():
    assert undeclared(files("course_lib", "tests"), declared(*EXTRAS)) == set()


def test_nothing_is_declared_that_nobody_uses():
    everything = files("course_lib", "tests", "notebooks/src", "solutions/src")
    imported = {name for path in everything for d in distributions(path).values() for name in d}
    assert declared(*EXTRAS) - imported == PROGRAMS


def test_an_undeclared_import_is_noticed_also_inside_a_function(tmp_path):
    probe = tmp_path / "probe.py"
    probe.write_text("def f():\n    from yaml import safe_load")
    assert undeclared([probe], declared()) == {"yaml, imported in probe.py"}
    assert undeclared([probe], declared("tests")) == set()


# ---- pyproject.toml, requirements.lock, environment.yml ----------------------------------

LOCK = [Requirement(line) for line in (ROOT / "requirements.lock").read_text().splitlines()]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
BY_PIP = next(item["pip"] for item in CONDA["dependencies"] if isinstance(item, dict))
ALL = [Requirement(line) for group in [PROJECT["dependencies"], *EXTRAS.values()] for line in group]


def locked(name: str) -> set[str]:
    return {str(line.specifier).removeprefix("==") for line in LOCK if line.name == name}


@pytest.mark.parametrize("wanted", ALL, ids=str)
def test_each_direct_dependency_is_locked_within_its_bounds(wanted):
    assert locked(wanted.name)
    assert all(wanted.specifier.contains(version) for version in locked(wanted.name))


@pytest.mark.parametrize("wanted", ALL, ids=str)
def test_direct_dependencies_are_bounded_from_below_only(wanted):
    assert [bound.operator for bound in wanted.specifier] == [">="]


def test_the_lock_names_one_exact_version_for_each_machine():
    assert all(len(line.specifier) == 1 and "==" in str(line.specifier) for line in LOCK)
    for version in ("3.11.9", "3.12.4", "3.13.1", "3.14.0"):
        for platform, machine in (("linux", "x86_64"), ("darwin", "arm64"), ("win32", "AMD64")):
            here = {"python_full_version": version, "python_version": version[:4]}
            here |= {"sys_platform": platform, "platform_machine": machine}
            here |= {"os_name": "nt" if platform == "win32" else "posix"}
            names = [line.name for line in LOCK if not line.marker or line.marker.evaluate(here)]
            assert len(names) == len(set(names))
            assert {wanted.name for wanted in ALL} <= set(names)


@pytest.mark.parametrize("file", ["requirements.lock", "environment.yml"])
def test_versions_come_without_addresses(file):
    assert not re.search(r"://|@|--index|--find-links", (ROOT / file).read_text(encoding="utf-8"))


def test_conda_gets_exactly_the_direct_dependencies_in_the_locked_versions():
    pins = [Requirement(line) for line in BY_PIP if not line.startswith("-")]
    assert {pin.name for pin in pins} == {Requirement(d).name for d in PROJECT["dependencies"]}
    here = {"python_full_version": "3.11.9", "python_version": "3.11"}
    here |= {"sys_platform": "linux", "platform_machine": "x86_64"}
    for_conda = {
        line.name: str(line.specifier)
        for line in LOCK
        if not line.marker or line.marker.evaluate(here)
    }
    assert {pin.name: str(pin.specifier) for pin in pins} == {
        pin.name: for_conda[pin.name] for pin in pins
    }


def test_whoever_tests_the_course_can_build_the_site():
    assert set(EXTRAS["site"]) <= set(EXTRAS["tests"])


def test_conda_installs_the_course_itself():
    assert "-e ." in BY_PIP
