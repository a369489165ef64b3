"""Validation of Services beyond the recordings: notations of older versions, and fields that several types share."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.engine import profile
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.server.builtin.validation import ipaddresses

SERVICES = "/api/v1/namespaces/default/services"
PATH = FieldPath(("a",))
NEW, OLD = profile.named("1.37"), profile.named("1.34")


def causes(version: str = "1.37", annotations: Any = None, **spec: Any) -> Any:
    """Return field and message of each cause of the refusal of a new Service."""
    service = {
        "metadata": {"name": "a", "annotations": annotations or {}},
        "spec": {"ports": [{"port": 80}], **spec},
    }
    answer = servers.ask(servers.api(kubernetes_version=version), "POST", f"{SERVICES}?dryRun=All", service)
    return [(cause["field"], cause["message"]) for cause in (answer.value.get("details") or {}).get("causes", ())]


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("01.002.3.4", "1.2.3.4"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("::ffff:01.2.3.4", "1.2.3.4"),
        ("2001:0DB8::0", "2001:db8::"),
        ("00001::", "1::"),
        ("::", "::"),
        ("1.2.3", None),
        ("1.2.3.256", None),
        ("fe80::1%eth0", None),
        ("1:2:3:4:5:6:7:8:9", None),
        ("", None),
        ("\u0661.2.3.4", None),
        ("1.2.3.4\n", None),
    ],
)
def test_addresses_may_have_leading_zeros(text: str, parsed: str | None) -> None:
    address = ipaddresses.parse(text)
    assert (None if address is None else str(address)) == parsed


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("10.0.0.0/8", []),
        ("x", []),
        ("10.0.0.0/33", []),
        ("10.0.0.1/8", ['a: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)']),
        ("010.0.0.0/8", ['a: non-standard CIDR value "010.0.0.0/8" {}: use "10.0.0.0/8"']),
        ("10.0.0.0/08", ['a: non-standard CIDR value "10.0.0.0/08" {}: use "10.0.0.0/8"']),
        ("::ffff:1.2.3.0/120", ['a: non-standard CIDR value "::ffff:1.2.3.0/120" {}: use "1.2.3.0/24"']),
        ("2001:DB8::/32", ['a: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")']),
    ],
)  # fmt: skip
def test_notations_of_ranges_have_warnings(text: str, warning: list[str]) -> None:
    future = "will be considered invalid in a future Kubernetes release"
    for version, words in ((NEW, "is invalid"), (OLD, future)):
        assert ipaddresses.find_cidr_warnings(PATH, text, version) == [line.format(words) for line in warning]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("10.0.0.0/8", ""),
        ("10.0.0.0/08", "must not have leading 0s in IP or prefix length"),
        ("::ffff:1.2.3.0/120", "must not have an IPv4-mapped IPv6 address"),
        ("10.0.0.1/8", "must not have bits set beyond the prefix length"),
    ],
)
def test_older_versions_accept_more_ranges(text: str, detail: str) -> None:
    errors = ipaddresses.validate_cidr(PATH, text, (), NEW)
    assert [error.detail for error in errors] == ([detail] if detail else [])
    assert not ipaddresses.validate_cidr(PATH, text, (), OLD)
    assert not ipaddresses.validate_cidr(PATH, "stored", ("stored",), NEW)


def test_older_versions_accept_more_addresses() -> None:
    for text, detail in (
        ("01.2.3.4", "must not have leading 0s"),
        ("::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"),
        ("::ffff:01.2.3.4", "must not have leading 0s"),
    ):
        field = f'Invalid value: "{text}": {detail}'
        assert causes(externalIPs=[text]) == [("spec.externalIPs[0]", field)]
        assert not causes("1.34", externalIPs=[text])


def test_affinity_by_client_has_a_timeout_of_a_day() -> None:
    for seconds in (1, 86400):
        config = {"clientIP": {"timeoutSeconds": seconds}}
        assert not causes(sessionAffinity="ClientIP", sessionAffinityConfig=config)
    for seconds in (0, 86401):
        config = {"clientIP": {"timeoutSeconds": seconds}}
        assert causes(sessionAffinity="ClientIP", sessionAffinityConfig=config) == [
            (
                "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
                f"Invalid value: {seconds}: must be greater than 0 and less than 86400",
            )
        ]


def test_an_external_name_has_a_domain_and_no_address() -> None:
    assert [field for field, _ in causes(type="ExternalName", clusterIP="None", ipFamilies=["IPv4"])] == [
        *("spec.clusterIPs", "spec.ipFamilies", "spec.externalName"),
    ]
    wrong = causes(type="ExternalName", externalName="A.")
    assert wrong[0][1].startswith('Invalid value: "A": a lowercase RFC 1123 subdomain')


def test_ranges_in_an_annotation_are_validated() -> None:
    key = "service.beta.kubernetes.io/load-balancer-source-ranges"
    field = f"metadata.annotations[{key}]"
    assert [place for place, _ in causes(annotations={key: "10.0.0.0/8, x"}, type="LoadBalancer")] == [field]
    assert causes(annotations={key: " "}) == [(field, "Forbidden: may only be used when `type` is 'LoadBalancer'")]


def test_a_repeated_port_is_printed_as_a_port() -> None:
    ports = [{"name": "a", "port": 80}, {"name": "b", "port": 80}]
    printed = '{"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}'
    assert causes(ports=ports) == [("spec.ports[1]", f"Duplicate value: {printed}")]


def test_addresses_and_ranges_of_balancers_have_warnings() -> None:
    spec = {"ports": [{"port": 80}], "type": "LoadBalancer", "loadBalancerSourceRanges": ["2001:DB8::/32"]}
    server = servers.api()
    answer = servers.ask(server, "POST", SERVICES, {"metadata": {"name": "a"}, "spec": spec})
    assert dict(answer.headers)["Warning"].startswith('299 - "spec.loadBalancerSourceRanges[0]: IPv6 CIDR value')
    headless = {"ports": [{"port": 80}], "clusterIP": "None", "sessionAffinity": "ClientIP"}
    answer = servers.ask(server, "POST", SERVICES, {"metadata": {"name": "b"}, "spec": headless})
    assert dict(answer.headers)["Warning"] == '299 - "spec.SessionAffinity is ignored for headless services"'


def test_the_mode_of_an_address_is_known() -> None:
    server = servers.api()
    spec = {"ports": [{"port": 80}], "type": "LoadBalancer"}
    servers.ask(server, "POST", SERVICES, {"metadata": {"name": "a"}, "spec": spec})
    status = {"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4", "ipMode": "x"}, {"ipMode": "VIP"}]}}}
    path, merge = f"{SERVICES}/a/status", "application/merge-patch+json"
    refused = servers.ask(server, "PATCH", path, status, mediaType=merge).value["details"]["causes"]
    assert [(cause["field"].rpartition(".")[0], cause["message"]) for cause in refused] == [
        ("status.loadBalancer.ingress[0]", 'Unsupported value: "x": supported values: "Proxy", "VIP"'),
        ("status.loadBalancer.ingress[1]", "Forbidden: may not be specified when `ip` is not set"),
    ]
    put = {"metadata": {"name": "a"}, "status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}
    refused = servers.ask(server, "PUT", path, put).value["details"]["causes"]
    assert [cause["message"] for cause in refused] == ["Required value: must be specified when `ip` is set"]


def test_an_external_name_with_external_addresses_is_stored_with_a_warning() -> None:
    spec = {"type": "ExternalName", "externalName": "example.com", "externalIPs": ["1.2.3.4"]}
    answer = servers.ask(servers.api(), "POST", f"{SERVICES}?dryRun=All", {"metadata": {"name": "a"}, "spec": spec})
    assert answer.code == 201
    assert 'spec.externalIPs is ignored when spec.type is "ExternalName"' in answer.warnings
