"""Protobuf messages of OpenAPI documents, from `openapifields.json`."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any, Final, NamedTuple

from pytest_crd.server.protobuf.protofields import BYTES, FIXED64, VARINT

_NUMBERS: Final = {"bool": VARINT, "int64": VARINT, "double": FIXED64}


class DocumentField(NamedTuple):
    """
    A field of a message.

    Attributes:
        number: The number in protobuf.
        name: The key in a document.
        kind: The type of each value: `string`, `bool`, `int64`, `double`, or a message name after a dot.
        is_list: Whether the field is repeated.
        is_map: Whether the field has named values.
    """

    number: int
    name: str
    kind: str
    is_list: bool
    is_map: bool

    @property
    def type(self) -> str:
        """The message of each value; empty for scalars."""
        return self.kind[1:] if self.kind.startswith(".") else ""

    @property
    def wire_type(self) -> int:
        """The wire type of each value."""
        return _NUMBERS.get(self.kind, BYTES)


class DocumentMessage(NamedTuple):
    """
    A message.

    Attributes:
        is_choice: Whether it has exactly one of its fields, whose value takes its place in documents.
        fields: Its fields, in order of their numbers.
    """

    is_choice: bool
    fields: tuple[DocumentField, ...]


@functools.cache
def message(name: str) -> DocumentMessage:
    """Return a message by its name, such as `v2.Schema`."""
    is_choice, rows = _table()[name]
    fields = (_field(*row) for row in sorted(rows, key=lambda row: row[0]))
    return DocumentMessage(is_choice, tuple(fields))


def _field(number: int, name: str, kind: str) -> DocumentField:
    item_kind = kind.removeprefix("[]").removeprefix("map ")
    return DocumentField(number, name, item_kind, kind.startswith("[]"), kind.startswith("map "))


@functools.cache
def _table() -> dict[str, Sequence[Any]]:
    """Return the output of `python -m oracle record openapifields`."""
    text = resources.files(__package__).joinpath("openapifields.json").read_text(encoding="utf-8")
    table: dict[str, Sequence[Any]] = json.loads(text)
    return table
