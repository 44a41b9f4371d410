"""`python -m course_lib`, which is what `./course` runs in the environment it made."""

import sys

from course_lib.tools.cli import main

if __name__ == "__main__":
    sys.exit(main())
