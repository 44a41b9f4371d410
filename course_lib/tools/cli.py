"""The commands of `./course`; each one's module is imported only when it is called."""

import argparse
import runpy
import sys
from importlib import import_module
from pathlib import Path

from course_lib.learner.ways import ROOT, call, install, is_clone
from course_lib.tools.system import WORKBOOK

COPIES = "workbook/" if is_clone() else f"~/{WORKBOOK.name}"
COMMANDS = {
    "lab": f"open the lessons in JupyterLab; your own copies lie in {COPIES}",
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
INSTALLS = {  # what `./course doctor --install` gets: for whom -> groups, and what works then
    "lecturer": ("instructor,site,tests", "slides, site, build, release, grade and nbgrader"),
    "contributor": ("hub,instructor,site,tests", "test, build and new"),
    "hub": ("hub", "a hub"),
    "bench": ("bench,hub,instructor,tests", "bench"),
}
MODULES = {"test": "testing"}  # the others are called like their command
HERE = Path(__file__).parent
FROM_A_PACKAGE = ("lab", "recall", "doctor")  # all else works on the files of the repository


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code.

    A module that declares PASSES_ON takes the arguments it does not know as `args.passed_on`.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a Windows file may know no arrows or ticks
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130
    except ValueError as error:
        if type(error).__name__ != "LessonFileError":  # whose module takes long to import
            raise
        print(error, file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "course_lib":
            raise
        print(_not_installed(arguments[0], error.name), file=sys.stderr)
        return 1


def _run(arguments: list[str]) -> int:
    if arguments[:1] and arguments[0] in COMMANDS and not _is_possible(arguments[0]):
        print(
            f"`{arguments[0]}` works on the files of the repository, and this is an installed "
            f"package, with the lessons alone. Clone or unpack the course, go there, and run: "
            f"./course {arguments[0]}",
            file=sys.stderr,
        )
        return 1
    parser, module = _parser(arguments)
    args, unknown = parser.parse_known_args(arguments)
    if unknown and not getattr(module, "PASSES_ON", False):
        parser.error(f"unknown: {' '.join(unknown)}. Try: {call(args.command)} --help")
    args.passed_on = unknown
    return module.run(args)


def _is_possible(command: str) -> bool:
    return is_clone() or command in FROM_A_PACKAGE


def _not_installed(command: str, module: str) -> str:
    """Which package a command lacks, and the line that installs it."""
    script = ROOT / "course"
    groups = runpy.run_path(str(script))["GROUPS"][command] if script.is_file() else ()
    line = install([module.partition(".")[0]], ",".join(groups), command)
    return (
        f"`{command}` needs the package {module}, which is not installed in {sys.prefix}. To "
        f"install all that it needs: {line}"
    )


def commands() -> dict[str, str]:
    """The commands that this edition has, each with a sentence."""
    return {name: words for name, words in COMMANDS.items() if _is_here(MODULES.get(name, name))}


def _is_here(module: str) -> bool:
    places = HERE / f"{module}.py", HERE / module / "__init__.py"
    return any(place.is_file() for place in places)


def _parser(arguments):
    """The parser, and the module of the command that `arguments` begin with."""
    parser = argparse.ArgumentParser(prog=call(""), description="What do you mean, important?")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    module = None
    for name, sentence in commands().items():
        text = sentence[0].upper() + sentence[1:] + "."
        command = subparsers.add_parser(name, help=sentence, description=text, allow_abbrev=False)
        if arguments[:1] == [name]:
            module = import_module(f"course_lib.tools.{MODULES.get(name, name)}")
            module.add_arguments(command)
    return parser, module
