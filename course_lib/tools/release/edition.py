"""What the student edition consists of: every file by its place, made from the course.

Which parts of the library are in it says `course_lib/lessons/editions.py`. Of a lesson come its
questions without model answers and, in place of references and slips, what they give on the public
cases. Notebooks come as they are; solutions and tests do not come at all.
"""

import re
import tomllib
from pathlib import Path

from course_lib import lessons
from course_lib.lessons import editions, stored
from course_lib.tools import cli, documents
from course_lib.tools.workbook import originals

TOP = ("CITATION.cff", "LICENSE", "LICENSE-LESSONS", ".gitignore")
TOP += ("environment.yml", "pyproject.toml", "requirements.lock", "setup.py")
README = Path(__file__).with_name("README.md.txt")
TEXT = r"'''.*?'''|\"\"\".*?\"\"\"|'[^'\n]*'|\"[^\n]*\""  # as toml writes it
MODEL_ANSWER = re.compile(rf"^answer *= *(?:{TEXT}) *\n", re.M | re.S)


class ReleaseError(ValueError):
    """There is no student edition of this; the message says why and what to do."""


def contents(root: Path) -> dict[str, bytes]:
    """Every file of the student edition: its place -> what is in it."""
    library = root / "course_lib"
    places = [root / name for name in TOP] + list(originals(root).values())
    places += sorted((root / "notebooks").glob("*.md"))
    places += [library / place for place in editions.files(library, editions.STUDENT)]
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in places}
    for number in lessons.numbers():
        place = f"course_lib/lessons/lesson_{number}"
        questions = files[f"{place}.toml"].decode()
        files[f"{place}.toml"] = without_model_answers(questions, f"{place}.toml").encode()
        files[f"{place}.json"] = stored.to_json(lessons.exercises(number)).encode()
    files["course"] = with_commands((root / "course").read_text(encoding="utf-8"), files).encode()
    files["README.md"] = readme().encode()
    return dict(sorted(files.items()))


def without_model_answers(text: str, name: str) -> str:
    """The toml of a lesson without the answers to its written tasks, otherwise word for word."""
    wanted = tomllib.loads(text)
    for task in wanted["written"]:
        del task["answer"]
    found = MODEL_ANSWER.sub("", text)
    if tomllib.loads(found) != wanted:
        raise ReleaseError(
            f"{name}: the model answers cannot be taken out. Write each as answer = '''...''', "
            f"with the three quotation marks that no answer has inside."
        )
    return found


def with_commands(script: str, files: dict[str, bytes]) -> str:
    """The script `course` without the lines of commands whose modules are not among the files.

    Nor has it what `doctor --install` would get for those who call them.
    """
    missing = [name for name in cli.COMMANDS if not _has_module(name, files)]
    named, whom = "|".join(missing), "|".join(cli.INSTALLS)
    lines = rf"  \./course (?:{named}|doctor --install) ?.*|    \"(?:{named}|{whom})\": .*"
    return re.sub(rf"^(?:{lines}|For lecturers: .*)\n", "", script, flags=re.M)


def _has_module(command: str, files: dict[str, bytes]) -> bool:
    place = f"course_lib/tools/{cli.MODULES.get(command, command)}"
    return f"{place}.py" in files or f"{place}/__init__.py" in files


def readme() -> str:
    """The README for students, with the table of lessons."""
    text = README.read_text(encoding="utf-8")
    return documents.with_parts(README.name, text, {"lessons": documents.lessons_table()})
