"""Report on a failed case: a line for each difference, with its path, the expected and the actual value, and the reason."""

from __future__ import annotations

import difflib
import itertools
import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import yaml

from pytest_crd import suggestions
from pytest_crd.cases import strays
from pytest_crd.cases.caseresult import CaseResult, Trace
from pytest_crd.cases.deviations import (
    ConflictsMismatch,
    ManagersMismatch,
    Mismatch,
    NotReached,
    ObjectMismatch,
    PathsMismatch,
    Present,
    Strays,
    Unstated,
)
from pytest_crd.engine import fieldpath, jsonvalue, profile
from pytest_crd.engine.errors import origin
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.report import objectdifferences, ownerwords, verdictwords
from pytest_crd.report.objectdifferences import DifferenceKind, ObjectDifference
from pytest_crd.report.ownerwords import OwnersMismatch
from pytest_crd.report.verdictwords import CaseVerdict, VerdictLine
from pytest_crd.wording import Paint, escape, plain

_LONGEST_VALUE: Final = 72
_WIDEST_PATH: Final = 40
_MOST_LINES: Final = 20
# From this number of differences on, a common reason is shown only once.
_MANY: Final = 3
_REORDERED: Final = "the same keys in another order"
_SIDES: Final = ("expected", "actual")

# The verb for the paths that a key of a case lists.
_DONE: Final = {
    "pruned": "pruned",
    "defaulted": "defaulted",
    "nullsDropped": "dropped",
    "lost": "lost",
    "warnings": "given",
    "mutated": "mutated",
    "denied": "denied",
    "auditAnnotations": "given",
}
# Letters of other scripts, quotes and dashes, with the ASCII characters that they look like; NFKC has none of them.
_ALIKE: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеорсухіјѕԁһΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ‐‑‒–—−‘’“”",  # noqa: RUF001 - this is the table of such characters
    "ABESIJKMHOPCTXYaeopcyxijsdhABEZHIKMNOPTYXovp------''\"\"",
)


class Row(NamedTuple):
    """
    A difference in words.

    Attributes:
        path: Its path; empty for the whole object.
        words: The expected and the actual value.
        brief: The difference on one line, with the most important words first, as its end may be cut; empty for a row
            that only explains others.
        reason: The reason; may be empty.
        text_diff: The diff of a text of several lines, else empty.
        details: Lines with an explanation, shown below; may be empty.
        field: Its field, as the server or the case spells it; may be empty.
        source: The place of the deciding schema keyword, `file:line`; may be empty.
        decision: The reason of its error without values, or the field of a value from the input; may be empty.
    """

    path: str
    words: str
    brief: str
    reason: str = ""
    text_diff: str = ""
    details: tuple[str, ...] = ()
    field: str = ""
    source: str = ""
    decision: str = ""


def lines(title: str, result: CaseResult, *, verbosity: int = 0, paint: Paint = plain) -> Iterator[str]:
    """
    Yield the lines of a failure.

    Args:
        title: The name and place of the case.
        result: A failed result.
        verbosity: 0 or less: the first differences of each kind. 1: all of them, and a diff of the objects as YAML.
            2: both objects too.
        paint: Function that colours a part of a line.
    """
    context = result.context
    yield paint(title, "title")
    source = f" ({context.source})" if context.source else ""
    yield f"{context.subject}{source}, Kubernetes {profile.describe(context.kubernetes_version)}"
    for mismatch in result.mismatches:
        yield ""
        yield from _mismatch(mismatch, result.trace, verbosity, paint)
    if owned := [*ownerwords.footer(result, verbosity=verbosity)]:
        yield ""
        yield from (paint(escape(line), "reason") for line in owned)
    if result.decisions:
        yield ""
        yield from (paint(escape(line), "reason") for line in result.decisions)
    if result.barewords:
        yield ""
        yield from (paint(escape(line), "reason") for line in result.barewords)


def summary(result: CaseResult) -> str:
    """Return the first difference on one line that may be cut at its end, and the number of others."""
    rows = find_differences(result)
    first, more = rows[0], f" (+{len(rows) - 1} more)" if len(rows) > 1 else ""
    return f"{first.brief}{more}"


def find_differences(result: CaseResult) -> list[Row]:
    """Return every difference in words that stand alone, without rows that only explain others."""
    return [row for mismatch in result.mismatches for row in _rows(mismatch, result.trace, plain) if row.brief]


def _mismatch(mismatch: Mismatch, trace: Trace, verbosity: int, paint: Paint) -> Iterator[str]:
    key = _key(mismatch)
    if key:
        yield f"{key}:"
    rows = _rows(mismatch, trace, paint, verbosity)
    listed = rows if verbosity > 0 else rows[:_MOST_LINES]
    width = min(max(len(row.path) for row in listed), _WIDEST_PATH)
    for reason, group in itertools.groupby(listed, key=lambda row: row.reason):
        yield from _group(reason, list(group), width, paint)
    if len(rows) > len(listed):
        yield f"  … and {len(rows) - len(listed)} more; -v shows all"
    if isinstance(mismatch, ObjectMismatch):
        yield from (f"  {paint(line, 'reason')}" for line in _pruned_besides(mismatch, trace, verbosity))
        yield from _objects(mismatch, verbosity, paint)


def _group(reason: str, rows: list[Row], width: int, paint: Paint) -> Iterator[str]:
    """Yield the lines of consecutive differences with one reason, which is shown only once if there are many."""
    said_once = reason and len(rows) >= _MANY
    for row in rows:
        why = f" ({paint(reason, 'reason')})" if reason and not said_once else ""
        yield f"  {paint(row.path.ljust(width), 'path')}  {row.words}{why}" if row.path else f"  {row.words}{why}"
        text_diff = tell_lines_apart(row.text_diff.splitlines()[2:])
        yield from (f"      {escape(line)}" for line in text_diff)
        yield from (f"      {paint(escape(line), 'reason')}" for line in row.details)
    if said_once:
        yield f"  {paint(f'each of these {len(rows)}: {reason}', 'reason')}"


def _key(mismatch: Mismatch) -> str:
    if isinstance(mismatch, ObjectMismatch | PathsMismatch | Unstated):
        return mismatch.key
    if isinstance(mismatch, Present):
        return "absent"
    if isinstance(mismatch, Strays):
        return "fields of the input that are dropped"
    if isinstance(mismatch, ManagersMismatch | ConflictsMismatch):
        return ownerwords.heading(mismatch)
    return "" if isinstance(mismatch, NotReached) else verdictwords.heading(mismatch)


def _rows(mismatch: Mismatch, trace: Trace, paint: Paint, verbosity: int = 0) -> list[Row]:
    rows = [*_differences(mismatch, trace, paint, verbosity)]
    paths = tell_apart([row.path for row in rows])
    return [
        row._replace(path=path, brief=row.brief.replace(row.path, path, 1))
        for row, path in zip(rows, paths, strict=True)
    ]


def _differences(mismatch: Mismatch, trace: Trace, paint: Paint, verbosity: int) -> Iterator[Row]:
    if isinstance(mismatch, ObjectMismatch):
        for difference in objectdifferences.find_differences(mismatch, trace):
            path = escape(f"{difference.path} ({difference.label})" if difference.label else difference.path)
            words, brief = _words(difference, paint), f"{path} {_words_in_brief(difference)}".lstrip()
            row = Row(path, words, brief, escape(difference.reason), difference.text_diff)
            decision = (
                "" if difference.reason or difference.source else difference.path
            )  # the input, and no change of a CRD
            yield row._replace(field=difference.path, source=difference.source, decision=decision)
    elif isinstance(mismatch, PathsMismatch):
        yield from _path_rows(mismatch, paint)
    elif isinstance(mismatch, Present):
        path, value = escape(mismatch.path), shorten(mismatch.value)
        words = f"must be absent, but is {paint(value, 'actual')}"
        yield Row(path, words, f"{path} is {value}, must be absent", field=mismatch.path)
    elif isinstance(mismatch, Strays):
        for dropped_field in mismatch.fields:
            sentence, words = strays.describe(dropped_field)
            row = Row(escape(dropped_field.path), paint(escape(words), "actual"), escape(sentence))
            yield row._replace(field=str(dropped_field.path), source=origin.source_of(dropped_field.path))
        yield Row("", paint(mismatch.remedy, "reason"), "")
    elif isinstance(mismatch, NotReached | Unstated):
        yield Row("", paint(mismatch.message, "actual"), mismatch.message)
    else:
        for line in _verdict_lines(mismatch, verbosity):
            words = paint(escape(line.text), line.style)
            row = Row(escape(line.label), words, escape(line.brief), line.note, details=line.details)
            yield row._replace(field=line.field, source=line.source, decision=line.decision)


def _verdict_lines(mismatch: CaseVerdict | OwnersMismatch, verbosity: int) -> Iterator[VerdictLine]:
    if isinstance(mismatch, ManagersMismatch | ConflictsMismatch):
        return ownerwords.lines(mismatch)
    return verdictwords.lines(mismatch, verbosity=verbosity)


def _pruned_besides(mismatch: ObjectMismatch, trace: Trace, verbosity: int) -> Iterator[str]:
    """Yield the pruned fields of the input that no difference mentions, since they may be misspelt."""
    if not trace.pruned:
        return
    paths = [difference.path for difference in objectdifferences.find_differences(mismatch, trace)]
    others = [
        str(path_pruned)
        for path_pruned in trace.pruned
        if not any(fieldpath.leads_to(path_pruned, path) for path in paths)
    ]
    listed = others if verbosity > 0 else others[:_MOST_LINES]
    if listed:
        named = (
            f"{path} (did you mean {trace.suggestions[path]}?)" if path in trace.suggestions else path
            for path in listed
        )
        more = f" and {len(others) - len(listed)} more" if len(others) > len(listed) else ""
        yield f"pruned{' besides' if len(others) < len(trace.pruned) else ''}: {escape(', '.join(named))}{more}"


def _path_rows(mismatch: PathsMismatch, paint: Paint) -> Iterator[Row]:
    done = _DONE[mismatch.key]
    budget = suggestions.WorkBudget(suggestions.WORK_OF_MESSAGE)
    for path in mismatch.missing:
        words = f"{paint('listed', 'expected')}, but not {done}{_nearest(path, mismatch, budget)}"
        yield Row(escape(path), words, f"{escape(path)} not {done}, but listed", field=_field(path, mismatch))
    for path in mismatch.unasked:
        row = Row(escape(path), f"{paint(done, 'actual')}, but not listed", f"{escape(path)} {done}, but not listed")
        yield row._replace(field=_field(path, mismatch), source=origin.source_of(path))


def _field(path: str, mismatch: PathsMismatch) -> str:
    """Return the field of a listed path; empty for a warning, a denial or an audit annotation."""
    return "" if mismatch.key in {"auditAnnotations", "denied", "warnings"} else str(path)


def _words(difference: ObjectDifference, paint: Paint) -> str:
    if difference.kind is DifferenceKind.REORDERED:
        return (
            f"{_REORDERED}: expected {paint(difference.expected, 'expected')}; got {paint(difference.actual, 'actual')}"
        )
    if difference.text_diff:
        return "the texts differ"
    expected, actual = (paint(text, style) for text, style in zip(_sides(difference), _SIDES, strict=True))
    if difference.kind is DifferenceKind.MISSING:
        return f"expected {expected}, but it is absent"
    if difference.kind is DifferenceKind.UNEXPECTED:
        return f"not expected, but it is {actual}"
    types = _types(difference)
    return f"expected {expected}{types[0]}, got {actual}{types[1]}"


def _words_in_brief(difference: ObjectDifference) -> str:
    cause = difference.cause
    if difference.kind is DifferenceKind.REORDERED:
        return _REORDERED
    if difference.text_diff:
        return "differs"
    expected, actual = _sides(difference)
    if difference.kind is DifferenceKind.MISSING:
        return f"{cause or 'absent'}, expected {expected}"
    because = f" ({cause})" if cause else ""
    if difference.kind is DifferenceKind.UNEXPECTED:
        return f"is {actual}{because}, not expected"
    types = _types(difference)
    return f"is {actual}{types[1]}{because}, expected {expected}{types[0]}"


def _types(difference: ObjectDifference) -> tuple[str, str]:
    """Return the types to add to the two values; empty if they are the same."""
    expected, actual = jsonvalue.type_of(difference.expected), jsonvalue.type_of(difference.actual)
    return ("", "") if expected == actual else (f" ({expected})", f" ({actual})")


def _sides(difference: ObjectDifference) -> tuple[str, str]:
    """Return the two values in words; long texts begin shortly before the first difference."""
    expected, actual = difference.expected, difference.actual
    if isinstance(expected, str) and isinstance(actual, str):
        pairs = zip(expected, actual, strict=False)
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        if same > _LONGEST_VALUE // 2 and max(len(expected), len(actual)) + 2 > _LONGEST_VALUE:
            start = same - _LONGEST_VALUE // 4
            return _told_apart(f"…{shorten(expected[start:])}", f"…{shorten(actual[start:])}")
    return _told_apart(shorten(expected), shorten(actual))


def _told_apart(expected: str, actual: str) -> tuple[str, str]:
    expected, actual = tell_apart((expected, actual))
    return expected, actual


def _nearest(path: str, mismatch: PathsMismatch, budget: suggestions.WorkBudget) -> str:
    near = suggestions.search(path, mismatch.unasked, budget)
    if near:
        return f"; the nearest is {escape(near)}"
    return f"; there {escape(mismatch.hints[path])}" if path in mismatch.hints else suggestions.hint(near)


def shorten(value: JSONValue) -> str:
    """Return *value* as JSON on one line, shortened if it is long."""
    text = escape(json.dumps(value, ensure_ascii=False))
    if len(text) <= _LONGEST_VALUE:
        return text
    if isinstance(value, dict):
        fields = "field" if len(value) == 1 else "fields"
        text = escape(f"an object with {len(value)} {fields}: {', '.join(value)}")
        return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
    if isinstance(value, list):
        return f"a list of {len(value)} items"
    return f"{text[:_LONGEST_VALUE]}…"


def _objects(mismatch: ObjectMismatch, verbosity: int, paint: Paint) -> Iterator[str]:
    if verbosity < 1:
        return
    expected, actual = _yaml(mismatch.expected), _yaml(mismatch.compared)
    yield ""
    styles = {"-": "expected", "+": "actual"}
    diff = [*difflib.unified_diff(expected, actual, "expected", "actual", lineterm="")]
    for line in tell_lines_apart(diff):
        yield f"  {paint(line, styles.get(line[:1], 'reason'))}"
    if verbosity > 1:
        for name, text in (("expected", expected), ("actual", _yaml(mismatch.actual))):
            yield ""
            yield f"  {name} in full:"
            yield from (f"    {line}" for line in text)


def _yaml(value: JSONValue) -> list[str]:
    text: str = yaml.safe_dump(value, allow_unicode=True, default_flow_style=False, width=1000)
    return [escape(line) for line in text.splitlines()]


def visible_lines(text: str) -> list[str]:
    """Return the lines of *text* with escapes in each; at least one."""
    return [escape(line) for line in text.split("\n")]


def tell_apart(texts: Sequence[str]) -> list[str]:
    """Return *texts*, with escapes for all characters beyond ASCII in a text that looks like another one and differs."""
    if all(map(str.isascii, texts)):
        return [*texts]
    shapes = Counter(map(_shape, {*texts}))
    return [_escape(text) if shapes[_shape(text)] > 1 else text for text in texts]


def tell_lines_apart(diff: Sequence[str]) -> list[str]:
    """Return the lines of a unified diff, told apart as by `tell_apart` without their first characters."""
    bodies = tell_apart([line[1:] for line in diff])
    return [f"{line[:1]}{body}" for line, body in zip(diff, bodies, strict=True)]


def _shape(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_ALIKE)


def _escape(text: str) -> str:
    return "".join(char if char.isascii() else json.dumps(char)[1:-1] for char in text)
