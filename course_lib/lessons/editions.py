"""What of the library others get to see: one list for the student edition and for the box.

Four packages know answers, or serve those who do: of them an edition has only what is named here.
All other packages it has whole: they compute and draw, and know no exercise. References, slips and
the way in which cases are drawn stand in `lesson_NN.py` alone, which no list names.
"""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

Edition = Mapping[str, tuple[str, ...]]  # guarded package -> patterns of its files

ANSWERING = ("blanks", "exercise", "given", "packing", "response", "unchanged", "values")
JUDGING = ("comparison", "diagnosis", "judgement", "sealing", "stored")
ASKING = ("cells", "prediction", "prose", "reading", "schema", "ties")


def _modules(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}.py" for name in names)


STUDENT: Edition = {  # `./course release`; of a lesson's toml without the model answers
    "grading": (),
    "learner": ("*.py",),
    "lessons": (
        *_modules("__init__", *ANSWERING, *JUDGING, *ASKING),
        *("lesson_*.toml", "pretest.toml"),
    ),
    "tools": (
        *_modules("__init__", "cli", "doctor", "lab", "recall", "saving", "system", "workbook"),
        *("hub/__init__.py", "hub/__main__.py", "hub/jupyterhub_config.py", "jupyter/*"),
    ),
}
BOX: Edition = {  # where answers are graded nobody is asked, told or judged
    "grading": _modules(
        *("confine", "forkserver", "forms", "inside", "places", "preloading", "reading"),
        *("shell", "watch", "wire"),
    ),
    "learner": (),
    "lessons": _modules(*ANSWERING),
    "tools": (),
}
GUARDED = tuple(STUDENT)


def files(library: Path, edition: Edition) -> Iterator[Path]:
    """The files of the library that an edition has, relative to it, in order.

    Of a package that is not guarded these are all that a package needs; no sentences about it.
    """
    for path in sorted(library.rglob("*")):
        place = path.relative_to(library)
        hidden = any(part.startswith((".", "__pycache__")) for part in place.parts)
        if path.is_file() and not hidden and path.suffix != ".md" and _is_in(place, edition):
            yield place


def _is_in(place: Path, edition: Edition) -> bool:
    package, _, inside = place.as_posix().partition("/")
    return package not in edition or any(fnmatchcase(inside, one) for one in edition[package])
