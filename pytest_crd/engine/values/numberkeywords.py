"""Validation of numbers: `minimum`, `maximum`, `multipleOf`, and the ranges of number formats."""

from __future__ import annotations

import decimal
import functools
import math
from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.formats import stringformats
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import MAX_INT64, MIN_INT64, JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.engine.values import validationresult
from pytest_crd.engine.values.validationresult import Failure, KeywordCheck
from pytest_crd.records import NamedTuple

_MAX_SAFE_INTEGER: Final = 2**53 - 1
_TOLERANCE: Final = 1e-9
# The smallest float64 that rounds to infinity as a float32.
_FLOAT32_OVERFLOW: Final = float(2**128 - 2**103)


class ServerPanicError(ArithmeticError):
    """A value that makes the server panic; the message is the panic's."""


def may_divide_by_zero(schema: JSONValue) -> bool:
    """Return whether *schema* has a `multipleOf` between -1 and 1, which is 0 as an integer divisor."""
    if isinstance(schema, Mapping):
        factor = schema.get("multipleOf")
        if isinstance(factor, int | float) and abs(factor) < 1:
            return True
        schema = list(schema.values())
    return isinstance(schema, list) and any(map(may_divide_by_zero, schema))


def is_whole(value: float, profile: Profile) -> bool:
    """
    Return whether the server treats a float64 as an integer, which it also does for values very near to an integer.

    Reference:
        go-openapi swag, IsFloat64AJSONInteger.
    """
    if not math.isfinite(value) or abs(value) > _MAX_SAFE_INTEGER:
        return False
    if value.is_integer():
        return True
    whole = math.trunc(value)
    if not profile.rounds_to_integers:
        # Only values just above a positive integer: Go converts to an unsigned number, which is wrong below zero.
        return whole > 0 and (value - whole) / (value + whole) < _TOLERANCE
    magnitude = abs(value)
    nearest = abs(whole) + (magnitude - abs(whole) >= 0.5)
    return abs(magnitude - nearest) < _TOLERANCE * nearest


def to_int64(value: float) -> int:
    """Return *value* as Go on amd64 converts it: without its fraction; the smallest int64 if it is out of range."""
    whole = math.trunc(value)
    return whole if MIN_INT64 <= whole <= MAX_INT64 else MIN_INT64


def compile_checks(
    schema: Schema, types: tuple[str, ...], number_format: str, profile: Profile, *, kind: type
) -> list[KeywordCheck]:
    """
    Return the checks of *schema* for numbers.

    Args:
        schema: The schema.
        types: The allowed types.
        number_format: Its format, if the version checks it.
        profile: The Kubernetes version.
        kind: The server's type of the number, `int` or `float`, which decides the comparison.

    Reference:
        kube-openapi validation/validate/validator.go, numberValidator.
    """
    capacity = _capacity(types, number_format, profile)
    keyword_checks = [] if capacity is None or (kind is int and capacity.holds_int64) else [_fits_check(capacity)]
    for keyword, label in _LIMITS.items():
        if schema.get(keyword) is None:
            continue
        limit = float(schema[keyword])
        if capacity is not None and not capacity.fits(limit):
            # The limit does not fit the type of the schema: every value fails, and is also compared as a float64.
            keyword_checks.append(KeywordCheck(_never, functools.partial(_misfit, capacity, keyword, label)))
            check = _limit_check(schema, keyword, limit, profile)
            keyword_checks.append(_as_float(check) if kind is int else check)
        else:
            keyword_checks.append(_limit_check(schema, keyword, to_int64(limit) if kind is int else limit, profile))
    return keyword_checks


_LIMITS: Final = {"multipleOf": "MultipleOf", "minimum": "Minimum boundary", "maximum": "Maximum boundary"}


class _Capacity(NamedTuple):
    """
    Range of a type and format.

    Attributes:
        type: `integer` or `number`.
        format: `int32`, `int64`, `float`, `double`; empty if there is none.
    """

    type: str
    format: str

    @property
    def holds_int64(self) -> bool:
        """Whether every int64 fits."""
        return self.type == "number" or self.format != "int32"

    def fits(self, value: float) -> bool:
        """
        Return whether *value* fits.

        Reference:
            kube-openapi validation/validate/values.go, IsValueValidAgainstRange.
        """
        if self.type == "number":
            return self.format != "float" or abs(value) < _FLOAT32_OVERFLOW
        if isinstance(value, float):
            if not value.is_integer():
                return False
            value = int(decimal.Decimal(repr(value)))  # Go writes the shortest digits and reads them back
        bits = 31 if self.format == "int32" else 63
        return -(1 << bits) <= value < 1 << bits


def _capacity(types: tuple[str, ...], number_format: str, profile: Profile) -> _Capacity | None:
    if not profile.checks_number_formats or types not in {("integer",), ("number",)}:
        return None
    return _Capacity(types[0], number_format if stringformats.is_number_format(number_format, types[0]) else "")


def _fits_check(capacity: _Capacity) -> KeywordCheck:
    return KeywordCheck(
        capacity.fits, functools.partial(_misfit, capacity, "format" if capacity.format else "type", "Checked")
    )


def _misfit(capacity: _Capacity, keyword: str, label: str, _value: float, name: str) -> Failure:
    described = f"with format {capacity.format}" if capacity.format else "(default format)"
    return validationresult.composite(keyword, f"{label} value must be of type {capacity.type} {described} in {name}")


def _never(_value: float) -> bool:
    return False


def _as_float(check: KeywordCheck) -> KeywordCheck:
    return KeywordCheck(
        lambda value: check.holds(float(value)),
        lambda value, name: check.failure(float(value), name),
    )


def _limit_check(schema: Schema, keyword: str, limit: float, profile: Profile) -> KeywordCheck:
    """Return the check of a limit, for numbers of the type of *limit*."""
    if keyword == "multipleOf":
        return _multiple_check(limit, profile)
    exclusive = bool(schema.get(f"exclusive{keyword.capitalize()}"))
    printed = printing.number(limit)
    if keyword == "maximum":
        words = f"should be less than {'' if exclusive else 'or equal to '}{printed}"
        holds = limit.__gt__ if exclusive else limit.__ge__
    else:
        words = f"should be greater than {'' if exclusive else 'or equal to '}{printed}"
        holds = limit.__lt__ if exclusive else limit.__le__
    return KeywordCheck(
        holds, lambda value, name: validationresult.invalid(keyword, name, value, f"{name} in body {words}")
    )


def _multiple_check(factor: float, profile: Profile) -> KeywordCheck:
    printed = printing.number(factor)
    if factor < 0 or (factor == 0 and profile.refuses_multiples_of_zero):
        words = f"must be positive: {printed}"
        return KeywordCheck(
            _never,
            lambda _, name: validationresult.invalid(
                "multipleOf", name, factor, f"factor MultipleOf declared for {name} {words}"
            ),
        )

    def is_multiple(value: float) -> bool:
        if type(factor) is int:
            return _remainder(value, factor) == 0
        return is_whole(_quotient(value, factor), profile)

    words = f"should be a multiple of {printed}"
    return KeywordCheck(
        is_multiple, lambda value, name: validationresult.invalid("multipleOf", name, value, f"{name} in body {words}")
    )


def _quotient(value: float, factor: float) -> float:
    if factor == 0:
        return math.nan
    return 1 / factor * value if factor < 1 else value / factor


def _remainder(value: float, factor: int) -> float:
    if factor == 0:
        raise ServerPanicError(
            "the server panics: integer divide by zero, for a multipleOf between -1 and 1 is 0 to it"
        )
    return value % factor
