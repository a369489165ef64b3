"""
Validation of NetworkPolicies, and warnings about the notation of their ranges of addresses.

Reference:
    kubernetes pkg/apis/networking/validation, ValidateNetworkPolicy and ValidateNetworkPolicyUpdate;
    pkg/registry/networking/networkpolicy/strategy.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.server.builtin.validation import fieldrules, ipaddresses, serviceports, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite

_DIRECTIONS: Final = {"ingress": "from", "egress": "to"}
_TYPES: Final = ("Ingress", "Egress")


def _validate_port(site: Site) -> Iterator[FieldError]:
    """Validate number or name of a port, and the end of a range of ports."""
    port, end = site.child("port"), site.child("endPort")
    if isinstance(port.value, int):
        yield from serviceports.validate_range(port.path, port.value)
        if end.value is not None:
            if end.value < port.value:
                value = (
                    end.value if site.profile.declares_required_fields else port.value
                )  # older versions print the port
                yield fielderror.invalid(end.path, value, "must be greater than or equal to `port`")
            yield from serviceports.validate_range(end.path, end.value)
        return
    if end.value is not None:
        state = "not specified" if port.value is None else "non-numeric"
        yield end.invalid(f"may not be specified when `port` is {state}")
    yield from fieldrules.text(serviceports.find_name_problems)(port)


def _validate_block(site: Site) -> Iterator[FieldError]:
    """Validate a range of addresses and its exceptions; ranges of the stored policy stay valid."""
    cidr, accepted = site.child("cidr"), _find_ranges(site.write.old)
    if not cidr.value:
        yield fielderror.required(cidr.path, "")
        return
    yield from ipaddresses.validate_cidr(cidr.path, cidr.value, accepted, site.profile)
    outer = ipaddresses.parse_cidr(cidr.value)
    if outer is None:
        return
    for place, text in enumerate(site.value.get("except") or ()):
        path = site.path.child("except").index(place)
        yield from ipaddresses.validate_cidr(path, text, accepted, site.profile)
        inner = ipaddresses.parse_cidr(text)
        if inner is None:
            continue
        network, part = outer[1], inner[1]
        if part.network_address not in network or network.prefixlen >= part.prefixlen:
            yield fielderror.invalid(path, text, "must be a strict subset of `cidr`")


def _find_ranges(policy: Mapping[str, Any] | None) -> list[str]:
    return [] if policy is None else [text for _, text in _ranges(policy)]


def _ranges(policy: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str]]:
    """Yield each range of addresses with its path."""
    spec = policy.get("spec") or {}
    for direction, peers in _DIRECTIONS.items():
        for place, rule in enumerate(spec.get(direction) or ()):
            for number, peer in enumerate(rule.get(peers) or ()):
                block = peer.get("ipBlock")
                if block is None:
                    continue
                path = ROOT.child("spec", direction).index(place).child(peers).index(number).child("ipBlock")
                yield path.child("cidr"), block.get("cidr") or ""
                for item, text in enumerate(block.get("except") or ()):
                    yield path.child("except").index(item), text


def _validate_number_of_peers(site: Site) -> Iterator[FieldError]:
    used = [name for name in ("podSelector", "namespaceSelector", "ipBlock") if site.value.get(name) is not None]
    if not used:
        yield fielderror.required(site.path, "must specify a peer")
    elif len(used) > 1 and "ipBlock" in used:
        yield fielderror.forbidden(site.path, "may not specify both ipBlock and another peer")


def _validate_types(site: Site) -> Iterator[FieldError]:
    types = site.value or ()
    if len(types) > len(_TYPES):
        yield fieldrules.refuse_value(site, "may not specify more than two policyTypes")
        return
    yield from fieldrules.each(fieldrules.choice(*_TYPES))(site)


_PORTS: Final = fieldrules.each(
    fieldrules.fields({"protocol": fieldrules.present(fieldrules.choice("TCP", "UDP", "SCTP")), "": _validate_port})
)
_PEERS: Final = fieldrules.each(
    fieldrules.fields({
        "podSelector": fieldrules.selector,
        "namespaceSelector": fieldrules.selector,
        "ipBlock": fieldrules.present(_validate_block),
        "": _validate_number_of_peers,
    })
)  # fmt: skip
_FIELDS: Final = fieldrules.table({
    "spec.podSelector": fieldrules.selector,
    **{
        f"spec.{direction}": fieldrules.each(fieldrules.fields({"ports": _PORTS, peers: _PEERS}))
        for direction, peers in _DIRECTIONS.items()
    },
    "spec.policyTypes": _validate_types,
})  # fmt: skip
_CIDRS: Final = fieldrules.each(
    fieldrules.fields({"ipBlock": fieldrules.present(fieldrules.fields({"cidr": fieldrules.required()}))})
)
_DECLARED: Final = fieldrules.table(
    {f"spec.{name}": fieldrules.each(fieldrules.fields({peers: _CIDRS})) for name, peers in _DIRECTIONS.items()}
)


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about the notation of ranges of addresses."""
    return tuple(
        warning
        for path, text in _ranges(write.new)
        for warning in ipaddresses.find_cidr_warnings(path, text, write.profile)
    )


_validate_new: Final = validatedwrites.chain(validatedwrites.validate_core_metadata, _FIELDS)
_validate_change: Final = validatedwrites.chain(validatedwrites.validate_core_change, _FIELDS)


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a NetworkPolicy; before 1.37 first as a new object."""
    return [*([] if write.profile.declares_required_fields else _validate_new(write)), *_validate_change(write)]


KIND: Final = KindValidation(
    _validate_new,
    validate_update,
    find_warnings,
    _DECLARED,
)
