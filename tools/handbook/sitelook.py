"""
`python -m handbook.sitelook [FOLDER]`: build the site, and open each page in Chromium as a phone shows it, and as a screen does.

Fails where a page is wider than the phone, or where the console tells an error. With a folder it keeps a picture of each page there, to be
looked at. It needs `--group docs` and a `chromium`, which is spoken to by the protocol of its developers' tools.
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
_SECONDS: Final = 30.0
_WITHIN: Final = 0.2  # what scripts of a page ask for after it is loaded, they ask for within this time
_ERRORS: Final = ("Runtime.exceptionThrown", "Log.entryAdded")


class Tab:
    """A page of the browser: calls are answered in turn, and what happens meanwhile is kept in `events`."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a method of the protocol."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while (message := await self._socket.receive_json(timeout=_SECONDS)).get("id") != number:
            self.events.append(message)
        return cast("dict[str, Any]", message["result"])

    async def open(self, address: str, width: int) -> None:
        """Open an address in a window of this width in pixels, and wait until it is loaded."""
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
            self.events.append(await self._socket.receive_json(timeout=_SECONDS))
        await asyncio.sleep(_WITHIN)

    async def width(self) -> int:
        """How many pixels wide the page is that is open."""
        answer = await self.call("Runtime.evaluate", expression="document.documentElement.scrollWidth")
        return int(answer["result"]["value"])

    def errors(self) -> list[str]:
        """What the console tells as an error since the page was opened."""
        told = [event["params"] for event in self.events if event.get("method") in _ERRORS]
        return [str(it) for it in told if it.get("entry", {}).get("level", "error") == "error"]


def main(arguments: Sequence[str]) -> int:
    """Look at all pages; 1 where one is too wide or tells an error."""
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
            mistakes = asyncio.run(_look(debugger, address, pages, pictures))
    sys.stdout.write("".join(f"{line}\n" for line in (*mistakes, f"{len(pages)} pages, {len(mistakes)} mistakes")))
    return 1 if mistakes or not pages else 0


async def _look(debugger: str, address: str, pages: Sequence[str], pictures: Path | None) -> list[str]:
    mistakes = []
    async with aiohttp.ClientSession() as session:
        async with session.put(f"{debugger}/json/new") as answer:
            place = (await answer.json())["webSocketDebuggerUrl"]
        async with session.ws_connect(place, max_msg_size=0) as socket:
            tab = Tab(socket)
            for domain in ("Page", "Runtime", "Log"):
                await tab.call(f"{domain}.enable")
            for page, width in itertools.product(pages, (PHONE, SCREEN)):
                await tab.open(f"{address}/{page}/", width)
                if (taken := await tab.width()) > width:
                    mistakes.append(f"{page}: {taken} pixels wide in a window of {width}")
                mistakes += [f"{page}: {error}" for error in tab.errors()]
                if pictures is not None:
                    await _keep(tab, pictures / f"{page.replace('/', '-').replace('.', 'index')}-{width}.png")
    return mistakes


async def _keep(tab: Tab, path: Path) -> None:
    picture = await tab.call("Page.captureScreenshot", captureBeyondViewport=True)
    await asyncio.to_thread(path.write_bytes, base64.b64decode(picture["data"]))


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of requests."""


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
        if found := re.search(r"DevTools listening on ws://([^/]+)/", line):
            threading.Thread(
                target=lambda: list(lines), daemon=True
            ).start()  # so that the browser never waits to be read
            return f"http://{found[1]}"
    sys.exit("chromium ended")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
