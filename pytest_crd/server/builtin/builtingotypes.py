"""
Go types of built-in kinds, from `builtinfields.json`.

All Kubernetes versions share the types of 1.37; only the field names in messages depend on the version.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.golang import decodeerrors, gotypes, parsing
from pytest_crd.engine.golang.gotypes import (
    BOOL,
    BYTES,
    INT32,
    INT64,
    STRING,
    TIME,
    Custom,
    CustomError,
    GoType,
    Struct,
)
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.profile import Profile
from pytest_crd.server.http import httpmessages

_OBJECT_META: Final = "meta.v1.ObjectMeta"
_NUMBERS: Final = (int, float)


def of_kind(api_version: str, kind: str, profile: Profile) -> Struct:
    """Return the Go type of a built-in kind."""
    return _Types.under(profile.names_embedded_structs).struct(_table()["kinds"][f"{api_version} {kind}"])


def named(name: str, profile: Profile) -> Struct:
    """Return the Go type with a name in the table, such as `core.v1.PodSpec`."""
    return _Types.under(profile.names_embedded_structs).struct(name)


def name_of(struct: Struct, profile: Profile) -> str:
    """Return the name of a struct in the table, such as `apps.v1.Deployment`; empty if it is not from the table."""
    return _Types.under(profile.names_embedded_structs).names.get(struct, "")


def _quantity(value: JSONValue) -> JSONValue:
    """
    Return a quantity in the server's spelling.

    Raises:
        CustomError: The value is not a quantity.

    Reference:
        apimachinery api/resource/quantity.go, Quantity.UnmarshalJSON.
    """
    if isinstance(value, _NUMBERS) and not isinstance(value, bool):
        text = decodeerrors.spell(value)
    else:
        text = value if isinstance(value, str) else httpmessages.compact(value)
    try:
        return str(amounts.parse(text.strip(" \t\n\v\f\r\x85\xa0")))
    except amounts.QuantityError as error:
        raise CustomError(str(error)) from None


def _int_or_string(value: JSONValue) -> JSONValue:
    """
    Return a number or a text.

    Raises:
        CustomError: The value is neither an int32 nor a text.

    Reference:
        apimachinery util/intstr/intstr.go, IntOrString.UnmarshalJSON.
    """
    if isinstance(value, str):
        return value
    if type(value) is int and INT32.lowest <= value <= INT32.highest:
        return value
    described = decodeerrors.describe(value)
    description = f"{described} {decodeerrors.spell(value)}" if described == "number" else described
    raise CustomError(description, INT32.go)


def _micro_time(value: JSONValue) -> JSONValue:
    if not isinstance(value, str):
        raise CustomError(decodeerrors.describe(value), STRING.go)
    try:
        return parsing.rfc3339_micro(value)
    except parsing.GoParseError as error:
        raise CustomError(str(error)) from None


def _are_equal(left: str, right: str) -> bool:
    return left == right or not amounts.compare(amounts.parse(left), amounts.parse(right))


QUANTITY: Final = Custom("resource.Quantity", _quantity, "0", _are_equal)
INT_OR_STRING: Final = Custom("intstr.IntOrString", _int_or_string, 0)
MICRO_TIME: Final = Custom("v1.MicroTime", _micro_time, None)
RAW_EXTENSION: Final = gotypes.Raw("runtime.RawExtension")
_NAMED: Final[Mapping[str, GoType]] = {
    "string": STRING,
    "bool": BOOL,
    "int32": INT32,
    "int64": INT64,
    "bytes": BYTES,
    "time": TIME,
    "micro time": MICRO_TIME,
    "quantity": QUANTITY,
    "int or string": INT_OR_STRING,
    "raw": gotypes.Raw("v1.FieldsV1"),
    "raw extension": RAW_EXTENSION,
}


# Prefixes of lists and maps, before the type of their items.
_COMPOSED: Final = ("[]", "map ")
# The columns of a field; `written` is true for fields written even if empty.
_Row: Final = ("name", "type", "written")


class _Types:
    """Go structs by their names in the table, created on first use."""

    def __init__(self, names_embedded: bool) -> None:  # noqa: FBT001 - the only option
        self._names_embedded = names_embedded
        self._structs: dict[str, Struct] = {}
        self.names: dict[Struct, str] = {}

    @classmethod
    @functools.cache
    def under(cls, names_embedded: bool) -> _Types:  # noqa: FBT001 - the only option
        """Return the types for messages with, or without, the names of embedded structs."""
        return cls(names_embedded)

    def struct(self, name: str) -> Struct:
        """Return the struct with a name."""
        if name == _OBJECT_META:
            return metav1types.OBJECT_META
        if name not in self._structs:
            go, *rows = _table()["types"][name]
            fields = {row[0]: self._type(row[1]) for row in rows}
            inlined = {row[0]: row[3] for row in rows if len(row) > len(_Row)} if self._names_embedded else {}
            struct = Struct(go, fields, frozenset(row[0] for row in rows if row[2]), inlined)
            self._structs[name], self.names[struct] = struct, name
        return self._structs[name]

    def _type(self, text: str) -> GoType:
        if text in _NAMED:
            return _NAMED[text]
        if text.startswith("."):
            return self.struct(text[1:])
        if text.startswith("*"):
            return gotypes.Pointer(self._type(text[1:]))
        go, is_named, _ = text.partition("=")
        go, rest = (go, text[len(go) + 1 :]) if is_named and not go.startswith(_COMPOSED) else ("", text)
        if rest.startswith("[]"):
            return gotypes.List(self._type(rest[2:]), go)
        if rest.startswith("map "):
            return gotypes.Map(self._type(rest[4:]), go)
        return gotypes.string(go)


@functools.cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    """Return the output of `python -m oracle record builtinfields`."""
    text = resources.files(__package__).joinpath("builtinfields.json").read_text(encoding="utf-8")
    table: Mapping[str, Mapping[str, Any]] = json.loads(text)
    return table
