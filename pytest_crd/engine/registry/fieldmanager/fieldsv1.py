"""
FieldsV1 form of field sets, as in `metadata.managedFields`: `{"f:spec": {"f:replicas": {}}}`.

An element is a key of an object: `f:` and a name, `k:` and keys as JSON, `v:` and a value as JSON, or `i:` and an index.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Final, NoReturn

from pytest_crd import lazyre
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import fieldsets, pathelements
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.pathelements import FIELD, INDEX, KEY, PathElement

_SELF: Final = "."
_LEAST: Final = 2
_BLANKS: Final = " \t\n\r"
_INTEGER: Final = lazyre.compile(r"[+-]?[0-9]+", re.ASCII)


class BrokenError(ValueError):
    """A malformed FieldsV1 value."""


def write(fields: FieldSet) -> dict[str, JSONValue]:
    """
    Return the FieldsV1 form of a set.

    Reference:
        structured-merge-diff fieldpath/serialize.go, emitContentsV1.
    """
    written: dict[str, JSONValue] = {}
    for element in sorted(fields.members | fields.children.keys()):
        below = write(fields.children[element]) if element in fields.children else {}
        self_entry: dict[str, JSONValue] = {_SELF: {}} if below and element in fields.members else {}
        written[text_of(element)] = {**self_entry, **below}
    return written


def read(written: JSONValue, *, ignores_rest: bool = False) -> FieldSet:
    """
    Return the set of a FieldsV1 value; elements of unknown kinds are dropped.

    Args:
        written: A JSON object; null is an empty set.
        ignores_rest: Whether text after the JSON of a key is ignored.

    Raises:
        BrokenError: The value or a key is malformed.

    Reference:
        structured-merge-diff fieldpath/serialize.go, readIterV1.
    """
    fields, _ = _read(written, functools.partial(element_of, ignores_rest=True) if ignores_rest else element_of)
    return fieldsets.EMPTY if fields is None else fields


def _read(written: JSONValue, parse_element: Callable[[str], PathElement | None]) -> tuple[FieldSet | None, bool]:
    """Return the set below a field (None if it is empty), and whether the field itself is a member."""
    if written is not None and not isinstance(written, dict):
        raise BrokenError("expected a JSON object")
    members: set[PathElement] = set()
    children: dict[PathElement, FieldSet] = {}
    is_member = False
    for text, value in (written or {}).items():
        if text == _SELF:
            is_member = True
        elif (element := parse_element(text)) is not None:
            below, is_child_member = _read(value, parse_element)
            if is_child_member:
                members.add(element)
            if below is not None:
                children[element] = below
    if not members and not children:
        return None, True
    return FieldSet(members, children), is_member


def element_of(text: str, *, ignores_rest: bool = False) -> PathElement | None:
    """
    Return the element of a key; None if its kind is unknown.

    Args:
        text: The key.
        ignores_rest: Whether text after its JSON is ignored.

    Raises:
        BrokenError: The key is malformed.

    Reference:
        structured-merge-diff fieldpath/serialize-pe.go, DeserializePathElement.
    """
    if len(text.encode(errors="surrogatepass")) < _LEAST:
        raise BrokenError("key must be 2 characters long:")
    kind, colon, rest = text[0], text[1:2], text[2:]
    if colon != ":":
        raise BrokenError(f"missing colon: {text}")
    if kind == "f":
        return pathelements.field(rest)
    if kind == "v":
        return pathelements.value(_json(rest, ignores_rest=ignores_rest))
    if kind == "k":
        return _key(_json(rest, ignores_rest=ignores_rest))
    if kind == "i":
        if not _INTEGER.fullmatch(rest):
            raise BrokenError(f"strconv.Atoi: parsing {printing.quote(rest)}: invalid syntax")
        return pathelements.index(int(rest))
    return None


def _key(fields: JSONValue) -> PathElement:
    if fields is not None and not isinstance(fields, dict):
        raise BrokenError("expected a JSON object")
    return pathelements.key(fields or {})


def _json(text: str, *, ignores_rest: bool) -> JSONValue:
    try:
        return _DECODER.raw_decode(text.lstrip(_BLANKS))[0] if ignores_rest else _DECODER.decode(text)
    except ValueError as error:
        raise BrokenError(str(error)) from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


def text_of(element: PathElement) -> str:
    """
    Return the key of an element.

    Reference:
        structured-merge-diff fieldpath/serialize-pe.go, SerializePathElement.
    """
    kind, content = element
    if kind == FIELD:
        return f"f:{content}"
    if kind == KEY:
        keys = pathelements.keys_of(element).items()
        return f"k:{{{','.join([f'{encode_basestring(name)}:{printing.marshal(key_value)}' for name, key_value in keys])}}}"
    return f"i:{content}" if kind == INDEX else f"v:{printing.marshal(pathelements.value_of(element))}"
