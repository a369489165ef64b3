"""
Validation of RuntimeClasses.

Reference:
    kubernetes pkg/apis/node/validation, ValidateRuntimeClass and ValidateRuntimeClassUpdate; pkg/api/node/util.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.golang import structs
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin import builtingotypes
from pytest_crd.server.builtin.validation import fieldrules, nodelabels, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.pods import placement, resources
from pytest_crd.server.builtin.validation.pods.podfields import Rules
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite

# The unit of lengths in the two validations.
_COUNTED: Final = ("63 characters", "63 bytes")
_LISTED: Final = ("key", "operator", "value", "effect")


def _validate_overhead(site: Site) -> Iterable[FieldError]:
    fixed = (site.value or {}).get("podFixed") or {}
    return resources.validate_overhead(fixed, site.path, Rules(site.profile))


def _validate_tolerations(site: Site) -> Iterator[FieldError]:
    tolerations: list[dict[str, Any]] = site.value or []
    yield from placement.validate_tolerations(tolerations, site.path, Rules(site.profile))
    used = set()
    for place, item in enumerate(tolerations):
        key = tuple(item.get(name, "") for name in _LISTED)
        if key in used:
            kind = builtingotypes.named("core.v1.Toleration", site.profile)
            error = fielderror.duplicate(site.path.index(place), item)
            yield badvalues.reprinted(error, structs.to_json(item, kind))
        used.add(key)


def _validate_handler(site: Site) -> Iterable[FieldError]:
    """Validate the handler; the generated validation counts bytes, and leaves the form to the other one on an update."""
    is_declared = site.profile.declares_required_fields and site.write.old is None
    if not site.value:
        return fieldrules.required()(site)
    problems = names.dns1123_label(site.value, site.profile)
    return (site.invalid(text.replace(*_COUNTED) if is_declared else text) for text in problems)


_FIELDS: Final = fieldrules.table({
    "handler": _validate_handler,
    "overhead": _validate_overhead,
    "scheduling.nodeSelector": fieldrules.labels,
    "scheduling.tolerations": _validate_tolerations,
})  # fmt: skip
_CHANGES: Final = fieldrules.table({"handler": fieldrules.immutable})
_DECLARED: Final = fieldrules.table({
    "handler": (
        fieldrules.declared_immutable,
        fieldrules.when(lambda site: site.write.old is None or not site.value, _validate_handler),
    )
})  # fmt: skip
_validate_object: Final = validatedwrites.chain(validatedwrites.validate_metadata, _FIELDS)


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about deprecated labels of nodes."""
    path = ROOT.child("scheduling", "nodeSelector")
    keys = ((write.new.get("scheduling") or {}).get("nodeSelector") or {}).keys() & nodelabels.DEPRECATED.keys()
    return tuple(f"{path}: {nodelabels.DEPRECATED[key]}" for key in sorted(keys))


KIND: Final = KindValidation(
    _validate_object,
    validatedwrites.chain(_validate_object, validatedwrites.validate_metadata_change, _CHANGES),
    find_warnings,
    _DECLARED,
)
