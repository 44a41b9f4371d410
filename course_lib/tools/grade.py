"""`./course grade`: grade a folder of notebooks, contained and resumable."""

import argparse
import sys
from datetime import datetime
from pathlib import Path

from course_lib.learner.ways import is_windows

STOPPED, REFUSED = 130, 2
ON_LINUX = "Grading needs Linux: on Windows, run ./course grade in WSL 2."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course grade`."""
    from course_lib.grading.box import Limits

    default = Limits()
    parser.add_argument(
        "submissions", type=Path, help="the export of a learning platform: a zip, or a folder"
    )
    parser.add_argument("--out", type=Path, required=True, help="where the results go")
    parser.add_argument(
        "--roster", type=Path, help="the platform's gradebook or class list (CSV), to be filled in"
    )
    parser.add_argument(
        "--column",
        type=_column,
        action="append",
        default=[],
        metavar="LESSON=COLUMN",
        help="which column of the roster is a lesson's, such as '01=Exercise 1 (4711)'",
    )
    parser.add_argument(
        "--attempts",
        choices=("last", "best"),
        default="last",
        help="which of several notebooks of a student counts (default: last)",
    )
    parser.add_argument(
        "--due",
        type=_time,
        metavar="TIME",
        help="such as 2026-10-03T23:59; what the platform dates later is late",
    )
    parser.add_argument(
        "--lesson",
        action="append",
        default=[],
        metavar="NN",
        help="look only for this lesson, such as 01, and import it alone; may be repeated",
    )
    parser.add_argument(
        "--forget",
        action="append",
        default=[],
        metavar="STUDENT",
        help="delete what the results have of a student whose submission and row in the roster you "
        "have deleted; called as in grades.csv; may be repeated; all other options as always",
    )
    parser.add_argument("--seed", type=_seed, help="repeat a batch with its secret seed")
    parser.add_argument("--jobs", type=int, default=-1, help="processes (default: one per core)")
    parser.add_argument("--engine", choices=("joblib", "dask"), default="joblib")
    parser.add_argument("--scheduler", default="", help="address of the dask scheduler")
    parser.add_argument("--gradebook", default="", help="also write into nbgrader's, by its URL")
    parser.add_argument(
        "--uncontained",
        action="store_true",
        help="run students' code without a box, with all your rights; the results will say so",
    )
    for name, value, text in (
        ("--task-seconds", default.task_seconds, "seconds for one task or cell"),
        ("--submission-seconds", default.submission_seconds, "seconds for one notebook"),
        ("--memory-gb", default.memory / 2**30, "memory for one notebook"),
        ("--processes", default.processes, "processes of one notebook"),
        ("--output-mb", default.output / 10**6, "output kept of one notebook"),
        ("--notebook-mb", default.notebook / 10**6, "size of a notebook"),
    ):
        text = f"{text} (default: {value:g})"
        parser.add_argument(name, type=type(value), default=value, metavar="N", help=text)


def _column(text: str) -> tuple[str, str]:
    lesson, equals, column = text.partition("=")
    if not (lesson and equals and column):
        raise argparse.ArgumentTypeError("such as '01=Exercise 1 (4711)'")
    return lesson, column


def _time(text: str) -> str:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError("a time such as 2026-10-03T23:59") from None


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a seed is a whole number from 0 on, not {text!r}")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Run `./course grade`; 0 if every submission has a result, 2 if the batch could not run."""
    if is_windows():
        print(ON_LINUX, file=sys.stderr)
        return REFUSED
    from course_lib.grading.archives import SubmissionsError
    from course_lib.grading.engine import BatchError
    from course_lib.grading.roster import RosterError
    from course_lib.grading.spreadsheet import visible
    from course_lib.grading.written import WrittenError

    try:
        return _grade(args)
    except (BatchError, SubmissionsError, RosterError, WrittenError, OSError) as error:
        print(visible(str(error)), file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("\nStopped. What is graded is kept; the same command goes on.", file=sys.stderr)
        return STOPPED


def _grade(args: argparse.Namespace) -> int:
    from course_lib.grading.engine import Batch, make_private, secret_seed
    from course_lib.grading.forgetting import forget
    from course_lib.grading.publishing import publish
    from course_lib.grading.roster import Roster
    from course_lib.grading.spreadsheet import visible
    from course_lib.grading.submissions import read_export
    from course_lib.grading.written import read_marks

    _refuse(args)
    out = args.out.resolve()
    roster = Roster.read(args.roster, dict(args.column)) if args.roster else None
    source = args.submissions.resolve()
    if sys.stderr.isatty():
        print(f"Reading {source}", file=sys.stderr)
    wanted = {"attempts": args.attempts, "only": args.lesson, "due": args.due or ""}
    export = read_export(source, ignore=out, **wanted)
    make_private(out)
    read_marks(out / "written.csv")  # better refused now than after an hour
    forget(out, args.forget, export)
    batch = Batch(
        out=out,
        seed=secret_seed(out, args.seed),
        limits=_limits(args),
        contained=not args.uncontained,
        private=(str(source), str(out)),
    )
    graded = _run(args, batch, export)
    marks, said = publish(out, export, roster=roster, only=args.lesson)
    if args.gradebook:
        from course_lib.grading.gradebook import export as write_gradebook

        write_gradebook(args.gradebook, out, export.submissions, marks, batch.exercises)
    for sentence in said:
        print(visible(sentence), file=sys.stderr)
    kept = len(export.to_grade()) - graded
    for student in args.forget:
        print(f"{visible(student)} is forgotten here, and not in what you copied from here.")
    print(f"Graded {graded}, kept {kept} as they were. Start with {out / 'class.html'}")
    if roster:
        print(f"To import into your learning platform: {out / 'import.csv'}")
    return 0


def _run(args: argparse.Namespace, batch, export) -> int:
    """Grade what is not graded yet, and show how far it is."""
    from dataclasses import replace

    from course_lib.grading.engine import grade
    from course_lib.grading.progress import Progress
    from course_lib.grading.publishing import ATTEMPTS, to_grade

    single, attempts = to_grade(batch.out, export)
    parts = [(single, batch), (attempts, replace(batch, out=batch.out / ATTEMPTS))]
    with Progress(len(single) + len(attempts)) as progress:
        return sum(
            grade(
                submissions,
                each,
                n_jobs=args.jobs,
                scheduler=args.scheduler,
                on_result=lambda graded: progress.update(),
            )
            for submissions, each in parts
            if submissions
        )


def _refuse(args: argparse.Namespace) -> None:
    """Refuse what cannot work, with the line that helps."""
    from course_lib.grading.engine import BatchError
    from course_lib.grading.publishing import ATTEMPTS
    from course_lib.tools.system import bubblewrap, need

    need(*(["pyseccomp"] * (not args.uncontained)), *(["nbgrader"] * bool(args.gradebook)))
    if args.out.resolve() == args.submissions.resolve():
        raise BatchError(
            f"--out is the folder of the submissions itself, {args.out}. Give another one for the "
            f"results, such as --out {args.out.resolve().name}-results."
        )
    if args.out.exists() and not args.out.is_dir():
        raise BatchError(f"--out is a file, {args.out}. Give a folder for the results.")
    if args.gradebook and "://" not in args.gradebook:
        raise BatchError(
            f"--gradebook takes the address of a database, not {args.gradebook!r}. For a file: "
            f"sqlite:///{args.gradebook}"
        )
    if args.forget and args.attempts == "last" and (args.out / ATTEMPTS).exists():
        raise BatchError(
            f"{args.out} was graded with --attempts best, and everybody's marks are written again. "
            f"Repeat the command with which you graded it, all its options included, and add "
            f"--forget."
        )
    if args.column and not args.roster:
        raise BatchError("--column says which column of the roster to fill; add --roster FILE.")
    if args.engine == "dask" and not args.scheduler:
        raise BatchError("The engine dask needs --scheduler ADDRESS, such as tcp://10.0.0.1:8786.")
    if args.scheduler and args.engine != "dask":
        raise BatchError("--scheduler goes with --engine dask.")
    if args.jobs == 0:
        raise BatchError("--jobs is the number of processes, or -1 for one per core; not 0.")
    if not args.uncontained and (fix := bubblewrap().fix):
        raise BatchError(
            f"Containment needs bubblewrap, which {bubblewrap().found}. To fix: {fix}. Without a "
            f"box, students' code would run with all your rights; if you accept that, add "
            f"--uncontained, and every result will say so."
        )


def _limits(args: argparse.Namespace):
    from course_lib.grading.box import Limits
    from course_lib.grading.engine import BatchError

    limits = Limits(
        task_seconds=args.task_seconds,
        submission_seconds=args.submission_seconds,
        memory=int(args.memory_gb * 2**30),
        processes=args.processes,
        output=int(args.output_mb * 10**6),
        notebook=int(args.notebook_mb * 10**6),
    )
    if min(limits.task_seconds, limits.submission_seconds, limits.memory, limits.processes) <= 0:
        raise BatchError("Limits are greater than 0.")
    return limits
