"""
Validation of the status of a Job.

Reference:
    kubernetes pkg/apis/batch/validation, ValidateJobStatusUpdate; pkg/registry/batch/job/strategy.go, getStatusValidationOptions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError, Omitted
from pytest_crd.engine.golang import printing
from pytest_crd.server.builtin.validation.pods import podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object
from pytest_crd.server.builtin.validation.validatedwrites import ValidatedWrite
from pytest_crd.server.builtin.validation.workloads import jobspecs, templates
from pytest_crd.server.builtin.validation.workloads.templates import STATUS

_COUNTS: Final = ("active", "succeeded", "failed", "ready", "terminating")
_UNCOUNTED: Final = "uncountedTerminatedPods"
_COMPLETE: Final = "Complete"
_FAILED: Final = "Failed"
_TARGET: Final = "FailureTarget"
_MET: Final = "SuccessCriteriaMet"


class _Change:
    """The change of a status."""

    def __init__(self, write: ValidatedWrite) -> None:
        self.spec = templates.spec_of(write.new)
        self.new: Object = write.new.get("status") or {}
        self.old: Object = write.stored.get("status") or {}

    def differs(self, *parts: str) -> bool:
        """Return whether a field or a condition changes; conditions begin with a capital letter."""
        return any(
            has(self.new, part) != has(self.old, part)
            if part[0].isupper()
            else (self.new.get(part) or None) != (self.old.get(part) or None)
            for part in parts
        )

    @property
    def ends(self) -> bool:
        """Whether the Job becomes finished, or is no longer finished."""
        return is_finished(self.new) != is_finished(self.old)


def has(status: Object, type_: str, value: str = "True") -> bool:
    """Return whether a condition has a value."""
    conditions = status.get("conditions") or ()
    return any(item.get("type") == type_ and item.get("status") == value for item in conditions)


def is_finished(status: Object) -> bool:
    """Return whether a Job is complete or failed."""
    return has(status, _COMPLETE) or has(status, _FAILED)


def validate(write: ValidatedWrite) -> Errors:
    """Yield the errors of the status of an updated Job."""
    change = _Change(write)
    yield from podfields.refuse_negative(change.new, STATUS, *_COUNTS)
    yield from _validate_uncounted(change.new)
    yield from _validate_end(change)
    yield from _validate_finished(change)
    yield from _validate_indexes(change)
    yield from _validate_rest(change)
    yield from _refuse_changes(change)


def _of_conditions(detail: str) -> FieldError:
    return fielderror.invalid(STATUS.child("conditions"), Omitted.VALUE, detail)


def _of_time(field: str, time: str | None, detail: str) -> FieldError:
    return badvalues.invalid_as(STATUS.child(field), time, printing.marshal(time), detail)


def _validate_uncounted(status: Object) -> Errors:
    used: set[str] = set()
    for kind in ("succeeded", "failed"):
        for number, uid in enumerate((status.get(_UNCOUNTED) or {}).get(kind) or ()):
            path = STATUS.child(_UNCOUNTED, kind).index(number)
            if not uid:
                yield fielderror.invalid(path, uid, "must not be empty")
            elif uid in used:
                yield fielderror.duplicate(path, uid)
            used.add(uid)


def _validate_end(change: _Change) -> Errors:
    new, is_complete = change.new, has(change.new, _COMPLETE)
    start, end = new.get("startTime"), new.get("completionTime")
    if change.differs(_COMPLETE, _FAILED) and is_complete and has(new, _FAILED):
        yield _of_conditions("cannot set Complete=True and Failed=true conditions")
    if change.differs(_COMPLETE, _TARGET) and is_complete and has(new, _TARGET):
        yield _of_conditions("cannot set Complete=True and FailureTarget=true conditions")
    if change.differs(_COMPLETE, "completionTime"):
        if end is not None and not is_complete:
            detail = "cannot set completionTime when there is no Complete=True condition"
            yield _of_time("completionTime", end, detail)
        if end is None and is_complete:
            detail = "completionTime is required for Complete jobs"
            yield fielderror.required(STATUS.child("completionTime"), detail)
    if change.differs("startTime", "completionTime") and start is not None and end is not None and end < start:
        yield _of_time("completionTime", end, "must be equal to or after `startTime`")
    if change.differs(_FAILED, "failedIndexes") and has(new, _FAILED) and not has(new, _TARGET):
        yield _of_conditions("cannot set Failed=True condition without the FailureTarget=true condition")
    if change.differs(_COMPLETE, _MET) and is_complete and not has(new, _MET):
        yield _of_conditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")


def _validate_finished(change: _Change) -> Errors:
    new = change.new
    if not is_finished(new):
        return
    if (change.ends or change.differs("active")) and (new.get("active") or 0) > 0:
        yield fielderror.invalid(STATUS.child("active"), new["active"], "active>0 is invalid for finished job")
    is_unneeded = change.spec.get("suspend") is True and change.spec.get("completions") == 0
    if (change.ends or change.differs("startTime")) and not is_unneeded and new.get("startTime") is None:
        yield fielderror.required(STATUS.child("startTime"), "startTime is required for finished job")
    pods = new.get(_UNCOUNTED) or {}
    if (change.ends or change.differs(_UNCOUNTED)) and (pods.get("failed") or pods.get("succeeded")):
        ordered = {name: pods.get(field) for name, field in (("Succeeded", "succeeded"), ("Failed", "failed"))}
        printed = printing.marshal(ordered, sort_keys=False)
        yield badvalues.invalid_as(STATUS.child(_UNCOUNTED), pods, printed, "must be empty for finished job")


def _validate_indexes(change: _Change) -> Errors:
    new, spec = change.new, change.spec
    completed, failed = new.get("completedIndexes") or "", new.get("failedIndexes")
    completions, limit = spec.get("completions"), spec.get("backoffLimitPerIndex")
    place, of_failed = STATUS.child("completedIndexes"), STATUS.child("failedIndexes")
    has_completed, has_failed = (
        change.differs("completedIndexes"),
        new.get("failedIndexes") != change.old.get("failedIndexes"),
    )
    if has_completed and completions is not None:
        yield from _check_indexes("completedIndexes", completed, completions)
    if has_failed and completions is not None and limit is not None and failed is not None:
        yield from _check_indexes("failedIndexes", failed, completions)
    if has_completed and completed and spec.get("completionMode") != jobspecs.INDEXED:
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield fielderror.invalid(place, completed, detail)
    if has_failed and limit is None and failed is not None:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield fielderror.invalid(of_failed, failed, detail)
    if (has_completed or has_failed) and completions is not None and completed and failed:
        overlap = _find_overlap(completed, failed, completions)
        if overlap is not None:
            detail = f"failedIndexes and completedIndexes overlap at index: {overlap}"
            yield fielderror.invalid(of_failed, failed, detail)


def _check_indexes(field: str, text: str, completions: int) -> Errors:
    try:
        jobspecs.count_indexes(text, completions)
    except jobspecs.IndexesError as error:
        yield fielderror.invalid(STATUS.child(field), text, f"error parsing {field}: {error}")


def _find_overlap(completed: str, failed: str, completions: int) -> int | None:
    """Return the first index that two intervals share; without one, drop the interval that begins earlier, and compare the next."""
    both = [*_find_intervals(completed, completions)], [*_find_intervals(failed, completions)]
    while all(both):
        (first, last), (start, end) = both[0][0], both[1][0]
        if first <= end and start <= last:
            return max(first, start)
        del both[first > start][0]
    return None


def _find_intervals(text: str, completions: int) -> Iterator[tuple[int, int]]:
    """Yield the intervals of indexes that can be read."""
    for part in text.split(","):
        with contextlib.suppress(jobspecs.IndexesError):
            yield jobspecs.parse_interval(part, completions)


def _validate_rest(change: _Change) -> Errors:
    new = change.new
    terminating, ready, active = new.get("terminating") or 0, new.get("ready"), new.get("active") or 0
    if (change.ends or change.differs("terminating")) and terminating > 0 and is_finished(new):
        detail = "terminating>0 is invalid for finished job"
        yield fielderror.invalid(STATUS.child("terminating"), terminating, detail)
    if change.differs("ready", "active") and ready is not None and ready > active:
        yield fielderror.invalid(STATUS.child("ready"), ready, "cannot set more ready pods than active")
    if has(new, _MET) and has(new, _FAILED):
        yield _of_conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions")
    if has(new, _MET) and has(new, _TARGET):
        yield _of_conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
    if change.spec.get("successPolicy") is not None and not has(new, _MET) and has(new, _COMPLETE):
        yield _of_conditions("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")


def _refuse_changes(change: _Change) -> Errors:
    new, old, spec = change.new, change.old, change.spec
    for type_ in (_FAILED, _COMPLETE, _TARGET):
        if has(old, type_) and not has(new, type_):
            yield _of_conditions(f"cannot disable the terminal {type_}=True condition")
    is_elastic = spec.get("completionMode") == jobspecs.INDEXED and spec.get("completions") == spec.get("parallelism")
    for field in ("failed", "succeeded"):
        counts: Any = (new.get(field) or 0, old.get(field) or 0)
        if counts[0] < counts[1] and not (is_elastic and field == "succeeded"):
            yield fielderror.invalid(STATUS.child(field), counts[0], f"cannot decrease the {field} counter")
    end, before = new.get("completionTime"), old.get("completionTime")
    if end is not None and before is not None and end != before:
        yield _of_time("completionTime", end, "field is immutable")
    is_resumed = has(old, "Suspended") and has(new, "Suspended", "False")
    if change.differs("startTime") and not is_resumed and old.get("startTime") is not None and not spec.get("suspend"):
        yield _of_time("startTime", new.get("startTime"), "field is immutable for unsuspended job once set")
    if has(old, _MET) and not has(new, _MET):
        yield _of_conditions("cannot disable the SuccessCriteriaMet=True condition")
