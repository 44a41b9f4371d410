"""Mount points in stored outputs: what of a built notebook is alive on the site and on slides."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from markupsafe import Markup

from course_lib.plots.pictures import without_stills
from course_lib.widgets.surface import mount_html

MOUNT = re.compile(
    r'<div class="course-surface" data-kind="(\w+)"((?: data-[\w-]+="[^"]*")*)>'
    r'<script type="application/json">(.*?)</script>(.*)</div>',
    re.DOTALL,
)
ATTRIBUTE = re.compile(r' data-([\w-]+)="([^"]*)"')


@dataclass(frozen=True)
class Mount:
    """An explorer, a form or a verdict as `mount_html` describes it."""

    kind: str
    spec: dict
    fallback: Markup = Markup()
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def html(self) -> Markup:
        """Where a page mounts it."""
        return mount_html(self.kind, self.spec, self.fallback, **self.attributes)


def mount_in(html: str) -> Mount | None:
    """What an output mounts; None if it is no mount point."""
    found = MOUNT.fullmatch(html.strip())
    if found is None:
        return None
    kind, attributes, spec, fallback = found.groups()
    named = {name.replace("-", "_"): unescape(text) for name, text in ATTRIBUTE.findall(attributes)}
    return Mount(kind, json.loads(spec), Markup(fallback), named)


def mounts_of(notebook: dict) -> Iterator[Mount]:
    """All mount points of a notebook, in order."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            html = output.get("data", {}).get("text/html", "")
            if mount := mount_in(without_stills("".join(html))):
                yield mount
