"""How far a batch is, for whoever waits: a bar in a terminal, else a line now and then."""

import os
import sys
import threading
from contextlib import suppress
from time import monotonic
from typing import TextIO

TICK, EVERY = 1.0, 30.0  # seconds: how often the clock of the bar moves, how often a line comes
USUAL = {"ncols": 80, "nrows": 24}  # of a terminal that does not say how large it is


class Progress:
    """Counts what is done; a thread shows it, so that the clock goes on during a long notebook.

    Parameters
    ----------
    total : int
    file : text file, default=sys.stderr
    tick, every : float
        Seconds between two looks at the bar, and between two lines where there is no terminal.
    """

    def __init__(
        self, total: int, *, file: TextIO | None = None, tick: float = TICK, every: float = EVERY
    ):
        from tqdm import tqdm

        self.file = file or sys.stderr
        is_terminal = self.file.isatty()
        options = {"unit": "notebook", "smoothing": 0.05} | _size(self.file)
        self.bar = tqdm(total=total, file=self.file, disable=not is_terminal, **options)
        self.done, self.total, self.start = 0, total, monotonic()
        show, pause = (self.bar.refresh, tick) if is_terminal else (self._line, every)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go_on, args=(show, pause), daemon=True)

    def __enter__(self) -> "Progress":
        self._thread.start()
        return self

    def __exit__(self, *error) -> None:
        self._over.set()
        self._thread.join()
        self.bar.close()

    def update(self) -> None:
        """One more is done."""
        self.done += 1
        self.bar.update()

    def is_alive(self) -> bool:
        """Whether something is still shown."""
        return self._thread.is_alive()

    def _go_on(self, show, pause: float) -> None:
        while not self._over.wait(pause):
            with suppress(OSError, ValueError):  # nobody listens any more
                show()

    def _line(self) -> None:
        minutes, seconds = divmod(round(monotonic() - self.start), 60)
        text = f"Graded {self.done} of {self.total} after {minutes}:{seconds:02d} minutes.\n"
        self.file.write(text)
        self.file.flush()


def _size(file: TextIO) -> dict[str, int]:
    """The size for a bar where a terminal says 0 by 0, for which tqdm would draw nothing."""
    try:
        size = os.get_terminal_size(file.fileno())
    except (OSError, ValueError):
        return USUAL
    return {} if size.columns and size.lines else USUAL
