"""Which imports an answer uses, and which of them its task does not allow.

A look at the text, so it can be fooled; it makes a note for the lecturer and never changes points.
"""

from course_lib.grading.notebook import Schedule
from course_lib.grading.reading import Names
from course_lib.grading.records import Note

DETOURS = {"eval", "exec", "__import__", "importlib", "compile", "globals"}


def notes_on_imports(schedule: Schedule, at_run_time: set[str]) -> list[Note]:
    """One note per task whose answer uses something outside its allowed imports."""
    cells = {a.index: a.names for a in schedule.actions if a.source}
    known: dict[str, str] = {}
    for names in cells.values():
        known |= names.imported
    notes, seen = [], set()
    for name, task in schedule.tasks.items():
        if task.index not in cells or not task.attempted:
            continue
        used = _names_in_use(cells[task.index], known)
        seen |= used
        outside = sorted(u for u in used if not _is_allowed(u, task.exercise.allowed))
        if outside:
            text = f"{name} uses {_listed(outside)}, outside its allowed imports."
            notes.append(Note(text, for_lecturer=True))
    allowed = {a for task in schedule.tasks.values() for a in task.exercise.allowed}
    visible = set(known.values()) | {v.rpartition(".")[0] for v in known.values()} | seen
    hidden = sorted(m for m in at_run_time - visible if not _is_allowed(m, tuple(allowed)))
    if hidden:
        text = f"Imported while running, not visible in the text: {_listed(hidden)}."
        notes.append(Note(text, for_lecturer=True))
    return notes


def _listed(names: list[str]) -> str:
    """The first of these, each in quotation marks: a student may have chosen them to be read."""
    return ", ".join(f'"{name}"' for name in names[:5])


def _names_in_use(names: Names, known: dict[str, str]) -> set[str]:
    """Dotted names that a cell imports or uses, as far as its text shows."""
    own = {meaning for _, meaning in names.imported}
    own |= {f"{known[name]}.{attribute}" for name, attribute in names.attributes if name in known}
    own |= {known.get(name, name) for name in names.used if name in known or name in DETOURS}
    inner = {u.rpartition(".")[0] for u in own}
    return own - {outer for name in inner for outer in _and_outer(name)}


def _and_outer(name: str) -> list[str]:
    """A dotted name and those that it lies in."""
    parts = name.split(".")
    return [".".join(parts[:k]) for k in range(1, len(parts) + 1)]


def _is_allowed(name: str, allowed: tuple[str, ...]) -> bool:
    """Whether a dotted name lies in something allowed; a package on the way to it is no use yet."""
    return any(name == a or name.startswith(f"{a}.") or a.startswith(f"{name}.") for a in allowed)
