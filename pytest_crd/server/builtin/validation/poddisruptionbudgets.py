"""
Validation of PodDisruptionBudgets and their status; only the general rules apply to their metadata.

Reference:
    kubernetes pkg/apis/policy/validation; apimachinery apis/meta/v1/validation, ValidateConditions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin.validation import fieldrules
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation, ValidatedWrite

_AMOUNTS: Final = ("minAvailable", "maxUnavailable")
_REASON: Final = lazyre.compile("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_NO_REASON: Final = (
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric"
    " characters or '_,:', and must end with an alphanumeric character or '_'"
    " (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB',"
    " regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"
)
_LONGEST_REASON: Final = 1024
_LONGEST_MESSAGE: Final = 32 * 1024


def _validate_amounts(site: Site) -> Iterator[FieldError]:
    if all((site.value or {}).get(name) is not None for name in _AMOUNTS):
        yield fieldrules.refuse_value(site, "minAvailable and maxUnavailable cannot be both set")


def _validate_types(site: Site) -> Iterator[FieldError]:
    """Validate conditions: each with all rules, after the error of a repeated type."""
    used = set()
    for place in range(len(site.value or ())):
        item = site.item(place)
        type_ = item.value.get("type", "")
        if type_ in used:
            yield fielderror.duplicate(item.path, type_)
        used.add(type_)
        yield from _CONDITION(item)


def _validate_presence_of_type(site: Site) -> Iterator[FieldError]:
    """Yield the error of a condition without a type; before 1.37 an empty type is an invalid name."""
    if not site.value and site.profile.declares_required_fields:
        yield fielderror.required(site.path, "is required")


def _validate_type(site: Site) -> Iterator[FieldError]:
    text = site.value or ""
    return (fielderror.invalid(site.path, text, detail) for detail in names.label_key(text, site.profile))


def _longest(count: int) -> fieldrules.Rule:
    return lambda site: (
        (fielderror.too_long(site.path, count),)
        if len((site.value or "").encode("utf-8", "surrogatepass")) > count
        else ()
    )


def _find_reason_problems(text: str) -> tuple[str, ...]:
    return () if _REASON.fullmatch(text) else (_NO_REASON,)


_AMOUNT: Final = (fieldrules.number_or_percent, fieldrules.at_most_100_percent)
_FIELDS: Final = fieldrules.table({
    "spec": _validate_amounts,
    "spec.minAvailable": _AMOUNT,
    "spec.maxUnavailable": _AMOUNT,
    "spec.selector": fieldrules.selector,
    "spec.unhealthyPodEvictionPolicy": fieldrules.present(fieldrules.choice("AlwaysAllow", "IfHealthyBudget")),
})  # fmt: skip
_CONDITION: Final = fieldrules.fields({
    "type": fieldrules.first(_validate_presence_of_type, _validate_type),
    "status": fieldrules.first(fieldrules.required(), fieldrules.choice("False", "True", "Unknown")),
    "observedGeneration": fieldrules.number(0, detail="must be greater than or equal to zero"),
    "lastTransitionTime": fieldrules.required(),
    "reason": (
        fieldrules.first(fieldrules.required(), fieldrules.text(_find_reason_problems)),
        _longest(_LONGEST_REASON),
    ),
    "message": _longest(_LONGEST_MESSAGE),
})  # fmt: skip
_STATUS: Final = fieldrules.table({
    "status.conditions": _validate_types,
    **dict.fromkeys(
        [f"status.{name}" for name in ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")],
        fieldrules.number(0),
    ),
})  # fmt: skip


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a PodDisruptionBudget or of its status."""
    return _STATUS(write) if write.subresource else _FIELDS(write)


KIND: Final = KindValidation(_FIELDS, validate_update)
