"""
Decoding of JSON into Go types, as the API server decodes requests, with unknown fields and decoding errors.

Each type is compiled once into closures. A decoded value keeps its JSON shape, without the parts that Go does not hold:
unknown fields, and nulls that mean "not set".
"""

from __future__ import annotations

import base64
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.golang import decodeerrors, gotypes
from pytest_crd.engine.golang.decodeerrors import Findings, Place, Repeating, SavedError, SentNumber
from pytest_crd.engine.golang.gotypes import GoType
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.golang import parsing, repeated
else:
    parsing = lazyimport.module("pytest_crd.engine.golang.parsing")
    repeated = lazyimport.module("pytest_crd.engine.golang.repeated")


class DecodeError(ValueError):
    """Value that Go refuses to decode; `str()` is Go's error, which the server sends with status 400."""


class Decoded(NamedTuple):
    """
    Decoded value with the unknown and repeated fields.

    Attributes:
        value: The value that Go holds, as JSON; the input object itself if nothing changed.
        unknown: Paths of the unknown fields as a strict decoder spells them (`a.b[0].c`), the first hundred.
        duplicates: A strict reader's message for each repeated key; empty unless the value was read from a text.
        problems: A strict decoder's messages about unknown and repeated fields, in its order.
    """

    value: JSONValue
    unknown: tuple[SpelledPath, ...]
    duplicates: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def decode(value: JSONValue, kind: GoType, *, sort_keys: bool = True, whole_paths: bool = True) -> Decoded:
    """
    Decode *value* into a variable of the Go type *kind*.

    Args:
        value: JSON value; not modified. Objects read from a text may be `Repeating`, numbers `SentNumber`.
        kind: The type. Its closures are compiled on first use and cached with the type.
        sort_keys: Decode as if keys were sorted, as they are in Go's output and in converted YAML, else in the order of
            *value*. The order decides which error comes first, and the order of the unknown fields.
        whole_paths: Name the inner fields in an error inside a union, else only the field of the union.

    Returns:
        The value, and the unknown fields in the order in which the decoder meets them.

    Raises:
        DecodeError: A value does not fit its type. An error of a type with its own decoder stops the decoding. Of all
            other errors, the first is reported.

    Reference:
        sigs.k8s.io/json UnmarshalStrict, internal/golang/encoding/json/decode.go. A number that does not fit is printed
        in its shortest form unless it is a `SentNumber`: a server prints the literal of a JSON request.
    """
    findings = Findings(sort_keys, whole_paths)
    decoded = _compiled(kind)(value, None, findings)
    if error := findings.first_error():
        raise DecodeError(error.text())
    if findings.repeated:
        decoded = _compiled(kind)(repeated.merge(value, kind), None, Findings(sort_keys, whole_paths))
    if not findings.unknown and not findings.repeated:
        return Decoded(decoded, ())
    return Decoded(decoded, findings.unknown_paths(), problems=findings.problems())


_NUMBERS = frozenset({int, float, SentNumber})

# Decoder of non-null values.
_Decode: TypeAlias = Callable[[JSONValue, Place, Findings], JSONValue]


@functools.cache
def _compiled(kind: GoType) -> _Decode:
    decode, zero = _build(kind), kind.zero
    return lambda value, at, findings: decode(zero if value is None else value, at, findings)


def _build(kind: GoType) -> _Decode:
    """Return the decoder of *kind*."""
    return _BUILDERS[type(kind)](kind)


def _scalar(kind: gotypes.Scalar) -> _Decode:
    go, python = kind.go, type(kind.empty)

    def decode_scalar(value: JSONValue, at: Place, findings: Findings) -> JSONValue:
        return value if type(value) is python else findings.mismatch(value, at, go)

    return decode_scalar


def _int(kind: gotypes.Int) -> _Decode:
    go, lowest, highest = kind.go, kind.lowest, kind.highest

    def decode_int(value: JSONValue, at: Place, findings: Findings) -> JSONValue:
        if type(value) is int and lowest <= value <= highest:
            return value
        if type(value) in _NUMBERS:
            findings.saved.append(SavedError(at, f"number {decodeerrors.spell(value)}", go))
            return value
        return findings.mismatch(value, at, go)

    return decode_int


def _float(kind: gotypes.Float) -> _Decode:
    go, exact = kind.go, 2**53

    def decode_float(value: JSONValue, at: Place, findings: Findings) -> JSONValue:
        if isinstance(value, float) or (type(value) is int and -exact <= value <= exact):
            return value
        return jsonvalue.number(float(value)) if type(value) is int else findings.mismatch(value, at, go)

    return decode_float


def _bytes(kind: gotypes.Bytes) -> _Decode:
    go, numbers = kind.go, _build(gotypes.List(gotypes.UINT8))

    def decode_bytes(value: JSONValue, at: Place, findings: Findings) -> JSONValue:
        if type(value) is list:
            octets = numbers(value, at, findings)
            return value if findings.saved else base64.b64encode(bytes(octets)).decode("ascii")
        if type(value) is not str:
            return findings.mismatch(value, at, go)
        try:
            return parsing.base64_text(value)
        except parsing.GoParseError as error:
            findings.saved.append(SavedError(at, str(error)))
            return value

    return decode_bytes


def _time(_kind: gotypes.Time) -> _Decode:
    def decode_time(value: JSONValue, at: Place, findings: Findings) -> JSONValue:
        if type(value) is not str:
            findings.fatal.append(SavedError(at, decodeerrors.describe(value), gotypes.STRING.go))
            return value
        try:
            return parsing.rfc3339(value)
        except parsing.GoParseError as error:
            findings.fatal.append(SavedError(at, str(error)))
            return value

    return decode_time


def _custom(kind: gotypes.Custom) -> _Decode:
    read = kind.read

    def decode_custom(value: JSONValue, at: Place, findings: Findings) -> JSONValue:
        try:
            return read(value)
        except gotypes.CustomError as error:
            findings.fatal.append(SavedError(at, str(error), error.mismatch))
            return value

    return decode_custom


def _raw(_kind: gotypes.Raw) -> _Decode:
    return _decode_raw


def _decode_raw(value: JSONValue, _at: Place, _findings: Findings) -> JSONValue:
    return value


def _pointer(kind: gotypes.Pointer) -> _Decode:
    return _build(kind.to)


def _reference(kind: gotypes.StructReference) -> _Decode:
    return _build(kind.load())


def _list(kind: gotypes.List) -> _Decode:
    decode, go, zero, python = _build(kind.item), kind.name, kind.item.zero, _kept_type(kind.item)

    def decode_list(value: JSONValue, at: Place, findings: Findings) -> JSONValue:
        if type(value) is not list:
            return findings.mismatch(value, at, go)
        result = value
        for index, item in enumerate(value):
            if type(item) is python:
                continue
            decoded = zero if item is None else decode(item, (at, index, ""), findings)
            if decoded is not item:
                result = [*value] if result is value else result
                result[index] = decoded
        return result

    return decode_list


def _map(kind: gotypes.Map) -> _Decode:
    decode, go, zero = _build(kind.value), kind.name, kind.value.zero

    def decode_map(value: JSONValue, at: Place, findings: Findings) -> JSONValue:
        pairs: Iterable[tuple[str, JSONValue]]
        if type(value) is dict:
            pairs = value.items()
        elif type(value) is Repeating:
            pairs = findings.iterate_repeating(value, at)
        else:
            return findings.mismatch(value, at, go)
        changes: dict[str, JSONValue] = {}
        for key, item in pairs:
            decoded = zero if item is None else decode(item, (at, key, ""), findings)
            if decoded is not item or key in changes:
                changes[key] = decoded
        return {**value, **changes} if changes else value

    return decode_map


def _kept_type(kind: GoType) -> type | None:
    """Return the type of values that decoding to *kind* does not change; None without such a type."""
    return type(kind.empty) if isinstance(kind, gotypes.Scalar) else None


class _Fields(dict[str, "tuple[_Decode, type | None, bool, str] | None"]):
    """
    Decoders of the fields of a struct, each compiled at its first use, so that types can be recursive.

    A decoder comes with the type of values that it keeps, with whether Go omits an empty value, and with the name of the owner.
    """

    def __init__(self, kind: gotypes.Struct, struct: str) -> None:
        super().__init__()
        self._kind = kind
        self._struct = struct

    def __missing__(self, name: str) -> tuple[_Decode, type | None, bool, str] | None:
        kind, below = self._kind, self._kind.fields.get(name)
        if below is None:
            return None
        owner = f"{self._struct}.{kind.inlined[name]}" if name in kind.inlined else self._struct
        field = self[name] = (_build(below), _kept_type(below), kind.omits_empty(name), owner)
        return field


@functools.cache
def _struct(kind: gotypes.Struct) -> _Decode:
    go, struct, required = kind.go, kind.go.rpartition(".")[2], kind.zero
    fields = _Fields(kind, struct)

    def decode_struct(value: JSONValue, at: Place, findings: Findings) -> JSONValue:
        pairs: Iterable[tuple[str, JSONValue]]
        if type(value) is dict:
            pairs = value.items()
        elif type(value) is Repeating:
            pairs = findings.iterate_repeating(value, at, struct, kind.fields)
        else:
            return findings.mismatch(value, at, go)
        changes: dict[str, JSONValue] = {}  # None: the field is dropped
        for key, item in pairs:
            field = fields[key]
            if field is None:
                findings.unknown.append((at, key, struct))
                changes[key] = None
                continue
            decode, python, omits_empty, owner = field
            # Strings and booleans stay unchanged; skip the call.
            decoded = item if type(item) is python or item is None else decode(item, (at, key, owner), findings)
            if decoded is not item or item is None or (omits_empty and not item):
                changes[key] = decoded if decoded or not omits_empty else None
        result = {key: item for key, item in {**value, **changes}.items() if item is not None} if changes else value
        return {**required, **result} if required and not required.keys() <= result.keys() else result

    return decode_struct


def _union(kind: gotypes.Union) -> _Decode:
    decoders: dict[type, _Decode] = {dict: _build(kind.object)}
    if kind.array is not None:
        decoders[list] = _build(kind.array)
    if kind.bools:
        decoders[bool] = _decode_raw

    def decode_union(value: JSONValue, at: Place, findings: Findings) -> JSONValue:
        decode = decoders.get(type(value))
        if decode is None:
            if kind.refusal:
                findings.fatal.append(SavedError(at, kind.refusal))
            return kind.empty
        inner = Findings(findings.sort_keys, findings.whole_paths)
        decoded = decode(value, at, inner)
        if error := inner.first_error():
            # The error of an inner decoder names the struct that the outer decoder is in.
            where = error.at if findings.whole_paths else at
            findings.fatal.append(error._replace(at=where, struct=decodeerrors.find_owner(at)))
        return decoded

    return decode_union


_BUILDERS: Final[Mapping[type[GoType], Callable[[Any], _Decode]]] = {
    gotypes.Scalar: _scalar,
    gotypes.Int: _int,
    gotypes.Float: _float,
    gotypes.Bytes: _bytes,
    gotypes.Time: _time,
    gotypes.Custom: _custom,
    gotypes.Raw: _raw,
    gotypes.Pointer: _pointer,
    gotypes.StructReference: _reference,
    gotypes.List: _list,
    gotypes.Map: _map,
    gotypes.Struct: _struct,
    gotypes.Union: _union,
}
