"""What makes the pages alive: one script, one stylesheet, and the stored states of explorers."""

import json
from base64 import b64encode
from importlib.resources import files
from itertools import product
from pathlib import Path

from markupsafe import Markup

from course_lib import lessons
from course_lib.tools.mounts import Mount, mounts_of
from course_lib.widgets.states import FOLDER, NARROW, stored_states
from course_lib.widgets.surface import script, style

FRONT = "02"  # the lesson whose explorer stands on the front page
FIXED = {"levels": "all differ", "n": "800"}  # what cannot be changed there
TEXTS = {
    "goal": "Make the ticket more important than the treatment. Then, with the same forests, make "
    "it unimportant again.",
    "then": "The same forests, another question: MDI asks what the trees have learned by heart, "
    "out of bag what holds for other patients.",
}


class SiteError(Exception):
    """Why the site cannot be built, and what to do."""


def write_static(folder: Path) -> None:
    """What all pages load, and what an explorer loads when it comes into view."""
    (folder / "states").mkdir(parents=True)
    own = files("course_lib.tools.site") / "site.css"
    _write(folder / "site.css", own.read_text(encoding="utf-8"))
    _write(folder / "surface.css", style())
    _write(folder / "surface.js", script("page"))
    for path in (files("course_lib.widgets") / FOLDER).iterdir():
        if path.suffix == ".gz":
            _write(folder / "states" / f"{path.stem}.js", states_script(path.stem))


def states_script(name: str) -> str:
    """The stored states of an explorer as a script: from `file://` a page can load nothing else."""
    base64 = b64encode(stored_states(name).packed).decode()
    return f'courseStates("{name}", "{base64}");\n'


def front_explorer(root: Path) -> Markup:
    """The explorer of the front page: that of a lesson, with fewer controls and other words."""
    lesson = lessons.load(FRONT)
    path = root / "notebooks" / f"{lesson.name}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    mount = next((m for m in mounts_of(notebook) if m.attributes.get("stored")), None)
    if mount is None:
        raise SiteError(
            f"The front page shows the explorer of lesson {FRONT}, and {path.name} holds none "
            f"with stored states. Build it: ./course build {FRONT}"
        )
    return narrowed(mount, FIXED, TEXTS).html


def narrowed(mount: Mount, fixed: dict[str, str], texts: dict[str, str]) -> Mount:
    """An explorer with some of its controls fixed, its states in the page, and other words.

    Parameters
    ----------
    mount : Mount
        With stored states.
    fixed : dict
        The text of the value of each control that is left out.
    texts : dict
        What replaces parts of the description, such as the goal.
    """
    states = stored_states(mount.attributes["stored"])
    controls = mount.spec["controls"]
    place = mount.spec["place"] | {
        c["name"]: c["texts"].index(fixed[c["name"]]) for c in controls if c["name"] in fixed
    }
    free = [control for control in controls if control["name"] not in fixed]
    ranges = [
        [place[c["name"]]] if c["name"] in fixed else range(len(c["texts"])) for c in controls
    ]
    numbers = [states.number(at) for at in product(*ranges)]
    spec = mount.spec | texts | {"controls": free}
    spec |= {"place": {control["name"]: place[control["name"]] for control in free}}
    here = states.number([place[control["name"]] for control in controls])
    spec["shown"] = states.shown(here) | {"place": spec["place"]}
    attributes = {"name": "front"}
    for attribute, kind in {"states": "", "states_narrow": NARROW}.items():
        packed = stored_states(mount.attributes["stored"] + kind).part(numbers, _sizes(free))
        attributes[attribute] = b64encode(packed).decode()
    return Mount(mount.kind, spec, mount.fallback, attributes)


def _sizes(controls: list[dict]) -> list[int]:
    return [len(control["texts"]) for control in controls]


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
