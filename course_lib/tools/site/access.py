"""What the theme and pandas leave out for readers who listen to a page: names, levels, cells."""

import re
from pathlib import Path

MENDED = {
    r'<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    r'<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Pages">',
    r'<aside class="toc-drawer([^"]*)">': r'<aside class="toc-drawer\1" aria-label="On this page">',
    r' aria-label="Toggle hidden content"': "",  # the words that are seen are the name
    r"<th></th>": "<td></td>",  # an empty corner heads nothing
}


def mend(folder: Path) -> None:
    """Mend all pages of a site."""
    for path in folder.glob("*.html"):
        html = path.read_text(encoding="utf-8")
        for wrong, right in MENDED.items():
            html = re.sub(wrong, right, html)
        path.write_text(html, encoding="utf-8", newline="\n")
