"""
Rules for the names of built-in objects.

Reference:
    kubernetes pkg/apis, validation of each group.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import names, objectmetarules
from pytest_crd.engine.metadata.objectmetarules import NameRule
from pytest_crd.engine.profile import Profile

# Names of Jobs are those of their CronJob with eleven more characters.
_MOST_CRON_JOB: Final = 52
# The first minor version of Kubernetes 1 in which the name of a Service may begin with a digit.
_RELAXED_SERVICES: Final = 36


def find_rule(resource: str, object_: Resource, profile: Profile) -> NameRule:
    """
    Return the rule for the name of a new object.

    Args:
        resource: Its resource: `plural` or `plural.group`.
        object_: The object; the names of some kinds follow from its fields.
        profile: The reproduced Kubernetes version.
    """
    make = _RULES.get(resource)
    return objectmetarules.DNS_SUBDOMAIN if make is None else make(object_, profile)


def _path_segment(_object: Resource, _profile: Profile) -> NameRule:
    return objectmetarules.PATH_SEGMENT


def _any_name(_object: Resource, _profile: Profile) -> NameRule:
    """Accept any name: the rule of all kinds, a segment of a path, comes after other errors."""
    return NameRule(lambda _: (), lambda _: ())


def _label(_object: Resource, profile: Profile) -> NameRule:
    return _masked(lambda text: names.dns1123_label(text, profile))


def _service(object_: Resource, profile: Profile) -> NameRule:
    is_relaxed = profile.minor >= _RELAXED_SERVICES
    return _label(object_, profile) if is_relaxed else _masked(names.dns1035_label)


def _masked(rule: Callable[[str], tuple[str, ...]]) -> NameRule:
    """Return a rule whose prefixes may end with a dash."""
    return NameRule(rule, lambda prefix: rule(names.without_trailing_dash(prefix)))


def _cron_job(_object: Resource, _profile: Profile) -> NameRule:
    def find_problems(name: str) -> tuple[str, ...]:
        problem = () if len(name.encode()) <= _MOST_CRON_JOB else (f"must be no more than {_MOST_CRON_JOB} characters",)
        return (*names.dns1123_subdomain(name), *problem)

    return NameRule(find_problems, names.dns1123_subdomain_prefix)


def _ip_address(_object: Resource, _profile: Profile) -> NameRule:
    return NameRule(_find_ip_problems, _find_ip_problems)


def _find_ip_problems(text: str) -> tuple[str, ...]:
    """
    Return the problems of an IP address as a name.

    Reference:
        apimachinery util/validation/ip.go, IsValidIP.
    """
    try:
        canonical = str(ipaddress.ip_address(text))
    except ValueError:
        return ("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",)
    return () if canonical == text else (f"must be in canonical form ({printing.quote(canonical)})",)


def _api_service(object_: Resource, _profile: Profile) -> NameRule:
    spec = object_.get("spec") or {}
    required = f"{spec.get('version', '')}.{spec.get('group', '')}"

    def find_problems(name: str) -> tuple[str, ...]:
        problem = f'must be `spec.version+"."+spec.group`: {printing.quote(required)}'
        return (*names.path_segment(name), *(() if name == required else (problem,)))

    return NameRule(find_problems, find_problems)


def _trust_bundle(object_: Resource, _profile: Profile) -> NameRule:
    signer = (object_.get("spec") or {}).get("signerName", "")
    if not signer:
        problem = 'ClusterTrustBundle without signer name must not have ":" in its name'

        def unsigned(rule: Callable[[str], tuple[str, ...]]) -> Callable[[str], tuple[str, ...]]:
            return lambda name: (problem,) if ":" in name else rule(name)

        return NameRule(unsigned(names.dns1123_subdomain), unsigned(names.dns1123_subdomain_prefix))
    lead = f"{signer.replace('/', ':')}:"

    def signed(rule: Callable[[str], tuple[str, ...]]) -> Callable[[str], tuple[str, ...]]:
        problem = f"ClusterTrustBundle for signerName {signer} must be named with prefix {lead}"
        return lambda name: rule(name.removeprefix(lead)) if name.startswith(lead) else (problem,)

    return NameRule(signed(names.dns1123_subdomain), signed(names.dns1123_subdomain_prefix))


_RULES: Final[Mapping[str, Callable[[Resource, Profile], NameRule]]] = {
    "apiservices.apiregistration.k8s.io": _api_service,
    "certificatesigningrequests.certificates.k8s.io": _any_name,
    "clustertrustbundles.certificates.k8s.io": _trust_bundle,
    "cronjobs.batch": _cron_job,
    "events": _path_segment,
    "ipaddresses.networking.k8s.io": _ip_address,
    "namespaces": _label,
    "poddisruptionbudgets.policy": _path_segment,
    "services": _service,
    "statefulsets.apps": _label,
    **dict.fromkeys(
        (f"{plural}.rbac.authorization.k8s.io" for plural in ("clusterrolebindings", "clusterroles", "rolebindings", "roles")),
        _path_segment,
    ),
}  # fmt: skip
