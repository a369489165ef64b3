"""
Kubernetes' library for semantic versions, version 1.

Reference:
    k8s.io/apiserver pkg/cel/library/semverlib.go; pkg/cel/semver.go; github.com/blang/semver, Parse, Compare.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.types.celtypes import BOOL, INT, STRING, Type, struct
from pytest_crd.engine.cel.types.functions import Function, Library, Overload
from pytest_crd.engine.cel.values import numbers
from pytest_crd.engine.cel.values.celvalues import Opaque, Value
from pytest_crd.engine.golang import printing

TYPE: Final = struct("kubernetes.Semver")
_NUMBERS: Final = lazyre.compile("[0-9]*")
_ALPHANUMERICS: Final = lazyre.compile("[0-9A-Za-z-]*")


@dataclass(frozen=True)
class Semver(Opaque):
    """
    Semantic version.

    Attributes:
        core: Major, minor and patch number.
        prerelease: Identifiers after the hyphen, numeric ones as int.
        build: Build identifiers after the plus, ignored in comparisons.
    """

    core: tuple[int, int, int]
    prerelease: tuple[int | str, ...]
    build: tuple[str, ...]

    type_name = TYPE.name

    def equal(self, other: Value) -> bool:
        """Return whether *other* has the same precedence; raise EvaluationError for other types."""
        if not isinstance(other, Semver):
            raise EvaluationError("no such overload")
        return self.precedence == other.precedence

    @property
    def precedence(self) -> tuple[object, ...]:
        """Sort key: a prerelease precedes its release, and numeric identifiers precede alphanumeric ones."""
        parts = tuple((1, 0, part) if isinstance(part, str) else (0, part, "") for part in self.prerelease)
        return self.core, not parts, parts

    def __str__(self) -> str:
        text = ".".join(map(str, self.core))
        text += f"-{'.'.join(map(str, self.prerelease))}" if self.prerelease else ""
        return text + (f"+{'.'.join(self.build)}" if self.build else "")


def _parse(text: str) -> Semver:
    if not text:
        raise EvaluationError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise EvaluationError("No Major.Minor.Patch elements found")
    major, minor = _number(parts[0], "major", "Major"), _number(parts[1], "minor", "Minor")
    rest, plus, build = parts[2].partition("+")
    patch, hyphen, prerelease = rest.partition("-")
    core = major, minor, _number(patch, "patch", "Patch")
    released = tuple(map(_prerelease_part, prerelease.split("."))) if hyphen else ()
    return Semver(core, released, tuple(map(_build_part, build.split("."))) if plus else ())


def _number(text: str, called: str, begins: str) -> int:
    if not _NUMBERS.fullmatch(text):
        raise EvaluationError(f"Invalid character(s) found in {called} number {printing.quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise EvaluationError(f"{begins} number must not contain leading zeroes {printing.quote(text)}")
    return _uint(text)


def _uint(text: str) -> int:
    number = numbers.parse_uint(text)
    if number is None:
        problem = "value out of range" if text else "invalid syntax"
        raise EvaluationError(f"strconv.ParseUint: parsing {printing.quote(text)}: {problem}")
    return number


def _prerelease_part(text: str) -> int | str:
    if not text:
        raise EvaluationError("Prerelease is empty")
    if _NUMBERS.fullmatch(text):
        if len(text) > 1 and text[0] == "0":
            problem = f"Numeric PreRelease version must not contain leading zeroes {printing.quote(text)}"
            raise EvaluationError(problem)
        return _uint(text)
    if not _ALPHANUMERICS.fullmatch(text):
        raise EvaluationError(f"Invalid character(s) found in prerelease {printing.quote(text)}")
    return text


def _build_part(text: str) -> str:
    if not text:
        raise EvaluationError("Build meta data is empty")
    if not _ALPHANUMERICS.fullmatch(text):
        raise EvaluationError(f"Invalid character(s) found in build meta data {printing.quote(text)}")
    return text


def _parse_maybe_normalized(text: str, normalize: bool) -> Semver:  # noqa: FBT001 - an argument of the function
    return _parse(_normalized(text) if normalize else text)


def _normalized(text: str) -> str:
    """Return *text* without leading `v` and leading zeros, padded to three numbers; raise EvaluationError if impossible."""
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            stripped = part.lstrip("0")
            parts[index] = stripped if stripped[:1] and stripped[0] in "0123456789" else f"0{stripped}"
    if len(parts) < 3:
        if "+" in parts[-1] or "-" in parts[-1]:
            raise EvaluationError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def _is_semver(text: str, normalize: bool = False) -> bool:  # noqa: FBT001, FBT002 - an argument of the function
    try:
        _parse_maybe_normalized(text, normalize)
    except EvaluationError:
        return False
    return True


def _compare(left: Semver, right: Semver) -> int:
    return (left.precedence > right.precedence) - (left.precedence < right.precedence)


def library(version: int = 1) -> Library:
    """Return the semver library; version 1 adds normalization."""
    return Library("kubernetes.Semver", tuple(_functions(normalizing=version >= 1)))


_once: Final = costing.traversal()
_estimate_once: Final = costing.estimate_traversal()


def _functions(*, normalizing: bool) -> tuple[Function, ...]:
    constructors = [Overload("string_to_semver", (STRING,), TYPE, _parse, cost=_once, estimate=_estimate_once)]
    checks = [Overload("is_semver_string", (STRING,), BOOL, _is_semver, cost=_once, estimate=_estimate_once)]
    if normalizing:
        pair = (STRING, BOOL)
        normalized = _parse_maybe_normalized
        constructors.append(
            Overload("string_bool_to_semver", pair, TYPE, normalized, cost=_once, estimate=_estimate_once)
        )
        checks.append(Overload("is_semver_string_bool", pair, BOOL, _is_semver, cost=_once, estimate=_estimate_once))
    return Function("semver", tuple(constructors), _once), Function("isSemver", tuple(checks), _once), *_COMPARISONS


def _member(name: str, id_: str, parameters: tuple[Type, ...], result: Type, call: Callable[..., object]) -> Function:
    return Function(
        name,
        (
            Overload(
                id_, parameters, result, call, is_member=True, cost=costing.unit_cost, estimate=costing.estimate_one
            ),
        ),
    )


_COMPARISONS: Final = (
    _member(
        "isGreaterThan", "semver_is_greater_than", (TYPE, TYPE), BOOL, lambda left, right: _compare(left, right) > 0
    ),
    _member("isLessThan", "semver_is_less_than", (TYPE, TYPE), BOOL, lambda left, right: _compare(left, right) < 0),
    _member("compareTo", "semver_compare_to", (TYPE, TYPE), INT, _compare),
    _member("major", "semver_major", (TYPE,), INT, lambda semver: _int64(semver.core[0])),
    _member("minor", "semver_minor", (TYPE,), INT, lambda semver: _int64(semver.core[1])),
    _member("patch", "semver_patch", (TYPE,), INT, lambda semver: _int64(semver.core[2])),
)


def _int64(number: int) -> int:
    """Return a uint64 as the int64 that Go converts it to."""
    return number - 2**64 if number >= 2**63 else number
