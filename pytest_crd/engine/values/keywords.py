"""Validation of single values: type and format, length, size and pattern, and `enum`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.formats import stringformats
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.engine.values import numberkeywords, validationresult
from pytest_crd.engine.values.validationresult import Failure, KeywordCheck
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.golang import gosyntax
    from pytest_crd.engine.golang.regexp import patterns, patterntree
else:
    gosyntax = lazyimport.module("pytest_crd.engine.golang.gosyntax")
    patterntree = lazyimport.module("pytest_crd.engine.golang.regexp.patterntree")
    patterns = lazyimport.module("pytest_crd.engine.golang.regexp.patterns")


# Go's names of number types, which are compared with formats.
_GO_FORMATS: Final = {"integer": "int64", "number": "float64"}
_NUMBERS: Final = frozenset({"integer", "number"})


class TypeCheck(NamedTuple):
    """
    Check of the type of a value.

    Attributes:
        types: The allowed types; empty if all are allowed.
        format: The format, if the version checks it; else empty.
        nullable: Whether null is allowed.
        is_declared: Whether the types come from `type`, not from `x-kubernetes-int-or-string`.
        profile: The Kubernetes version.
    """

    types: tuple[str, ...]
    format: str
    nullable: bool
    is_declared: bool
    profile: Profile

    @property
    def is_set(self) -> bool:
        """Whether the schema restricts the type of values other than null."""
        return bool(self.types or self.format)

    def test(self, kind: type) -> Callable[[JSONValue], bool] | None:
        """Return the test for values of one Python type; None if all of them have an allowed type."""
        if kind is float and "integer" in self.types and "number" not in self.types:
            return lambda value: self.mismatch(value) is None
        return None if self.mismatch(kind()) is None else _never

    def mismatch(self, value: JSONValue) -> tuple[str, str] | None:
        """
        Return the expected and the actual type of *value*; None if they match.

        Reference:
            kube-openapi validation/validate/type.go, typeValidator.
        """
        actual = jsonvalue.type_of(value)
        if value is None:
            return (",".join(self.types), actual) if self.types and not self.nullable else None
        fits = actual in self.types or self._is_number_of_other_kind(value, actual)
        if self.format and actual in {"string", "array"}:
            # With a format, the server checks the type of such values only if a number is expected.
            return None if fits or not _NUMBERS.intersection(self.types) else (",".join(self.types), actual)
        if self.format and not fits and self.format != _GO_FORMATS.get(actual):
            return self.format, _GO_FORMATS.get(actual, "")
        return None if fits or not (self.types or self.format) else (",".join(self.types), actual)

    def _is_number_of_other_kind(self, value: JSONValue, actual: str) -> bool:
        if actual == "integer":
            return "number" in self.types
        whole = actual == "number" and "integer" in self.types
        return whole and numberkeywords.is_whole(value, self.profile)

    def failure(self, value: JSONValue, name: str) -> Failure:
        """Return the failure of a value with a wrong type."""
        wanted, actual = self.mismatch(value) or ("", "")
        keyword = "x-kubernetes-int-or-string" if not self.is_declared else "type" if self.types else "format"
        return _wrong_type(keyword, name, wanted, actual, self.profile)


def type_check(schema: Schema, profile: Profile, *, all_formats: bool = False) -> TypeCheck:
    """Return the type check of *schema*; *all_formats* also keeps formats that the version does not check."""
    declared = schema.get("type")
    types = ("integer", "string") if schema.get("x-kubernetes-int-or-string") else (declared,) if declared else ()
    name = (schema.get("format") or "") if all_formats else _checked_format(schema, types, profile)
    is_declared = not schema.get("x-kubernetes-int-or-string")
    return TypeCheck(types, name, bool(schema.get("nullable")), is_declared, profile)


def _checked_format(schema: Schema, types: tuple[str, ...], profile: Profile) -> str:
    """
    Return the format if the version checks it; else empty.

    Reference:
        apiextensions-apiserver apiserver/validation/formats.go, StripUnsupportedFormatsPostProcess.
    """
    if not (name := schema.get("format") or ""):
        return ""
    if profile.checks_number_formats:
        kind = types[0] if len(types) == 1 else ""
        return name if stringformats.is_recognized(name, kind, profile) else ""
    return name if stringformats.check(name, profile) else ""


def format_check(check: TypeCheck) -> KeywordCheck | None:
    """Return the check of a string format; None without a format."""
    name, holds = check.format, stringformats.check(check.format, check.profile)
    if holds is None:
        return None
    return KeywordCheck(holds, lambda value, at: _wrong_type("format", at, name, value, check.profile))


def _wrong_type(keyword: str, name: str, wanted: str, actual: str, profile: Profile) -> Failure:
    text = f"{name} in body must be of type {wanted}: {printing.quote(actual)}"
    make_failure = validationresult.type_invalid if profile.sorts_value_errors else validationresult.invalid
    return make_failure(keyword, name, actual, text)


def string_checks(schema: Schema, profile: Profile) -> list[KeywordCheck]:
    """
    Return the checks for strings; the server reports only the first failure.

    Reference:
        kube-openapi validation/validate/validator.go, stringValidator.
    """
    checks = []
    if (longest := schema.get("maxLength")) is not None:
        checks.append(KeywordCheck(lambda value: len(value) <= longest, _too_long(longest, profile)))
    if (shortest := schema.get("minLength")) is not None:
        checks.append(KeywordCheck(lambda value: len(value) >= shortest, _too_short(shortest, profile)))
    if pattern := schema.get("pattern"):
        checks.append(_pattern_check(pattern, profile))
    return checks


def _too_long(limit: int, profile: Profile) -> Callable[[str, str], Failure]:
    def failure(value: str, name: str) -> Failure:
        text = f"{name} in body should be at most {limit} chars long"
        if not profile.sorts_value_errors:
            return validationresult.invalid("maxLength", name, value, text)
        report = functools.partial(fielderror.too_long, max_length=limit, inflected=profile.inflects_units)
        return Failure(text, name, report, "maxLength")

    return failure


def _too_short(limit: int, profile: Profile) -> Callable[[str, str], Failure]:
    def failure(value: str, name: str) -> Failure:
        text = f"{name} in body should be at least {limit} chars long"
        if not profile.sorts_shortages:
            return validationresult.invalid("minLength", name, value, text)
        return Failure(text, name, functools.partial(fielderror.too_short, min_length=limit), "minLength")

    return failure


def _pattern_check(pattern: str, profile: Profile) -> KeywordCheck:
    description = pattern
    try:
        holds = patterns.compile(pattern, profile.go)
    except patterntree.PatternError as error:  # a server refuses such a CRD; this is its message for values
        description, holds = f"{pattern}, but pattern is invalid: {error}", _never

    def failure(value: str, name: str) -> Failure:
        return validationresult.invalid("pattern", name, value, f"{name} in body should match '{description}'")

    return KeywordCheck(holds, failure)


def _never(_value: JSONValue) -> bool:
    return False


def item_checks(schema: Schema, profile: Profile) -> list[KeywordCheck]:
    """Return the checks for the length of lists, and for `uniqueItems`."""
    checks = []
    if (least := schema.get("minItems")) is not None:
        checks.append(_at_least(least, "items", profile))
    if (most := schema.get("maxItems")) is not None:
        checks.append(_at_most(most, "items", profile))
    if schema.get("uniqueItems"):
        checks.append(
            KeywordCheck(
                _is_unique,
                lambda _, name: validationresult.invalid(
                    "uniqueItems", name, "", f"{name} in body shouldn't contain duplicates"
                ),
            )
        )
    return checks


def _is_unique(items: list[JSONValue]) -> bool:
    return not any(jsonvalue.equal(item, earlier) for index, item in enumerate(items) for earlier in items[:index])


def property_checks(schema: Schema, profile: Profile) -> list[KeywordCheck]:
    """Return the checks for the number of properties."""
    checks = []
    if (least := schema.get("minProperties")) is not None:
        checks.append(_at_least(least, "properties", profile))
    if (most := schema.get("maxProperties")) is not None:
        checks.append(_at_most(most, "properties", profile))
    return checks


def _at_least(limit: int, things: str, profile: Profile) -> KeywordCheck:
    keyword = f"min{things.capitalize()}"

    def failure(value: JSONValue, name: str) -> Failure:
        text, count = f"{name} in body should have at least {limit} {things}", len(value)
        if not profile.sorts_shortages:
            prints_limit = things == "properties" and not profile.validates_miscounted_objects
            return validationresult.invalid(keyword, name, limit if prints_limit else count, text)
        report = functools.partial(fielderror.too_few, actual=count, min_quantity=limit)
        return Failure(text, name, report, keyword)

    return KeywordCheck(lambda value: len(value) >= limit, failure)


def _at_most(limit: int, things: str, profile: Profile) -> KeywordCheck:
    keyword = f"max{things.capitalize()}"

    def failure(value: JSONValue, name: str) -> Failure:
        text, count = f"{name} in body should have at most {limit} {things}", len(value)
        if not profile.sorts_value_errors:
            prints_limit = things == "properties" and not profile.validates_miscounted_objects
            return validationresult.invalid(keyword, name, limit if prints_limit else count, text)
        report = functools.partial(
            fielderror.too_many, actual=count, max_quantity=limit, inflected=profile.inflects_units
        )
        return Failure(text, name, report, keyword)

    return KeywordCheck(lambda value: len(value) <= limit, failure)


def enum_check(schema: Schema, profile: Profile) -> KeywordCheck | None:
    """
    Return the check of `enum`; None if it is empty.

    Reference:
        kube-openapi validation/validate/validator.go, basicCommonValidator: a value matches if Go can convert it.
    """
    allowed: list[JSONValue] = schema.get("enum") or []
    if not allowed:
        return None
    texts = [value if isinstance(value, str) else printing.marshal(value) for value in allowed]
    listed = " ".join(map(_plain, allowed))
    strings = frozenset(value for value in allowed if isinstance(value, str))

    def holds(value: JSONValue) -> bool:
        return value in strings if isinstance(value, str) else any(_converts_to(value, item) for item in allowed)

    def failure(value: JSONValue, name: str) -> Failure:
        text = f"{name} in body should be one of [{listed}]"
        return Failure(text, name, lambda path: _unsupported(path, value, texts, profile), "enum")

    return KeywordCheck(holds, failure)


def _converts_to(value: JSONValue, allowed: JSONValue) -> bool:
    """Return whether *value*, converted to the Go type of *allowed*, equals it."""
    kinds = type(value), type(allowed)
    if kinds == (int, float):
        return bool(float(value) == allowed)
    if kinds == (float, int):
        return bool(numberkeywords.to_int64(value) == allowed)
    if kinds == (int, str):  # Go converts an integer to a string with this code point
        return bool(_character(value) == allowed)
    return value is not None and jsonvalue.equal(value, allowed)


def _character(number: int) -> str:
    is_scalar = 0 <= number < 0xD800 or 0xE000 <= number <= 0x10FFFF
    return chr(number) if is_scalar else "\ufffd"


def _unsupported(path: FieldPath, value: JSONValue, supported: list[str], profile: Profile) -> FieldError:
    error = fielderror.not_supported(path, value, supported)
    if profile.prints_values_as_json or not (value is None or isinstance(value, dict | list)):
        return error
    return badvalues.reprinted(error, gosyntax.value(value, null='"null"'))


def _plain(value: JSONValue) -> str:
    """Return *value* as Go's `%v` prints it; only matters for whether two messages are equal."""
    return value if isinstance(value, str) else printing.marshal(value)
