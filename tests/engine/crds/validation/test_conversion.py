"""Conversion between versions, as a CRD declares it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds.validation import specfields
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.fieldpath import FieldPath

PATH = FieldPath(("c",))
URL = {"url": "https://a.b/c"}
FORM = "; desired format: https://host[/path]"


def _errors(declared: Any, kubernetes: str = "1.37", **options: Any) -> list[str]:
    errors = specfields.validate_conversion(declared, PATH, ValidationOptions(**options), profile.named(kubernetes))
    return [str(error) for error in errors]


def _webhook(config: Any, versions: Any = ("v1",)) -> Any:
    return {"strategy": "Webhook", "webhookClientConfig": config, "conversionReviewVersions": list(versions)}


def _of_url(url: str, kubernetes: str = "1.37") -> list[str]:
    prefix = "c.webhookClientConfig.url: "
    return [error.removeprefix(prefix) for error in _errors(_webhook({"url": url}), kubernetes)]


def _of_service(kubernetes: str = "1.37", **service: Any) -> list[str]:
    prefix = "c.webhookClientConfig.service."
    errors = _errors(_webhook({"service": {"namespace": "n", "name": "s", "port": 443} | service}), kubernetes)
    return [error.removeprefix(prefix) for error in errors]


@pytest.mark.parametrize("declared", [None, {"strategy": "None"}, _webhook(URL), _webhook(URL, ["x", "v1beta1"])])
def test_valid_conversions_are_accepted(declared: Any) -> None:
    assert _errors(declared) == []


@pytest.mark.parametrize(
    ("declared", "errors"),
    [
        ({}, ["c.strategy: Required value"]),
        ({"strategy": "X"}, ['c.strategy: Unsupported value: "X": supported values: "None", "Webhook"']),
        (
            _webhook(None, []),
            [
                "c.webhookClientConfig: Required value: required when strategy is set to Webhook",
                "c.conversionReviewVersions: Required value",
            ],
        ),
        (_webhook({}), ["c.webhookClientConfig: Required value: exactly one of url or service is required"]),
        (
            _webhook(URL | {"service": {}}),
            ["c.webhookClientConfig: Required value: exactly one of url or service is required"],
        ),
        (
            _webhook({}) | {"strategy": "None"},
            [
                "c.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
                "c.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
            ],
        ),
    ],
)
def test_a_webhook_is_required_only_for_the_webhook_strategy(declared: Any, errors: list[str]) -> None:
    assert _errors(declared) == errors


def test_a_url_has_a_scheme_and_a_host_and_nothing_but_a_path() -> None:
    assert _of_url("http://u@a/?q#f") == [
        f"Invalid value: \"http\": 'https' is the only allowed URL scheme{FORM}",
        'Invalid value: "u": user information is not permitted in the URL',
        'Invalid value: "f": fragments are not permitted in the URL',
        'Invalid value: "q": query parameters are not permitted in the URL',
    ]
    assert _of_url("https://") == [f'Invalid value: "": host must be specified{FORM}']
    assert _of_url("https://", "1.21") == [f'Invalid value: "": host must be provided{FORM}']
    assert _of_url("https://a:x") == [
        f'Required value: url must be a valid URL: parse "https://a:x": invalid port ":x" after host{FORM}'
    ]


def test_errors_about_the_name_and_namespace_of_a_service_are_swapped() -> None:
    assert _of_service() == []
    assert _of_service(name="") == ["namespace: Required value"]
    assert _of_service(namespace="") == ["name: Required value"]
    assert _of_service("1.32", namespace="", name="") == [
        "name: Required value: service name is required",
        "namespace: Required value: service namespace is required",
    ]


@pytest.mark.parametrize(("port", "is_valid"), [(0, False), (1, True), (65535, True), (65536, False), (-1, False)])
def test_a_port_is_in_range(port: int, *, is_valid: bool) -> None:
    error = f"port: Invalid value: {port}: port is not valid: must be between 1 and 65535, inclusive"
    assert _of_service(port=port) == ([] if is_valid else [error])


@pytest.mark.parametrize(
    ("path", "details"),
    [
        ("", []),
        ("/", []),
        ("/a/b.c/", []),
        ("//", ["segment[0] may not be empty"]),
        ("/a//b", ["segment[1] may not be empty"]),
        ("aa", ["must start with a '/'"]),
        ("é", ["must start with a '/'", "segment[0]: a lowercase RFC 1123 subdomain"]),
        ("/a/B", ["segment[1]: a lowercase RFC 1123 subdomain"]),
    ],
)
def test_the_path_of_a_service_consists_of_subdomains(path: str, details: list[str]) -> None:
    errors = [error.removeprefix(f'path: Invalid value: "{path}": ') for error in _of_service(path=path)]
    assert [error[: len(detail)] for error, detail in zip(errors, details, strict=True)] == details


def test_versions_of_conversion_review_are_unique_labels() -> None:
    label = "a DNS-1035 label must consist of lower case alphanumeric characters or '-'"
    errors = _errors(_webhook(URL, ["v1", "V", "v1"]))
    assert errors[0].startswith(f'c.conversionReviewVersions[1]: Invalid value: "V": {label}')
    assert errors[1:] == ['c.conversionReviewVersions[2]: Invalid value: "v1": duplicate version']


def test_a_supported_version_of_conversion_review_is_required_unless_the_old_crd_had_none() -> None:
    declared = _webhook(URL, ["v2"])
    assert _errors(declared) == [
        'c.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1'
    ]
    assert _errors(declared, require_recognized_conversion_review_version=False) == []


def test_an_invalid_ca_bundle_is_refused_unless_it_is_allowed() -> None:
    declared = _webhook(URL | {"caBundle": "YWJj"})
    assert _errors(declared) == []
    assert _errors(declared, allow_invalid_ca_bundle=False) == [
        (
            'c.webhookClientConfig.caBundle: Invalid value: "YWJj": '
            "unable to load root certificates: unable to parse bytes as PEM block"
        )
    ]
    assert _errors(declared, "1.21", allow_invalid_ca_bundle=False) == []
    assert _errors(_webhook(URL), allow_invalid_ca_bundle=False) == []
