"""`./course nbgrader`: a folder in which nbgrader's own commands work, every exercise released.

No configuration is needed, and that of `nbgrader quickstart` would do. The lines written here name
the course, leave a slow or busy machine time for the fits of the last lessons, and spare its owner
two searches: nbgrader calls the program alembic by name, and finds it only if the folder with
Python's programs is on the path; and it takes a notebook only under the name of its source, which
is not what the student edition calls it.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

from course_lib import lessons
from course_lib.learner.ways import quoted
from course_lib.tools.system import ROOT

CONFIG = """import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = {name!r}
c.ExecutePreprocessor.timeout = 300  # seconds a cell may take; nbgrader's own are 30

# nbgrader calls alembic by name; it lies beside this Python, wherever nbgrader is called from.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])

# The student edition calls an exercise exercise_01_mdi.ipynb, and a browser a further copy of it
# exercise_01_mdi (1).ipynb; nbgrader knows it as 01_mdi.ipynb.
course = Path(__file__).parent
for folder in sorted(course.glob("submitted/*/*/")):
    wanted = folder / f"{{folder.name}}.ipynb"
    if wanted.exists() or not (course / "source" / folder.name / wanted.name).exists():
        continue
    files = sorted(path for path in folder.iterdir() if path.is_file())
    fitting = [p for p in files if p.suffix == ".ipynb" and folder.name in p.name.lower()]
    if len(fitting) == 1:
        fitting[0].rename(wanted)
    else:
        print(
            f"{{folder.relative_to(course)}} has no {{wanted.name}}, and",
            "more than one file" if fitting else "no file",
            "that may be it, so nbgrader skips it. Rename the right one of these yourself:",
            ", ".join(repr(path.name) for path in fitting or files) or "(no files)",
            file=sys.stderr,
        )
"""
NEXT = """{count} exercises are in {folder}: with answers in source/, for students in release/.

Go there:                 cd {folder}
Collected notebooks:      submitted/ada/01_mdi/01_mdi.ipynb, one folder for each student;
                          exercise_01_mdi.ipynb, or a copy such as 01_mdi (1).ipynb, is renamed
                          so when a command of nbgrader starts, if it is the only one that fits
Points for the checks:    {program} autograde 01_mdi
Points for written ones:  in JupyterLab, Nbgrader > Formgrader
Pages for students:       {program} generate_feedback 01_mdi
A table of all points:    {program} export
autograde runs students' code with all your rights; ./course grade does not."""


class NbgraderError(ValueError):
    """Why there is no course for nbgrader, and what to do."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course nbgrader`."""
    parser.add_argument("folder", type=Path, help="a new or empty folder")


def run(args: argparse.Namespace) -> int:
    """Make the folder and say what to do with it; 0 if all is well, 2 if it cannot be made."""
    folder = args.folder.expanduser().absolute()
    try:
        refuse_used(folder)
        names = make(ROOT, folder)
    except NbgraderError as error:
        print(error, file=sys.stderr)
        return 2
    program = Path(sys.executable).with_name("nbgrader")
    print(NEXT.format(count=len(names), folder=quoted(folder), program=quoted(program)))
    return 0


def refuse_used(folder: Path) -> None:
    """Refuse whatever is not a new or empty folder; nothing is ever deleted."""
    if folder.exists() and not folder.is_dir():
        raise NbgraderError(f"{folder} is a file. Name a new or empty folder.")
    if folder.exists() and (there := sorted(path.name for path in folder.iterdir())):
        some = ", ".join(there[:3]) + (", ..." if len(there) > 3 else "")
        raise NbgraderError(
            f"{folder} is not empty: it has {some}. Name a new or empty folder; what is in this "
            f"one is left as it is."
        )


def make(root: Path, folder: Path) -> list[str]:
    """Put every solution into `folder` as a source, release it, and return their names."""
    names = [lesson.name for lesson in lessons.available()]
    solved = {name: root / "solutions" / name / f"{name}.ipynb" for name in names}
    if missing := [str(path) for path in solved.values() if not path.exists()]:
        raise NbgraderError(f"{missing[0]} is missing. Make it with: ./course build")
    try:
        for name, path in solved.items():
            (folder / "source" / name).mkdir(parents=True)
            shutil.copy(path, folder / "source" / name)
        write_config(folder)
    except OSError as error:
        raise NbgraderError(f"{folder} cannot be written: {error.strerror}.") from None
    release(folder, names)
    return names


def write_config(folder: Path) -> None:
    """Write what nbgrader reads whenever one of its commands starts in this folder."""
    config = folder / "nbgrader_config.py"
    config.write_text(CONFIG.format(name=folder.name), encoding="utf-8")


def release(course: Path, names: list[str]) -> None:
    """Make what students get, by nbgrader as it comes, and enter it into its gradebook."""
    from nbgrader.apps import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    config = Config()
    config.CourseDirectory.root = str(course)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    for name in names:
        done = api.generate_assignment(name)
        if not done["success"]:
            raise NbgraderError(
                f"nbgrader released no {name}, so {course} is not complete:\n{done['log']}"
            )
