"""`./course test`: style, drift between sources and notebooks, tests, doctests, notebooks."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from course_lib.learner.ways import is_windows
from course_lib.tools.notebooks import ONE_THREAD, clean_environment
from course_lib.tools.oldest import run_there
from course_lib.tools.system import ROOT, need

PASSES_ON = True
OUTSIDE = "not browser and not build and not container and not hub and not nbgrader"
SLOW_LIST = ROOT / "tests" / "slow.txt"  # tests that take longer, as `--time` measured them
LONG = 0.1  # seconds, of a test's mean over its parameters
CLAIMS = "tests/claims"  # a lesson's sentences, each over seeds, samples and models
PARALLEL = ("--dist", "loadfile", "--no-loadscope-reorder")  # order: tests/conftest.py
COMPUTING, WAITING = ("-n", "2"), ("-n", "4")  # processes: two may wait for what they started
TOOLS = ("jupytext", "nbval", "pytest", "pytest-xdist", "ruff")  # what the stages call
LINUX_ONLY = ("tests/grading", "course_lib/grading")  # grading cannot even be imported on Windows


@dataclass(frozen=True)
class Stage:
    """One command of the run; `report` is where pytest counts its tests.

    One that runs `beside` the next needs one processor only; what it says is shown afterwards.
    """

    name: str
    command: list[str]
    environment: dict[str, str] = field(repr=False)
    report: Path | None = None
    beside: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course test`."""
    parser.usage = (
        "./course test [--quick | --long] [--time] [--oldest] "
        "[for pytest, e.g. tests/measures/test_mdi.py -k node]"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a minute: without browser, containers, hub, nbgrader, new lessons, claims, notebooks "
        "and the tests in tests/slow.txt, and with fewer seeds",
    )
    parser.add_argument(
        "--long",
        action="store_true",
        help="an hour: every slip over 200 seeds, every property with 400 examples, all lessons by "
        "nbgrader and axe-core, the whole class as both kinds of user",
    )
    parser.add_argument(
        "--time",
        action="store_true",
        help=f"two quick runs, one of them with the slow tests as well, to write tests/slow.txt: "
        f"what took longer than {LONG:g} s",
    )
    parser.add_argument(
        "--oldest",
        action="store_true",
        help="run with the oldest scikit-learn that pyproject.toml allows",
    )


def run(args: argparse.Namespace) -> int:
    """Run all stages, also after one has failed; 0 if each is well, else 1."""
    depth = "quick" if args.quick or args.time else "long" if args.long else "full"
    if args.oldest:
        return run_there([*([] if depth == "full" else [f"--{depth}"]), *args.passed_on])
    need(*TOOLS)
    with tempfile.TemporaryDirectory() as folder:
        chosen = {"depth": depth, "passed_on": args.passed_on}
        if args.time:
            return time_tests(Path(folder), chosen)
        return summarize(run_all(stages(Path(folder), **chosen)))


Outcome = tuple[str, int, Counter, float]  # name, exit code, what was counted, seconds


def run_all(wanted: Iterable[Stage]) -> list[Outcome]:
    """Run stages in their order; what one beside another has said is shown when both are done."""
    results, beside = [], []
    with ThreadPoolExecutor() as pool:
        for stage in wanted:
            if stage.beside:
                beside.append(pool.submit(run_beside, stage))
                continue
            latest = run_stage(stage)
            results += [*told(beside), latest]
            beside = []
        return results + told(beside)


def run_stage(stage: Stage) -> Outcome:
    """Run one stage, which says itself what it does."""
    print(f"\n=== {stage.name}", flush=True)
    start = time.perf_counter()
    code = subprocess.call(stage.command, cwd=ROOT, env=stage.environment)
    return stage.name, code, counts(stage, code), time.perf_counter() - start


def run_beside(stage: Stage) -> tuple[Outcome, str]:
    """Run one stage quietly; its outcome and what it said."""
    start = time.perf_counter()
    done = subprocess.run(
        stage.command,
        cwd=ROOT,
        env=stage.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    seconds = time.perf_counter() - start
    return (stage.name, done.returncode, counts(stage, done.returncode), seconds), done.stdout


def told(beside: list[Future]) -> list[Outcome]:
    """Wait for stages that run beside, and show what they said."""
    for (name, *_), said in (each.result() for each in beside):
        print(f"\n=== {name}\n{said}".rstrip(), flush=True)
    return [each.result()[0] for each in beside]


def time_tests(folder: Path, chosen: dict) -> int:
    """Write the list of slow tests, in two runs: with those of the old list, then without them.

    What a slow test has prepared for others, such as a forest, is paid by another one without it.
    """
    slow, results = set(), []
    for with_slow in (True, False):
        *_, stage = stages(folder, **chosen, with_slow=with_slow)
        results.append(run_stage(stage))
        slow |= set(slow_tests(stage.report))
        SLOW_LIST.write_text("\n".join(sorted(slow)) + "\n", encoding="utf-8")
    return summarize(results)


def slow_tests(report: Path) -> list[str]:
    """The tests of a report that take long, without their parameters."""
    seconds = defaultdict(list)
    for case in ElementTree.parse(report).iter("testcase"):
        seconds[name_of(case.get("classname"), case.get("name"))].append(float(case.get("time")))
    return sorted(name for name, times in seconds.items() if sum(times) > LONG * len(times))


def name_of(module: str, test: str) -> str:
    """What a test is called in the list, whatever its parameters are.

    >>> name_of("tests.measures.test_mdi", "test_a_node[gini-3]")
    'tests.measures.test_mdi::test_a_node'
    """
    return f"{module}::{test.partition('[')[0]}"


def stages(folder: Path, *, depth: str, passed_on: list[str], with_slow=False) -> Iterator[Stage]:
    """What is run, in this order; with arguments for pytest, only pytest."""
    quick, marks = depth == "quick", OUTSIDE if with_slow else f"{OUTSIDE} and not slow"
    python, environment = [sys.executable, "-m"], one_thread()
    left_out = [*([CLAIMS] if quick else []), *(LINUX_ONLY if is_windows() else [])]
    environment |= {"COURSE_TESTS": depth}  # how many seeds and examples: tests/depth.py
    processes = COMPUTING if quick else WAITING
    everything = ["tests", "course_lib", "--doctest-modules", *PARALLEL, *processes]
    chosen = passed_on or [*everything, *(f"--ignore={folder}" for folder in left_out)]
    report = folder / "tests.xml"
    tests = [*python, "pytest", *chosen, f"--junitxml={report}", *(["-m", marks] if quick else [])]
    if passed_on:
        yield Stage("tests", tests, environment, report)
        return
    yield Stage("ruff check", [*python, "ruff", "check", "."], environment)
    yield Stage("ruff format", [*python, "ruff", "format", "--check", "."], environment)
    check = [*python, "course_lib", "build", "--check"]
    yield Stage("build --check", check, environment, beside=True)
    if not quick:
        yield from notebooks(folder)
    yield Stage("tests", tests, environment, report)


def notebooks(folder: Path) -> Iterator[Stage]:
    """Run lessons and solutions again and compare every output with the stored one.

    One process is enough: the tests, which run meanwhile, take longer and often wait.
    """
    found = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("solutions/*/*.ipynb")]
    report = folder / "notebooks.xml"
    strict = ["--nbval", "--nbval-current-env", "--nbval-sanitize-with=tests/nbval_sanitize.cfg"]
    files = sorted(str(path.relative_to(ROOT)) for path in found)
    command = [sys.executable, "-m", "pytest", *strict, f"--junitxml={report}", *files]
    environment = clean_environment(ROOT, folder)
    own = str(Path(sys.prefix, "share", "jupyter"))  # no kernel of the user's home in place of ours
    environment["JUPYTER_PATH"] = os.pathsep.join(filter(None, [own, os.getenv("JUPYTER_PATH")]))
    if files:
        yield Stage("notebooks", command, environment, report, beside=True)


def one_thread() -> dict[str, str]:
    """The environment of the tests: two processes share the cores, so each has one thread.

    What Python compiles is kept, whatever the environment says: hundreds of processes are started.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | ONE_THREAD


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


def summarize(results: list[Outcome]) -> int:
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
