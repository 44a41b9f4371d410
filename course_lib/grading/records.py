"""What grading finds out about one submission, as records, and the JSON in which it is kept."""

import binascii
import json
import struct
from dataclasses import MISSING as MISSING_DEFAULT
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from types import UnionType
from typing import get_args, get_origin, get_type_hints

from course_lib.grading.forms import Form
from course_lib.grading.paragraphs import form_of_text
from course_lib.lessons.exercise import Exercise
from course_lib.lessons.judgement import CORRECT

ERROR, TIMEOUT, DIED, MISSING = "error", "timeout", "died", "missing"
FORMAT = 3  # another number makes every submission be graded again
MAX_EXCERPT = 80
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"  # how a picture begins, before its width and height
PIXELS_OF_A_CHARACTER = 20


@dataclass(frozen=True)
class Note:
    """A remark on a submission."""

    text: str
    for_lecturer: bool = False  # students do not see it

    def __str__(self) -> str:
        return f"For the lecturer: {self.text}" if self.for_lecturer else self.text


@dataclass(frozen=True)
class ErrorLine:
    """A line of the student's own code on the way to an error."""

    number: int
    text: str


@dataclass(frozen=True)
class CellError:
    """How a cell or an answer failed."""

    kind: str
    message: str
    lines: tuple[ErrorLine, ...] = ()

    def __str__(self) -> str:
        where = "".join(f"  line {line.number}: {line.text}\n" for line in self.lines)
        return f"{where}{self.kind}: {self.message}"


@dataclass(frozen=True)
class CellOutput:
    """One piece of a cell's output, a text or a picture."""

    text: str = ""
    png: str = ""

    @property
    def pixels(self) -> int:
        """How many a picture has when it is opened, however small its file; 0 if it is none."""
        start = binascii.a2b_base64(self.png[:32].encode("ascii", "ignore"))
        if len(start) < 24 or not start.startswith(PNG):
            return 0
        width, height = struct.unpack("!II", start[16:24])
        return width * height

    def __len__(self) -> int:
        """What it takes of the room for output: characters, or pixels where those are more."""
        return len(self.text) + max(len(self.png), self.pixels // PIXELS_OF_A_CHARACTER)


@dataclass(frozen=True)
class CellRun:
    """What running a cell gave."""

    output: tuple[CellOutput, ...] = ()
    error: CellError | None = None
    lost: str = ""  # why there is nothing, if the cell took its process with it

    def __bool__(self) -> bool:
        return bool(self.output or self.error or self.lost)


@dataclass(frozen=True)
class ExtraCell:
    """A cell that answers no task, by its number in the notebook."""

    number: int
    run: CellRun


@dataclass(frozen=True)
class TaskResult:
    """What one task is worth, and why."""

    task: str
    title: str
    points: int
    max_points: int
    outcome: str
    message: str
    hint: str = ""
    slip_name: str = ""
    behind: str = ""  # the misconception that a slip may come from
    code: str = ""
    run: CellRun = CellRun()
    form: Form = Form()

    @classmethod
    def of(cls, exercise: Exercise, outcome: str, message: str, **more) -> "TaskResult":
        """The result for an exercise, with all its points or none."""
        points = exercise.points if outcome == CORRECT else 0
        return cls(exercise.id, exercise.title, points, exercise.points, outcome, message, **more)


@dataclass(frozen=True)
class WrittenResult:
    """An answer that a person reads, empty if there is none."""

    task: str
    max_points: int
    answer: str = ""
    form: Form = Form()  # of the whole answer, in a summary

    def summary(self) -> "WrittenResult":
        """The same with the beginning of the answer."""
        return replace(self, answer=self.answer[:MAX_EXCERPT], form=form_of_text(self.answer))


@dataclass(frozen=True)
class Result:
    """All about one submission."""

    student: str
    lesson: str
    name: str
    max_points: int
    tasks: tuple[TaskResult, ...]
    written: tuple[WrittenResult, ...]
    notes: tuple[Note, ...] = ()
    cells: tuple[ExtraCell, ...] = ()
    contained: bool = True
    key: str = ""  # what the result depends on; empty if it should be graded again
    late: bool | None = None  # None where nothing tells when it was handed in

    @property
    def points(self) -> int:
        return sum(task.points for task in self.tasks)

    def summary(self) -> "Result":
        """The same without code and outputs, so that a whole class fits into memory."""
        tasks = (replace(task, message="", code="", run=CellRun()) for task in self.tasks)
        written = (w.summary() for w in self.written)
        return replace(self, tasks=tuple(tasks), written=tuple(written), cells=())


# JSON


def to_json(result: Result) -> str:
    """A result as readable JSON."""
    data = {"format": FORMAT, "points": result.points, **asdict(result)}
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def from_json(text: str) -> Result | None:
    """The result behind a text, or None if it is not one in the present format."""
    try:
        data = json.loads(text)
        if data.pop("format") != FORMAT:
            return None
        del data["points"]
        return _build(Result, data)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None


_hints = cache(get_type_hints)


def _build(kind, data):
    """The record of this kind, if the data have its fields with their types, and no others.

    A field with a default may be missing: it is younger than what was stored.
    """
    if is_dataclass(kind):
        needed = {field.name for field in fields(kind) if field.default is MISSING_DEFAULT}
        if not needed <= data.keys() <= {field.name for field in fields(kind)}:
            raise ValueError(f"not the fields of {kind.__name__}")
        return kind(**{name: _build(_hints(kind)[name], part) for name, part in data.items()})
    if get_origin(kind) is tuple:
        return tuple(_build(get_args(kind)[0], part) for part in data)
    if isinstance(kind, UnionType):
        return None if data is None else _build(get_args(kind)[0], data)
    if type(data) is not kind:
        raise ValueError(f"{kind.__name__} expected")
    return data
