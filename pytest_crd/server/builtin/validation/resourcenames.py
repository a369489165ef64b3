"""
Names of resources, such as `cpu`.

Reference:
    kubernetes pkg/apis/core/validation, validateResourceName and ValidateContainerResourceName; pkg/apis/core/helper/helpers.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site

_OF_CONTAINERS: Final = frozenset({"cpu", "memory", "ephemeral-storage"})
_COUNTED: Final = (
    *(
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
    ),
    *("services.nodeports", "services.loadbalancers", "storage", "requests.storage"),
)
_LIMITED: Final = (f"{part}.{name}" for part in ("requests", "limits") for name in _OF_CONTAINERS)
_STANDARD: Final = frozenset({*_OF_CONTAINERS, *_COUNTED, *_LIMITED})
_REQUESTS: Final = "requests."
_HUGE: Final = "hugepages-"


def validate_of_container(site: Site) -> Iterator[FieldError]:
    """Validate the name of a resource that a container can request."""
    name: str = site.value
    problems = [*names.label_key(name, site.profile)]
    if "/" not in name:
        if not problems and name not in _STANDARD and not name.startswith((_HUGE, f"{_REQUESTS}{_HUGE}")):
            problems.append("must be a standard resource type or fully qualified")
        if name not in _OF_CONTAINERS and not name.startswith(_HUGE):
            problems.append("must be a standard resource for containers")
    elif "kubernetes.io/" not in name and not _is_extended(site):
        problems.append("doesn't follow extended resource name standard")
    return (validatedwrites.invalid_named(site.path, name, problem) for problem in problems)


def _is_extended(site: Site) -> bool:
    """Return whether a quota can limit a resource outside of `kubernetes.io`: its prefix is not `requests.`, and it is short."""
    return not site.value.startswith(_REQUESTS) and not names.label_key(f"{_REQUESTS}{site.value}", site.profile)
