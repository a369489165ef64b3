"""Validation of CertificateSigningRequests, beside the recorded answers."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from oracle.generators import certificatepools
from oracle.generators.certificatepools import PEMS, encode
from support import servers

from pytest_crd.server.api import Api

PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
SPEC: Any = certificatepools.KINDS["certificates.k8s.io/v1 CertificateSigningRequest"].base["spec"]
MERGE = {"mediaType": "application/merge-patch+json"}
BOTH = [{"type": kind, "status": "True"} for kind in ("Approved", "Denied")]


def _causes(answer: Any) -> list[tuple[str, str]]:
    assert answer.code == 422
    return [(cause["field"], cause["message"]) for cause in answer.value["details"]["causes"]]


def _server(**options: Any) -> Api:
    server = servers.api(**options)
    assert servers.ask(server, "POST", PATH, {"metadata": {"name": "a"}, "spec": SPEC}).code == 201
    return server


def _patch(server: Api, part: str, status: Any) -> Any:
    return servers.ask(server, "PATCH", f"{PATH}/a/{part}", {"status": status}, **MERGE)


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        (encode(PEMS["RSA_FORGED"]), "crypto/rsa: verification error"),
        (encode(PEMS["EC_FORGED"]), "x509: ECDSA verification failure"),
        (encode(PEMS["ED_FORGED"]), "x509: Ed25519 verification failure"),
        (encode(PEMS["EC"].replace("\nMIH", "\nAAH")), "asn1: syntax error: sequence truncated"),
        (encode("x"), "PEM block type must be CERTIFICATE REQUEST"),
    ],
)
def test_a_request_is_parsed_and_its_signature_is_checked(request_: str, problem: str) -> None:
    answer = servers.ask(
        servers.api(), "POST", PATH, {"metadata": {"name": "a"}, "spec": {**SPEC, "request": request_}}
    )
    assert _causes(answer) == [("spec.request", f'Invalid value: "{request_}": {problem}')]


def test_an_approval_excludes_a_denial_in_the_words_of_the_version() -> None:
    members = ['conditions[{"type": "Approved"}]', 'conditions[{"type": "Denied"}]']
    printed = ", ".join(members).replace('"', '\\"')
    words = f'Invalid value: "{{{printed}}}": must specify at most one of: {", ".join(f"`{name}`" for name in members)}'
    assert _causes(_patch(_server(), "approval", {"conditions": BOTH})) == [("status.conditions", words)]

    old = _patch(_server(kubernetes_version="1.34"), "approval", {"conditions": BOTH})
    assert _causes(old) == [
        ("status.conditions", 'Invalid value: "Denied": Approved and Denied conditions are mutually exclusive')
    ]


def test_a_status_keeps_the_approval_and_the_times_of_its_conditions() -> None:
    server = _server()
    server.store.clock.freeze("2026-01-01T00:00:00Z")
    approval = {"type": "Approved", "status": "True", "reason": "r"}
    assert _patch(server, "approval", {"conditions": [approval, {"type": "X", "status": "False"}]}).code == 200
    server.store.clock.advance(60)
    conditions = [
        {"type": "X", "status": "False"},
        {**approval, "reason": "other"},
        {"type": "Failed", "status": "True"},
    ]
    stored = _patch(server, "status", {"conditions": conditions}).value["status"]["conditions"]

    assert [item.get("reason") for item in stored] == [None, "r", None]
    assert [item["lastTransitionTime"][11:16] for item in stored] == ["00:00", "00:00", "00:01"]
    assert [item["lastUpdateTime"][11:16] for item in stored] == ["00:01", "00:00", "00:01"]


def test_a_status_neither_adds_nor_removes_an_approval() -> None:
    server = _server()
    added = _patch(server, "status", {"conditions": BOTH[:1]})
    assert _causes(added) == [("status.conditions", 'Forbidden: updates may not add a condition of type "Approved"')]
    assert _patch(server, "approval", {"conditions": BOTH[:1]}).code == 200
    for part in ("status", "approval"):
        removed = _patch(server, part, {"conditions": []})
        problem = 'Forbidden: updates may not remove a condition of type "Approved"'
        assert _causes(removed) == [("status.conditions", problem)]


@pytest.mark.parametrize(
    ("certificate", "problem"),
    [
        (encode(PEMS["CERT"], PEMS["CERT"]), ""),
        (encode("x"), "must contain at least one CERTIFICATE PEM block"),
        (encode(PEMS["EC"]), 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"'),
        (encode(PEMS["CERT"].replace("-----\n", "-----\nA: b\n\n", 1)), "no PEM block headers are permitted"),
        (
            encode("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"),
            "found CERTIFICATE PEM block containing 0 certificates",
        ),
        (encode("-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n"), "x509: malformed certificate"),
    ],
)
def test_an_issued_certificate_is_parsed(certificate: str, problem: str) -> None:
    answer = _patch(_server(), "status", {"certificate": certificate})
    if problem:
        assert _causes(answer) == [("status.certificate", f'Invalid value: "<certificate data>": {problem}')]
    else:
        assert answer.value["status"]["certificate"] == certificate


def test_an_issued_certificate_stays() -> None:
    server = _server()
    assert _patch(server, "status", {"certificate": encode(PEMS["CERT"])}).code == 200
    problem = "Forbidden: updates may not modify existing certificate content"
    assert _causes(_patch(server, "status", {"certificate": None})) == [("status.certificate", problem)]
    changed = base64.b64encode(b"head\n" + PEMS["CERT"].encode()).decode()
    assert _causes(_patch(server, "status", {"certificate": changed})) == [("status.certificate", problem)]


def test_metadata_changes_through_an_approval() -> None:
    answer = servers.ask(_server(), "PATCH", f"{PATH}/a/approval", {"metadata": {"labels": {"a": "b"}}}, **MERGE)
    assert answer.value["metadata"]["labels"] == {"a": "b"}
