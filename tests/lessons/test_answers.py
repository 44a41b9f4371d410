"""Right answers in many styles are accepted, wrong ones refused with the hint that helps.

`answers/answers_NN.py` holds them for the exercises of lesson NN: `RIGHT[exercise]` is a list of at
least three answers, each in another style; `WRONG[exercise]` names answers that must be refused: by
the slip whose hint they get, or, where no slip fits, by a sentence in brackets.
"""

import ast
from importlib import import_module

import nbformat
import numpy as np
import pytest
from depth import at_most

from course_lib import lessons
from course_lib.learner.checks import judge
from course_lib.lessons.judgement import CORRECT, NOT_YET, answer_key
from course_lib.lessons.response import Response
from course_lib.tools.system import ROOT

LESSONS = lessons.available()
EXERCISES = [task for lesson in LESSONS for task in lessons.exercises(lesson.number)]
FUNCTIONS = [task for task in EXERCISES if task.is_function]
SEEDS = range(at_most(2, 2, 20))

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda task: task.id)
each_function = pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda task: task.id)


def answers(exercise):
    """The module with the answers to the exercises of the same lesson."""
    return import_module(f"lessons.answers.answers_{exercise.id[:2]}")


def seeds(exercise):
    return SEEDS if exercise.is_function else SEEDS[:1]


@each_exercise
def test_right_answers_in_three_other_styles_are_accepted(exercise):
    right = answers(exercise).RIGHT[exercise.id]
    assert len(right) >= 3
    for answer in right:
        for seed in seeds(exercise):
            verdict = judge(exercise, answer, seed)
            assert verdict.outcome == CORRECT, (answer, seed, verdict)


@each_exercise
def test_wrong_answers_are_refused_with_the_hint_that_helps(exercise):
    for name, answer in answers(exercise).WRONG.get(exercise.id, {}).items():
        for seed in seeds(exercise):
            with np.errstate(all="ignore"):
                verdict = judge(exercise, answer, seed)
            assert verdict.outcome == NOT_YET, (name, seed)
            if not name.startswith("("):
                assert verdict.slip and verdict.slip.name == name, (name, seed, verdict)


@each_function
def test_no_constant_answer_passes(exercise):
    for seed in SEEDS:
        key = answer_key(exercise, seed)
        for constant in key.wanted:
            assert not key.verdict(Response((constant,) * len(key.cases))).passed, seed


@each_lesson
def test_no_task_uses_the_answer_to_another(lesson):
    """One mistake costs once: a task is given what it needs as an argument."""
    path = ROOT / "solutions" / lesson.name / f"{lesson.name}.ipynb"
    tasks = [
        ast.parse(cell.source)
        for cell in nbformat.read(path, as_version=4).cells
        if cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("task")
        and cell.cell_type == "code"
    ]
    defined = [set(_names(task, ast.Store)) for task in tasks]
    for k, task in enumerate(tasks):
        others = set().union(*defined[:k]) - defined[k]
        assert not others & set(_names(task, ast.Load)), lesson.name


def _names(tree: ast.Module, context: type) -> list[str]:
    """Names that a cell reads from outside, or those that it defines for other cells."""
    if context is ast.Load:
        given = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
        return [n.id for n in nodes if isinstance(n.ctx, ast.Load) and n.id not in given]
    functions = [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    top = [n for n in tree.body if not isinstance(n, ast.FunctionDef | ast.ClassDef)]
    walked = (node for statement in top for node in ast.walk(statement))
    return functions + [
        n.id for n in walked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
