"""Formulas of the site as MathML, which browsers draw themselves: nothing has to be loaded."""

from course_lib.lessons.prose import mathml


def setup(app) -> dict:
    """Tell sphinx how formulas are written; it calls this itself."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(writer, node) -> None:
    """Write a formula in a line of text instead of its source."""
    writer.body.append(f'<span class="math">{mathml(node.astext())}</span>')
    node.clear()


def block(writer, node) -> None:
    """Write a formula on a line of its own instead of its source."""
    writer.body.append(f'<div class="math">{mathml(node.astext(), block=True)}</div>')
    node.clear()
