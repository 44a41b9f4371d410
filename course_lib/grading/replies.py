"""What comes out of the box, rebuilt as records: data of strangers, believed in no respect."""

import binascii
from dataclasses import dataclass

from course_lib.grading.records import ERROR, CellError, CellOutput, CellRun, ErrorLine
from course_lib.lessons.response import Response
from course_lib.lessons.values import MAX_BRIEF, clean, decode

MAX_KIND, MAX_MESSAGE, MAX_LINE, MAX_LINES = 80, 2000, 200, 5
MAX_OUTPUTS, MAX_IMPORTS = 500, 200  # of one cell
MAX_PIXELS = 20_000_000  # of a picture; 80 MB when a browser opens it


@dataclass(frozen=True)
class CallReply:
    """What calling an answer gave: a response to judge, or how the call failed."""

    response: Response = Response()
    failure: str = ""  # one of ERROR, TIMEOUT, DIED
    message: str = ""
    public: "CallReply | None" = None  # to the notebook's cases, which explain what went wrong


def parse_reply(data: dict) -> CallReply:
    """The reply behind a message; values that are none count as no values at all."""
    if data.get("blank") is True:
        return CallReply(Response(blank=True))
    if uncallable := clean(data.get("uncallable"), MAX_BRIEF):
        return CallReply(Response(uncallable=uncallable))
    if "error" in data:
        return CallReply(failure=ERROR, message=str(parse_error(data["error"])))
    answers = data.get("answers")
    try:
        values = tuple(map(decode, answers)) if type(answers) is list else ()
    except ValueError:
        values = ()
    return CallReply(Response(values, open=_count(data, "open"), changed=_count(data, "changed")))


def _count(data: dict, name: str) -> int:
    """A small number, or 0 in place of anything else."""
    number = data.get(name)
    return number if type(number) is int and 0 < number < 100 else 0


def parse_cell(data: dict, room: int) -> CellRun:
    """What a cell gave, as much of its output as there is room for."""
    parts, output, error = data.get("output"), [], data.get("error")
    for part in parts[:MAX_OUTPUTS] if type(parts) is list else []:
        if type(part) is not dict:
            continue
        text, png = part.get("text"), part.get("png")
        if type(text) is str and text and room > 0:
            output.append(CellOutput(text=clean(text, room)))
            room -= len(text)
        elif type(png) is str and len(png) <= room:
            picture = CellOutput(png="".join(png.split()))
            if _is_shown(picture) and len(picture) <= room:
                output.append(picture)
                room -= len(picture)
    return CellRun(tuple(output), None if error is None else parse_error(error))


def _is_shown(picture: CellOutput) -> bool:
    """Whether it is a picture that a browser can open without harm."""
    try:
        return 0 < picture.pixels <= MAX_PIXELS
    except (binascii.Error, ValueError):
        return False


def parse_error(data) -> CellError:
    """The error behind whatever was sent as one."""
    data = data if type(data) is dict else {}
    lines = data.get("lines")
    return CellError(
        clean(data.get("kind"), MAX_KIND) or "Error",
        clean(data.get("message"), MAX_MESSAGE),
        tuple(
            ErrorLine(entry["line"], clean(entry.get("text"), MAX_LINE))
            for entry in (lines if type(lines) is list else [])[:MAX_LINES]
            if type(entry) is dict and type(entry.get("line")) is int
        ),
    )


def parse_imports(data: dict) -> set[str]:
    """The names of what was imported while a cell ran."""
    names = data.get("imports")
    names = names[:MAX_IMPORTS] if type(names) is list else []
    return {clean(name, MAX_LINE) for name in names if type(name) is str}
