"""In the box every helper of the learner answers a call, and none of them knows an answer."""

NAMES = (
    *("check", "hint", "model_answer", "progress", "ask", "predict", "reveal", "may_i_say"),
    *("recall", "ready", "pre_test", "post_test", "gain"),
)


class NotHere:
    """What a call gives while a notebook is graded."""

    passed = True  # so that a cell which insists on it goes on

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"({self.name} says nothing while the notebook is graded)"


def _stand_in(name: str):
    def call(*arguments, **options) -> NotHere:
        return NotHere(name)

    call.__name__ = call.__qualname__ = name
    return call


globals().update({name: _stand_in(name) for name in NAMES})
__all__ = list(NAMES)
