"""
Validation of `conversion` of a CustomResourceDefinition.

Errors name the fields of the internal form, in which the fields of `webhook` are inlined.
"""

from __future__ import annotations

from typing import Final, Literal

from pytest_crd.engine.crds import cabundle, internaltypes
from pytest_crd.engine.crds.internalspec import ClientConfig, Conversion, Service
from pytest_crd.engine.crds.validation import namesfield as crdnames
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gotypes, urls
from pytest_crd.engine.golang.urls import UrlError
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile

REVIEW_VERSIONS: Final = ("v1", "v1beta1")

# Each field of a Service and the name in the server's message, which swaps them.
_NAMES_OF_SERVICES: Final[tuple[tuple[Literal["namespace", "name"], str], ...]] = (
    ("namespace", "name"),
    ("name", "namespace"),
)
_STRATEGIES: Final = ("None", "Webhook")
_NOT_A_WEBHOOK: Final = "should not be set when strategy is not set to Webhook"
_FORM: Final = "; desired format: https://host[/path]"


def validate(conversion: Conversion | None, path: FieldPath, options: ValidationOptions, profile: Profile) -> Errors:
    """
    Yield the errors of a CRD's conversion.

    Args:
        conversion: `conversion` in its internal form; None if there is none.
        path: The path of the field.
        options: The options of the validation.
        profile: The Kubernetes version.

    Errors:
        Required, Invalid, NotSupported and Forbidden.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceConversion.
    """
    if conversion is None:
        return
    strategy = conversion.get("strategy", "")
    client_config, versions = conversion.get("webhookClientConfig"), conversion.get("conversionReviewVersions") or []
    config_path, versions_path = path.child("webhookClientConfig"), path.child("conversionReviewVersions")
    yield from crdnames.validate_choice(strategy, _STRATEGIES, path.child("strategy"))
    if strategy == "Webhook":
        yield from _client_config(client_config, config_path, options, profile)
        yield from _review_versions(versions, versions_path, options, profile)
        return
    if client_config is not None:
        yield fielderror.forbidden(config_path, _NOT_A_WEBHOOK)
    if versions:
        yield fielderror.forbidden(versions_path, _NOT_A_WEBHOOK)


def _client_config(
    config: ClientConfig | None, path: FieldPath, options: ValidationOptions, profile: Profile
) -> Errors:
    if config is None:
        yield fielderror.required(path, "required when strategy is set to Webhook")
        return
    url, service = config.get("url"), config.get("service")
    if (url is None) == (service is None):
        yield fielderror.required(path, "exactly one of url or service is required")
    elif service is None:
        yield from _url(str(url), path.child("url"), profile)
    else:
        yield from _service(service, path.child("service"), profile)
    bundle = config.get("caBundle")
    checks_bundle = profile.checks_ca_bundles and not options.allow_invalid_ca_bundle
    if checks_bundle and (problem := cabundle.problem_of(bundle or "")):
        yield badvalues.invalid_of_type(path.child("caBundle"), bundle, gotypes.BYTES, problem, profile)


def _url(text: str, path: FieldPath, profile: Profile) -> Errors:
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


def _service(service: Service, path: FieldPath, profile: Profile) -> Errors:
    """
    Yield the errors of a webhook's Service.

    Reference:
        apiserver util/webhook, ValidateWebhookService; its caller swaps name and namespace.
    """
    for field, printed_name in _NAMES_OF_SERVICES:
        if not service.get(field):
            detail = f"service {printed_name} is required" if profile.repeats_required_fields else ""
            yield fielderror.required(path.child(printed_name), detail)
    port = service.get("port", 0)
    if not 1 <= port <= 65535:
        detail = "port is not valid: must be between 1 and 65535, inclusive"
        yield fielderror.invalid(path.child("port"), port, detail)
    url_path = service.get("path")
    if url_path == "//":
        yield fielderror.invalid(path.child("path"), url_path, "segment[0] may not be empty")
    elif url_path not in (None, "", "/"):
        yield from _url_path(url_path, path.child("path"))


def _url_path(text: str, path: FieldPath) -> Errors:
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


def _review_versions(versions: list[str], path: FieldPath, options: ValidationOptions, profile: Profile) -> Errors:
    """
    Yield the errors of `conversionReviewVersions`.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateConversionReviewVersions.
    """
    if not versions:
        yield fielderror.required(path, "")
        return
    for index, version in enumerate(versions):
        if version in versions[:index]:
            yield fielderror.invalid(path.index(index), version, "duplicate version")
            continue
        for problem in names.dns1035_label(version):
            yield fielderror.invalid(path.index(index), version, problem)
    if options.require_recognized_conversion_review_version and not is_recognized(versions):
        detail = f"must include at least one of {', '.join(REVIEW_VERSIONS)}"
        yield badvalues.invalid_of_type(path, versions, internaltypes.STRINGS, detail, profile)


def is_recognized(versions: list[str]) -> bool:
    """Return whether the server supports any of these versions of ConversionReview."""
    return any(version in REVIEW_VERSIONS for version in versions)
