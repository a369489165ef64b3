"""
Validation of the fields of a CRD's spec apart from its versions: group, scope, names and conversion.

Errors of `conversion` name the fields of the internal form, in which the fields of `webhook` are inlined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.engine.crds import internaltypes
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile

if TYPE_CHECKING:
    from pytest_crd.engine.crds import cabundle
    from pytest_crd.engine.crds.internalspec import ClientConfig, Conversion, InternalNames, Service
    from pytest_crd.engine.crds.validation import webhookclient
else:
    cabundle = lazyimport.module("pytest_crd.engine.crds.cabundle")
    webhookclient = lazyimport.module("pytest_crd.engine.crds.validation.webhookclient")

_Name: TypeAlias = Literal["plural", "singular", "kind", "listKind"]
_SCOPES: Final = ("Cluster", "Namespaced")
_REQUIRED: Final[tuple[_Name, ...]] = ("plural", "singular", "kind", "listKind")
_LABELS: Final[tuple[_Name, ...]] = ("plural", "singular")
_KINDS: Final[tuple[_Name, ...]] = ("kind", "listKind")
_MIXED_CASE: Final = "may have mixed case, but should otherwise match: "

REVIEW_VERSIONS: Final = ("v1", "v1beta1")

_STRATEGIES: Final = ("None", "Webhook")
_NOT_A_WEBHOOK: Final = "should not be set when strategy is not set to Webhook"


def group(text: str, path: FieldPath) -> Errors:
    """
    Yield the errors of a CRD's group.

    Errors:
        Required or Invalid.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionSpec.
    """
    if not text:
        yield fielderror.required(path, "")
    elif problems := names.dns1123_subdomain(text):
        yield fielderror.invalid(path, text, ",".join(problems))
    elif "." not in text:
        yield fielderror.invalid(path, text, "should be a domain with at least one dot")


def scope(text: str, path: FieldPath) -> Errors:
    """
    Yield the errors of a CRD's scope.

    Errors:
        Required or NotSupported.
    """
    yield from validate_choice(text, _SCOPES, path)


def validate_choice(text: str, supported: tuple[str, ...], path: FieldPath) -> Errors:
    """Yield an error if *text* is empty or not a supported value."""
    if not text:
        yield fielderror.required(path, "")
    elif text not in supported:
        yield fielderror.not_supported(path, text, supported)


def required(names_field: InternalNames, path: FieldPath) -> Errors:
    """Yield an error for each name that is empty after defaulting."""
    for name in _REQUIRED:
        if not names_field.get(name):
            yield fielderror.required(path.child(name), "")


def malformed(names_field: InternalNames, path: FieldPath) -> Errors:
    """
    Yield the errors of all names that are not empty.

    Errors:
        Invalid.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionNames.
    """
    for name in _LABELS:
        text = names_field.get(name)
        if text and (problems := names.dns1035_label(text)):
            yield fielderror.invalid(path.child(name), text, ",".join(problems))
    for name in _KINDS:
        text = names_field.get(name)
        if text and (problems := names.dns1035_label(names.lower(text))):
            yield fielderror.invalid(path.child(name), text, _MIXED_CASE + ",".join(problems))
    for index, short_name in enumerate(names_field.get("shortNames") or ()):
        yield from label(short_name, path.child("shortNames").index(index))
    if names_field.get("kind") and names_field["kind"] == names_field.get("listKind"):
        yield fielderror.invalid(
            path.child("listKind"), names_field["listKind"], "kind and listKind may not be the same"
        )
    for index, category in enumerate(names_field.get("categories") or ()):
        yield from label(category, path.child("categories").index(index))


def label(text: str, path: FieldPath) -> Errors:
    """Yield one error with all problems of *text* as a DNS label."""
    if problems := names.dns1035_label(text):
        yield fielderror.invalid(path, text, ",".join(problems))


def validate_conversion(
    conversion: Conversion | None, path: FieldPath, options: ValidationOptions, profile: Profile
) -> Errors:
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
    yield from validate_choice(strategy, _STRATEGIES, path.child("strategy"))
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
        yield from webhookclient.validate_url(str(url), path.child("url"), profile)
    else:
        yield from _service(service, path.child("service"), profile)
    bundle = config.get("caBundle")
    checks_bundle = profile.checks_ca_bundles and not options.allow_invalid_ca_bundle
    if checks_bundle and (problem := cabundle.problem_of(bundle or "")):
        yield badvalues.invalid_of_type(path.child("caBundle"), bundle, gotypes.BYTES, problem, profile)


def _service(service: Service, path: FieldPath, profile: Profile) -> Errors:
    """
    Yield the errors of the Service; the server swaps its name and namespace.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceConversion.
    """
    swapped = {**service, "name": service.get("namespace"), "namespace": service.get("name")}
    return webhookclient.validate_service(swapped, path, profile)


def _review_versions(versions: list[str], path: FieldPath, options: ValidationOptions, profile: Profile) -> Errors:
    """
    Yield the errors of `conversionReviewVersions`.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateConversionReviewVersions.
    """
    if not versions:
        yield fielderror.required(path, "")
        return
    yield from webhookclient.validate_review_versions(versions, path)
    if options.require_recognized_conversion_review_version and not is_recognized(versions):
        detail = f"must include at least one of {', '.join(REVIEW_VERSIONS)}"
        yield badvalues.invalid_of_type(path, versions, internaltypes.STRINGS, detail, profile)


def is_recognized(versions: list[str]) -> bool:
    """Return whether the server supports any of these versions of ConversionReview."""
    return any(version in REVIEW_VERSIONS for version in versions)
