"""A page for each student: points, what failed, the hint, own code and output. All escaped."""

from html import escape

from course_lib import lessons
from course_lib.grading.imports import LECTURER
from course_lib.grading.written import Marks
from course_lib.learner.checks import CORRECT, NOT_ATTEMPTED, NOT_YET

MAX_TEXT, MAX_PAGE = 20_000, 5_000_000
SAFE = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
SYMBOLS = {CORRECT: "✓", NOT_YET: "↻", NOT_ATTEMPTED: "○"}
WORDS = {
    "error": "stopped with an error",
    "timeout": "took too long",
    "died": "ended its process",
    "missing": "missing",
}
STYLE = """
:root { --ink: #1f4e79; --soft: #5b6770; --line: #d9dee3; --good: #2f6f4f; --bad: #a8430b; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2329; max-width: 52rem;
  margin: 2rem auto; padding: 0 1rem; background: #fff; }
h1 { font-size: 1.5rem; margin: 0; color: var(--ink); } h2 { font-size: 1.15rem; margin: 0; }
.sub { color: var(--soft); margin: .2rem 0 1.5rem; }
.big { font-size: 2.2rem; font-weight: 650; color: var(--ink); }
section { border-top: 1px solid var(--line); padding: 1.1rem 0 .8rem; }
.head { display: flex; justify-content: space-between; gap: 1rem; align-items: baseline; }
.points { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--soft); }
.good { color: var(--good); } .bad { color: var(--bad); }
p { margin: .4rem 0; overflow-wrap: anywhere; }
.hint { border-left: 3px solid var(--ink); padding: .2rem .8rem; background: #f3f6f9; }
pre { background: #f6f7f8; padding: .6rem .8rem; overflow: auto; max-height: 24rem;
  font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
details summary { cursor: pointer; color: var(--soft); } img { max-width: 100%; }
ul { padding-left: 1.2rem; } table { border-collapse: collapse; } td, th { padding: .25rem .6rem; }
"""


def page(title: str, body: str, style: str = STYLE) -> str:
    """An HTML page that needs nothing from elsewhere and runs nothing."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{SAFE}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n<body>{body}</body></html>\n"
    )


def feedback_page(result: dict, marks: Marks) -> str:
    """The page for one result; without outputs if it would be larger than 5 MB."""
    text = _feedback(result, marks, outputs=True)
    return text if len(text.encode()) <= MAX_PAGE else _feedback(result, marks, outputs=False)


def _feedback(result: dict, marks: Marks, *, outputs: bool) -> str:
    lesson = lessons.load(result["lesson"])
    title = f"{lesson.number} · {lesson.title}"
    notes = [note for note in result["notes"] if not note.startswith(LECTURER)]
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="sub">{escape(result["student"])}</p>',
        f'<p><span class="big">{result["points"]} of {result["max_points"]}</span> points for the '
        f"tasks that are checked automatically.</p>",
        _list(notes),
        *(_task(task, outputs) for task in result["tasks"]),
        *(_written(result, w, marks) for w in result["written"]),
        _others(result["cells"], outputs),
    ]
    return page(f"{title} · {result['student']}", "\n".join(parts))


def _list(notes: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>" if notes else ""


def _task(task: dict, outputs: bool) -> str:
    good = task["outcome"] == CORRECT
    symbol = SYMBOLS.get(task["outcome"], "✗")
    outcome = WORDS.get(task["outcome"], task["outcome"])
    hint = f'<p class="hint">{escape(task["hint"])}</p>' if task["hint"] else ""
    message = task["message"]
    said = f"<pre>{escape(message)}</pre>" if "\n" in message else f"<p>{escape(message)}</p>"
    own = ""
    if task["code"]:
        shown = _output(task) if outputs else ""
        own = (
            f"<details><summary>Your answer</summary><pre>{escape(task['code'])}</pre>"
            f"{shown}</details>"
        )
    return (
        f'<section><div class="head"><h2>{escape(task["task"])} {escape(task["title"])}</h2>'
        f'<span class="points">{task["points"]} of {task["max_points"]}</span></div>'
        f'<p class="{"good" if good else "bad"}">{symbol} {escape(outcome)}</p>'
        f"{said}{hint}{own}</section>"
    )


def _output(cell: dict) -> str:
    parts = []
    for part in cell["output"]:
        if "png" in part:
            parts.append(f'<img alt="a picture" src="data:image/png;base64,{escape(part["png"])}">')
        else:
            parts.append(f"<pre>{escape(_cut(part['text']))}</pre>")
    if error := cell.get("error"):
        lines = "".join(f"  line {e['line']}: {e['text']}\n" for e in error["lines"])
        parts.append(f"<pre>{escape(lines + error['kind'] + ': ' + error['message'])}</pre>")
    if lost := cell.get("lost"):
        parts.append(f"<p>{escape(lost)}</p>")
    return "".join(parts)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "\n[shortened]"


def _written(result: dict, written: dict, marks: Marks) -> str:
    points, comment = marks.points(result, written), marks.comment(result, written)
    shown = "not marked yet" if points is None else f"{points:g} of {written['max_points']}"
    task = lessons.find("written", written["task"])
    rubric = "".join(f"<li>{c.points}: {escape(c.text)}</li>" for c in task.rubric)
    answer = (
        f"<pre>{escape(_cut(written['answer']))}</pre>"
        if written["answer"]
        else ("<p>There is no answer.</p>")
    )
    return (
        f'<section><div class="head"><h2>{escape(written["task"])} In your own words</h2>'
        f'<span class="points">{shown}</span></div>{answer}'
        f"{f'<p class=hint>{escape(comment)}</p>' if comment else ''}"
        f"<details><summary>What points are given for</summary><ul>{rubric}</ul></details>"
        f"</section>"
    )


def _others(cells: list[dict], outputs: bool) -> str:
    if not cells or not outputs:
        return ""
    shown = "".join(f"<p>Cell {cell['cell']}</p>{_output(cell)}" for cell in cells[:50])
    return f"<section><details><summary>Your other cells</summary>{shown}</details></section>"
