"""Protobuf fields of built-in kinds and CRDs, from `protofields.json`."""

from __future__ import annotations

import functools
import json
import operator
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final, NamedTuple

from pytest_crd.engine.cel.library import amounts

# The bytes before an envelope.
PREFIX: Final = b"k8s\x00"
# The type of an envelope.
UNKNOWN: Final = "pkg.runtime.Unknown"
# Types with a JSON form of their own.
TIME, MICRO_TIME = "meta.v1.Time", "meta.v1.MicroTime"
QUANTITY, INT_OR_STRING = "api.resource.Quantity", "util.intstr.IntOrString"
FIELDS, EXTENSION = "meta.v1.FieldsV1", "pkg.runtime.RawExtension"
# Lists of texts that are messages.
TEXTS: Final = (
    "meta.v1.Verbs",
    *(f"{group}.v1.ExtraValue" for group in ("authentication", "authorization", "certificates")),
    "authentication.v1.AttestationValue",
)
# Union types of schemas: any JSON, and a schema or another value.
ANY_JSON: Final = "apiextensions.v1.JSON"
OR_BOOL, OR_ARRAY, OR_STRINGS = (
    f"apiextensions.v1.JSONSchemaPropsOr{alternative}" for alternative in ("Bool", "Array", "StringArray")
)
# Wire types.
VARINT, FIXED64, BYTES, GROUP, END, FIXED32 = range(6)
_NUMBERS: Final = {"bool": VARINT, "int": VARINT, "int32": VARINT, "float64": FIXED64}


class ProtobufError(ValueError):
    """A value that cannot be encoded, or bytes that cannot be decoded (with the server's message)."""


class UnstorableError(ProtobufError):
    """A decoded number without a JSON form, which a server cannot store."""


class Field(NamedTuple):
    """
    A field of a message.

    Attributes:
        number: The number in protobuf.
        name: The key in JSON; empty if its fields are inlined.
        kind: The type of each value: `string`, `bytes`, `bool`, `int`, `int32`, `float64`, or a type name after a dot.
        is_list: Whether the field is repeated.
        is_map: Whether the field is a map with texts as keys.
        is_omitted: Whether JSON omits it if it is empty.
        is_pointer: Whether it distinguishes empty from absent values.
        go: The name in Go.
    """

    number: int
    name: str
    kind: str
    is_list: bool
    is_map: bool
    is_omitted: bool
    is_pointer: bool
    go: str

    @property
    def type(self) -> str:
        """The message type of each value; empty for scalars."""
        return self.kind[1:] if self.kind.startswith(".") else ""

    @property
    def is_number(self) -> bool:
        """Whether each value is a number."""
        return self.kind in _NUMBERS

    @property
    def wire_type(self) -> int:
        """The wire type of each value."""
        return _NUMBERS.get(self.kind, BYTES)

    @property
    def is_nullable(self) -> bool:
        """Whether its initial value is null."""
        return self.is_list or self.is_map or self.is_pointer or self.kind == "bytes" or self.type in TEXTS


def type_of(api_version: str, kind: str) -> str:
    """Return the message type of a kind; empty if the kind is unknown."""
    type_: str = _table()["kinds"].get(f"{api_version} {kind}", "")
    return type_


@functools.cache
def fields(type_: str) -> Mapping[int, Field]:
    """Return the fields of a type by their numbers, in the order in which they are written."""
    rows: Sequence[Sequence[Any]] = _table()["types"][type_]
    return {row[0]: _field(*row) for row in sorted(rows, key=operator.itemgetter(0))}


def message_name(type_: str) -> str:
    """Return the name of a type in messages."""
    return "Timestamp" if type_ in (TIME, MICRO_TIME) else type_.rpartition(".")[2]


def quantity(text: str) -> str:
    """
    Return a quantity in the server's spelling.

    Raises:
        ProtobufError: The text is not a quantity.
    """
    try:
        return str(amounts.parse(text))
    except amounts.QuantityError as error:
        raise ProtobufError(str(error)) from None


def _field(number: int, name: str, kind: str, flags: str, go: str) -> Field:
    is_list, is_map = kind.startswith("[]"), kind.startswith("map ")
    item_kind = kind.removeprefix("[]").removeprefix("map ")
    return Field(number, name, item_kind, is_list, is_map, "o" in flags, "p" in flags, go)


@functools.cache
def _table() -> Any:
    """Return the output of `python -m oracle record protofields`."""
    text = resources.files(__package__).joinpath("protofields.json").read_text(encoding="utf-8")
    return json.loads(text)
