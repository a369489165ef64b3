"""
Documents of patches: JSON values that keep their spelling.

A server patches text. Parts that it does not read keep their key order, duplicate keys, and spelling of numbers and strings, and it
compares these spellings. The types here keep them, too.
"""

from __future__ import annotations

import json
import json.decoder
import json.scanner
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd import lazyre
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.decodeerrors import Repeating, SentNumber
from pytest_crd.engine.golang.gotypes import GoType, List, Map, Pointer, Struct, StructReference, Union
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import jsonreader

# A JSON value with the types below. A plain dict has sorted keys.
Document: TypeAlias = Any

# Spellings that differ from Go's; other strings need not be kept.
_UNUSUAL: Final = lazyre.compile(r'[<>&\u2028\u2029\x7f]|\\(?!["\\nrt])')
_ESCAPED: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
_MAX_DUPLICATES: Final = 100
_MINUS_ZERO: Final = "-0"


class SentObject(dict[str, Document]):
    """An object as sent: keys in their order, `pairs` with duplicate keys."""

    def __init__(self, pairs: Sequence[tuple[str, Document]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


class SentString(str):
    """A string with another spelling than Go's: `spelled`, with quotes."""

    __slots__ = ("spelled",)
    spelled: str


class SentFloat(float):
    """A number with another spelling than Go's, such as `1.0`."""

    __slots__ = ("spelled",)
    spelled: str


def read(text: str) -> Document:
    """
    Return the document of a JSON text.

    Raises:
        UnreadableError: It is nested too deep, or has a number beyond float64.
    """
    parsed = jsonreader.parse(text)
    if parsed.problem is not None:
        raise parsed.problem
    decoder: Any = json.JSONDecoder(object_pairs_hook=SentObject, parse_float=_number, parse_int=_number)
    if _UNUSUAL.search(text):
        decoder.parse_string = _string
        decoder.scan_once = json.scanner.py_make_scanner(decoder)  # type: ignore[attr-defined] # undocumented
    return decoder.decode(text)


def as_sent(value: JSONValue) -> Document:
    """Return the document that a client sends for a *value*."""
    if isinstance(value, dict):
        return SentObject([(key, as_sent(item)) for key, item in value.items()])
    return [as_sent(item) for item in value] if isinstance(value, list) else value


def in_order(value: JSONValue, kind: GoType | None) -> Document:
    """Return the document that Go writes for a *value* of type *kind*: a struct's fields are in the order of the struct."""
    kind = _resolve(kind, value)
    if isinstance(value, dict) and isinstance(kind, Struct):
        return SentObject([(name, in_order(value[name], kind.fields[name])) for name in kind.fields if name in value])
    if isinstance(value, dict) and isinstance(kind, Map):
        return {key: in_order(item, kind.value) for key, item in value.items()}
    if isinstance(value, list) and isinstance(kind, List):
        return [in_order(item, kind.item) for item in value]
    return value


def _resolve(kind: GoType | None, value: JSONValue) -> GoType | None:
    """Return the type that a pointer, a reference or a union has for a *value*."""
    while isinstance(kind, Pointer | StructReference | Union):
        if isinstance(kind, Pointer):
            kind = kind.to
        elif isinstance(kind, StructReference):
            kind = kind.load()
        else:
            kind = kind.object if isinstance(value, dict) else kind.array
    return kind


def is_usual(document: Document) -> bool:
    """Return whether a document has Go's spelling throughout, and no duplicate keys."""
    if isinstance(document, SentObject):
        return len(document.pairs) == len(document) and all(map(is_usual, document.values()))
    if isinstance(document, list):
        return all(map(is_usual, document))
    return not isinstance(document, SentString | SentFloat)


def plain(document: Document) -> JSONValue:
    """Return the JSON value of a document, with the last of duplicate keys."""
    if isinstance(document, dict):
        return {key: plain(item) for key, item in document.items()}
    if isinstance(document, list):
        return [plain(item) for item in document]
    if isinstance(document, SentString):
        return str(document)
    return float(document) if isinstance(document, SentFloat) else document


def decodable(document: Document) -> JSONValue:
    """Return the value of a document for the decoder of Go types, with its duplicate keys and spellings of numbers."""
    if isinstance(document, SentObject):
        pairs = [(key, decodable(item)) for key, item in document.pairs]
        return dict(pairs) if len(document) == len(pairs) else Repeating(pairs)
    if isinstance(document, list):
        return [decodable(item) for item in document]
    if isinstance(document, SentFloat) and document.spelled == _MINUS_ZERO:
        return 0
    if isinstance(document, SentFloat):
        number = SentNumber(document)
        number.spelled = document.spelled
        return number
    return str(document) if isinstance(document, str) else document


def to_text(document: Document) -> str:
    """Return the text of a document: unread parts as sent, others as Go writes JSON."""
    if isinstance(document, dict):
        pairs = document.pairs if isinstance(document, SentObject) else sorted(document.items())
        return "{" + ",".join(f"{printing.marshal(key)}:{to_text(item)}" for key, item in pairs) + "}"
    if isinstance(document, list):
        return "[" + ",".join(map(to_text, document)) + "]"
    if isinstance(document, SentString | SentFloat):
        return document.spelled.translate(_ESCAPED)
    return printing.marshal(document)


def equal(left: Document, right: Document) -> bool:
    """
    Return whether two documents are equal for a `test`: scalars need the same spelling.

    Reference:
        evanphx/json-patch patch.go, lazyNode.equal.
    """
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(item, right[key]) for key, item in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict | list) or isinstance(right, dict | list):
        return False
    return _spelled(left) == _spelled(right)


def duplicates(document: Document, path: str = "") -> tuple[str, ...]:
    """
    Return the strict decoder's messages about duplicate keys: the first hundred, without repetitions.

    Reference:
        sigs.k8s.io/json kubernetes_patch.go, saveStrictError.
    """
    messages = (f"duplicate field {printing.quote(place)}" for place in _find_duplicates(document, path))
    return tuple(dict.fromkeys(messages))[:_MAX_DUPLICATES]


def _find_duplicates(document: Document, path: str) -> Iterator[str]:
    if isinstance(document, dict):
        keys: set[str] = set()
        for key, item in document.pairs if isinstance(document, SentObject) else document.items():
            place = f"{path}.{key}" if path else key
            if key in keys:
                yield place
            keys.add(key)
            yield from _find_duplicates(item, place)
    elif isinstance(document, list):
        for index, item in enumerate(document):
            yield from _find_duplicates(item, f"{path}[{index}]")


def _spelled(scalar: Document) -> str:
    return scalar.spelled if isinstance(scalar, SentString | SentFloat) else printing.marshal(scalar)


def _number(digits: str) -> float:
    value = float(digits)
    if "." not in digits and "e" not in digits and "E" not in digits:
        whole = int(digits)
        value = whole if jsonvalue.MIN_INT64 <= whole <= jsonvalue.MAX_INT64 else value
    if printing.marshal(value) == digits:
        return value
    sent = SentFloat(value)
    sent.spelled = digits
    return sent


def _string(text: str, end: int, strict: bool = True) -> tuple[str, int]:  # noqa: FBT001, FBT002 - called by json
    value, after = json.decoder.scanstring(text, end, strict)  # type: ignore[attr-defined] # undocumented
    spelled = text[end - 1 : after]
    plain_value = jsonvalue.from_python(value)
    if printing.marshal(plain_value) == spelled:
        return plain_value, after
    sent = SentString(plain_value)
    sent.spelled = spelled
    return sent, after
