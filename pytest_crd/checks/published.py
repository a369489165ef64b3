"""Losses in OpenAPI v2: parts of a schema that kubectl before 1.27, and client generators that read it, do not see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pytest_crd.checks.verdict import CheckVerdict
from pytest_crd.engine import CrdVersion, profile
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.engine.schema.subschemas import Schema

_JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
# The keywords with losses.
_LOSING: Final = frozenset({*_JUNCTORS, "default", "nullable", _PRESERVE})
_MOST_PLACES: Final = 3


def may_lose(schemas: Iterable[Schema]) -> bool:
    """Return whether OpenAPI v2 may lose something of *schemas*, all schemas inside that of a version."""
    return not all(map(_LOSING.isdisjoint, schemas))


def find_losses(read: ReadCrd, version: CrdVersion) -> CheckVerdict:
    """Return the losses of a version's schema in OpenAPI v2 as notes, since clients may do without them."""
    root = version.schema_map
    if version.published_schema is None:
        return CheckVerdict(passed_over=f"the schema of {version.name} is not structural, so that it is not published")
    if version.preserves_unknown_fields or root.schema.get(_PRESERVE):
        return CheckVerdict(notes=("OpenAPI v2 has no fields at all, as unknown ones are preserved",))
    keeps_defaults = profile.named(read.crd.kubernetes_version).publishes_defaults_in_v2
    lost = list(_lost(root, keeps_defaults=keeps_defaults))
    by_words: dict[str, list[str]] = {}
    for path, words in lost:
        by_words.setdefault(words, []).append(path)
    details = tuple(f"{path}: {words}" for path, words in lost)
    return CheckVerdict(notes=tuple(_summed(words, paths) for words, paths in by_words.items()), details=details)


def _summed(words: str, paths: Sequence[str]) -> str:
    """Return one line for all places with the same loss."""
    if len(paths) == 1:
        return f"{paths[0]}: {words}"
    more = ", …" if len(paths) > _MOST_PLACES else ""
    return f"{len(paths)} places: {words}: {', '.join(paths[:_MOST_PLACES])}{more} (-vv: each)"


def _lost(node: SchemaNode, *, keeps_defaults: bool) -> Iterator[tuple[str, str]]:
    schema, path = node.schema, node.path or "the whole object"
    if lost := [keyword for keyword in _JUNCTORS if schema.get(keyword) or (keyword == "not" and keyword in schema)]:
        yield path, f"OpenAPI v2 has no {', '.join(lost)}"
    if schema.get("default") is not None and not keeps_defaults:
        yield path, "OpenAPI v2 has no default"
    is_nullable, preserves = schema.get("nullable"), schema.get(_PRESERVE)
    if is_nullable:
        yield path, f"OpenAPI v2 has no {_and_fields(schema, 'type')}, as it may be null"
    elif preserves and (schema.get("properties") or schema.get("items")):
        yield path, f"OpenAPI v2 has no {_and_fields(schema)}, as unknown fields are preserved"
    yield from _not_required(node)
    # Named fields and items of such a value are not published.
    inner = filter(None, (node.values,)) if is_nullable or preserves else node.children
    for child in inner:
        yield from _lost(child, keeps_defaults=keeps_defaults)


def _and_fields(schema: Mapping[str, object], *others: str) -> str:
    """Return the keywords of a schema's structure besides *others*, in words."""
    keywords = [*others, *(key for key in ("properties", "items") if schema.get(key))]
    return ", ".join(keywords)


def _not_required(node: SchemaNode) -> Iterator[tuple[str, str]]:
    schema = node.schema
    values, fields = schema.get("additionalProperties"), schema.get("properties") or {}
    is_cleared = isinstance(values, dict) and values.get("nullable")
    hides = schema.get("nullable") or schema.get(_PRESERVE)
    for name in schema.get("required") or ():
        if is_cleared or (not hides and (fields.get(name) or {}).get("nullable")):
            reason = "values may be null" if is_cleared else "it may be null"
            yield node.path or "the whole object", f"OpenAPI v2 does not require {name}, as {reason}"
