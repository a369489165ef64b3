"""
Validation of the security contexts of Pods and containers.

Reference:
    kubernetes pkg/apis/core/validation, ValidateSecurityContext and validatePodSpecSecurityContext.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.server.builtin import apparmor
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import gostructs, podfields, windowsoptions
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules

_LOCAL: Final = "Localhost"
_PROFILES: Final = (_LOCAL, "RuntimeDefault", "Unconfined")
_PROC_MOUNTS: Final = ("Default", "Unmasked")
_SEGMENT: Final = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL: Final = rf"^({_SEGMENT}[\./])*{_SEGMENT}$"
_IS_SYSCTL: Final = lazyre.compile(rf"({_SEGMENT}[\./])*{_SEGMENT}")
_LONGEST_SYSCTL: Final = 253
_IPC: Final = frozenset((
    *("kernel.sem", "kernel.shmall", "kernel.shmmax", "kernel.shmmni", "kernel.shm_rmid_forced", "kernel.shm"),
    *("kernel.msgmax", "kernel.msgmnb", "kernel.msgmni", "kernel.msg"),
))  # fmt: skip
_ADMIN: Final = "CAP_SYS_ADMIN"
_WITHOUT_WINDOWS: Final = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls", "runAsUser"),
    *("runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"),
)
_CONTAINER_WITHOUT_WINDOWS: Final = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem", "privileged"),
    *("allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"),
)
_NOT_ON_WINDOWS: Final = "cannot be set for a windows pod"


def validate(context: Object, path: FieldPath, rules: Rules, *, has_host_users: bool) -> Errors:
    """Yield the errors of the security context of a container."""
    yield from podfields.limit_id(context, path, "runAsUser", "runAsGroup")
    yield from podfields.choose_optional(context, path, "procMount", _PROC_MOUNTS)
    if has_host_users and context.get("procMount") == "Unmasked":
        detail = "`hostUsers` must be false to use `Unmasked`"
        yield validatedwrites.invalid_named(path.child("procMount"), "Unmasked", detail)
    yield from _validate_seccomp(context, path.child("seccompProfile"), rules)
    if context.get("allowPrivilegeEscalation") is False:
        lead = "cannot set `allowPrivilegeEscalation` to false and"
        details = [f"{lead} `privileged` to true"] if context.get("privileged") else []
        added = (context.get("capabilities") or {}).get("add") or ()
        details += [f"{lead} `capabilities.Add` {_ADMIN}" for name in added if name == _ADMIN]
        for detail in details:
            yield gostructs.invalid(path, context, "core.v1.SecurityContext", detail, rules.profile)
    yield from windowsoptions.validate(context, path.child("windowsOptions"))
    yield from _validate_app_armor(context, path.child("appArmorProfile"))


def validate_pod(spec: Object, path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of the security context of a Pod; *path* leads to it."""
    context = spec.get("securityContext") or {}
    yield from podfields.limit_id(context, path, "fsGroup", "runAsUser", "runAsGroup")
    for place, group in enumerate(context.get("supplementalGroups") or ()):
        if not 0 <= group <= podfields.LARGEST_ID:
            detail = f"must be between 0 and {podfields.LARGEST_ID}, inclusive"
            yield fielderror.invalid(path.child("supplementalGroups").index(place), group, detail)
    yield from _validate_sysctls(context.get("sysctls") or (), spec, path.child("sysctls"))
    yield from podfields.choose_optional(context, path, "fsGroupChangePolicy", ("Always", "OnRootMismatch"))
    yield from _validate_seccomp(context, path.child("seccompProfile"), rules)
    yield from windowsoptions.validate(context, path.child("windowsOptions"))
    yield from _validate_app_armor(context, path.child("appArmorProfile"))
    yield from podfields.choose_optional(context, path, "supplementalGroupsPolicy", ("Merge", "Strict"))
    yield from podfields.choose_optional(context, path, "seLinuxChangePolicy", ("MountOption", "Recursive"))


def _validate_seccomp(context: Object, path: FieldPath, rules: Rules) -> Errors:
    profile = context.get("seccompProfile")
    if profile is None:
        return
    type_, local = profile.get("type") or "", profile.get("localhostProfile")
    yield from podfields.choose(
        type_, path.child("type"), _PROFILES, empty="type is required when seccompProfile is set"
    )
    place = path.child("localhostProfile")
    if type_ != _LOCAL:
        if local is not None:
            detail = f"can only be set when seccomp type is {_LOCAL}"
            yield gostructs.invalid(place, profile, "core.v1.SeccompProfile", detail, rules.profile)
    elif local is None:
        yield fielderror.required(place, f"must be set when seccomp type is {_LOCAL}")
    else:
        yield from podfields.validate_descent(local, place)


def _validate_app_armor(context: Object, path: FieldPath) -> Errors:
    profile = context.get("appArmorProfile")
    if profile is None:
        return
    type_, local = profile.get("type") or "", profile.get("localhostProfile")
    place = path.child("localhostProfile")
    if type_ == _LOCAL:
        if not local:
            yield fielderror.required(place, f"must be set when AppArmor type is {_LOCAL}")
        elif local != local.strip():
            yield fielderror.invalid(place, local, "must not be padded with whitespace")
        if len((local or "").encode()) > apparmor.LONGEST_PROFILE:
            yield fielderror.too_long(place, apparmor.LONGEST_PROFILE)
    elif type_ in _PROFILES:
        if local is not None:
            yield fielderror.invalid(place, local, f"can only be set when AppArmor type is {_LOCAL}")
    else:
        detail = "type is required when appArmorProfile is set"
        yield from podfields.choose(type_, path.child("type"), _PROFILES, empty=detail)


def _validate_sysctls(sysctls: Sequence[Object], spec: Object, path: FieldPath) -> Errors:
    used: set[str] = set()
    for place, sysctl in enumerate(sysctls):
        name, own = sysctl.get("name") or "", path.index(place).child("name")
        if not name:
            yield fielderror.required(own, "")
        elif len(name.encode()) > _LONGEST_SYSCTL or not _IS_SYSCTL.fullmatch(name):
            detail = f"must have at most {_LONGEST_SYSCTL} characters and match regex {_SYSCTL}"
            yield fielderror.invalid(own, name, detail)
        elif name in used:
            yield fielderror.duplicate(own, name)
        dotted = _with_dots(name)
        if spec.get("hostNetwork") and dotted.startswith("net."):
            yield fielderror.invalid(own, name, "may not be specified when 'hostNetwork' is true")
        elif spec.get("hostIPC") and (dotted in _IPC or dotted.startswith("fs.mqueue.")):
            yield fielderror.invalid(own, name, "may not be specified when 'hostIPC' is true")
        used.add(name)


def _with_dots(name: str) -> str:
    """Return the name of a kernel parameter with dots, up to a star."""
    first = next((letter for letter in name if letter in "./"), ".")
    dotted = name if first == "." else name.translate({ord("."): "/", ord("/"): "."})
    return dotted.partition("*")[0]


def validate_system(spec: Object, path: FieldPath) -> Errors:
    """Yield the errors of settings that the operating system of a Pod has not; *path* leads to its spec."""
    system = spec.get("os")
    if system is None:
        return
    name = system.get("name") or ""
    if not name:
        yield fielderror.required(path.child("os", "name"), "")
    elif name == "linux":
        yield from _validate_linux(spec, path)
    elif name == "windows":
        yield from _validate_windows(spec, path)
    else:
        yield validatedwrites.unsupported_named(path.child("os"), name, ("linux", "windows"))


def _validate_linux(spec: Object, path: FieldPath) -> Errors:
    owners = [(spec, path), *podfields.containers(spec, path)]
    for owner, own in owners:
        if (owner.get("securityContext") or {}).get("windowsOptions") is not None:
            place = own.child("securityContext", "windowsOptions")
            yield fielderror.forbidden(place, "windows options cannot be set for a linux pod")


def _validate_windows(spec: Object, path: FieldPath) -> Errors:
    context = spec.get("securityContext") or {}
    for field in _WITHOUT_WINDOWS:
        is_set = bool(context.get(field)) if field == "sysctls" else context.get(field) is not None
        if is_set:
            yield fielderror.forbidden(path.child("securityContext", field), _NOT_ON_WINDOWS)
    for field in ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"):
        is_set = bool(spec.get(field)) if field in ("hostPID", "hostIPC") else spec.get(field) is not None
        if is_set:
            yield fielderror.forbidden(path.child(field), _NOT_ON_WINDOWS)
    for container, own in podfields.containers(spec, path):
        for field in _CONTAINER_WITHOUT_WINDOWS:
            if (container.get("securityContext") or {}).get(field) is not None:
                yield fielderror.forbidden(own.child("securityContext", field), _NOT_ON_WINDOWS)
