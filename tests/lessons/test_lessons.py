"""Every lesson's questions and exercises: well formed, solvable, each slip met by its hint."""

import re
from collections.abc import Iterator

import nbformat
import pytest
from depth import at_most

from course_lib import lessons
from course_lib.learner.checks import judge
from course_lib.lessons.judgement import CORRECT, NOT_ATTEMPTED, NOT_YET, AnswerKey, answer_key
from course_lib.lessons.response import Response
from course_lib.tools.system import ROOT

LESSONS = lessons.available()
EXERCISES = [task for lesson in LESSONS for task in lessons.exercises(lesson.number)]
ITEMS = [item for lesson in LESSONS for item in lesson.statements + lesson.recall]
SEEDS = range(at_most(2, 2, 5))
# for a wrong answer that only some draws would tell from the right one
MANY_SEEDS = range(at_most(2, 3, 200))

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda task: task.id)


def run(folder: str, lesson) -> tuple[dict, list[str]]:
    """What the task cells of a built notebook define, and its checks, which are not run."""
    path = ROOT / folder / lesson.name / f"{lesson.name}.ipynb"
    namespace, checks = {}, []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("check"):
            checks.append(cell.source)
        elif cell.cell_type == "code":
            exec(cell.source, namespace)  # our own notebook
    return namespace, checks


def verdicts(folder: str, lesson, seeds) -> Iterator[dict]:
    """For each seed the verdict of each check cell, with the answers of the same notebook."""
    namespace, checks = run(folder, lesson)
    for seed in seeds:
        namespace["check"] = lambda name, answer, seed=seed: (
            name,
            judge(lessons.exercise(name), answer, seed),
        )
        yield dict(eval(source, namespace) for source in checks)


@each_lesson
def test_the_solution_passes_every_check_for_any_seed(lesson):
    for found in verdicts("solutions", lesson, SEEDS):
        outcomes = {name: verdict.outcome for name, verdict in found.items()}
        assert outcomes == {task.id: CORRECT for task in lessons.exercises(lesson.number)}


@each_lesson
def test_the_untouched_exercise_is_not_attempted(lesson):
    (found,) = verdicts("exercises", lesson, [0])
    outcomes = {name: verdict.outcome for name, verdict in found.items()}
    assert outcomes == {task.id: NOT_ATTEMPTED for task in lessons.exercises(lesson.number)}


@each_exercise
def test_every_slip_is_rejected_with_its_own_hint(exercise):
    for seed in MANY_SEEDS if exercise.is_function else SEEDS[:1]:
        key = (answer_key if seed in SEEDS else AnswerKey)(exercise, seed)
        for slip, values in key.slips:
            verdict = key.verdict(Response(values))
            assert verdict.outcome == NOT_YET, (slip.name, seed)
            assert verdict.slip is slip and verdict.hint == slip.hint, (slip.name, seed)


@each_exercise
def test_the_reference_itself_is_correct(exercise):
    answer = exercise.reference if exercise.is_function else exercise.reference()
    assert all(judge(exercise, answer, seed).passed for seed in SEEDS)


@each_exercise
def test_cases_are_plain_json_and_the_same_for_the_same_seed(exercise):
    import json

    first, again, other = exercise.cases(1), exercise.cases(1), exercise.cases(2)
    assert json.loads(json.dumps(first)) == first == again
    assert not exercise.is_function or first != other


@each_exercise
def test_an_exercise_has_hints_points_and_slips(exercise):
    assert len(exercise.hints) >= 2
    assert exercise.points >= 1
    assert exercise.slips


@each_lesson
def test_a_lesson_has_the_parts_that_every_lesson_has(lesson):
    assert len(lessons.exercises(lesson.number)) >= 3
    assert lesson.predictions and lesson.statements and lesson.recall and lesson.written
    assert all(task.answer for task in lesson.written)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_the_feedback_to_an_option_is_a_sentence(item):
    assert all(len(option.feedback) > 20 for option in item.options)


@pytest.mark.parametrize(
    "prediction", [p for lesson in LESSONS for p in lesson.predictions], ids=lambda p: p.id
)
def test_a_prediction_has_a_typical_guess_that_it_would_accept(prediction):
    from course_lib.learner.predictions import checked_guess

    assert checked_guess(prediction, prediction.typical) is not None


@each_lesson
def test_the_lesson_uses_all_its_questions(lesson):
    source = (ROOT / "notebooks" / "src" / f"{lesson.name}.py").read_text(encoding="utf-8")
    for prediction in lesson.predictions:
        assert f'predict("{prediction.id}")' in source
        assert re.search(rf'reveal\(\s*"{prediction.id}"', source), f"{prediction.id} has no reveal"
    for group in {item.group for item in lesson.statements}:
        assert f'may_i_say("{group}")' in source
    assert f'recall("{lesson.number}")' in source


@each_lesson
def test_predictions_and_exercises_are_numbered_in_the_order_in_which_one_meets_them(lesson):
    lesson_text, exercise_text = (
        (ROOT / folder / "src" / f"{lesson.name}.py").read_text(encoding="utf-8")
        for folder in ("notebooks", "solutions")
    )
    asked = re.findall(r'^predict\("([\d.]+)"\)', lesson_text, re.MULTILINE)
    assert asked == [f"{lesson.number}.{k}" for k in range(1, len(asked) + 1)]
    assert asked == [prediction.id for prediction in lesson.predictions]  # as the guide lists them
    tasks = re.findall(r'^# %% task="([\d.]+)"', exercise_text, re.MULTILINE)
    assert tasks == [f"{lesson.number}.{k}" for k in range(1, len(tasks) + 1)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lessons.load("99"), "There is no lesson '99'"),
        (lambda: lessons.exercise("01.99"), "There is no exercise '01.99'"),
        (lambda: lessons.find("predictions", "01.99"), "There is no prediction '01.99'"),
    ],
)
def test_an_unknown_name_says_what_there_is(call, message):
    with pytest.raises(ValueError, match=message):
        call()
