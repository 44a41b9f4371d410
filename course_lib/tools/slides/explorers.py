"""Explorers on slides: alive with all their states in the file; on paper a still at the goal."""

from base64 import b64decode, b64encode
from dataclasses import replace

from markupsafe import Markup

from course_lib.plots.svg import svg_html
from course_lib.tools.mounts import Mount
from course_lib.widgets.states import States, stored_states
from course_lib.widgets.stills import lines_html

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
PAPER = Markup(
    '<figure class="paper"><img alt="{}" src="data:image/svg+xml;base64,{}">'
    "<figcaption><b>Goal:</b> {}<br><br>{}</figcaption></figure>"
)


def on_slide(mount: Mount) -> Markup:
    """An explorer that starts where the lesson has it, and what is printed instead."""
    states = _states(mount)
    if states is None:
        return _paper(mount.spec, mount.spec["shown"])
    kept = {"states": b64encode(states.packed).decode(), "memory": "none"}
    alive = replace(mount, fallback=Markup(), attributes=kept).html
    return alive + _paper(mount.spec, states.shown(at_the_goal(states, mount.spec["parts"])))


def _states(mount: Mount) -> States | None:
    if name := mount.attributes.get("stored"):
        return stored_states(name)
    packed = mount.attributes.get("states")
    return States(b64decode(packed)) if packed else None


def at_the_goal(states: States, parts: int) -> int:
    """The number of a state that attains the goal or, if none attains it all, its last part."""
    attained = [states.shown(number)["attained"] for number in range(len(states))]
    whole = 2**parts - 1
    return attained.index(whole if whole in attained else max(attained))


def _paper(spec: dict, shown: dict) -> Markup:
    inside = spec["background"] + "".join(shown["layers"])
    svg = str(svg_html(spec["size"], inside, shown["alt"])).replace("<svg ", SVG, 1)
    source = b64encode(svg.encode()).decode()
    return PAPER.format(shown["alt"], source, spec["goal"], lines_html(shown["text"]))
