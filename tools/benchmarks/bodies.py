"""
The functions and modules that carry the body of a POST to the store, and its returns to a module that it had left.

A function carries the body if an argument is the body, and the result is the body, too; so does a function that calls the store. The body is the
sent bytes, their text, an object with the sent spec, a tuple of these, or an outcome that computes
the object later. A check that takes the
body and returns errors does not carry it. Functions that walk through the spec get parts of the body, which do not count. The carriers are
listed in the order of their calls, from the answer of the server to the store. A return is a step into a module that an earlier step has left.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import pytest_crd
from benchmarks.figures import Figure
from benchmarks.subjects import BACKUPS, backup
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.registry.request import RequestOutcome
from pytest_crd.engine.registry.strategy import StoredForms
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.store.store import Store

_ONE: Final = "one"
_SCHEDULE: Final = "7 7 * * 7"
_PACKAGE: Final = Path(pytest_crd.__file__).parent
# Parts of a function with code objects of their own under some versions of Python.
_PARTS: Final = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"})


class Carrier(NamedTuple):
    """A function that carries the body, and the path of its module in the package."""

    module: str
    function: str


class BodyObserver:
    """Observer of calls, which finds the carriers of a body until the store takes it."""

    def __init__(self) -> None:
        """Start without calls."""
        self._calls: list[Carrier] = []
        self._open: dict[FrameType, int] = {}
        self._carrying: set[int] = set()

    @property
    def carriers(self) -> list[Carrier]:
        """The carriers in the order of their calls; a function that is called twice is there twice."""
        return [self._calls[place] for place in sorted(self._carrying)]

    def observe(self, frame: FrameType, event: str, result: object) -> None:
        """Observe the begin or the end of a call; the callback of `sys.setprofile`."""
        if event == "call" and has_body(tuple(frame.f_locals.values())):
            self._begin(frame)
        elif event == "return" and frame in self._open:
            place = self._open.pop(frame)
            if has_body(result):
                self._carrying.add(place)

    def _begin(self, frame: FrameType) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        if code.co_name in _PARTS or not path.is_relative_to(_PACKAGE):
            return
        self._open[frame] = len(self._calls)
        self._calls.append(Carrier(path.relative_to(_PACKAGE).as_posix(), code.co_qualname))
        if code is Store.put.__code__:
            sys.setprofile(None)
            self._carrying.update(self._open.values())


def has_body(value: Any) -> bool:
    """Return whether a value is the body, a tuple with it, or an outcome."""
    if isinstance(value, str):
        return _SCHEDULE in value and value != _SCHEDULE
    if isinstance(value, bytes):
        return _SCHEDULE.encode() in value
    if isinstance(value, dict):
        spec = value.get("spec")
        return isinstance(spec, dict) and spec.get("schedule") == _SCHEDULE
    if isinstance(value, StoredForms | RequestOutcome):
        return True
    return isinstance(value, tuple) and any(map(has_body, value))


def count_returns(modules: list[str]) -> int:
    """Return the number of steps into a module that an earlier step has left."""
    steps = [module for place, module in enumerate(modules) if place == 0 or module != modules[place - 1]]
    return len(steps) - len(set(steps))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the option that lists the carriers."""
    parser.add_argument("--list", action="store_true", help="print each carrier, in the order of their calls")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Follow the body of a POST of a custom resource."""
    carriers = find_carriers()
    if options.list:
        print(*(f"{carrier.module}: {carrier.function}" for carrier in carriers), sep="\n")
    modules = [carrier.module for carrier in carriers]
    counts = {
        "functions that carry the body of a POST": len(set(carriers)),
        "modules that carry it": len(set(modules)),
        "its returns to a module": count_returns(modules),
    }
    for title, count in counts.items():
        print(f"{title}: {count}")
        yield Figure(title, count, _ONE, is_counted=True)


def find_carriers() -> list[Carrier]:
    """Return the carriers of the body of a POST to a server that has answered one before."""
    [document] = yamlreader.read(BACKUPS.read_text(encoding="utf-8"), source=BACKUPS.name)
    manifest: Any = document.value
    api, group = Api([CustomResourceDefinition.from_manifest(manifest)]), manifest["spec"]["group"]
    path = f"/apis/{group}/v1/namespaces/default/backups"
    observer = BodyObserver()
    for name in ("first", "second"):
        resource = {**backup(group), "metadata": {"name": name}, "spec": {"schedule": _SCHEDULE}}
        request = HTTPRequest("POST", path, {"content-type": "application/json"}, json.dumps(resource).encode())
        sys.setprofile(observer.observe if name == "second" else None)
        try:
            answer = api.answer(request)
        finally:
            sys.setprofile(None)
        if not isinstance(answer, HTTPAnswer) or answer.code != 201:
            raise RuntimeError(answer)
    return observer.carriers
