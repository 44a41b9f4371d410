"""The index of claims: current, complete, and made from the tests that exist."""

import ast

import pytest

from course_lib import lessons
from course_lib.tools import claims, cli
from course_lib.tools.system import ROOT

LESSON = lessons.load("01")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A course with one claim."""
    (tmp_path / claims.FOLDER).mkdir(parents=True)
    claim = 'def test_noise_is_not_zero(seed):\n    """Varies: seed."""\n    assert 0\n'
    source = f"def helper(): pass\n\n{claim}"
    (tmp_path / claims.FOLDER / f"test_{LESSON.name}.py").write_text(source)
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    return tmp_path


def test_the_index_is_current():
    assert (ROOT / claims.INDEX).read_text(encoding="utf-8") == claims.index(ROOT), (
        "the claims have changed: write their index with ./course claims"
    )


@pytest.mark.parametrize("lesson", lessons.available(), ids=lambda lesson: lesson.name)
def test_every_lesson_has_claims_and_each_of_its_tests_is_one(lesson):
    source = (ROOT / claims.FOLDER / f"test_{lesson.name}.py").read_text(encoding="utf-8")
    functions = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef)]
    tests = [node.name for node in functions if node.name.startswith("test_")]
    found = list(claims.claims(ROOT, lesson))
    assert tests and [claim.test.split("::")[1] for claim in found] == tests
    assert len({claim.sentence for claim in found}) == len(found)
    text = claims.index(ROOT)
    assert all(f"| {claim.sentence} | {claim.varied} | `{claim.test}` |" in text for claim in found)


@pytest.mark.parametrize("lesson", lessons.available(), ids=lambda lesson: lesson.name)
def test_every_claim_says_what_its_test_varies(lesson):
    silent = [claim.test for claim in claims.claims(ROOT, lesson) if not claim.varied]
    assert not silent, 'their docstrings need a line "Varies: ..."'


def test_every_file_of_claims_belongs_to_a_lesson():
    names = {f"test_{lesson.name}.py" for lesson in lessons.available()}
    assert {path.name for path in (ROOT / claims.FOLDER).glob("test_*.py")} == names


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("test_noise_is_not_zero", "Noise is not zero."),
        ("test_the_mdi_of_x1_is_038_and_not_2", "The MDI of x1 is 0.38 and not 2."),
        ("test_x1_leads_the_shapley_values", "x1 leads the Shapley values."),
    ],
)
def test_a_name_becomes_a_sentence(name, said):
    assert claims.sentence(name) == said


def test_the_check_writes_nothing_and_fails_until_the_index_is_written(elsewhere, capsys):
    assert cli.main(["claims", "--check"]) == 1
    assert not (elsewhere / claims.INDEX).exists() and "./course claims" in capsys.readouterr().err
    assert cli.main(["claims"]) == 0
    assert cli.main(["claims", "--check"]) == 0
    text = (elsewhere / claims.INDEX).read_text(encoding="utf-8")
    assert "| Noise is not zero. | seed | `test_01_mdi.py::test_noise_is_not_zero` |" in text
    assert "helper" not in text


def test_a_claim_that_went_is_noticed(elsewhere):
    cli.main(["claims"])
    (elsewhere / claims.FOLDER / f"test_{LESSON.name}.py").unlink()
    assert cli.main(["claims", "--check"]) == 1
