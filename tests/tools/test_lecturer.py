"""What the lecturer is told of each lesson is what the lesson says."""

import re

import pytest

from course_lib import lessons
from course_lib.tools import lecturer
from course_lib.tools.lecturer import Times, current, main, times_of, with_parts
from course_lib.tools.system import ROOT

TEXT = (ROOT / "solutions" / "README.md").read_text(encoding="utf-8")
SOURCES = {path.stem[:2]: path for path in (ROOT / "notebooks" / "src").glob("[01][0-9]_*.py")}


def section(title: str) -> str:
    """The text under a heading of the second level."""
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)[1]


def test_the_generated_parts_are_current():
    assert current(TEXT, measured=False) == TEXT, "run python -m course_lib.tools.lecturer"


@pytest.mark.parametrize("number", SOURCES)
def test_the_table_of_times_agrees_with_the_lesson(number):
    """By another way than the generator's: the minutes of the cell, in order, are in the row."""
    cell = re.search(r"\*Times\.\*.*?When", SOURCES[number].read_text("utf-8"), re.DOTALL)[0]
    patterns = (r"Learner:\s+(\d+)", r"another\s+(\d+)", r"Lecturer:\s+(\d+)")
    minutes = [found[1] if (found := re.search(p, cell)) else "-" for p in patterns]
    row = re.search(rf"^\| {number} .*$", section("Times"), re.MULTILINE)[0]
    assert [field.strip() for field in row.split("|")[2:5]] == minutes


def test_every_vote_and_every_line_of_a_rubric_is_there_word_for_word():
    votes, rubrics = section("Votes"), section("Written tasks and their rubrics")
    for lesson in map(lessons.load, sorted(SOURCES)):
        assert all(f"`{p.id}` {p.question}" in votes for p in lesson.predictions)
        assert all(task.prompt in rubrics for task in lesson.written)
        lines = [line for task in lesson.written for line in task.rubric]
        assert all(f"- {line.points}: {line.text}" in rubrics for line in lines)


def test_what_to_say_covers_all_votes_of_a_lesson_and_no_others():
    told = re.findall(r"^- `(\d\d\.\d+)`", section("Likely wrong answers, and what to say"), re.M)
    asked = [p.id for number in sorted(SOURCES) for p in lessons.load(number).predictions]
    assert told == asked


def test_the_cuts_name_sections_and_votes_that_exist():
    """A vote is only taken in a cut that shows its section."""
    cuts = section("Which cut of the course")
    headings, asked_in = set(), {}
    for path in SOURCES.values():
        for line in path.read_text(encoding="utf-8").splitlines():
            if found := re.match(r"# ## (\d+\.\d+) ", line):
                headings.add(here := found[1])
            elif found := re.match(r'predict\("([\d.]+)"', line):
                asked_in[found[1]] = here
    assert set(re.findall(r"\b\d\.\d+\b", cuts)) <= headings
    rows = re.findall(r"^\| \d+ \| ([^|]*) \| ([\d., ]*) \| [^|]* \|$", cuts, re.MULTILINE)
    votes = [(vote, shown) for shown, row in rows for vote in re.findall(r"[\d.]+", row)]
    assert len(votes) > 10
    for vote, shown in votes:
        assert asked_in[vote] in _listed(shown), f"{vote} is asked in {asked_in[vote]}"


def _listed(sections: str) -> list[str]:
    """The sections of '0.3 to 0.6' or '1.1, 1.5'."""
    if found := re.fullmatch(r"(\d)\.(\d+) to \1\.(\d+)", sections.strip()):
        return [f"{found[1]}.{k}" for k in range(int(found[2]), int(found[3]) + 1)]
    return re.findall(r"\d\.\d+", sections)


@pytest.mark.parametrize(
    ("title", "minutes"),
    [("One lecture of 50 minutes", 50), ("90 minutes", 90), ("Half a day (four hours)", 240)],
)
def test_the_minutes_of_a_cut_fill_its_time(title, minutes):
    cut = TEXT.split(f"### {title}\n")[1].split("\n### ")[0]
    assert sum(map(int, re.findall(r"^\| (\d+) \|", cut, re.MULTILINE))) == minutes


def test_times_are_read_with_and_without_an_exercise_and_sections_in_between():
    cell = (
        "# *Times.* Learner: 45 minutes, ten of them in 0.2; {}Lecturer: 35 minutes with\n# votes. "
    )
    late = "When 15 minutes behind: skip 0.5."
    with_exercise = cell.format("the exercise another 25. ") + late + "\n#\n# *Sources.* None."
    assert times_of(with_exercise) == Times(45, 25, 35, late)
    assert times_of(cell.format("") + late) == Times(45, None, 35, late)


@pytest.mark.parametrize("source", ["", "# *Times.* Learner: an hour.", "# Nothing of the kind"])
def test_a_lesson_without_times_is_refused_with_the_form_they_need(source):
    with pytest.raises(ValueError, match=r"Learner: 50 minutes"):
        times_of(source)


@pytest.mark.parametrize("text", ["no marks", "<!-- a --><!-- a --><!-- end of a -->"])
def test_missing_or_doubled_markers_are_refused(text):
    with pytest.raises(ValueError, match="once each"):
        with_parts(text, {"a": "new"})


def test_only_the_generated_parts_are_touched_and_twice_is_once(tmp_path):
    once = with_parts("hand\n<!-- a -->\n<!-- end of a -->\nhand", {"a": "new"})
    assert once.startswith("hand\n") and once.endswith("\nhand") and "new" in once
    assert with_parts(once, {"a": "new"}) == once


def test_seconds_come_from_the_build_and_else_stay_as_they_are(tmp_path):
    text = "| 01 x | 1 | 2 | 3 | 77 | 88 |\n"
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "times.json").write_text('{"notebooks/src/01_mdi.py": 12.4}')
    assert lecturer._seconds(text, tmp_path) == {"01": ["12", "88"]}
    assert lecturer._seconds(text, None) == {"01": ["77", "88"]}


def test_check_changes_nothing_and_fails_on_an_old_file(tmp_path, monkeypatch, capsys):
    (tmp_path / "solutions").mkdir()
    old = TEXT.replace("<!-- end of votes -->", "something else\n<!-- end of votes -->")
    readme = tmp_path / "solutions" / "README.md"
    readme.write_text(old, encoding="utf-8")
    monkeypatch.setattr(lecturer, "ROOT", tmp_path)
    assert main(["--check"]) == 1 and "out of date" in capsys.readouterr().err
    assert readme.read_text(encoding="utf-8") == old
