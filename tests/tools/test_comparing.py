"""Sentences that became false stop the build (mirrors tools/comparing.py)."""

import pytest

from course_lib import lessons
from course_lib.tools.comparing import Comparison
from course_lib.tools.notebooks import execute
from course_lib.tools.sources import BuildError, read_source, read_ties

SOURCE = """# %% [markdown]
# The next cell finds {{0.26 bits | decrease}}.

# %%
decrease = 0.2564
print("made")
#| holds decrease > 0

# %% [markdown]
# That is {{a quarter | 0.2 < decrease < 0.3}} of all, from {{three | n_children}} children.

# %%
n_children = 3
"""


def run(folder, text: str):
    source = folder / "99_tiny.py"
    source.write_text(text, encoding="utf-8")
    notebook = read_source(source)
    return execute(notebook, root=folder, path="99_tiny.py", ties=read_ties(source))


def test_a_reader_sees_the_words_and_nothing_of_their_ties(tmp_path):
    done = run(tmp_path, SOURCE)
    assert [cell.source for cell in done.cells] == [
        "The next cell finds 0.26 bits.",
        'decrease = 0.2564\nprint("made")',
        "That is a quarter of all, from three children.",
        "n_children = 3",
    ]
    assert [cell.get("execution_count") for cell in done.cells] == [None, 1, None, 2]
    assert done.cells[1].outputs[0].text == "made\n"


@pytest.mark.parametrize(
    ("old", "new", "sentence", "found"),
    [
        ("0.2564", "0.2664", "The next cell finds 0.26 bits.", "decrease is 0.27"),
        ("0.2564", "-0.2", "what its alt text", "decrease > 0 is false"),
        ("n_children = 3", "n_children = 4", "from three children", "n_children is 4"),
        ("n_children = 3", "n = 3", "from three children", "NameError"),
        ("a quarter | 0.2", "a half | 0.4", "That is a half of all", "is false"),
    ],
)
def test_a_sentence_that_became_false_is_named(tmp_path, old, new, sentence, found):
    with pytest.raises(BuildError) as refused:
        run(tmp_path, SOURCE.replace(old, new))
    assert sentence in str(refused.value) and found in str(refused.value)


def test_what_a_cell_says_for_its_slide_is_tied_and_no_part_of_its_code(tmp_path):
    says = "#| says It is {{a quarter | 0.2 < decrease < 0.3}}.\n#| says No more.\n"
    told = SOURCE.replace("#| holds decrease > 0\n", says)
    cell = run(tmp_path, told).cells[1]
    assert cell.source == 'decrease = 0.2564\nprint("made")'
    assert cell.metadata["slideshow"] == {"caption": "It is a quarter. No more."}
    with pytest.raises(BuildError, match="'It is a quarter.' is not so"):
        run(tmp_path, told.replace("0.2564", "0.3001"))


def test_sentences_of_items_are_compared_where_the_lesson_shows_them(tmp_path, monkeypatch):
    item = lessons.ties("She guesses {{0.5 | guess}}.")
    monkeypatch.setattr(lessons, "item_ties", lambda number: {"01.1": item})
    source = tmp_path / "01_mdi.py"
    source.write_text('# %%\nguess = 0.5\nreveal("01.1", guess)\n', encoding="utf-8")
    assert read_ties(source) == [item]


def test_a_sentence_with_no_cell_beside_it_was_never_computed(tmp_path):
    source = tmp_path / "99_tiny.py"
    source.write_text("# %% [markdown]\n# It is {{0.1 | x}}.\n", encoding="utf-8")
    (problem,) = Comparison(read_source(source), read_ties(source)).problems("99_tiny.py")
    assert "was never computed" in problem
