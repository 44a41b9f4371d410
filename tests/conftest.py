"""What all tests share: markers for tools that may be missing, and a quiet matplotlib."""

import gc
import os
from itertools import zip_longest
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from depth import at_most
from hypothesis import settings

from course_lib.tools.hub.trial import hub_trouble
from course_lib.tools.system import ROOT, bubblewrap, find_chromium
from course_lib.tools.testing import SLOW_LIST, name_of

matplotlib.use("Agg")
settings.register_profile(
    "course", deadline=None, derandomize=True, max_examples=at_most(10, 50, 400)
)
settings.load_profile("course")
AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"


def chromium_trouble() -> str | None:
    """Why no browser can be driven here, with the line that fixes it; None if one can."""
    if find_chromium():
        return None
    return "chromium is missing. On Debian and Ubuntu: sudo apt install chromium"


def bubblewrap_trouble() -> str | None:
    """Why code cannot be run in a container here, with the line that fixes it; None if it can."""
    box = bubblewrap()
    return f"{box.name} {box.found}. To fix: {box.fix}" if box.fix else None


def nbgrader_trouble() -> str | None:
    """Why nbgrader cannot be run, with the line that fixes it; None if it can."""
    try:
        import nbgrader  # noqa: F401
    except ImportError:
        return "nbgrader is missing. It comes with: ./course build"
    return None


def axe_trouble() -> str | None:
    """Why pages cannot be checked by axe-core, with the line that fixes it; None if they can."""
    if AXE.exists():
        return None
    return "axe-core is missing. To fix: npm install --prefix build/axe axe-core"


TROUBLE = {
    "axe": axe_trouble,
    "browser": chromium_trouble,
    "container": bubblewrap_trouble,
    "hub": hub_trouble,
    "nbgrader": nbgrader_trouble,
}
LONGEST = (  # files that take longest, in this order; others keep theirs
    "tests/grading/test_class.py",
    "tests/grading/test_both_users.py",
    "tests/lessons/test_gate_lab.py",
    "tests/tools/test_nbgrader.py",
    "tests/tools/test_new.py",
    "tests/tools/test_hub.py",
    "tests/learner/test_journey.py",
    "tests/lessons/test_answers.py",
    "tests/claims/test_03_permutation_pitfalls.py",
    "tests/lessons/test_lessons.py",
)
SHARED = {"built"}  # fixtures that take long, whichever test is the first to want them
PATIENCE = 30_000  # milliseconds, for what a browser on a busy machine is expected to show
OPTIONAL = {"axe", "hub"}  # skipped even where all is required: they come from npm


def requires_all() -> bool:
    """Whether a missing chromium or bubblewrap is a failure instead of a skipped test."""
    wanted = (os.environ.get(name, "") for name in ("CI", "COURSE_REQUIRE_ALL"))
    return any(value.lower() not in ("", "0", "false") for value in wanted)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Ten thousand tests are no garbage: neither while they are found nor afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def in_turn(items) -> list[Path]:
    """Files that start programs in turn with files that compute, of both the longest first.

    Who waits for a program leaves the processors to who computes, and what takes longest, begun
    last, would keep all other processes waiting for one.
    """
    paths = list(dict.fromkeys(item.path for item in items))
    programs = {item.path for item in items if any(map(item.get_closest_marker, TROUBLE))}
    longest = [ROOT / name for name in LONGEST]
    paths.sort(key=lambda path: longest.index(path) if path in longest else len(longest))
    waiting = [path for path in paths if path in programs]
    computing = [path for path in paths if path not in programs]
    pairs = zip_longest(waiting, computing)
    return [path for pair in pairs for path in pair if path is not None]


def pytest_collection_modifyitems(items):
    """Put the files in their order, and mark the tests that were measured to take long."""
    order = {path: place for place, path in enumerate(in_turn(items))}
    items.sort(key=lambda item: order[item.path])
    slow = set(SLOW_LIST.read_text(encoding="utf-8").split()) if SLOW_LIST.exists() else set()
    for item in items:
        module, _, test = item.nodeid.partition("::")
        name = name_of(module.removesuffix(".py").replace("/", "."), test)
        if name in slow or SHARED & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


def pytest_runtest_setup(item):
    """Skip a test whose tool is missing; fail it where everything is required.

    Models of scikit-learn without a seed of their own draw the same in every run.
    """
    np.random.seed(0)  # noqa: NPY002 (theirs)
    for marker, trouble in TROUBLE.items():
        if item.get_closest_marker(marker) and (reason := trouble()):
            (pytest.fail if requires_all() and marker not in OPTIONAL else pytest.skip)(reason)
    if item.get_closest_marker("browser"):
        from playwright.sync_api import expect

        expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser to drive; for tests marked `browser`."""
    return find_chromium()


@pytest.fixture(scope="session")
def violations():
    """What axe-core finds wrong in a page of a browser; for tests marked `axe`."""

    def found(page, where: str = "html") -> list[str]:
        page.evaluate(AXE.read_text(encoding="utf-8"))
        wrong = page.evaluate("where => axe.run(where)", where)["violations"]
        return [f"{one['id']}: {node['html'][:200]}" for one in wrong for node in one["nodes"]]

    return found
