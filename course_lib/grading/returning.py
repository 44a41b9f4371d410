"""Pages on their way back to students, packed as a learning platform takes them."""

import os
import zipfile
from collections.abc import Iterable
from pathlib import Path

from course_lib.files import TEMPORARY
from course_lib.grading.records import Result
from course_lib.grading.roster import Roster

MOODLE = "feedback_moodle.zip"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that the same pages give the same bytes


def pack_for_moodle(out: Path, results: Iterable[Result], roster: Roster) -> list[str]:
    """Write the pages of the worksheet's lesson into a zip with the folders of Moodle's export.

    What comes back is a sentence on it, or none if the list is not Moodle's worksheet.
    """
    pages = {
        f"{folder}/{r.name}.html": out / "feedback" / r.student / f"{r.name}.html"
        for r in results
        if r.name in roster.entered and (folder := roster.moodle_folder(r.student))
    }
    pages = {name: page for name, page in pages.items() if page.exists()}
    if not pages:
        return []
    temporary = out / f"{TEMPORARY}{MOODLE}.tmp"
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in pages.items():
            entry = zipfile.ZipInfo(name, LONG_AGO)
            archive.writestr(entry, page.read_bytes(), zipfile.ZIP_DEFLATED)
    os.replace(temporary, out / MOODLE)
    return [f"The pages for students, for Moodle's upload of feedback files: {out / MOODLE}"]
