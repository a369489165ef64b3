"""
Validation of the containers of a Pod.

Reference:
    kubernetes pkg/apis/core/validation, validateContainers, validateInitContainers and validateEphemeralContainers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import (
    environments,
    mounts,
    podfields,
    probes,
    resources,
    securitycontexts,
)
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules

_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_RESTARTS: Final = ("Always", "Never", "OnFailure")
_RESIZED: Final = ("cpu", "memory")
_RESIZE_POLICIES: Final = ("NotRequired", "RestartContainer")
_OPERATORS: Final = ("In", "NotIn")
_MOST_RULES: Final = 20
_MOST_CODES: Final = 255
# The first minor versions of Kubernetes 1 with rules for restarts, and with the restart of all containers.
_RULES_SINCE: Final = 35
_RESTART_ALL_SINCE: Final = 36
_NOT_IN_INIT: Final = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
# Fields that an ephemeral container may not have, in the order of the Go struct.
_NOT_IN_EPHEMERAL: Final = (
    *("ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules", "livenessProbe", "readinessProbe"),
    *("startupProbe", "lifecycle"),
)
_POINTERS: Final = ("restartPolicy", "lifecycle")
# Fields with lists and maps that stay set without items: the field itself, or parts of it.
_LISTS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "ports": ((),),
    "resources": (("claims",), ("limits",), ("requests",)),
    "resizePolicy": ((),),
    "restartPolicyRules": ((),),
}


class Pod(NamedTuple):
    """
    The Pod of validated containers.

    Attributes:
        spec: Its spec.
        volumes: Its valid volumes by name.
        claims: The names of its resource claims.
        rules: The surroundings.
    """

    spec: Object
    volumes: Mapping[str, Object]
    claims: Collection[str]
    rules: Rules

    @property
    def has_host_users(self) -> bool:
        """Whether its containers have the users of the host."""
        return self.spec.get("hostUsers") in (None, True)


def validate(pod: Pod, path: FieldPath) -> Errors:
    """Yield the errors of all containers of a Pod; *path* leads to its spec."""
    yield from _validate_regular(pod, path.child("containers"))
    yield from _validate_init(pod, path.child("initContainers"))
    yield from _validate_ephemeral(pod, path.child("ephemeralContainers"))


def _validate_regular(pod: Pod, path: FieldPath) -> Errors:
    listed = pod.spec.get("containers") or ()
    if not listed:
        yield fielderror.required(path, "")
        return
    used: set[str] = set()
    for place, container in enumerate(listed):
        own, name = path.index(place), container.get("name") or ""
        yield from _validate_common(container, pod, own)
        if name in used:
            yield fielderror.duplicate(own.child("name"), name)
        used.add(name)
        yield from probes.validate(container, pod.spec.get("terminationGracePeriodSeconds"), own)
        yield from _validate_restarts(container, own, pod.rules)
    yield from _refuse_repeated_host_ports(listed, path)


def _validate_init(pod: Pod, path: FieldPath) -> Errors:
    used = {container.get("name") or "" for container in pod.spec.get("containers") or ()}
    for place, container in enumerate(pod.spec.get("initContainers") or ()):
        own, name = path.index(place), container.get("name") or ""
        yield from _validate_common(container, pod, own)
        yield from _validate_init_restarts(container, own, pod.rules)
        if name in used:
            yield fielderror.duplicate(own.child("name"), name)
        elif name:
            used.add(name)
        yield from _refuse_repeated_host_ports([container], path)
        is_sidecar = container.get("restartPolicy") == "Always"
        if is_sidecar:
            yield from probes.validate(container, pod.spec.get("terminationGracePeriodSeconds"), own)
            continue
        for field in _NOT_IN_INIT:
            if container.get(field) is not None:
                detail = "may not be set for init containers without restartPolicy=Always"
                yield fielderror.forbidden(own.child(field), detail)
        yield from _refuse_restarting_resizes(container, own, pod.rules)


def _refuse_restarting_resizes(container: Object, path: FieldPath, rules: Rules) -> Errors:
    for number, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer" and rules.minor >= _RULES_SINCE:
            field = path.child("resizePolicy").index(number).child("restartPolicy")
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            yield validatedwrites.invalid_named(field, "RestartContainer", detail)


def _validate_ephemeral(pod: Pod, path: FieldPath) -> Errors:
    others = {
        container.get("name") or ""
        for kind in ("containers", "initContainers")
        for container in pod.spec.get(kind) or ()
    }
    used = set(others)
    for place, container in enumerate(pod.spec.get("ephemeralContainers") or ()):
        own, name = path.index(place), container.get("name") or ""
        yield from _validate_common(container, pod, own)
        yield from validate_image(container, own)
        if name in used:
            yield fielderror.duplicate(own.child("name"), name)
        used.add(name)
        target = container.get("targetContainerName") or ""
        if target and target not in others:
            yield podfields.not_found(own.child("targetContainerName"), target)
        for field in _NOT_IN_EPHEMERAL:
            is_set = container.get(field) or (field in _POINTERS and container.get(field) is not None)
            places = (own.child(field, *part) for part in _LISTS.get(field, ()))
            if is_set or any(map(pod.rules.sends_empty, places)):
                yield fielderror.forbidden(own.child(field), "cannot be set for an Ephemeral Container")
        for number, mount in enumerate(container.get("volumeMounts") or ()):
            for field in ("subPath", "subPathExpr"):
                if mount.get(field):
                    place_of_field = own.child("volumeMounts").index(number).child(field)
                    yield fielderror.forbidden(place_of_field, "cannot be set for an Ephemeral Container")


def validate_image(container: Object, path: FieldPath) -> Errors:
    """Yield the error of an image with spaces around it, which only Pods refuse."""
    image = container.get("image") or ""
    if image != image.strip():
        yield fielderror.invalid(path.child("image"), image, "must not have leading or trailing whitespace")


def _validate_common(container: Object, pod: Pod, path: FieldPath) -> Errors:
    rules = pod.rules
    yield from podfields.validate_name(container, "name", path, rules.label)
    yield from podfields.require(container, path, "image")
    policy = container.get("terminationMessagePolicy") or ""
    yield from podfields.choose(policy, path.child("terminationMessagePolicy"), _MESSAGE_POLICIES)
    yield from _validate_ports(container.get("ports") or (), path.child("ports"))
    yield from environments.validate(container.get("env") or (), path.child("env"), rules)
    yield from environments.validate_sources(container.get("envFrom") or (), path.child("envFrom"))
    yield from mounts.validate(container, pod.volumes, path.child("volumeMounts"))
    yield from mounts.validate_devices(container, pod.volumes, path.child("volumeDevices"))
    yield from podfields.choose(container.get("imagePullPolicy") or "", path.child("imagePullPolicy"), _PULL_POLICIES)
    yield from resources.validate(container.get("resources") or {}, pod.claims, path.child("resources"), rules)
    yield from _validate_resizes(container.get("resizePolicy") or (), pod.spec, path.child("resizePolicy"))
    context = container.get("securityContext")
    if context is not None:
        place = path.child("securityContext")
        yield from securitycontexts.validate(context, place, rules, has_host_users=pod.has_host_users)


def _validate_ports(ports: Sequence[Object], path: FieldPath) -> Errors:
    used: set[str] = set()
    for place, port in enumerate(ports):
        own, name = path.index(place), port.get("name") or ""
        problems = [*podfields.find_port_name_problems(name)] if name else []
        # Go counts the errors with the variable that counts the ports.
        yield from (fielderror.invalid(own.child("name"), name, problem) for problem in problems)
        if name and not problems:
            if name in used:
                yield fielderror.duplicate(own.child("name"), name)
            used.add(name)
        if not port.get("containerPort"):
            yield fielderror.required(own.child("containerPort"), "")
        else:
            yield from podfields.validate_port(port["containerPort"], own.child("containerPort"))
        if port.get("hostPort"):
            yield from podfields.validate_port(port["hostPort"], own.child("hostPort"))
        yield from podfields.choose(port.get("protocol") or "", own.child("protocol"), _PROTOCOLS)


def _refuse_repeated_host_ports(listed: Sequence[Object], path: FieldPath) -> Errors:
    used: set[str] = set()
    for place, container in enumerate(listed):
        for number, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            text = f"{port.get('protocol') or ''}/{port.get('hostIP') or ''}/{port['hostPort']}"
            if text in used:
                yield fielderror.duplicate(path.index(place).child("ports").index(number).child("hostPort"), text)
            used.add(text)


def _validate_resizes(policies: Sequence[Object], spec: Object, path: FieldPath) -> Errors:
    used: set[str] = set()
    for place, policy in enumerate(policies):
        name, restart = policy.get("resourceName") or "", policy.get("restartPolicy") or ""
        if name in used:
            yield validatedwrites.reprinted(fielderror.duplicate(path.index(place), name))
        used.add(name)
        yield from podfields.choose(name, path, _RESIZED)
        yield from podfields.choose(restart, path, _RESIZE_POLICIES)
        if spec.get("restartPolicy") == "Never" and restart != "NotRequired":
            detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            yield validatedwrites.invalid_named(path, restart, detail)


def _validate_init_restarts(container: Object, path: FieldPath, rules: Rules) -> Errors:
    policy, own_rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is None:
        if own_rules:
            detail = "must specify restartPolicy when restart rules are used"
            yield fielderror.required(path.child("restartPolicy"), detail)
    elif policy == "Always" and rules.minor < _RESTART_ALL_SINCE:
        if own_rules:
            detail = "restartPolicyRules are not allowed for init containers with restart policy Always"
            yield fielderror.forbidden(path.child("restartPolicyRules"), detail)
    else:
        yield from _validate_restarts(container, path, rules)


def _validate_restarts(container: Object, path: FieldPath, rules: Rules) -> Errors:
    policy, own_rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is None and own_rules:
        detail = "must specify restartPolicy when restart rules are used"
        yield fielderror.required(path.child("restartPolicy"), detail)
    yield from podfields.choose_optional(container, path, "restartPolicy", _RESTARTS)
    place = path.child("restartPolicyRules")
    if len(own_rules) > _MOST_RULES:
        yield fielderror.too_many(place, len(own_rules), _MOST_RULES)
    actions = ("Restart", "RestartAllContainers") if rules.minor >= _RESTART_ALL_SINCE else ("Restart",)
    for number, rule in enumerate(own_rules):
        own = place.index(number)
        yield from podfields.choose(rule.get("action") or "", own.child("action"), actions, empty=None)
        codes = rule.get("exitCodes")
        if codes is None:
            yield fielderror.required(own.child("exitCodes"), "must be specified")
            continue
        operator = codes.get("operator") or ""
        yield from podfields.choose(operator, own.child("exitCodes", "operator"), _OPERATORS, empty=None)
        count = len(codes.get("values") or ())
        if count > _MOST_CODES:
            yield fielderror.too_many(own.child("exitCodes", "values"), count, _MOST_CODES)
