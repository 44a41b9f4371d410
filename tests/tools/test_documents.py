"""What the documents say of the lessons is what the lessons say."""

import re

import pytest

from course_lib import lessons
from course_lib.tools.documents import DOCUMENTS, stale, with_parts, write
from course_lib.tools.sources import BuildError
from course_lib.tools.system import ROOT

GUIDE = "solutions/teaching.md"
TEXT = (ROOT / GUIDE).read_text(encoding="utf-8")
SOURCES = {
    path.stem[:2]: path for path in sorted((ROOT / "notebooks" / "src").glob("[0-9][0-9]_*.py"))
}


def section(title: str) -> str:
    """The text under a heading of the second level."""
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)[1]


def test_the_generated_parts_are_current():
    assert stale(ROOT) == []


@pytest.mark.parametrize("number", SOURCES)
def test_the_lesson_ends_with_its_times_and_opens_with_the_same_minutes(number):
    source, lesson = SOURCES[number].read_text("utf-8"), lessons.load(number)
    assert source.count("\n# {{times}}\n") == 1
    assert int(re.search(r"About\s(?:# )?(\d+)\sminutes", source)[1]) == lesson.minutes.learner
    exercise = (ROOT / "solutions" / "src" / SOURCES[number].name).read_text("utf-8")
    assert int(re.search(r"About (\d+) minutes", exercise)[1]) == lesson.minutes.exercise


@pytest.mark.parametrize("number", SOURCES)
def test_the_lesson_and_the_glossary_have_the_title_of_the_toml(number):
    lesson = lessons.load(number)
    heading = re.search(r"^# # (.*)$", SOURCES[number].read_text("utf-8"), re.MULTILINE)
    assert heading[1] == f"{number} · {lesson.title}"
    glossary = (ROOT / "notebooks" / "glossary.md").read_text("utf-8")
    named = re.findall(rf"^- \[{number}\]\(.*?\) (.*?): \[", glossary, re.MULTILINE)
    assert set(named) <= {lesson.title}


def test_every_vote_and_every_line_of_a_rubric_is_there_word_for_word():
    votes, rubrics = section("Votes"), section("Written tasks and their rubrics")
    for lesson in map(lessons.load, sorted(SOURCES)):
        assert all(f"`{p.id}` {p.question}" in votes for p in lesson.predictions)
        assert all(task.prompt in rubrics for task in lesson.written)
        lines = [line for task in lesson.written for line in task.rubric]
        assert all(f"- {line.points}: {line.text}" in rubrics for line in lines)


def test_every_vote_has_its_right_answer_and_what_to_say_to_each_wrong_one():
    """The right answer is one of the options, or a number in the unit of the question."""
    votes = section("Votes")
    for vote in (vote for lesson in lessons.available() for vote in lesson.predictions):
        text = votes.split(f"`{vote.id}` ")[1].split("\n\n`")[0]
        right = re.search(r"^- \*Right:\* (.*)", text, re.MULTILINE)[1]
        if vote.kind == "choice":
            assert right.startswith(tuple(f"{option}. " for option in vote.options))
        elif vote.kind == "number":
            number = re.match(r"-?[\d.e+]+(?= |\.)", right)[0].rstrip(".")
            assert vote.allows(float(number))
        assert vote.in_class in text and all(reply.text in text for reply in vote.replies)


NUMBERS = [vote for one in lessons.available() for vote in one.predictions if vote.kind == "number"]


def told(vote) -> str:
    """What the guide says of a vote."""
    return section("Votes").split(f"`{vote.id}` ")[1].split("\n\n`")[0]


@pytest.mark.parametrize("vote", NUMBERS, ids=lambda vote: vote.id)
def test_no_reply_answers_a_guess_that_is_too_low_and_one_that_is_too_high(vote):
    """But for one that says "Near": where guesses begin to count as right, a reply ends."""
    right = re.search(r"^- \*Right:\* (-?[\d.]*\d)", told(vote), re.MULTILINE)[1]
    found = re.search(r"\((\S+) to (\S+) count as right\)", told(vote))
    low, high = map(float, found.groups() if found else (right, right))
    step = 1 if vote.whole else 0
    bounds = [reply.below for reply in vote.replies]
    for least, reply in zip([vote.least, *bounds], vote.replies, strict=False):
        is_both = least < low - step / 2 and min(reply.below, vote.most) > high + step
        assert not is_both or reply.text.startswith("Near"), reply


def test_votes_of_a_further_part_stand_below_a_line_that_says_so():
    """The sources say which: what they ask after the heading of the further part."""
    for number, source in SOURCES.items():
        _, *further = source.read_text("utf-8").split("\n# ## Further")
        here = section("Votes").split(f"\n### {number} ")[1].split("\n### ")[0]
        _, *below = here.split("*In the further part")
        asked = re.findall(r'^predict\("([\d.]+)"', "".join(further), re.MULTILINE)
        assert re.findall(r"^`([\d.]+)`", "".join(below), re.MULTILINE) == asked


def test_every_lesson_says_what_one_can_do_afterwards():
    outcomes = section("Learning outcomes")
    for lesson in lessons.available():
        assert all(f"- {one}\n" in outcomes for one in lesson.outcomes)


@pytest.mark.parametrize("guide", ["teaching", "grading", "running"])
def test_the_contents_of_a_guide_lead_to_all_its_sections(guide):
    text = (ROOT / "solutions" / f"{guide}.md").read_text(encoding="utf-8")
    contents = text.split("\n\n")[1]
    headings = re.findall(r"^##+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-"): h for h in headings}
    linked = re.findall(r"\]\(#(.*?)\)", contents)
    assert [one for one in linked if one not in anchors] == []
    second = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [h for anchor, h in anchors.items() if h in second and anchor not in linked] == []


def test_the_course_is_about_one_credit():
    """Teaching says: with the exercises, one ECTS credit (25 to 30 hours)."""
    minutes = [lesson.minutes for lesson in lessons.available()]
    hours = sum(m.learner + m.exercise for m in minutes) / 60
    assert 20 < hours <= hours + sum(m.further for m in minutes) / 60 < 30


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


def test_a_cut_leaves_more_than_half_of_its_minutes_for_what_is_not_a_vote():
    """Teaching says: 3 minutes for a vote with its answer."""
    cuts = section("Which cut of the course")
    rows = re.findall(r"^\| (\d+) \| [^|]* \| ([\d., ]+) \| [^|]* \|$", cuts, re.MULTILINE)
    counted = [(int(minutes), 3 * len(re.findall(r"[\d.]+", votes))) for minutes, votes in rows]
    assert counted and all(votes < minutes / 2 for minutes, votes in counted)


def _listed(sections: str) -> list[str]:
    """The sections of '0.3 to 0.6' or '1.1, 1.5'."""
    if found := re.fullmatch(r"(\d)\.(\d+) to \1\.(\d+)", sections.strip()):
        return [f"{found[1]}.{k}" for k in range(int(found[2]), int(found[3]) + 1)]
    return re.findall(r"\d\.\d+", sections)


@pytest.mark.parametrize(
    ("title", "minutes"),
    [
        ("One lecture of 50 minutes", 50),
        ("90 minutes", 90),
        ("Half a day (four hours)", 240),
        ("A full day (six hours, and breaks)", 450),
    ],
)
def test_the_minutes_of_a_cut_fill_its_time(title, minutes):
    cut = TEXT.split(f"### {title}\n")[1].split("\n### ")[0]
    assert sum(map(int, re.findall(r"^\| (\d+) \|", cut, re.MULTILINE))) == minutes


@pytest.mark.parametrize("text", ["no marks", "<!-- a --><!-- a --><!-- end of a -->"])
def test_missing_or_doubled_markers_are_refused(text):
    with pytest.raises(BuildError, match=r"README\.md must hold .* once each"):
        with_parts("README.md", text, {"a": "new"})


def test_only_the_generated_parts_are_touched_and_twice_is_once():
    once = with_parts("x", "hand\n<!-- a -->\n<!-- end of a -->\nhand", {"a": "new"})
    assert once.startswith("hand\n") and once.endswith("\nhand") and "new" in once
    assert with_parts("x", once, {"a": "new"}) == once


@pytest.mark.parametrize("document", DOCUMENTS)
def test_an_old_document_is_named_with_the_line_that_mends_it(document, tmp_path):
    part = DOCUMENTS[document][-1]
    text = (ROOT / document).read_text(encoding="utf-8")
    path = tmp_path / document
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.replace(f"<!-- end of {part} -->", f"old\n<!-- end of {part} -->"))
    (problem,) = stale(tmp_path)
    assert problem.startswith(document) and "./course build" in problem
    write(tmp_path)
    assert stale(tmp_path) == [] and path.read_text(encoding="utf-8") == text
