"""`./course bench grading`: seconds per submission, of one lesson and of all, beside nbgrader."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from course_lib.tools.bench.students import NAME, lesson_names, make_class, make_mixed_class
from course_lib.tools.system import ROOT

REFUSED = 2
WANTED_RATIO, WANTED_SECONDS = 10.0, 0.25
WANTED_MIXED_SECONDS, WANTED_MIXED_RATIO = 0.35, 1.2
BOX_DEPTH = 4  # command, worker, bubblewrap, first process, fork server; below are students
CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


def run(args: argparse.Namespace) -> int:
    """Measure, print, return 0 if the promises hold."""
    figures = {"students": args.students, "cores": os.cpu_count()}
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        make_class(base / "one", 1)
        figures["start"] = _ours(base / "one", base / "one-results")
        make_class(base / "ordinary", args.students)
        figures["ours"] = _ours(base / "ordinary", base / "results")
        figures["again"] = _ours(base / "ordinary", base / "results")
        if args.peer:
            figures["nbgrader"] = _nbgrader(base / "ordinary", base / "nbgrader", args.peer)
        if args.mixed:
            figures |= _mixed(base, args.mixed)
        for number in args.scale:
            make_class(base / f"scale-{number}", number)
            figures[f"scale {number}"] = _ours(base / f"scale-{number}", base / f"out-{number}")
        if args.dask:
            make_class(base / "cluster", args.students)
            figures["dask"] = _on_cluster(base / "cluster", base / "cluster-results")
    _show(figures)
    if args.json:
        Path(args.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0 if _holds(figures) else 1


def _mixed(base: Path, n_students: int) -> dict:
    """Every lesson by itself, one after the other, and then all of them at once."""
    singly = {"seconds": 0.0, "cpu": 0.0, "submissions": 0}
    for name in lesson_names():
        make_mixed_class(base / name, n_students, [name])
        figures = _ours(base / name, base / f"{name}-results")
        singly = {key: singly[key] + figures[key] for key in singly}
    make_mixed_class(base / "mixed", n_students, lesson_names())
    singly["per_submission"] = singly["seconds"] / singly["submissions"]
    return {"one by one": singly, "mixed": _ours(base / "mixed", base / "mixed-results")}


def _on_cluster(submissions: Path, out: Path) -> dict:
    cluster = subprocess.Popen(
        [sys.executable, "-c", CLUSTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        address = cluster.stdout.readline().strip()
        return _ours(submissions, out, "--engine", "dask", "--scheduler", address)
    finally:
        cluster.stdin.close()
        cluster.wait(timeout=30)


def _ours(submissions: Path, out: Path, *options: str) -> dict:
    """Seconds for the whole command, per submission, on processors, and memory on the way."""
    words = [sys.executable, "-m", "course_lib", "grade", str(submissions), "--out", str(out)]
    number = len(list(submissions.glob("*/*.ipynb")))
    start = time.perf_counter()
    process = subprocess.Popen([*words, *options], cwd=ROOT, stdout=subprocess.DEVNULL)
    sampler = _Sampler(process.pid)
    if process.wait():
        raise SystemExit(REFUSED)  # it has said why
    seconds = time.perf_counter() - start
    figures = {"seconds": seconds, "submissions": number, "per_submission": seconds / number}
    return figures | sampler.figures()


class _Sampler(threading.Thread):
    """Samples memory and processor time of a command with its workers and their boxes."""

    def __init__(self, pid: int):
        super().__init__(daemon=True)
        self.pid, self.memory, self.cpu = pid, [], {}
        self.start()

    def run(self) -> None:
        import psutil

        try:
            command = psutil.Process(self.pid)
            while True:
                memory, waiting = 0, [(command, 0)]
                while waiting:
                    process, depth = waiting.pop()
                    try:
                        memory += process.memory_info().rss if depth < 2 else 0
                        used = process.cpu_times()  # children: those that have ended
                        self.cpu[process.pid] = (
                            sum(used[:4]) if depth == BOX_DEPTH else sum(used[:2])
                        )
                        if depth < BOX_DEPTH:
                            waiting += [(child, depth + 1) for child in process.children()]
                    except psutil.Error:
                        continue
                self.memory.append(memory / 2**20)
                command.status()
                time.sleep(0.2)
        except psutil.Error:
            pass

    def figures(self) -> dict:
        """Seconds on processors, and MB of the trusted ones in the second and last quarter."""
        found, n = {"cpu": sum(self.cpu.values())}, len(self.memory)
        if n >= 8:
            found["mb_second_quarter"] = max(self.memory[n // 4 : n // 2])
            found["mb_last_quarter"] = max(self.memory[3 * n // 4 :])
        return found


def _nbgrader(submissions: Path, course: Path, n_students: int) -> dict:
    """Seconds that nbgrader's autograde takes for the first `n_students` of the same notebooks."""
    from nbgrader.converters import Autograde, GenerateAssignment
    from nbgrader.coursedir import CourseDirectory

    from course_lib.tools.notebooks import nbgrader_config

    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    config = nbgrader_config(course, NAME)
    config.GenerateAssignment.force = True
    source = course / "solutions" / NAME / f"{NAME}.ipynb"
    source.parent.mkdir(parents=True)
    source.write_bytes((ROOT / "solutions" / NAME / f"{NAME}.ipynb").read_bytes())
    GenerateAssignment(coursedir=CourseDirectory(config=config), config=config).start()
    students = sorted(submissions.iterdir())[:n_students]
    for student in students:
        copy = course / "submitted" / student.name / NAME / f"{NAME}.ipynb"
        copy.parent.mkdir(parents=True)
        copy.write_bytes((student / f"{NAME}.ipynb").read_bytes())
    start = time.perf_counter()
    Autograde(coursedir=CourseDirectory(config=config), config=config).start()
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "per_submission": seconds / len(students)}


def _ratio(figures: dict) -> float | None:
    if "nbgrader" not in figures:
        return None
    return figures["nbgrader"]["per_submission"] / figures["ours"]["per_submission"]


def _holds(figures: dict) -> bool:
    ratio, holds = _ratio(figures), figures["ours"]["per_submission"] <= WANTED_SECONDS
    if "mixed" in figures:
        mixed, singly = figures["mixed"], figures["one by one"]
        holds &= mixed["per_submission"] <= WANTED_MIXED_SECONDS
        holds &= mixed["seconds"] <= WANTED_MIXED_RATIO * singly["seconds"]
    return holds and (ratio is None or ratio >= WANTED_RATIO)


def _show(figures: dict) -> None:
    labels = {
        "start": "a single submission: the start",
        "ours": f"lesson 01, {figures['students']} students, {figures['cores']} cores",
        "again": "the same again, nothing changed",
        "nbgrader": "nbgrader autograde, the same notebooks",
        "one by one": "all lessons, one after the other",
        "mixed": "all lessons at once",
        "dask": "lesson 01 on a dask cluster of two workers",
    }
    for name, found in figures.items():
        if isinstance(found, dict):
            label = labels.get(name, name.replace("scale", "lesson 01, students:"))
            line = f"{label:48} {found['seconds']:8.1f} s {found['per_submission']:8.3f} s each"
            if "cpu" in found:
                line += f" {found['cpu'] / found['submissions']:7.3f} s of processors each"
            if "mb_last_quarter" in found:
                line += f"  {found['mb_second_quarter']:6.0f} -> {found['mb_last_quarter']:.0f} MB"
            print(line)
    if (ratio := _ratio(figures)) is not None:
        print(f"nbgrader takes {ratio:.1f} times as long per submission.")
    if "mixed" in figures:
        share = figures["mixed"]["seconds"] / figures["one by one"]["seconds"]
        print(f"All lessons at once take {share:.2f} times as long as one after the other.")
