"""A batch as a whole: resuming, repeating, refusing, killing."""

import csv
import json
import os
import random
import runpy
import signal
import subprocess
import sys
import time
import tomllib
import zipfile
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from depth import at_most

from course_lib import lessons
from course_lib.files import TEMPORARY
from course_lib.grading import drawing, engine, workers
from course_lib.grading.records import Note
from course_lib.tools.bench.students import NAME, Notebook, make_class
from course_lib.tools.system import ROOT

pytestmark = pytest.mark.container


KILLS = int(os.environ.get("COURSE_KILLS", at_most(3, 3, 9)))
WHEN = (0, 2, 6)  # so many of six are graded: while it starts, in the middle, while pages are made


def words(submissions, out, *options) -> list[str]:
    start = [sys.executable, "-m", "course_lib", "grade", str(submissions), "--out", str(out)]
    return start + [str(option) for option in options]


def grade(submissions, out, *options, **environment):
    return subprocess.run(
        words(submissions, out, *options),
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=300,
    )


def contents(out: Path) -> dict[str, bytes]:
    """All files of a folder of results, byte by byte."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def submissions(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("ordinary")
    make_class(folder, 6)
    return folder


@pytest.fixture(scope="module")
def undisturbed(submissions, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed")
    done = grade(submissions, out, "--seed", 7, "--jobs", 2)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(autouse=True)
def steady_library(monkeypatch):
    """Within one process, results depend on the library as it was when the tests began."""
    monkeypatch.setattr(engine, "lesson_digest", lambda lesson, released: "steady")


# A batch


def test_regrading_gives_the_same_bytes(submissions, undisturbed, tmp_path):
    assert grade(submissions, tmp_path, "--seed", 7, "--jobs", 1).returncode == 0
    assert contents(tmp_path) == contents(undisturbed)


def test_a_rerun_rewrites_nothing_and_is_much_faster(submissions, undisturbed):
    before = {path: path.stat().st_mtime_ns for path in undisturbed.rglob("*") if path.is_file()}
    done = grade(submissions, undisturbed)
    assert "Graded 0, kept 6" in done.stdout, "the stored seed is used again"
    after = {path: path.stat().st_mtime_ns for path in undisturbed.rglob("*") if path.is_file()}
    assert after == before


def test_half_written_files_of_a_killed_run_are_removed_and_nothing_else(tmp_path):
    kept = [tmp_path / "feedback" / "ann" / name for name in ("notes.tmp", ".notes.tmp")]
    folders = ("", "results/ann", "feedback/ann")
    remains = [tmp_path / folder / f"{TEMPORARY}a1b2c3.tmp" for folder in folders]
    for path in (*kept, *remains):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    engine._remove_remains(tmp_path)
    assert all(path.exists() for path in kept) and not any(path.exists() for path in remains)


def wait_for(process, out: Path, number: int) -> None:
    """Wait until so many are graded, for as long as it takes on a busy machine."""
    deadline = time.monotonic() + 240
    while len(list(out.glob("results/*/*.json"))) < number and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_killed_batch_goes_on_and_ends_with_the_same_grades(submissions, undisturbed, tmp_path):
    rng = random.Random(5)
    for k in range(KILLS):
        process = subprocess.Popen(
            words(submissions, tmp_path, "--seed", 7, "--jobs", 2),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_for(process, tmp_path, number := WHEN[k % len(WHEN)])
        time.sleep(rng.uniform(0.0, 1.0 if number else 4.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for path in (tmp_path / "results").glob("*/*.json"):
            assert json.loads(path.read_text(encoding="utf-8"))["key"]
    assert grade(submissions, tmp_path, "--seed", 7, "--jobs", 2).returncode == 0
    assert contents(tmp_path) == contents(undisturbed)


def test_an_interrupt_ends_cleanly_and_keeps_what_is_done(submissions, tmp_path):
    process = subprocess.Popen(
        words(submissions, tmp_path, "--seed", 7, "--jobs", 1),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in background
    )
    wait_for(process, tmp_path, 1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "the same command goes on" in errors and "Traceback" not in errors
    assert 0 < len(list(tmp_path.glob("results/*/*.json"))) < 6


def test_every_solution_of_the_course_earns_all_points_without_a_note(tmp_path):
    names = sorted(path.name for path in (ROOT / "exercises").iterdir() if path.is_dir())
    for name in names:
        path = tmp_path / "in" / "teacher" / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((ROOT / "solutions" / name / f"{name}.ipynb").read_bytes())
    assert grade(tmp_path / "in", tmp_path / "out", "--jobs", 2).returncode == 0
    with open(tmp_path / "out" / "grades.csv", newline="") as file:
        grades = list(csv.DictReader(file))
    assert [row["lesson"] for row in grades] == names
    assert [r for r in grades if r["points"] != r["max_points"] or r["notes"]] == []


def test_other_seeds_are_secret_and_kept_with_the_results(submissions, tmp_path):
    one = engine.secret_seed(tmp_path / "a", None)
    assert (
        one == engine.secret_seed(tmp_path / "a", None) != engine.secret_seed(tmp_path / "b", None)
    )
    assert engine.secret_seed(tmp_path / "a", 5) == 5
    (tmp_path / "a" / "seed.json").write_text("{")
    with pytest.raises(engine.BatchError, match="--seed"):
        engine.secret_seed(tmp_path / "a", None)


def test_an_archive_and_a_filled_sheet_and_a_gradebook(submissions, tmp_path):
    path = tmp_path / "class.zip"
    names = ["student-0000", "student-0001"]
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.write(submissions / name / f"{NAME}.ipynb", f"{name}/{NAME}.ipynb")
        empty = Notebook.solved()
        empty.cells[empty.index("written-01-w")]["source"] = "*Write your answer here.*"
        archive.writestr(f"empty/{NAME}.ipynb", empty.to_bytes())
        archive.writestr(f"../evil/{NAME}.ipynb", b"x")
    before = path.read_bytes()
    out, url = tmp_path / "out", f"sqlite:///{tmp_path / 'gradebook.db'}"
    assert grade(path, out, "--jobs", 1).returncode == 0
    sheet = (out / "written.csv").read_text(encoding="utf-8")
    filled = sheet.replace("student-0000,01_mdi,01.w,,5,,", "student-0000,01_mdi,01.w,4,5,good,")
    (out / "written.csv").write_text(filled, encoding="utf-8")
    done = grade(path, out, "--jobs", 1, "--gradebook", url)
    assert done.returncode == 0, done.stderr
    with open(out / "grades.csv", newline="") as file:
        grades = {row["student"]: row for row in csv.DictReader(file)}
    assert grades["student-0000"]["written_points"] == "4"
    assert grades["student-0001"]["written_points"] == ""
    assert "good" in (out / "feedback" / "student-0000" / f"{NAME}.html").read_text()
    assert not (tmp_path / "evil").exists() and len(grades) == 4
    assert path.read_bytes() == before
    _check_gradebook(url, grades)


def _check_gradebook(url: str, grades: dict) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(url) as gradebook:
        for student in ("student-0000", "student-0001"):
            stored = gradebook.find_submission(NAME, student)
            written = float(grades[student]["written_points"] or 0)
            assert stored.score == int(grades[student]["points"]) + written
            assert stored.max_score == 20
        assert not gradebook.find_submission(NAME, "student-0000").needs_manual_grade
        for student in ("student-0001", "empty"):
            assert gradebook.find_submission(NAME, student).needs_manual_grade, student


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--engine", "dask"), "--scheduler"),
        (("--scheduler", "tcp://127.0.0.1:1"), "--engine dask"),
        (("--task-seconds", "0"), "greater than 0"),
        (("--jobs", "0"), "one per core"),
        (("--seed", "abc"), "a whole number from 0 on, not 'abc'"),
        (("--gradebook", "gradebook.db"), "sqlite:///gradebook.db"),
        (("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"), "No dask scheduler answers"),
    ],
)
def test_what_cannot_work_is_refused_with_status_2(submissions, tmp_path, options, words):
    done = grade(submissions, tmp_path, *options)
    assert done.returncode == 2 and words in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_forgetting_one_student_keeps_the_rule_by_which_the_others_were_graded(
    submissions, tmp_path
):
    """Without --attempts best it took everybody's last attempt in place of the best."""
    (tmp_path / "attempts").mkdir()
    done = grade(submissions, tmp_path, "--forget", "student-0000")
    assert done.returncode == 2 and "--attempts best" in done.stderr, done.stderr


def test_a_cluster_without_its_package_is_told_what_installs_it(monkeypatch):
    """What was named installed all that `grade` needs, and this not: it belongs to the tests."""
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(engine.BatchError, match=r"\./course doctor --install lecturer"):
        engine._on_cluster("tcp://127.0.0.1:9")
    groups = runpy.run_path(str(ROOT / "course"))["INSTALLS"]["lecturer"]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [line for group in groups for line in extras["optional-dependencies"][group]]
    assert any(line.startswith("distributed>") for line in declared)


def test_without_bubblewrap_only_on_request_and_every_result_says_so(submissions, tmp_path):
    one = tmp_path / "in"
    (one / "ada").mkdir(parents=True)
    (one / "ada" / f"{NAME}.ipynb").write_bytes(Notebook.solved().to_bytes())
    nowhere = tmp_path / "bin"
    nowhere.mkdir()
    refused = grade(one, tmp_path / "out", PATH=str(nowhere))
    assert refused.returncode == 2 and "bubblewrap" in refused.stderr
    assert not (tmp_path / "out" / "grades.csv").exists()
    done = grade(one, tmp_path / "out", "--uncontained", "--jobs", 1, PATH=str(nowhere))
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out" / "results" / "ada" / f"{NAME}.json").read_text())
    assert result["contained"] is False and result["points"] == 15
    assert ",false," in (tmp_path / "out" / "grades.csv").read_text()
    assert "without containment" in (tmp_path / "out" / "class.html").read_text()


def test_a_cluster_gives_the_same_results(submissions, undisturbed, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        done = grade(
            *(submissions, tmp_path, "--seed", 7),
            *("--engine", "dask", "--scheduler", cluster.scheduler_address),
        )
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path) == contents(undisturbed)


# One submission's trouble


def test_one_notebook_that_cannot_be_stored_stops_nobody(tmp_path, monkeypatch):
    """Whatever comes out, the others have their results, and this one a note."""
    folder = tmp_path / "in"
    make_class(folder, 2)
    original = engine.to_json
    monkeypatch.setattr(
        engine,
        "to_json",
        lambda result: original(
            replace(result, notes=(Note("\ud800"),))
            if result.student.endswith("0000") and result.key
            else result
        ),
    )
    batch = engine.Batch(out=tmp_path / "out", seed=1)
    from course_lib.grading.submissions import find

    assert engine.grade(find(folder), batch, n_jobs=1) == 2
    bad, good = (engine.load_result(batch.out, f"student-000{k}", NAME) for k in (0, 1))
    assert "broke down" in bad.notes[0].text and bad.key == "" and good.key


def test_a_damaged_entry_of_an_archive_is_a_note(tmp_path):
    path = tmp_path / "class.zip"
    content = Notebook.solved().to_bytes()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"ada/{NAME}.ipynb", content)
        archive.writestr(f"bob/{NAME}.ipynb", content)
    damaged = bytearray(path.read_bytes())
    start = damaged.index(b"ada/") + 40
    damaged[start : start + 60] = bytes(60)
    path.write_bytes(damaged)
    done = grade(path, tmp_path / "out", "--jobs", 1)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    with open(tmp_path / "out" / "grades.csv", newline="") as file:
        grades = {row["student"]: row for row in csv.DictReader(file)}
    assert grades["bob"]["points"] == "15"
    assert grades["ada"]["points"] == "0" and "cannot be read" in grades["ada"]["notes"]


def kill_or_answer(job):
    """A job that ends its process, or gives itself back."""
    if job == "kills":
        os.kill(os.getpid(), signal.SIGKILL)
    return job


def test_a_worker_that_is_killed_takes_only_its_own_job_along(monkeypatch):
    work = f"{Path(__file__).stem}:kill_or_answer"
    here = Path(__file__).parent
    monkeypatch.syspath_prepend(here)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (here, here.parent))))
    jobs = ["a", "kills", "b", "c", "kills", "d"]
    done = list(workers.do_all(work, iter(jobs), 2))
    assert sorted(job for job, _ in done) == sorted(jobs)
    lost = [job for job, answer in done if isinstance(answer, workers.LostError)]
    assert lost == ["kills", "kills"]
    assert sorted(a for _, a in done if isinstance(a, str)) == ["a", "b", "c", "d"]


def test_a_preparation_that_fails_is_left_to_the_first_job(monkeypatch):
    def fails(job):
        raise OSError("no more processes")

    monkeypatch.setattr(engine, "_server", fails)
    assert engine.work(engine.Preparation(engine.Limits(), True, ())) is None


def test_a_job_that_kills_its_worker_twice_is_a_note_and_once_is_nothing(tmp_path, monkeypatch):
    folder = tmp_path / "in"
    make_class(folder, 3)
    from course_lib.grading.submissions import find

    def do_all(work, jobs, number, preparation):
        for job in jobs:
            fails = job.student == "student-0000" or (
                job.student == "student-0001" and not job.alone
            )
            yield job, workers.LostError("status -9") if fails else engine.work(job)

    monkeypatch.setattr(engine, "do_all", do_all)
    batch = engine.Batch(out=tmp_path / "out", seed=1)
    assert engine.grade(find(folder), batch, n_jobs=2) == 3
    engine._close_server()
    results = [engine.load_result(batch.out, f"student-000{k}", NAME) for k in range(3)]
    assert [bool(result.key) for result in results] == [False, True, True]
    assert "LostError" in results[0].notes[0].text


def test_a_killed_run_leaves_no_process_behind(submissions, tmp_path):
    process = subprocess.Popen(
        words(submissions, tmp_path, "--seed", 7, "--jobs", 2),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for(process, tmp_path, 1)
    family = psutil.Process(process.pid).children(recursive=True)
    assert len(family) >= 4
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []


# Secrets


def test_every_attempt_has_cases_of_its_own_and_the_same_again(submissions):
    exercise = lessons.exercise("01.2")
    seeds = [drawing.seed_from(7, b"01_mdi", content) for content in (b"a", b"b", b"a")]
    cases = [drawing.draw(exercise, seed).key.cases for seed in seeds]
    assert cases[0] == cases[2] != cases[1]
    assert drawing.seed_from(8, b"01_mdi", b"a") != seeds[0]


@pytest.mark.parametrize("name", ["01.1", "02.6", "09.6"])
def test_every_draw_tells_all_slips_and_any_constant_from_the_right_answer(name):
    exercise = lessons.exercise(name)
    wanted = {slip.name for slip in exercise.slips} | {"a constant"}
    for seed in range(25):
        assert wanted <= drawing.draw(exercise, seed).key.told_apart


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o000])
def test_the_seed_is_private_whatever_the_mask(tmp_path, mask):
    before = os.umask(mask)
    try:
        engine.secret_seed(tmp_path, 5)
    finally:
        os.umask(before)
    assert (tmp_path / "seed.json").stat().st_mode & 0o777 == 0o600
