"""What Moodle's grading worksheet has beside the points: the time, comments, and whose folder."""

import re
from collections.abc import Callable, Sequence

STATUS = {"status", "statut", "estado", "stato"}
_COMMENTS = re.compile(r"(?=.*(feedback|retroal|rückmeldung)).*(comment|kommentar|coment)", re.I)
_LATE = re.compile(  # how Moodle says it, in several languages
    r"\blate\b|\bverspätet|\bspäter\b|\bzu spät|\bverspätung|\bdespués\b|\bretard\b|\bte laat\b"
    r"|\bretras|\bin ritardo\b|\batras",
    re.I,
)
_SUBMITTED = re.compile(r"(?<!not )submitted for grading|(?<!nicht )abgegeben", re.I)


def status_column(header: Sequence[str]) -> int | None:
    """Where the worksheet says what has become of a submission."""
    return _only(header, lambda name: name.strip().lower() in STATUS)


def comment_column(header: Sequence[str]) -> int | None:
    """Where the worksheet has room for a comment."""
    return _only(header, lambda name: bool(_COMMENTS.search(name)))


def _only(header: Sequence[str], fits: Callable[[str], bool]) -> int | None:
    found = [k for k, name in enumerate(header) if fits(name)]
    return found[0] if len(found) == 1 else None


def late(status: str) -> bool | None:
    """What a status says of the time; None if it is not understood.

    >>> late("Submitted for grading - 2 hours late"), late("Submitted for grading - "), late("-")
    (True, False, None)
    """
    if _LATE.search(status):
        return True
    unread = re.search(r"\d", status)  # a time that is told in words we do not know
    return False if _SUBMITTED.search(status) and not unread else None


def folder(name: str, identifier: str) -> str:
    """How Moodle calls the folder of a submission in its export, and wants it in an upload.

    >>> folder("Ada Lovelace", "Participant 500100")
    'Ada Lovelace_500100_assignsubmission_file_'
    """
    number = re.search(r"\d+$", identifier.strip())
    plain = re.sub(r'[_/\\:*?"<>|\x00-\x1f]', " ", name)
    return f"{plain}_{number[0]}_assignsubmission_file_" if number else ""
