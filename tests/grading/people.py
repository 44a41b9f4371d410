"""Running a command as the other kind of user: root as an ordinary one, an ordinary one as root."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from course_lib.tools.system import ROOT

NUMBER = 12_345  # of a user who owns nothing
OTHER = "COURSE_OTHER_USER"
IS_OTHER = OTHER in os.environ  # whether this process was started by `as_the_other`
SCRIPT = """
set -e
{uncover}
exec setpriv --reuid {number} --regid {number} --clear-groups --inh-caps=-all --bounding-set=-all \\
    "$@"
"""


def is_root() -> bool:
    return os.geteuid() == 0


def _closed_folder(path: Path) -> Path | None:
    """The first folder on the way to a path that others may not enter."""
    above = reversed(path.parents)
    return next((folder for folder in above if not folder.stat().st_mode & 0o001), None)


def _uncover(path: Path, stage: Path) -> str:
    """Commands that make a path reachable in this process's own view of the files."""
    closed = _closed_folder(path)
    if closed is None:
        return ""
    closed, path, stage = (shlex.quote(str(each)) for each in (closed, path, stage))
    return f"""
mount --bind {path} {stage}
mount -t tmpfs -o mode=755 none {closed}
mkdir -p {path}
mount --bind {stage} {path}
"""


@contextmanager
def folder_for_anybody():
    """A folder that both kinds of users may write to, gone afterwards."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    os.chmod(folder, 0o777)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def as_the_other(words: list[str], folder: Path, **options) -> subprocess.CompletedProcess:
    """Run a command as the other kind of user, with a home in `folder`."""
    own = {"HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1", OTHER: "1"}
    if not is_root():
        line = ["sudo", "-n", f"--preserve-env={','.join([*own, 'COURSE_TESTS'])}", *words]
    else:
        stage = folder / "stage"
        stage.mkdir()
        uncover = _uncover(Path(sys.base_prefix).resolve(), stage)
        script = SCRIPT.format(uncover=uncover, number=NUMBER)
        line = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", *words]
    return subprocess.run(
        line, cwd=ROOT, env=os.environ | own, capture_output=True, text=True, **options
    )
