"""
Validation of StorageClasses, and warnings about deprecated labels of nodes.

Reference:
    kubernetes pkg/apis/storage/validation, ValidateStorageClass and ValidateStorageClassUpdate; pkg/api/storage/util.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin.validation import fieldrules, nodelabels, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite

_MOST: Final = 512
_MOST_BYTES: Final = 256 * 1024


def _validate_provisioner(site: Site) -> Iterator[FieldError]:
    text = (site.value or "").lower()
    if not text:
        yield fielderror.required(site.path, "")
        return
    yield from (fielderror.invalid(site.path, text, detail) for detail in names.label_key(text, site.profile))


def _validate_parameters(site: Site) -> Iterator[FieldError]:
    parameters = site.value or {}
    if len(parameters) > _MOST:
        yield fielderror.too_long(site.path, _MOST)
        return
    if "" in parameters:
        yield fielderror.invalid(site.path, "", "field can not be empty.")
    size = sum(len(text.encode("utf-8", "surrogatepass")) for item in parameters.items() for text in item)
    if size > _MOST_BYTES:
        yield fielderror.too_long(site.path, _MOST_BYTES)


def _validate_topologies(site: Site) -> Iterator[FieldError]:
    """Validate topology terms; a server compares each also with as many empty terms as there are terms."""
    terms = site.value or ()
    earlier: list[Mapping[str, frozenset[str]]] = [{} for _ in terms]
    for place in range(len(terms)):
        term = site.item(place)
        expressions = term.child("matchLabelExpressions")
        values: dict[str, frozenset[str]] = {}
        for number in range(len(expressions.value or ())):
            item = expressions.item(number)
            yield from _REQUIREMENT(item)
            key = item.value.get("key", "")
            if key in values:
                yield fielderror.duplicate(item.path.child("key"), key)
            values[key] = frozenset(item.value.get("values") or ())
        yield from (fielderror.duplicate(expressions.path, "") for term_values in earlier if term_values == values)
        earlier.append(values)


def _validate_key(site: Site) -> Iterator[FieldError]:
    key = site.value or ""
    return (fielderror.invalid(site.path, key, detail) for detail in names.label_key(key, site.profile))


_REQUIREMENT: Final = fieldrules.fields({
    "values": (fieldrules.required(), fieldrules.unique()),
    "key": _validate_key,
})  # fmt: skip
_FIELDS: Final = fieldrules.table({
    "provisioner": _validate_provisioner,
    "parameters": _validate_parameters,
    "reclaimPolicy": fieldrules.choice("Delete", "Retain", takes_empty=True),
    "volumeBindingMode": fieldrules.choice("Immediate", "WaitForFirstConsumer"),
    "allowedTopologies": _validate_topologies,
})  # fmt: skip


def _refuse_change(site: Site) -> Iterator[FieldError]:
    """Yield the error of a change, which versions without generated validation word in another way."""
    errors = fieldrules.immutable(site)
    if site.profile.declares_required_fields:
        yield from errors
    elif errors or (site.old is None and site.sent == {}):  # an empty object is another one than an absent one
        yield fielderror.forbidden(site.path, f"updates to {site.path} are forbidden.")


_CHANGES: Final = fieldrules.table({
    **dict.fromkeys(("parameters", "provisioner", "reclaimPolicy"), _refuse_change),
    "volumeBindingMode": fieldrules.immutable,
})  # fmt: skip
_DECLARED: Final = fieldrules.table({
    "provisioner": (fieldrules.required(), fieldrules.declared_immutable),
    **dict.fromkeys(("parameters", "reclaimPolicy", "volumeBindingMode"), fieldrules.declared_immutable),
})  # fmt: skip


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about deprecated labels of nodes."""
    path = ROOT.child("allowedTopologies")
    terms: list[dict[str, Any]] = write.new.get("allowedTopologies") or []
    keys = (
        (path.index(place).child("matchLabelExpressions").index(number).child("key"), item.get("key", ""))
        for place, term in enumerate(terms)
        for number, item in enumerate(term.get("matchLabelExpressions") or ())
    )
    return tuple(f"{field}: {nodelabels.DEPRECATED[key]}" for field, key in keys if key in nodelabels.DEPRECATED)


KIND: Final = KindValidation(
    validatedwrites.chain(validatedwrites.validate_core_metadata, _FIELDS),
    validatedwrites.chain(
        validatedwrites.validate_core_metadata, _FIELDS, validatedwrites.validate_core_change, _CHANGES
    ),
    find_warnings,
    _DECLARED,
)
