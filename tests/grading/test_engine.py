"""A batch as a whole: resuming, repeating, refusing, killing; and the walls of the box."""

import csv
import json
import os
import platform
import random
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from course_lib.grading import box, canary, confine, engine
from course_lib.grading.box import BoxError, ForkServer, Limits
from course_lib.grading.wire import ChannelClosedError
from course_lib.tools.bench.students import NAME, Notebook, make_class
from course_lib.tools.system import ROOT

pytestmark = pytest.mark.container


KILLS = int(os.environ.get("COURSE_KILLS", "4"))


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
    kept = tmp_path / "feedback" / "ann" / "notes.tmp"
    remains = [tmp_path / folder / ".a1b2c3.tmp" for folder in ("", "results/ann", "feedback/ann")]
    for path in (kept, *remains):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    engine._remove_remains(tmp_path)
    assert kept.exists() and not any(path.exists() for path in remains)


def test_a_killed_batch_goes_on_and_ends_with_the_same_grades(submissions, undisturbed, tmp_path):
    rng = random.Random(5)
    for _ in range(KILLS):
        process = subprocess.Popen(
            words(submissions, tmp_path, "--seed", 7, "--jobs", 2),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(rng.uniform(1.5, 9.0))
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
    )
    deadline = time.monotonic() + 240
    while not list(tmp_path.glob("results/*/*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
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
    assert not (tmp_path / "evil").exists() and len(grades) == 3
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
        assert gradebook.find_submission(NAME, "student-0001").needs_manual_grade


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--engine", "dask"), "--scheduler"),
        (("--scheduler", "tcp://127.0.0.1:1"), "--engine dask"),
        (("--task-seconds", "0"), "greater than 0"),
        (("--jobs", "0"), "one per core"),
        (("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"), "No dask scheduler answers"),
    ],
)
def test_what_cannot_work_is_refused_with_status_2(submissions, tmp_path, options, words):
    done = grade(submissions, tmp_path, *options)
    assert done.returncode == 2 and words in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


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


# The box


@pytest.fixture(scope="module")
def server():
    server = ForkServer()
    yield server
    server.close()


def ran(server, source: str, *, limits: Limits | None = None, seconds: float = 20.0) -> dict:
    with server.start([], limits or Limits()) as session:
        return session.ask(seconds, do="cell", source=source)


def test_the_canary_finds_no_way_out(server, tmp_path):
    assert canary.escapes(server, Limits(), [tmp_path, ROOT / "solutions"]) == []


def test_the_box_holds_without_the_second_user_that_root_can_give(tmp_path, monkeypatch):
    monkeypatch.setattr(box, "_runs_as_root", lambda: False)
    server = ForkServer()
    try:
        assert canary.escapes(server, Limits(), [tmp_path, ROOT / "solutions"]) == []
        assert ran(server, "import os\nprint(os.getuid())")["output"] == [{"text": "1000\n"}]
    finally:
        server.close()


@pytest.mark.parametrize(
    ("hole", "found"),
    [
        (("--dir", "{}/..", "--bind", "{}", "{}"), "read"),
        (("--share-net",), "connected to this machine"),
        (("--setenv", "SECRET", "1"), "saw the environment"),
    ],
)
def test_the_canary_finds_a_hole_and_the_batch_does_not_start(
    submissions, monkeypatch, hole, found
):
    folder = ROOT / "build" / "canary-test" / "private"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "grades.csv").write_text("secret")
    extra = tuple(word.format(folder) for word in hole)
    original = box.command
    monkeypatch.setattr(box, "command", lambda d, **k: original(d, **k | {"extra": extra}))
    batch = engine.Batch(out=folder / "out", seed=1, private=(str(folder),))
    try:
        with pytest.raises(engine.BatchError, match=found):
            engine.grade(engine_submissions(submissions), batch, n_jobs=1)
        assert not list(folder.glob("out/results/*/*.json"))
        assert [path for path in folder.iterdir() if "canary" in path.name] == []
    finally:
        subprocess.run(["rm", "-r", str(folder.parent)], check=True)


def engine_submissions(folder: Path):
    from course_lib.grading.submissions import find

    return find(folder)[:1]


def test_a_box_that_cannot_be_built_is_an_error_that_says_why(monkeypatch):
    original = box.command
    monkeypatch.setattr(
        box, "command", lambda d, **k: original(d, **k | {"extra": ("--ro-bind", "/nowhere", "/x")})
    )
    with pytest.raises(BoxError, match="nowhere|broke down|started"):
        ForkServer().wait()


def test_a_box_that_ends_before_its_first_message_is_an_error_that_says_why(monkeypatch):
    def gone(*_):
        raise ChannelClosedError("broken pipe")

    monkeypatch.setattr(box, "send", gone)
    with pytest.raises(BoxError, match="could not be started: broken pipe"):
        ForkServer()


def test_the_fork_server_starts_without_environment_and_descriptors(server):
    environment = Path(f"/proc/{server.process.pid}/environ").read_bytes()
    assert environment == b""
    reply = ran(
        server,
        "import os\n"
        "def is_open(d):\n"
        "    try:\n        os.fstat(d)\n        return True\n"
        "    except OSError:\n        return False\n"
        "print([d for d in range(256) if is_open(d)])",
    )
    descriptors = json.loads(reply["output"][0]["text"])
    assert descriptors[:3] == [0, 1, 2] and len(descriptors) <= 5


def test_memory_of_all_processes_together_is_limited(server):
    source = """
import os, time
for _ in range(5):
    if os.fork() == 0:
        block = bytearray(120 * 2**20)
        block[::4096] = b"x" * len(block[::4096])
        time.sleep(60)
time.sleep(60)
"""
    with server.start([], Limits(memory=2**29)) as session:
        start = time.monotonic()
        with pytest.raises(ChannelClosedError):
            session.ask(20, do="cell", source=source)
        assert session.end() == "memory" and time.monotonic() - start < 15


@pytest.mark.parametrize(
    "source",
    [
        "bytearray(8 * 2**30)",
        "open('big', 'wb').write(bytes(80 * 2**20))",
        "open('/usr/x', 'w')",
        "import os; os.setuid(0)",
        "import ctypes; assert ctypes.CDLL(None).unshare(0x10000000) == 0",
        "import ctypes; assert ctypes.CDLL(None).memfd_create(b'x', 0) >= 0",
        "import os; os.kill(1, 9); os.listdir('/proc/1')",
        "[__import__('os').dup(0) for _ in range(1000)]",
    ],
)
def test_what_a_student_may_not_do_fails_there_and_then(server, source):
    assert ran(server, source)["error"]


@pytest.mark.parametrize("call", confine.REFUSED)
def test_a_refused_system_call_fails_with_eperm(server, call):
    import pyseccomp

    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, call)
    source = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall({number}, 0, 0, 0, 0, 0, 0), ctypes.get_errno())
"""
    assert ran(server, source)["output"] == [{"text": "-1 1\n"}]


def test_clone_makes_no_namespaces_and_still_makes_processes(server):
    import pyseccomp

    clone, clone3 = (
        pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in ("clone", "clone3")
    )
    source = f"""
import ctypes, os, threading
libc = ctypes.CDLL(None, use_errno=True)
for flag in {confine.NAMESPACES}:
    print(libc.syscall({clone}, flag | 17, 0, 0, 0, 0), ctypes.get_errno())
print(libc.syscall({clone3}, 0, 0), ctypes.get_errno())
if (child := os.fork()) == 0:
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
thread = threading.Thread(target=print, args=("a thread",))
thread.start()
thread.join()
"""
    refused = "-1 1\n" * len(confine.NAMESPACES)
    assert ran(server, source)["output"] == [{"text": f"{refused}-1 38\n3\na thread\n"}]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 numbers are of x86_64")
def test_the_second_door_to_the_same_calls_ends_the_process(server):
    source = "import ctypes\nctypes.CDLL(None).syscall(0x40000000 | 272, 0x10000000)"
    with pytest.raises(ChannelClosedError):
        ran(server, source)


def test_processes_are_limited(server):
    source = """
import os, time
children = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        children += 1
except OSError:
    pass
print(children)
"""
    with server.start([], Limits(processes=20)) as session:
        try:
            reply = session.ask(20, do="cell", source=source)
            assert int(reply["output"][0]["text"]) <= 24
        except ChannelClosedError:
            assert session.end() == "processes"


def test_one_student_sees_nothing_of_the_one_before(server):
    ran(server, "import numpy\nnumpy.spoiled = 1\nopen('note', 'w').write('x')")
    reply = ran(server, "import numpy, os\nprint(hasattr(numpy, 'spoiled'), os.listdir('.'))")
    assert reply["output"][0]["text"] == "False ['.tmp']\n"
