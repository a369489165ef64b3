"""
JSON documents that are patched, and the values of patches as they were sent.

A server patches text: what it did not look into stays as it was sent, keys in their order and as often as they were there,
numbers and strings as they were spelled, and it compares these. So what was sent is kept here in types of its own.
"""

from __future__ import annotations

import json
import json.decoder
import json.scanner
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import jsonreader

# A JSON value of which objects, strings and numbers may be those below. A dict that is none of these has sorted keys.
Document: TypeAlias = Any

# What is written in another way than Go would write it: only then strings have to be kept as they were spelled.
_UNUSUAL: Final = re.compile(r'[<>&\u2028\u2029\x7f]|\\(?!["\\nrt])')
_ESCAPED: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
_MAX_DUPLICATES: Final = 100


class SentObject(dict[str, Document]):
    """An object as it was sent: keys in its order, `pairs` with those that are there twice."""

    def __init__(self, pairs: Sequence[tuple[str, Document]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


class SentString(str):
    """A string that is spelled otherwise than Go spells it: `spelled` with its quotes."""

    __slots__ = ("spelled",)
    spelled: str


class SentFloat(float):
    """A number that is spelled otherwise than Go spells it: `1.0`."""

    __slots__ = ("spelled",)
    spelled: str


def read(text: str) -> Document:
    """
    Return the document of a *text*, which is JSON.

    Raises:
        UnreadableError: It is nested too deep, or a number is too great.
    """
    parsed = jsonreader.parse(text)
    if parsed.problem is not None:
        raise parsed.problem
    decoder: Any = json.JSONDecoder(object_pairs_hook=SentObject, parse_float=_number, parse_int=_number)
    if _UNUSUAL.search(text):
        decoder.parse_string = _string
        decoder.scan_once = json.scanner.py_make_scanner(decoder)  # type: ignore[attr-defined] # documented nowhere
    return decoder.decode(text)


def as_sent(value: JSONValue) -> Document:
    """Return a *value* as it is sent by who writes it as JSON."""
    if isinstance(value, dict):
        return SentObject([(key, as_sent(item)) for key, item in value.items()])
    return [as_sent(item) for item in value] if isinstance(value, list) else value


def is_usual(document: Document) -> bool:
    """Return whether nothing of a document is spelled otherwise than Go spells it, and no key is there twice."""
    if isinstance(document, SentObject):
        return len(document.pairs) == len(document) and all(map(is_usual, document.values()))
    if isinstance(document, list):
        return all(map(is_usual, document))
    return not isinstance(document, SentString | SentFloat)


def plain(document: Document) -> JSONValue:
    """Return the JSON value of a document: of keys that are there twice, the last."""
    if isinstance(document, dict):
        return {key: plain(item) for key, item in document.items()}
    if isinstance(document, list):
        return [plain(item) for item in document]
    if isinstance(document, SentString):
        return str(document)
    return float(document) if isinstance(document, SentFloat) else document


def written(document: Document) -> str:
    """Return a document as the server writes it: as it was sent where it was not looked into, else as Go writes JSON."""
    if isinstance(document, dict):
        pairs = document.pairs if isinstance(document, SentObject) else sorted(document.items())
        return "{" + ",".join(f"{printing.marshal(key)}:{written(item)}" for key, item in pairs) + "}"
    if isinstance(document, list):
        return "[" + ",".join(map(written, document)) + "]"
    if isinstance(document, SentString | SentFloat):
        return document.spelled.translate(_ESCAPED)
    return printing.marshal(document)


def equal(left: Document, right: Document) -> bool:
    """
    Return whether two documents are equal to a `test`: scalars that are spelled alike.

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
    Return what a strict decoder says of the keys that a document has twice: the first hundred, each place once.

    Reference:
        sigs.k8s.io/json kubernetes_patch.go, saveStrictError.
    """
    found = (f"duplicate field {printing.quote(place)}" for place in _twice(document, path))
    return tuple(dict.fromkeys(found))[:_MAX_DUPLICATES]


def _twice(document: Document, path: str) -> Iterator[str]:
    if isinstance(document, dict):
        seen: set[str] = set()
        for key, item in document.pairs if isinstance(document, SentObject) else document.items():
            place = f"{path}.{key}" if path else key
            if key in seen:
                yield place
            seen.add(key)
            yield from _twice(item, place)
    elif isinstance(document, list):
        for index, item in enumerate(document):
            yield from _twice(item, f"{path}[{index}]")


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


def _string(text: str, end: int, strict: bool = True) -> tuple[str, int]:  # noqa: FBT001, FBT002 - as json calls it
    value, after = json.decoder.scanstring(text, end, strict)  # type: ignore[attr-defined] # documented nowhere
    spelled = text[end - 1 : after]
    plain_value = jsonvalue.from_python(value)
    if printing.marshal(plain_value) == spelled:
        return plain_value, after
    sent = SentString(plain_value)
    sent.spelled = spelled
    return sent, after
