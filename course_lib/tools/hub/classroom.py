"""A class on a trial hub: all log in at once, wait for each other, then run a lesson at once."""

import json
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError

from course_lib import lessons
from course_lib.tools.hub.student import Student
from course_lib.tools.hub.trial import TrialHub
from course_lib.tools.hub.visitor import Visitor, link_to_pull
from course_lib.tools.workbook import hand_out

HUB = "hub"  # whose processes those are that belong to no user


@dataclass(frozen=True)
class Place:
    """One user of a class: how they come, what they open and what they predict."""

    name: str
    notebook: str
    prediction: str
    guess: object
    confidence: int
    way: str = "HTTP"  # or "browser", or "nbgitpuller", a browser that follows a link


def seating(n_users: int, lesson: str = "01", browsers: int = 0) -> list[Place]:
    """The class: up to two have a browser, neighbours predict differently."""
    if n_users < 1:
        raise ValueError(f"A class has at least one user, got --users {n_users}. Try: --users 10")
    name, first = lessons.load(lesson).name, lessons.load(lesson).predictions[0]
    places = []
    for k in range(n_users):
        way = ("browser", "nbgitpuller")[k] if k < min(browsers, 2) else "HTTP"
        folder = "handout" if way == "nbgitpuller" else "workbook"
        guess = first.options[k % len(first.options)] if first.kind == "choice" else first.typical
        confidence = 51 + k % 49 if way == "HTTP" else 75  # fairly sure, in the form
        notebook = f"{folder}/{name}.ipynb"
        places.append(Place(f"user{k + 1:02}", notebook, first.id, guess, confidence, way))
    return places


def make_repository(course: Path, folder: Path) -> str:
    """A git repository of what students of a course get, as the recipe makes it; its address."""
    hand_out(course, folder)
    me = ["-c", "user.name=Lecturer", "-c", "user.email=lecturer@example.org"]
    for words in (["init", "-b", "main"], ["add", "."], [*me, "commit", "-m", "Hand out"]):
        subprocess.run(["git", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder.as_uri()


class Seat:
    """One user at work: arrives, waits for the others, works.

    Parameters
    ----------
    hub : TrialHub
    place : Place
    repository : str, default=""
        What a user who comes by a link of nbgitpuller pulls.
    """

    def __init__(self, hub: TrialHub, place: Place, repository: str = ""):
        self.hub, self.place, self.repository = hub, place, repository

    def attend(self, gate: threading.Barrier) -> tuple[float, float]:
        """Seconds until the server was ready, and seconds to run the lesson."""
        try:
            return (self._by_http if self.place.way == "HTTP" else self._in_browser)(gate)
        except BaseException:
            gate.abort()
            raise

    def _by_http(self, gate: threading.Barrier) -> tuple[float, float]:
        student, place = Student(self.hub.url, self.place.name), self.place
        student.log_in()
        ready = student.start()
        _wait_twice(gate)
        commit = f"predict({place.prediction!r}, {place.guess!r}, {place.confidence})"
        begin = time.perf_counter()
        student.run(place.notebook, first=f"from course_lib.learner import predict\n{commit}")
        return ready, time.perf_counter() - begin

    def _in_browser(self, gate: threading.Barrier) -> tuple[float, float]:
        place, home = self.place, self.hub.home(self.place.name)
        with Visitor(self.hub.url, place.name, home) as visitor:
            ready = visitor.arrive()
            _wait_twice(gate)
            address = f"/user/{place.name}/lab/tree/{place.notebook}"
            if place.way == "nbgitpuller":
                address = link_to_pull(self.repository, place.notebook)
            visitor.open(address)
            seconds = visitor.run_all()
            visitor.commit(place.prediction, place.guess)
            visitor.save()
        check_ran(home / place.notebook)
        return ready, seconds


def _wait_twice(gate: threading.Barrier) -> None:
    """Until all have arrived, and again until the idle class has been measured."""
    gate.wait()
    gate.wait()


def check_ran(path: Path) -> None:
    """Refuse a saved notebook in which a cell has not been run, or has failed."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    errors = [o["evalue"] for cell in code for o in cell["outputs"] if o["output_type"] == "error"]
    left = sum(not cell["execution_count"] for cell in code)
    if errors or left:
        raise RuntimeError(
            f"{path.name} was not run to the end: {left} cells were left out, errors: {errors}."
        )


def hold(hub: TrialHub, seats: list[Seat]) -> tuple[dict[str, tuple], dict[str, Counter]]:
    """Hold a class.

    Returns
    -------
    results : dict
        Name -> seconds until ready, seconds of work.
    memory : dict of Counter
        Bytes of each user and of the hub: "idle" before the work, "after" it, and "peak".
    """
    gate, memory, peak = threading.Barrier(len(seats) + 1), {}, Counter()
    pool = ThreadPoolExecutor(len(seats))
    try:
        working = {seat.place.name: pool.submit(seat.attend, gate) for seat in seats}
        try:
            gate.wait()
            memory["idle"] = bytes_of(hub)
            gate.wait()
            while not all(future.done() for future in working.values()):
                peak |= bytes_of(hub)  # name by name, the larger of the two
                time.sleep(2)
        except threading.BrokenBarrierError:
            _raise_what_broke(working.values())
        results = {name: future.result() for name, future in working.items()}
    finally:
        gate.abort()  # else those who wait would wait for ever
        pool.shutdown(wait=False, cancel_futures=True)
    memory["after"] = bytes_of(hub)
    return results, memory | {"peak": peak | memory["after"]}


def _raise_what_broke(futures) -> None:
    """Raise the error of the user who could not come, not of those who waited in vain."""
    errors = [future.exception() for future in futures]
    raise next(e for e in errors if not isinstance(e, threading.BrokenBarrierError | None))


def _sum_over_users(hub: TrialHub, amount: Callable) -> Counter:
    """The amounts of the hub's processes, added up for each user."""
    import psutil

    root, sums = psutil.Process(hub.process.pid), Counter()
    for process in [root, *root.children(recursive=True)]:
        try:
            sums[process.environ().get("JUPYTERHUB_USER", HUB)] += amount(process)
        except psutil.Error:  # it has ended meanwhile
            continue
    return sums


def bytes_of(hub: TrialHub) -> Counter:
    """Memory of each user; what processes share is divided among them."""
    return _sum_over_users(hub, lambda process: process.memory_full_info().pss)


def seconds_of_core(hub: TrialHub) -> Counter:
    """Processor time that each user's running processes have used."""
    return _sum_over_users(hub, lambda process: sum(process.cpu_times()[:2]))


def is_own(hub: TrialHub, place: Place, neighbour: Place) -> bool:
    """Whether a user's progress is what they committed, and closed to their neighbour."""
    stored = json.loads(
        (hub.home(place.name) / "workbook" / "progress.json").read_text(encoding="utf-8")
    )
    committed = {"guess": place.guess, "confidence": place.confidence}
    if stored["predictions"] != {place.prediction: committed}:
        return False
    if neighbour == place:
        return True
    visitor = Student(hub.url, neighbour.name)
    visitor.log_in()
    try:
        visitor.call("GET", "api/contents/workbook/progress.json", of=place.name)
    except HTTPError as refused:
        return refused.code in (403, 404)
    return False
