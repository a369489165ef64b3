"""Differences between two unequal objects, each with its reason; the only module that imports deepdiff."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from pytest_crd.cases import comparison
from pytest_crd.cases.caseresult import Disregarded, Trace
from pytest_crd.cases.comparison import Item, Order, Segment
from pytest_crd.cases.deviations import ObjectMismatch
from pytest_crd.engine import fieldpath
from pytest_crd.engine.errors import origin
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.structural import Structural


class DifferenceKind(enum.Enum):
    """The kind of a difference."""

    MISSING = "missing"
    UNEXPECTED = "unexpected"
    CHANGED = "changed"
    REORDERED = "reordered"


class ObjectDifference(NamedTuple):
    """
    A difference between the actual and the expected object.

    Attributes:
        path: The path, in the server's spelling.
        label: The list-map keys of the item that *path* ends in, or nothing.
        kind: The kind of difference.
        expected: JSON value; None if there is none.
        actual: JSON value; None if there is none.
        cause: The cause in a word or two, as far as the passes show it; may be empty.
        reason: The cause as a sentence, maybe with more details; may be empty.
        text_diff: A unified diff if both are strings of several lines, else empty.
        source: The place of the deciding schema keyword, `file:line`; may be empty.
    """

    path: str
    label: str
    kind: DifferenceKind
    expected: JSONValue
    actual: JSONValue
    cause: str
    reason: str
    text_diff: str = ""
    source: str = ""


_PathT = TypeVar("_PathT")
# deepdiff's reports on objects; lists never reach it, and any other report is a changed value.
_KINDS: Final = {"dictionary_item_removed": DifferenceKind.MISSING, "dictionary_item_added": DifferenceKind.UNEXPECTED}


def find_differences(mismatch: ObjectMismatch, trace: Trace) -> list[ObjectDifference]:
    """
    Return the differences in *mismatch*, sorted by path.

    Args:
        mismatch: Two objects that are not equal.
        trace: The effects of the passes, for the reasons.
    """
    remainder = mismatch.remainder
    index = _TraceIndex(trace)
    levels = sorted(_levels(remainder.expected, remainder.actual), key=lambda level: _order(level[1]))
    return [_difference(report, path, node, mismatch, index) for report, path, node in levels]


class _TraceIndex:
    """The paths of a trace by their spelling, for look-ups of the paths above a difference."""

    def __init__(self, trace: Trace) -> None:
        self.disregarded = trace.disregarded
        self.pruned, self.lost, self.nulls, self.defaulted, self.withheld = (
            dict(zip(paths, paths, strict=True))
            for paths in (trace.pruned, trace.lost, trace.nulls, trace.defaulted, trace.withheld)
        )


def _levels(expected: JSONValue, actual: JSONValue) -> Iterator[tuple[str, list[Segment], Any]]:
    from deepdiff import DeepDiff  # noqa: PLC0415 - 25 to 70 ms, and only a failure needs it

    tree = DeepDiff(
        expected,
        actual,
        view="tree",
        verbose_level=2,
        threshold_to_diff_deeper=0,  # else objects with few common keys become one changed value
        ignore_private_variables=False,  # else keys that begin with `__` are passed over
    )
    for report, levels in tree.items():
        for level in levels:
            yield report, level.path(output_format="list"), level


def _order(path: Iterable[Segment]) -> list[tuple[int, str, int]]:
    """Return the sort key of a path: fields by name, items by index, and a whole list before its items."""
    places = (segment for segment in path if not isinstance(segment, Order))
    return [(0, place, 0) if isinstance(place, str) else (1, "", place.index) for place in places]


def _difference(
    report: str, path: list[Segment], node: Any, mismatch: ObjectMismatch, trace: _TraceIndex
) -> ObjectDifference:
    last = path[-1]
    kind = DifferenceKind.REORDERED if isinstance(last, Order) else _KINDS.get(report, DifferenceKind.CHANGED)
    spelled = comparison.spell(path)
    why = _why_kept(spelled, trace) or _REASONS[kind](spelled, mismatch, trace)
    if kind is DifferenceKind.MISSING and not why.text:
        why = _why_never_there(comparison.steps(path), node.t1, mismatch, trace)
    return ObjectDifference(
        path=spelled,
        label=last.label if isinstance(last, Item) else "",
        kind=kind,
        expected=None if kind is DifferenceKind.UNEXPECTED else node.t1,
        actual=None if kind is DifferenceKind.MISSING else node.t2,
        cause=why.cause,
        reason=why.text,
        text_diff=(node.additional or {}).get("diff", ""),
        source=why.source,
    )


class _Reason(NamedTuple):
    """The reason for a difference: in a word or two, as a sentence, and with the place of the deciding schema keyword."""

    cause: str = ""
    text: str = ""
    source: str = ""


_UNKNOWN: Final = _Reason()


_KEPT: Final[Mapping[Disregarded, _Reason]] = {
    Disregarded.DROPPED_ON_CREATE: _Reason("dropped", f"dropped: {Disregarded.DROPPED_ON_CREATE.value}"),
    Disregarded.STATUS_ON_UPDATE: _Reason("kept from old", f"kept from `old`: {Disregarded.STATUS_ON_UPDATE.value}"),
    Disregarded.REST_ON_STATUS_UPDATE: _Reason(
        "kept from old", f"kept from `old`: {Disregarded.REST_ON_STATUS_UPDATE.value}"
    ),
}


def _why_kept(path: str, trace: _TraceIndex) -> _Reason | None:
    reason = _covering(path, trace.disregarded)
    return _KEPT[reason] if isinstance(reason, Disregarded) else None


def _why_missing(path: str, _mismatch: ObjectMismatch, trace: _TraceIndex) -> _Reason:
    if pruned := _covering(path, trace.pruned):
        named = "it" if pruned == path else pruned
        return _decided("pruned", f"pruned: the schema does not specify {named}", pruned)
    if lost := _covering(path, trace.lost):
        named = "it" if lost == path else lost
        return _decided("lost", f"lost on storing: the storage version does not specify {named}", lost)
    if dropped := _covering(path, trace.nulls):
        at = "there" if dropped == path else f"at {dropped}"
        words = f"null dropped: the schema does not allow null {at}, and has no default for it"
        return _decided("null dropped", words, dropped)
    return _UNKNOWN


def _why_never_there(steps: Steps, expected: JSONValue, mismatch: ObjectMismatch, trace: _TraceIndex) -> _Reason:
    """Return the reason for a value missing at *steps* that no pass has removed; empty if the input has it."""
    path = fieldpath.unknown_field(steps)
    if list(comparison.find_values(mismatch.input, path)):
        return _UNKNOWN
    if withheld := _covering(path, trace.withheld):
        named = "its default" if withheld == path else f"the default of {withheld}"
        return _decided("", f"the input does not have it, and pruning does not put in {named}", withheld)
    inner = next(_with_default(expected, _schema_at(mismatch.schema, steps), steps), None)
    if inner is not None and mismatch.is_of_pruning:
        return _Reason("", f"the input does not have it, and pruning does not put in the default of {inner}")
    if inner is not None:
        where = f"the default of {inner} is put in only where {path} is there"
        return _Reason("", f"the input does not have it, and {where}")
    return _Reason("", "the input does not have it, and no default puts it in")


def _schema_at(schema: Structural | None, steps: Steps) -> Structural | None:
    for step in steps:
        if schema is not None:
            schema = schema.items if isinstance(step, int) else schema.properties.get(step, schema.value_schema)
    return schema


def _with_default(value: JSONValue, schema: Structural | None, steps: Steps) -> Iterator[str]:
    """Yield the paths in *value* at which *schema* has a default."""
    for step, child in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        inner = _schema_at(schema, (step,))
        if inner is not None and inner.default is not None:
            yield fieldpath.unknown_field((*steps, step))
        yield from _with_default(child, inner, (*steps, step))


def _why_unexpected(path: str, mismatch: ObjectMismatch, trace: _TraceIndex) -> _Reason:
    if defaulted := _covering(path, trace.defaulted):
        return _default_of(path, defaulted)
    if list(comparison.find_values(mismatch.input, path)):
        return _Reason("", "kept from the input")
    return _UNKNOWN


def _why_changed(path: str, _mismatch: ObjectMismatch, trace: _TraceIndex) -> _Reason:
    defaulted = _covering(path, trace.defaulted)
    return _default_of(path, defaulted) if defaulted else _UNKNOWN


def _why_reordered(_path: str, _mismatch: ObjectMismatch, _trace: _TraceIndex) -> _Reason:
    return _UNKNOWN


def _default_of(path: str, defaulted: str) -> _Reason:
    words = "the schema's default" if defaulted == path else f"the schema's default for {defaulted}"
    return _decided("default", words, defaulted)


def _decided(cause: str, text: str, changed: str) -> _Reason:
    """Return a reason with the line of the CRD that decided, which is appended to the sentence if known."""
    source = origin.source_of(changed)
    return _Reason(cause, f"{text}, {source}" if source else text, source)


_REASONS: Final = {
    DifferenceKind.MISSING: _why_missing,
    DifferenceKind.UNEXPECTED: _why_unexpected,
    DifferenceKind.CHANGED: _why_changed,
    DifferenceKind.REORDERED: _why_reordered,
}


def _covering(path: str, paths: Mapping[str, _PathT]) -> _PathT | str:
    """Return the longest of *paths* that is *path* or leads to it; empty if none does."""
    if not paths:
        return ""
    ends = [len(path), *(place for place in range(len(path) - 1, -1, -1) if path[place] in ".[")]
    return next((paths[path[:end]] for end in ends if path[:end] in paths), "")
