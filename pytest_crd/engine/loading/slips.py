"""
Slips in files of CRDs that no server reports: a misspelt `kind` or `apiVersion`, and unquoted words that YAML reads as booleans.

Only these two fields are compared; other kinds of the group and similar groups are known. The server accepts a CRD with a bare word: its
objects have a field `"true"` if the author has written `on`.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport, lazyre
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.decoded import GROUP
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.manifest import Manifest

if TYPE_CHECKING:
    from pytest_crd.engine.schema import schemamap
    from pytest_crd.engine.schema.schemamap import Place
    from pytest_crd.engine.yaml.marks import BareBoolean
else:
    schemamap = lazyimport.module("pytest_crd.engine.schema.schemamap")

# The similarity of a word with one or two letters lost, doubled or swapped. Crossplane's kind
# (`CompositeResourceDefinition`: 0.82) and group (0.77) are less similar, and so is `apiregistration.k8s.io` (0.71).
_ALIKE: Final = 0.9
_OTHER_KINDS: Final = frozenset({"ConversionReview"})
_DECLARED: Final = lazyre.compile(rb"""\b(apiVersion|kind)["']?\s*:\s*["']?([^\s"',}]+)""")


def may_hold(content: bytes) -> bool:
    """Return whether *content* has a plain `kind` or `apiVersion` that is nearly a CRD's, so that parsing pays off."""
    return any(
        _is_near_kind(value) if key == b"kind" else _is_near_group(value)
        for key, value in {(key, value.decode(errors="replace")) for key, value in _DECLARED.findall(content)}
    )


def problem_of(manifest: JSONValue) -> str:
    """
    Return the error message about a manifest that is nearly a CRD; empty for a CRD, and for any other value.

    Args:
        manifest: Any JSON value.
    """
    if not isinstance(manifest, Mapping) or declared.is_crd(manifest):
        return ""
    api_version, kind = manifest.get("apiVersion"), manifest.get("kind")
    is_near_group = isinstance(api_version, str) and _is_near_group(api_version) and kind not in _OTHER_KINDS
    if not is_near_group and not (isinstance(kind, str) and _is_near_kind(kind)):
        return ""
    declared_type, suggestion = f"apiVersion {api_version!r} and kind {kind!r}", f"kind {declared.KIND!r}"
    if kind == declared.KIND:
        declared_type, suggestion = f"apiVersion {api_version!r} of a {declared.KIND}", repr(declared.V1)
    elif api_version in {declared.V1, declared.V1BETA1}:
        declared_type = f"kind {kind!r} of {api_version}"
    else:
        suggestion = f"{declared.V1!r} and {declared.KIND!r}"
    return f"no server knows {declared_type}; did you mean {suggestion}?"


@functools.cache
def _is_near_kind(kind: str) -> bool:
    return _is_near(kind, declared.KIND)


@functools.cache
def _is_near_group(api_version: str) -> bool:
    return _is_near(api_version.partition("/")[0], GROUP)


def _is_near(word: str, known: str) -> bool:
    matcher = difflib.SequenceMatcher(None, word.casefold(), known.casefold())
    return matcher.real_quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


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
