"""
Results of apimachinery's managedfields in its own tests.

`fieldmanagers/facts.jsonl` has the results, and `types.jsonl` the types of the objects.

A line is a fact, that is, a call in a test: `file` of the test, `call`, the arguments, and `answer`, `error` (a text)
or `status` (a Status). `python -m oracle record fieldmanagers` writes them. The calls with their arguments:

- `FieldManager.Update`, `FieldManager.Apply`: objects `live` and `sent` with managed fields; `apiVersion` and `kind` of the URL; `subresource`;
  `type`, the name of the objects' type; `manager`; `force` (`Apply`); `cap`, the maximum number of updating managers, a
  list of at most one; `tracks`, the probabilities with which objects without managed fields get some, a list. The answer
  is the new object.
- `DecodeManagedFields`: `entries`; the answer is their encoding after decoding. `BuildManagerIdentifier`: `entry`; the answer is a text.
- `ScaleHandler.ToSubresource`, `ScaleHandler.ToParent`: `entries` of an object, `version` of the URL, `paths` of its replicas by apiVersion;
  `scale`, the entries of the Scale (`ToParent`).

A type is written as in `merging`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import yaml

from conformance import facts as recorded
from conformance.facts import Fact
from pytest_crd.engine.jsonvalue import JSONValue

FOLDER: Final = Path(__file__).parent / "fieldmanagers"
_FACTS: Final = "facts.jsonl"
_TYPES: Final = "types.jsonl"
_SCHEMA: Final = "schema"
# Tests of annotations that are too large have objects of a megabyte.
_LONGEST: Final = 30_000
_CREATED: Final = re.compile(r'("creationTimestamp":)"[^"]*"')
_TIME: Final = re.compile(r"2000-01-01T\d\d:\d\d:\d\dZ")


def files() -> list[Path]:
    """Return the paths of both files."""
    return [FOLDER / name for name in (_FACTS, _TYPES)]


def facts() -> list[Fact]:
    """Return the recorded facts."""
    return recorded.lines(FOLDER / _FACTS)


def types() -> list[JSONValue]:
    """Return the types, each with its name."""
    return recorded.lines(FOLDER / _TYPES)


def counts() -> dict[str, int]:
    """Return the number of facts by upstream's test file."""
    return recorded.counts(facts())


def file_texts(called: Iterable[Fact]) -> dict[str, str]:
    """
    Return the new content of both files, by file name.

    Args:
        called: The facts that a run of the reference prints. The call `schema` has `types`, a YAML text, and the name
            of one `type` in it.
    """
    types_by_name: dict[str, JSONValue] = {}
    texts: set[str] = set()
    for fact in called:
        if fact["call"] == _SCHEMA:
            types_by_name |= _reached(fact["type"], fact["types"])
        elif len(text := recorded.text(fact)) < _LONGEST:
            texts.add(_timed(text))
    types = (recorded.text(types_by_name[name]) for name in sorted(types_by_name))
    return {_FACTS: "".join(f"{text}\n" for text in sorted(texts)), _TYPES: "".join(f"{text}\n" for text in types)}


def _reached(name: str, text: str) -> dict[str, JSONValue]:
    """Return the type *name* of the YAML *text*, and all types that it refers to, by name."""
    named = {type_["name"]: type_ for type_ in yaml.load(text, Loader=yaml.CSafeLoader)}
    for type_ in named.values():  # the reference prints fields in Go's random map order
        type_.get("map", {}).get("fields", []).sort(key=operator.itemgetter("name"))
    reached: dict[str, JSONValue] = {}
    remaining = [name]
    while remaining:
        type_name = remaining.pop()
        if type_name not in reached:
            reached[type_name] = named[type_name]
            remaining += _referred(named[type_name])
    return reached


def _timed(text: str) -> str:
    """Return a fact with reproducible times: seconds from 2000-01-01, and null as creation time."""
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
