"""`./course bench widgets | measures | grading | hub`: what they cost, measured here."""

import argparse
import importlib

SUBJECTS = {
    "widgets": "course_lib.tools.bench.widgets",
    "measures": "course_lib.tools.bench.measures",
    "grading": "course_lib.tools.bench.grading",
    "hub": "course_lib.tools.bench.hub",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `./course bench`."""
    parser.add_argument("subject", choices=SUBJECTS, help="what to measure")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
    parser.add_argument("--only", metavar="PART", help="measures: lines with PART in their name")
    parser.add_argument(
        "--moves", type=int, default=48, help="widgets: moves of each slider (default 48)"
    )
    parser.add_argument(
        "--lesson", help="widgets: the explorer of this lesson only; hub: what is run (default 01)"
    )
    parser.add_argument(
        "--students", type=int, default=40, help="grading: submissions of a class (default 40)"
    )
    parser.add_argument(
        "--peer", type=int, default=40, help="grading: how many of them nbgrader gets (default 40)"
    )
    parser.add_argument(
        "--mixed", type=int, default=40, help="grading: students in all lessons (default 40)"
    )
    parser.add_argument(
        "--scale",
        type=int,
        nargs="*",
        default=[10, 160, 640],
        help="grading: more sizes of a class (default 10 160 640)",
    )
    parser.add_argument(
        "--dask", action=argparse.BooleanOptionalAction, default=True, help="grading: on a cluster"
    )
    parser.add_argument("--users", type=int, default=10, help="hub: users of a class (default 10)")


def run(args: argparse.Namespace) -> int:
    """Measure, print a table, return the exit code."""
    return importlib.import_module(SUBJECTS[args.subject]).run(args)
