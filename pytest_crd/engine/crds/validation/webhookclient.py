"""Validation of the URL or the Service of a webhook, and of the versions of its reviews, for conversion and for admission."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import urls
from pytest_crd.engine.golang.urls import UrlError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile

_FORM: Final = "; desired format: https://host[/path]"


def validate_url(text: str, path: FieldPath, profile: Profile) -> Errors:
    """
    Yield the errors of a webhook's URL.

    Reference:
        apiserver util/webhook, ValidateWebhookURL.
    """
    try:
        url = urls.parse(text, strict_colons=profile.go.has_strict_colons)
    except UrlError as error:
        yield fielderror.required(path, f"url must be a valid URL: {error}{_FORM}")
        return
    if url.scheme != "https":
        yield fielderror.invalid(path, url.scheme, f"'https' is the only allowed URL scheme{_FORM}")
    if not url.host:
        verb = "specified" if profile.speaks_of_specified_hosts else "provided"
        yield fielderror.invalid(path, url.host, f"host must be {verb}{_FORM}")
    if url.user is not None:
        yield fielderror.invalid(path, url.user, "user information is not permitted in the URL")
    if url.fragment:
        yield fielderror.invalid(path, url.fragment, "fragments are not permitted in the URL")
    if url.query:
        yield fielderror.invalid(path, url.query, "query parameters are not permitted in the URL")


def validate_service(service: Mapping[str, JSONValue], path: FieldPath, profile: Profile) -> Errors:
    """
    Yield the errors of a webhook's Service with its default port.

    Reference:
        apiserver util/webhook, ValidateWebhookService.
    """
    for field in ("name", "namespace"):
        if not service.get(field):
            detail = f"service {field} is required" if profile.repeats_required_fields else ""
            yield fielderror.required(path.child(field), detail)
    port = service.get("port", 0)
    if not 1 <= port <= 65535:
        detail = "port is not valid: must be between 1 and 65535, inclusive"
        yield fielderror.invalid(path.child("port"), port, detail)
    url_path = service.get("path")
    if url_path == "//":
        yield fielderror.invalid(path.child("path"), url_path, "segment[0] may not be empty")
    elif url_path not in (None, "", "/"):
        yield from _validate_url_path(url_path, path.child("path"))


def _validate_url_path(text: str, path: FieldPath) -> Errors:
    if not text.startswith("/"):
        yield fielderror.invalid(path, text, "must start with a '/'")
    # The server cuts off the first byte without checking it.
    rest = text.encode()[1:].decode(errors="replace")
    for index, step in enumerate(rest.removesuffix("/").split("/")):
        if not step:
            yield fielderror.invalid(path, text, f"segment[{index}] may not be empty")
            continue
        for problem in names.dns1123_subdomain(step):
            yield fielderror.invalid(path, text, f"segment[{index}]: {problem}")


def validate_review_versions(versions: Sequence[str], path: FieldPath) -> Errors:
    """
    Yield the errors of the versions of reviews that a webhook understands: no names, or names that are there twice.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateConversionReviewVersions.
    """
    for index, version in enumerate(versions):
        if version in versions[:index]:
            yield fielderror.invalid(path.index(index), version, "duplicate version")
            continue
        for problem in names.dns1035_label(version):
            yield fielderror.invalid(path.index(index), version, problem)
