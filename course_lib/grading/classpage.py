"""The class at a glance: how it went, which tasks were hard, which slips to talk about."""

from collections import Counter, defaultdict
from html import escape

import numpy as np

from course_lib import lessons
from course_lib.grading.feedback import STYLE, page
from course_lib.grading.written import Marks
from course_lib.learner.checks import CORRECT, NOT_ATTEMPTED, NOT_YET
from course_lib.lessons import MISCONCEPTIONS

GROUPS = (  # outcome as drawn: label, colour, outcomes
    ("correct", "#2f7fb8", (CORRECT,)),
    ("known slip", "#c65d00", ()),
    ("wrong in another way", "#e8b98a", (NOT_YET,)),
    ("error, too long or died", "#8a5a83", ("error", "timeout", "died")),
    ("not attempted", "#c9ced3", (NOT_ATTEMPTED, "missing")),
)
HARD, COMMON, FLAT, ENOUGH = 0.6, 0.15, 0.1, 8  # shares, a correlation, students
EXTRA_STYLE = """
body { max-width: 64rem; } h2 { margin: 2.2rem 0 .4rem; color: var(--ink); font-size: 1.3rem; }
h3 { margin: 1.6rem 0 .2rem; font-size: 1.05rem; }
table { width: 100%; font-variant-numeric: tabular-nums; margin: .6rem 0; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--line); }
td { border-bottom: 1px solid #eef1f3; vertical-align: top; } td.n, th.n { text-align: right; }
svg { display: block; max-width: 100%; height: auto; margin: .6rem 0; }
svg text { font: 12px system-ui, sans-serif; fill: #3b464f; }
.key { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 1rem;
  vertical-align: -1px; }
.teach li { margin: .5rem 0; } .facts { display: flex; gap: 2.5rem; flex-wrap: wrap; }
.facts div { color: var(--soft); } .facts b { display: block; font-size: 1.7rem;
  color: var(--ink); font-weight: 650; }
"""


def class_page(summaries: list[dict], marks: Marks) -> str:
    """The page for the lecturer, one part per lesson, from the summaries of all results."""
    by_lesson = defaultdict(list)
    for summary in summaries:
        by_lesson[summary["lesson"]].append(summary)
    parts = ["<h1>The class at a glance</h1>"]
    if any(not s["contained"] for s in summaries):
        parts.append('<p class="bad">Graded without containment.</p>')
    parts += [_lesson(lesson, group, marks) for lesson, group in sorted(by_lesson.items())]
    parts.append(_notes(summaries))
    return page("The class at a glance", "\n".join(parts), STYLE + EXTRA_STYLE)


def _lesson(number: str, group: list[dict], marks: Marks) -> str:
    lesson = lessons.load(number)
    submitted = [s for s in group if any(t["outcome"] != "missing" for t in s["tasks"])]
    head = f"<h2>{escape(number)} · {escape(lesson.title)}</h2>"
    if not submitted:
        return f"{head}<p>Nobody has submitted anything that could be graded.</p>"
    points = np.array([s["points"] for s in submitted])
    most = submitted[0]["max_points"]
    tasks = _tasks(submitted)
    return "\n".join(
        [
            head,
            _facts(group, points, most, marks),
            "<h3>How the points are spread</h3>",
            _histogram(points, most),
            "<h3>What to teach again</h3>",
            _teach_again(tasks, len(submitted)),
            "<h3>Task by task</h3>",
            _outcome_bars(tasks, len(submitted)),
            _task_table(tasks, len(submitted)),
            "<h3>Slips</h3>",
            _slips(tasks, len(submitted)),
        ]
    )


def _facts(group: list[dict], points: np.ndarray, most: int, marks: Marks) -> str:
    marked = sum(bool(marks.total(s)) for s in group)
    waiting = sum(s["answered"] > 0 for s in group) - marked
    facts = [
        (len(group), "students"),
        (len(group) - len(points), "without anything to grade"),
        (f"{np.median(points):g} of {most}", "median of the automatic points"),
        (f"{np.mean(points == most):.0%}", "with all of them"),
        (max(waiting, 0), "written answers to read"),
    ]
    return f'<div class="facts">{"".join(f"<div><b>{n}</b>{t}</div>" for n, t in facts)}</div>'


# Numbers


def _tasks(submitted: list[dict]) -> list[dict]:
    """Per task: outcomes, slips, the share that is right, and how well it separates."""
    totals = np.array([s["points"] for s in submitted], dtype=float)
    tasks = []
    for k, task in enumerate(submitted[0]["tasks"]):
        entries = [s["tasks"][k] for s in submitted]
        right = np.array([entry["outcome"] == CORRECT for entry in entries])
        own = np.array([entry["points"] for entry in entries])
        tasks.append(
            {
                "task": task["task"],
                "title": task["title"],
                "right": right.mean(),
                "separates": discrimination(right, totals - own),
                "groups": Counter(_group(entry) for entry in entries),
                "slips": Counter(entry["slip"] for entry in entries if entry["slip"]),
                "said": {entry["slip"]: entry for entry in entries if entry["slip"]},
            }
        )
    return tasks


def _group(entry: dict) -> str:
    if entry["slip"]:
        return "known slip"
    return next(label for label, _, outcomes in GROUPS if entry["outcome"] in outcomes)


def discrimination(right, rest) -> float | None:
    """Correlation of a task being right with the points for all other tasks.

    Near 1, the task separates those who master the rest from those who do not; near 0 or below,
    it measures something else. None if either does not vary.

    >>> discrimination([True, True, False], [5, 5, 1])
    1.0
    """
    right, rest = np.asarray(right, dtype=float), np.asarray(rest, dtype=float)
    if len(right) < 3 or right.std() == 0 or rest.std() == 0:
        return None
    return round(float(np.corrcoef(right, rest)[0, 1]), 4)


# Pictures


def _histogram(points: np.ndarray, most: int) -> str:
    """One bar per number of points, the median marked."""
    width, height, left, base = 720, 220, 40, 180
    counts = np.bincount(points, minlength=most + 1)
    step, scale = (width - left - 10) / (most + 1), 130 / max(counts.max(), 1)
    parts = []
    for value, count in enumerate(counts):
        x, tall = left + value * step, count * scale
        parts.append(
            f'<rect x="{x + 1:.1f}" y="{base - tall:.1f}" width="{step - 2:.1f}" '
            f'height="{tall:.1f}" fill="#2f7fb8"><title>{count} with {value}</title></rect>'
        )
        middle = x + step / 2
        if count:
            parts.append(_text(middle, base - tall - 5, str(count)))
        if most <= 30 or value % 5 == 0:
            parts.append(_text(middle, base + 16, str(value)))
    middle = np.median(points)
    x, tall = left + (middle + 0.5) * step, counts[int(middle)] * scale if middle % 1 == 0 else 0
    end = base - tall - (20 if tall else 0)
    parts.append(
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="17" y2="{max(end, 17):.1f}" stroke="#1c2329" '
        f'stroke-dasharray="3 3"/>{_text(x, 12, f"median {middle:g}")}'
    )
    parts.append(_text((width + left) / 2, base + 34, "automatic points"))
    label = f"Histogram of points: median {np.median(points):g} of {most}"
    return _svg(width, height, parts, label)


def _outcome_bars(tasks: list[dict], n_students: int) -> str:
    """One stacked bar per task, from right to not attempted."""
    width, row, left = 720, 30, 250
    parts, scale = [], (720 - 250 - 10) / n_students
    for k, task in enumerate(tasks):
        x, y = left, 6 + k * row
        name = f"{task['task']} {task['title']}"
        parts.append(_text(left - 8, y + 15, name if len(name) < 38 else name[:36] + "…", "end"))
        for label, colour, _ in GROUPS:
            count = task["groups"][label]
            if not count:
                continue
            wide = count * scale
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{row - 8}" fill="{colour}">'
                f"<title>{count} {escape(label)}</title></rect>"
            )
            if wide > 22:
                ink = "#fff" if colour not in ("#c9ced3", "#e8b98a") else "#1c2329"
                parts.append(_text(x + wide / 2, y + 15, str(count), ink=ink))
            x += wide
    legend = "".join(
        f'<span class="key" style="background:{colour}"></span>{escape(label)}'
        for label, colour, _ in GROUPS
    )
    picture = _svg(width, 12 + row * len(tasks), parts, "Outcomes of each task")
    return f"{picture}<p>{legend}</p>"


def _svg(width: int, height: int, parts: list[str], label: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "middle", ink: str = "") -> str:
    style = f' style="fill:{ink}"' if ink else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


# Words


def _task_table(tasks: list[dict], n_students: int) -> str:
    rows = "".join(
        f"<tr><td>{escape(t['task'])}</td><td>{escape(t['title'])}</td>"
        f'<td class="n">{t["right"]:.0%}</td><td class="n">{_number(t["separates"])}</td>'
        f"<td>{escape(_reading(t, n_students))}</td></tr>"
        for t in tasks
    )
    return (
        '<table><tr><th>task</th><th></th><th class="n">right</th>'
        f'<th class="n">separates</th><th></th></tr>{rows}</table>'
        "<p class=sub>Right: the share of all who submitted. Separates: the correlation of getting "
        "this task right with the points for all others; above 0.3 is good, near 0 means that the "
        "task asks something else than the rest, or is asked in a misleading way.</p>"
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _reading(task: dict, n_students: int) -> str:
    if task["separates"] is not None and task["separates"] < FLAT and n_students >= ENOUGH:
        return "Look at the wording: those who master the rest do no better here."
    if task["right"] < HARD:
        return "Hard."
    return "Nobody was held up here." if task["right"] >= 0.95 else ""


def _teach_again(tasks: list[dict], n_students: int) -> str:
    """What the numbers suggest, hardest first."""
    items = []
    for task in sorted(tasks, key=lambda t: t["right"]):
        common = [(s, n) for s, n in task["slips"].most_common(2) if n / n_students >= COMMON]
        if task["right"] >= HARD and not common:
            continue
        said = "".join(
            f" <b>{escape(slip)}</b> ({n} of {n_students}): {escape(task['said'][slip]['hint'])}"
            for slip, n in common
        )
        nobody = task["groups"]["not attempted"]
        lost = f" {nobody} did not attempt it." if nobody / n_students >= COMMON else ""
        items.append(
            f"<li>{escape(task['task'])} {escape(task['title'])}: right for {task['right']:.0%}."
            f"{said}{lost}</li>"
        )
    for code, count in _misconceptions(tasks).most_common():
        if count / n_students >= COMMON:
            items.append(
                f"<li>{escape(code)}, a misconception: “{escape(MISCONCEPTIONS[code])}” may be "
                f"behind {count} of the slips above.</li>"
            )
    if not items:
        return "<p>Nothing stands out: every task was right for most, and no slip is common.</p>"
    return f'<ul class="teach">{"".join(items)}</ul>'


def _misconceptions(tasks: list[dict]) -> Counter:
    found = Counter()
    for task in tasks:
        for name, count in task["slips"].items():
            if behind := task["said"][name]["behind"]:
                found[behind] += count
    return found


def _slips(tasks: list[dict], n_students: int) -> str:
    rows = [(count, task, name) for task in tasks for name, count in task["slips"].items()]
    if not rows:
        return "<p>No known slip was found.</p>"
    body = "".join(
        f'<tr><td class="n">{count}</td><td class="n">{count / n_students:.0%}</td>'
        f"<td>{escape(task['task'])}</td><td>{escape(name)}</td>"
        f"<td>{escape(task['said'][name]['hint'])}</td>"
        f"<td>{escape(task['said'][name]['behind'])}</td></tr>"
        for count, task, name in sorted(rows, key=lambda row: (-row[0], row[1]["task"], row[2]))
    )
    return (
        '<table><tr><th class="n">students</th><th class="n"></th><th>task</th><th>slip</th>'
        f"<th>what they were told</th><th>behind it</th></tr>{body}</table>"
    )


def _notes(summaries: list[dict]) -> str:
    """Every note on a submission, for the lecturer's eyes."""
    noted = [(s["student"], s["name"], note) for s in summaries for note in s["notes"]]
    if not noted:
        return ""
    rows = "".join(
        f"<tr><td>{escape(student)}</td><td>{escape(name)}</td><td>{escape(note)}</td></tr>"
        for student, name, note in noted[:2000]
    )
    return (
        f"<h2>Notes on submissions</h2><details><summary>{len(noted)} notes</summary>"
        f"<table><tr><th>student</th><th>lesson</th><th>note</th></tr>{rows}</table></details>"
    )
