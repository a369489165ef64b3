"""
Validation of the spec of a Job, also in the template of a CronJob.

Reference:
    kubernetes pkg/apis/batch/validation, validateJobSpec.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError, Omitted
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import gostructs, podfields, podspecs
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules

INDEXED: Final = "Indexed"
_MODES: Final = ("NonIndexed", INDEXED)
_COUNTS: Final = (
    *("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"),
    *("backoffLimitPerIndex", "maxFailedIndexes"),
)
_MOST: Final = 100_000
_MOST_OF_MANY: Final = 10_000
_MOST_RULES: Final = 20
_MOST_CODES: Final = 255
_MOST_PATTERNS: Final = 20
_LONGEST_MANAGER: Final = 63
_LONGEST_INDEXES: Final = 64 * 1024
_MOST_INT: Final = 2**63 - 1
_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS: Final = ("In", "NotIn")
_STATUSES: Final = ("False", "True", "Unknown")
_RESTARTS: Final = ("OnFailure", "Never")
_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_BY_INDEX: Final = "requires indexed completion mode"
_WITH_MANY: Final = f"when completions are above {_MOST} and used with backoff limit per index"


def validate(spec: Object, path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of the spec of a Job, but for its selector."""
    yield from podfields.refuse_negative(spec, path, *_COUNTS)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield fielderror.required(path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified")
    if spec.get("managedBy") is not None:
        yield from _validate_manager(spec["managedBy"], path.child("managedBy"))
    yield from podfields.choose_optional(spec, path, "completionMode", _MODES)
    if spec.get("completionMode") == INDEXED:
        yield from _validate_indexed(spec, path)
    elif spec.get("completionMode") in (None, _MODES[0]):
        for field in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(field) is not None:
                yield fielderror.invalid(path.child(field), spec[field], _BY_INDEX)
    if spec.get("podFailurePolicy") is not None:
        yield from _validate_failures(spec, path.child("podFailurePolicy"), rules)
    if spec.get("successPolicy") is not None:
        yield from _validate_success(spec, path.child("successPolicy"), rules.profile)
    replacements = ("Failed",) if spec.get("podFailurePolicy") is not None else ("Failed", "TerminatingOrFailed")
    yield from podfields.choose_optional(spec, path, "podReplacementPolicy", replacements)
    template = spec.get("template") or {}
    yield from podspecs.validate_template(template, path.child("template"), rules)
    yield from _validate_restarts(spec, path.child("template", "spec", "restartPolicy"))


def _validate_restarts(spec: Object, path: FieldPath) -> Errors:
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy") or ""
    if policy in ("", "Always"):
        quoted = ", ".join(map(printing.quote, _RESTARTS))
        yield fielderror.required(path, f"valid values: {quoted}")
    elif policy not in _RESTARTS:
        yield validatedwrites.unsupported_named(path, policy, _RESTARTS)
    elif spec.get("podFailurePolicy") is not None and policy != "Never":
        detail = 'only "Never" is supported when podFailurePolicy is specified'
        yield validatedwrites.invalid_named(path, policy, detail)


def _validate_manager(text: str, path: FieldPath) -> Errors:
    """Yield the errors of the name of a controller: a domain, a slash, and a path."""
    host, _, rest = text.partition("/")
    if not text:
        yield fielderror.required(path, "")
    elif not host or not rest:
        yield fielderror.invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')
    else:
        yield from podfields.validate_text(host, path, names.dns1123_subdomain)
        if not re.fullmatch(_PATH, rest):
            yield fielderror.invalid(path, rest, f"Invalid path (regex used for validation is '{_PATH}')")
    if len(text.encode()) > _LONGEST_MANAGER:
        yield fielderror.too_long(path, _LONGEST_MANAGER)


def _validate_indexed(spec: Object, path: FieldPath) -> Errors:
    completions, parallelism, failed = (spec.get(name) for name in ("completions", "parallelism", "maxFailedIndexes"))
    if completions is None:
        yield fielderror.required(path.child("completions"), f"when completion mode is {INDEXED}")
    if parallelism is not None and parallelism > _MOST:
        detail = f"must be less than or equal to {_MOST} when completion mode is {INDEXED}"
        yield fielderror.invalid(path.child("parallelism"), parallelism, detail)
    place = path.child("maxFailedIndexes")
    if completions is not None and failed is not None and failed > completions:
        yield fielderror.invalid(place, failed, "must be less than or equal to completions")
    if failed is not None and failed > _MOST:
        yield fielderror.invalid(place, failed, f"must be less than or equal to {_MOST}")
    if completions is None or completions <= _MOST or spec.get("backoffLimitPerIndex") is None:
        return
    if failed is None:
        yield fielderror.required(place, f"must be specified when completions is above {_MOST}")
    for field, value in (("parallelism", parallelism), ("maxFailedIndexes", failed)):
        if value is not None and value > _MOST_OF_MANY:
            detail = f"must be less than or equal to {_MOST_OF_MANY} {_WITH_MANY}"
            yield fielderror.invalid(path.child(field), value, detail)


def _valid_values(choices: Sequence[str]) -> str:
    return f"valid values: [{' '.join(map(printing.quote, choices))}]"


def _validate_failures(spec: Object, path: FieldPath, rules: Rules) -> Errors:
    listed, place = spec["podFailurePolicy"].get("rules") or (), path.child("rules")
    if len(listed) > _MOST_RULES:
        yield fielderror.too_many(place, len(listed), _MOST_RULES)
    pod = (spec.get("template") or {}).get("spec") or {}
    container_names = {
        item.get("name") or "" for kind in ("containers", "initContainers") for item in pod.get(kind) or ()
    }
    for number, rule in enumerate(listed):
        own = place.index(number)
        action = rule.get("action") or ""
        if action == "FailIndex":
            if spec.get("backoffLimitPerIndex") is None:
                detail = "requires the backoffLimitPerIndex to be set"
                yield validatedwrites.invalid_named(own.child("action"), action, detail)
        else:
            yield from podfields.choose(action, own.child("action"), _ACTIONS, empty=_valid_values(_ACTIONS))
        codes, patterns = rule.get("onExitCodes"), rule.get("onPodConditions") or ()
        if codes is not None:
            yield from _validate_codes(codes, own.child("onExitCodes"), container_names)
        yield from _validate_patterns(patterns, own.child("onPodConditions"), rules)
        if codes is not None and patterns:
            yield _omitted(own, "specifying both OnExitCodes and OnPodConditions is not supported")
        if codes is None and not patterns:
            yield _omitted(own, "specifying one of OnExitCodes and OnPodConditions is required")


def _omitted(path: FieldPath, detail: str) -> FieldError:
    return fielderror.invalid(path, Omitted.VALUE, detail)


def _validate_patterns(patterns: Sequence[Object], path: FieldPath, rules: Rules) -> Errors:
    if len(patterns) > _MOST_PATTERNS:
        yield fielderror.too_many(path, len(patterns), _MOST_PATTERNS)
    for number, pattern in enumerate(patterns):
        own = path.index(number)
        yield from podfields.validate_text(pattern.get("type") or "", own.child("type"), rules.qualified)
        status = pattern.get("status") or ""
        yield from podfields.choose(status, own.child("status"), _STATUSES, empty=_valid_values(_STATUSES))


def _validate_codes(codes: Object, path: FieldPath, container_names: set[str]) -> Errors:
    operator, values, name = codes.get("operator") or "", codes.get("values") or (), codes.get("containerName")
    yield from podfields.choose(operator, path.child("operator"), _OPERATORS, empty=_valid_values(_OPERATORS))
    if name is not None and name not in container_names:
        detail = "must be one of the container or initContainer names in the pod template"
        yield fielderror.invalid(path.child("containerName"), name, detail)
    place = path.child("values")
    if not values:
        printed = "null" if codes.get("values") is None else "[]"
        yield badvalues.invalid_as(place, None, printed, "at least one value is required")
    elif len(values) > _MOST_CODES:
        yield fielderror.too_many(place, len(values), _MOST_CODES)
    for number, value in enumerate(values):
        if operator == "In" and value == 0:
            yield fielderror.invalid(place.index(number), value, "must not be 0 for the In operator")
        if value in values[:number]:
            yield fielderror.duplicate(place.index(number), value)
    if any(before > after for before, after in itertools.pairwise(values)):
        yield fielderror.invalid(place, [*values], "must be ordered")


def _validate_success(spec: Object, path: FieldPath, profile: Profile) -> Errors:
    policy = spec["successPolicy"]
    if spec.get("completionMode") != INDEXED:
        yield gostructs.invalid(path, policy, "batch.v1.SuccessPolicy", _BY_INDEX, profile)
        return
    listed, place, completions = policy.get("rules") or (), path.child("rules"), spec.get("completions") or 0
    if not listed:
        detail = "at least one rules must be specified when the successPolicy is specified"
        yield fielderror.required(place, detail)
    if len(listed) > _MOST_RULES:
        yield fielderror.too_many(place, len(listed), _MOST_RULES)
    for number, rule in enumerate(listed):
        yield from _validate_success_rule(rule, completions, place.index(number))


def _validate_success_rule(rule: Object, completions: int, path: FieldPath) -> Errors:
    count, indexes, total = rule.get("succeededCount"), rule.get("succeededIndexes"), 0
    if count is None and indexes is None:
        yield fielderror.required(path, "at least one of succeededCount or succeededIndexes must be specified")
    if indexes is not None:
        place = path.child("succeededIndexes")
        if len(indexes.encode()) > _LONGEST_INDEXES:
            yield fielderror.too_long(place, _LONGEST_INDEXES)
        try:
            total = count_indexes(indexes, completions)
        except IndexesError as error:
            yield fielderror.invalid(place, indexes, f"error parsing succeededIndexes: {error}")
    if count is None:
        return
    place = path.child("succeededCount")
    yield from podfields.refuse_negative(rule, path, "succeededCount")
    lead = "must be less than or equal to"
    if count > completions:
        yield fielderror.invalid(place, count, f"{lead} {completions} (the number of specified completions)")
    if indexes is not None and count > total:
        detail = f"{lead} {total} (the number of indexes in the specified succeededIndexes field)"
        yield fielderror.invalid(place, count, detail)


class IndexesError(ValueError):
    """A text that has no indexes of a Job."""


def count_indexes(text: str, completions: int) -> int:
    """
    Return the number of indexes in a text such as `0,2-4`.

    Raises:
        IndexesError: The text is not valid.
    """
    total, last = 0, -1
    for part in text.split(",") if text else ():
        first, end = parse_interval(part, completions)
        if last >= first and total:
            raise IndexesError(f"non-increasing order, previous: {last}, current: {first}")
        total += end - first + 1
        last = end
    return total


def parse_interval(text: str, completions: int) -> tuple[int, int]:
    """
    Return the first and the last index of an interval.

    Raises:
        IndexesError: The text is not valid.
    """
    parts = text.split("-")
    if len(parts) > 2:
        quoted = printing.quote(text)
        raise IndexesError(
            f"the fragment {quoted} violates the requirement that an index interval can have at most two parts"
            " separated by '-'"
        )
    ends = []
    for part in parts:
        if not re.fullmatch("[+]?[0-9]+", part) or int(part) > _MOST_INT:
            raise IndexesError(f"cannot convert string to integer for index: {printing.quote(part)}")
        if int(part) >= completions:
            raise IndexesError(f"too large index: {printing.quote(part)}")
        ends.append(int(part))
    if len(ends) > 1 and ends[0] >= ends[1]:
        raise IndexesError(f"non-increasing order, previous: {ends[0]}, current: {ends[1]}")
    return ends[0], ends[-1]
