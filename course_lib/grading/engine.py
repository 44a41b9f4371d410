"""A whole class: what is already graded is skipped, the rest runs in parallel, resumably."""

import atexit
import hashlib
import json
import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path

from course_lib.files import TEMPORARY, write_atomically
from course_lib.grading.box import LIBRARY, MODULES, BoxError, ForkServer, Limits
from course_lib.grading.canary import escapes
from course_lib.grading.dependencies import digest, released_imports
from course_lib.grading.drawing import public_draw, seed_from
from course_lib.grading.limited import Helper, LimitError, processor_time
from course_lib.grading.marking import empty_result, mark
from course_lib.grading.notebook import Released
from course_lib.grading.preloading import preload
from course_lib.grading.records import (
    DIED,
    FORMAT,
    TIMEOUT,
    Note,
    Result,
    from_json,
    to_json,
)
from course_lib.grading.submissions import Submission
from course_lib.grading.workers import LostError, do_all
from course_lib.learner.ways import call
from course_lib.lessons.editions import GUARDED
from course_lib.lessons.values import clean

READ_SECONDS, READ_CPU, READ_MEMORY = 300.0, 20.0, 2 * 2**30  # to read one submission
WORK = "course_lib.grading.engine:work"
COMPUTING = {"numpy", "pandas", "scipy", "sklearn", "joblib", "threadpoolctl", "matplotlib"}
KNOWS_ANSWERS = tuple(f"course_lib.{package}" for package in GUARDED)


class BatchError(RuntimeError):
    """The batch cannot be run; the message says why and what to do."""


@dataclass(frozen=True)
class Batch:
    """What all submissions of a run have in common."""

    out: Path
    seed: int
    limits: Limits = field(default_factory=Limits)
    contained: bool = True
    private: tuple[str, ...] = ()  # folders that nobody in the box may see
    exercises: Path = LIBRARY.parent / "exercises"

    def released_notebook(self, submission: Submission) -> bytes:
        """The exercise of a submission as it was handed out."""
        path = self.exercises / submission.name / f"{submission.name}.ipynb"
        try:
            return path.read_bytes()
        except OSError:
            raise BatchError(
                f"The exercise {submission.name} is not in {self.exercises}. Build it first: "
                f"./course build {submission.lesson}"
            ) from None


def make_private(out: Path) -> None:
    """Make the folder of results; from now on nobody else can read what this process writes."""
    os.umask(0o077)
    out.mkdir(parents=True, exist_ok=True)
    out.chmod(0o700)


def secret_seed(out: Path, given: int | None) -> int:
    """The seed of this folder of results: the given one, the stored one, or a new secret one."""
    path = out / "seed.json"
    if given is None and path.exists():
        try:
            return int(json.loads(path.read_text(encoding="utf-8"))["seed"])
        except (ValueError, KeyError, TypeError):
            raise BatchError(f"{path} is damaged. Delete it, or give --seed.") from None
    seed = secrets.randbits(63) if given is None else given
    write_atomically(path, json.dumps({"seed": seed}) + "\n", mode=0o600)
    return seed


def result_file(out: Path, student: str, name: str) -> Path:
    """Where the result of a submission is."""
    return out / "results" / student / f"{name}.json"


def load_result(out: Path, student: str, name: str) -> Result | None:
    """A stored result, or None if there is none that is whole and in the present format."""
    try:
        return from_json(result_file(out, student, name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


# What has to be done


@cache
def lesson_digest(lesson: str, released: bytes) -> str:
    """Hash of what the marks of a lesson depend on beside the submission, once per process."""
    return digest(lesson, released)


@dataclass(frozen=True)
class Job:
    """Everything that grading one submission needs, wherever it is done."""

    student: str
    lesson: str
    name: str
    content: bytes | None
    files: dict[str, bytes]
    notes: list[str]
    released: bytes
    seed: int
    limits: Limits
    contained: bool
    private: tuple[str, ...]
    key: str = ""
    late: bool | None = None
    alone: bool = False  # nobody else is graded on this machine meanwhile

    @property
    def own_seed(self) -> int:
        """From the secret and from what was handed in: every attempt has cases of its own.

        So has the second run of one that was stopped.
        """
        parts = (part for item in sorted(self.files.items()) for part in item)
        encoded = (
            p.encode("utf-8", "backslashreplace") if isinstance(p, str) else p for p in parts
        )
        again = (b"again",) if self.alone else ()
        return seed_from(self.seed, self.name.encode(), self.content or b"", *encoded, *again)


def _as_bytes(part: str | bytes) -> bytes:
    return part.encode("utf-8", "backslashreplace") if isinstance(part, str) else part


@dataclass(frozen=True)
class Preparation:
    """What a worker needs to know of the jobs to come, to build and try its box."""

    limits: Limits
    contained: bool
    private: tuple[str, ...]


def _key(job: Job) -> str:
    """Equal for equal submissions, exercises, libraries, seeds and limits."""
    total = hashlib.sha256()
    for part in (
        repr((FORMAT, job.name, job.seed, job.contained, job.notes, job.late)),
        json.dumps(asdict(job.limits), sort_keys=True),
        lesson_digest(job.lesson, job.released),
        job.released,
        b"nothing" if job.content is None else job.content,
        *(part for item in sorted(job.files.items()) for part in item),
    ):
        total.update(hashlib.sha256(_as_bytes(part)).digest())
    return total.hexdigest()


def _job(submission: Submission, batch: Batch, read: Callable) -> Job:
    try:
        content, files, notes = read(submission, batch.limits.notebook)
    except Exception as error:  # whatever it is, it is this submission's
        why = str(error) if isinstance(error, LimitError) else type(error).__name__
        content, files, notes = None, {}, [f"The submission cannot be read ({why})"]
    job = Job(
        student=submission.student,
        lesson=submission.lesson,
        name=submission.name,
        content=content,
        files=files,
        notes=notes,
        late=submission.late,
        released=batch.released_notebook(submission),
        seed=batch.seed,
        limits=batch.limits,
        contained=batch.contained,
        private=batch.private,
    )
    return replace(job, key=_key(job))


def _read(submission: Submission, limit: int) -> tuple[bytes | None, dict[str, bytes], list[str]]:
    """What was handed in, and notes; for a process with limits, since it may be an archive."""
    with processor_time(READ_CPU) as is_over:
        content, notes = submission.read(limit)
        if content is None:
            return None, {}, notes
        files, more = submission.files(is_over)
        return content, files, notes + more


def _reader() -> Helper:
    return Helper(_read, seconds=READ_SECONDS, memory=READ_MEMORY)


def _to_do(
    submissions: list[Submission], batch: Batch, on_skip: Callable, read: Callable
) -> Iterator[Job]:
    """The jobs whose result is not there yet, read one by one."""
    for submission in submissions:
        job = _job(submission, batch, read)
        known = load_result(batch.out, job.student, job.name)
        if known and known.key == job.key:
            on_skip()
        else:
            yield job


# Doing it


def grade(
    submissions: list[Submission],
    batch: Batch,
    *,
    n_jobs: int = -1,
    scheduler: str = "",
    on_result: Callable[[bool], None] = lambda graded: None,
) -> int:
    """Grade a class; one file per submission is written as soon as its result is there.

    Parameters
    ----------
    submissions : list of Submission
    batch : Batch
    n_jobs : int, default=-1
        Processes on this machine; -1 for one per core.
    scheduler : str, default=""
        Address of a dask scheduler, to work on a cluster instead.
    on_result : callable
        Called after each submission with True, or False for one that was skipped.

    Returns
    -------
    n_graded : int
        Submissions that were graded now.
    """
    _remove_remains(batch.out)
    preparation = Preparation(batch.limits, batch.contained, batch.private)
    do = _on_cluster(scheduler) if scheduler else _here(n_jobs, preparation)
    again: list[Job] = []
    n_graded = 0
    with _reader() as read:
        for job, result in do(_to_do(submissions, batch, lambda: on_result(False), read), False):
            if isinstance(result, BatchError):
                raise result
            if isinstance(result, LostError) or _was_stopped(result):
                again.append(replace(job, alone=True))
                continue
            _keep(batch.out, job, result)
            n_graded += 1
            on_result(True)
    for job, result in do(iter(again), True) if again else ():
        if isinstance(result, BatchError):
            raise result
        _keep(batch.out, job, _breakdown(job, result) if _is_lost(result) else result)
        n_graded += 1
        on_result(True)
    return n_graded


def _is_lost(result) -> bool:
    return isinstance(result, LostError)


def _was_stopped(result: Result) -> bool:
    """Whether something was stopped: perhaps by the fault of others, so it is run again, alone."""
    outcomes = {task.outcome for task in result.tasks}
    return bool(outcomes & {TIMEOUT, DIED}) or any(cell.run.lost for cell in result.cells)


def _keep(out: Path, job: Job, result: Result) -> None:
    """Store a result; one that cannot be stored is replaced by one that says so."""
    path = result_file(out, job.student, job.name)
    try:
        text = to_json(result).encode()
    except Exception as error:  # whatever it is, it is this submission's
        text = to_json(_breakdown(job, error)).encode()
    write_atomically(path, text, mode=0o600)


Doer = Callable[[Iterator[Job], bool], Iterator[tuple[Job, Result | Exception]]]


def _here(n_jobs: int, preparation: "Preparation") -> Doer:
    """Do jobs in processes of this machine; alone means one at a time."""
    from joblib import effective_n_jobs

    number = effective_n_jobs(n_jobs)
    return lambda jobs, alone: do_all(WORK, jobs, 1 if alone else number, preparation)


def _on_cluster(scheduler: str) -> Doer:
    """Do jobs on the workers of a dask scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise BatchError(
            "The engine dask needs the package distributed, here and where its workers run. "
            f"To install it: {call('doctor --install lecturer')}"
        ) from None

    def do(jobs: Iterator[Job], alone: bool) -> Iterator[tuple[Job, Result | Exception]]:
        try:
            client = Client(scheduler, timeout="10s")
        except (OSError, ValueError, TypeError) as error:
            raise BatchError(f"No dask scheduler answers at {scheduler}: {error}") from None
        with client:
            yield from _done_by(client, jobs, 1 if alone else 2 * sum(client.ncores().values()))

    return do


def _done_by(client, jobs: Iterator[Job], at_once: int) -> Iterator[tuple]:
    from distributed import as_completed

    waiting, doing = as_completed(), {}
    for job in _up_to(jobs, at_once):
        future = client.submit(work, job, pure=False)
        doing[future.key] = job
        waiting.add(future)
    for future in waiting:
        job = doing.pop(future.key)
        error = future.exception()
        yield job, LostError(repr(error)) if error else future.result()
        future.release()
        if (next_job := next(jobs, None)) is not None:
            future = client.submit(work, next_job, pure=False)
            doing[future.key] = next_job
            waiting.add(future)


def _up_to(jobs: Iterator[Job], number: int) -> Iterator[Job]:
    for _, job in zip(range(number), jobs, strict=False):
        yield job


def _remove_remains(out: Path) -> None:
    """Remove half-written files of a run that was killed, results, tables and pages alike."""
    for path in out.rglob(f"{TEMPORARY}*.tmp"):
        path.unlink(missing_ok=True)


# In a worker

_local = threading.local()


def work(job: Job | Preparation) -> Result | BatchError | None:
    """Grade one submission in this process's own box; a box that breaks is replaced once."""
    if isinstance(job, Preparation):
        with suppress(Exception):  # whatever it is, the first job will meet it and say it
            _server(job)
        return None
    for last in (False, True):
        try:
            return _grade_one(job)
        except BatchError as error:
            return error
        except Exception as error:  # nothing about one submission may end the batch
            _close_server()
            if last:
                return _breakdown(job, error)
    raise AssertionError("unreachable")


def _grade_one(job: Job) -> Result:
    server = None if job.content is None else _server(job)
    released = _released_exercise(job.name, job.lesson, job.released)
    if server is None:
        return _complete(job, empty_result(released, job.student, []), job.key)
    server.prepare(_needed_modules(released, job.released))
    options = {"files": job.files, "seed": job.own_seed, "limits": job.limits}
    options |= {"quickly": not job.alone}
    return _complete(job, mark(server, released, job.student, job.content, **options), job.key)


@cache
def _needed_modules(released: Released, content: bytes) -> set[str]:
    """What submissions of a lesson import: what the exercise as handed out does, and its keys."""
    for exercise in released.graded:
        _ = public_draw(exercise).key.told_apart
    loaded = {
        name
        for name in sys.modules
        if name.partition(".")[0] in COMPUTING
        or (name.startswith("course_lib.") and not name.startswith(KNOWS_ANSWERS))
    }
    return loaded | released_imports(content)


def _breakdown(job: Job, error: Exception) -> Result:
    """A result without key, so that the next run tries again."""
    released = _released_exercise(job.name, job.lesson, job.released)
    why = clean(" ".join(f"{type(error).__name__}: {error}".split()), 500)
    text = f"grading broke down twice on this submission ({why}). Run it again."
    return _complete(job, empty_result(released, job.student, [Note(text, for_lecturer=True)]), "")


def _complete(job: Job, result: Result, key: str) -> Result:
    notes = (*map(Note, job.notes), *result.notes)
    return replace(result, contained=job.contained, key=key, notes=notes, late=job.late)


@cache
def _released_exercise(name: str, lesson: str, content: bytes) -> Released:
    return Released.parse(content, name, lesson)


def _server(job: Job | Preparation) -> ForkServer:
    """This thread's fork server; a new one must pass the canary before it sees a student."""
    server = getattr(_local, "server", None)
    if server is not None and server.contained == job.contained:
        return server
    _close_server()
    try:
        server = ForkServer(contained=job.contained)
        preload(MODULES)  # while the box does the same
        server.wait()
    except BoxError as error:
        raise BatchError(f"{error} Nothing was graded in it.") from None
    if job.contained:
        try:
            found = escapes(server, job.limits, [Path(folder) for folder in job.private])
        except BoxError as error:
            raise BatchError(str(error)) from None
        if found:
            server.close()
            raise BatchError(
                f"The box does not hold, so nothing was graded: a test program "
                f"{'; '.join(found)}. Do not go on before this is understood."
            )
    _local.server = server
    return server


def _close_server() -> None:
    server = getattr(_local, "server", None)
    if server is not None:
        server.close()
        _local.server = None


atexit.register(_close_server)
