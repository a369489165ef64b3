"""
Annotations with a meaning for a Pod.

Reference:
    kubernetes pkg/apis/core/validation, ValidatePodSpecificAnnotations, validateSeccompAnnotationsAndFields and
    validateAppArmorAnnotationsAndFieldsMatchOnCreate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.server.builtin import apparmor
from pytest_crd.server.builtin.validation.pods import podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object

MIRROR: Final = "kubernetes.io/config.mirror"
SECCOMP: Final = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER: Final = "container.seccomp.security.alpha.kubernetes.io/"
_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_IS_COST: Final = lazyre.compile("0|-?[1-9][0-9]*")
_DEFAULTS: Final = ("runtime/default", "docker/default")
OLD_APP_ARMOR: Final = 'deprecated since v1.30; use the "appArmorProfile" field instead'


def validate(annotations: Mapping[str, str], spec: Object, path: FieldPath) -> Errors:
    """Yield the errors of annotations; *path* leads to them."""
    if MIRROR in annotations and not spec.get("nodeName"):
        detail = "must set spec.nodeName if mirror pod annotation is set"
        yield fielderror.invalid(path.key(MIRROR), annotations[MIRROR], detail)
    cost = annotations.get(_COST)
    if cost is not None and not (_IS_COST.fullmatch(cost) and -(2**31) <= int(cost) < 2**31):
        yield fielderror.invalid(path.key(_COST), cost, "must be a 32bit integer")
    for key, profile in sorted(annotations.items(), key=lambda item: item[0] != SECCOMP):
        if key == SECCOMP or key.startswith(SECCOMP_CONTAINER):
            yield from _validate_seccomp(profile, path.child(key))
    names = {container.get("name") or "" for container, _ in podfields.containers(spec, path)}
    for key, profile in sorted(annotations.items()):
        if not key.startswith(apparmor.ANNOTATION):
            continue
        name = key.removeprefix(apparmor.ANNOTATION)
        if name not in names:
            yield fielderror.invalid(path.key(key), name, "container not found")
        if profile and profile not in (_DEFAULTS[0], "unconfined") and not profile.startswith(apparmor.LOCAL):
            yield fielderror.invalid(
                path.key(key), profile, f"invalid AppArmor profile name: {printing.quote(profile)}"
            )


def _validate_seccomp(profile: str, path: FieldPath) -> Errors:
    if profile.startswith(apparmor.LOCAL):
        yield from podfields.validate_descent(profile.removeprefix(apparmor.LOCAL), path)
    elif profile not in (*_DEFAULTS, "unconfined"):
        yield fielderror.invalid(path, profile, "must be a valid seccomp profile")


def compare_with_fields(annotations: Mapping[str, str], spec: Object, path: FieldPath) -> Errors:
    """Yield the errors of annotations that contradict the security contexts; *path* leads to the spec."""
    context, place = spec.get("securityContext") or {}, path.child("securityContext")
    yield from _compare("seccomp", annotations.get(SECCOMP), context.get("seccompProfile"), place)
    owners = [*podfields.containers(spec, path)]
    for container, own in owners:
        profile = (container.get("securityContext") or {}).get("seccompProfile")
        annotation = annotations.get(f"{SECCOMP_CONTAINER}{container.get('name') or ''}")
        yield from _compare("seccomp", annotation, profile, own.child("securityContext"))
    if (spec.get("os") or {}).get("name") == "windows":
        return
    for container, own in owners:
        profile = (container.get("securityContext") or {}).get("appArmorProfile") or context.get("appArmorProfile")
        annotation = annotations.get(f"{apparmor.ANNOTATION}{container.get('name') or ''}")
        yield from _compare("apparmor", annotation, profile, own.child("securityContext"))


def _compare(kind: str, annotation: str | None, profile: Object | None, path: FieldPath) -> Errors:
    if annotation is None or profile is None:
        return
    place = path.child("seccompProfile" if kind == "seccomp" else "appArmorProfile")
    type_: str = profile.get("type") or ""
    defaults = _DEFAULTS if kind == "seccomp" else _DEFAULTS[:1]
    is_same = {
        "Unconfined": annotation == "unconfined",
        "RuntimeDefault": annotation in defaults,
        "Localhost": annotation.startswith(apparmor.LOCAL),
    }
    if not is_same.get(type_, True):
        yield fielderror.forbidden(place.child("type"), f"{kind} type in annotation and field must match")
    elif type_ == "Localhost" and annotation.removeprefix(apparmor.LOCAL) != profile.get("localhostProfile"):
        yield fielderror.forbidden(
            place.child("localhostProfile"), f"{kind} profile in annotation and field must match"
        )
