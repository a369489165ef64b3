"""Permissions for the signers of certificates, with the messages of kube-apiserver 1.37."""

from __future__ import annotations

import base64
from typing import Any, Final

import pytest
from oracle.generators import certificatepools
from support import policies

from pytest_crd.server.api import Api

GROUP: Final = "certificates.k8s.io"
REQUESTS: Final = f"/apis/{GROUP}/v1/certificatesigningrequests"
BUNDLES: Final = f"/apis/{GROUP}/v1/clustertrustbundles"
SIGNER: Final = "example.com/a"
WRITES: Final = policies.rule(
    "create update patch get",
    "certificatesigningrequests certificatesigningrequests/approval certificatesigningrequests/status clustertrustbundles",
    GROUP,
)
APPROVED: Final = {"type": "Approved", "status": "True"}


def _api(*rules: Any) -> Api:
    roles = [policies.role("held", WRITES, *rules), policies.binding("held", "held", policies.user("jane"))]
    return policies.api(roles)


def _permission(verb: str, name: str = SIGNER) -> Any:
    return policies.rule(verb, "signers", GROUP, resourceNames=[name])


def _request(text: str = "EC", signer: str = SIGNER) -> Any:
    encoded = base64.b64encode(certificatepools.PEMS[text].encode()).decode()
    return {
        "metadata": {"name": "a"},
        "spec": {"request": encoded, "signerName": signer, "usages": ["client auth"]},
    }


def _bundle(signer: str) -> Any:
    name = f"{signer.replace('/', ':')}:a" if signer else "a"
    return {"metadata": {"name": name}, "spec": {"trustBundle": certificatepools.PEMS["CERT"], "signerName": signer}}


def _send(api: Api, method: str, path: str, body: Any) -> tuple[int, str]:
    answer = policies.ask(api, policies.JANE, method, path, body)
    return answer.code, str(answer.value.get("message", ""))


def _label(api: Api, label: str) -> tuple[int, str]:
    """Send a stored bundle with a label, or without one and with another finalizer."""
    path = f"{BUNDLES}/example.com:a:a"
    stored = policies.ask(api, policies.ADMIN, "GET", path).value
    added = {"labels": {"b": label}} if label else {"finalizers": ["example.com/b"]}
    return _send(api, "PUT", path, {**stored, "metadata": {**stored["metadata"], **added}})


@pytest.mark.parametrize("name", ["", SIGNER, "example.com/*", "example.com/b"])
@pytest.mark.parametrize(
    ("part", "verb", "status"),
    [("approval", "approve", {"conditions": [APPROVED]}), ("status", "sign", {"conditions": [{**APPROVED, "type": "Failed"}]})],
)  # fmt: skip
def test_an_approval_and_a_signature_need_the_signer(name: str, part: str, verb: str, status: Any) -> None:
    api = _api(*([_permission(verb, name)] if name else []))
    assert _send(api, "POST", REQUESTS, _request()) == (201, "")
    allowed = (200, "")
    problem = f'user not permitted to {verb} requests with signerName "{SIGNER}"'
    denied = (403, f'certificatesigningrequests.{GROUP} "a" is forbidden: {problem}')
    expected = allowed if name in (SIGNER, "example.com/*") else denied
    assert _send(api, "PUT", f"{REQUESTS}/a/{part}", {**_request(), "status": status}) == expected


def test_other_changes_need_no_signer() -> None:
    api = _api()
    assert _send(api, "POST", REQUESTS, _request()) == (201, "")
    changed = {**_request(), "metadata": {"name": "a", "labels": {"b": "c"}}}
    assert _send(api, "PUT", f"{REQUESTS}/a", changed) == (200, "")
    assert _send(api, "PUT", f"{REQUESTS}/a/status", changed) == (200, "")


def test_a_bundle_needs_its_signer() -> None:
    denied = f'clustertrustbundles.{GROUP} "example.com:a:a" is forbidden: user not permitted to attest for signerName "{SIGNER}"'
    assert _send(_api(), "POST", BUNDLES, _bundle(SIGNER)) == (403, denied)
    assert _send(_api(), "POST", BUNDLES, _bundle("")) == (201, "")
    api = _api(_permission("attest"))
    assert _send(api, "POST", BUNDLES, _bundle(SIGNER)) == (201, "")
    assert _label(api, "c") == (200, "")


def test_a_collected_bundle_needs_no_signer() -> None:
    api = _api()
    assert policies.ask(api, policies.ADMIN, "POST", BUNDLES, _bundle(SIGNER)).code == 201
    assert _label(api, "") == (200, "")
    assert _label(api, "c")[0] == 403


def test_a_client_is_no_master() -> None:
    client = "kubernetes.io/kube-apiserver-client"
    code, message = _send(_api(), "POST", REQUESTS, _request("MASTERS", client))
    problem = f"use of {client} signer with system:masters group is not allowed"
    assert (code, message) == (403, f'certificatesigningrequests.{GROUP} "a" is forbidden: {problem}')
    assert _send(_api(), "POST", REQUESTS, _request("EC", client)) == (201, "")
    assert _send(_api(), "POST", REQUESTS, _request("MASTERS")) == (201, "")
