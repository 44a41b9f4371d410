"""Which imports an answer uses, and which of them its task does not allow.

A look at the text, so it can be fooled; it makes a note for the lecturer and never changes points.
"""

import ast

from course_lib.grading.notebook import Schedule, parse_source
from course_lib.grading.records import Note

DETOURS = {"eval", "exec", "__import__", "importlib", "compile", "globals"}


def notes_on_imports(schedule: Schedule, at_run_time: set[str]) -> list[Note]:
    """One note per task whose answer uses something outside its allowed imports."""
    trees = {a.index: parse_source(a.source) for a in schedule.actions if a.source}
    known: dict[str, str] = {}
    for tree in trees.values():
        known |= _import_names(tree)
    notes, seen = [], set()
    for name, task in schedule.tasks.items():
        tree = trees.get(task.index)
        if tree is None or not task.attempted:
            continue
        used = _names_in_use(tree, known)
        seen |= used
        outside = sorted(u for u in used if not _is_allowed(u, task.exercise.allowed))
        if outside:
            text = f"{name} uses {', '.join(outside[:5])}, outside its allowed imports."
            notes.append(Note(text, for_lecturer=True))
    allowed = {a for task in schedule.tasks.values() for a in task.exercise.allowed}
    visible = set(known.values()) | {v.rpartition(".")[0] for v in known.values()} | seen
    hidden = sorted(m for m in at_run_time - visible if not _is_allowed(m, tuple(allowed)))
    if hidden:
        text = f"Imported while running, not visible in the text: {', '.join(hidden[:5])}."
        notes.append(Note(text, for_lecturer=True))
    return notes


def _import_names(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {a.asname or a.name: f"{module}.{a.name}" for a in node.names}
    return found


def _names_in_use(tree: ast.AST, known: dict[str, str]) -> set[str]:
    """Dotted names that a cell imports or uses, as far as its text shows."""
    own = set(_import_names(tree).values())
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in known:
                own.add(f"{known[node.value.id]}.{node.attr}")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in known:
                own.add(known[node.id])
            elif node.id in DETOURS:
                own.add(node.id)
    return {u for u in own if not any(other.startswith(f"{u}.") for other in own)}


def _is_allowed(name: str, allowed: tuple[str, ...]) -> bool:
    """Whether a dotted name lies in something allowed; a package on the way to it is no use yet."""
    return any(name == a or name.startswith(f"{a}.") or a.startswith(f"{name}.") for a in allowed)
