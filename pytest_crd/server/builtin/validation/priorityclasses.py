"""
Validation of PriorityClasses.

Reference:
    kubernetes pkg/apis/scheduling/validation, ValidatePriorityClass and ValidatePriorityClassUpdate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.server.builtin.validation import fieldrules, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.validatedwrites import METADATA, KindValidation

_RESERVED: Final = "system-"
# The values of the classes with reserved names.
_SYSTEM: Final[Mapping[str, int]] = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000}
_MOST: Final = 1000000000


def _validate_value(site: Site) -> Iterator[FieldError]:
    """Yield the error of a reserved name, or of a value that only reserved names may have."""
    name, value = site.value["metadata"].get("name", ""), site.value.get("value") or 0
    if not name.startswith(_RESERVED):
        if value > _MOST:
            detail = f"maximum allowed value of a user defined priority is {_MOST}"
            yield fielderror.forbidden(site.path.child("value"), detail)
        return
    problem = ""
    if name not in _SYSTEM:
        problem = f"{name} is not a known system priority class"
    elif value != _SYSTEM[name]:
        problem = f"value of {name} PriorityClass must be {_SYSTEM[name]}"
    elif site.value.get("globalDefault"):
        problem = f"globalDefault of {name} PriorityClass must be false"
    if problem:
        detail = f"priority class names with '{_RESERVED}' prefix are reserved for system use only. error: {problem}"
        yield fielderror.forbidden(METADATA.child("name"), detail)


def _validate_change_of_value(site: Site) -> Iterator[FieldError]:
    if (site.value or 0) != (site.old or 0):
        yield fielderror.forbidden(site.path, "may not be changed in an update.")


_FIELDS: Final = fieldrules.table({
    "": _validate_value,
    "preemptionPolicy": fieldrules.present(
        fieldrules.first(fieldrules.required(), fieldrules.choice("PreemptLowerPriority", "Never"))
    ),
})  # fmt: skip
_CHANGES: Final = fieldrules.table({"value": _validate_change_of_value, "preemptionPolicy": fieldrules.immutable})
KIND: Final = KindValidation(
    validatedwrites.chain(validatedwrites.validate_core_metadata, _FIELDS),
    validatedwrites.chain(validatedwrites.validate_core_change, _CHANGES),
)
