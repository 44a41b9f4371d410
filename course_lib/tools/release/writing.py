"""The student edition on disk: a folder that can be brought up to date, and a zip."""

import hashlib
import json
import zipfile
from pathlib import Path

from course_lib import __version__
from course_lib.files import write_if_changed
from course_lib.tools.release.edition import ReleaseError

NOTE = ".edition.json"  # in the folder: which files are ours, so that old ones can go
RUN = {"course"}  # what must be executable
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip knows


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Bring a folder up to date; what is not ours in it, such as .venv or .git, is left alone."""
    for old in sorted(_own_files(folder) - files.keys()):
        (folder / old).unlink(missing_ok=True)
    for place, content in (files | {NOTE: note(files)}).items():
        write_if_changed(folder / place, content)
        if place in RUN:
            (folder / place).chmod((folder / place).stat().st_mode | 0o111)


def _own_files(folder: Path) -> set[str]:
    """What an earlier student edition has put there."""
    if folder.is_file():
        new = folder.with_name("student-edition")
        raise ReleaseError(f"{folder} is a file. Give a new folder, such as {new}.")
    if not folder.exists() or not any(folder.iterdir()):
        return set()
    try:
        return set(json.loads((folder / NOTE).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise ReleaseError(
            f"{folder} is not empty and holds no earlier student edition. Give a new folder, such "
            f"as {folder / 'student-edition'}."
        ) from None


def note(files: dict[str, bytes]) -> bytes:
    """What the edition is, and its files with their digests."""
    digests = {place: hashlib.sha256(content).hexdigest() for place, content in files.items()}
    data = {"edition": "student", "version": __version__, "files": digests}
    return (json.dumps(data, indent=1) + "\n").encode()


def write_zip(path: Path, top: str, files: dict[str, bytes]) -> None:
    """Write the edition as a zip with one folder in it; the same edition gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for place, content in (files | {NOTE: note(files)}).items():
            entry = zipfile.ZipInfo(f"{top}/{place}", LONG_AGO)
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if place in RUN else 0o100644) << 16
            archive.writestr(entry, content, compresslevel=9)
