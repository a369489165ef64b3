"""
Validation of CronJobs.

Reference:
    kubernetes pkg/apis/batch/validation, ValidateCronJobCreate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names
from pytest_crd.engine.metadata.objectmetarules import NameRule
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import gostructs, podfields, podwarnings
from pytest_crd.server.builtin.validation.pods.podfields import Object
from pytest_crd.server.builtin.validation.validatedwrites import METADATA, KindValidation, ValidatedWrite
from pytest_crd.server.builtin.validation.workloads import cronschedules, jobs, jobspecs, templates
from pytest_crd.server.builtin.validation.workloads.templates import SPEC

_LONGEST: Final = 52
_POLICIES: Final = ("Allow", "Forbid", "Replace")
_ZONE_PART: Final = re.compile(r"[A-Za-z.\-_0-9+]{1,14}")
_ZONES: Final = "https://www.iana.org/time-zones"
_NAME: Final = NameRule(names.dns1123_subdomain, names.dns1123_subdomain_prefix)


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new CronJob."""
    metadata = [*validatedwrites.validate_metadata(write, _NAME), *validatedwrites.validate_finalizers(write)]
    errors = [*metadata, *_validate_spec(write)]
    name = write.new["metadata"].get("name") or ""
    if len(name.encode()) > _LONGEST:
        errors.append(fielderror.invalid(METADATA.child("name"), name, f"must be no more than {_LONGEST} characters"))
    return errors


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a CronJob; its status has no rules."""
    if write.subresource == "status":
        return []
    return [*validatedwrites.validate_core_change(write), *_validate_spec(write)]


def find_declared(write: ValidatedWrite) -> list[FieldError]:
    """Return the error of generated validation, which follows all others: a missing schedule."""
    is_missing = not templates.spec_of(write.new).get("schedule")
    return [fielderror.required(SPEC.child("schedule"), "")] if is_missing else []


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about a valid CronJob."""
    spec, path = templates.spec_of(write.new), ("spec", "jobTemplate", "spec", "template")
    many = jobs.find_many((spec.get("jobTemplate") or {}).get("spec") or {}, "spec.jobTemplate.spec")
    if write.old is None:
        name = podwarnings.warn_about_name(write.new["metadata"]["name"], write.profile)
        return (*name, *many, *podwarnings.find_in_template(write, *path))
    if write.subresource or write.new.get("spec") == write.stored.get("spec"):
        return ()
    return (*many, *podwarnings.find_in_template(write, *path))


def _validate_spec(write: ValidatedWrite) -> Errors:
    spec = templates.spec_of(write.new)
    schedule, zone = spec.get("schedule") or "", spec.get("timeZone")
    if not schedule:
        yield fielderror.required(SPEC.child("schedule"), "")
    else:
        yield from _validate_schedule(schedule, SPEC.child("schedule"))
    yield from podfields.refuse_negative(spec, SPEC, "startingDeadlineSeconds")
    if zone is not None and (write.old is None or templates.spec_of(write.stored).get("timeZone") != zone):
        path = SPEC.child("timeZone")
        yield from (fielderror.invalid(path, zone, problem) for problem in _find_zone_problems(zone))
    policy = spec.get("concurrencyPolicy") or ""
    yield from podfields.choose(policy, SPEC.child("concurrencyPolicy"), _POLICIES)
    yield from _validate_job(
        (spec.get("jobTemplate") or {}).get("spec") or {}, SPEC.child("jobTemplate", "spec"), write
    )
    yield from podfields.refuse_negative(spec, SPEC, "successfulJobsHistoryLimit", "failedJobsHistoryLimit")


def _validate_schedule(schedule: str, path: FieldPath) -> Errors:
    if problem := cronschedules.find_problem(schedule):
        yield fielderror.invalid(path, schedule, problem)
    if "TZ" in schedule:
        yield fielderror.invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")


def _validate_job(spec: Object, path: FieldPath, write: ValidatedWrite) -> Errors:
    yield from jobspecs.validate(spec, path, templates.rules_of(write))
    if spec.get("selector") is not None:
        detail = "`selector` will be auto-generated"
        yield gostructs.invalid_selector(path.child("selector"), spec["selector"], detail)
    if spec.get("manualSelector"):
        place = path.child("manualSelector")
        yield fielderror.not_supported(place, True, ["nil", "false"])  # noqa: FBT003 - a bad value


def _find_zone_problems(zone: str) -> Iterator[str]:
    """Yield the problems of the name of a time zone."""
    if not zone:
        yield "timeZone must be nil or non-empty string"
        return
    for part in zone.split("/"):
        if part in (".", "..") or part.startswith("-") or not _ZONE_PART.fullmatch(part):
            yield f"unknown time zone {zone}"
            return
    if zone.lower() == "local":
        yield f"timeZone must be an explicit time zone as defined in {_ZONES}"
    if zone not in ("UTC", "Local") and not cronschedules.is_zone(zone):
        yield f"unknown time zone {zone}"


KIND: Final = KindValidation(validate_create, validate_update, find_warnings, find_declared)
