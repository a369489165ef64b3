"""
Requests of `--crd-live` with the answers of a real API server: recorded by a proxy, and replayed without a server.

A request is known by its method, URL and body; asked again, it gets the next of its answers, the last one for good.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from live.loopback import Reply, serving

from pytest_crd.cases.questions import AnyQuestion
from pytest_crd.live import run, sandbox
from pytest_crd.live.transport import HTTP

_KEPT_HEADERS = ("Warning", "Retry-After")


@contextlib.contextmanager
def replaying(path: Path) -> Iterator[str]:
    """Yield the URL of a server that replays the answers in a file; a request without an answer fails the test."""
    replies_by_request: dict[str, list[Any]] = {}
    for exchange in json.loads(path.read_text(encoding="utf-8")):
        replies_by_request[exchange["request"]] = exchange["replies"]

    def answering(method: str, url: str, _: dict[str, str], text: str) -> Reply:
        replies = replies_by_request.get(_key(method, url, text))
        if replies is None:
            return Reply(599, f"not recorded: {_key(method, url, text)}")
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        return Reply(reply["code"], _text(reply["content"]), tuple(map(tuple, reply.get("headers", ()))))

    with serving(answering) as url:
        yield url


@contextlib.contextmanager
def recording(path: Path, server: str) -> Iterator[str]:
    """Yield the URL of a proxy to a real server that writes the answers into a file at the end."""
    transport = HTTP(server)
    replies_by_request: dict[str, list[Any]] = {}

    def answering(method: str, url: str, headers: dict[str, str], text: str) -> Reply:
        sent = {name: value for name, value in headers.items() if name in ("Accept", "Content-Type")}
        reply = transport.send(method, url, text.encode() if text else None, sent)
        stored = tuple((name, value) for name, value in reply.headers if name in _KEPT_HEADERS)
        content = _read(reply.content.decode())
        content = (
            content if "fieldManager=" in url else _without_fields(content)
        )  # answers to applies are compared with their managedFields
        recorded = {"code": reply.code, "content": content} | ({"headers": stored} if stored else {})
        replies = replies_by_request.setdefault(_key(method, url, text), [])
        if not replies or replies[-1] != recorded:
            replies.append(recorded)
        return Reply(reply.code, _text(content), stored)

    with contextlib.closing(transport):
        with serving(answering) as url:
            yield url
        lines = (
            json.dumps({"request": key, "replies": replies}, ensure_ascii=False)
            for key, replies in replies_by_request.items()
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def answered_by(path: Path, server: str) -> contextlib.AbstractContextManager[str]:
    """Return a context that replays answers, or records them if a server is named."""
    return recording(path, server) if server else replaying(path)


def ask_alike_each_time(patch: pytest.MonkeyPatch) -> None:
    """Make the requests of `--crd-live` the same in each run, in order and names: one thread sends them all."""
    numbers = itertools.count(1)
    patch.setattr("secrets.token_hex", lambda _: f"n{next(numbers)}")
    patch.setattr(sandbox, "now", lambda: datetime(2026, 3, 1, 12, tzinfo=UTC))
    patch.setattr(run.Run, "ahead", _ask_at_once)
    patch.setattr(run.Run, "prepare", lambda *_: None)


def _ask_at_once(run_: run.Run, questions: Sequence[AnyQuestion]) -> Future[run.LiveVerdict]:
    """Return the verdict on the questions of a test: a second thread would race for the next name."""
    future: Future[run.LiveVerdict] = Future()
    future.set_result(run_.verdict(questions))
    return future


def _key(method: str, url: str, text: str) -> str:
    # The number of reads of a CRD before its replacement, and so its resourceVersion, differs between runs.
    return " ".join((method, url, re.sub(r'"resourceVersion":"\d+"', '"resourceVersion":""', text))).strip()


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _without_fields(content: Any) -> Any:
    """Return an object without its managedFields, which are large."""
    if isinstance(content, dict):
        return {key: _without_fields(value) for key, value in content.items() if key != "managedFields"}
    return [_without_fields(item) for item in content] if isinstance(content, list) else content
