"""Checks of the `duration` format: Go's `time.ParseDuration` and Scala durations (`2 weeks`)."""

from __future__ import annotations

import re
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.golang import durations, printing

_MAX: Final = 2**63 - 1
_MAX_DIGITS: Final = 19
_GO_NUMBER: Final = lazyre.compile(r"[0-9]*\.?[0-9]*")
# Possessive and anchored at the first digit: thousands of digits without a unit would else take quadratic time.
_SCALA_PART: Final = lazyre.compile(r"(?<![0-9])([0-9]++)[\t\n\f\r ]*+([A-Za-z\u00b5]++)")
_SCALA_UNIT: Final = lazyre.compile(
    r"ns|nano.*|us|\u00b5s|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*", re.IGNORECASE
)


def is_duration(text: str) -> bool:
    """
    Return whether *text* is a Go duration or contains a Scala duration.

    Reference:
        kube-openapi strfmt/duration.go, ParseDuration.
    """
    return durations.parse(text) is not None or _has_scala(text)


def _has_scala(text: str) -> bool:
    """Return whether *text* contains a number with a known unit, and all numbers before letters fit into an int64."""
    parts = _SCALA_PART.findall(text)
    return all(_number(digits) <= _MAX for digits, _ in parts) and any(_SCALA_UNIT.fullmatch(unit) for _, unit in parts)


def _number(digits: str) -> int:
    """Return *digits* as an integer, or a number above int64 if there are too many digits for Python's `int`."""
    significant = digits.lstrip("0")
    return int(significant or 0) if len(significant) <= _MAX_DIGITS else _MAX + 2


def find_go_problem(text: str) -> str:
    """
    Return Go's error for *text* as an argument of time.ParseDuration; empty if *text* is a duration.

    Reference:
        Go time/format.go, ParseDuration.
    """
    if durations.parse(text) is not None:
        return ""
    invalid = f"time: invalid duration {printing.quote(text)}"
    rest = text.lstrip("+-") if text[:1] in ("+", "-") and text[1:2] not in ("+", "-") else text
    while rest:
        match = _GO_NUMBER.match(rest)
        if match is None or not match[0].strip("."):
            return invalid
        rest = rest[match.end() :]
        unit = re.match(r"[^0-9.]*", rest)
        name = unit[0] if unit else ""
        if not name:
            return f"time: missing unit in duration {printing.quote(text)}"
        if name not in durations.UNITS:
            return f"time: unknown unit {printing.quote(name)} in duration {printing.quote(text)}"
        rest = rest[len(name) :]
    return invalid
