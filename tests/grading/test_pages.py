"""The pages in a real browser: nothing of a submission runs, the lecturer sees the class."""

from dataclasses import replace
from pathlib import Path

import pytest

from course_lib.grading.classpage import class_page
from course_lib.grading.feedback import feedback_page
from course_lib.grading.marking import empty_result
from course_lib.grading.notebook import Released
from course_lib.grading.records import CellError, CellOutput, CellRun, ErrorLine, ExtraCell, Note
from course_lib.grading.written import Marks
from course_lib.tools.bench.students import NAME
from course_lib.tools.system import ROOT, find_chromium

BAD = '<script>document.title = "owned"</script><img src=x onerror="document.title=\'owned\'">'


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """A feedback page and a class page with hostile text wherever text can be."""
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    empty = empty_result(released, BAD, [Note(BAD), Note(BAD, for_lecturer=True)])
    run = CellRun(
        (CellOutput(BAD), CellOutput(png=BAD)), CellError(BAD, BAD, (ErrorLine(1, BAD),)), BAD
    )
    texts = dict.fromkeys(("title", "message", "hint", "slip_name", "code"), BAD)
    tasks = tuple(replace(t, outcome="not yet", run=run, **texts) for t in empty.tasks)
    written = tuple(replace(w, answer=BAD) for w in empty.written)
    result = replace(empty, tasks=tasks, written=written, cells=(ExtraCell(1, run),))
    marks = Marks({(BAD, NAME, "01.w"): ("1", BAD)})
    folder = tmp_path_factory.mktemp("pages")
    made = {"feedback": feedback_page(result, marks), "class": class_page([result] * 3, marks)}
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


def test_hostile_text_is_on_the_pages_and_only_as_text(pages):
    for path in pages.values():
        text = path.read_text(encoding="utf-8")
        assert "&lt;script&gt;" in text
        assert "<script" not in text and "<img src=x" not in text and 'onerror="' not in text


@pytest.mark.browser
def test_nothing_runs_and_nothing_is_fetched(pages):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        for path in pages.values():
            page, requests = browser.new_page(), []
            page.on("request", lambda request, seen=requests: seen.append(request.url))
            page.goto(path.as_uri())
            page.wait_for_timeout(200)
            assert page.title() != "owned" and requests == [path.as_uri()]
            assert page.locator("script, img:not([src^='data:image/png;base64,'])").count() == 0
        assert page.locator("[role=img][aria-label]").count() == 2, "the class has its pictures"
        browser.close()
