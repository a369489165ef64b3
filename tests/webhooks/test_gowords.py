"""Errors of connections that no server of the tests provokes."""

from __future__ import annotations

import http.client
import ssl

from pytest_crd.webhooks import gowords


def test_other_errors_of_certificates_keep_their_words() -> None:
    error = ssl.SSLCertVerificationError()
    error.verify_code, error.verify_message = 26, "unsuitable certificate purpose"

    assert gowords.describe(error, "", "a") == (
        "tls: failed to verify certificate: x509: unsuitable certificate purpose"
    )


def test_a_broken_pipe_is_an_error_of_writing() -> None:
    error = BrokenPipeError(32, "Broken pipe")

    assert gowords.describe(error, "127.0.0.1:1->[::1]:2", "a") == (
        "write tcp 127.0.0.1:1->[::1]:2: write: broken pipe"
    )


def test_an_error_without_words_is_named_by_its_type() -> None:
    assert gowords.describe(http.client.CannotSendRequest(), "", "a").endswith("broken: CannotSendRequest")


def test_an_ipv6_address_is_in_brackets() -> None:
    assert [gowords.join_address(host, 443) for host in ("::1", "127.0.0.1")] == ["[::1]:443", "127.0.0.1:443"]
