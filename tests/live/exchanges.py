"""
What a real API server was asked and answered by `--crd-live`: recorded through here, and replayed without one.

A request is known by its method, URL and body; asked again, it gets the next of its answers, the last one for good.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from live.loopback import Reply, serving

from pytest_crd.live import run, sandbox
from pytest_crd.live.transport import HTTP

_KEPT_HEADERS = ("Warning", "Retry-After")


@contextlib.contextmanager
def replaying(path: Path) -> Iterator[str]:
    """Yield the URL of a server that answers as the one did whose answers are in a file; anything else is a mistake."""
    known: dict[str, list[Any]] = {}
    for exchange in json.loads(path.read_text(encoding="utf-8")):
        known[exchange["request"]] = exchange["replies"]

    def answering(method: str, url: str, _: dict[str, str], text: str) -> Reply:
        replies = known.get(_key(method, url, text))
        if replies is None:
            return Reply(599, f"not recorded: {_key(method, url, text)}")
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        return Reply(reply["code"], _text(reply["content"]), tuple(map(tuple, reply.get("headers", ()))))

    with serving(answering) as url:
        yield url


@contextlib.contextmanager
def recording(path: Path, server: str) -> Iterator[str]:
    """Yield the URL of what asks a real server, and write its answers into a file in the end."""
    transport = HTTP(server)
    known: dict[str, list[Any]] = {}

    def answering(method: str, url: str, headers: dict[str, str], text: str) -> Reply:
        sent = {name: value for name, value in headers.items() if name in ("Accept", "Content-Type")}
        reply = transport.send(method, url, text.encode() if text else None, sent)
        kept = tuple((name, value) for name, value in reply.headers if name in _KEPT_HEADERS)
        content = _read(reply.content.decode())
        content = content if "fieldManager=" in url else _without_fields(content)  # of an apply they are compared
        recorded = {"code": reply.code, "content": content} | ({"headers": kept} if kept else {})
        replies = known.setdefault(_key(method, url, text), [])
        if not replies or replies[-1] != recorded:
            replies.append(recorded)
        return Reply(reply.code, _text(content), kept)

    with contextlib.closing(transport):
        with serving(answering) as url:
            yield url
        lines = (json.dumps({"request": key, "replies": replies}, ensure_ascii=False) for key, replies in known.items())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def answered_by(path: Path, server: str) -> contextlib.AbstractContextManager[str]:
    """Return what replays, or where a server is named, what records."""
    return recording(path, server) if server else replaying(path)


def ask_alike_each_time(patch: pytest.MonkeyPatch) -> None:
    """Have `--crd-live` ask the same in the same order each time, to the name of the last object."""
    numbers = itertools.count(1)
    patch.setattr("secrets.token_hex", lambda _: f"n{next(numbers)}")
    patch.setattr(sandbox, "now", lambda: datetime(2026, 3, 1, 12, tzinfo=UTC))
    patch.setattr(run, "_THREADS", 1)
    patch.setattr(run.Run, "prepare", lambda *_: None)


def _key(method: str, url: str, text: str) -> str:
    # How often a CRD is looked at before it is replaced, and so in which version, is another each time.
    return " ".join((method, url, re.sub(r'"resourceVersion":"\d+"', '"resourceVersion":""', text))).strip()


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _without_fields(content: Any) -> Any:
    """Return an object without what nobody looks at and is large."""
    if isinstance(content, dict):
        return {key: _without_fields(value) for key, value in content.items() if key != "managedFields"}
    return [_without_fields(item) for item in content] if isinstance(content, list) else content
