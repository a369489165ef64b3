"""Lines of `crd_webhooks`."""

from __future__ import annotations

import re

import pytest

from pytest_crd.webhooks import endpoints
from pytest_crd.webhooks.endpoints import Assignment, CommandEndpoint, Endpoint, FunctionEndpoint, UrlEndpoint


@pytest.mark.parametrize(
    ("line", "which", "endpoint"),
    [
        ("all: https://127.0.0.1:9443", "all", UrlEndpoint("https://127.0.0.1:9443")),
        ("conversion:http://localhost/convert", "conversion", UrlEndpoint("http://localhost/convert")),
        ("admission: https://[::1]:1 ca='a b.crt'", "admission", UrlEndpoint("https://[::1]:1", "a b.crt")),
        ("vbackup.kb.io: ./hooks --port={port}", "vbackup.kb.io", CommandEndpoint("./hooks --port={port}")),
        ("all: ./hooks 'a: {cert_dir}'", "all", CommandEndpoint("./hooks 'a: {cert_dir}'")),
        ("all: run ./hooks", "all", CommandEndpoint("./hooks")),
        ("all: run  go run . {port}", "all", CommandEndpoint("go run . {port}")),
        ("all: running {port}", "all", CommandEndpoint("running {port}")),
    ],
)
def test_a_line_assigns_a_url_or_a_command(line: str, which: str, endpoint: Endpoint) -> None:
    assert endpoints.parse(line) == (which, endpoint)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("https://127.0.0.1:9443", "write WHICH: HOW, such as `all: https://127.0.0.1:9443`, or"),
        ("all", "write WHICH: HOW"),
        ("all:", "write WHICH: HOW"),
        (
            "conversions: https://a",
            "no webhook is called 'conversions': write conversion, admission, all, or the name of a webhook or CRD",
        ),
        ("V.kb.io: https://a", "no webhook is called 'V.kb.io'"),
        ("all: https://a:b", "Port could not be cast"),
        ("all: https://:1", "write https://HOST:PORT"),
        ("all: https://a:0", "write https://HOST:PORT"),
        ("all: https://me@a", "has a user, a query or a fragment"),
        ("all: https://a?b=c", "has a user, a query or a fragment"),
        ("all: https://a#b", "has a user, a query or a fragment"),
        ("all: https://a 'b", "No closing quotation"),
        ("all: https://a tls.crt", "tls.crt: after an https URL, write ca=FILE or nothing"),
        ("all: https://a ca=", "write ca=FILE or nothing"),
        ("all: https://a ca=b ca=c", "write ca=FILE or nothing"),
        ("all: http://a ca=b", "write ca=FILE or nothing"),
        ("all: 127.0.0.1:9443", "no URL, and no command with {port} or {cert_dir}; a URL begins with https://, and "),
        ("all: run", "`run COMMAND` marks a command that reads $CRD_WEBHOOK_PORT and $CRD_WEBHOOK_CERT_DIR"),
        ("all: ./hooks {port} {certs}", "no placeholder is called {certs}"),
        ("all: ./hooks {port} & sleep 1", "no shell runs it"),
    ],
)
def test_a_wrong_line_says_what_to_write(line: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as raised:
        endpoints.parse(line)

    assert str(raised.value).startswith(f"{line!r}: ")


def test_an_assignment_is_one_line_in_reports() -> None:
    ends: tuple[Endpoint, ...] = (
        UrlEndpoint("https://a", "ca.crt"),
        CommandEndpoint("b {port}"),
        FunctionEndpoint(dict),
    )

    assert [str(Assignment("all", end, "conftest.py[all]")) for end in ends] == [
        "all: https://a",
        "all: `b {port}`",
        "all: conftest.py[all]",
    ]
