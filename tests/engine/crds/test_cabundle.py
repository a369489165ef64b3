"""Validation of CA bundles: at least one readable certificate, and the server's messages."""

from __future__ import annotations

import base64

import pytest

from pytest_crd.engine.crds import cabundle

CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBcTCCARegAwIBAgIUGcIaqKZnmo2pJgdud7GydZRpSogwCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCY2EwIBcNMjYxMTIxMTYwNDQwWhgPMjEyNjEwMjgxNjA0NDBa
MA0xCzAJBgNVBAMMAmNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJ2pUVEa4
BnJbhUHMFohqNtwE2LXoUykaXtAe2IUpPLwzoryTQ8fLpgPC7Wbgok7UK3LqA8Zg
WkjYc6PWiMwzjaNTMFEwHQYDVR0OBBYEFMUBvAQv0XFWNyBABBQJi9oP9jkTMB8G
A1UdIwQYMBaAFMUBvAQv0XFWNyBABBQJi9oP9jkTMA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIhANu4mf2NpB4AleSL9Tbi+P2LCySM1zDtCywooIqZ
GI87AiAKMZA/2YeT/agwM25GExulcL4iKSgpUJhzAwsgH7TWRQ==
-----END CERTIFICATE-----
"""
BODY = "".join(CERTIFICATE.splitlines()[1:-1])
DER = base64.b64decode(BODY)
UNABLE = "unable to load root certificates: "


def _block(kind: str, body: str) -> str:
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n"


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param(CERTIFICATE, "", id="a certificate"),
        pytest.param(f"see\n{CERTIFICATE}and", "", id="a certificate in a text"),
        pytest.param(_block("CERTIFICATE", "YWJj") + CERTIFICATE, "", id="one certificate of two can be read"),
        pytest.param("\n", "unable to parse bytes as PEM block", id="an empty line"),
        pytest.param(_block("X", "YWJj"), "no valid certificate authority data seen", id="something else"),
        pytest.param(_block("X", "YWJj") + "x", "unable to parse bytes as PEM block", id="something else and more"),
        pytest.param(
            _block("CERTIFICATE", f"A: b\n\n{BODY}"),
            "no valid certificate authority data seen",
            id="a certificate with headers",
        ),
        pytest.param(_block("CERTIFICATE", "===="), "unable to parse bytes as PEM block", id="no base64"),
        pytest.param(_block("X", "YWJj==="), "unable to parse bytes as PEM block", id="too much padding"),
        pytest.param(
            _block("CERTIFICATE", "YWJj"), "failed to parse certificate: x509: malformed certificate", id="no DER"
        ),
        pytest.param(
            _block("CERTIFICATE", _encoded(DER[:-5])),
            "failed to parse certificate: x509: malformed certificate",
            id="half a certificate",
        ),
        pytest.param(
            _block("CERTIFICATE", _encoded(DER + b"x")),
            "failed to parse certificate: x509: trailing data",
            id="a certificate and more",
        ),
        pytest.param(
            _block("CERTIFICATE", _encoded(b"0\x03\x02\x01\x01")),
            "failed to parse certificate: x509: malformed tbs certificate",
            id="a frame without a certificate",
        ),
    ],
)
def test_a_bundle_needs_one_certificate_that_can_be_read(text: str, problem: str) -> None:
    expected = problem and UNABLE + problem
    assert cabundle.problem_of(_encoded(text.encode())) == expected
