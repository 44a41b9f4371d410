"""`./course bench widgets | measures`: what the widgets and the measures cost, measured here."""

import argparse
import importlib

__all__ = ["add_arguments", "run"]

SUBJECTS = {
    "widgets": "course_lib.tools.bench_widgets",
    "measures": "course_lib.tools.bench_measures",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `./course bench`."""
    parser.add_argument("subject", choices=SUBJECTS, help="what to measure")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
    parser.add_argument(
        "--moves", type=int, default=48, help="widgets: moves of each slider (default 48)"
    )
    parser.add_argument("--lesson", help="widgets: measure the explorer of this lesson only")


def run(args: argparse.Namespace) -> int:
    """Measure, print a table, return the exit code."""
    return importlib.import_module(SUBJECTS[args.subject]).run(args)
