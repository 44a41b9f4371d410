"""What a lesson computes with measures, as plain functions and records."""

from course_lib import exports

__getattr__, __dir__, __all__ = exports(__name__, {})
