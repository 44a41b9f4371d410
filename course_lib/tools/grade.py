"""`./course grade`: grade a folder of notebooks, contained and resumable."""

import argparse
import sys
from pathlib import Path

STOPPED, REFUSED = 130, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course grade`."""
    from course_lib.grading.box import Limits

    default = Limits()
    parser.add_argument("submissions", type=Path, help="a folder with one per student, or a zip")
    parser.add_argument("--out", type=Path, required=True, help="where the results go")
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


def _seed(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("a seed is not negative")
    return value


def run(args: argparse.Namespace) -> int:
    """Run `./course grade`; 0 if every submission has a result, 2 if the batch could not run."""
    from course_lib.grading.engine import BatchError
    from course_lib.grading.submissions import SubmissionsError
    from course_lib.grading.written import WrittenError

    try:
        return _grade(args)
    except (BatchError, SubmissionsError, WrittenError, OSError) as error:
        print(error, file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("\nStopped. What is graded is kept; the same command goes on.", file=sys.stderr)
        return STOPPED


def _grade(args: argparse.Namespace) -> int:
    from tqdm import tqdm

    from course_lib.grading.engine import Batch, grade, secret_seed
    from course_lib.grading.publishing import publish
    from course_lib.grading.submissions import find
    from course_lib.grading.written import read_marks

    _refuse(args)
    out = args.out.resolve()
    submissions = find(args.submissions.resolve(), ignore=out)
    out.mkdir(parents=True, exist_ok=True)
    marks = read_marks(out / "written.csv")
    batch = Batch(
        out=out,
        seed=secret_seed(out, args.seed),
        limits=_limits(args),
        contained=not args.uncontained,
        private=(str(args.submissions.resolve()), str(out)),
    )
    with tqdm(total=len(submissions), unit="notebook", disable=None, smoothing=0.05) as bar:
        graded = grade(
            submissions,
            batch,
            n_jobs=args.jobs,
            scheduler=args.scheduler,
            on_result=lambda graded: bar.update(),
        )
    warnings = publish(out, submissions, marks)
    if args.gradebook:
        from course_lib.grading.gradebook import export

        export(args.gradebook, out, submissions, marks, batch.exercises)
    for warning in warnings:
        print(warning, file=sys.stderr)
    kept = len(submissions) - graded
    print(f"Graded {graded}, kept {kept} as they were. Start with {out / 'class.html'}")
    return 0


def _refuse(args: argparse.Namespace) -> None:
    """Refuse what cannot work, with the line that helps."""
    from course_lib.grading.engine import BatchError
    from course_lib.tools.system import bubblewrap

    if args.engine == "dask" and not args.scheduler:
        raise BatchError("The engine dask needs --scheduler ADDRESS, such as tcp://10.0.0.1:8786.")
    if args.scheduler and args.engine != "dask":
        raise BatchError("--scheduler goes with --engine dask.")
    if sys.platform == "win32":
        raise BatchError("Grading needs Linux or macOS. On Windows, use it in WSL 2.")
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
