"""How Go clients write built-in kinds and CRDs in protobuf: the fields of each type, as `protofields.json` has them."""

from __future__ import annotations

import functools
import json
import operator
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final, NamedTuple

from pytest_crd.engine.cel.library import amounts

# What stands before an envelope.
PREFIX: Final = b"k8s\x00"
# The type of an envelope.
UNKNOWN: Final = "pkg.runtime.Unknown"
# Types that JSON writes in a way of its own.
TIME, MICRO_TIME = "meta.v1.Time", "meta.v1.MicroTime"
QUANTITY, INT_OR_STRING = "api.resource.Quantity", "util.intstr.IntOrString"
FIELDS, VERBS = "meta.v1.FieldsV1", "meta.v1.Verbs"
# What stands in schemas: any JSON, and what is a schema or something else.
ANY_JSON: Final = "apiextensions.v1.JSON"
OR_BOOL, OR_ARRAY, OR_STRINGS = (f"apiextensions.v1.JSONSchemaPropsOr{one}" for one in ("Bool", "Array", "StringArray"))
# How the value of a field is sent.
VARINT, FIXED64, BYTES, GROUP, END, FIXED32 = range(6)
_NUMBERS: Final = {"bool": VARINT, "int": VARINT, "int32": VARINT, "float64": FIXED64}


class ProtobufError(ValueError):
    """Something cannot be read or written; of what cannot be read the message is the server's."""


class UnstorableError(ProtobufError):
    """A number that is none in JSON, in which a server stores what it has read."""


class Field(NamedTuple):
    """
    A field of a message.

    Attributes:
        number: What it is called in protobuf.
        name: What it is called in JSON; empty where what is in it stands among the fields around it.
        kind: What each value in it is: `string`, `bytes`, `bool`, `int`, `int32`, `float64`, or with a dot before it a type.
        is_list: Whether it has many of them.
        is_map: Whether it has one under each of some texts.
        is_omitted: Whether JSON leaves it out where it is empty.
        is_pointer: Whether it may be empty and there all the same.
        go: What it is called in Go.
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
        """The type of each value; empty where it has none of its own."""
        return self.kind[1:] if self.kind.startswith(".") else ""

    @property
    def is_number(self) -> bool:
        """Whether each value is a number."""
        return self.kind in _NUMBERS

    @property
    def wire_type(self) -> int:
        """How each value is sent."""
        return _NUMBERS.get(self.kind, BYTES)

    @property
    def is_nothing_at_first(self) -> bool:
        """Whether it is null where it was not set."""
        return self.is_list or self.is_map or self.is_pointer or self.kind == "bytes" or self.type == VERBS


def type_of(api_version: str, kind: str) -> str:
    """Return the type of a kind; empty where it is not known."""
    found: str = _table()["kinds"].get(f"{api_version} {kind}", "")
    return found


@functools.cache
def fields(type_: str) -> Mapping[int, Field]:
    """Return the fields of a type by their numbers, in the order in which they are written."""
    rows: Sequence[Sequence[Any]] = _table()["types"][type_]
    return {row[0]: _field(*row) for row in sorted(rows, key=operator.itemgetter(0))}


def called(type_: str) -> str:
    """Return what messages call a type."""
    return "Timestamp" if type_ in (TIME, MICRO_TIME) else type_.rpartition(".")[2]


def quantity(text: str) -> str:
    """
    Return a quantity as servers write it.

    Raises:
        ProtobufError: It is none.
    """
    try:
        return str(amounts.parse(text))
    except amounts.QuantityError as error:
        raise ProtobufError(str(error)) from None


def _field(number: int, name: str, kind: str, flags: str, go: str) -> Field:
    is_list, is_map = kind.startswith("[]"), kind.startswith("map ")
    each = kind.removeprefix("[]").removeprefix("map ")
    return Field(number, name, each, is_list, is_map, "o" in flags, "p" in flags, go)


@functools.cache
def _table() -> Any:
    """Return what `python -m oracle record protofields` has written down."""
    text = resources.files(__package__).joinpath("protofields.json").read_text(encoding="utf-8")
    return json.loads(text)
