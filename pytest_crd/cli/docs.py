"""Command `docs`: a page in Markdown about a CRD, with its versions, fields and rules."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd import engine
from pytest_crd.cli import lookup
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode
from pytest_crd.wording import escape

_OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})
_CONDITIONS: Final = ("allOf", "anyOf", "oneOf", "not")
# The words of a keyword with its value.
_LIMITS: Final = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} fields",
    "maxProperties": "at most {} fields",
    "multipleOf": "a multiple of {}",
    "pattern": "matches {}",
    "format": "format {}",
    "x-kubernetes-list-type": "list type {}",
    "x-kubernetes-list-map-keys": "keys {}",
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    lookup.add_version(parser, default="all served versions")
    lookup.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Print the page; return 1 without a served version."""
    crd, name = lookup.crd_and_version(options.crd, options.crd_path, options.kubernetes_version)
    versions = [crd.version(name)] if name else [version for version in crd.versions if version.served]
    if not versions:
        print(f"{crd.name} serves no version", file=sys.stderr)
        return 1
    print("\n".join(_describe_crd(crd, versions)))
    return 0


def _describe_crd(crd: engine.CustomResourceDefinition, versions: Sequence[engine.CrdVersion]) -> Iterator[str]:
    yield f"# {crd.kind}"
    yield ""
    yield f"`{crd.name}`, scope {crd.scope}."
    yield ""
    yield "| version | served | stored | deprecated |"
    yield "| --- | --- | --- | --- |"
    for version in crd.versions:
        flags = [_yes(is_set) for is_set in (version.served, version.storage, bool(version.deprecation_warnings))]
        yield f"| {' | '.join((version.name, *flags))} |"
    for version in versions:
        yield from ("", *_describe_version(version))


def _yes(is_set: bool) -> str:  # noqa: FBT001 - the only argument
    return "yes" if is_set else "no"


def _describe_version(version: engine.CrdVersion) -> Iterator[str]:
    root = version.schema_map
    yield f"## {version.name}"
    if description := root.schema.get("description"):
        yield from ("", _text(description))
    rows = [*_find_fields(root, ())]
    yield from ("", "| field | type | default | limits | description |", "| --- | --- | --- | --- | --- |")
    yield from (_describe_field(place, node, is_required) for place, node, is_required in rows)
    rules = [(place, rule) for place, node in [((), root), *((row[0], row[1]) for row in rows)] for rule in node.rules]
    if rules:
        yield from ("", "| rule of | rule | message |", "| --- | --- | --- |")
    for place, rule in rules:
        message = rule.get("message") or rule.get("messageExpression") or ""
        yield f"| {_code(schemamap.spelled(place) or '.')} | {_code(rule.get('rule', ''))} | {_text(message)} |"


def _find_fields(node: SchemaNode, place: Place) -> Iterator[tuple[Place, SchemaNode, bool]]:
    """Yield the fields below a node: place, node, and whether the object around it requires them."""
    required = node.schema.get("required") or ()
    for name, field in node.properties.items():
        if place or name not in _OF_RESOURCE:
            yield (*place, name), field, name in required
            yield from _find_fields(field, (*place, name))
    inner: tuple[tuple[Each, SchemaNode | None], ...] = ((Each.ITEM, node.items), (Each.VALUE, node.values))
    for step, child in inner:
        if child is not None:
            yield from _find_fields(child, (*place, step))


def _describe_field(place: Place, node: SchemaNode, is_required: bool) -> str:  # noqa: FBT001 - one of a row
    schema = node.schema
    default = _code(json.dumps(schema["default"], ensure_ascii=False)) if "default" in schema else ""
    limits = ["required"] * is_required + [*_describe_limits(schema)]
    cells = (
        _code(schemamap.spelled(place)),
        _type(node),
        default,
        "; ".join(limits),
        _text(schema.get("description") or ""),
    )
    return f"| {' | '.join(cells)} |"


def _type(node: SchemaNode) -> str:
    """Return the type as `kubectl explain` writes it."""
    if node.items is not None:
        return f"[]{_type(node.items)}"
    if node.values is not None:
        return f"map[string]{_type(node.values)}"
    if node.schema.get("x-kubernetes-int-or-string"):
        return "integer or string"
    kind = str(node.schema.get("type") or "any")
    return f"{kind}, any fields" if kind == "object" and node.keeps_unknown_fields else kind


def _describe_limits(schema: JSONValue) -> Iterator[str]:
    """Yield the keywords of a schema in words."""
    if "enum" in schema:
        yield f"one of {', '.join(_code(json.dumps(value, ensure_ascii=False)) for value in schema['enum'])}"
    for keyword, inclusive, exclusive in (("minimum", "at least", "more than"), ("maximum", "at most", "less than")):
        if keyword in schema:
            yield f"{exclusive if schema.get(f'exclusive{keyword.capitalize()}') else inclusive} {schema[keyword]}"
    for keyword, words in _LIMITS.items():
        if keyword in schema:
            value = schema[keyword]
            listed = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield words.format(listed if isinstance(value, int | float) else _code(listed))
    if schema.get("nullable"):
        yield "may be null"
    if conditions := [keyword for keyword in _CONDITIONS if keyword in schema]:
        yield f"conditions in {', '.join(map(_code, conditions))}"


def _code(text: str) -> str:
    """Return a text as code of a table cell."""
    line = escape(" ".join(str(text).split())).replace("|", "\\|")
    return f"`` {line} ``" if "`" in line else f"`{line}`"


def _text(text: str) -> str:
    """Return a text as content of a table cell."""
    return escape(" ".join(str(text).split())).replace("|", "\\|").replace("<", "&lt;")
