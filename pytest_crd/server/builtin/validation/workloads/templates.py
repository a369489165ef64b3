"""
Rules that workloads share: selector and template, counts, and parts of a rollout.

Reference:
    kubernetes pkg/apis/apps/validation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import structs
from pytest_crd.engine.metadata import labelselectors
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import builtingotypes
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import gostructs, podfields, podspecs
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, ValidatedWrite

SPEC: Final = ROOT.child("spec")
STATUS: Final = ROOT.child("status")
ALWAYS: Final = "Always"
_MISMATCH: Final = "`selector` does not match template `labels`"
_TOO_MANY: Final = "cannot be greater than"
_WHOLE: Final = 100


def rules_of(write: ValidatedWrite) -> Rules:
    """Return the surroundings of the template of a workload."""
    return Rules(write.profile, sent=write.sent)


def spec_of(value: Object) -> Object:
    """Return the spec of an object; empty without one."""
    spec: Object = value.get("spec") or {}
    return spec


def validate_selector(spec: Object, profile: Profile, called: str) -> Errors:
    """Yield the errors of a required selector of Pods; *called* names the kind in the error of an empty one."""
    selector, path = spec.get("selector"), SPEC.child("selector")
    if selector is None:
        yield fielderror.required(path, "")
        return
    yield from labelselectors.validate(selector, path, profile)
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        yield gostructs.invalid_selector(path, selector, f"empty selector is invalid for {called}")


def is_selector(selector: Object | None, profile: Profile) -> bool:
    """Return whether a selector has no errors; an absent one has none."""
    return not [*labelselectors.validate(selector or {}, ROOT, profile)]


def is_match(selector: Object | None, labels: Mapping[str, str]) -> bool:
    """Return whether a valid selector matches labels; an absent one matches nothing, an empty one everything."""
    return selector is not None and labelselectors.is_match(labelselectors.requirements(selector), labels)


def refuse_other_labels(spec: Object, path: FieldPath) -> Errors:
    """Yield the error of labels that the selector does not match; *path* leads to the template."""
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    if not is_match(spec.get("selector"), labels or {}):
        yield fielderror.invalid(path.child("metadata", "labels"), labels or None, _MISMATCH)


def validate_always_restarting(template: Object, path: FieldPath, called: str) -> Errors:
    """Yield the errors of a template of Pods that end; *path* leads to the spec, *called* names the kind."""
    spec = template.get("spec") or {}
    policy = spec.get("restartPolicy") or ""
    if policy != ALWAYS:
        yield validatedwrites.unsupported_named(path.child("restartPolicy"), policy, [ALWAYS])
    if spec.get("activeDeadlineSeconds") is not None:
        detail = f"activeDeadlineSeconds in {called} is not Supported"
        yield fielderror.forbidden(path.child("activeDeadlineSeconds"), detail)


def validate_template(spec: Object, rules: Rules, called: str) -> Errors:
    """Yield the errors of selector and template of a Deployment or a ReplicaSet."""
    yield from validate_selector(spec, rules.profile, "deployment")
    path, template = SPEC.child("template"), spec.get("template") or {}
    if not is_selector(spec.get("selector"), rules.profile):
        yield gostructs.invalid_selector(SPEC.child("selector"), spec.get("selector"), "invalid label selector")
        return
    yield from refuse_other_labels(spec, path)
    yield from podspecs.validate_template(template, path, rules)
    yield from validate_always_restarting(template, path.child("spec"), called)


def validate_portion(value: int | str, path: FieldPath) -> Errors:
    """Yield the errors of a number or a percentage of Pods."""
    if isinstance(value, str):
        yield from podfields.validate_text(value, path, podfields.find_percent_problems)
    elif value < 0:
        yield fielderror.invalid(path, value, podfields.NOT_NEGATIVE)


def refuse_more_than_all(value: int | str, path: FieldPath) -> Errors:
    """Yield the error of a percentage beyond 100."""
    if isinstance(value, str) and not [*podfields.find_percent_problems(value)] and portion(value) > _WHOLE:
        yield fielderror.invalid(path, value, "must not be greater than 100%")


def portion(value: int | str) -> int:
    """Return the number in a number or a percentage; 0 for another text."""
    if isinstance(value, int):
        return value
    is_percent = not [*podfields.find_percent_problems(value)]
    text = value.removesuffix("%") if is_percent else value
    return int(text) if re.fullmatch("[+-]?[0-9]+", text) else 0


def refuse_changed(write: ValidatedWrite, field: str, type_name: str = "", shown: str = "") -> list[FieldError]:
    """
    Return the error of a changed field of the spec.

    Args:
        write: The update.
        field: The field.
        type_name: Its Go type, such as `core.v1.PodTemplateSpec`; empty for the selector and simple values.
        shown: The value as the error prints it; the default is the value itself.
    """
    new, old = spec_of(write.new).get(field), spec_of(write.stored).get(field)
    kind = builtingotypes.named(spec_type(write), write.profile).fields[field]
    path = SPEC.child(field)
    if structs.equal(new, old, kind):
        return []
    if field == "selector":
        return [gostructs.invalid_selector(path, new, validatedwrites.IMMUTABLE)]
    if type_name:
        return [badvalues.invalid_as(path, new, gostructs.marshal(new, kind), validatedwrites.IMMUTABLE)]
    error = fielderror.invalid(path, kind.zero if new is None else new, validatedwrites.IMMUTABLE)
    return [badvalues.reprinted(error, shown) if shown else error]


def spec_type(write: ValidatedWrite) -> str:
    """Return the name of the Go type of a spec, such as `apps.v1.DeploymentSpec`."""
    return f"{write.api_version.replace('/', '.')}.{write.new['kind']}Spec"


def validate_counts(status: Object, fields: tuple[str, ...], most: str = "") -> Errors:
    """
    Yield the errors of the counts in a status.

    Args:
        status: The status.
        fields: The counts, which may not be negative.
        most: The count that those of Pods in a state may not exceed; empty if there is none.
    """
    yield from podfields.refuse_negative(status, STATUS, *fields)
    if not most:
        return
    counts = {field: status.get(field) or 0 for field in fields}
    for field in fields:
        is_state = field.endswith("Replicas") and field not in ("terminatingReplicas", "unavailableReplicas")
        if is_state and counts[field] > counts[most]:
            yield fielderror.invalid(STATUS.child(field), counts[field], f"{_TOO_MANY} status.{most}")
    if counts["availableReplicas"] > counts["readyReplicas"]:
        called = "status.readyReplicas" if "currentReplicas" in counts else "readyReplicas"
        yield fielderror.invalid(
            STATUS.child("availableReplicas"), counts["availableReplicas"], f"{_TOO_MANY} {called}"
        )


def refuse_fewer_collisions(write: ValidatedWrite) -> Errors:
    """Yield the error of a count of collisions that an update makes smaller."""
    new, old = ((value.get("status") or {}).get("collisionCount") for value in (write.new, write.stored))
    if old is not None and (new is None or new < old):
        yield fielderror.invalid(STATUS.child("collisionCount"), new or 0, "cannot be decremented")
