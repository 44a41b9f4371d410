"""`./course test`: which stages run, with what, and how their tests are counted."""

import os
import sys
from argparse import Namespace
from unittest.mock import Mock

import conftest

from course_lib.tools import cli, testing

ALL = {"oldest": False, "quick": False, "long": False, "time": False}


def test_all_stages_run_in_order_and_quick_leaves_out_the_slow(tmp_path):
    whole = [stage.name for stage in testing.stages(tmp_path, depth="full", passed_on=[])]
    assert whole == ["ruff check", "ruff format", "build --check", "notebooks", "tests"]
    quick = list(testing.stages(tmp_path, depth="quick", passed_on=[]))
    assert [stage.name for stage in quick] == [name for name in whole if name != "notebooks"]
    (marks,) = (part for part in quick[-1].command if part.startswith("not browser"))
    assert marks == f"{testing.OUTSIDE} and not slow"
    timed = list(testing.stages(tmp_path, depth="quick", passed_on=[], with_slow=True))
    assert testing.OUTSIDE in timed[-1].command


def test_files_that_wait_take_turns_with_files_that_compute_the_longest_first():
    """Neither all processes wait at once, nor do they all wait for one at the end."""
    first, *_, last = (testing.ROOT / name for name in conftest.LONGEST)
    assert all((testing.ROOT / name).exists() for name in conftest.LONGEST)

    def items(path, waits=False):
        marker = Mock(path=path, get_closest_marker=lambda name: waits and name == "browser")
        return [marker] * 2

    other, lab = testing.ROOT / "tests" / "test_a.py", testing.ROOT / "tests" / "test_lab.py"
    found = [*items(other), *items(lab, waits=True), *items(last), *items(first, waits=True)]
    assert conftest.in_turn(found) == [first, last, lab, other]


def test_each_process_of_the_tests_has_one_thread(tmp_path):
    for stage in testing.stages(tmp_path, depth="full", passed_on=[]):
        assert stage.environment["OMP_NUM_THREADS"] == "1"


def test_notebooks_are_compared_strictly(tmp_path, monkeypatch):
    monkeypatch.setattr(testing, "ROOT", tmp_path)
    for place in ("notebooks/01_mdi.ipynb", "solutions/01_mdi/01_mdi.ipynb"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).touch()
    (stage,) = testing.notebooks(tmp_path)
    assert {"--nbval", "--nbval-current-env"} <= set(stage.command)
    assert "--nbval-lax" not in stage.command
    assert stage.command[-2:] == ["notebooks/01_mdi.ipynb", "solutions/01_mdi/01_mdi.ipynb"]
    assert stage.environment["COURSE_BUILD"] == "1"
    assert stage.beside


def test_arguments_go_to_pytest_and_failures_are_counted(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "test_probe.py").write_text(
        "def test_good(): pass\ndef test_bad(): assert 0\ndef test_other(): assert 0\n"
    )
    elsewhere = ["-p", "no:cacheprovider", f"--rootdir={tmp_path}", "-c", os.devnull]
    probe = str(tmp_path / "test_probe.py")
    assert cli.main(["test", probe, *elsewhere, "-k", "good or bad"]) == 1
    assert capfd.readouterr().out.splitlines()[-1] == "1 passed, 1 failed"


def test_a_failed_stage_without_tests_of_its_own_counts_as_one(tmp_path, monkeypatch, capfd):
    failing = [testing.Stage("style", [sys.executable, "-c", "raise SystemExit(3)"], None)]
    crashed = [testing.Stage("tests", [sys.executable, "-c", "1/0"], None, tmp_path / "no.xml")]
    monkeypatch.setattr(testing, "stages", lambda *args, **options: failing + crashed)
    assert testing.run(Namespace(**ALL, passed_on=[])) == 1
    assert capfd.readouterr().out.splitlines()[-1] == "0 passed, 2 failed"


def test_what_runs_beside_the_next_stage_is_told_after_it_and_counts(tmp_path, monkeypatch, capfd):
    """The first waits for what only the second brings about: they do run at the same time."""
    waits = f"""
import pathlib, time
while not pathlib.Path({str(tmp_path / "met")!r}).exists():
    time.sleep(0.01)
print("drift")
raise SystemExit(1)
"""
    meets = f"print('dots'); open({str(tmp_path / 'met')!r}, 'w')"
    wanted = [
        testing.Stage("check", [sys.executable, "-c", waits], None, beside=True),
        testing.Stage("tests", [sys.executable, "-c", meets], None),
    ]
    assert [(name, code) for name, code, *_ in testing.run_all(wanted)] == [
        ("check", 1),
        ("tests", 0),
    ]
    said = capfd.readouterr().out
    assert said.index("dots") < said.index("=== check\ndrift")


def test_the_tests_that_take_long_are_listed_without_their_parameters(tmp_path):
    report = tmp_path / "tests.xml"
    cases = [("test_a[1]", 0.5), ("test_a[2]", 0.01), ("test_b", 0.02), ("test_c", 3)]
    lines = (f'<testcase classname="tests.x" name="{name}" time="{t}"/>' for name, t in cases)
    report.write_text(f"<testsuites><testsuite>{''.join(lines)}</testsuite></testsuites>")
    assert testing.slow_tests(report) == ["tests.x::test_a", "tests.x::test_c"]


def test_what_a_slow_test_has_prepared_for_others_counts_for_the_next(tmp_path, monkeypatch):
    """With the slow ones test_a is the first to want a forest; without them test_b is."""
    times = {True: {"test_a": 3.0, "test_b": 0.01}, False: {"test_b": 3.0, "test_c": 0.01}}

    def one_stage(folder, *, with_slow, **chosen):
        report = tmp_path / f"{with_slow}.xml"
        cases = times[with_slow].items()
        lines = (f'<testcase classname="tests.x" name="{name}" time="{t}"/>' for name, t in cases)
        report.write_text(f"<testsuites><testsuite>{''.join(lines)}</testsuite></testsuites>")
        return [testing.Stage("tests", [sys.executable, "-c", ""], None, report)]

    monkeypatch.setattr(testing, "stages", one_stage)
    monkeypatch.setattr(testing, "SLOW_LIST", tmp_path / "slow.txt")
    assert testing.run(Namespace(**ALL | {"time": True}, passed_on=[])) == 0
    assert (tmp_path / "slow.txt").read_text() == "tests.x::test_a\ntests.x::test_b\n"
