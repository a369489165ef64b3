"""
Validation of projected volumes.

Reference:
    kubernetes pkg/apis/core/validation, validateProjectionSources.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import labelselectors, names, objectmetarules
from pytest_crd.server.builtin.validation.pods import gostructs, podfields, signernames, volumesources
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules

_SHORTEST: Final = 600
_LONGEST: Final = 2**32
_KEY_TYPES: Final = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_SHORTEST_CERTIFICATE: Final = 3600
_LONGEST_CERTIFICATE: Final = 91 * 86400
_LONGEST_OF_KUBERNETES: Final = 86400
_OUTPUTS: Final = ("credentialBundlePath", "keyPath", "certificateChainPath")
_KINDS: Final = ("secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate")


def validate(volume: Object, path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of a projected volume."""
    yield from volumesources.validate_mode(volume, path)
    paths: set[str] = set()
    for place, source in enumerate(volume.get("sources") or ()):
        own = path.child("sources").index(place)
        for kind in ("secret", "configMap"):
            if source.get(kind) is not None:
                yield from _validate_keys(source[kind], own.child(kind), path, paths)
        if source.get("downwardAPI") is not None:
            yield from _validate_fields(source["downwardAPI"], own.child("downwardAPI"), path, paths, rules)
        if source.get("serviceAccountToken") is not None:
            yield from _validate_token(source["serviceAccountToken"], own.child("serviceAccountToken"), path)
        if source.get("clusterTrustBundle") is not None:
            bundle, bundle_path = source["clusterTrustBundle"], own.child("clusterTrustBundle")
            yield from _validate_bundle(bundle, bundle_path, rules)
            yield from _refuse_repeated(bundle.get("path") or "", "", path, paths)
        if source.get("podCertificate") is not None:
            yield from _validate_certificate(source["podCertificate"], own.child("podCertificate"), path, paths, rules)
        if sum(source.get(kind) is not None for kind in _KINDS) > 1:
            yield fielderror.forbidden(own, "may not specify more than 1 volume type per source")


def _refuse_repeated(text: str, shown: str, path: FieldPath, paths: set[str]) -> Errors:
    """Yield the error of a path that another source has, which prints *shown* or else the path."""
    if text in paths:
        yield fielderror.invalid(path, shown or text, "conflicting duplicate paths")
    paths.add(text)


def _validate_keys(source: Object, path: FieldPath, volume: FieldPath, paths: set[str]) -> Errors:
    name = source.get("name") or ""
    yield from podfields.require(source, path, "name")
    for place, item in enumerate(source.get("items") or ()):
        yield from volumesources.validate_key(item, path.child("items").index(place))
        text = item.get("path") or ""
        if text in paths:
            yield fielderror.invalid(volume, name, "conflicting duplicate paths")
        if text:
            paths.add(text)


def _validate_fields(source: Object, path: FieldPath, volume: FieldPath, paths: set[str], rules: Rules) -> Errors:
    for item in source.get("items") or ():
        yield from volumesources.validate_downward_file(item, path, rules)
        if text := item.get("path"):
            yield from _refuse_repeated(text, "", volume, paths)


def _validate_token(token: Object, path: FieldPath, volume: FieldPath) -> Errors:
    seconds, place = token["expirationSeconds"], path.child("expirationSeconds")
    if seconds < _SHORTEST:
        yield fielderror.invalid(place, seconds, "may not specify a duration less than 10 minutes")
    elif seconds > _LONGEST:
        yield fielderror.invalid(place, seconds, "may not specify a duration larger than 2^32 seconds")
    if not token.get("path"):
        yield fielderror.required(volume.child("path"), "")
    else:
        yield from podfields.validate_local_path(token["path"], volume.child("path"))


def _validate_bundle(bundle: Object, path: FieldPath, rules: Rules) -> Errors:
    name, signer = bundle.get("name"), bundle.get("signerName")
    if name is not None and signer is not None:
        detail = "only one of name and signerName may be used"
        yield gostructs.invalid(path, bundle, "core.v1.ClusterTrustBundleProjection", detail, rules.profile)
    elif name is not None:
        yield from _validate_bundle_name(name, path.child("name"))
        if bundle.get("labelSelector") is not None:
            detail = "labelSelector must be unset if name is specified"
            yield gostructs.invalid_selector(path.child("labelSelector"), bundle["labelSelector"], detail)
    elif signer is not None:
        if not signer:
            yield fielderror.required(path.child("signerName"), "must be a valid signer name")
        yield from signernames.validate(signer, path.child("signerName"), rules.profile)
        selector = bundle.get("labelSelector") or {}
        yield from labelselectors.validate(selector, path.child("labelSelector"), rules.profile)
    else:
        yield fielderror.required(path, "either name or signerName must be specified")
    yield from podfields.require(bundle, path, "path")
    yield from podfields.validate_local_path(bundle.get("path") or "", path.child("path"))


def _validate_bundle_name(name: str, path: FieldPath) -> Errors:
    if not name:
        yield fielderror.required(path, "must be a valid object name")
    _, _, last = name.rpartition(":")
    for problem in names.dns1123_subdomain(last):
        yield fielderror.invalid(path, name, f"not a valid clustertrustbundlename: {problem}")


def _validate_certificate(
    certificate: Object, path: FieldPath, volume: FieldPath, paths: set[str], rules: Rules
) -> Errors:
    signer = certificate.get("signerName") or ""
    yield from signernames.validate(signer, path.child("signerName"), rules.profile)
    yield from _validate_annotations(certificate.get("userAnnotations") or {}, path.child("userAnnotations"), rules)
    key_type = certificate.get("keyType") or ""
    if key_type not in _KEY_TYPES:
        yield fielderror.not_supported(path.child("keyType"), key_type, _KEY_TYPES)
    seconds = certificate.get("maxExpirationSeconds")
    if seconds is not None:
        place = path.child("maxExpirationSeconds")
        longest = _LONGEST_OF_KUBERNETES if signernames.is_of_kubernetes(signer) else _LONGEST_CERTIFICATE
        if seconds < _SHORTEST_CERTIFICATE:
            detail = f"if provided, maxExpirationSeconds must be >= {_SHORTEST_CERTIFICATE}"
            yield fielderror.invalid(place, seconds, detail)
        if seconds > longest:
            yield fielderror.invalid(place, seconds, f"if provided, maxExpirationSeconds must be <= {longest}")
    outputs = [name for name in _OUTPUTS if certificate.get(name)]
    for name in outputs:
        yield from podfields.validate_local_path(certificate[name], path.child(name))
        yield from _refuse_repeated(certificate[name], "", volume, paths)
    if not outputs:
        yield fielderror.required(path, f"specify at least one of {_OUTPUTS[0]}, {_OUTPUTS[1]}, and {_OUTPUTS[2]}")


def _validate_annotations(annotations: Mapping[str, str], path: FieldPath, rules: Rules) -> Errors:
    for key in map(names.lower, sorted(annotations)):
        if not key:
            yield fielderror.required(path, "")
            continue
        problems = rules.qualified(key)
        yield from (fielderror.invalid(path, key, problem) for problem in problems)
        if not problems and "/" not in key:
            yield fielderror.invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')
    errors = objectmetarules.validate_annotations({"a": "".join(annotations.values())}, path, rules.profile)
    yield from (error for error in errors if error.type == "TooLong")
