"""A whole class: what is already graded is skipped, the rest runs in parallel, resumably."""

import atexit
import hashlib
import json
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path

from course_lib.files import write_atomically
from course_lib.grading.box import LIBRARY, BoxError, ForkServer, Limits
from course_lib.grading.canary import escapes
from course_lib.grading.dependencies import digest, draws
from course_lib.grading.marking import empty_result, learn_answers, mark
from course_lib.grading.notebook import Released
from course_lib.grading.records import FORMAT, Note, Result, from_json, to_json
from course_lib.grading.submissions import Submission


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


def secret_seed(out: Path, given: int | None) -> int:
    """The seed of this folder of results: the given one, the stored one, or a new secret one."""
    path = out / "seed.json"
    if given is None and path.exists():
        try:
            return int(json.loads(path.read_text())["seed"])
        except (ValueError, KeyError, TypeError):
            raise BatchError(f"{path} is damaged. Delete it, or give --seed.") from None
    seed = secrets.randbits(63) if given is None else given
    write_atomically(path, json.dumps({"seed": seed}) + "\n")
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


def _key(job: Job) -> str:
    """Equal for equal submissions, exercises, libraries, seeds and limits."""
    total = hashlib.sha256()
    for part in (
        repr((FORMAT, job.name, job.seed, job.contained, job.notes)),
        json.dumps(asdict(job.limits), sort_keys=True),
        lesson_digest(job.lesson, job.released),
        job.released,
        b"nothing" if job.content is None else job.content,
        *(part for item in sorted(job.files.items()) for part in item),
    ):
        part = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        total.update(hashlib.sha256(part).digest())
    return total.hexdigest()


def _job(submission: Submission, batch: Batch) -> Job:
    content, notes = submission.read(batch.limits.notebook)
    files, more = submission.files() if content is not None else ({}, [])
    job = Job(
        student=submission.student,
        lesson=submission.lesson,
        name=submission.name,
        content=content,
        files=files,
        notes=notes + more,
        released=batch.released_notebook(submission),
        seed=batch.seed,
        limits=batch.limits,
        contained=batch.contained,
        private=batch.private,
    )
    return replace(job, key=_key(job))


def _to_do(submissions: list[Submission], batch: Batch, on_skip: Callable) -> Iterator[Job]:
    """The jobs whose result is not there yet, read one by one."""
    for submission in submissions:
        job = _job(submission, batch)
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
    from joblib import Parallel, delayed

    n_graded = 0
    _remove_remains(batch.out)
    jobs = _to_do(submissions, batch, lambda: on_result(False))
    with _workers(n_jobs, scheduler) as options:
        parallel = Parallel(return_as="generator_unordered", batch_size=1, **options)
        for result in parallel(delayed(work)(job) for job in jobs):
            if isinstance(result, BatchError):
                raise result
            path = result_file(batch.out, result.student, result.name)
            write_atomically(path, to_json(result))
            n_graded += 1
            on_result(True)
    return n_graded


@contextmanager
def _workers(n_jobs: int, scheduler: str) -> Iterator[dict]:
    """joblib's options for processes here or for a cluster; ends what it started."""
    from joblib import parallel_config

    with ExitStack() as stack:
        if scheduler:
            try:
                from distributed import Client
            except ImportError:
                raise BatchError(
                    "The engine dask needs the package distributed. Run: "
                    "pip install -c requirements.lock -e '.[cluster]'"
                ) from None
            try:
                stack.enter_context(Client(scheduler, timeout="10s"))
            except (OSError, ValueError, TypeError) as error:
                raise BatchError(f"No dask scheduler answers at {scheduler}: {error}") from None
            stack.enter_context(parallel_config(backend="dask"))
            yield {}
            return
        stack.callback(_end_processes)
        yield {"n_jobs": n_jobs, "backend": "loky", "pre_dispatch": "2*n_jobs"}


def _end_processes() -> None:
    from joblib.externals.loky import get_reusable_executor

    _close_server()
    get_reusable_executor().shutdown(wait=True, kill_workers=True)


def _remove_remains(out: Path) -> None:
    """Remove half-written files of a run that was killed, results, tables and pages alike."""
    for path in out.rglob(".*.tmp"):
        path.unlink(missing_ok=True)


# In a worker

_local = threading.local()


def work(job: Job) -> Result | BatchError:
    """Grade one submission in this process's own box; a box that breaks is replaced once."""
    from joblib import parallel_config

    for last in (False, True):
        try:
            with parallel_config(
                backend="sequential"
            ):  # else a cluster fits each reference's trees
                return _grade_one(job)
        except BatchError as error:
            return error
        except Exception as error:  # nothing about one submission may end the batch
            _close_server()
            if last:
                return _breakdown(job, error)
    raise AssertionError("unreachable")


def _grade_one(job: Job) -> Result:
    server, released = _server(job), _released_exercise(job.name, job.lesson, job.released)
    if job.content is None:
        return _complete(job, empty_result(released, job.student, []), job.key)
    options = {"files": job.files, "seed": job.seed, "limits": job.limits}
    return _complete(job, mark(server, released, job.student, job.content, **options), job.key)


def _breakdown(job: Job, error: Exception) -> Result:
    """A result without key, so that the next run tries again."""
    released = _released_exercise(job.name, job.lesson, job.released)
    why = " ".join(f"{type(error).__name__}: {error}".split())[:500]
    text = f"grading broke down twice on this submission ({why}). Run it again."
    return _complete(job, empty_result(released, job.student, [Note(text, for_lecturer=True)]), "")


def _complete(job: Job, result: Result, key: str) -> Result:
    notes = (*map(Note, job.notes), *result.notes)
    return replace(result, contained=job.contained, key=key, notes=notes)


@cache
def _released_exercise(name: str, lesson: str, content: bytes) -> Released:
    return Released.parse(content, name, lesson)


def _server(job: Job) -> ForkServer:
    """This thread's fork server; a new one must pass the canary before it sees a student."""
    server = getattr(_local, "server", None)
    if server is not None and server.contained == job.contained:
        return server
    _close_server()
    try:
        drawing = ("matplotlib.pyplot",) if draws(job.released) else ()
        server = ForkServer((job.lesson,), modules=drawing, contained=job.contained)
        learn_answers(job.lesson, job.seed)
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
