"""Validation of nested values: `properties`, `additionalProperties`, `required`, `items`, and their counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.fieldpath import Key
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import TYPE_META
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.engine.values import keywords
from pytest_crd.engine.values import validationresult as valueresult
from pytest_crd.engine.values.validationresult import Failure, Result

if TYPE_CHECKING:
    from pytest_crd.engine.values.ratcheting import Correlation


Holds: TypeAlias = Callable[[JSONValue], bool]
# A test for each Python type of values; None if every value of the type is valid.
Kinds: TypeAlias = Mapping[type, "Holds | None"]
# The schema of properties without a schema of their own, or whether they are allowed.
_Extra: TypeAlias = "Child | bool"


class Child(Protocol):
    """The compiled schema of a property or an item."""

    @property
    def kinds(self) -> Kinds:
        """The tests for valid values, by their Python type."""

    def examine(self, value: JSONValue, name: str, correlation: Correlation | None) -> Result:
        """Return all failures of *value* at *name*; *correlation* pairs it with the old value."""


class Objects:
    """
    Validation of the properties of an object.

    Reference:
        kube-openapi validation/validate/object_validator.go, objectValidator.
    """

    def __init__(self, schema: Schema, child: Callable[[Schema], Child], profile: Profile) -> None:
        self._counts = keywords.property_checks(schema, profile)
        self._stops_at_counts = not profile.validates_miscounted_objects
        self._required: tuple[str, ...] = tuple(schema.get("required") or ())
        self._properties = {name: child(sub) for name, sub in (schema.get("properties") or {}).items()}
        extra = schema.get("additionalProperties")
        self._extra: _Extra = child(extra) if isinstance(extra, Mapping) else extra is not False

    @property
    def holds(self) -> Holds | None:
        """The test for valid objects; None if every object is valid."""
        tests: list[Holds] = [check.holds for check in self._counts]
        if self._required:
            tests.append(_has(self._required))
        if self._extra is not True or self._properties:
            kinds = {name: node.kinds for name, node in self._properties.items()}
            tests.append(_each_property(kinds, self._extra))
        return every(tests)

    def examine(self, value: dict[str, JSONValue], name: str, correlation: Correlation | None, result: Result) -> None:
        """Add the failures of the object *value*; sorted by name where the server's order is random."""
        miscounted = [check.failure(value, name) for check in self._counts if not check.holds(value)]
        if miscounted and self._stops_at_counts:
            result.add(miscounted[0])
            return
        for failure in miscounted:
            result.add(failure)
        self._examine_extra(value, name, correlation, result)
        for key in sorted(self._properties.keys() & value.keys()):
            correlated = None if correlation is None or _is_type_meta(name, key) else correlation.field(key)
            child_result = self._properties[key].examine(value[key], f"{name}.{key}" if name else key, correlated)
            result.merge(child_result, (key,), ("properties", key))
        for index, key in enumerate(self._required):
            if key not in value:
                result.add(_missing(f"{name}.{key}", key, index))

    def _examine_extra(
        self, value: dict[str, JSONValue], name: str, correlation: Correlation | None, result: Result
    ) -> None:
        if self._extra is True:
            return
        for key in sorted(value.keys() - self._properties.keys()):
            if self._extra is False:
                text = f"{name}.{key} in body is a forbidden property"
                result.add(valueresult.invalid("additionalProperties", name, key, text))
            else:
                correlated = None if correlation is None or _is_type_meta(name, key) else correlation.field(key)
                child_result = self._extra.examine(value[key], f"{name}.{key}", correlated)
                result.merge(child_result, (Key(key),), ("additionalProperties",))


class Lists:
    """
    Validation of the items of a list.

    Reference:
        kube-openapi validation/validate/slice_validator.go, schemaSliceValidator.
    """

    def __init__(self, schema: Schema, child: Callable[[Schema], Child], profile: Profile) -> None:
        items = schema.get("items")
        self._item = child(items) if isinstance(items, Mapping) else None
        self._counts = keywords.item_checks(schema, profile)
        self._names_items = profile.names_list_items

    @property
    def holds(self) -> Holds | None:
        """The test for valid lists; None if every list is valid."""
        tests: list[Holds] = [check.holds for check in self._counts]
        if self._item is not None:
            tests.append(_each_item(self._item.kinds))
        return every(tests)

    def examine(self, value: list[JSONValue], name: str, correlation: Correlation | None, result: Result) -> None:
        """Add the failures of the list *value*."""
        if self._item is not None:
            for index, item in enumerate(value):
                correlated = None if correlation is None else correlation.item(index)
                item_result = self._item.examine(item, f"{name}[{index}]" if self._names_items else name, correlated)
                result.merge(item_result, (index,), ("items",))
        for check in self._counts:
            if not check.holds(value):
                result.add(check.failure(value, name))


def every(tests: list[Holds]) -> Holds | None:
    """Return a test that holds if all *tests* hold; None if there are no tests."""
    if len(tests) < 2:
        return tests[0] if tests else None
    first, *rest = tests

    def holds(value: JSONValue) -> bool:
        if not first(value):
            return False
        for test in rest:  # noqa: SIM110 - a generator costs more than the loop
            if not test(value):
                return False
        return True

    return holds


def _has(required: tuple[str, ...]) -> Holds:
    def holds(value: JSONValue) -> bool:
        for name in required:  # noqa: SIM110 - a generator costs more than the loop
            if name not in value:
                return False
        return True

    return holds


def _each_property(properties: Mapping[str, Kinds], extra: _Extra) -> Holds:
    if extra is False:
        extra_kinds: Kinds | None = None
    elif extra is True:
        extra_kinds = _Anything()
    else:
        extra_kinds = extra.kinds

    def holds(value: JSONValue) -> bool:
        for name, item in value.items():
            kinds = properties.get(name, extra_kinds)
            if kinds is None:
                return False
            test = kinds[type(item)]
            if test is not None and not test(item):
                return False
        return True

    return holds


def _each_item(kinds: Kinds) -> Holds:
    def holds(value: JSONValue) -> bool:
        for item in value:
            test = kinds[type(item)]
            if test is not None and not test(item):
                return False
        return True

    return holds


class _Anything(dict[type, None]):
    """Tests without a schema: every value is valid."""

    def __missing__(self, _kind: type) -> None:
        return None


def _is_type_meta(name: str, key: str) -> bool:
    """Return whether *key* is apiVersion or kind of the root: these are never ratcheted, as old and new always agree."""
    return not name and key in TYPE_META


def _missing(name: str, key: str, index: int) -> Failure:
    text = f"{name} in body is required"
    return Failure(text, name, lambda path: fielderror.required(path, ""), "required", (index,), (key,))
