"""
Names of signers of certificates.

Reference:
    kubernetes pkg/apis/core/validation/names.go, ValidateSignerName.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile

_LONGEST_DOMAIN: Final = 253
_LONGEST: Final = 571
_FEWEST: Final = 2


def is_of_kubernetes(name: str) -> bool:
    """Return whether the name belongs to Kubernetes."""
    host = name.partition("/")[0]
    return host == "kubernetes.io" or host.endswith(".kubernetes.io")


def validate(name: str, path: FieldPath, profile: Profile) -> Errors:
    """Yield the errors of the name of a signer: a domain, a slash, and a path."""
    if not name:
        yield fielderror.required(path, "")
        return
    domain, _, rest = name.partition("/")
    if name.count("/") != 1:
        detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        yield fielderror.invalid(path, name, detail)
        return
    if len(domain.encode()) > _LONGEST_DOMAIN:
        yield fielderror.too_long(path, _LONGEST_DOMAIN)
    labels = domain.split(".")
    yield from _first_problems(domain, [(label, names.dns1123_label(label, profile)) for label in labels], path)
    if len(labels) < _FEWEST:
        detail = "should be a domain with at least two segments separated by dots"
        yield fielderror.invalid(path, domain, detail)
    yield from _first_problems(rest, [(label, names.dns1123_subdomain(label)) for label in rest.split(".")], path)
    if len(name.encode()) > _LONGEST:
        yield fielderror.too_long(path, _LONGEST)


def _first_problems(text: str, labels: list[tuple[str, tuple[str, ...]]], path: FieldPath) -> Errors:
    """Yield the errors of the first wrong label of a text."""
    label, problems = next((pair for pair in labels if pair[1]), ("", ()))
    for problem in problems:
        yield fielderror.invalid(path, text, f"validating label {printing.quote(label)}: {problem}")
