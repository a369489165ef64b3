"""The words of a failure: one line for each difference, with its path, what was expected, what is there, and why."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from pytest_crd import differences
from pytest_crd.cases.result import CaseResult, Mismatch, ObjectMismatch, PathsMismatch, Present, Trace
from pytest_crd.differences import Difference, Kind
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue

# Takes a text and the name of a style: `expected`, `actual`, `path`, `reason`, `title`.
Paint: TypeAlias = "Callable[[str, str], str]"

_LONGEST_VALUE: Final = 72
_WIDEST_PATH: Final = 40
_MOST_LINES: Final = 20

# What happened to the paths that a key of a case lists.
_DONE: Final = {"pruned": "pruned", "defaulted": "defaulted", "nullsDropped": "dropped"}


def plain(text: str, _style: str) -> str:
    """Return *text* as it is: no colour."""
    return text


def lines(title: str, result: CaseResult, *, verbosity: int = 0, paint: Paint = plain) -> Iterator[str]:
    """
    Yield the lines of a failure.

    Args:
        title: What failed, and where it stands.
        result: A result that did not hold.
        verbosity: 0: the first differences of each kind. 1: all of them, and a diff of the objects as YAML. 2: both
            objects too.
        paint: Puts colour on a part of a line.
    """
    context = result.context
    yield paint(title, "title")
    source = f" ({context['source']})" if context["source"] else ""
    yield f"{context['crd']} {context['version']}{source}, Kubernetes {context['kubernetes']}"
    for mismatch in result.mismatches:
        yield ""
        yield from _mismatch(mismatch, result.trace, verbosity, paint)


def summary(result: CaseResult) -> str:
    """Return the first difference on one line, and how many more there are."""
    rows = [row for mismatch in result.mismatches for row in _rows(mismatch, result.trace, plain)]
    path, words, _ = rows[0]
    more = f" (+{len(rows) - 1} more)" if len(rows) > 1 else ""
    return f"{f'{path}: ' if path else ''}{words}{more}"


_Row: TypeAlias = "tuple[str, str, str]"


def _mismatch(mismatch: Mismatch, trace: Trace, verbosity: int, paint: Paint) -> Iterator[str]:
    key = _key(mismatch)
    if key:
        yield f"{key}:"
    rows = list(_rows(mismatch, trace, paint))
    shown = rows if verbosity else rows[:_MOST_LINES]
    width = min(max(len(path) for path, _, _ in shown), _WIDEST_PATH)
    for path, words, text_diff in shown:
        yield f"  {paint(path.ljust(width), 'path')}  {words}".rstrip() if path else f"  {words}"
        yield from (f"      {line}" for line in text_diff.splitlines()[2:])
    if len(rows) > len(shown):
        yield f"  … and {len(rows) - len(shown)} more; -v shows all"
    if isinstance(mismatch, ObjectMismatch):
        yield from _objects(mismatch, verbosity, paint)


def _key(mismatch: Mismatch) -> str:
    if isinstance(mismatch, ObjectMismatch | PathsMismatch):
        return mismatch.key
    return "absent" if isinstance(mismatch, Present) else ""


def _rows(mismatch: Mismatch, trace: Trace, paint: Paint) -> Iterator[_Row]:
    """Yield path, words, and the diff of a text of several lines."""
    if isinstance(mismatch, ObjectMismatch):
        for difference in differences.find(mismatch, trace):
            path = f"{difference.path} ({difference.label})" if difference.label else difference.path
            yield path, _words(difference, paint), difference.text_diff
    elif isinstance(mismatch, PathsMismatch):
        done = _DONE[mismatch.key]
        for path in mismatch.missing:
            words = f"{paint('listed', 'expected')}, but not {done}{_nearest(path, mismatch.unasked)}"
            yield path, words, ""
        for path in mismatch.unasked:
            yield path, f"{paint(done, 'actual')}, but not listed", ""
    elif isinstance(mismatch, Present):
        yield mismatch.path, f"must be absent, but is {paint(shown(mismatch.value), 'actual')}", ""
    else:
        yield "", paint(mismatch.message, "actual"), ""


def _words(difference: Difference, paint: Paint) -> str:
    expected = paint(shown(difference.expected), "expected")
    actual = paint(shown(difference.actual), "actual")
    reason = paint(difference.reason, "reason")
    if difference.kind is Kind.MISSING:
        return f"expected {expected}, but it is absent{f' ({reason})' if reason else ''}"
    if difference.kind is Kind.UNEXPECTED:
        return f"not expected, but it is {actual}{f' ({reason})' if reason else ''}"
    if difference.text_diff:
        return f"the texts differ{f' ({reason})' if reason else ''}"
    types = [jsonvalue.type_of(value) for value in (difference.expected, difference.actual)]
    if types[0] != types[1]:
        expected, actual = f"{expected} ({types[0]})", f"{actual} ({types[1]})"
    return f"expected {expected}, got {actual}{f' ({reason})' if reason else ''}"


def _nearest(path: str, others: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(path, others, n=1)
    return f"; the nearest is {close[0]}" if close else ""


def shown(value: JSONValue) -> str:
    """Return *value* as JSON on one line, shortened where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= _LONGEST_VALUE:
        return text
    if isinstance(value, dict):
        return (
            f"an object with {len(value)} {'field' if len(value) == 1 else 'fields'}: {', '.join(value)}"[
                :_LONGEST_VALUE
            ]
            + "…"
        )
    if isinstance(value, list):
        return f"a list of {len(value)} items"
    return f"{text[:_LONGEST_VALUE]}…"


def _objects(mismatch: ObjectMismatch, verbosity: int, paint: Paint) -> Iterator[str]:
    if not verbosity:
        return
    expected, actual = _yaml(mismatch.expected), _yaml(mismatch.actual)
    yield ""
    styles = {"-": "expected", "+": "actual"}
    for line in difflib.unified_diff(expected, actual, "expected", "actual", lineterm=""):
        yield f"  {paint(line, styles.get(line[:1], 'reason'))}"
    if verbosity > 1:
        for name, text in (("expected", expected), ("actual", actual)):
            yield ""
            yield f"  {name} in full:"
            yield from (f"    {line}" for line in text)


def _yaml(value: JSONValue) -> list[str]:
    import yaml  # noqa: PLC0415 - only a failure with -v needs it

    text: str = yaml.safe_dump(value, allow_unicode=True, default_flow_style=False, width=1000)
    return text.splitlines()
