"""Pages from templates; whatever is put into them is escaped, and no page may run anything."""

from functools import cache
from pathlib import Path

from course_lib.grading.spreadsheet import visible


@cache
def _environment():
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_finalized,
    )


def _finalized(value):
    """A student's text without characters that a terminal obeys; parts of a page as they are."""
    return value if hasattr(value, "__html__") else visible(str(value))


def render(template: str, **content) -> str:
    """The page that a template makes of its content."""
    return _environment().get_template(template).render(content)
