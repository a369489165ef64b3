"""
Validation of CertificateSigningRequests, their status and their approval.

Requests and certificates are parsed by another library: for malformed ones there is one message each, where Go has several.

Reference:
    kubernetes pkg/apis/certificates/validation/validation.go, ValidateCertificateSigningRequestCreate and the updates.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.golang import pem, printing
from pytest_crd.server.builtin.validation import fieldrules, keypairs, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.pods import signernames
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite

_USAGES: Final = (
    *("any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment"),
    *("decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel"),
    *("ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime"),
    *("server auth", "signing", "timestamping"),
)
_LEGACY: Final = "kubernetes.io/legacy-unknown"
_SHORTEST: Final = 600
_CONDITIONS: Final = ROOT.child("status", "conditions")
_CERTIFICATE: Final = ROOT.child("status", "certificate")
_APPROVED, _DENIED, _FAILED = "Approved", "Denied", "Failed"
_MEMBERS: Final = tuple(f'conditions[{{"type": "{kind}"}}]' for kind in (_APPROVED, _DENIED))


def _validate_request(site: Site) -> Iterable[FieldError]:
    """Refuse a request that cannot be parsed, or with a wrong signature."""
    problem = _find_request_problem(base64.b64decode(site.value or ""))
    return (fieldrules.refuse_value(site, problem),) if problem else ()


def _find_request_problem(text: bytes) -> str:
    block = next(pem.find_blocks(text), None)
    if block is None or block.type != b"CERTIFICATE REQUEST":
        return "PEM block type must be CERTIFICATE REQUEST"
    library = keypairs.import_library()
    try:
        request = library.x509.load_der_x509_csr(block.content)
        is_valid = request.is_signature_valid
    except (ValueError, library.unsupported):
        return "asn1: syntax error: sequence truncated"
    algorithm = type(request.public_key()).__name__
    return (
        "" if is_valid else _FORGED.get(algorithm, f"x509: {algorithm.removesuffix('PublicKey')} verification failure")
    )


def find_organizations(request: str) -> list[str]:
    """Return the organizations in the subject of a valid request, which are groups of its user."""
    block = next(pem.find_blocks(base64.b64decode(request)))
    library = keypairs.import_library()
    subject = library.x509.load_der_x509_csr(block.content).subject
    return [item.value for item in subject if item.oid == library.x509.NameOID.ORGANIZATION_NAME]


# Go's message about a wrong signature, by the class of a public key.
_FORGED: Final = {
    "RSAPublicKey": "crypto/rsa: verification error",
    "ECPublicKey": "x509: ECDSA verification failure",
}


def _validate_signer(site: Site) -> Iterable[FieldError]:
    if site.value == _LEGACY:
        return (site.invalid("the legacy signerName is not allowed via this API version"),)
    return signernames.validate(site.value or "", site.path, site.profile)


_SPEC: Final = fieldrules.table(
    {
        "spec.request": _validate_request,
        "spec.usages": (
            fieldrules.required(),
            fieldrules.each(fieldrules.choice(*_USAGES)),
            fieldrules.unique(is_named=True),
        ),
        "spec.signerName": _validate_signer,
        "spec.expirationSeconds": fieldrules.number(
            _SHORTEST, detail="may not specify a duration less than 600 seconds (10 minutes)"
        ),
    }
)


def _validate_conditions(write: ValidatedWrite) -> list[FieldError]:
    """Validate each condition of a status."""
    return [*_check_conditions(_conditions_of(write.new), is_declared=write.profile.declares_required_fields)]


def _check_conditions(conditions: Sequence[Mapping[str, Any]], *, is_declared: bool) -> Iterator[FieldError]:
    kinds: set[str] = set()
    for place, condition in enumerate(conditions):
        path, kind, status = _CONDITIONS.index(place), condition.get("type") or "", condition.get("status") or ""
        if not kind:
            yield fielderror.required(path.child("type"), "")
        values = ("True",) if kind in (_APPROVED, _DENIED, _FAILED) else ("False", "True", "Unknown")
        if not status:
            yield fielderror.required(path.child("status"), "")
        elif status not in values:
            yield validatedwrites.unsupported_named(path.child("status"), status, values)
        if not is_declared and {_APPROVED: _DENIED, _DENIED: _APPROVED}.get(kind) in kinds:
            detail = "Approved and Denied conditions are mutually exclusive"
            yield validatedwrites.invalid_named(_CONDITIONS, kind, detail)
        if kind in kinds:
            yield validatedwrites.reprinted(fielderror.duplicate(path.child("type"), kind))
        kinds.add(kind)


def _validate_alternatives(write: ValidatedWrite) -> list[FieldError]:
    """Refuse an approved and denied request, as the generated validation does."""
    kinds = {condition.get("type") for condition in _conditions_of(write.new)}
    if not write.profile.declares_required_fields or not {_APPROVED, _DENIED} <= kinds:
        return []
    detail = f"must specify at most one of: {', '.join(f'`{member}`' for member in _MEMBERS)}"
    return [fielderror.invalid(_CONDITIONS, f"{{{', '.join(_MEMBERS)}}}", detail)]


def _validate_certificate(write: ValidatedWrite) -> list[FieldError]:
    """Refuse a certificate that cannot be parsed, unless it is stored."""
    if _certificate_of(write.new) == _certificate_of(write.stored):
        return []
    problem = _find_certificate_problem(base64.b64decode(_certificate_of(write.new)))
    return [fielderror.invalid(_CERTIFICATE, "<certificate data>", problem)] if problem else []


def _find_certificate_problem(text: bytes) -> str:
    """Return the problem with the certificates of a status; empty without any, and if all can be parsed."""
    blocks = [*pem.find_blocks(text)]
    for block in blocks:
        if block.type != b"CERTIFICATE":
            label = printing.quote(block.type.decode("utf-8", "replace"))
            return f"only CERTIFICATE PEM blocks are allowed, found {label}"
        if block.has_headers:
            return "no PEM block headers are permitted"
        if not block.content:
            return "found CERTIFICATE PEM block containing 0 certificates"
        if keypairs.load_public_key(block.content) is None:
            return "x509: malformed certificate"
    return "must contain at least one CERTIFICATE PEM block" if text and not blocks else ""


def _validate_parts(write: ValidatedWrite) -> list[FieldError]:
    """Refuse changes of conditions and of the certificate that their subresource may not make."""
    errors = []
    counts = {kind: (_count(write.stored, kind), _count(write.new, kind)) for kind in (_APPROVED, _DENIED, _FAILED)}
    for kind, (old, new) in counts.items():
        if new < old:
            errors.append(fielderror.forbidden(_CONDITIONS, f'updates may not remove a condition of type "{kind}"'))
    if write.subresource == "status":  # other URLs write no conditions, or all
        for kind in (_APPROVED, _DENIED):
            old, new = counts[kind]
            if new > old:
                errors.append(fielderror.forbidden(_CONDITIONS, f'updates may not add a condition of type "{kind}"'))
    old_certificate = _certificate_of(write.stored)
    if old_certificate and old_certificate != _certificate_of(write.new):
        errors.append(fielderror.forbidden(_CERTIFICATE, "updates may not modify existing certificate content"))
    return errors


def _conditions_of(request: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return (request.get("status") or {}).get("conditions") or ()


def _certificate_of(request: Mapping[str, Any]) -> str:
    return (request.get("status") or {}).get("certificate") or ""


def _count(request: Mapping[str, Any], kind: str) -> int:
    return sum(condition.get("type") == kind for condition in _conditions_of(request))


KIND: Final = KindValidation(
    validatedwrites.chain(validatedwrites.validate_core_metadata, _SPEC),
    validatedwrites.chain(
        validatedwrites.validate_core_metadata,
        _SPEC,
        _validate_conditions,
        _validate_certificate,
        _validate_parts,
        validatedwrites.validate_core_change,
        _validate_alternatives,
    ),
)
