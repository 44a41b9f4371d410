"""The explorer of each lesson, for what looks at all of them: the bench, the tests."""

from course_lib import widgets

NAMES = "threshold noise scramble lattice display local confounding doors rashomon report".split()
EXPLORERS = {
    f"{number:02}": getattr(widgets, f"{name}_explorer") for number, name in enumerate(NAMES, 1)
}
