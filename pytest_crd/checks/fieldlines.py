"""Lines of fields: where in a manifest the field stands that the server names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_crd.cases import comparison
from pytest_crd.engine import FieldError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.text.manifest import Manifest

# What the server moves: what all versions of a CRD share stands above them in its own form, and in none of v1.
_MOVED: Final = (
    ("spec.validation.", "spec.versions[0].schema."),
    ("spec.subresources", "spec.versions[0].subresources"),
    ("spec.additionalPrinterColumns", "spec.versions[0].additionalPrinterColumns"),
    ("spec.selectableFields", "spec.versions[0].selectableFields"),
)
# A path in a sentence: `spec.versions[0].schema`.
_PATH: Final = re.compile(r"\b(?:spec|metadata|status)(?:\.[\w$-]+|\[[^\]\s]*\])+")


def of_field(manifest: Manifest, field: str) -> str:
    """Return `file:line` of the field that the server calls *field*, or of what is nearest above it."""
    moved = (field.replace(one, other, 1) for pair in _MOVED for one, other in (pair, pair[::-1]))
    path = max((_nearest(manifest.value, one) for one in dict.fromkeys((field, *moved))), key=len)
    line = manifest.key_line_of(*path) if path else manifest.line_of()
    return f"{manifest.document.source}:{line}"


def of_error(manifest: Manifest, error: FieldError) -> str:
    """Return where that stands which *error* is about: a rule by its character, all else by its line."""
    return (error.rule.source if error.rule is not None else "") or of_field(manifest, error.field)


def of_sentence(manifest: Manifest, sentence: str) -> str:
    """Return `file:line` of the first field that a *sentence* of the server names, or of the whole object."""
    named = _PATH.search(sentence)
    return of_field(manifest, named[0]) if named else manifest.where


def of_values(manifest: Manifest, key: str, value: JSONValue) -> tuple[str, ...]:
    """Return `file:line` of each place where *key* has the *value*."""
    found = _holding(manifest.value, key, value, ())
    return tuple(f"{manifest.document.source}:{manifest.key_line_of(*path)}" for path in found)


def _nearest(value: JSONValue, spelled: str) -> tuple[str | int, ...]:
    """Return the longest path in *value* with whose spelling *spelled* begins, in either spelling."""
    return max(_reached(value, f".{spelled}", ()), key=len)


def _reached(value: JSONValue, rest: str, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(value, dict):
        for key, child in value.items():
            for tail in comparison.tails(rest, key):
                yield from _reached(child, tail, (*path, key))
    elif isinstance(value, list) and (index := comparison.INDEX.match(rest)) and int(index[1]) < len(value):
        yield from _reached(value[int(index[1])], rest[index.end() :], (*path, int(index[1])))


def _holding(
    node: JSONValue, key: str, value: JSONValue, path: tuple[str | int, ...]
) -> Iterator[tuple[str | int, ...]]:
    if isinstance(node, dict) and node.get(key) == value:
        yield (*path, key)
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, child in children:
        yield from _holding(child, key, value, (*path, step))
