"""A student's server on a hub: the workbook is brought up to date, then JupyterHub's own starts.

The hub calls `python -P -m course_lib.tools.hub` where it would call `jupyterhub-singleuser`, as
the student and with the same arguments. The workbook is the folder that COURSE_WORKBOOK names,
else `workbook` in the student's home.
"""

import os
import sys
from pathlib import Path

from course_lib.tools import lab
from course_lib.tools.system import ROOT
from course_lib.tools.workbook import hand_out


def main(arguments: list[str] | None = None) -> None:
    """Hand out what is missing or new, and become the server."""
    arguments = sys.argv[1:] if arguments is None else arguments
    workbook = Path(os.environ.get("COURSE_WORKBOOK") or Path.home() / "workbook")
    for line in prepare(ROOT, workbook):
        print(line, file=sys.stderr, flush=True)
    server = [sys.executable, "-P", "-m", "jupyterhub.singleuser", *lab.encryption(), *arguments]
    os.execve(server[0], server, lab.environment(workbook))


def prepare(root: Path, workbook: Path) -> list[str]:
    """Bring a workbook that only its owner can read up to date; return what to say about it.

    A full or unwritable home keeps nobody out: the server starts, so that room can be made in it.
    """
    try:
        news = hand_out(root, workbook)
        workbook.chmod(0o700)
        return news
    except OSError as error:
        return [
            f"The workbook {workbook} could not be brought up to date ({error.strerror}: "
            f"{error.filename}). Make room in the home, or make the folder writable for its "
            f"owner, then stop and start the server."
        ]


if __name__ == "__main__":
    main()
