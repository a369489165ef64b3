"""
Field errors: the server's verdict on one field, as data.

Only the constructors in this module format the server's messages.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from pytest_crd import records
from pytest_crd.engine.errors.origin import FailedRule, Origin
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue


class ErrorType(enum.StrEnum):
    """
    Type of a field error; the value is the name of Go's constant without its `ErrorType`.

    `Request` and `FieldManagerConflict` are our own: a refusal that names no field, such as a 404, and a conflict of an
    apply.

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
    # Not a Go type: a request that is refused as a whole, before its fields are validated.
    REQUEST = "Request"
    # Not a Go type either: an apply changes a field that another manager owns.
    MANAGER_CONFLICT = "FieldManagerConflict"

    @property
    def reason(self) -> str:
        """The reason of a cause in a Status: `FieldValueInvalid`; `InternalError` for Internal; a conflict's own name."""
        if self is ErrorType.MANAGER_CONFLICT:
            return self.value
        return "InternalError" if self is ErrorType.INTERNAL else f"FieldValue{self.value}"

    @property
    def words(self) -> str:
        """The beginning of a message: `Invalid value`."""
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
# The beginning of a printed pointer.
_POINTER: Final = "(0xc0"
_WITHOUT_VALUE: Final = frozenset(
    {ErrorType.REQUIRED, ErrorType.FORBIDDEN, ErrorType.TOO_LONG, ErrorType.TOO_SHORT, ErrorType.INTERNAL}
)


class InOrder(dict[str, JSONValue]):
    """A bad value that is a Go struct: the message prints its fields in their order, not sorted."""


class Omitted(enum.Enum):
    """A bad value that the server omits from the message."""

    VALUE = enum.auto()


@records.dataclass(frozen=True)
class FieldError:
    """
    One error on one field.

    Attributes:
        type: The type of the error; a StrEnum, so `error.type == "Invalid"` holds.
        field: The path as the server spells it, `spec.a[0]`; `<nil>` for the empty path, empty in a `Request` error.
        bad_value: The JSON value that the message prints; `""` if it prints none.
        detail: The last part of the message; may be empty.
        rule: The failed CEL rule with the deciding values; None for other errors.
        path: The same as *field*, as steps; None if the error is not about a field.
        origin: The keyword of the CRD's schema that the value violates; None if the error does not come from the
            schema, and in an error about a CRD.
        explanation: Additional facts that the server does not print; may be empty.

    Equality ignores rule, path, origin and explanation.
    """

    type: ErrorType
    field: str
    bad_value: JSONValue
    detail: str
    rule: FailedRule | None = records.field(default=None, compare=False, repr=False, kw_only=True)
    path: FieldPath | None = records.field(default=None, compare=False, repr=False, kw_only=True)
    origin: Origin | None = records.field(default=None, compare=False, repr=False, kw_only=True)
    explanation: str = records.field(default="", compare=False, repr=False, kw_only=True)

    @property
    def message(self) -> str:
        """The message of the cause in the server's Status, without the field; the whole message of a `Request` error."""
        if not self.type.words:
            return self.detail
        text = self.type.words
        if self.type not in _WITHOUT_VALUE and self.bad_value is not Omitted.VALUE:
            text += f": {_printed(self.bad_value)}"
        return f"{text}: {self.detail}" if self.detail else text

    @property
    def source(self) -> str:
        """The place of the rule or the keyword that decided, `file:line`; empty if it is unknown."""
        cause = self.rule or self.origin
        return "" if cause is None else cause.source

    @property
    def decision(self) -> str:
        """The reason without values: the text of the rule, the path of the keyword in the schema, or the type of the error."""
        if self.rule is not None:
            return self.rule.text
        return self.type.value if self.origin is None else "/".join(map(str, self.origin.steps))

    @property
    def text_with_origin(self) -> str:
        """The error as the server prints it, with the place of the violated keyword: `… (crds/backups.yaml:24 minimum)`."""
        if self.explanation:
            return f"{self} ({self.explanation})"
        # Rules are explained in lines of their own.
        return f"{self} ({self.origin})" if self.origin and self.origin.source and self.rule is None else str(self)

    def __str__(self) -> str:
        """Return the error as the server prints it: `spec.a: Invalid value: 1: must be …`."""
        return self.message if self.type is ErrorType.REQUEST else f"{self.field}: {self.message}"


# The errors of a validation, yielded lazily.
Errors: TypeAlias = Iterator[FieldError]


def _printed(value: JSONValue) -> str:
    if isinstance(value, str):
        return printing.quote(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return printing.number(value)
    return printing.marshal(value, sort_keys=not isinstance(value, InOrder))


def _at(path: FieldPath, type_: ErrorType, bad_value: JSONValue, detail: str) -> FieldError:
    return FieldError(type_, str(path), bad_value, detail, path=path)


def required(path: FieldPath, detail: str) -> FieldError:
    """Return a Required error: a value is absent, null or empty."""
    return _at(path, ErrorType.REQUIRED, "", detail)


def invalid(path: FieldPath, bad_value: JSONValue, detail: str) -> FieldError:
    """Return an Invalid error; the message prints *bad_value*."""
    return _at(path, ErrorType.INVALID, bad_value, detail)


def forbidden(path: FieldPath, detail: str) -> FieldError:
    """Return a Forbidden error: the value may not be set here. The message does not print it."""
    return _at(path, ErrorType.FORBIDDEN, "", detail)


def not_supported(path: FieldPath, bad_value: JSONValue, supported: Sequence[str]) -> FieldError:
    """Return a NotSupported error; the message lists the *supported* values in their order."""
    listed = ", ".join(map(printing.quote, supported))
    detail = f"supported values: {listed}" if supported else ""
    return _at(path, ErrorType.NOT_SUPPORTED, bad_value, detail)


def type_invalid(path: FieldPath, bad_value: JSONValue, detail: str) -> FieldError:
    """Return a TypeInvalid error: the value has a wrong type. The message prints *bad_value*."""
    return _at(path, ErrorType.TYPE_INVALID, bad_value, detail)


def duplicate(path: FieldPath, bad_value: JSONValue) -> FieldError:
    """Return a Duplicate error: the value occurs twice."""
    return _at(path, ErrorType.DUPLICATE, bad_value, "")


def too_long(path: FieldPath, max_length: int, *, unit: str = "byte", inflected: bool = True) -> FieldError:
    """
    Return a TooLong error: the text is longer than *max_length*.

    Args:
        path: The path of the text.
        max_length: The limit.
        unit: The counted unit: `byte` or `character`.
        inflected: Whether 1 is followed by the singular.
    """
    noun = _plural(max_length if inflected else 0, unit)
    detail = f"may not be more than {max_length} {noun}" if max_length >= 0 else "value is too long"
    return _at(path, ErrorType.TOO_LONG, "", detail)


def too_many(path: FieldPath, actual: int | None, max_quantity: int, *, inflected: bool = True) -> FieldError:
    """
    Return a TooMany error: there are more than *max_quantity* items.

    Args:
        path: The path of the items.
        actual: Their number; None to omit it from the message.
        max_quantity: The limit.
        inflected: Whether 1 is followed by the singular.
    """
    noun = _plural(max_quantity if inflected else 0, "item")
    detail = f"must have at most {max_quantity} {noun}" if max_quantity >= 0 else "has too many items"
    return _at(path, ErrorType.TOO_MANY, Omitted.VALUE if actual is None else actual, detail)


def too_short(path: FieldPath, min_length: int) -> FieldError:
    """Return a TooShort error: the text has fewer characters than *min_length*."""
    return _at(path, ErrorType.TOO_SHORT, "", f"must be at least {min_length} {_plural(min_length, 'character')}")


def too_few(path: FieldPath, actual: int, min_quantity: int) -> FieldError:
    """Return a TooFew error: there are fewer than *min_quantity* items or properties."""
    return _at(path, ErrorType.TOO_FEW, actual, f"must have at least {min_quantity} {_plural(min_quantity, 'item')}")


def internal(path: FieldPath, detail: str) -> FieldError:
    """Return an Internal error: the server could not validate the field."""
    return _at(path, ErrorType.INTERNAL, "", detail)


def request(message: str, explanation: str = "") -> FieldError:
    """Return a Request error with the *message* of a refusal, and facts that the server does not print."""
    return FieldError(ErrorType.REQUEST, "", Omitted.VALUE, message, explanation=explanation)


def manager_conflict(message: str, path: str) -> FieldError:
    """Return a FieldManagerConflict error: an apply changes the field at *path*, which another manager owns."""
    return FieldError(ErrorType.MANAGER_CONFLICT, path, Omitted.VALUE, message)


def _plural(count: int, unit: str) -> str:
    return unit if count == 1 else f"{unit}s"


def aggregate(errors: Iterable[FieldError]) -> str:
    """
    Return several errors as one text: a single error without brackets, several in brackets, repeated ones once.

    Two errors that print an address are equal only if they print the same value, because addresses of other values
    differ.

    Reference:
        apimachinery field.ErrorList.ToAggregate and util/errors, aggregate.Error.
    """
    keyed = ((str(error), error.bad_value) for error in errors)
    texts = list({(text, id(value) if _POINTER in text else 0): text for text, value in keyed}.values())
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
