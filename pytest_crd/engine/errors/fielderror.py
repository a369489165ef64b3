"""
Field errors: the server's verdict on one field, as data.

The constructors are the only place that knows how the server words an error of each type.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pytest_crd.engine.errors.failedrule import FailedRule
from pytest_crd.engine.errors.origin import Origin
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue


class ErrorType(enum.StrEnum):
    """
    What is wrong with a field; the value is the name of Go's constant without its `ErrorType`.

    `Request` alone is ours: it stands for a refusal that names no field, such as a 404.

    Reference:
        apimachinery util/validation/field/errors.go, ErrorType.
    """

    NOT_FOUND = "NotFound"
    REQUIRED = "Required"
    DUPLICATE = "Duplicate"
    INVALID = "Invalid"
    NOT_SUPPORTED = "NotSupported"
    FORBIDDEN = "Forbidden"
    TOO_LONG = "TooLong"
    TOO_MANY = "TooMany"
    TOO_FEW = "TooFew"
    INTERNAL = "Internal"
    TYPE_INVALID = "TypeInvalid"
    TOO_SHORT = "TooShort"
    # No type of Go's: a request that is refused as a whole, before any field is looked at.
    REQUEST = "Request"
    # Nor is this one: an apply changes a field that another manager owns.
    MANAGER_CONFLICT = "FieldManagerConflict"

    @property
    def reason(self) -> str:
        """The reason of a cause in a Status: `FieldValueInvalid`, and `InternalError` for an internal one; a conflict is its own."""
        if self is ErrorType.MANAGER_CONFLICT:
            return self.value
        return "InternalError" if self is ErrorType.INTERNAL else f"FieldValue{self.value}"

    @property
    def words(self) -> str:
        """What a message begins with: `Invalid value`."""
        return _WORDS[self]


_WORDS: Final = {
    ErrorType.NOT_FOUND: "Not found",
    ErrorType.REQUIRED: "Required value",
    ErrorType.DUPLICATE: "Duplicate value",
    ErrorType.INVALID: "Invalid value",
    ErrorType.NOT_SUPPORTED: "Unsupported value",
    ErrorType.FORBIDDEN: "Forbidden",
    ErrorType.TOO_LONG: "Too long",
    ErrorType.TOO_MANY: "Too many",
    ErrorType.TOO_FEW: "Too few",
    ErrorType.INTERNAL: "Internal error",
    ErrorType.TYPE_INVALID: "Invalid value",
    ErrorType.TOO_SHORT: "Too short",
    ErrorType.REQUEST: "",
    ErrorType.MANAGER_CONFLICT: "",
}
# How a pointer begins that is printed.
_POINTER: Final = "(0xc0"
_WITHOUT_VALUE: Final = frozenset(
    {ErrorType.REQUIRED, ErrorType.FORBIDDEN, ErrorType.TOO_LONG, ErrorType.TOO_SHORT, ErrorType.INTERNAL}
)


class Omitted(enum.Enum):
    """A bad value that the server leaves out of the message."""

    VALUE = enum.auto()


@dataclass(frozen=True, slots=True)
class FieldError:
    """
    One error on one field.

    Attributes:
        type: What is wrong; a StrEnum, so `error.type == "Invalid"` holds.
        field: The path as the server spells it, `spec.a[0]`; `<nil>` where there is none, empty in a `Request` error.
        bad_value: The JSON value that the message prints, `""` where it prints none.
        detail: The last part of the message; may be empty.
        rule: The CEL rule that found it, with the values that decided; None for all else.
        path: The same as *field*, as steps; None where the error is about no field.
        origin: Which keyword of the CRD's schema decided; None where it is none of the schema's, and in an error about a CRD.
        explanation: What the server found out and does not say; may be empty.

    Errors are equal whatever their rules, paths, origins and explanations.
    """

    type: ErrorType
    field: str
    bad_value: JSONValue
    detail: str
    rule: FailedRule | None = dataclasses.field(default=None, compare=False, repr=False, kw_only=True)
    path: FieldPath | None = dataclasses.field(default=None, compare=False, repr=False, kw_only=True)
    origin: Origin | None = dataclasses.field(default=None, compare=False, repr=False, kw_only=True)
    explanation: str = dataclasses.field(default="", compare=False, repr=False, kw_only=True)

    @property
    def message(self) -> str:
        """The message of the cause in the server's Status, everything but the field; of a `Request` error the whole message."""
        if not self.type.words:
            return self.detail
        text = self.type.words
        if self.type not in _WITHOUT_VALUE and self.bad_value is not Omitted.VALUE:
            text += f": {_printed(self.bad_value)}"
        return f"{text}: {self.detail}" if self.detail else text

    @property
    def source(self) -> str:
        """Where the rule or the keyword stands that decided, `file:line`; empty where none is known."""
        decided = self.rule or self.origin
        return "" if decided is None else decided.source

    @property
    def told(self) -> str:
        """The error as the server prints it, and the line of the CRD that decided: `… (crds/backups.yaml:24 minimum)`."""
        if self.explanation:
            return f"{self} ({self.explanation})"
        # Of a rule, more is told than its line.
        return f"{self} ({self.origin})" if self.origin and self.origin.source and self.rule is None else str(self)

    def __str__(self) -> str:
        """Return the error as the server prints it: `spec.a: Invalid value: 1: must be …`."""
        return self.message if self.type is ErrorType.REQUEST else f"{self.field}: {self.message}"


# What validation finds, one by one.
Errors: TypeAlias = Iterator[FieldError]


def _printed(value: JSONValue) -> str:
    if isinstance(value, str):
        return printing.quote(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return printing.number(value)
    return printing.marshal(value)


def _at(path: FieldPath, type_: ErrorType, bad_value: JSONValue, detail: str) -> FieldError:
    return FieldError(type_, str(path), bad_value, detail, path=path)


def required(path: FieldPath, detail: str) -> FieldError:
    """Return "a value is missing": absent, null or empty where it must not be."""
    return _at(path, ErrorType.REQUIRED, "", detail)


def invalid(path: FieldPath, bad_value: JSONValue, detail: str) -> FieldError:
    """Return "the value is malformed"; the message prints *bad_value*."""
    return _at(path, ErrorType.INVALID, bad_value, detail)


def forbidden(path: FieldPath, detail: str) -> FieldError:
    """Return "the value may not be set here"; the message does not print it."""
    return _at(path, ErrorType.FORBIDDEN, "", detail)


def not_supported(path: FieldPath, bad_value: JSONValue, supported: Sequence[str]) -> FieldError:
    """Return "the value is none of those *supported*", listed in their order."""
    listed = ", ".join(map(printing.quote, supported))
    detail = f"supported values: {listed}" if supported else ""
    return _at(path, ErrorType.NOT_SUPPORTED, bad_value, detail)


def type_invalid(path: FieldPath, bad_value: JSONValue, detail: str) -> FieldError:
    """Return "the value is not of the field's type"; the message prints *bad_value*."""
    return _at(path, ErrorType.TYPE_INVALID, bad_value, detail)


def duplicate(path: FieldPath, bad_value: JSONValue) -> FieldError:
    """Return "the value stands twice where it may stand once"."""
    return _at(path, ErrorType.DUPLICATE, bad_value, "")


def too_long(path: FieldPath, max_length: int, *, unit: str = "byte", inflected: bool = True) -> FieldError:
    """
    Return "the text is longer than *max_length*".

    Args:
        path: Where it stands.
        max_length: The limit.
        unit: What is counted: `byte` or `character`.
        inflected: Whether 1 is followed by the singular.
    """
    noun = _plural(max_length if inflected else 0, unit)
    detail = f"may not be more than {max_length} {noun}" if max_length >= 0 else "value is too long"
    return _at(path, ErrorType.TOO_LONG, "", detail)


def too_many(path: FieldPath, actual: int | None, max_quantity: int, *, inflected: bool = True) -> FieldError:
    """
    Return "there are more than *max_quantity* items".

    Args:
        path: Where they stand.
        actual: How many there are; the message leaves it out where it is None.
        max_quantity: The limit.
        inflected: Whether 1 is followed by the singular.
    """
    noun = _plural(max_quantity if inflected else 0, "item")
    detail = f"must have at most {max_quantity} {noun}" if max_quantity >= 0 else "has too many items"
    return _at(path, ErrorType.TOO_MANY, Omitted.VALUE if actual is None else actual, detail)


def internal(path: FieldPath, detail: str) -> FieldError:
    """Return "the server could not check the field"."""
    return _at(path, ErrorType.INTERNAL, "", detail)


def request(message: str, explanation: str = "") -> FieldError:
    """Return "the request is refused as a whole", with the *message* of the refusal, and what the server does not say of it."""
    return FieldError(ErrorType.REQUEST, "", Omitted.VALUE, message, explanation=explanation)


def manager_conflict(message: str, path: str) -> FieldError:
    """Return "who applies changes the field at *path*, which another manager owns", with the *message* of the cause."""
    return FieldError(ErrorType.MANAGER_CONFLICT, path, Omitted.VALUE, message)


def _plural(count: int, unit: str) -> str:
    return unit if count == 1 else f"{unit}s"


def aggregate(errors: Iterable[FieldError]) -> str:
    """
    Return several errors as one text: the only one alone, several in brackets, repeated ones once.

    Two that print an address are the same only if they print the same value: elsewhere the address is another.

    Reference:
        apimachinery field.ErrorList.ToAggregate and util/errors, aggregate.Error.
    """
    keyed = ((str(error), error.bad_value) for error in errors)
    texts = list({(text, id(value) if _POINTER in text else 0): text for text, value in keyed}.values())
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
