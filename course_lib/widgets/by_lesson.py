"""The explorers of the lessons, for what looks at all of them: the build, the bench, the tests."""

from course_lib import widgets

NAMES = "threshold noise scramble lattice display local confounding doors rashomon report".split()
STORED = {name: getattr(widgets, f"{name}_explorer") for name in NAMES}
EXPLORERS = {f"{number:02}": explorer for number, explorer in enumerate(STORED.values(), 1)}
