"""
JSON decoded into Go types, as the API server decodes requests: what is kept, which fields are unknown, what is refused.

A type is compiled once into closures. A value comes back in the JSON shape in which it was given, without what Go does not
hold: unknown fields, and nulls that mean "not set".
"""

from __future__ import annotations

import base64
import functools
import operator
from collections.abc import Callable
from dataclasses import field
from typing import Final, TypeAlias

from pytest_crd.engine import fieldpath, jsonvalue
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.golang import parsing, printing, types
from pytest_crd.engine.golang.types import GoType
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.quickdataclass import dataclass
from pytest_crd.quicktuple import NamedTuple


class DecodeError(ValueError):
    """A value that Go refuses to decode; `str()` is Go's error, with which the server answers 400."""


class Decoded(NamedTuple):
    """
    A decoded value.

    Attributes:
        value: What Go holds, as JSON; the given object itself where nothing had to be changed.
        unknown: Paths of the unknown fields as a strict decoder spells them (`a.b[0].c`), the first hundred.
        duplicates: What a strict reader says about each key that was set twice; empty unless it was read from a text.
    """

    value: JSONValue
    unknown: tuple[SpelledPath, ...]
    duplicates: tuple[str, ...] = ()


def decode(value: JSONValue, kind: GoType, *, sort_keys: bool = True, whole_paths: bool = True) -> Decoded:
    """
    Return *value* as a Go program holds it after decoding it into a variable of type *kind*.

    Args:
        value: JSON value; not modified.
        kind: The type; its closures are compiled on first use and kept as long as the type.
        sort_keys: Decode as if keys stood in sorted order, as in all that Go wrote or that came from YAML, else in the
            order of *value*. The order decides which error comes first, and the order of the unknown fields.
        whole_paths: Whether an error inside of a union names the fields there, or the field of the union alone.

    Returns:
        The value, and the unknown fields in the order in which they were met.

    Raises:
        DecodeError: A value does not fit its type. An error of a type that decodes itself ends the decoding; of all
            others the first is reported.

    Reference:
        sigs.k8s.io/json UnmarshalStrict, internal/golang/encoding/json/decode.go. A number that does not fit is printed
        in its shortest form; a server that was sent JSON prints the literal that was sent.
    """
    findings = _Findings(sort_keys, whole_paths)
    decoded = _compiled(kind)(value, None, findings)
    if error := findings.first_error():
        raise DecodeError(error.text())
    return Decoded(decoded, findings.spelled() if findings.unknown else ())


# The strict decoder stops collecting there.
_MAX_UNKNOWN: Final = 100

# A place in the value: the place around it, the key or index there, and the name of the struct whose field it is ("" for an
# entry of a map or list). None is the root. Linked, because building whole paths for every value is what takes time.
_Place: TypeAlias = "tuple[_Place, str | int, str] | None"


class _Error(NamedTuple):
    """An error and where it is; a *mismatch* of types also prints the struct and the fields that lead there."""

    at: _Place
    message: str
    mismatch: str = ""
    struct: str = ""

    def text(self) -> str:
        if not self.mismatch:
            return self.message
        struct, names = self.struct or _owner(self.at), []
        place = self.at
        while place is not None:
            place, key, owner = place
            if owner:
                names.append(str(key))
        into = f"struct field {struct}.{'.'.join(reversed(names))}" if struct else "value"
        return f"json: cannot unmarshal {self.message} into Go {into} of type {self.mismatch}"


@dataclass(slots=True)
class _Findings:
    """What one decoder found: errors that it saves while it goes on, errors that end it, and unknown fields."""

    sort_keys: bool
    whole_paths: bool
    unknown: list[_Place] = field(default_factory=list)
    saved: list[_Error] = field(default_factory=list)
    fatal: list[_Error] = field(default_factory=list)

    def first_error(self) -> _Error | None:
        errors = self.fatal or self.saved
        if not errors:
            return None
        return min(errors, key=lambda error: _segments(error.at)) if self.sort_keys else errors[0]

    def spelled(self) -> tuple[SpelledPath, ...]:
        places = sorted(self.unknown, key=_segments) if self.sort_keys else self.unknown
        return tuple(dict.fromkeys(fieldpath.unknown_field(_segments(place)) for place in places))[:_MAX_UNKNOWN]

    def mismatch(self, value: JSONValue, at: _Place, go: str) -> JSONValue:
        self.saved.append(_Error(at, _DESCRIBED[type(value)], go))
        return value


def _owner(place: _Place) -> str:
    """Return the name of the struct around *place*."""
    while place is not None:
        place, _, owner = place
        if owner:
            return owner
    return ""


def _segments(place: _Place) -> tuple[str | int, ...]:
    segments: list[str | int] = []
    while place is not None:
        place, key, _ = place
        segments.append(key)
    return tuple(reversed(segments))


_DESCRIBED: Final[dict[type, str]] = {
    bool: "bool",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}

# Decodes a value that is not null.
_Decode: TypeAlias = Callable[[JSONValue, _Place, _Findings], JSONValue]


@functools.cache
def _compiled(kind: GoType) -> _Decode:
    decode, zero = _build(kind, {}), kind.zero
    return lambda value, at, findings: decode(zero if value is None else value, at, findings)


@functools.singledispatch
def _build(kind: GoType, _structs: dict[types.Struct, _Decode]) -> _Decode:
    """Return the closure for *kind*; *structs* are those that have one, so that types may refer to themselves."""
    raise TypeError(f"{kind!r} is no type")


@_build.register(types.Scalar)
def _scalar(kind: types.Scalar, _structs: dict[types.Struct, _Decode]) -> _Decode:
    go, python = kind.go, type(kind.empty)

    def decode_scalar(value: JSONValue, at: _Place, findings: _Findings) -> JSONValue:
        return value if type(value) is python else findings.mismatch(value, at, go)

    return decode_scalar


@_build.register(types.Int)
def _int(kind: types.Int, _structs: dict[types.Struct, _Decode]) -> _Decode:
    go, lowest, highest = kind.go, kind.lowest, kind.highest

    def decode_int(value: JSONValue, at: _Place, findings: _Findings) -> JSONValue:
        if type(value) is int and lowest <= value <= highest:
            return value
        if type(value) is int or type(value) is float:
            findings.saved.append(_Error(at, f"number {printing.marshal(value)}", go))
            return value
        return findings.mismatch(value, at, go)

    return decode_int


@_build.register(types.Float)
def _float(kind: types.Float, _structs: dict[types.Struct, _Decode]) -> _Decode:
    go, exact = kind.go, 2**53

    def decode_float(value: JSONValue, at: _Place, findings: _Findings) -> JSONValue:
        if type(value) is float or (type(value) is int and -exact <= value <= exact):
            return value
        return jsonvalue.number(float(value)) if type(value) is int else findings.mismatch(value, at, go)

    return decode_float


@_build.register(types.Bytes)
def _bytes(kind: types.Bytes, structs: dict[types.Struct, _Decode]) -> _Decode:
    go, numbers = kind.go, _build(types.List(types.UINT8), structs)

    def decode_bytes(value: JSONValue, at: _Place, findings: _Findings) -> JSONValue:
        if type(value) is list:
            octets = numbers(value, at, findings)
            return value if findings.saved else base64.b64encode(bytes(octets)).decode("ascii")
        if type(value) is not str:
            return findings.mismatch(value, at, go)
        try:
            return parsing.base64_text(value)
        except parsing.GoParseError as error:
            findings.saved.append(_Error(at, str(error)))
            return value

    return decode_bytes


@_build.register
def _time(_kind: types.Time, _structs: dict[types.Struct, _Decode]) -> _Decode:
    def decode_time(value: JSONValue, at: _Place, findings: _Findings) -> JSONValue:
        if type(value) is not str:
            findings.fatal.append(_Error(at, _DESCRIBED[type(value)], types.STRING.go))
            return value
        try:
            return parsing.rfc3339(value)
        except parsing.GoParseError as error:
            findings.fatal.append(_Error(at, str(error)))
            return value

    return decode_time


@_build.register
def _raw(_kind: types.Raw, _structs: dict[types.Struct, _Decode]) -> _Decode:
    return _kept


def _kept(value: JSONValue, _at: _Place, _findings: _Findings) -> JSONValue:
    return value


@_build.register(types.Pointer)
def _pointer(kind: types.Pointer, structs: dict[types.Struct, _Decode]) -> _Decode:
    return _build(kind.to, structs)


@_build.register(types.StructReference)
def _reference(kind: types.StructReference, structs: dict[types.Struct, _Decode]) -> _Decode:
    return _build(kind.load(), structs)


@_build.register(types.List)
def _list(kind: types.List, structs: dict[types.Struct, _Decode]) -> _Decode:
    decode, go, zero = _build(kind.item, structs), kind.name, kind.item.zero

    def decode_list(value: JSONValue, at: _Place, findings: _Findings) -> JSONValue:
        if type(value) is not list:
            return findings.mismatch(value, at, go)
        result = [zero if item is None else decode(item, (at, index, ""), findings) for index, item in enumerate(value)]
        return value if all(map(operator.is_, result, value)) else result

    return decode_list


@_build.register(types.Map)
def _map(kind: types.Map, structs: dict[types.Struct, _Decode]) -> _Decode:
    decode, go, zero = _build(kind.value, structs), kind.name, kind.value.zero

    def decode_map(value: JSONValue, at: _Place, findings: _Findings) -> JSONValue:
        if type(value) is not dict:
            return findings.mismatch(value, at, go)
        result = {key: zero if item is None else decode(item, (at, key, ""), findings) for key, item in value.items()}
        return value if all(map(operator.is_, result.values(), value.values())) else result

    return decode_map


@_build.register(types.Struct)
def _struct(kind: types.Struct, structs: dict[types.Struct, _Decode]) -> _Decode:
    if (compiled := structs.get(kind)) is not None:
        return compiled
    go, owner, required = kind.go, kind.go.rpartition(".")[2], kind.zero
    fields: dict[str, tuple[_Decode, type | None, bool]] = {}

    def decode_struct(value: JSONValue, at: _Place, findings: _Findings) -> JSONValue:
        if type(value) is not dict:
            return findings.mismatch(value, at, go)
        changes: dict[str, JSONValue] = {}  # None: the field falls away
        for key, item in value.items():
            known = fields.get(key)
            if known is None:
                findings.unknown.append((at, key, owner))
                changes[key] = None
                continue
            decode, python, omits_empty = known
            # A text or a bool stays as it is, and is worth no call.
            decoded = item if type(item) is python or item is None else decode(item, (at, key, owner), findings)
            if decoded is not item or item is None or (omits_empty and not item):
                changes[key] = decoded if decoded or not omits_empty else None
        result = {key: item for key, item in {**value, **changes}.items() if item is not None} if changes else value
        return result if required.keys() <= result.keys() else {**required, **result}

    structs[kind] = decode_struct
    for name, below in kind.fields.items():
        python = type(below.empty) if isinstance(below, types.Scalar) else None
        fields[name] = (_build(below, structs), python, kind.omits_empty(name))
    return decode_struct


@_build.register(types.Union)
def _union(kind: types.Union, structs: dict[types.Struct, _Decode]) -> _Decode:
    decoders: dict[type, _Decode] = {dict: _build(kind.object, structs)}
    if kind.array is not None:
        decoders[list] = _build(kind.array, structs)
    if kind.bools:
        decoders[bool] = _kept

    def decode_union(value: JSONValue, at: _Place, findings: _Findings) -> JSONValue:
        decode = decoders.get(type(value))
        if decode is None:
            if kind.refusal:
                findings.fatal.append(_Error(at, kind.refusal))
            return kind.empty
        inner = _Findings(findings.sort_keys, findings.whole_paths)
        decoded = decode(value, at, inner)
        if error := inner.first_error():
            # The error of a decoder inside a decoder names the struct that the outer one is in.
            where = error.at if findings.whole_paths else at
            findings.fatal.append(error._replace(at=where, struct=_owner(at)))
        return decoded

    return decode_union
