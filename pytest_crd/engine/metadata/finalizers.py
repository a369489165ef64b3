"""Validation and warnings of finalizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile

_ORPHAN: Final = "orphan"
_FOREGROUND: Final = "foregroundDeletion"
_STANDARD: Final = frozenset({_ORPHAN, _FOREGROUND, "kubernetes"})


def validate(finalizers: Sequence[str], path: FieldPath, profile: Profile) -> list[FieldError]:
    """
    Validate *finalizers*.

    Errors:
        Invalid: A name is no label key, or the finalizers for both propagation policies are present.

    Reference:
        apimachinery api/validation/objectmeta.go, ValidateFinalizers.
    """
    errors = [
        fielderror.invalid(path, finalizer, detail)
        for finalizer in finalizers
        for detail in names.label_key(finalizer, profile)
    ]
    if _ORPHAN in finalizers and _FOREGROUND in finalizers:
        detail = f"finalizer {_ORPHAN} and {_FOREGROUND} cannot be both set"
        printed = None if profile.prints_values_as_json else _as_go_prints(finalizers)
        errors.append(badvalues.invalid_as(path, list(finalizers), printed, detail))
    return errors


def validate_while_deleted(new: Sequence[str], old: Sequence[str], path: FieldPath) -> list[FieldError]:
    """
    Validate a change of the finalizers of an object that is being deleted.

    Errors:
        Forbidden: A finalizer was added.

    Reference:
        apimachinery api/validation/objectmeta.go, ValidateNoNewFinalizers.
    """
    added = sorted(set(new) - set(old))
    if not added:
        return []
    detail = "no new finalizers can be added if the object is being deleted, found new finalizers"
    return [fielderror.forbidden(path, f"{detail} {_as_go_prints(added)}")]


def warnings(new: Sequence[str], old: Sequence[str], path: FieldPath, profile: Profile) -> tuple[str, ...]:
    """
    Return the warnings about finalizers that are in *new* but not in *old*, sorted by finalizer.

    Reference:
        apiextensions-apiserver registry/customresource/validator.go, validateKubeFinalizerName.
    """
    if not profile.warns_about_finalizers:
        return ()
    return tuple(
        f"{path}: {printing.quote(finalizer)}: {text}"
        for finalizer in sorted(set(new) - set(old))
        for text in (*names.label_key(finalizer, profile), *_preference(finalizer))
    )


def is_standard(finalizer: str) -> bool:
    """Return whether Kubernetes has a finalizer with this name, without a domain."""
    return finalizer in _STANDARD


def _preference(finalizer: str) -> tuple[str, ...]:
    if "/" in finalizer or is_standard(finalizer):
        return ()
    path = " including a path (/)" if "." in finalizer else ""
    return (
        f"prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers",
    )


def _as_go_prints(finalizers: Sequence[str]) -> str:
    return f"[]string{{{', '.join(map(printing.quote, finalizers))}}}"
