"""Certificates and keys of Secrets."""

from __future__ import annotations

import subprocess
import sys

import pytest
import trustme
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from support import servers

from pytest_crd.server.builtin.validation import keypairs


def _pair() -> tuple[bytes, bytes]:
    issued = trustme.CA().issue_cert("a.example.com")
    return issued.cert_chain_pems[0].bytes(), issued.private_key_pem.bytes()


def _other_key() -> bytes:
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return ed25519.Ed25519PrivateKey.generate().private_bytes(serialization.Encoding.PEM, *form)


def test_a_certificate_and_its_key_have_no_problem() -> None:
    certificate, key = _pair()
    assert keypairs.find_problem(b"# comment\n" + certificate, b"note\n" + key) == ""


def test_keys_of_other_certificates_are_told() -> None:
    certificate, _ = _pair()
    assert keypairs.find_problem(certificate, _pair()[1]) == "tls: private key does not match public key"
    assert keypairs.find_problem(certificate, _other_key()) == "tls: private key type does not match public key type"


def _block(type_: str, body: str = "YWJj") -> bytes:
    return f"-----BEGIN {type_}-----\n{body}\n-----END {type_}-----\n".encode()


@pytest.mark.parametrize(
    ("certificate", "key", "problem"),
    [
        (b"", b"", "tls: failed to find any PEM data in certificate input"),
        (_block("CERTIFICATE", "!"), b"", "tls: failed to find any PEM data in certificate input"),
        (_block("CERTIFICATE"), b"x", "tls: failed to find any PEM data in key input"),
        (_block("CERTIFICATE"), _block("EC PRIVATE KEY"), "x509: malformed certificate"),
        (_block("CERTIFICATE", "A: b\n\nYWJj"), _block("PRIVATE KEY"), "x509: malformed certificate"),
        (
            _block("RSA PRIVATE KEY"),
            b"",
            (
                "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
                "PEM inputs may have been switched"
            ),
        ),
        (
            _block("A") + _block("B"),
            b"",
            (
                'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following '
                "types: [A B]"
            ),
        ),
        (
            _block("CERTIFICATE"),
            _block("A") + _block("B"),
            (
                'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the '
                "following types: [A B]"
            ),
        ),
        (
            _block("CERTIFICATE"),
            _block("CERTIFICATE"),
            "tls: found a certificate rather than a key in the PEM for the private key",
        ),
    ],
)
def test_problems_of_blocks_are_told(certificate: bytes, key: bytes, problem: str) -> None:
    assert keypairs.find_problem(certificate, key) == problem


def test_a_malformed_key_is_told() -> None:
    assert keypairs.find_problem(_pair()[0], _block("PRIVATE KEY")) == "tls: failed to parse private key"


def test_a_secret_with_a_wrong_pair_is_stored_with_a_warning() -> None:
    secret = {"metadata": {"name": "a"}, "type": "kubernetes.io/tls", "data": {"tls.crt": "", "tls.key": ""}}
    answer = servers.ask(servers.api(), "POST", "/api/v1/namespaces/default/secrets", secret)
    assert (answer.code, answer.warnings) == (201, ("tls: failed to find any PEM data in certificate input",))


def test_a_missing_library_is_an_error_that_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = _pair()
    monkeypatch.setitem(sys.modules, "cryptography.x509", None)

    with pytest.raises(ModuleNotFoundError, match=r"pip install 'pytest-crd\[server\]'"):
        keypairs.find_problem(*pair)


@pytest.mark.session
def test_a_server_without_certificates_needs_no_extra() -> None:
    hidden = "import sys; sys.modules |= dict.fromkeys(('aiohttp', 'cryptography', 'trustme'))"
    code = f"{hidden}; from pytest_crd.cases.policies import policyrunner; from pytest_crd.server.api import Api; Api().close()"
    subprocess.run([sys.executable, "-c", code], check=True)
