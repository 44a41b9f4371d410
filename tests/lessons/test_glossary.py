"""The glossary, the references and the map of the course agree with the lessons and measures."""

import re

import pytest

from course_lib import lessons
from course_lib.measures.catalogue import MEASURES
from course_lib.tools.system import ROOT

NOTEBOOKS = ROOT / "notebooks"
GLOSSARY, REFERENCES = (
    (NOTEBOOKS / name).read_text(encoding="utf-8") for name in ("glossary.md", "references.md")
)
HEADINGS = re.findall(r"^#+ (.*)$", GLOSSARY, flags=re.MULTILINE)
ENTRIES = [line for line in REFERENCES.splitlines() if line.startswith("- ")]
FILES = {f"{lesson.name}.ipynb": lesson for lesson in lessons.available()}
NAME = r"[^\W\d_a-z][\w-]+"
CITED = rf"({NAME})((?:, {NAME})*(?: and (?:{NAME}|colleagues|others))?) \((\d{{4}})\)"

each_lesson = pytest.mark.parametrize("lesson", FILES.values(), ids=lambda lesson: lesson.name)
each_page = pytest.mark.parametrize("text", [GLOSSARY, REFERENCES], ids=["glossary", "references"])


def entry(heading: str) -> str:
    """What stands below a heading of the glossary."""
    below = GLOSSARY.split(f"# {heading}\n", maxsplit=1)[1]
    return re.split(r"^#", below, maxsplit=1, flags=re.MULTILINE)[0]


def slug(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def sources(lesson) -> str:
    """The *Sources* of a lesson as one line."""
    text = (NOTEBOOKS / "src" / f"{lesson.name}.py").read_text(encoding="utf-8")
    found = re.search(r"\*Sources\.\*(.*(?:\n# \S.*)*)", text)
    return " ".join(found[1].replace("\n#", " ").split()) if found else ""


@each_page
def test_every_link_leads_to_a_file_or_a_heading_that_exists(text):
    links = re.findall(r"\]\(([^)]*)\)", text)
    inside = [link for link in links if not link.startswith("https://doi.org/10.")]
    assert inside
    for link in inside:
        file, _, anchor = link.partition("#")
        assert not file or file in FILES or (NOTEBOOKS / file).exists(), link
        assert not anchor or anchor in map(slug, HEADINGS), link


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES.keys())
def test_each_measure_has_an_entry_with_its_call_below_its_question(measure):
    text = entry(measure.name)
    assert measure.call in text and f"[{measure.lesson}](" in text
    above = GLOSSARY.split(f"#### {measure.name}\n")[0]
    question = re.findall(r"^### (.*)$", above, flags=re.MULTILINE)[-1]
    assert question == str(measure.question or "None of the six questions")


def test_entries_and_lessons_name_each_other():
    by_lesson = entry("By lesson").strip().splitlines()
    back = {line[3:5]: set(re.findall(r"\(#([^)]*)\)", line)) for line in by_lesson}
    terms = HEADINGS[HEADINGS.index("Terms") + 1 : HEADINGS.index("By lesson")]
    for heading in terms + [measure.name for measure in MEASURES.values()]:
        named = set(re.findall(r"\[(\d\d)\]\(", entry(heading)))
        assert named and named == {number for number in back if slug(heading) in back[number]}


def test_the_glossary_lists_the_misconceptions_in_the_words_of_the_feedback():
    listed = re.findall(r"^- (M\d+): (.*)$", entry("misconceptions"), flags=re.MULTILINE)
    assert listed == list(lessons.MISCONCEPTIONS.items())


def links(lesson) -> list[str]:
    """Where the links in the prose of a lesson lead."""
    text = (NOTEBOOKS / "src" / f"{lesson.name}.py").read_text(encoding="utf-8")
    return re.findall(r"\]\(([^)]*)\)", text.replace("\n# ", " "))


@each_lesson
def test_each_lesson_links_to_the_words_that_the_glossary_gives_it_and_no_others(lesson):
    own = [
        line for line in entry("By lesson").splitlines() if line.startswith(f"- [{lesson.number}]")
    ]
    listed = set(re.findall(r"\(#([^)]*)\)", own[0])) if own else set()
    text = (NOTEBOOKS / "src" / f"{lesson.name}.py").read_text(encoding="utf-8")
    words = re.search(r"\*Words of this lesson:\*(.*?\.) All words", text, flags=re.DOTALL)
    linked = set(re.findall(r"\(glossary\.md#([^)]*)\)", words[1])) if words else set()
    assert linked == listed


@each_lesson
def test_each_lesson_ends_with_links_to_glossary_references_and_map(lesson):
    found = links(lesson)
    assert {"glossary.md", "references.md"} <= set(found)
    assert lesson.number == "00" or "00_six_questions.ipynb" in found


@each_lesson
def test_every_link_of_a_lesson_leads_to_something_that_exists(lesson):
    for link in links(lesson):
        file, _, anchor = link.partition("#")
        if file == "glossary.md":
            assert not anchor or anchor in map(slug, HEADINGS), link
        elif "exercises/" in file:
            assert file == f"../exercises/{lesson.name}/{lesson.name}.ipynb"
            assert (NOTEBOOKS / file).exists(), link
        elif not link.startswith("https://"):
            assert file in FILES or (NOTEBOOKS / file).exists(), link


@each_lesson
def test_each_lesson_places_a_measure_in_the_table_and_links_it_to_the_glossary(lesson):
    text = (NOTEBOOKS / "src" / f"{lesson.name}.py").read_text(encoding="utf-8")
    table = text.split("# ## Keep this")[1].split("# %%")[0]
    rows = [line for line in table.splitlines() if line.startswith("# | ")][1:]
    anchors = {slug(measure.name) for measure in MEASURES.values()}
    assert rows and "question | measure | value that means" in table
    if lesson.number not in ("00", "10"):  # these place all measures
        for row in rows:
            assert set(re.findall(r"glossary\.md#([^)]*)\)", row)) & anchors, row


def test_the_map_of_the_course_is_shown_in_the_opening_lesson():
    assert "plot_map(" in (NOTEBOOKS / "src" / "00_six_questions.py").read_text(encoding="utf-8")


def test_no_heading_stands_twice():
    assert len(set(map(slug, HEADINGS))) == len(HEADINGS)


def cited(lesson) -> list[tuple[str, str]]:
    """First author and year of each work in the sources of a lesson."""
    return [(first, year) for first, _, year in re.findall(CITED, sources(lesson))]


@each_lesson
def test_each_source_of_a_lesson_has_an_entry_that_links_to_the_lesson(lesson):
    works = cited(lesson)
    assert len(works) == len(re.findall(r"\(\d{4}\)", sources(lesson)))
    works += [("König", "2021")] if "DEDACT" in sources(lesson) else []
    works += [("Rudin", "course notes")] if "Rudin's" in sources(lesson) else []
    works += [("Forina", "1991")] if "Forina" in sources(lesson) else []
    for first, year in works:
        matching = [e for e in ENTRIES if e.startswith(f"- {first},") and f"({year})" in e]
        assert any(f"({lesson.name}.ipynb)" in e for e in matching), (first, year)


def test_every_lesson_with_results_names_its_sources():
    assert [lesson.number for lesson in FILES.values() if not sources(lesson)] == []


def test_no_entry_links_to_a_lesson_that_does_not_cite_it():
    for line in ENTRIES:
        for file in re.findall(r"\((\d\d_\w+\.ipynb)\)", line):
            assert re.match(rf"- {NAME}", line)[0][2:] in sources(FILES[file]) or (
                "DEDACT" in line and "DEDACT" in sources(FILES[file])
            ), line


def test_the_year_and_author_of_a_citation_are_found():
    text = "by Breiman (2001) and Breiman, Friedman and Stone (1984); Strobl and colleagues (2008)"
    found = [(first, year) for first, _, year in re.findall(CITED, text)]
    assert found == [("Breiman", "2001"), ("Breiman", "1984"), ("Strobl", "2008")]


def test_entries_are_sorted_and_a_doi_is_written_as_it_is_linked():
    assert ENTRIES == sorted(ENTRIES, key=lambda line: line.split(",")[0].replace("ö", "o"))
    dois = re.findall(r"\[doi:(\S+)\]\(https://doi\.org/([^)]*)\)", REFERENCES)
    assert len(dois) == REFERENCES.count("doi.org") and len(dois) >= 20
    for shown, linked in dois:
        assert re.fullmatch(r"10\.\d{4,5}/\S+", shown)
        assert linked.replace("%28", "(").replace("%29", ")") == shown
