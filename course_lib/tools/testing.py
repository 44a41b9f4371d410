"""`./course test`: style, drift between sources and notebooks, tests, doctests, notebooks."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from course_lib.learner.ways import is_windows
from course_lib.tools.notebooks import ONE_THREAD, clean_environment
from course_lib.tools.oldest import run_there
from course_lib.tools.system import ROOT

PASSES_ON = True
SLOW = "not browser and not build and not container and not hub and not nbgrader and not slow"
CLAIMS = "tests/claims"  # a lesson's sentences, each over seeds, samples and models
PARALLEL = ("-n", "2", "--dist", "loadfile")
LINUX_ONLY = ("tests/grading", "course_lib/grading")  # grading cannot even be imported on Windows


@dataclass(frozen=True)
class Stage:
    """One command of the run; `report` is where pytest counts its tests."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(repr=False)
    report: Path | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course test`."""
    parser.usage = (
        "./course test [--quick] [--oldest] [for pytest, e.g. tests/measures/test_mdi.py -k node]"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="minutes: without browser, containers, hub, nbgrader, new lessons, claims and "
        "notebooks, and with fewer seeds",
    )
    parser.add_argument(
        "--oldest",
        action="store_true",
        help="run with the oldest scikit-learn that pyproject.toml allows",
    )


def run(args: argparse.Namespace) -> int:
    """Run all stages, also after one has failed; 0 if each is well, else 1."""
    if args.oldest:
        return run_there([*(["--quick"] if args.quick else []), *args.passed_on])
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for stage in stages(Path(folder), quick=args.quick, passed_on=args.passed_on):
            print(f"\n=== {stage.name}", flush=True)
            start = time.perf_counter()
            code = subprocess.call(stage.command, cwd=ROOT, env=stage.environment)
            results.append((stage.name, code, counts(stage, code), time.perf_counter() - start))
    return summarize(results)


def stages(folder: Path, *, quick: bool, passed_on: list[str]) -> Iterator[Stage]:
    """What is run, in this order; with arguments for pytest, only pytest."""
    python, environment = [sys.executable, "-m"], one_thread()
    left_out = [*([CLAIMS] if quick else []), *(LINUX_ONLY if is_windows() else [])]
    if quick:
        environment = environment | {"COURSE_QUICK": "1"}  # fewer seeds and examples
    everything = ["tests", "course_lib", "--doctest-modules", *PARALLEL]
    chosen = passed_on or [*everything, *(f"--ignore={folder}" for folder in left_out)]
    report = folder / "tests.xml"
    tests = [*python, "pytest", *chosen, f"--junitxml={report}", *(["-m", SLOW] if quick else [])]
    if passed_on:
        yield Stage("tests", tests, environment, report)
        return
    yield Stage("ruff check", [*python, "ruff", "check", "."], environment)
    yield Stage("ruff format", [*python, "ruff", "format", "--check", "."], environment)
    yield Stage("build --check", [*python, "course_lib", "build", "--check"], environment)
    yield Stage("tests", tests, environment, report)
    if not quick:
        yield from notebooks(folder)


def notebooks(folder: Path) -> Iterator[Stage]:
    """Run lessons and solutions again and compare every output with the stored one."""
    found = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("solutions/*/*.ipynb")]
    report = folder / "notebooks.xml"
    strict = ["--nbval", "--nbval-current-env", "--nbval-sanitize-with=tests/nbval_sanitize.cfg"]
    files = sorted(str(path.relative_to(ROOT)) for path in found)
    command = [sys.executable, "-m", "pytest", *strict, *PARALLEL, f"--junitxml={report}", *files]
    environment = clean_environment(ROOT, folder)
    own = str(Path(sys.prefix, "share", "jupyter"))  # no kernel of the user's home in place of ours
    environment["JUPYTER_PATH"] = os.pathsep.join(filter(None, [own, os.getenv("JUPYTER_PATH")]))
    if files:
        yield Stage("notebooks", command, environment, report)


def one_thread() -> dict[str, str]:
    """The environment of the tests: two processes share the cores, so each has one thread."""
    return os.environ | ONE_THREAD


def counts(stage: Stage, code: int) -> Counter:
    """Passed, failed and skipped: of each test, or of the stage as one check."""
    if stage.report is None:
        return Counter(failed=1) if code else Counter(passed=1)
    try:
        suites = list(ElementTree.parse(stage.report).iter("testsuite"))
    except (OSError, ElementTree.ParseError):  # pytest did not get as far as its report
        return Counter(failed=1)
    number = {key: sum(int(suite.get(key, 0)) for suite in suites) for key in ("tests", "skipped")}
    failed = sum(int(suite.get(key, 0)) for suite in suites for key in ("failures", "errors"))
    passed = number["tests"] - number["skipped"] - failed
    failed = max(failed, int(code != 0))
    return Counter(passed=passed, failed=failed, skipped=number["skipped"])


def summarize(results: list[tuple[str, int, Counter, float]]) -> int:
    """Print one line for each stage and the sum last; 1 if something failed."""
    print("\n=== summary")
    for name, code, count, seconds in results:
        print(f"{'FAILED' if code else 'ok':6}  {name:14} {seconds:6.1f} s   {in_words(count)}")
    print(in_words(sum((count for _, _, count, _ in results), Counter())), flush=True)
    return int(any(code for _, code, _, _ in results))


def in_words(count: Counter) -> str:
    """`12 passed, 0 failed`, and the skipped if there are any."""
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    return f"{count['passed']} passed, {count['failed']} failed{skipped}"
