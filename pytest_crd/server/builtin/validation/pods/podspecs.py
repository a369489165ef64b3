"""
Validation of the spec of a Pod, and of a template of Pods.

Reference:
    kubernetes pkg/apis/core/validation, ValidatePodSpec and ValidatePodTemplateSpec.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names, objectmetarules
from pytest_crd.server.builtin.validation import ipaddresses
from pytest_crd.server.builtin.validation.pods import (
    containers,
    environments,
    gostructs,
    placement,
    podannotations,
    podfields,
    resources,
    securitycontexts,
    volumes,
    windowsoptions,
)
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules

_RESTARTS: Final = ("Always", "OnFailure", "Never")
_DNS_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTIONS: Final = ("PreemptLowerPriority", "Never")
_MOST_SECONDS: Final = 2**31 - 1
_MOST_SERVERS: Final = 3
_MOST_SEARCHES: Final = 32
_MOST_SEARCH_CHARACTERS: Final = 2048
_LONGEST_HOSTNAME: Final = 64
_WITHOUT_HOST_USERS: Final = "when `hostUsers` is false"


def validate_template(template: Object, path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of a template."""
    metadata, spec, own = template.get("metadata") or {}, template.get("spec") or {}, path.child("spec")
    annotations, place = metadata.get("annotations") or {}, path.child("annotations")
    yield from objectmetarules.validate_labels(metadata.get("labels") or {}, path.child("labels"), rules.profile)
    yield from objectmetarules.validate_annotations(annotations, place, rules.profile)
    yield from podannotations.validate(annotations, spec, place)
    yield from validate(spec, own, rules)
    yield from podannotations.compare_with_fields(annotations, spec, own)
    if spec.get("ephemeralContainers"):
        yield fielderror.forbidden(own.child("ephemeralContainers"), "ephemeral containers not allowed in pod template")


def validate(spec: Object, path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of the spec of a Pod."""
    valid, errors = volumes.validate(spec.get("volumes") or (), path.child("volumes"), rules)
    yield from errors
    listed = spec.get("resourceClaims") or ()
    claims = {claim["name"] for claim in listed if claim.get("name")}
    yield from _validate_claims(listed, path.child("resourceClaims"), rules)
    yield from containers.validate(containers.Pod(spec, valid, claims, rules), path)
    yield from resources.validate_pod(spec, claims, path, rules)
    yield from _validate_host_ports(spec, path, rules)
    yield from podfields.choose(spec.get("restartPolicy") or "", path.child("restartPolicy"), _RESTARTS)
    yield from podfields.choose(spec.get("dnsPolicy") or "", path.child("dnsPolicy"), _DNS_POLICIES)
    yield from objectmetarules.validate_labels(
        spec.get("nodeSelector") or {}, path.child("nodeSelector"), rules.profile
    )
    yield from securitycontexts.validate_pod(spec, path.child("securityContext"), rules)
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield fielderror.invalid(path.child("shareProcessNamespace"), True, detail)  # noqa: FBT003 - a bad value
    yield from placement.validate_affinity(spec.get("affinity") or {}, path.child("affinity"), rules)
    yield from _validate_dns(spec, path.child("dnsConfig"), rules)
    yield from _validate_gates(spec, path, rules)
    constraints = spec.get("topologySpreadConstraints") or ()
    yield from placement.validate_spread(constraints, path.child("topologySpreadConstraints"), rules)
    yield from windowsoptions.validate_host_process(spec, path)
    yield from _validate_host_users(spec, path)
    yield from _validate_hostname(spec, path)
    yield from _validate_names(spec, path, rules)
    yield from securitycontexts.validate_system(spec, path)
    yield from environments.validate_files(spec, path)


def _validate_claims(claims: Sequence[Object], path: FieldPath, rules: Rules) -> Errors:
    used: set[str] = set()
    for place, claim in enumerate(claims):
        if podannotations.MIRROR in rules.annotations:
            yield fielderror.forbidden(FieldPath(("",)), "static pods do not support resource claims")
            continue
        own, name = path.index(place), claim.get("name") or ""
        if name in used:
            yield fielderror.duplicate(own.child("name"), name)
        else:
            yield from podfields.validate_name(claim, "name", own, rules.label)
            used.update({name} - {""})
        sources = [
            field for field in ("resourceClaimName", "resourceClaimTemplateName") if claim.get(field) is not None
        ]
        details = {
            0: "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
            2: "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
        }
        if len(sources) in details:
            yield gostructs.invalid(own, claim, "core.v1.PodResourceClaim", details[len(sources)], rules.profile)
        for field in sources:
            yield from podfields.validate_text(claim[field], own.child(field), names.dns1123_subdomain)


def _validate_host_ports(spec: Object, path: FieldPath, rules: Rules) -> Errors:
    for place, container in enumerate(spec.get("containers") or () if spec.get("hostNetwork") else ()):
        for number, port in enumerate(container.get("ports") or ()):
            host, own = port.get("hostPort") or 0, port.get("containerPort") or 0
            if (rules.is_pod or host) and host != own:
                field = path.child("containers").index(place).child("ports").index(number).child("hostPort")
                yield fielderror.invalid(field, host, "must match `containerPort` when `hostNetwork` is true")


def _validate_dns(spec: Object, path: FieldPath, rules: Rules) -> Errors:
    config = spec.get("dnsConfig")
    servers = (config or {}).get("nameservers") or []
    if spec.get("dnsPolicy") == "None" and not servers:
        if config is None:
            yield fielderror.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
        else:
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            yield fielderror.required(path.child("nameservers"), detail)
        return
    if config is None:
        return
    yield from _validate_servers(servers, path, rules)
    yield from _validate_searches(config.get("searches") or [], path.child("searches"))
    for place, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            yield fielderror.required(path.child("options").index(place), "must not be empty")


def _validate_servers(servers: list[str], path: FieldPath, rules: Rules) -> Errors:
    if len(servers) > _MOST_SERVERS:
        yield fielderror.invalid(
            path.child("nameservers"), servers, f"must not have more than {_MOST_SERVERS} nameservers"
        )
    for place, server in enumerate(servers):
        yield from ipaddresses.validate(path.child("nameservers").index(place), server, (), rules.profile)


def _validate_searches(searches: list[str], own: FieldPath) -> Errors:
    if len(searches) > _MOST_SEARCHES:
        yield fielderror.invalid(own, searches, f"must not have more than {_MOST_SEARCHES} search paths")
    if len(" ".join(searches).encode()) > _MOST_SEARCH_CHARACTERS:
        detail = f"must not have more than {_MOST_SEARCH_CHARACTERS} characters (including spaces) in the search list"
        yield fielderror.invalid(own, searches, detail)
    for place, search in enumerate(searches):
        if search != ".":
            domain = search.removesuffix(".")
            yield from podfields.validate_text(domain, own.index(place), podfields.find_search_problems)


def _validate_gates(spec: Object, path: FieldPath, rules: Rules) -> Errors:
    for place, gate in enumerate(spec.get("readinessGates") or ()):
        field = path.child("readinessGates").index(place).child("conditionType")
        yield from podfields.validate_text(gate.get("conditionType") or "", field, rules.qualified)
    used: set[str] = set()
    for place, gate in enumerate(spec.get("schedulingGates") or ()):
        own, name = path.child("schedulingGates").index(place), gate.get("name") or ""
        yield from podfields.validate_text(name, own, rules.qualified)
        if name in used:
            yield fielderror.duplicate(own, name)
        used.add(name)


def _validate_host_users(spec: Object, path: FieldPath) -> Errors:
    if spec.get("hostUsers") in (None, True):
        return
    for field, spelled in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(field):
            yield fielderror.forbidden(path.child(spelled), _WITHOUT_HOST_USERS)
    for container, own in podfields.containers(spec, path):
        if container.get("volumeDevices"):
            yield fielderror.forbidden(own.child("volumeDevices"), _WITHOUT_HOST_USERS)


def _validate_hostname(spec: Object, path: FieldPath) -> Errors:
    name, place = spec.get("hostnameOverride"), path.child("hostnameOverride")
    if name is None:
        return
    for field in ("setHostnameAsFQDN", "hostNetwork"):
        if spec.get(field):
            yield fielderror.forbidden(place, f"may not be specified when {field} is true")
    if len(name.encode()) > _LONGEST_HOSTNAME:
        yield fielderror.too_long(place, _LONGEST_HOSTNAME)
    yield from podfields.validate_text(name, place, names.dns1123_subdomain)


def _validate_names(spec: Object, path: FieldPath, rules: Rules) -> Errors:
    yield from _validate_optional_name(spec, "serviceAccountName", path)
    yield from _validate_optional_name(spec, "nodeName", path)
    yield from podfields.limit(spec, path, "activeDeadlineSeconds", (1, _MOST_SECONDS))
    for field in ("hostname", "subdomain"):
        if name := spec.get(field):
            yield from podfields.validate_text(name, path.child(field), rules.label)
    yield from placement.validate_tolerations(spec.get("tolerations") or (), path.child("tolerations"), rules)
    yield from _validate_aliases(spec.get("hostAliases") or (), path.child("hostAliases"), rules)
    yield from _validate_optional_name(spec, "priorityClassName", path)
    if spec.get("runtimeClassName") is not None:
        yield from podfields.validate_text(
            spec["runtimeClassName"], path.child("runtimeClassName"), names.dns1123_subdomain
        )
    if spec.get("preemptionPolicy") is not None:
        yield from podfields.choose(spec["preemptionPolicy"], path.child("preemptionPolicy"), _PREEMPTIONS)
    if spec.get("overhead") is not None:
        yield from resources.validate_overhead(spec["overhead"], path.child("overhead"), rules)


def _validate_optional_name(spec: Object, field: str, path: FieldPath) -> Errors:
    if name := spec.get(field):
        yield from podfields.validate_text(name, path.child(field), names.dns1123_subdomain)


def _validate_aliases(aliases: Sequence[Object], path: FieldPath, rules: Rules) -> Errors:
    for place, alias in enumerate(aliases):
        own = path.index(place)
        yield from ipaddresses.validate(own.child("ip"), alias.get("ip") or "", (), rules.profile)
        for number, name in enumerate(alias.get("hostnames") or ()):
            yield from podfields.validate_text(name, own.child("hostnames").index(number), names.dns1123_subdomain)
