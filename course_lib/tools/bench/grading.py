"""`./course bench grading`: seconds per submission, beside nbgrader; memory over a large class."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from course_lib.tools.bench.students import NAME, make_class
from course_lib.tools.system import ROOT

WANTED_RATIO, WANTED_SECONDS = 8.0, 0.5


def run(args: argparse.Namespace) -> int:
    """Measure, print, return 0 if the promises hold."""
    figures = {"students": args.students, "cores": os.cpu_count()}
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        make_class(base / "ordinary", args.students)
        figures["ours"] = _ours(base / "ordinary", base / "results")
        figures["again"] = _ours(base / "ordinary", base / "results")
        if args.peer:
            figures["nbgrader"] = _nbgrader(base / "ordinary", base / "nbgrader", args.peer)
        if args.large:
            make_class(base / "large", args.large)
            figures["large"] = _ours(base / "large", base / "large-results")
    _show(figures)
    if args.json:
        Path(args.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0 if _holds(figures) else 1


def _ours(submissions: Path, out: Path) -> dict:
    """Seconds for the whole command, per submission, and memory on the way."""
    words = [sys.executable, "-m", "course_lib", "grade", str(submissions), "--out", str(out)]
    n_students = len(list(submissions.iterdir()))
    start = time.perf_counter()
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL)
    memory = _Memory(process.pid)
    if process.wait():
        raise RuntimeError("./course grade failed; its message is above.")
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "per_submission": seconds / n_students} | memory.figures()


class _Memory(threading.Thread):
    """Samples the memory of a process with its children, without what they share."""

    def __init__(self, pid: int):
        super().__init__(daemon=True)
        self.pid, self.samples = pid, []
        self.start()

    def run(self) -> None:
        import psutil

        try:
            tree = psutil.Process(self.pid)
            while True:
                trusted = [tree, *(c for c in tree.children(recursive=True) if _is_trusted(c))]
                self.samples.append(sum(p.memory_info().rss for p in trusted) / 2**20)
                time.sleep(0.5)
        except psutil.Error:
            pass

    def figures(self) -> dict:
        """Megabytes of the trusted processes: largest in the second and in the last quarter."""
        n = len(self.samples)
        if n < 8:
            return {}
        return {
            "mb_second_quarter": max(self.samples[n // 4 : n // 2]),
            "mb_last_quarter": max(self.samples[3 * n // 4 :]),
        }


def _is_trusted(process) -> bool:
    import psutil

    try:
        return "bwrap" not in process.name() and "forkserver" not in " ".join(process.cmdline())
    except psutil.Error:
        return False


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
    ratio = _ratio(figures)
    return figures["ours"]["per_submission"] < WANTED_SECONDS and (
        ratio is None or ratio >= WANTED_RATIO
    )


def _show(figures: dict) -> None:
    for name, label in (
        ("ours", f"./course grade, {figures['students']} submissions, {figures['cores']} cores"),
        ("again", "the same again, nothing changed"),
        ("nbgrader", "nbgrader autograde, same notebooks"),
        ("large", "./course grade, a large class"),
    ):
        if name in figures:
            f = figures[name]
            line = f"{label:52} {f['seconds']:8.1f} s {f['per_submission']:8.3f} s each"
            if "mb_last_quarter" in f:
                line += f"  {f['mb_second_quarter']:6.0f} -> {f['mb_last_quarter']:.0f} MB"
            print(line)
    if (ratio := _ratio(figures)) is not None:
        print(f"nbgrader takes {ratio:.1f} times as long per submission.")
