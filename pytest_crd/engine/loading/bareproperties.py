"""
Words in a CRD's schemas that are read as booleans where a text must be meant: names of properties, values of texts.

The server takes such a CRD: its objects have a field `"true"` where somebody has written `on`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.engine.yaml.manifest import Manifest

if TYPE_CHECKING:
    from pytest_crd.engine.yaml.yamlmarks import BareBoolean

_SCHEMA: Final = "openAPIV3Schema"
_INSIDE: Final = ("items", "additionalProperties")
_NAMES: Final = ("true", "false")
# Where none of these stands, there is no such word.
_ASKED: Final = frozenset({"properties", "enum", "default", *_INSIDE})


def words(manifest: Manifest) -> Iterator[tuple[int, str]]:
    """Yield what is said of each such word in a CRD, with its 1-based line."""
    if not any(_may_have(schema) for schema in _schemas(manifest.value)):
        return
    for one in manifest.document.bare_booleans:
        inner = one.path[len(manifest.path) :]
        if one.path[: len(manifest.path)] == manifest.path and _SCHEMA in inner:
            steps = inner[inner.index(_SCHEMA) + 1 :]
            if said := _of_word(manifest.value, inner, steps, one):
                yield one.line, said


def _of_word(value: JSONValue, path: Steps, steps: Steps, word: BareBoolean) -> str:
    """Return what is said of *word* at *path* of a CRD, *steps* of its schema; empty where a boolean may be meant."""
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
    """Return the place that the part of a schema at *steps* is about, and the steps below what is said of that."""
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
    for one in (spec, *(versions if isinstance(versions, list) else ())):
        for key in ("validation", "schema"):
            within = one.get(key) if isinstance(one, dict) else None
            if isinstance(within, dict):
                yield within.get(_SCHEMA)


def _may_have(schema: JSONValue) -> bool:
    """Return whether a property, or a value of a text, may have been such a word; the text itself is longer to look through."""
    left = [schema]
    while left:
        node = left.pop()
        if not isinstance(node, dict) or _ASKED.isdisjoint(node):
            continue
        properties = node.get("properties")
        if isinstance(properties, dict):
            if any(name in properties for name in _NAMES):
                return True
            left += properties.values()
        elif node.get("type") == "string" and (_has_boolean(node.get("enum")) or isinstance(node.get("default"), bool)):
            return True
        left += [node[key] for key in _INSIDE if key in node]
    return False


def _has_boolean(values: JSONValue) -> bool:
    return isinstance(values, list) and any(isinstance(one, bool) for one in values)
