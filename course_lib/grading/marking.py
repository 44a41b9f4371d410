"""What one submission is worth: replies from the box become verdicts, verdicts become marks."""

from dataclasses import replace

from course_lib import lessons
from course_lib.grading.box import ForkServer, Limits
from course_lib.grading.imports import notes_on_imports
from course_lib.grading.notebook import (
    Released,
    TaskSchedule,
    UnreadableError,
    make_schedule,
    read_cells,
)
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
from course_lib.grading.running import Run, run_submission
from course_lib.lessons.exercise import PUBLIC_SEED, Exercise
from course_lib.lessons.judgement import NOT_YET, Verdict, answer_key, expectation

MAX_NOTES, MAX_CODE = 40, 20_000
ONLY_SHOWN = (
    "It does well on the cases shown in the notebook, but not on new ones of the same kind."
)


def learn_answers(lesson: str, seed: int) -> None:
    """Compute all answer keys of a lesson ahead of time."""
    for exercise in lessons.exercises(lesson):
        for each in (seed, PUBLIC_SEED):
            _ = answer_key(exercise, each).slips


def mark(
    server: ForkServer,
    released: Released,
    student: str,
    content: bytes,
    *,
    files: dict[str, bytes],
    seed: int,
    limits: Limits,
) -> Result:
    """The result of one submission."""
    try:
        cells, notes = read_cells(content)
        schedule = make_schedule(released, cells)
    except UnreadableError as error:
        return empty_result(released, student, [Note(str(error))])
    run = Run(schedule, limits, seed, files)
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
        (*map(Note, notes + run.notes), *notes_on_imports(schedule, run.imports))[:MAX_NOTES],
        tuple(ExtraCell(k + 1, r) for k, r in sorted(run.cells.items()) if r and k not in own),
    )


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
    if reply.failure:
        return TaskResult.of(task.exercise, reply.failure, failure_message(reply), **own)
    verdict = judge_reply(task.exercise, run.seed, reply)
    if slip := verdict.slip:
        own |= {"slip_name": slip.name, "behind": slip.behind}
    own["hint"] = verdict.hint
    return TaskResult.of(task.exercise, verdict.outcome, verdict.message, **own)


def failure_message(reply: CallReply) -> str:
    """Why there is no answer; an error on secret cases is told by that on the notebook's."""
    if reply.failure != ERROR or reply.public is None:
        return reply.message
    return reply.public.message or ONLY_SHOWN


def judge_reply(exercise: Exercise, seed: int, reply: CallReply) -> Verdict:
    """The verdict on an answer: points for the secret cases, words about those of the notebook."""
    secret = answer_key(exercise, seed).verdict(reply.response)
    if secret.outcome != NOT_YET or not exercise.is_function:
        return secret
    shown = None
    if reply.public and not reply.public.failure:
        shown = answer_key(exercise, PUBLIC_SEED).verdict(reply.public.response)
    if shown and shown.outcome == NOT_YET:
        return shown
    start = ONLY_SHOWN if shown and shown.passed else "The answer is wrong."
    return replace(secret, message=f"{start} {expectation(exercise)}")
