"""What do you mean, important? The helper library behind the lessons.

Names live in the module that the contract gives them (`from course_lib.mdi import mdi`), so that
`import course_lib` stays light and a newcomer finds the file by its name. Every measure returns a
result that says which of the six questions it answers.
"""

__version__ = "1.0.0"


def __getattr__(name: str):
    """`course_lib.ask` is found on first use, so that importing the package stays light."""
    if name == "ask":
        from course_lib.which import ask

        return ask
    raise AttributeError(f"module 'course_lib' has no attribute {name!r}")
