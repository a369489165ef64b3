"""
Edits: the possible single changes of a schema, by kind.

An edit names the steps of its keyword, by which it is compared with the points of coverage there.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.schema.schemamap import RULES, Each, SchemaNode

Schema: TypeAlias = "dict[str, Any]"
_BOUNDS: Final = (
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
)
# A value for a new default, by type.
_DEFAULTS: Final[Mapping[str, Any]] = {"string": "a", "integer": 7, "number": 7, "boolean": True, "array": []}
# Another type, which accepts values of the first one or refuses them.
_OTHER_TYPES: Final = {"string": "integer", "integer": "number", "number": "integer", "boolean": "string"}
# Operators of rules, with points of coverage for their operands.
_OF_RULES: Final = (
    (r"&&", "||"),
    (r"\|\|", "&&"),
    (r"\.all\(", ".exists("),
    (r"\.exists\(", ".all("),
)
_OF_COMPARISONS: Final = (
    (r"==", "!="),
    (r"!=", "=="),
    (r"<=", "<"),
    (r">=", ">"),
    (r"(?<![<>=!])<(?!=)", "<="),
    (r"(?<![<>=!])>(?!=)", ">="),
    (r"!(?=has\()", ""),
    (r"(?<![\w.'\"-])\d+(?![\w.'\"])", "9"),
)
# Weaker and stronger parts of patterns.
_OF_PATTERNS: Final = (
    (r"(?<!\\)\*", "?"),
    (r"(?<!\\)\+", "{1}"),
    (r"0-9", "0-8"),
    (r"a-z", "a-y"),
    (r"A-Z", "A-Y"),
    (r"^\^", ""),
    (r"\$$", ""),
    (r"(?<=,)\d+(?=\})", "1"),
)
_OF_WIDER_PATTERNS: Final = ((r"(?<=[)\]])\?", "*"),)


class Edit(NamedTuple):
    """
    A single change of a schema.

    Attributes:
        kind: The kind of change.
        node: The schema node.
        steps: The steps from the root schema to the changed keyword.
        words: The change, for people.
        apply: Changes a copy of the node's schema.
    """

    kind: str
    node: SchemaNode
    steps: tuple[str | int, ...]
    words: str
    apply: Callable[[Schema], object]


def find_edits(node: SchemaNode) -> Iterator[Edit]:
    """Yield the edits of a structural schema *node* outside of the metadata."""
    for kind, find in _FINDERS.items():
        for keyword, words, apply in find(node):
            yield Edit(kind, node, (*node.steps, *keyword), words, apply)


# The steps of a keyword, the change for people, and the function that changes the schema.
_Change: TypeAlias = "tuple[tuple[str | int, ...], str, Callable[[Schema], object]]"


def _require(node: SchemaNode) -> Iterator[_Change]:
    for name in _own_fields(node):
        if name not in node.schema.get("required", ()) and node.properties[name].schema.get("default") is None:
            yield (
                ("required",),
                f"require {name}",
                _require_field(name),
            )


def _require_new(node: SchemaNode) -> Iterator[_Change]:
    def add(schema: Schema) -> None:
        schema["properties"]["newField"] = {"type": "string"}
        schema.setdefault("required", []).append("newField")

    if [*_own_fields(node)]:
        yield ("required",), "add the required field newField", add


def _default_new(node: SchemaNode) -> Iterator[_Change]:
    if [*_own_fields(node)]:
        field = {"type": "string", "default": "a"}
        yield ("defaults",), "add newField with a default", _put("properties", "newField", value=field)


def _drop_required(node: SchemaNode) -> Iterator[_Change]:
    for index, name in enumerate(node.schema.get("required", ())):
        if node.place or name not in {"apiVersion", "kind", "metadata"}:
            yield (
                ("required", index),
                f"no longer require {name}",
                _pop("required", index),
            )


def _add_default(node: SchemaNode) -> Iterator[_Change]:
    for name in _own_fields(node):
        child = node.properties[name].schema
        value = child["enum"][0] if child.get("enum") else _DEFAULTS.get(child.get("type", ""))
        if value is not None and "default" not in child:
            yield (
                ("defaults",),
                f"add a default of {name}",
                _put("properties", name, "default", value=value),
            )


def _change_default(node: SchemaNode) -> Iterator[_Change]:
    if (value := node.schema.get("default")) is None:
        return
    yield ("default",), "drop the default", _pop("default")
    others = [item for item in node.schema.get("enum", ()) if item != value]
    if isinstance(value, bool):
        yield ("default",), "negate the default", _put("default", value=not value)
    elif isinstance(value, int | float):
        yield ("default",), "raise the default", _put("default", value=value + 1)
    elif others or isinstance(value, str):
        yield ("default",), "change the default", _put("default", value=(others or [f"{value}a"])[0])


def _move_bound(node: SchemaNode) -> Iterator[_Change]:
    for keyword in _BOUNDS:
        if node.schema.get(keyword) is not None:
            for step in (-1, 1):
                yield (
                    (keyword,),
                    f"move {keyword} by {step}",
                    _put(keyword, value=node.schema[keyword] + step),
                )
            yield (keyword,), f"drop {keyword}", _pop(keyword)


def _change_enum(node: SchemaNode) -> Iterator[_Change]:
    values = node.schema.get("enum") or ()
    for index, value in enumerate(values if len(values) > 1 else ()):
        yield ("enum", index), f"drop {value!r} of enum", _pop("enum", index)
    if values and node.schema.get("type") == "string":
        yield ("enum",), "drop enum", _pop("enum")
        yield ("enum",), "add a value to enum", _put("enum", value=[*values, "anotherValue"])


def _change_rule(node: SchemaNode) -> Iterator[_Change]:
    for index, rule in enumerate(node.schema.get(RULES) or ()):
        yield (RULES, index), "drop the rule", _pop(RULES, index)
        for kind, others in (((), _OF_RULES), (("comparison",), _OF_COMPARISONS)):
            for text in _substitute(rule["rule"], others):
                yield (RULES, index, *kind), f"the rule is {text}", _put(RULES, index, "rule", value=text)


def _change_pattern(node: SchemaNode) -> Iterator[_Change]:
    if not (pattern := node.schema.get("pattern")):
        return
    yield ("pattern",), "drop the pattern", _pop("pattern")
    for kind, others in (((), _OF_PATTERNS), (("wider",), _OF_WIDER_PATTERNS)):
        for text in _substitute(pattern, others):
            yield ("pattern", *kind), f"the pattern is {text}", _put("pattern", value=text)


def _drop_format(node: SchemaNode) -> Iterator[_Change]:
    if node.schema.get("format"):
        yield ("format",), "drop the format", _pop("format")


def _remove_field(node: SchemaNode) -> Iterator[_Change]:
    for name in _own_fields(node):

        def remove(schema: Schema, name: str = name) -> None:
            del schema["properties"][name]
            if name in schema.get("required", ()):
                schema["required"].remove(name)

        yield ("properties", name), f"remove {name}", remove


def _change_type(node: SchemaNode) -> Iterator[_Change]:
    type_ = _OTHER_TYPES.get(node.schema.get("type", ""))
    if node.place and type_ and not node.schema.keys() & {"enum", "default", "pattern", "format"}:
        yield (), f"the type is {type_}", _put("type", value=type_)


def _widen_type(node: SchemaNode) -> Iterator[_Change]:
    def widen(schema: Schema) -> None:
        schema.pop("type")
        schema["x-kubernetes-int-or-string"] = True

    if node.place and node.schema.get("type") in {"string", "integer"} and "default" not in node.schema:
        yield ("type",), "the type is int-or-string", widen


def _change_list_type(node: SchemaNode) -> Iterator[_Change]:
    kind = node.schema.get("x-kubernetes-list-type")
    if kind in {"set", "map"}:

        def make_atomic(schema: Schema) -> None:
            schema["x-kubernetes-list-type"] = "atomic"
            schema.pop("x-kubernetes-list-map-keys", None)

        yield ("x-kubernetes-list-type",), "make the list atomic", make_atomic
    elif node.items is not None and node.items.schema.get("type") == "string" and kind is None:
        yield (
            ("x-kubernetes-list-type",),
            "make the list a set",
            _put("x-kubernetes-list-type", value="set"),
        )


def _change_nullable(node: SchemaNode) -> Iterator[_Change]:
    if node.schema.get("nullable"):
        yield ("nullable",), "no longer nullable", _pop("nullable")
    elif node.place[-1:] == (Each.ITEM,):
        keyword = "type" if node.schema.get("type") else "x-kubernetes-int-or-string"
        yield (keyword,), "items are nullable", _put("nullable", value=True)


def _put(*steps: str | int, value: Any) -> Callable[[Schema], object]:
    """Return a function that sets the value at *steps* of a schema."""

    def put(schema: Schema) -> None:
        _at(schema, steps[:-1])[steps[-1]] = value

    return put


def _pop(*steps: str | int) -> Callable[[Schema], object]:
    """Return a function that removes the value at *steps* of a schema."""

    def pop(schema: Schema) -> None:
        _at(schema, steps[:-1]).pop(steps[-1])

    return pop


def _at(schema: Any, steps: Sequence[str | int]) -> Any:
    return functools.reduce(operator.getitem, steps, schema)


def _require_field(name: str) -> Callable[[Schema], object]:
    """Return a function that makes a field required."""

    def require(schema: Schema) -> None:
        schema.setdefault("required", []).append(name)

    return require


def _own_fields(node: SchemaNode) -> Iterator[str]:
    """Yield the names of the fields of an object, except of apiVersion, kind and metadata of the root."""
    return (name for name in node.properties if node.place or name in {"spec", "status", "data"})


def _substitute(text: str, others: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield *text* with each single match of the first text of a pair of *others* replaced by the second one."""
    for old, new in others:
        for match in re.finditer(old, text):
            if match[0] != new:
                yield text[: match.start()] + new + text[match.end() :]


_FINDERS: Final[Mapping[str, Callable[[SchemaNode], Iterator[_Change]]]] = {
    "require": _require,
    "require new": _require_new,
    "new default": _default_new,
    "add default": _add_default,
    "drop required": _drop_required,
    "default": _change_default,
    "bound": _move_bound,
    "enum": _change_enum,
    "rule": _change_rule,
    "pattern": _change_pattern,
    "format": _drop_format,
    "remove": _remove_field,
    "type": _change_type,
    "widen": _widen_type,
    "list type": _change_list_type,
    "nullable": _change_nullable,
}
