"""What a wheel has besides the library: the built lessons and exercises, so that it is the course.

All else is declared in pyproject.toml. In a clone, where the notebooks lie beside the library,
nothing is copied.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = "notebooks/*.ipynb", "notebooks/*.md", "exercises/*/*.ipynb", "requirements.lock"


class WithLessons(build_py):
    """Copies them into the package, where `course_lib.tools.system.SHIPPED` looks for them."""

    def run(self):
        super().run()
        if self.editable_mode:
            return
        root, home = Path(__file__).parent, Path(self.build_lib, "course_lib", "shipped")
        for path in sorted(path for pattern in SHIPPED for path in root.glob(pattern)):
            target = home / path.relative_to(root)
            self.mkpath(str(target.parent))
            self.copy_file(str(path), str(target))


setup(cmdclass={"build_py": WithLessons})
