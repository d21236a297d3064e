"""A headless Chromium, spoken to over a pipe in its own protocol, that notes what a page says and what it asks for."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 60.0


def found() -> str | None:
    """The path of a Chromium, or None."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Page:
    """One page in the browser. ``said`` are console lines and exceptions, ``asked`` the addresses that it requested."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._out, self._in = to_browser, from_browser
        self._buffer = b""
        self._last = 0
        self._session: str | None = None
        self.said: list[str] = []
        self.asked: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def open(self, path: Path, fragment: str = "", *, width: int = 1360, height: int = 900, dark: bool = False) -> None:
        """Show a file and wait until it is there."""
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._call("Emulation.setEmulatedMedia", features=scheme)
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=path.as_uri() + fragment)
        deadline = time.monotonic() + SECONDS
        while self.run("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < deadline, "the page does not load"

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        done = self._call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key and let go of it."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}
        number = code.get(key, ord(key.upper()) if len(key) == 1 else 0)
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, text=text, windowsVirtualKeyCode=number)

    def type(self, text: str) -> None:
        """Type a text into what has the focus."""
        self._call("Input.insertText", text=text)

    def picture(self, path: Path, *, full: bool = False) -> None:
        """Write a screenshot."""
        data = self._call("Page.captureScreenshot", captureBeyondViewport=full)["data"]
        path.write_bytes(base64.b64decode(data))

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            assert select.select([self._in], [], [], max(0, deadline - time.monotonic()))[0], "the browser is silent"
            piece = os.read(self._in, 2**16)
            assert piece, "the browser is gone"
            self._buffer += piece
        line, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, event: dict[str, Any]) -> None:
        if method == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(argument.get("value")) for argument in event["args"]))
        elif method == "Runtime.exceptionThrown":
            self.said.append(event["exceptionDetails"].get("text", "exception"))
        elif method == "Log.entryAdded":
            self.said.append(event["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.asked.append(event["request"]["url"])


@contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """Start a browser with a profile of its own, and end it afterwards."""
    program = found()
    assert program is not None
    to_browser, from_browser = os.pipe(), os.pipe()

    def connect() -> None:
        # The protocol is on descriptors 3 (to the browser) and 4 (from it).
        os.dup2(to_browser[0], 10)
        os.dup2(from_browser[1], 11)
        os.dup2(10, 3)
        os.dup2(11, 4)

    arguments = [
        program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
        "--disable-background-networking", "--no-first-run", f"--user-data-dir={profile}", "--remote-debugging-pipe",
    ]  # fmt: skip
    process = subprocess.Popen(
        arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=connect
    )
    os.close(to_browser[0])
    os.close(from_browser[1])
    try:
        yield Page(to_browser[1], from_browser[0])
    finally:
        process.kill()
        process.wait()
        os.close(to_browser[1])
        os.close(from_browser[0])
