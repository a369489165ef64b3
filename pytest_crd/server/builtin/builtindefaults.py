"""
Defaults of built-in kinds: recorded ones of Go structs, and those of `defaultrules`, which depend on other fields.

Reference:
    kubernetes pkg/apis, zz_generated.defaults.go of each API version.
"""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any, Final, TypeAlias

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.golang.gotypes import GoType, List, Map, Pointer, Struct
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import builtingotypes, defaultrules

_Default: TypeAlias = Callable[[JSONValue], JSONValue]
_RESOURCES: Final = "v1.ResourceList"
# The groups whose quantities of resources are rounded.
_ROUNDED: Final = frozenset({"v1", "apps", "batch"})
# Quantities of resources are rounded up to a thousandth.
_MILLI: Final = -3


class Defaulter:
    """The defaults of the objects of one kind."""

    def __init__(self, api_version: str, kind: str, profile: Profile) -> None:
        """
        Create for a kind.

        Args:
            api_version: Its apiVersion.
            kind: The kind.
            profile: The reproduced Kubernetes version.
        """
        self._types = {**_table()["types"], **_table()["exceptions"].get(f"{api_version} {kind}", {})}
        self._profile = profile
        self._rounds = api_version.partition("/")[0] in _ROUNDED
        self._defaults: dict[Struct, _Default | None] = {}
        self._root = self._of_type(builtingotypes.of_kind(api_version, kind, profile))

    @property
    def has_defaults(self) -> bool:
        """Whether a field of the kind has a default."""
        return self._root is not None

    def default(self, value: dict[str, JSONValue]) -> dict[str, JSONValue]:
        """Return a decoded object with its defaults."""
        defaulted: dict[str, JSONValue] = value if self._root is None else self._root(value)
        return defaulted

    def _of_type(self, type_: GoType) -> _Default | None:
        """Return the function for the values of a type; None if nothing in them has a default."""
        if isinstance(type_, Pointer):
            return self._of_type(type_.to)
        if isinstance(type_, Struct):
            if type_ not in self._defaults:
                self._defaults[type_] = self._of_struct(type_)
            return self._defaults[type_]
        if isinstance(type_, Map) and type_.go == _RESOURCES:
            return _rounded if self._rounds else None
        if isinstance(type_, List) and (below := self._of_type(type_.item)) is not None:
            return lambda items: [below(item) for item in items or ()] if items else items
        return None

    def _of_struct(self, struct: Struct) -> _Default | None:
        name = builtingotypes.name_of(struct, self._profile)
        rule = defaultrules.find_rule(name)
        skipped = () if rule is None else rule.fields
        constants = {field: value for field, value in self._types.get(name, {}).items() if field not in skipped}
        pointers = {field for field in constants if isinstance(struct.fields[field], Pointer)}
        below = {field: default for field, type_ in struct.fields.items() if (default := self._of_type(type_))}
        if not (constants or below or rule):
            return None

        def default_struct(value: JSONValue) -> JSONValue:
            value = dict(value)
            for field, constant in constants.items():
                if value.get(field) is None or not (field in pointers or value[field]):
                    value[field] = copy.deepcopy(constant)
            if rule is not None:
                rule.default(value, self._profile)
            for field, default in below.items():
                if field in value:
                    value[field] = default(value[field])
            return value

        return default_struct


@functools.cache
def of_kind(api_version: str, kind: str, profile: Profile) -> Defaulter:
    """Return the defaults of a kind."""
    return Defaulter(api_version, kind, profile)


def _rounded(quantities: JSONValue) -> JSONValue:
    """
    Return the quantities of resources, rounded up.

    Reference:
        kubernetes pkg/apis/core/v1/defaults.go, SetDefaults_ResourceList.
    """
    return quantities and {
        name: str(amounts.rounded_up(amounts.parse(text), _MILLI)) for name, text in quantities.items()
    }


@functools.cache
def _table() -> Mapping[str, Any]:
    """Return the output of `python -m oracle record builtindefaults`."""
    text = resources.files(__package__).joinpath("builtindefaults.json").read_text(encoding="utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table
