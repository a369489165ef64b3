"""Printer columns and paths of scale that show nothing: their path is in no schema, or has another type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.checks.effects import effect
from pytest_crd.checks.effects.effect import LostEffect
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.engine.schema.structural import META_FIELDS

# A field, `[*]`, an index, a field in brackets, a filter; any other text is not judged.
_STEP: Final = re.compile(
    r"\.(?P<field>(?:[^.\[\]\s'\"{}\\*]|\\.)+)|\[(?:(?P<each>-?\d+|\*)|'(?P<quoted>[^']*)'|\?\((?P<filter>[^()]*)\))\]"
)
_FILTER_FIELD: Final = re.compile(r"@\.([A-Za-z0-9_-]+)\s*[=!<>]=?")
_MAPS: Final = frozenset({"labels", "annotations"})
_OBJECT_META: Final = frozenset(
    {
        *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp"),
        *("deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences", "finalizers", "managedFields"),
        *_MAPS,
    }
)
# The types of values that a column of a type can show. A column of strings shows everything.
_SHOWN: Final[Mapping[str, frozenset[str]]] = {
    "integer": frozenset({"integer", "number"}),
    "number": frozenset({"integer", "number"}),
    "boolean": frozenset({"boolean"}),
    "date": frozenset({"string"}),
}
_SCALE: Final[Mapping[str, str]] = {
    "specReplicasPath": "integer",
    "statusReplicasPath": "integer",
    "labelSelectorPath": "string",
}
_TIMESTAMPS: Final = frozenset({"date-time", "datetime"})


class Flaw(NamedTuple):
    """
    The reason that a path reaches nothing.

    Attributes:
        path: The part of the path up to the flaw.
        reason: The reason.
    """

    path: str
    reason: str


def find_effects(version: CrdVersion, declared: Mapping[str, Any], steps: Steps) -> Iterator[LostEffect]:
    """
    Yield the effects of the columns and of the subresource scale; steps begin at the manifest.

    Args:
        version: The version.
        declared: The declarations that have them: an entry of `versions`, or the spec for all versions.
        steps: The steps of the declarations.
    """
    root = version.schema_map
    if version.preserves_unknown_fields:
        return
    for index, column in enumerate(declared.get("additionalPrinterColumns") or ()):
        key = "JSONPath" if "JSONPath" in column else "jsonPath"
        place = (*steps, "additionalPrinterColumns", index, key)
        yield from _find_in_column(version, column, column.get(key) or "", place)
    scale = (declared.get("subresources") or {}).get("scale") or {}
    for key, type_ in _SCALE.items():
        if isinstance(path := scale.get(key), str) and path:
            yield from _find_in_scale(root, key, path, type_, (*steps, "subresources", "scale", key))


def _find_in_column(version: CrdVersion, column: Mapping[str, Any], path: str, steps: Steps) -> Iterator[LostEffect]:
    title = f"printer column {column.get('name')}"
    target = find_target(version.schema_map, path)
    if isinstance(target, Flaw):
        yield LostEffect(
            "column", steps, f"{title} stays empty: {target.reason}; correct {path}, or add the field to the schema"
        )
    elif isinstance(target, SchemaNode) and (words := _describe_mismatch(target.schema, str(column.get("type")))):
        yield LostEffect("column", steps, f"{title} {words}; correct its type, or the path {path}")


def _describe_mismatch(schema: Mapping[str, Any], column_type: str) -> str:
    """Return why a column cannot show the values of a schema; empty if it can."""
    type_ = schema.get("type")
    if column_type not in _SHOWN or not isinstance(type_, str) or not type_ or schema.get("x-kubernetes-int-or-string"):
        return ""
    if type_ not in _SHOWN[column_type]:
        return f"of type {column_type} stays empty for values of type {type_}"
    if column_type != "date" or schema.get("format") in _TIMESTAMPS:
        return ""
    return 'of type date shows <invalid> for values such as "a", as its field has no format: date-time'


def _find_in_scale(root: SchemaNode, key: str, path: str, type_: str, steps: Steps) -> Iterator[LostEffect]:
    target = find_target(root, path)
    fails = "requests to /scale fail (500)" if key == "specReplicasPath" else "a Scale never shows it"
    if isinstance(target, Flaw):
        yield LostEffect(
            "scalepath",
            steps,
            f"{key} reaches nothing: {target.reason}; {fails}; correct {path}, or add the field to the schema",
        )
    elif isinstance(target, SchemaNode):
        has = target.schema.get("type")
        if isinstance(has, str) and has and has != type_ and not target.schema.get("x-kubernetes-int-or-string"):
            yield LostEffect(
                "scalepath",
                steps,
                f"{key} needs a value of type {type_}, and {path} has type {has}; requests to /scale fail (500); correct the path or the type",
            )


def find_target(root: SchemaNode, path: str) -> SchemaNode | Flaw | None:
    """Return the node that a JSONPath reaches, or the flaw that keeps it from reaching one; None if the schema does not say."""
    node, position = root, 0
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            return None
        reached, position = path[:position] or "the whole object", match.end()
        target = _step(node, match, reached, path[: match.end()])
        if not isinstance(target, SchemaNode):
            return target
        node = target
    return node


def _step(node: SchemaNode, match: re.Match[str], before: str, path: str) -> SchemaNode | Flaw | None:
    """Return the node after one step from *node*, as `find_target` does."""
    name = match["field"] if match["field"] is not None else match["quoted"]
    if name is None:
        return _step_into_items(node, match, before, path)
    name = re.sub(r"\\(.)", r"\1", name)
    if node.meta_of is not None:
        return _step_in_metadata(node, name, path)
    if node.schema.get("type") == "array":
        return Flaw(path, f"{before} is a list, whose items need an index such as [0]")
    child = node.properties.get(name) or node.values
    if child is None and node.is_resource and name in META_FIELDS:
        child = SchemaNode({}, (*node.place, name), (), node)
    return child or _find_missing(node, name, before, path)


def _find_missing(node: SchemaNode, name: str, before: str, path: str) -> Flaw | None:
    """Return the flaw of a path to a field that *node* does not declare; None if it may keep the field."""
    type_ = node.schema.get("type")
    if not type_ or node.keeps_unknown_fields or node.is_map:
        return None
    if type_ != "object":
        return Flaw(path, f"{before} is of type {type_}, without fields")
    example = effect.spell(effect.nest(node.place, {name: 1}))
    return Flaw(path, f"the schema has no {path.removeprefix('.')}, so that {example} is stored without it")


def _step_into_items(node: SchemaNode, match: re.Match[str], before: str, path: str) -> SchemaNode | Flaw | None:
    type_ = node.schema.get("type")
    if type_ == "array" and node.items is not None:
        return _check_filter(node.items, match["filter"] or "", path)
    is_list = not type_ or type_ == "array" or node.meta_of is not None or (match["each"] == "*" and type_ == "object")
    return None if is_list else Flaw(path, f"{before} is of type {type_}, without items")


def _check_filter(items: SchemaNode, text: str, path: str) -> SchemaNode | Flaw:
    """Return the node of the items that a filter selects, or the flaw that none has a field of the filter."""
    names: Sequence[str] = _FILTER_FIELD.findall(text)
    closed = items.drops_unknown_fields and not items.is_resource
    missing = [name for name in names if closed and name not in items.properties]
    return (
        Flaw(path, f"items of {items.place[-2] if len(items.place) > 1 else path} have no {missing[0]}")
        if missing
        else items
    )


def _step_in_metadata(node: SchemaNode, name: str, path: str) -> SchemaNode | Flaw | None:
    """Return None for a field of apiVersion, kind or metadata that the server knows, else the flaw."""
    depth = len(node.place) - (0 if node.meta_of is None else len(node.meta_of.place))
    if depth == 1 and node.place[-1] == "metadata" and name not in _OBJECT_META:
        return Flaw(path, f"metadata has no {name}")
    return None
