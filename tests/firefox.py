"""Firefox, driven through WebDriver BiDi, which it speaks by itself: no driver has to be installed.

https://w3c.github.io/webdriver-bidi
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import websocket

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
ADDRESS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
KEYS = {"ArrowRight": "\ue014", "ArrowLeft": "\ue012", "Home": "\ue011", "End": "\ue010"}
KEYS |= {"Tab": "\ue004", "Enter": "\ue007", "Space": " "}


@contextmanager
def firefox(profile: Path) -> Iterator["Firefox"]:
    """A Firefox without a window, its profile in a new folder; ended when the block is left."""
    profile.mkdir()
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(profile)]
    process = subprocess.Popen(
        [*command, "--remote-debugging-port", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = next(found[1] for line in process.stderr if (found := ADDRESS.search(line)))
        yield Firefox(address)
    finally:
        process.terminate()
        process.wait(30)


class Firefox:
    """One tab."""

    def __init__(self, address: str):
        self._socket = websocket.create_connection(
            f"{address}/session", timeout=60, suppress_origin=True
        )
        self._count = 0
        self.call("session.new", capabilities={})
        self.tab = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **params) -> dict:
        """Send a command and wait for its result."""
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == self._count:
                assert answer["type"] == "success", answer
                return answer["result"]

    def goto(self, address: str) -> None:
        """Open a page and wait until it is loaded."""
        self.call("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def evaluate(self, script: str) -> str:
        """The value of an expression, as text; a promise is waited for."""
        result = self.call(
            "script.evaluate",
            expression=f"Promise.resolve({script}).then(String)",
            target={"context": self.tab},
            awaitPromise=True,
        )
        assert result["type"] == "success", result
        return result["result"]["value"]

    def press(self, *names: str) -> None:
        """Press keys one after the other."""
        actions = [
            {"type": kind, "value": KEYS[name]} for name in names for kind in ("keyDown", "keyUp")
        ]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self.call("input.performActions", context=self.tab, actions=[keyboard])
