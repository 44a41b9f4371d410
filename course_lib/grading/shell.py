"""The IPython shell in which a student's cells run, and what it collects of their output."""

import base64
import re
import subprocess
import sys

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

ADDRESS = re.compile(r"(?<= at )0x[0-9a-fA-F]+")
MAX_IMAGE = 500_000


class Collector:
    """Standard output of a cell: keeps the beginning, drops the rest, never blocks."""

    encoding, errors, closed = "utf-8", "replace", False

    def __init__(self, room: int):
        self.parts, self.room = [], room

    def write(self, text) -> int:
        text = str(text)
        if self.room > 0:
            self.parts.append({"text": text[: self.room]})
            self.room -= len(text)
            if self.room <= 0:
                self.parts.append({"text": "\n[the rest of the output was dropped]"})
        return len(text)

    def show(self, text: str, image: bytes | str | None = None) -> None:
        """Take what a cell displays: a picture if there is one, else text."""
        if isinstance(image, bytes):
            image = base64.b64encode(image).decode()
        if image and len(image) < min(self.room, MAX_IMAGE):
            self.room -= len(image)
            self.parts.append({"png": image.strip()})
        else:
            self.write(text + "\n")

    def writelines(self, lines) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Nothing is ever held back."""

    def isatty(self) -> bool:
        return False

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1  # /dev/null in the box

    def contents(self) -> list[dict]:
        """What was collected, neighbouring texts joined, addresses removed."""
        joined = []
        for part in self.parts:
            if "text" in part and joined and "text" in joined[-1]:
                joined[-1]["text"] += part["text"]
            else:
                joined.append(dict(part))
        for part in joined:
            if "text" in part:
                part["text"] = ADDRESS.sub("0x...", part["text"])
        return joined


class Hook(DisplayHook):
    """Shows the value of a cell's last line, as a picture if it has one."""

    def __call__(self, result=None):
        if result is not None and not self.quiet():
            self.shell.user_ns["_"] = result
            kinds = ["text/plain", "image/png"]
            data, _ = self.shell.display_formatter.format(result, include=kinds)
            sys.stdout.show(data.get("text/plain", ""), data.get("image/png"))


class Publisher(DisplayPublisher):
    """Shows what a cell displays."""

    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **_):
        sys.stdout.show(str(data.get("text/plain", "")), data.get("image/png"))

    def clear_output(self, wait=False):
        """A page has no output to clear."""


class Shell(InteractiveShell):
    """A shell without screen or history, which keeps a failure instead of printing it."""

    displayhook_class = Type(Hook)
    display_pub_class = Type(Publisher)
    failure = None

    def showtraceback(self, *arguments, **options):
        self.failure = sys.exc_info()

    def showsyntaxerror(self, *arguments, **options):
        self.failure = sys.exc_info()

    def showindentationerror(self):
        self.failure = sys.exc_info()

    def enable_gui(self, gui=None):
        """There is no screen."""

    def system(self, command):
        done = subprocess.run(
            self.var_expand(command, depth=1),
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        print(done.stdout.decode(errors="replace"), end="")


def make_shell() -> Shell:
    """The shell of this process."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.history_length = 0
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Minimal"
    shell = Shell.instance(config=config)
    sys.displayhook = shell.displayhook
    return shell
