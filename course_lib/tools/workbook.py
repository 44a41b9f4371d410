"""The learner's workbook: copies of lessons and exercises, never overwritten once changed.

A note of what was handed out lies beside the copies. A lesson that has moved on replaces its copy
only where the learner has neither written nor run anything in it; otherwise it is put beside it.
"""

import hashlib
import json
import re
from copy import deepcopy
from pathlib import Path

from course_lib.files import write_atomically, write_if_changed
from course_lib.lessons.cells import exercise_file

NOTE = ".handed_out.json"
LESSONS = "[0-9][0-9]_*.ipynb"
EXERCISE = re.compile(r"\]\(\.\./exercises/\w+/(\d\d_\w+)\.ipynb")  # a lesson's link to it


def originals(root: Path) -> dict[str, Path]:
    """Place in the workbook -> notebook of the repository, lessons first.

    In JupyterLab a tab shows only the file's name, so an exercise has another one than its lesson.
    """
    lessons = sorted((root / "notebooks").glob(LESSONS))
    exercises = sorted((root / "exercises").glob(f"*/{LESSONS}"))
    return {path.name: path for path in lessons} | {
        f"exercises/{exercise_file(path.stem)}": path for path in exercises
    }


def with_own_links(notebook: dict) -> dict:
    """A copy whose links lead from notebook to notebook of the workbook, not of the repository."""
    own = deepcopy(notebook)
    for cell in own["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"]).replace("](../../notebooks/", "](../")
            cell["source"] = EXERCISE.sub(lambda to: f"](exercises/{exercise_file(to[1])}", text)
    return own


def without_outputs(notebook: dict) -> dict:
    """A copy as nobody has run it yet: an output would give away what is to be predicted."""
    fresh = deepcopy(notebook)
    for cell in fresh["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"], cell["outputs"] = None, []
    return fresh


def content(notebook: dict) -> str:
    """Digest of what a learner can put into a notebook: text, code and outputs.

    Opening and saving a notebook changes only what is left out here.
    """
    parts = [
        [cell["cell_type"], "".join(cell["source"]), cell.get("outputs", [])]
        for cell in notebook["cells"]
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def hand_out(root: Path, workbook: Path) -> list[str]:
    """Put what is missing or has moved on into the workbook; return a sentence for each change.

    A notebook that the learner deleted comes back, one that the learner changed stays as it is.
    """
    (workbook / "exercises").mkdir(parents=True, exist_ok=True)
    note, added = _read_note(workbook), []
    news = _rename_old(root, workbook, note)
    for place, original in originals(root).items():
        fresh = without_outputs(json.loads(original.read_text(encoding="utf-8")))
        fresh = with_own_links(fresh)
        fresh["metadata"].pop("widgets", None)  # their state gives away as much as an output
        copies = note.setdefault(place, {})
        if not copies and _content_of(workbook / place) == content(fresh):
            copies[place] = content(fresh)  # the note was lost; this copy needs no other
        target = _where(workbook, place, content(fresh), copies)
        if target is None:
            continue
        if (workbook / target).exists():
            news.append(f"{target}: replaced by its new version (you had not changed it).")
        elif target != place:
            news.append(f"{target}: the lesson has moved on; your own copy is left as it is.")
        else:
            added.append(place)
        write_atomically(workbook / target, json.dumps(fresh, indent=1, ensure_ascii=False) + "\n")
        copies[target] = content(fresh)
        _write_note(workbook, note)
    _write_note(workbook, note)
    _hand_out_pages(root, workbook)
    if added:
        names = ", ".join(added) if len(added) <= 3 else f"{len(added)} notebooks"
        news.insert(0, f"Put into your workbook: {names}.")
    return news


def _rename_old(root: Path, workbook: Path, note: dict) -> list[str]:
    """Give exercises that were handed out under their lesson's name the name they have now."""
    news = []
    for place, original in originals(root).items():
        old = f"exercises/{original.name}"
        if place == original.name or (workbook / place).exists():
            continue
        for before, now in zip(_names(old), _names(place), strict=True):
            if (workbook / before).exists():
                (workbook / before).rename(workbook / now)
                news.append(f"{before} is now called {now}.")
            if before in note.get(old, {}):
                note.setdefault(place, {})[now] = note[old].pop(before)
        note.pop(old, None)
    return news


def _hand_out_pages(root: Path, workbook: Path) -> None:
    """Bring the glossary and the references, which are only read, up to date."""
    for page in sorted((root / "notebooks").glob("*.md")):
        write_if_changed(workbook / page.name, with_anchors(page.read_text(encoding="utf-8")))


def with_anchors(markdown: str) -> str:
    """The page with an anchor at each heading whose link JupyterLab would not follow.

    Links are written as GitHub and the site want them, in small letters and without punctuation;
    JupyterLab calls a heading by its words as they are, with hyphens for blanks.
    """

    def with_anchor(found: re.Match) -> str:
        marks, heading = found.groups()
        link = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        known = link == heading.replace(" ", "-")
        return found[0] if known else f'{marks} <a id="{link}"></a>{heading}'

    return re.sub(r"^(#+) (.+)$", with_anchor, markdown, flags=re.MULTILINE)


def _where(workbook: Path, place: str, fresh: str, copies: dict[str, str]) -> str | None:
    """The file that a fresh copy goes to, or None if the learner was given this version already."""
    names = _names(place)
    existing = [name for name in names if (workbook / name).exists()]
    contents = {name: _content_of(workbook / name) for name in existing}
    if not existing:
        return place
    if fresh in copies.values() or fresh in contents.values():
        return None
    latest = existing[-1]
    if copies.get(latest, "") == contents[latest]:
        return latest
    return names[names.index(latest) + 1]


def _names(place: str) -> list[str]:
    """The names that copies of a notebook may have, the first one first."""
    return [place, *(_beside(place, number) for number in range(1, 100))]


def _beside(place: str, number: int) -> str:
    """`01_mdi (new).ipynb`, `01_mdi (new 2).ipynb`, ..."""
    mark = "(new)" if number == 1 else f"(new {number})"
    return f"{place.removesuffix('.ipynb')} {mark}.ipynb"


def _content_of(path: Path) -> str | None:
    """Content of a copy; None if it is gone or no notebook any more."""
    try:
        return content(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _read_note(workbook: Path) -> dict[str, dict[str, str]]:
    """What was handed out, place -> file -> content; lost or damaged, it is nothing."""
    try:
        note = json.loads((workbook / NOTE).read_text(encoding="utf-8"))
        return {place: dict(copies) for place, copies in note.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write_note(workbook: Path, note: dict) -> None:
    write_if_changed(workbook / NOTE, json.dumps(note, indent=1, sort_keys=True) + "\n")
