"""A lesson's stored notebook as a page of the site, and as a file to download."""

import ast
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from course_lib.lessons import Lesson
from course_lib.plots.pictures import without_stills
from course_lib.tools.slides.pieces import FOR_ONE
from course_lib.tools.slides.prose import sentences
from course_lib.tools.workbook import EXERCISE, without_outputs

IMPORTS = (ast.Import, ast.ImportFrom)
FORMS = {"predict", "recall", "may_i_say", "pre_test", "post_test"}
DOWNLOADS = """\
```{{admonition}} To work with this lesson
:class: tip

Predict, answer and explore on this page. What you enter stays in this browser.
<span class="course-forget"></span>

For the exercise, [start the course](index.md#{start}) and open the lesson in JupyterLab. Its
notebooks to download: [the lesson](path:downloads/{name}.ipynb),
[the exercise](path:exercises/{name}.ipynb).
```"""


def write_lesson(root: Path, folder: Path, lesson: Lesson, start: str) -> None:
    """Write the page of a lesson and its two downloads into the sources of the site.

    Parameters
    ----------
    root : path
        The folder of the course.
    folder : path
        That of the site's sources.
    lesson : Lesson
    start : str
        The heading of the front page that says how to begin.
    """
    name = f"{lesson.name}.ipynb"
    notebook = json.loads((root / "notebooks" / name).read_text(encoding="utf-8"))
    _write(folder / "downloads" / name, without_outputs(notebook))
    shutil.copyfile(root / "exercises" / lesson.name / name, folder / "exercises" / name)
    _write(folder / name, as_page(notebook, lesson, start))


def add_note(path: Path, name: str, text: str) -> None:
    """Put a cell of text below the introduction of a notebook to download."""
    _write(path, with_note(json.loads(path.read_text(encoding="utf-8")), name, text))


def with_note(notebook: dict, name: str, text: str) -> dict:
    """The notebook with a cell of text below its introduction."""
    note = {"cell_type": "markdown", "id": f"site-{name}", "metadata": {}, "source": text}
    first, *others = notebook["cells"]
    return notebook | {"cells": [first, note, *others]}


def as_page(notebook: dict, lesson: Lesson, start: str) -> dict:
    """The notebook as sphinx reads it, with a line of downloads below its introduction."""
    language = notebook["metadata"]["language_info"] | {"pygments_lexer": "ipython3"}
    text = DOWNLOADS.format(name=lesson.name, start=start.lower().replace(" ", "-"))
    page = notebook | {"cells": [_on_page(cell) for cell in _for_all(notebook["cells"])]}
    page["metadata"] = notebook["metadata"] | {"language_info": language}
    return with_note(page, "downloads", text)


def _for_all(cells: list[dict]) -> Iterator[dict]:
    """The cells without those that tell one learner how things stand on their own machine."""
    for cell, following in zip(cells, [*cells[1:], {}], strict=True):
        if following and _is_for_one(following):
            yield cell | {"source": without_last_sentence("".join(cell["source"]))}
        elif not _is_for_one(cell):
            yield cell


def _is_for_one(cell: dict) -> bool:
    return cell["cell_type"] == "code" and bool(FOR_ONE.search("".join(cell["source"])))


def without_last_sentence(text: str) -> str:
    """A text without the sentence that leads to what follows it.

    >>> without_last_sentence("## Practise\\n\\nThe exercise is short. Your progress so far:")
    '## Practise\\n\\nThe exercise is short.'
    >>> without_last_sentence("One.\\n\\nThe next cell checks.")
    'One.'
    """
    before, _, last = text.rpartition("\n\n")
    return f"{before}\n\n{' '.join(sentences(last)[:-1])}".strip()


def _on_page(cell: dict) -> dict:
    """The cell with its exercises as downloads, which are no pages, or its code as folded as it is.

    A form needs no line of code above it where nobody runs it.
    """
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return cell | {"source": EXERCISE.sub(r"](path:exercises/\1.ipynb", source)}
    if "outputs" in cell:
        cell = cell | {"outputs": [_drawn(output) for output in cell["outputs"]]}
    if cell["cell_type"] == "code" and only_asks(source):
        return _tagged(cell, "remove-input")
    folded = cell["metadata"].get("jupyter", {}).get("source_hidden")
    return _tagged(cell, "hide-input") if folded else cell


def _drawn(output: dict) -> dict:
    """An output with its figures as SVG alone."""
    data = output.get("data", {})
    if "text/html" not in data:
        return output
    html = without_stills("".join(data["text/html"]))
    return output | {"data": data | {"text/html": html}}


def only_asks(source: str) -> bool:
    """Whether code does nothing but show a form.

    >>> only_asks('from course_lib.learner import predict\\n\\npredict("01.1")')
    True
    >>> only_asks('X = 1\\npredict("01.1")'), only_asks("import numpy")
    (False, False)
    """
    lines = [line for line in source.splitlines() if not line.startswith(("%", "!"))]
    found = [one for one in ast.parse("\n".join(lines)).body if not isinstance(one, IMPORTS)]
    return bool(found) and all(map(_is_form, found))


def _is_form(statement: ast.stmt) -> bool:
    call = getattr(statement, "value", None)
    return isinstance(call, ast.Call) and getattr(call.func, "id", "") in FORMS


def _tagged(cell: dict, tag: str) -> dict:
    tags = [*cell["metadata"].get("tags", ()), tag]
    return cell | {"metadata": cell["metadata"] | {"tags": tags}}


def _write(path: Path, notebook: dict) -> None:
    text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")
