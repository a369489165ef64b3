"""
Unquoted YAML words in a CRD's schemas that are read as booleans where a text is meant: property names, string values.

The server accepts such a CRD: its objects have a field `"true"` if the author has written `on`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.manifest import Manifest

if TYPE_CHECKING:
    from pytest_crd.engine.schema import schemamap
    from pytest_crd.engine.schema.schemamap import Place
    from pytest_crd.engine.yaml.marks import BareBoolean
else:
    schemamap = lazyimport.module("pytest_crd.engine.schema.schemamap")

_SCHEMA: Final = "openAPIV3Schema"
_INSIDE: Final = ("items", "additionalProperties")
_NAMES: Final = frozenset({"true", "false"})


def find_messages(manifest: Manifest) -> Iterator[tuple[int, str]]:
    """Yield the 1-based line and a message for each such word in a CRD."""
    if not any(_may_have(schema) for schema in _schemas(manifest.value)):
        return
    for boolean in manifest.document.bare_booleans:
        inner = boolean.path[len(manifest.path) :]
        if boolean.path[: len(manifest.path)] == manifest.path and _SCHEMA in inner:
            steps = inner[inner.index(_SCHEMA) + 1 :]
            if message := _word_message(manifest.value, inner, steps, boolean):
                yield boolean.line, message


def _word_message(value: JSONValue, path: Steps, steps: Steps, word: BareBoolean) -> str:
    """Return the message about *word* at *path* of a CRD, *steps* of its schema; empty if a boolean may be meant."""
    place, below = _place(steps)
    if word.is_key and not below:
        above = schemamap.spelled(place[:-1]) or "the object"
        return f'the server reads the property `{word.written}` of {above} as "{word.value}"; quote it'
    if below[:1] not in (("enum",), ("default",)) or _at(value, path[: -len(below)]).get("type") != "string":
        return ""
    return (
        f"the server reads `{word.written}` in the {below[0]} of {schemamap.spelled(place)} as {word.value}; quote it"
    )


def _place(steps: Steps) -> tuple[Place, Steps]:
    """Return the place of the innermost schema on *steps*, and the steps below that schema."""
    end = 0
    while end < len(steps) and (steps[end] in _INSIDE or (steps[end] == "properties" and end + 1 < len(steps))):
        end += 1 if steps[end] in _INSIDE else 2
    return schemamap.place_of(steps[:end]), steps[end:]


def _at(value: JSONValue, path: Steps) -> JSONValue:
    for step in path:
        value = value[step]
    return value


def _schemas(value: JSONValue) -> Iterator[JSONValue]:
    spec = value.get("spec")
    versions = spec.get("versions") if isinstance(spec, dict) else None
    for holder in (spec, *(versions if isinstance(versions, list) else ())):
        for key in ("validation", "schema"):
            if isinstance(holder, dict) and key in holder and isinstance(holder[key], dict):
                yield holder[key].get(_SCHEMA)


def _may_have(schema: JSONValue) -> bool:
    """Return whether the schema may contain such a word; faster than searching the text."""
    nodes = [schema]
    for node in nodes:  # it grows
        if type(node) is not dict:
            continue
        if "properties" in node and type(node["properties"]) is dict:
            if not _NAMES.isdisjoint(node["properties"]):
                return True
            nodes += node["properties"].values()
        elif "type" in node and node["type"] == "string":
            if "enum" in node and type(node["enum"]) is list and bool in map(type, node["enum"]):
                return True
            if "default" in node and type(node["default"]) is bool:
                return True
        if "items" in node or "additionalProperties" in node:
            nodes += [node[key] for key in _INSIDE if key in node]
    return False
