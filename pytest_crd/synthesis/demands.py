"""
Demands: all schemas that constrain one value, including the chosen branches of junctors.

Reads the schema as the CRD declares it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

from pytest_crd import engine
from pytest_crd.engine.schema.schemamap import Each
from pytest_crd.synthesis import numbervalues
from pytest_crd.synthesis.numbervalues import NumberDemand
from pytest_crd.synthesis.texts import TextDemand

Schema: TypeAlias = Mapping[str, Any]

_MOST_ALTERNATIVES: Final = 64
INT_OR_STRING: Final = "int-or-string"


@dataclass(frozen=True)
class Demand:
    """
    The schemas that constrain one value.

    Attributes:
        schemas: The structural schema first, then schemas from junctors; at least one.
    """

    schemas: tuple[Schema, ...]

    @classmethod
    def of_version(cls, version: engine.CrdVersion) -> Demand:
        """Return the demand on the objects of *version*."""
        return cls((version.schema_map.schema,))

    @property
    def structure(self) -> Schema:
        """The structural schema."""
        return self.schemas[0]

    def alternatives(self) -> Iterator[Demand]:
        """Yield a demand for each choice of branches of `anyOf` and `oneOf`; `allOf` is merged in, `not` is ignored."""
        plain: list[Schema] = []
        choices: list[list[Schema]] = []
        for schema in _with_all_of(self.schemas):
            plain.append({key: value for key, value in schema.items() if key not in {"allOf", "anyOf", "oneOf"}})
            choices += [schema[junctor] for junctor in ("anyOf", "oneOf") if schema.get(junctor)]
        if not choices:
            yield Demand(tuple(plain))
            return
        for chosen in itertools.islice(itertools.product(*choices), _MOST_ALTERNATIVES):
            yield from Demand((*plain, *chosen)).alternatives()

    @cached_property
    def type(self) -> str:
        """The OpenAPI type or `int-or-string`; empty if undeclared."""
        if any(schema.get("x-kubernetes-int-or-string") for schema in self.schemas):
            return INT_OR_STRING
        return next((schema["type"] for schema in self.schemas if schema.get("type")), "")

    @property
    def is_nullable(self) -> bool:
        """Whether null is valid."""
        return bool(self.structure.get("nullable"))

    @property
    def default(self) -> Any:
        """The default; None if undeclared."""
        return self.structure.get("default")

    @cached_property
    def enum(self) -> list[Any] | None:
        """The values that all `enum` lists have in common, in the order of the first list; None if there is no `enum`."""
        lists = [schema["enum"] for schema in self.schemas if schema.get("enum")]
        return [value for value in lists[0] if all(value in listed for listed in lists)] if lists else None

    @cached_property
    def properties(self) -> Mapping[str, Demand]:
        """The demands on the declared fields, in the order of declaration."""
        names = dict.fromkeys(name for schema in self.schemas for name in schema.get("properties") or ())
        return {name: node for name in names if (node := self.field(name)) is not None}

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The names of the required fields."""
        return tuple(dict.fromkeys(name for schema in self.schemas for name in schema.get("required") or ()))

    @cached_property
    def values(self) -> Demand | None:
        """The demand on the values of undeclared fields (`additionalProperties`); None if such fields are pruned."""
        return self._inner("additionalProperties")

    @cached_property
    def items(self) -> Demand | None:
        """The demand on list items; None if undeclared."""
        return self._inner("items")

    @property
    def keeps_unknown_fields(self) -> bool:
        """Whether unknown fields are preserved."""
        return bool(self.structure.get("x-kubernetes-preserve-unknown-fields"))

    @property
    def is_embedded_resource(self) -> bool:
        """Whether the value is an embedded resource."""
        return bool(self.structure.get("x-kubernetes-embedded-resource"))

    @property
    def is_unique(self) -> bool:
        """Whether list items must be unique."""
        return self.structure.get("x-kubernetes-list-type") in {"set", "map"}

    @property
    def map_keys(self) -> tuple[str, ...]:
        """The keys of a `map` list; empty for other lists."""
        is_map = self.structure.get("x-kubernetes-list-type") == "map"
        return tuple(self.structure.get("x-kubernetes-list-map-keys") or ()) if is_map else ()

    @cached_property
    def _fields(self) -> dict[str, Demand | None]:
        """The results of `field`, cached because a demand caches its own properties."""
        return {}

    @cached_property
    def known_values(self) -> dict[bool, Iterator[Any]]:
        """The values that `schemavalues` found for the demand: with all parts, or with the required parts."""
        return {}

    def field(self, name: str) -> Demand | None:
        """Return the demand on the field *name*; None if the field is unspecified."""
        if name not in self._fields:
            self._fields[name] = self._field(name)
        return self._fields[name]

    def _field(self, name: str) -> Demand | None:
        declared = [
            (schema.get("properties") or {}).get(name, schema.get("additionalProperties")) for schema in self.schemas
        ]
        schemas = tuple({} if schema is True else schema for schema in declared if schema not in (None, False))
        return Demand(schemas) if schemas else None

    def inner(self, step: str | int | Each) -> Demand:
        """Return the demand on the value at a step of a place or path; `ANYTHING` if it is unspecified."""
        if isinstance(step, str):
            return self.field(step) or ANYTHING
        return (self.values if step is Each.VALUE else self.items) or ANYTHING

    def at(self, steps: Iterable[str | int | Each]) -> Demand:
        """Return the demand on the value at a place or at a path in an object; `ANYTHING` if it is unspecified."""
        demand = self
        for step in steps:
            demand = demand.inner(step)
        return demand

    def least(self, keyword: str) -> int:
        """Return the greatest lower limit of a size (`minItems`, `minLength`, `minProperties`); 0 if unlimited."""
        return max((schema[keyword] for schema in self.schemas if schema.get(keyword) is not None), default=0)

    def most(self, keyword: str) -> int | None:
        """Return the least upper limit of a size (`maxItems`, `maxLength`, `maxProperties`); None if unlimited."""
        return min((schema[keyword] for schema in self.schemas if schema.get(keyword) is not None), default=None)

    @cached_property
    def text(self) -> TextDemand:
        """The demand on a text."""
        return TextDemand(
            next((schema["format"] for schema in self.schemas if schema.get("format")), ""),
            tuple(dict.fromkeys(schema["pattern"] for schema in self.schemas if schema.get("pattern"))),
            self.least("minLength"),
            self.most("maxLength"),
        )

    @cached_property
    def number(self) -> NumberDemand:
        """The demand on a number."""
        is_integer = self.type in {"integer", INT_OR_STRING}
        low, high = (
            numbervalues.limits(next((schema["format"] for schema in self.schemas if schema.get("format")), ""))
            if is_integer
            else (None, None)
        )
        least = [
            (schema["minimum"], bool(schema.get("exclusiveMinimum")))
            for schema in self.schemas
            if _has(schema, "minimum")
        ]
        most = [
            (-schema["maximum"], bool(schema.get("exclusiveMaximum")))
            for schema in self.schemas
            if _has(schema, "maximum")
        ]
        lowest, above = max(least, default=(low, False))
        highest, below = max(most, default=(None if high is None else -high, False))
        return NumberDemand(
            is_integer,
            lowest,
            above,
            None if highest is None else -highest,
            below,
            tuple(schema["multipleOf"] for schema in self.schemas if _has(schema, "multipleOf")),
        )

    def fits(self, value: Any) -> bool:
        """Return True if *value* has the declared type; False if no type is declared."""
        if self.type == INT_OR_STRING:
            return isinstance(value, int | str) and not isinstance(value, bool)
        kind = _KINDS.get(self.type, ())
        return isinstance(value, kind) and (self.type == "boolean" or not isinstance(value, bool))

    def _inner(self, keyword: str) -> Demand | None:
        schemas = tuple(schema[keyword] for schema in self.schemas if isinstance(schema.get(keyword), Mapping))
        if not schemas and any(schema.get(keyword) is True for schema in self.schemas):
            return ANYTHING
        return Demand(schemas) if schemas else None


ANYTHING: Final = Demand(({},))
"""What is asked of a value that no schema specifies: nothing."""


_KINDS: Final[Mapping[str, Any]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "object": dict,
    "array": list,
}


def _has(schema: Schema, keyword: str) -> bool:
    return schema.get(keyword) is not None


def _with_all_of(schemas: tuple[Schema, ...]) -> Iterator[Schema]:
    for schema in schemas:
        yield schema
        yield from _with_all_of(tuple(schema.get("allOf") or ()))
