"""
Warnings about valid Pods and templates.

Reference:
    kubernetes pkg/api/pod/warnings.go; pkg/api/persistentvolumeclaim/util.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import apparmor
from pytest_crd.server.builtin.validation import ipaddresses, nodelabels
from pytest_crd.server.builtin.validation.pods import pathwarnings, podannotations, podfields, resources
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, ValidatedWrite

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_ANNOTATIONS: Final[Mapping[str, str]] = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
}
_VOLUMES: Final[Mapping[str, str]] = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "ephemeral": "",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_SPELLED: Final = {"storageos": "storageOS"}
_NO_SELECTOR: Final = "a null labelSelector results in matching no pod"
_BYTES: Final = ("memory", "ephemeral-storage")
_USE_FIELD: Final = 'non-functional in v1.27+; use the "seccompProfile" field instead'


def warn_about_name(name: str, profile: Profile, called: str = "Pod names and hostnames") -> tuple[str, ...]:
    """Return the warning about a name that is no DNS label; *called* tells where it is used."""
    problems: Any = names.dns1123_label(name, profile)
    if not problems:
        return ()
    lead = (
        f"metadata.name: this is used in {called}, which can result in surprising behavior; a DNS label is recommended"
    )
    return (f"{lead}: [{' '.join(problems)}]",)


def find_in_template(write: ValidatedWrite, *path: str) -> tuple[str, ...]:
    """Return the warnings about the template of an object, at a path."""
    template: Any = write.new
    for name in path:
        template = template.get(name) or {}
    return tuple(find(template, ROOT.child(*path), Rules(write.profile)))


def find_in_changed_template(write: ValidatedWrite, counted: Sequence[str], *path: str) -> tuple[str, ...]:
    """Return the warnings about the template of an object if an update changes a *counted* field."""
    if write.subresource or all(_at(write.new, field) == _at(write.stored, field) for field in counted):
        return ()
    return find_in_template(write, *path)


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = (value or {}).get(name)
    return value or {}


def find(template: Object, path: FieldPath, rules: Rules) -> Iterator[str]:
    """Yield the warnings about a Pod, or a template at a path."""
    spec, own = template.get("spec") or {}, path.child("spec")
    annotations = (template.get("metadata") or {}).get("annotations") or {}
    yield from _find_in_placement(spec, own, rules)
    yield from _find_in_annotations(annotations, path.child("metadata", "annotations"))
    yield from _find_in_volumes(spec.get("volumes") or (), own.child("volumes"))
    yield from pathwarnings.find(spec.get("volumes") or ())
    yield from _find_repeated(spec, own, "hostAliases", "ip")
    yield from _find_repeated(spec, own, "imagePullSecrets", "name")
    for place, secret in enumerate(spec.get("imagePullSecrets") or ()):
        if not secret.get("name"):
            yield f'{own.child("imagePullSecrets").index(place).child("name")}: invalid empty name ""'
    yield from resources.find_fractions(spec, ("overhead",), own, _BYTES)
    yield from _find_in_containers(spec, annotations, path, rules)
    yield from _find_in_ports(spec, own)
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        place_of_grace = own.child("terminationGracePeriodSeconds")
        yield f"{place_of_grace}: must be >= 0; negative values are invalid and will be treated as 1"
    yield from _find_in_pod_affinity(spec.get("affinity") or {}, own.child("affinity"))
    yield from _find_in_addresses(spec, own, rules.profile)


def _find_in_addresses(spec: Object, path: FieldPath, profile: Profile) -> Iterator[str]:
    for place, server in enumerate((spec.get("dnsConfig") or {}).get("nameservers") or ()):
        yield from ipaddresses.find_warnings(path.child("dnsConfig", "nameservers").index(place), server, profile)
    for place, alias in enumerate(spec.get("hostAliases") or ()):
        own = path.child("hostAliases").index(place).child("ip")
        yield from ipaddresses.find_warnings(own, alias.get("ip") or "", profile)


def _find_in_placement(spec: Object, path: FieldPath, rules: Rules) -> Iterator[str]:
    for key in spec.get("nodeSelector") or {}:
        if key in nodelabels.DEPRECATED:
            yield f"{path.child('nodeSelector').key(key)}: {nodelabels.DEPRECATED[key]}"
    affinity, place = (spec.get("affinity") or {}).get("nodeAffinity") or {}, path.child("affinity", "nodeAffinity")
    for number, term in enumerate((affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()):
        yield from _find_in_term(term, place.child(_REQUIRED, "nodeSelectorTerms").index(number))
    for number, weighted in enumerate(affinity.get(_PREFERRED) or ()):
        preferred = place.child(_PREFERRED).index(number).child("preference")
        yield from _find_in_term(weighted.get("preference") or {}, preferred, rules)
    for number, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        own, key = path.child("topologySpreadConstraints").index(number), constraint.get("topologyKey") or ""
        if key in nodelabels.DEPRECATED:
            yield f"{own.child('topologyKey')}: {key} is {nodelabels.DEPRECATED[key]}"
        if constraint.get("labelSelector") is None:
            yield f"{own.child('labelSelector')}: {_NO_SELECTOR}"


def _find_in_term(term: Object, path: FieldPath, rules: Rules | None = None) -> Iterator[str]:
    """Yield the warnings about a term; with *rules*, also those about its values."""
    for number, expression in enumerate(term.get("matchExpressions") or ()):
        own, key = path.child("matchExpressions").index(number), expression.get("key") or ""
        if key in nodelabels.DEPRECATED:
            yield f"{own.child('key')}: {key} is {nodelabels.DEPRECATED[key]}"
        if rules is None:
            continue
        for place, value in enumerate(expression.get("values") or ()):
            for problem in rules.value(value):
                yield f"{own.child('values').index(place)}: {value} is invalid, {problem}"


def _find_in_annotations(annotations: Mapping[str, str], path: FieldPath) -> Iterator[str]:
    for key, message in _ANNOTATIONS.items():
        if key in annotations:
            yield f"{path.key(key)}: {message}"


def _find_in_volumes(volumes: Sequence[Object], path: FieldPath) -> Iterator[str]:
    for place, volume in enumerate(volumes):
        own = path.index(place)
        for source, message in _VOLUMES.items():
            if volume.get(source) is None:
                continue
            if message:
                yield f"{own.child(_SPELLED.get(source, source))}: {message}"
            else:
                claim = own.child(source, "volumeClaimTemplate", "spec")
                yield from find_in_claim(volume[source]["volumeClaimTemplate"].get("spec") or {}, claim)


def find_in_claim(spec: Object, path: FieldPath) -> Iterator[str]:
    """Yield the warnings about the spec of a claim."""
    needs = spec.get("resources") or {}
    return resources.find_fractions(needs, ("requests", "limits"), path.child("resources"), ("storage",))


def _find_repeated(spec: Object, path: FieldPath, field: str, name: str) -> Iterator[str]:
    used: set[str] = set()
    for place, item in enumerate(spec.get(field) or ()):
        text = item.get(name) or ""
        if text in used:
            yield f"{path.child(field).index(place).child(name)}: duplicate {name} {printing.quote(text)}"
        used.add(text)


def _find_in_containers(spec: Object, annotations: Mapping[str, str], path: FieldPath, rules: Rules) -> Iterator[str]:
    place, context = path.child("metadata", "annotations"), spec.get("securityContext") or {}
    if podannotations.SECCOMP in annotations and context.get("seccompProfile") is None:
        yield f"{place.key(podannotations.SECCOMP)}: {_USE_FIELD}"
    for container, own in podfields.containers(spec, path.child("spec")):
        name, own_context = container.get("name") or "", container.get("securityContext") or {}
        seccomp, app_armor = f"{podannotations.SECCOMP_CONTAINER}{name}", f"{apparmor.ANNOTATION}{name}"
        if seccomp in annotations and own_context.get("seccompProfile") is None:
            yield f"{place.key(seccomp)}: {_USE_FIELD}"
        profile = context.get("appArmorProfile")
        has_own = rules.is_pod or own_context.get("appArmorProfile") is not None
        is_other = profile is None or profile != apparmor.profile_of(annotations.get(app_armor, ""))
        if app_armor in annotations and is_other and not has_own:
            yield f"{place.key(app_armor)}: {podannotations.OLD_APP_ARMOR}"
        needs = container.get("resources") or {}
        yield from resources.find_fractions(needs, ("limits", "requests"), own.child("resources"), _BYTES)
        yield from _find_hidden(container.get("env") or (), own.child("env"))


def _find_hidden(variables: Sequence[Object], path: FieldPath) -> Iterator[str]:
    used: set[str] = set()
    for place, variable in enumerate(variables):
        name, value = variable.get("name") or "", variable.get("value") or ""
        reference = f"$({name})"
        is_hidden = variable.get("valueFrom") is not None or value == reference or reference not in value
        if name in used and is_hidden:
            quoted = printing.quote(name)
            yield f"{path.index(place)}: hides previous definition of {quoted}, which may be dropped when using apply"
        used.add(name)


def _find_in_ports(spec: Object, path: FieldPath) -> Iterator[str]:
    ports = [
        (port, own.child("ports").index(place))
        for container, own in podfields.containers(spec, path)
        for place, port in enumerate(container.get("ports") or ())
    ]
    for number, (port, own) in enumerate(ports):
        if port.get("hostIP") and not port.get("hostPort"):
            shown = " ".join(f"{name}:{port.get(key) or zero}" for name, key, zero in _PORT_FIELDS)
            yield f"{own}: hostIP set without hostPort: {{{shown}}}"
        for other, place in ports[:number]:
            if _number_of(port) == _number_of(other) and (relation := _relation(port, other)):
                yield f"{own}: {relation} port definition with {place}"
    named: dict[str, FieldPath] = {}
    for port, own in ports:
        name = port.get("name")
        if name in named:
            other_path = named[name]
            yield (
                f"{own}: duplicate port name {printing.quote(name)} with {other_path}, services and probes that select"
                f" ports by name will use {other_path}"
            )
        elif name:
            named[name] = own


_PORT_FIELDS: Final = (
    *(("Name", "name", ""), ("HostPort", "hostPort", 0), ("ContainerPort", "containerPort", 0)),
    *(("Protocol", "protocol", ""), ("HostIP", "hostIP", "")),
)


def _number_of(port: Object) -> tuple[int, str]:
    return port.get("containerPort") or 0, port.get("protocol") or ""


def _relation(port: Object, other: Object) -> str:
    hosts = port.get("hostIP") or "", other.get("hostIP") or ""
    numbers = port.get("hostPort") or 0, other.get("hostPort") or 0
    if hosts[0] == hosts[1] and numbers[0] == numbers[1]:
        return "duplicate"
    if not all(numbers):
        return "overlapping"
    is_ambiguous = numbers[0] == numbers[1] and any(hosts) and not all(hosts)
    return "dangerously ambiguous" if is_ambiguous else ""


def _find_in_pod_affinity(affinity: Object, path: FieldPath) -> Iterator[str]:
    for kind in ("podAffinity", "podAntiAffinity"):
        own = affinity.get(kind) or {}
        for number, term in enumerate(own.get(_REQUIRED) or ()):
            if term.get("labelSelector") is None:
                yield f"{path.child(kind, _REQUIRED).index(number).child('labelSelector')}: {_NO_SELECTOR}"
        for number, weighted in enumerate(own.get(_PREFERRED) or ()):
            if (weighted.get("podAffinityTerm") or {}).get("labelSelector") is None:
                place = path.child(kind, _PREFERRED).index(number).child("podAffinityTerm", "labelSelector")
                yield f"{place}: {_NO_SELECTOR}"
