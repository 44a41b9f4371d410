"""The learner's workbook: nothing of the learner's is ever lost, nothing new is withheld."""

import json
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.tools.system import ROOT
from course_lib.tools.workbook import (
    NOTE,
    content,
    hand_out,
    originals,
    with_anchors,
    without_outputs,
)


def notebook(text: str, *, output: str = "", metadata=None) -> dict:
    printed = [{"output_type": "stream", "name": "stdout", "text": output}] if output else []
    code = {"cell_type": "code", "id": "b", "metadata": {"nbgrader": {"grade": True}}}
    return {
        "cells": [
            {"cell_type": "markdown", "id": "a", "metadata": {}, "source": f"# {text}"},
            {**code, "source": [f"{text}\n"], "outputs": printed, "execution_count": 3},
        ],
        "metadata": metadata or {"widgets": {"state": {}}, "kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write(path: Path, what: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(what), encoding="utf-8")


def read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def root(tmp_path) -> Path:
    write(tmp_path / "notebooks" / "01_mdi.ipynb", notebook("lesson 1", output="spoiler"))
    write(tmp_path / "exercises" / "01_mdi" / "01_mdi.ipynb", notebook("exercise 1"))
    return tmp_path


@pytest.fixture
def workbook(root) -> Path:
    hand_out(root, root / "workbook")
    return root / "workbook"


def new_lesson(root: Path, text: str) -> None:
    write(root / "notebooks" / "01_mdi.ipynb", notebook(text, output="spoiler"))


def names(workbook: Path) -> list[str]:
    return sorted(path.relative_to(workbook).as_posix() for path in workbook.rglob("*.ipynb"))


def test_pages_to_look_things_up_are_handed_out_and_kept_up_to_date(root):
    page, copy = root / "notebooks" / "glossary.md", root / "workbook" / "glossary.md"
    for text in ("# Glossary\n\n[01](01_mdi.ipynb)\n", "# Glossary, größer\n"):
        page.write_text(text, encoding="utf-8")
        hand_out(root, root / "workbook")
        assert copy.read_text(encoding="utf-8") == with_anchors(text)


def test_every_link_into_a_page_of_the_workbook_is_one_that_jupyterlab_follows():
    """JupyterLab's own name of a heading is its words with hyphens; any other needs an anchor."""
    pages = {path.name: with_anchors(path.read_text()) for path in ROOT.glob("notebooks/*.md")}
    anchors = {
        name: set(re.findall(r'<a id="([^"]*)">', text))
        | {heading.replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
        for name, text in pages.items()
    }
    prose = "".join(path.read_text() for path in ROOT.glob("notebooks/src/*.py"))
    links = re.findall(r"\]\((\w+\.md)#([^)]*)\)", prose)
    inside = [(name, x) for name in pages for x in re.findall(r"\]\(#([^)]*)\)", pages[name])]
    assert links and inside
    assert [link for link in links + inside if link[1] not in anchors[link[0]]] == []


def test_anchors_leave_the_words_as_they_are():
    assert with_anchors("# loss\ntext # no\n") == "# loss\ntext # no\n"
    assert with_anchors("## MDI (a, b)") == '## <a id="mdi-a-b"></a>MDI (a, b)'


def test_lessons_and_exercises_are_handed_out(workbook):
    assert names(workbook) == ["01_mdi.ipynb", "exercises/exercise_01_mdi.ipynb"]


def test_lessons_come_before_exercises_and_in_order(root):
    write(root / "notebooks" / "00_six_questions.ipynb", notebook("lesson 0"))
    assert list(originals(root)) == [
        *("00_six_questions.ipynb", "01_mdi.ipynb", "exercises/exercise_01_mdi.ipynb")
    ]


def test_only_numbered_notebooks_are_lessons(root):
    write(root / "notebooks" / "Untitled.ipynb", notebook("scratch"))
    assert "Untitled.ipynb" not in originals(root)


def test_a_copy_has_no_outputs_that_would_give_answers_away(workbook):
    copy = read(workbook / "01_mdi.ipynb")
    assert "spoiler" not in json.dumps(copy)
    assert copy["cells"][1]["execution_count"] is None
    assert "widgets" not in copy["metadata"]


def test_a_copy_keeps_text_code_and_the_metadata_of_graded_cells(root, workbook):
    original, copy = read(root / "notebooks" / "01_mdi.ipynb"), read(workbook / "01_mdi.ipynb")
    assert [cell["source"] for cell in copy["cells"]] == [c["source"] for c in original["cells"]]
    assert [cell["metadata"] for cell in copy["cells"]] == [
        cell["metadata"] for cell in original["cells"]
    ]
    assert copy["metadata"]["kernelspec"] == {"name": "python3"}


def test_taking_outputs_away_leaves_the_original_as_it_is():
    original = notebook("lesson", output="spoiler")
    before = json.dumps(original)
    without_outputs(original)
    assert json.dumps(original) == before


def test_a_second_hand_out_changes_nothing(root, workbook):
    before = {path: path.read_bytes() for path in workbook.rglob("*") if path.is_file()}
    assert hand_out(root, workbook) == []
    assert {path: path.read_bytes() for path in workbook.rglob("*") if path.is_file()} == before


def test_new_outputs_alone_are_not_a_new_lesson(root, workbook):
    write(root / "notebooks" / "01_mdi.ipynb", notebook("lesson 1", output="another spoiler"))
    assert hand_out(root, workbook) == []


def test_an_untouched_copy_is_replaced_when_the_lesson_moves_on(root, workbook):
    new_lesson(root, "lesson 1, second edition")
    (sentence,) = hand_out(root, workbook)
    assert "replaced" in sentence and "01_mdi.ipynb" in sentence
    assert read(workbook / "01_mdi.ipynb")["cells"][0]["source"] == "# lesson 1, second edition"
    assert names(workbook) == ["01_mdi.ipynb", "exercises/exercise_01_mdi.ipynb"]


def test_opening_and_saving_is_not_a_change(root, workbook):
    saved = read(workbook / "01_mdi.ipynb")
    saved["metadata"]["language_info"] = {"name": "python", "version": "3.12"}
    write(workbook / "01_mdi.ipynb", saved)
    new_lesson(root, "second edition")
    hand_out(root, workbook)
    assert names(workbook) == ["01_mdi.ipynb", "exercises/exercise_01_mdi.ipynb"]


def test_a_changed_copy_stays_and_the_new_lesson_comes_beside_it(root, workbook):
    write(workbook / "01_mdi.ipynb", notebook("my own notes"))
    mine = (workbook / "01_mdi.ipynb").read_bytes()
    new_lesson(root, "second edition")
    (sentence,) = hand_out(root, workbook)
    assert "01_mdi (new).ipynb" in sentence and "left as it is" in sentence
    assert (workbook / "01_mdi.ipynb").read_bytes() == mine
    assert read(workbook / "01_mdi (new).ipynb")["cells"][0]["source"] == "# second edition"


def test_a_copy_that_was_only_run_keeps_its_outputs(root, workbook):
    write(workbook / "01_mdi.ipynb", notebook("lesson 1", output="what I saw"))
    new_lesson(root, "second edition")
    hand_out(root, workbook)
    assert "what I saw" in (workbook / "01_mdi.ipynb").read_text()
    assert (workbook / "01_mdi (new).ipynb").exists()


def test_the_new_copy_is_offered_once(root, workbook):
    write(workbook / "01_mdi.ipynb", notebook("my own notes"))
    new_lesson(root, "second edition")
    hand_out(root, workbook)
    assert hand_out(root, workbook) == []
    (workbook / "01_mdi (new).ipynb").unlink()
    assert hand_out(root, workbook) == []


def test_a_third_edition_replaces_an_untouched_second_one(root, workbook):
    write(workbook / "01_mdi.ipynb", notebook("my own notes"))
    for edition in ("second", "third"):
        new_lesson(root, edition)
        hand_out(root, workbook)
    assert read(workbook / "01_mdi (new).ipynb")["cells"][0]["source"] == "# third"
    assert not (workbook / "01_mdi (new 2).ipynb").exists()


def test_a_third_edition_comes_beside_a_changed_second_one(root, workbook):
    write(workbook / "01_mdi.ipynb", notebook("my own notes"))
    new_lesson(root, "second")
    hand_out(root, workbook)
    write(workbook / "01_mdi (new).ipynb", notebook("more notes"))
    new_lesson(root, "third")
    hand_out(root, workbook)
    assert read(workbook / "01_mdi (new).ipynb") == notebook("more notes")
    assert read(workbook / "01_mdi (new 2).ipynb")["cells"][0]["source"] == "# third"


def test_a_learner_who_goes_on_with_the_new_copy_is_not_given_the_old_one_again(root, workbook):
    write(workbook / "01_mdi.ipynb", notebook("my own notes"))
    new_lesson(root, "second")
    hand_out(root, workbook)
    (workbook / "01_mdi (new).ipynb").replace(workbook / "01_mdi.ipynb")
    assert hand_out(root, workbook) == []


def test_a_deleted_lesson_comes_back(root, workbook):
    (workbook / "01_mdi.ipynb").unlink()
    assert hand_out(root, workbook) == ["Put into your workbook: 01_mdi.ipynb."]
    assert (workbook / "01_mdi.ipynb").exists()


@pytest.mark.parametrize("note", [None, "", "[1, 2]", '{"01_mdi.ipynb": 3}', "not json"])
def test_without_its_note_the_workbook_is_safe(root, workbook, note):
    write(workbook / "01_mdi.ipynb", notebook("my own notes"))
    (workbook / NOTE).unlink() if note is None else (workbook / NOTE).write_text(note)
    hand_out(root, workbook)
    assert read(workbook / "01_mdi.ipynb") == notebook("my own notes")
    assert (workbook / "01_mdi (new).ipynb").exists()
    assert not (workbook / "exercises" / "01_mdi (new).ipynb").exists()  # the same as the original


@pytest.mark.parametrize("text", ["", "no notebook", "[]", "{}", '{"cells": [{}]}'])
def test_a_copy_that_is_no_notebook_any_more_stays(root, workbook, text):
    (workbook / "01_mdi.ipynb").write_text(text)
    new_lesson(root, "second")
    hand_out(root, workbook)
    assert (workbook / "01_mdi.ipynb").read_text() == text
    assert (workbook / "01_mdi (new).ipynb").exists()


def test_other_files_of_the_learner_are_left_alone(root, workbook):
    (workbook / "progress.json").write_text("{}")
    (workbook / "helpers.py").write_text("x = 1")
    new_lesson(root, "second")
    hand_out(root, workbook)
    assert (workbook / "progress.json").read_text() == "{}"
    assert (workbook / "helpers.py").read_text() == "x = 1"


def test_a_write_that_fails_leaves_the_old_copy_and_no_rubbish(root, workbook, monkeypatch):
    before = (workbook / "01_mdi.ipynb").read_bytes()
    new_lesson(root, "second")

    def disk_full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("course_lib.files.os.replace", disk_full)
    with pytest.raises(OSError, match="No space"):
        hand_out(root, workbook)
    assert (workbook / "01_mdi.ipynb").read_bytes() == before
    assert list(workbook.rglob("*.tmp")) == []


def test_many_additions_are_told_in_one_line(root):
    for number in range(2, 8):
        write(root / "notebooks" / f"0{number}_x.ipynb", notebook("lesson"))
    assert hand_out(root, root / "workbook") == ["Put into your workbook: 8 notebooks."]


def _edit(root, workbook, step):
    files = sorted(workbook.glob("*.ipynb"))
    if files:
        write(files[step % len(files)], notebook(f"mine {step}"))


def _run(root, workbook, step):
    files = sorted(workbook.glob("*.ipynb"))
    if files:
        what = read(files[step % len(files)])
        what["cells"][1]["outputs"] = notebook("", output=f"seen {step}")["cells"][1]["outputs"]
        write(files[step % len(files)], what)


def _delete(root, workbook, step):
    files = sorted(workbook.glob("*.ipynb"))
    if files:
        files[step % len(files)].unlink()


def _move_on(root, workbook, step):
    new_lesson(root, f"edition {step}")


def _lose_note(root, workbook, step):
    (workbook / NOTE).unlink(missing_ok=True)


@settings(max_examples=40)
@given(st.lists(st.sampled_from([_edit, _run, _delete, _move_on, _lose_note]), max_size=12))
def test_whatever_happens_no_work_is_lost_and_the_newest_lesson_was_offered(steps):
    root = Path(tempfile.mkdtemp())
    try:
        workbook = root / "workbook"
        new_lesson(root, "edition 0")
        hand_out(root, workbook)
        for number, step in enumerate(steps, start=1):
            step(root, workbook, number)
            before = {path: path.read_bytes() for path in workbook.glob("*.ipynb")}
            mine = {path for path, text in before.items() if b"mine" in text or b"seen" in text}
            hand_out(root, workbook)
            assert all(path.read_bytes() == before[path] for path in mine)
            fresh = content(without_outputs(read(root / "notebooks" / "01_mdi.ipynb")))
            assert fresh in read(workbook / NOTE)["01_mdi.ipynb"].values() or any(
                content(read(path)) == fresh for path in workbook.glob("*.ipynb")
            )
            assert list(workbook.glob("*.ipynb"))
    finally:
        shutil.rmtree(root)


# An exercise has another name than its lesson


def linked(text: str) -> dict:
    made = notebook("x")
    made["cells"][0]["source"] = [text]
    return made


def text_of(path: Path) -> str:
    return "".join(read(path)["cells"][0]["source"])


def test_links_lead_from_the_lesson_to_its_exercise_and_back(root):
    lesson, exercise = "01_mdi.ipynb", "exercises/exercise_01_mdi.ipynb"
    away = "../exercises/01_mdi/01_mdi.ipynb"
    write(root / "notebooks" / lesson, linked(f"[e]({away}), [g](glossary.md)"))
    back = "[l](../../notebooks/01_mdi.ipynb), [g](../../notebooks/glossary.md#x)"
    write(root / "exercises" / "01_mdi" / lesson, linked(back))
    hand_out(root, root / "workbook")
    there = text_of(root / "workbook" / lesson)
    assert there == f"[e]({exercise}), [g](glossary.md)"
    assert text_of(root / "workbook" / exercise) == "[l](../01_mdi.ipynb), [g](../glossary.md#x)"
    assert hand_out(root, root / "workbook") == []


def test_every_link_of_the_workbook_leads_to_a_file_of_it(tmp_path):
    hand_out(ROOT, tmp_path)
    found = 0
    for path in tmp_path.rglob("*.ipynb"):
        cells = (c for c in read(path)["cells"] if c["cell_type"] == "markdown")
        text = "\n".join("".join(cell["source"]) for cell in cells)
        for link in re.findall(r"\]\(([^)#:\s]+\.(?:ipynb|md))", text):
            found += 1
            assert (path.parent / link).exists(), (path.name, link)
    assert found > 50


def test_an_exercise_with_its_old_name_is_renamed_and_kept(root, workbook):
    """A workbook of last year: exercises/01_mdi.ipynb, with answers, and a newer copy beside it."""
    note = json.loads((workbook / NOTE).read_text())
    new = "exercises/exercise_01_mdi.ipynb"
    old = new.replace("exercise_", "")
    note[old] = {old: note.pop(new)[new]}
    (workbook / NOTE).write_text(json.dumps(note))
    (workbook / new).unlink()
    write(workbook / old, notebook("my own answer"))
    write(workbook / "exercises" / "01_mdi (new).ipynb", notebook("another edition"))
    news = hand_out(root, workbook)
    assert news[0] == f"{old} is now called {new}."
    assert text_of(workbook / new) == "# my own answer"
    assert names(workbook) == [
        *("01_mdi.ipynb", "exercises/exercise_01_mdi (new).ipynb", new),
    ]
    assert hand_out(root, workbook) == []
