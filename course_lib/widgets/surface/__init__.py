"""The one front end of explorers, forms and checks: in the lab, on the site and on slides.

What is shown is described by a `spec`, plain data. In the lab it is mounted by anywidget and talks
with the kernel; on a page without a kernel `page.js` mounts the same from the description that
`mount_html` wrote there. The files beside this one are plain ES modules; `script` joins them.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files

import anywidget
import traitlets
from markupsafe import Markup

from course_lib.plots.svg import theme

KIND_FILES = ("dialogue", "explorer", "form", "verdict", "written")
FORM_FILES = ("form_fields", "form_parts", "form_truth", "form_prediction", "form_questions")
NEEDED_FIRST = ("element", "host", "states", "controls", "layer", "legible", "picture", *FORM_FILES)
COMMON = (*NEEDED_FIRST, *KIND_FILES, "mount")
HOMES = {"lab": ("lab",), "page": ("page", "tables", "site"), "slides": ("page", "votes")}
IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class))", re.MULTILINE)


def text_of(name: str) -> str:
    """One of the files beside this one."""
    return (files("course_lib.widgets.surface") / name).read_text(encoding="utf-8")


@lru_cache
def script(home: str) -> str:
    """All modules as one text: an ES module for home "lab", else a classic script.

    From `file://` a page cannot import modules, and anywidget wants a single one.
    """
    joined = "\n".join(_bare(text_of(f"{name}.js")) for name in (*COMMON, *HOMES[home]))
    return joined if home == "lab" else f"(() => {{\n{joined}\n}})();\n"


def _bare(module: str) -> str:
    """A module without its imports and exports; all names are in one scope then."""
    return EXPORT.sub("", IMPORT.sub("", module))


@lru_cache
def style() -> str:
    """The one stylesheet, with the colours of the theme and the letters of formulas."""
    font = files("course_lib.widgets.surface") / "formulas" / "formulas.woff"
    source = f"url(data:font/woff;base64,{b64encode(font.read_bytes()).decode()})"
    letters = f'@font-face {{ font-family: "Course Formulas"; src: {source}; }}\n'
    return theme() + letters + text_of("surface.css")


class Surface(anywidget.AnyWidget):
    """Something of the course that is alive in JupyterLab.

    Parameters
    ----------
    kind : str
        What mounts it: "dialogue", "explorer", "form", "verdict" or "written".
    spec : dict
        What it shows, as plain data; it does not change.
    place : dict
        What the learner has set; changed by the page and by the kernel.
    shown : dict
        What the kernel adds later, such as the picture of a new place.
    data : bytes
        Stored states, compressed.
    on_event : callable, default=None
        Called with each message of the page, a dictionary.
    """

    _esm = traitlets.Unicode("").tag(sync=True)
    _css = traitlets.Unicode("").tag(sync=True)
    kind = traitlets.Unicode().tag(sync=True)
    spec = traitlets.Dict().tag(sync=True)
    place = traitlets.Dict().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    data = traitlets.Bytes().tag(sync=True)

    def __init__(
        self,
        kind: str,
        spec: dict,
        *,
        place: dict | None = None,
        shown: dict | None = None,
        data: bytes = b"",
        on_event: Callable[[dict], None] | None = None,
    ):
        super().__init__(
            _esm=script("lab"),
            _css=style(),
            kind=kind,
            spec=spec,
            place=place or {},
            shown=shown or {},
            data=data,
        )
        if on_event:
            self.on_msg(lambda _widget, content, _buffers: on_event(content))

    def bundle(self, html: Markup, text: str) -> dict:
        """What a cell outputs: the live view, and what stands in for it without a kernel."""
        data, _metadata = self._repr_mimebundle_()
        return data | {"text/html": html, "text/plain": text}


def mount_html(kind: str, spec: dict, fallback: Markup, **attributes: str) -> Markup:
    """Where `page.js` mounts it; `fallback` is for readers without a script, such as on GitHub.

    Parameters
    ----------
    kind, spec
        As of a `Surface`; `spec` may hold the keys `place` and `shown`.
    fallback : Markup
        Text or stills that say the same.
    **attributes
        Further ones of the element, as `data-...`.
    """
    described = json.dumps(spec, ensure_ascii=False, separators=(",", ":"))
    described = Markup(described.replace("<", "\\u003c"))  # nothing ends the script too early
    extra = Markup().join(
        Markup(' data-{}="{}"').format(name.replace("_", "-"), value)
        for name, value in attributes.items()
    )
    return Markup(
        '<div class="course-surface" data-kind="{}"{}>'
        '<script type="application/json">{}</script>{}</div>'
    ).format(kind, extra, described, fallback)
