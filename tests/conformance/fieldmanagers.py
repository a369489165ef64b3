"""
What apimachinery's managedfields answers to its own tests: `fieldmanagers/facts.jsonl`, and `types.jsonl`, the types of the objects.

A line is a call that a test makes, a fact: `file`, the test's; `call`; the arguments; and `answer`, or `error`, a text, or `status`, the Status of a
server. `python -m oracle record fieldmanagers` makes them. The calls, with their arguments:

- `FieldManager.Update`, `FieldManager.Apply`: `live` and `sent`, objects with their managed fields, `apiVersion` and `kind` of the URL, `subresource`,
  `type`, the name of the type of the objects, `manager`, `force` (`Apply`); `cap`, how many managers that update there may be, where
  that is tried; `tracks`, which share of objects is tracked, each number a wrapper; and the object that comes of it;
- `DecodeManagedFields`: `entries`, and as they are written of what was read; `BuildManagerIdentifier`: `entry`, and a text;
- `ScaleHandler.ToSubresource`, `ScaleHandler.ToParent`: `entries` of an object, `version` of the URL, `paths` of its replicas by apiVersion; `scale`, entries
  of the Scale (`ToParent`).

A type is written as in `merging`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from conformance import facts as recorded
from conformance.facts import Fact

JSONValue = Any

FOLDER: Final = Path(__file__).parent / "fieldmanagers"
_FACTS: Final = "facts.jsonl"
_TYPES: Final = "types.jsonl"
_SCHEMA: Final = "schema"
# Tests of what is too large for an annotation have objects of a megabyte.
_LONGEST: Final = 30_000
_CREATED: Final = re.compile(r'("creationTimestamp":)"[^"]*"')
_TIME: Final = re.compile(r"2000-01-01T\d\d:\d\d:\d\dZ")


def files() -> list[Path]:
    """Return the files that there are."""
    return [FOLDER / name for name in (_FACTS, _TYPES)]


def facts() -> list[Fact]:
    """Return the recorded facts."""
    return recorded.lines(FOLDER / _FACTS)


def types() -> list[JSONValue]:
    """Return the types, each with its name."""
    return recorded.lines(FOLDER / _TYPES)


def counts() -> dict[str, int]:
    """Return how many facts there are by the upstream file of the test."""
    return recorded.counts(facts())


def written(called: Iterable[Fact]) -> dict[str, str]:
    """
    Return the files, by name, for the facts of a run.

    Args:
        called: Facts as the reference tells them, and schemas: each with its `types` as YAML, and the `type` that is used of it.
    """
    known: dict[str, JSONValue] = {}
    found: set[str] = set()
    for fact in called:
        if fact["call"] == _SCHEMA:
            known |= _reached(fact["type"], fact["types"])
        elif len(text := recorded.text(fact)) < _LONGEST:
            found.add(_timed(text))
    types = (recorded.text(known[name]) for name in sorted(known))
    return {_FACTS: "".join(f"{text}\n" for text in sorted(found)), _TYPES: "".join(f"{text}\n" for text in types)}


def _reached(name: str, text: str) -> dict[str, JSONValue]:
    """Return a type, and those that it refers to."""
    named = {one["name"]: one for one in yaml.load(text, Loader=yaml.CSafeLoader)}
    for one in named.values():  # in the order of a map of Go
        one.get("map", {}).get("fields", []).sort(key=operator.itemgetter("name"))
    found: dict[str, JSONValue] = {}
    left = [name]
    while left:
        one = left.pop()
        if one not in found:
            found[one] = named[one]
            left += _referred(named[one])
    return found


def _timed(text: str) -> str:
    """Return a fact in which the clock of the tests, which ask it in any order, begins with the first time that is told, and nothing was created now."""
    text = _CREATED.sub(r"\1null", text)
    places = {time: place for place, time in enumerate(sorted(set(_TIME.findall(text))))}
    return _TIME.sub(lambda match: f"2000-01-01T00:00:{places[match[0]]:02}Z", text)


def _referred(value: JSONValue) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("namedType"), str):
            yield value["namedType"]
        for item in value.values():
            yield from _referred(item)
    elif isinstance(value, list):
        for item in value:
            yield from _referred(item)
