"""
Validation of Events of both API groups.

Reference:
    kubernetes pkg/apis/core/validation/events.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.golang import structs
from pytest_crd.engine.golang.gotypes import INT32, STRING, TIME, GoType, Pointer, Struct
from pytest_crd.engine.metadata import names, objectmetarules
from pytest_crd.server.builtin import builtingotypes
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite

_CORE: Final = "v1"
# Fields of `v1` with their names in `events.k8s.io`.
_NEW_NAMES: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}
_MOST: Final = 128
_LONGEST_NOTE: Final = 1024
_FEWEST: Final = 2
_SYSTEM: Final = "kube-system"


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new Event: by old rules, in `events.k8s.io` by further ones."""
    event = _Event(write)
    errors = _validate_any(event, write)
    if write.api_version == _CORE:
        return errors
    errors += validatedwrites.validate_metadata(write, objectmetarules.DNS_SUBDOMAIN)
    errors += validatedwrites.validate_finalizers(write)
    errors += _validate_series(event)
    if not event.value("eventTime"):
        errors.append(fielderror.required(ROOT.child("eventTime"), ""))
    if event.text("type") not in ("Normal", "Warning"):
        errors.append(fielderror.invalid(ROOT.child("type"), "", f"has invalid value: {event.text('type')}"))
    unset = ("firstTimestamp", "lastTimestamp", "count")
    used = [name for name in unset if event.value(name)]
    used += ["source"] if any((event.value("source") or {}).values()) else []
    return [*errors, *(fielderror.invalid(ROOT.child(name), "", "needs to be unset") for name in used)]


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of an Event: by old rules, in `events.k8s.io` also that only its series changes."""
    event = _Event(write)
    errors = _validate_any(event, write)
    if write.api_version == _CORE:
        return errors
    errors += validatedwrites.validate_core_change(write)
    type_ = builtingotypes.of_kind(write.api_version, "Event", write.profile)
    if not structs.equal(write.new.get("series"), write.stored.get("series"), type_.fields["series"]):
        errors += _validate_series(event)
    for name, kind in _fixed_fields(type_).items():
        errors += validatedwrites.validate_unchanged(write, _NEW_NAMES.get(name, name), kind, _SHOWN.get(name, name))
    return errors


_SHOWN: Final = {"reportingComponent": "reportingController"}


def _fixed_fields(type_: Struct) -> Mapping[str, GoType]:
    """Return the immutable fields by their names in `v1`, in the order of errors."""
    reference = type_.fields["regarding"]
    related = type_.fields["related"]
    return {
        "involvedObject": reference,
        "reason": STRING,
        "message": STRING,
        "source": type_.fields["deprecatedSource"],
        "firstTimestamp": TIME,
        "lastTimestamp": TIME,
        "count": INT32,
        "type": STRING,
        "eventTime": type_.fields["eventTime"],
        "action": STRING,
        "related": related if isinstance(related, Pointer) else Pointer(related),
        "reportingComponent": STRING,
        "reportingInstance": STRING,
    }


class _Event:
    """The fields of an Event by their names in `v1`."""

    def __init__(self, write: ValidatedWrite) -> None:
        self._fields = write.new
        self._is_core = write.api_version == _CORE

    def value(self, name: str) -> Any:
        """Return the value of a field; None if it is absent."""
        return self._fields.get(name if self._is_core else _NEW_NAMES.get(name, name))

    def text(self, name: str) -> str:
        """Return the text of a field; empty if it is absent."""
        return self.value(name) or ""


def _validate_any(event: _Event, write: ValidatedWrite) -> list[FieldError]:
    """Validate an Event of any group."""
    namespace = write.new["metadata"].get("namespace") or ""
    about = (event.value("involvedObject") or {}).get("namespace") or ""
    path = ROOT.child("involvedObject", "namespace")
    mismatch = [fielderror.invalid(path, about, "does not match event.namespace")]
    if not event.value("eventTime"):
        is_fine = namespace == about or (not about and namespace == "default")
        return [] if is_fine else mismatch
    is_fine = bool(about) or namespace in ("default", _SYSTEM)
    return [*([] if is_fine else mismatch), *_validate_report(event, write)]


def _validate_report(event: _Event, write: ValidatedWrite) -> list[FieldError]:
    """Validate the fields of an Event with a time."""
    controller = event.text("reportingComponent")
    name = "reportingComponent" if write.api_version == _CORE else "reportingController"
    errors = [] if controller else [fielderror.required(ROOT.child(name), "")]
    errors += [
        fielderror.invalid(ROOT.child(name), controller, problem)
        for problem in names.label_key(controller, write.profile)
    ]
    for field in ("reportingInstance", "action", "reason"):
        text = event.text(field)
        if not text:
            errors.append(fielderror.required(ROOT.child(field), ""))
        errors += _validate_length(text, field, _MOST)
    return [*errors, *_validate_length(event.text("message"), "message", _LONGEST_NOTE)]


def _validate_length(text: str, field: str, most: int) -> list[FieldError]:
    if len(text.encode("utf-8", "surrogatepass")) <= most:
        return []
    return [fielderror.invalid(ROOT.child(field), "", f"can have at most {most} characters")]


def _validate_series(event: _Event) -> list[FieldError]:
    series = event.value("series")
    if series is None:
        return []
    errors = []
    if (series.get("count") or 0) < _FEWEST:
        errors.append(fielderror.invalid(ROOT.child("series.count"), "", f"should be at least {_FEWEST}"))
    if not series.get("lastObservedTime"):
        errors.append(fielderror.required(ROOT.child("series.lastObservedTime"), ""))
    return errors


KIND: Final = KindValidation(validate_create, validate_update)
