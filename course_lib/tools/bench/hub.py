"""`./course bench hub`: a class on a real JupyterHub, its memory and its waiting times.

The recipe's hub runs on this machine, with the student edition. All users log in at once, wait for
each other, then run the lesson at once; two of them in a real browser, one of these by a link of
nbgitpuller, the others through the same HTTP and websocket calls that JupyterLab makes. Memory is
the proportional set size (what processes share is divided among them), summed over a user's server
and kernels.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from course_lib.tools.hub.classroom import (
    HUB,
    Seat,
    hold,
    is_own,
    make_repository,
    seating,
    seconds_of_core,
)
from course_lib.tools.hub.trial import TrialHub, hub_trouble
from course_lib.tools.release import make_edition
from course_lib.tools.system import find_chromium

SYSTEM = 1.0  # GB for the operating system and the hub
COLUMNS = ("ready s", "lesson s", "idle MB", "after MB", "peak MB", "core s")


@dataclass(frozen=True)
class Figures:
    """What one user took."""

    name: str
    way: str
    ready: float  # seconds from the click to the server, in a browser to the list of lessons
    run: float  # seconds to run the lesson, while all others do
    idle: float  # megabytes of the server alone
    after: float  # megabytes with the kernel of the lesson
    peak: float
    core: float  # seconds of a core, start and lesson
    own: bool  # their own progress is stored, and their neighbour cannot read it


def run(args: argparse.Namespace) -> int:
    """Hold the class, print the table and the sizing, and say whether all went well."""
    if trouble := hub_trouble():
        print(trouble, file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all blocks are left
    lesson = args.lesson or "01"
    browsers = 2 if lesson == "01" and find_chromium() else 0
    try:
        figures, hub = measure(args.users, lesson, browsers=browsers)
    except BaseException:
        end_children()
        raise
    print(report(figures, hub))
    if args.json:
        content = {"users": [asdict(user) for user in figures], "hub": hub}
        Path(args.json).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0 if all(user.own for user in figures) else 1


def measure(n_users: int, lesson: str = "01", *, browsers: int = 2) -> tuple[list[Figures], dict]:
    """Figures of each user of a class, and those of the hub.

    Parameters
    ----------
    n_users : int
    lesson : str, default="01"
    browsers : int, default=2
        How many of the users have a browser, at most two; their clicks know lesson 01 only.
    """
    places = seating(n_users, lesson, browsers)
    folder = tempfile.TemporaryDirectory(prefix="course-hub-", ignore_cleanup_errors=True)
    with folder as base, TrialHub(Path(base) / "hub", make_edition(Path(base) / "course")) as hub:
        repository = make_repository(hub.course, Path(base) / "handout")
        results, memory = hold(hub, [Seat(hub, place, repository) for place in places])
        core = seconds_of_core(hub)
        own = [is_own(hub, place, places[k - 1]) for k, place in enumerate(places)]
    stages = [{stage: sums[p.name] / 2**20 for stage, sums in memory.items()} for p in places]
    figures = [
        Figures(p.name, p.way, *results[p.name], **megabytes, core=core[p.name], own=mine)
        for p, megabytes, mine in zip(places, stages, own, strict=True)
    ]
    hub_megabytes = memory["peak"][HUB] / 2**20
    return figures, {"megabytes": hub_megabytes, "cores": os.cpu_count(), "lesson": lesson}


def end_children() -> None:
    """End what is still running of what we started: browsers that wait for a hub that has gone."""
    import psutil

    children = psutil.Process().children(recursive=True)
    for child in children:
        with suppress(psutil.NoSuchProcess):
            child.kill()
    psutil.wait_procs(children, timeout=10)


def report(figures: list[Figures], hub: dict) -> str:
    """The table of the class and what a machine for a larger one needs."""
    lines = [
        f"Lesson {hub['lesson']}, {len(figures)} users at once, {hub['cores']} cores",
        f"{'user':8} {'way':12}" + "".join(f"{column:>10}" for column in COLUMNS) + "  own",
    ]
    for user in figures:
        seconds = f"{user.ready:10.1f}{user.run:10.1f}"
        megabytes = f"{user.idle:10.0f}{user.after:10.0f}{user.peak:10.0f}"
        own = "yes" if user.own else "NO"
        lines.append(f"{user.name:8} {user.way:12}{seconds}{megabytes}{user.core:10.1f}  {own}")
    total = sum(user.peak for user in figures) + hub["megabytes"]
    lines.append(f"Hub and proxy: {hub['megabytes']:.0f} MB. All together: {total:.0f} MB.")
    return "\n".join([*lines, sizing(figures)])


def sizing(figures: list[Figures]) -> str:
    """How much memory and how many cores a class needs, in two sentences."""
    each = max(user.peak for user in figures) / 1024
    core = max(user.core for user in figures)
    needs = ", ".join(f"{n} students {SYSTEM + n * each:.0f} GB" for n in (20, 100))
    return (
        f"Memory: {SYSTEM:.0f} GB for the system and the hub, and {each:.2f} GB per user with one "
        f"open lesson: {needs}.\n"
        f"Cores: starting and running once takes {core:.0f} s of a core; n students who do so at "
        f"the same moment on c cores wait about {core:.0f} n/c s."
    )
