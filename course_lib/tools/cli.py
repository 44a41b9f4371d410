"""The commands of `./course`; each one's module is imported only when it is called."""

import argparse
import sys
from importlib import import_module
from importlib.util import find_spec

COMMANDS = {
    "lab": "open the lessons in JupyterLab; your own copies lie in workbook/",
    "recall": "a few short questions on lessons you have begun, the shaky ones first",
    "doctor": "what is installed, what is missing, and the line that fixes it",
    "test": "run all checks and tests",
    "build": "make the notebooks, solutions and exercises from their text sources",
    "new": "start a lesson: a small one that passes all tests, to be filled in",
    "claims": "write the index of all claims, each with its test",
    "site": "write the course as pages to read, without server or network",
    "slides": "make slides of a lesson that need no network",
    "release": "write the student edition: the course without anything that knows an answer",
    "grade": "grade a folder of submitted notebooks",
    "nbgrader": "make a course for nbgrader, with every exercise released",
    "bench": "measure widgets, measures, grading, or a class on a hub",
}
MODULES = {"test": "testing"}  # the others are called like their command


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code.

    A module that declares PASSES_ON takes the arguments it does not know as `args.passed_on`.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser, module = _parser(arguments)
    args, unknown = parser.parse_known_args(arguments)
    if unknown and not getattr(module, "PASSES_ON", False):
        parser.error(f"unknown: {' '.join(unknown)}. Try: ./course {args.command} --help")
    args.passed_on = unknown
    try:
        return module.run(args)
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130


def commands() -> dict[str, str]:
    """The commands that this edition has, each with a sentence."""
    return {name: words for name, words in COMMANDS.items() if find_spec(_module(name))}


def _module(name: str) -> str:
    return f"course_lib.tools.{MODULES.get(name, name)}"


def _parser(arguments):
    """The parser, and the module of the command that `arguments` begin with."""
    parser = argparse.ArgumentParser(prog="./course", description="What do you mean, important?")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    module = None
    for name, sentence in commands().items():
        text = sentence[0].upper() + sentence[1:] + "."
        command = subparsers.add_parser(name, help=sentence, description=text, allow_abbrev=False)
        if arguments[:1] == [name]:
            module = import_module(_module(name))
            module.add_arguments(command)
    return parser, module
