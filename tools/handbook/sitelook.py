"""
`python -m handbook.sitelook [FOLDER]`: build the site and open each page in Chromium, as wide as a phone and as a screen.

Fails if a page is wider than the window or its console shows an error. Saves a picture of each page in FOLDER, if
given. Needs `--group docs` and a `chromium`, which it controls by the DevTools protocol.
"""

from __future__ import annotations

import asyncio
import base64
import http.server
import itertools
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import aiohttp

PHONE: Final = 400
SCREEN: Final = 1280
_HEIGHT: Final = 900
_REPOSITORY: Final = Path(__file__).parents[2]
_OPTIONS: Final = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0")
_TIMEOUT_SECONDS: Final = 30.0
_SCRIPT_SECONDS: Final = 0.2  # time in seconds for requests of scripts after a page is loaded
_ERRORS: Final = ("Runtime.exceptionThrown", "Log.entryAdded")


class Tab:
    """A browser tab: a call waits for its response, and events that arrive meanwhile are collected in `events`."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the result of a protocol method."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while (message := await self._socket.receive_json(timeout=_TIMEOUT_SECONDS)).get("id") != number:
            self.events.append(message)
        return cast("dict[str, Any]", message["result"])

    async def open(self, address: str, width: int) -> None:
        """Open *address* in a window of *width* pixels, and wait until it is loaded."""
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=_HEIGHT,
            deviceScaleFactor=1,
            mobile=width == PHONE,
        )
        self.events.clear()
        await self.call("Page.navigate", url=address)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(await self._socket.receive_json(timeout=_TIMEOUT_SECONDS))
        await asyncio.sleep(_SCRIPT_SECONDS)

    async def width(self) -> int:
        """Return the width of the open page in pixels."""
        answer = await self.call("Runtime.evaluate", expression="document.documentElement.scrollWidth")
        return int(answer["result"]["value"])

    def errors(self) -> list[str]:
        """Return the console errors since the page was opened."""
        entries = [event["params"] for event in self.events if event.get("method") in _ERRORS]
        return [str(entry) for entry in entries if entry.get("entry", {}).get("level", "error") == "error"]


def main(arguments: Sequence[str]) -> int:
    """Check all pages; return 1 if a page is too wide, has a console error, or if there is no page."""
    pictures = Path(arguments[0]) if arguments else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", site],
            cwd=_REPOSITORY,
            check=True,
        )
        pages = sorted(page.parent.relative_to(site).as_posix() for page in site.rglob("index.html"))
        with _served(site) as address, _chromium(Path(folder) / "profile") as debugger:
            problems = asyncio.run(_look(debugger, address, pages, pictures))
    sys.stdout.write("".join(f"{line}\n" for line in (*problems, f"{len(pages)} pages, {len(problems)} problems")))
    return 1 if problems or not pages else 0


async def _look(debugger: str, address: str, pages: Sequence[str], pictures: Path | None) -> list[str]:
    problems = []
    async with aiohttp.ClientSession() as session:
        async with session.put(f"{debugger}/json/new") as answer:
            socket_url = (await answer.json())["webSocketDebuggerUrl"]
        async with session.ws_connect(socket_url, max_msg_size=0) as socket:
            tab = Tab(socket)
            for domain in ("Page", "Runtime", "Log"):
                await tab.call(f"{domain}.enable")
            for page, width in itertools.product(pages, (PHONE, SCREEN)):
                await tab.open(f"{address}/{page}/", width)
                if (page_width := await tab.width()) > width:
                    problems.append(f"{page}: {page_width} pixels wide in a window of {width}")
                problems += [f"{page}: {error}" for error in tab.errors()]
                if pictures is not None:
                    await _save_picture(tab, pictures / f"{page.replace('/', '-').replace('.', 'index')}-{width}.png")
    return problems


async def _save_picture(tab: Tab, path: Path) -> None:
    picture = await tab.call("Page.captureScreenshot", captureBeyondViewport=True)
    await asyncio.to_thread(path.write_bytes, base64.b64decode(picture["data"]))


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log no requests."""


@contextmanager
def _served(site: Path) -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def _chromium(profile: Path) -> Iterator[str]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        sys.exit("a chromium is needed")
    command = [program, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as browser:
        try:
            yield _debugger(cast("Iterator[str]", browser.stderr))
        finally:
            browser.terminate()


def _debugger(lines: Iterator[str]) -> str:
    for line in lines:
        if match := re.search(r"DevTools listening on ws://([^/]+)/", line):
            threading.Thread(
                target=lambda: list(lines), daemon=True
            ).start()  # drain stderr, so that the browser never blocks on it
            return f"http://{match[1]}"
    sys.exit("chromium ended")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
