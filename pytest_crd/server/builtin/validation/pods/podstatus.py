"""
Validation of the status of a Pod.

Reference:
    kubernetes pkg/apis/core/validation, ValidatePodStatusUpdate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin.validation import ipaddresses, validatedwrites
from pytest_crd.server.builtin.validation.pods import podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, ValidatedWrite

_STATUS: Final = ROOT.child("status")
_SYSTEM: Final = ("PodScheduled", "Ready", "Initialized")
# Statuses of containers, and the fields of the containers; ephemeral ones never restart.
_STATES: Final[Mapping[str, str]] = {
    "containerStatuses": "containers",
    "initContainerStatuses": "initContainers",
    "ephemeralContainerStatuses": "",
}
_NOT_NEGATIVE: Final = "must be a non-negative integer"
_RESTART_ALL: Final = "RestartAllContainers"
_MOST_ADDRESSES: Final = 2
# The first minor versions of Kubernetes 1 with rules for restarts, and with the restart of all containers.
_RULES_SINCE: Final = 35
_RESTART_ALL_SINCE: Final = 36
_CLEARS_NODE_SINCE: Final = 35


def validate(write: ValidatedWrite) -> Errors:
    """Yield the errors of the status of an updated Pod."""
    new, old, spec = write.new.get("status") or {}, write.stored.get("status") or {}, write.stored.get("spec") or {}
    rules = Rules(write.profile)
    for place, condition in enumerate(new.get("conditions") or ()):
        own, type_ = _STATUS.child("conditions").index(place), condition.get("type") or ""
        if (condition.get("observedGeneration") or 0) < 0:
            yield fielderror.invalid(own.child("observedGeneration"), condition["observedGeneration"], _NOT_NEGATIVE)
        if type_ not in _SYSTEM:
            yield from podfields.validate_text(type_, own.child("Type"), rules.qualified)
    node, path = new.get("nominatedNodeName") or "", _STATUS.child("nominatedNodeName")
    if node and node != (old.get("nominatedNodeName") or ""):
        yield from podfields.validate_text(node, path, names.dns1123_subdomain)
        if spec.get("nodeName") and rules.minor >= _CLEARS_NODE_SINCE:
            yield fielderror.forbidden(path, "may not be set on pods that are already bound to a node")
    if (new.get("observedGeneration") or 0) < 0:
        yield fielderror.invalid(_STATUS.child("observedGeneration"), new["observedGeneration"], _NOT_NEGATIVE)
    if (new.get("qosClass") or "") != (old.get("qosClass") or ""):
        quality = new.get("qosClass") or ""
        yield validatedwrites.invalid_named(_STATUS.child("qosClass"), quality, validatedwrites.IMMUTABLE)
    for field in _STATES:
        yield from _refuse_restarts(new.get(field) or (), old.get(field) or (), field, (spec, rules))
    yield from _validate_addresses(new, old, ("podIP", "podIPs"), rules)
    yield from _validate_addresses(new, old, ("hostIP", "hostIPs"), rules)


def _refuse_restarts(new: Sequence[Object], old: Sequence[Object], field: str, pod: tuple[Object, Rules]) -> Errors:
    """Yield the errors of containers that have ended and no longer have; *field* has their statuses."""
    (spec, rules), kind, path = pod, _STATES[field], _STATUS.child(field)
    for place, status in enumerate(old):
        ended = (status.get("state") or {}).get("terminated")
        if ended is None:
            continue
        name = status.get("name") or ""
        container = next((item for item in spec.get(kind) or () if (item.get("name") or "") == name), None)
        if kind and _may_restart(container, spec, ended.get("exitCode") or 0, rules):
            continue
        for changed in new:
            if (changed.get("name") or "") == name and (changed.get("state") or {}).get("terminated") is None:
                yield fielderror.forbidden(
                    path.index(place).child("state"), "may not be transitioned to non-terminated state"
                )


def _may_restart(container: Object | None, spec: Object, code: int, rules: Rules) -> bool:
    policy, own = spec.get("restartPolicy"), (container or {}).get("restartPolicy")
    if rules.minor < _RULES_SINCE:
        return policy == "Always" or own == "Always" or (policy == "OnFailure" and code != 0)
    listed = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    actions = [rule.get("action") for item in listed for rule in item.get("restartPolicyRules") or ()]
    if rules.minor >= _RESTART_ALL_SINCE and _RESTART_ALL in actions:
        return True
    if container is None:
        return False
    for rule in container.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes") or {}
        if own is not None and (code in (codes.get("values") or ())) == (codes.get("operator") == "In"):
            return True
    policy = own or policy
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def _validate_addresses(new: Object, old: Object, fields: tuple[str, str], rules: Rules) -> Errors:
    """Yield the errors of addresses: one and its list."""
    one, many = fields
    path = _STATUS.child(many)
    texts = [item.get("ip") or "" for item in new.get(many) or ()]
    accepted = [item.get("ip") or "" for item in old.get(many) or ()]
    if one == "hostIP" and texts and (new.get(one) or "") != texts[0]:
        yield fielderror.invalid(path.index(0).child("ip"), texts[0], f"must be equal to `{one}`")
    for place, text in enumerate(texts):
        yield from ipaddresses.validate(path.index(place), text, accepted, rules.profile)
    if len(texts) > 1:
        yield from _refuse_second_family(texts, path)


def _refuse_second_family(texts: Sequence[str], path: FieldPath) -> Errors:
    addresses = [ipaddresses.parse(text) for text in texts]
    wrong = next((place for place, address in enumerate(addresses) if address is None), None)
    if wrong is not None:
        detail = f"failed to check for dual stack with error:invalid IP[{wrong}]: {texts[wrong]}"
        yield fielderror.internal(path, detail)
    families = {ipaddresses.is_ipv6(text) for text in texts}
    if wrong is not None or len(families) < _MOST_ADDRESSES or len(texts) > _MOST_ADDRESSES:
        detail = "may specify no more than one IP for each IP family"
        printed = printing.marshal([{"IP": text} for text in texts])
        yield badvalues.invalid_as(path, [*texts], printed, detail)
