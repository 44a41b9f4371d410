"""How a result looks in a notebook: plain inline HTML in the theme's own text colour, so that it
reads in light and in dark."""

from collections.abc import Sequence

from markupsafe import Markup


def heading_html(lines: Sequence[str]) -> Markup:
    """What stands above the numbers: the first line, then quieter ones."""
    first, *more = lines
    quiet = Markup('<br><span style="opacity:.75">{}</span>')
    return Markup('<div style="margin-bottom:.3em"><b>{}</b>{}</div>').format(
        first, Markup().join(quiet.format(line) for line in more)
    )


def bar_html(value: float, low: float, span: float, reference: float) -> Markup:
    """A bar from the reference to the value on a common scale, 8 em wide."""
    start, width = (min(value, reference) - low) / span * 8, abs(value - reference) / span * 8
    return Markup(
        '<span aria-hidden="true" style="display:inline-block;width:8em;height:.7em">'
        '<span style="display:inline-block;margin-left:{:.2f}em;width:{:.2f}em;'
        'height:.7em;background:#2f7fb8"></span></span>'
    ).format(start, width)


def table_html(heading: Markup, rows, reference: float) -> Markup:
    """Rows of (name, value, interval or None) under the heading of their result."""
    numbers = [value for _, value, _ in rows] + [reference]
    low, span = min(numbers), max(numbers) - min(numbers) or 1.0
    row = Markup(
        '<tr><th scope="row" style="text-align:left">{}</th>'
        '<td style="text-align:right">{:.4f}</td><td>{}</td>'
        '<td style="text-align:left">{}</td></tr>'
    )
    body = Markup()
    for name, value, interval in rows:
        ends = "" if interval is None else "[{:.4f}, {:.4f}]".format(*interval)
        body += row.format(name, value, ends, bar_html(value, low, span, reference))
    has_interval = any(interval is not None for _, _, interval in rows)
    head = Markup(
        '<tr><th style="text-align:left">feature</th><th>importance</th>'
        "<th>{}</th><th>from {:g}</th></tr>"
    ).format("95 % interval of the mean" if has_interval else "", reference)
    return Markup("<div>{}<table>{}{}</table></div>").format(heading, head, body)
