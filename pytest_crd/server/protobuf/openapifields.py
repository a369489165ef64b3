"""Of which messages OpenAPI documents are made in protobuf, as `openapifields.json` has them."""

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
        number: What it is called in protobuf.
        name: What it is called in a document.
        kind: What each value in it is: `string`, `bool`, `int64`, `double`, or with a dot before it a message.
        is_list: Whether it has many of them.
        is_map: Whether it has one under each of some names.
    """

    number: int
    name: str
    kind: str
    is_list: bool
    is_map: bool

    @property
    def type(self) -> str:
        """The message that each value is; empty where it is none."""
        return self.kind[1:] if self.kind.startswith(".") else ""

    @property
    def wire_type(self) -> int:
        """How each value is sent."""
        return _NUMBERS.get(self.kind, BYTES)


class DocumentMessage(NamedTuple):
    """
    A message.

    Attributes:
        is_choice: Whether it has one of its fields, and stands in documents for that itself.
        fields: Its fields, in the order in which they are written.
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
    each = kind.removeprefix("[]").removeprefix("map ")
    return DocumentField(number, name, each, kind.startswith("[]"), kind.startswith("map "))


@functools.cache
def _table() -> dict[str, Sequence[Any]]:
    """Return what `python -m oracle record openapifields` has written down."""
    text = resources.files(__package__).joinpath("openapifields.json").read_text(encoding="utf-8")
    found: dict[str, Sequence[Any]] = json.loads(text)
    return found
