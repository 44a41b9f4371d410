"""What one submission is worth: replies from the box become verdicts, verdicts become marks."""

from course_lib.grading.box import ForkServer, Limits, Session
from course_lib.grading.drawing import draw, public_draw
from course_lib.grading.imports import notes_on_imports
from course_lib.grading.notebook import Released, TaskSchedule, make_schedule
from course_lib.grading.reading import Cell, UnreadableError
from course_lib.grading.records import (
    ERROR,
    MISSING,
    CellRun,
    ExtraCell,
    Note,
    Result,
    TaskResult,
    WrittenResult,
)
from course_lib.grading.replies import CallReply
from course_lib.grading.running import Run, run_quickly, run_submission
from course_lib.grading.wire import ChannelClosedError
from course_lib.lessons.judgement import NOT_YET, AnswerKey, Verdict, expectation

MAX_NOTES, MAX_CODE = 40, 20_000
RIGHT_IN_NOTEBOOK = (
    "It does well on the cases shown in the notebook, but not on new ones of the same kind."
)


def mark(
    server: ForkServer,
    released: Released,
    student: str,
    content: bytes,
    *,
    files: dict[str, bytes],
    seed: int,
    limits: Limits,
    quickly: bool = True,
) -> Result:
    """The result of one submission, on cases that `seed` gives.

    First everything is run quickly: without the cells that only show something, and the cases of
    the notebook are asked in its own process, where its check asks them. That is enough unless
    something is stopped, dies or is doubtful. Else nothing of it counts, and the submission is run
    carefully: every cell, and every call in a copy of its own.
    """
    tasks = [exercise.id for exercise in released.graded]
    try:
        session, cells, notes = read_in_box(server, tasks, content, limits)
    except UnreadableError as error:
        return empty_result(released, student, [Note(str(error))])
    with session:
        schedule = make_schedule(released, cells)
        draws = {exercise.id: draw(exercise, seed) for exercise in released.graded}
        run = Run(schedule, limits, draws, files, seed)
        is_settled = quickly and run_quickly(session, run) and not _is_doubtful(run)
    if not is_settled:
        run = run.again()
        run_submission(server, run)
    notes += schedule.notes + [n for task in schedule.tasks.values() for n in task.notes]
    own = {task.index for task in schedule.tasks.values()}
    return Result(
        student,
        released.lesson,
        released.name,
        released.max_points,
        tuple(_task_result(run, name, task) for name, task in schedule.tasks.items()),
        tuple(WrittenResult(w.id, w.points, schedule.written[w.id]) for w in released.written),
        (*map(Note, notes + run.notes), *notes_on_imports(run.schedule, run.imports))[:MAX_NOTES],
        tuple(ExtraCell(k + 1, r) for k, r in sorted(run.cells.items()) if r and k not in own),
    )


def _is_doubtful(run: Run) -> bool:
    """Whether a careful run may give something else.

    It may if an error speaks of a name that a cell would have defined which was left out, or if an
    answer is right on the notebook's cases and not on the secret ones.
    """
    missing = {repr(name) for action in run.schedule.idle for name in action.names.defined}
    errors = [str(cell.error) for cell in run.cells.values() if cell.error]
    errors += [reply.message for reply in run.replies.values() if reply.failure]
    return any(name in text for text in errors for name in missing) or any(
        _is_right_in_notebook_only(run, name) for name in run.replies
    )


def _is_right_in_notebook_only(run: Run, name: str) -> bool:
    reply, exercise = run.replies[name], run.schedule.tasks[name].exercise
    if not exercise.is_function or run.draws[name].key.verdict(reply.response).passed:
        return False
    return public_draw(exercise).key.verdict(reply.public.response).passed


def read_in_box(
    server: ForkServer, tasks: list[str], content: bytes, limits: Limits
) -> tuple[Session, list[Cell], list[str]]:
    """The cells of a notebook, notes, and where it was read, in which nothing of it has run yet.

    UnreadableError if it is none. Where the text of a cell is too much for Python's own parser, no
    cell is looked at for names.
    """
    for how in ("with names", "without names"):
        session = server.start(tasks, limits, reads=how)
        try:
            return session, *session.read(limits.task_seconds, content)
        except (TimeoutError, ChannelClosedError):
            session.end()
        except BaseException:
            session.end()
            raise
    raise UnreadableError("Reading the file took more than a notebook may.")


def empty_result(released: Released, student: str, notes: list[Note]) -> Result:
    """The result of something that cannot be graded: no points, and why."""
    nothing = "There is nothing to grade."
    return Result(
        student,
        released.lesson,
        released.name,
        released.max_points,
        tuple(TaskResult.of(exercise, MISSING, nothing) for exercise in released.graded),
        tuple(WrittenResult(w.id, w.points) for w in released.written),
        tuple(notes),
    )


def _task_result(run: Run, name: str, task: TaskSchedule) -> TaskResult:
    if task.index is None:
        return TaskResult.of(task.exercise, MISSING, "The cell for this answer is missing.")
    reply = run.replies[name]
    own = {"code": task.code[:MAX_CODE], "run": run.cells.get(task.index, CellRun())}
    own |= {"form": task.form}
    if reply.failure:
        return TaskResult.of(task.exercise, reply.failure, failure_message(reply), **own)
    verdict = judge_reply(run.draws[name].key, reply)
    if slip := verdict.slip:
        own |= {"slip_name": slip.name, "behind": slip.behind}
    own["hint"] = verdict.hint
    return TaskResult.of(task.exercise, verdict.outcome, verdict.message, **own)


def failure_message(reply: CallReply) -> str:
    """Why there is no answer; an error on secret cases is told by that on the notebook's."""
    if reply.failure != ERROR or reply.public is None:
        return reply.message
    return reply.public.message or RIGHT_IN_NOTEBOOK


def judge_reply(key: AnswerKey, reply: CallReply) -> Verdict:
    """The verdict on an answer: points for the secret cases, words about those of the notebook."""
    exercise, secret = key.exercise, key.verdict(reply.response)
    if secret.outcome != NOT_YET or not exercise.is_function:
        return secret
    shown = None
    if reply.public and not reply.public.failure:
        shown = public_draw(exercise).key.verdict(reply.public.response)
    if shown and shown.outcome == NOT_YET:
        return shown
    start = RIGHT_IN_NOTEBOOK if shown and shown.passed else "The answer is wrong."
    return secret.without_cases(f"{start} {expectation(exercise)}")
