"""The transports and configurations of a project."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from support.webhookservers import AUTHORITY_PEM, COMMAND, PROGRAM, always, answer, scripted, tls

from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.webhooks.endpoints import Assignment, CommandEndpoint, Endpoint, FunctionEndpoint, UrlEndpoint
from pytest_crd.webhooks.project import ProjectWebhooks
from pytest_crd.webhooks.transport import TransportError, WebhookError

CONFIGURATION: Final = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks: [{name: vbackup.kb.io, clientConfig: {}}, 3]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: hooks}
webhooks: broken
---
- no object
"""
REVIEW: Final = json.dumps({"apiVersion": "v1", "kind": "Review", "request": {"uid": "u"}}).encode()


def _configurations() -> list[Manifest]:
    return manifest.read(CONFIGURATION.encode(), source="hooks.yaml")


@pytest.fixture
def open_project(tmp_path: Path) -> Iterator[Callable[..., ProjectWebhooks]]:
    """Return a function that creates the webhooks of a project from endpoints by name."""
    opened: list[ProjectWebhooks] = []

    def open_(endpoints: dict[str, Endpoint], **options: Any) -> ProjectWebhooks:
        assignments = [
            Assignment(which, end, f"pytest.ini:{line}") for line, (which, end) in enumerate(endpoints.items())
        ]
        opened.append(ProjectWebhooks(assignments, base=tmp_path, **options))
        return opened[-1]

    yield open_
    for webhooks in opened:
        webhooks.close()


def _name_function(name: str) -> FunctionEndpoint:
    return FunctionEndpoint(lambda _: {"warnings": [name]})


def test_the_name_of_a_webhook_counts_before_its_role(open_project: Callable[..., ProjectWebhooks]) -> None:
    names = ("all", "admission", "vbackup.kb.io")
    webhooks = open_project({name: _name_function(name) for name in names})

    def endpoint_of(name: str, role: Any) -> str:
        transport = webhooks.transport_of(name, {}, role)
        assert transport is not None
        assert transport is webhooks.transport_of(name, {}, role)
        (warning,) = json.loads(transport.post("", REVIEW, 1).body)["response"]["warnings"]
        return str(warning)

    assert endpoint_of("vbackup.kb.io", "admission") == "vbackup.kb.io"
    assert endpoint_of("mbackup.kb.io", "admission") == "admission"
    assert endpoint_of("backups.kb.io", "conversion") == "all"


def test_a_webhook_without_endpoint_has_no_transport(open_project: Callable[..., ProjectWebhooks]) -> None:
    webhooks = open_project({"conversion": _name_function("a")})

    assert webhooks.transport_of("vbackup.kb.io", {}, "admission") is None
    assert webhooks.names == ("conversion: pytest.ini:0",)
    assert webhooks.output_sizes == {}


def test_two_endpoints_for_the_same_webhooks_are_refused(tmp_path: Path) -> None:
    assignments = [
        Assignment("all", UrlEndpoint("https://a"), source) for source in ("pytest.ini:2", "conftest.py[all]")
    ]

    with pytest.raises(WebhookError) as raised:
        ProjectWebhooks(assignments, base=tmp_path)

    assert str(raised.value) == "conftest.py[all]: 'all' has an endpoint from pytest.ini:2, too: leave one of the two"


@pytest.mark.session
def test_one_command_serves_all_its_webhooks_and_starts_at_the_first_review(
    open_project: Callable[..., ProjectWebhooks], tmp_path: Path
) -> None:
    (tmp_path / "server.py").write_text(PROGRAM, encoding="utf-8")
    webhooks = open_project({role: CommandEndpoint(COMMAND) for role in ("conversion", "admission")})

    transport = webhooks.transport_of("a", {}, "conversion")

    assert transport is not None
    assert transport is webhooks.transport_of("b", {}, "admission")
    assert webhooks.output_sizes == {COMMAND: 0}
    assert webhooks.read_outputs({}) == {}
    assert transport.post("https://a.b.svc:443/x", b"{}", 5).status == 200
    assert webhooks.read_outputs({}) == {COMMAND: f"serving {tmp_path}"}
    assert webhooks.read_outputs(webhooks.output_sizes) == {}
    assert webhooks.close() == []
    assert webhooks.output_sizes == {}


def test_a_url_trusts_the_file_of_its_line_then_the_ca_bundle_then_the_system(
    open_project: Callable[..., ProjectWebhooks], tmp_path: Path
) -> None:
    (tmp_path / "ca.crt").write_text(AUTHORITY_PEM, encoding="ascii")
    bundle = base64.b64encode(AUTHORITY_PEM.encode()).decode()

    with scripted(always(*[answer()] * 2), context=tls("127.0.0.1")) as server:
        url = f"https://127.0.0.1:{server.port}"
        webhooks = open_project({"conversion": UrlEndpoint(url, "ca.crt"), "admission": UrlEndpoint(url)})
        for name, config, role in (
            ("a", {}, "conversion"),
            ("b", {"caBundle": bundle}, "admission"),
        ):
            transport = webhooks.transport_of(name, config, role)  # type: ignore[arg-type]
            assert transport is not None
            assert transport.post("https://a.b.svc:443/x", b"{}", 5).status == 200
            assert transport is webhooks.transport_of(name, config, role)  # type: ignore[arg-type]
        distrusting = webhooks.transport_of("c", {"caBundle": "Cg=="}, "admission")
        assert distrusting is not None
        with pytest.raises(TransportError, match="unknown authority"):
            distrusting.post("https://a.b.svc:443/x", b"{}", 5)
        webhooks.close()


@pytest.mark.parametrize(
    ("endpoint", "bundle", "words"),
    [
        (UrlEndpoint("https://a", "none.crt"), "", "ca=none.crt cannot be read: No such file or directory"),
        (UrlEndpoint("https://a", "binary.crt"), "", "ca=binary.crt cannot be read: 'ascii' codec can't decode"),
        (UrlEndpoint("https://a", "text.crt"), "", "text.crt has no certificates in PEM"),
        (UrlEndpoint("https://a"), "YQ==", "the caBundle has no certificates in PEM"),
        (UrlEndpoint("https://a"), "a", "the caBundle is no base64 of certificates in PEM"),
        (UrlEndpoint("https://a"), "/w==", "the caBundle is no base64 of certificates in PEM"),
    ],
)
def test_unreadable_certificates_are_an_error(
    open_project: Callable[..., ProjectWebhooks], tmp_path: Path, endpoint: UrlEndpoint, bundle: str, words: str
) -> None:
    (tmp_path / "text.crt").write_text("none", encoding="ascii")
    (tmp_path / "binary.crt").write_bytes(b"\xff")

    with pytest.raises(WebhookError) as raised:
        open_project({"all": endpoint}).transport_of("a", {"caBundle": bundle}, "conversion")

    assert str(raised.value).startswith(f"pytest.ini:0: {words}")


def test_configurations_are_read_once_and_only_for_admission(open_project: Callable[..., ProjectWebhooks]) -> None:
    reads: list[int] = []

    def read() -> list[Manifest]:
        reads.append(1)
        return _configurations()

    assert open_project({"conversion": UrlEndpoint("https://a")}, read_configurations=read).configurations == ()
    assert reads == []
    webhooks = open_project({"all": UrlEndpoint("https://a")}, read_configurations=read)
    assert [item.kind for item in webhooks.configurations] == [
        "ValidatingWebhookConfiguration",
        "MutatingWebhookConfiguration",
        "",
    ]
    assert [item.source for item in webhooks.configurations] == ["hooks.yaml"] * 3
    assert reads == [1]


def test_admission_needs_a_configuration(open_project: Callable[..., ProjectWebhooks]) -> None:
    assert list(open_project({"all": UrlEndpoint("https://a")}).configurations) == []

    with pytest.raises(WebhookError, match="no webhook configuration was found, so admission would call no webhook"):
        _ = open_project({"admission": UrlEndpoint("https://a")}).configurations


def test_each_name_is_a_webhook_or_a_crd(open_project: Callable[..., ProjectWebhooks]) -> None:
    names = ("all", "conversion", "vbackup.kb.io", "backups.kb.io")
    webhooks = open_project(
        dict.fromkeys((*names, "vbackups.kb.io"), UrlEndpoint("https://a")), read_configurations=_configurations
    )

    with pytest.raises(WebhookError) as raised:
        webhooks.check_names(["backups.kb.io"])

    assert str(raised.value) == (
        "pytest.ini:4: no CRD and no webhook is called 'vbackups.kb.io'; the webhook configurations have vbackup.kb.io"
    )
    open_project({"all": UrlEndpoint("https://a")}).check_names(())


def test_a_name_without_configurations_is_unknown(open_project: Callable[..., ProjectWebhooks]) -> None:
    with pytest.raises(WebhookError, match="the webhook configurations have no webhook"):
        open_project({"a.b.c": UrlEndpoint("https://a")}).check_names(())


@pytest.mark.parametrize(
    ("which", "crds", "words"),
    [
        ("conversion", {"backups.kb.io": False, "restores.kb.io": False}, "no CRD has the strategy Webhook"),
        ("conversion", {}, "no CRD has the strategy Webhook"),
        ("backups.kb.io", {"backups.kb.io": False, "restores.kb.io": True}, "backups.kb.io does not have the strategy"),
    ],
)
def test_a_conversion_webhook_that_is_never_called_is_a_mistake(
    open_project: Callable[..., ProjectWebhooks], which: str, crds: dict[str, bool], words: str
) -> None:
    with pytest.raises(WebhookError, match=rf"^pytest\.ini:\d+: {words}"):
        open_project({which: UrlEndpoint("https://a")}).check_conversions(crds)


def test_endpoints_of_conversions_that_are_called_are_right(open_project: Callable[..., ProjectWebhooks]) -> None:
    crds = {"backups.kb.io": True, "restores.kb.io": False}
    endpoints = dict.fromkeys(("all", "conversion", "backups.kb.io", "vbackup.kb.io"), UrlEndpoint("https://a"))

    open_project(endpoints).check_conversions(crds)
    open_project({"all": UrlEndpoint("https://a")}).check_conversions({})
