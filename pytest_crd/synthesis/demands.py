"""
What schemas ask of one value: all those that speak of it together, with the branches of their junctors that were chosen.

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
    The schemas that speak of one value.

    Attributes:
        schemas: The structural one first, then those of junctors; at least one.
    """

    schemas: tuple[Schema, ...]

    @classmethod
    def of_version(cls, version: engine.Version) -> Demand:
        """Return what is asked of the objects of *version*."""
        return cls((version.schema_map.schema,))

    @property
    def structure(self) -> Schema:
        """The schema that gives structure."""
        return self.schemas[0]

    def alternatives(self) -> Iterator[Demand]:
        """Yield the node with each choice of branches of its `anyOf` and `oneOf`; `allOf` is taken in, `not` is not."""
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
        """The type: one of OpenAPI's, `int-or-string`, or empty where none is asked for."""
        if any(schema.get("x-kubernetes-int-or-string") for schema in self.schemas):
            return INT_OR_STRING
        return next((schema["type"] for schema in self.schemas if schema.get("type")), "")

    @property
    def is_nullable(self) -> bool:
        """Whether null is a value."""
        return bool(self.structure.get("nullable"))

    @property
    def default(self) -> Any:
        """The default; None where there is none."""
        return self.structure.get("default")

    @cached_property
    def enum(self) -> list[Any] | None:
        """The values that all of the schemas list, in the order of the first; None where none lists any."""
        lists = [schema["enum"] for schema in self.schemas if schema.get("enum")]
        return [value for value in lists[0] if all(value in one for one in lists)] if lists else None

    @cached_property
    def properties(self) -> Mapping[str, Demand]:
        """The fields that have a name, in the order in which they are declared."""
        names = dict.fromkeys(name for schema in self.schemas for name in schema.get("properties") or ())
        return {name: node for name in names if (node := self.field(name)) is not None}

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The names of the fields that must be there."""
        return tuple(dict.fromkeys(name for schema in self.schemas for name in schema.get("required") or ()))

    @cached_property
    def values(self) -> Demand | None:
        """What is asked of the values of fields without a declared name; None where such fields are not kept."""
        return self._inner("additionalProperties")

    @cached_property
    def items(self) -> Demand | None:
        """What is asked of items; None where nothing says so."""
        return self._inner("items")

    @property
    def keeps_unknown_fields(self) -> bool:
        """Whether fields stay that no schema specifies."""
        return bool(self.structure.get("x-kubernetes-preserve-unknown-fields"))

    @property
    def is_embedded_resource(self) -> bool:
        """Whether it is a whole object of Kubernetes."""
        return bool(self.structure.get("x-kubernetes-embedded-resource"))

    @property
    def is_unique(self) -> bool:
        """Whether items must differ."""
        return self.structure.get("x-kubernetes-list-type") in {"set", "map"}

    @property
    def map_keys(self) -> tuple[str, ...]:
        """The fields by which items of a `map` list are told apart; empty for all other lists."""
        is_map = self.structure.get("x-kubernetes-list-type") == "map"
        return tuple(self.structure.get("x-kubernetes-list-map-keys") or ()) if is_map else ()

    @cached_property
    def _fields(self) -> dict[str, Demand | None]:
        """What was asked for by `field`: the same node each time, which knows what was read off its schemas."""
        return {}

    def field(self, name: str) -> Demand | None:
        """Return what is asked of the field *name*; None where it is not specified."""
        if name not in self._fields:
            self._fields[name] = self._field(name)
        return self._fields[name]

    def _field(self, name: str) -> Demand | None:
        found = [(one.get("properties") or {}).get(name, one.get("additionalProperties")) for one in self.schemas]
        schemas = tuple({} if schema is True else schema for schema in found if schema not in (None, False))
        return Demand(schemas) if schemas else None

    def inner(self, step: str | int | Each) -> Demand:
        """Return what is asked of the value at a step of a place or of a path: nothing where no schema specifies it."""
        if isinstance(step, str):
            return self.field(step) or ANYTHING
        return (self.values if step is Each.VALUE else self.items) or ANYTHING

    def at(self, way: Iterable[str | int | Each]) -> Demand:
        """Return what is asked of the value at a place, or at a path in an object: nothing where no schema specifies it."""
        demand = self
        for step in way:
            demand = demand.inner(step)
        return demand

    def least(self, keyword: str) -> int:
        """Return the greatest lower limit of a size: `minItems`, `minLength`, `minProperties`; 0 where there is none."""
        return max((schema[keyword] for schema in self.schemas if schema.get(keyword) is not None), default=0)

    def most(self, keyword: str) -> int | None:
        """Return the least upper limit of a size: `maxItems`, `maxLength`, `maxProperties`; None where there is none."""
        return min((schema[keyword] for schema in self.schemas if schema.get(keyword) is not None), default=None)

    @cached_property
    def text(self) -> TextDemand:
        """What is asked of a text."""
        return TextDemand(
            next((schema["format"] for schema in self.schemas if schema.get("format")), ""),
            tuple(dict.fromkeys(schema["pattern"] for schema in self.schemas if schema.get("pattern"))),
            self.least("minLength"),
            self.most("maxLength"),
        )

    @cached_property
    def number(self) -> NumberDemand:
        """What is asked of a number."""
        is_integer = self.type in {"integer", INT_OR_STRING}
        low, high = (
            numbervalues.limits(next((one["format"] for one in self.schemas if one.get("format")), ""))
            if is_integer
            else (None, None)
        )
        least = [(one["minimum"], bool(one.get("exclusiveMinimum"))) for one in self.schemas if _has(one, "minimum")]
        most = [(-one["maximum"], bool(one.get("exclusiveMaximum"))) for one in self.schemas if _has(one, "maximum")]
        lowest, above = max(least, default=(low, False))
        highest, below = max(most, default=(None if high is None else -high, False))
        return NumberDemand(
            is_integer,
            lowest,
            above,
            None if highest is None else -highest,
            below,
            tuple(one["multipleOf"] for one in self.schemas if _has(one, "multipleOf")),
        )

    def fits(self, value: Any) -> bool:
        """Return whether *value* is of the type that is asked for; of none where none is."""
        if self.type == INT_OR_STRING:
            return isinstance(value, int | str) and not isinstance(value, bool)
        kind = _KINDS.get(self.type, ())
        return isinstance(value, kind) and (self.type == "boolean" or not isinstance(value, bool))

    def _inner(self, keyword: str) -> Demand | None:
        found = tuple(one[keyword] for one in self.schemas if isinstance(one.get(keyword), Mapping))
        if not found and any(one.get(keyword) is True for one in self.schemas):
            return ANYTHING
        return Demand(found) if found else None


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
