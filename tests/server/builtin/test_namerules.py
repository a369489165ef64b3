"""Names of built-in objects."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.server.builtin import namerules

SUBDOMAIN = "a lowercase RFC 1123 subdomain"
LABEL = "a lowercase RFC 1123 label"
BUNDLES = "clustertrustbundles.certificates.k8s.io"
SIGNED = {"spec": {"signerName": "example.com/s"}}


@pytest.mark.parametrize(
    ("resource", "name", "object_", "problems"),
    [
        ("configmaps", "A", {}, [SUBDOMAIN]),
        ("roles.rbac.authorization.k8s.io", "system:a/b", {}, ["may not contain '/'"]),
        ("events", "A:b", {}, []),
        ("namespaces", "a.b", {}, ["must not contain dots"]),
        ("services", "9a", {}, []),
        ("statefulsets.apps", "A", {}, [LABEL]),
        ("cronjobs.batch", "A" * 53, {}, [SUBDOMAIN, "must be no more than 52 characters"]),
        ("ipaddresses.networking.k8s.io", "10.0.0.1", {}, []),
        ("ipaddresses.networking.k8s.io", "a", {}, ["must be a valid IP address"]),
        ("ipaddresses.networking.k8s.io", "2001:DB8::1", {}, ['must be in canonical form ("2001:db8::1")']),
        ("apiservices.apiregistration.k8s.io", "a", {"spec": {"group": "g", "version": "v1"}}, ["must be `spec.version"]),
        ("apiservices.apiregistration.k8s.io", "v1.g", {"spec": {"group": "g", "version": "v1"}}, []),
        (BUNDLES, "a:b", {}, ["ClusterTrustBundle without signer name"]),
        (BUNDLES, "A", {}, [SUBDOMAIN]),
        (BUNDLES, "a", SIGNED, ["ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:"]),
        (BUNDLES, "example.com:s:a", SIGNED, []),
    ],
)  # fmt: skip
def test_names_follow_the_rule_of_their_kind(resource: str, name: str, object_: Any, problems: list[str]) -> None:
    texts = namerules.find_rule(resource, object_, profile.named("1.37")).name(name)
    assert len(texts) == len(problems)
    assert all(text.startswith(start) for text, start in zip(texts, problems, strict=True))


def test_names_of_services_begin_with_a_letter_in_older_versions() -> None:
    rule = namerules.find_rule("services", {}, profile.named("1.35"))
    assert (rule.name("a"), rule.prefix("a-")) == ((), ())
    assert rule.name("9a")[0].startswith("a DNS-1035 label")


def test_a_prefix_may_end_with_a_dash() -> None:
    assert namerules.find_rule("namespaces", {}, profile.named("1.37")).prefix("ab-") == ()
