"""
Names of resources, such as `cpu`.

Reference:
    kubernetes pkg/apis/core/validation, validateResourceName and ValidateContainerResourceName; pkg/apis/core/helper/helpers.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile

HUGE: Final = "hugepages-"
"""The prefix of sizes of pages."""
COUNTED: Final = frozenset((
    *("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps"),
    *("persistentvolumeclaims", "services.nodeports", "services.loadbalancers"),
))  # fmt: skip
"""Numbers of objects, which quotas limit."""
_OF_CONTAINERS: Final = ("cpu", "memory", "ephemeral-storage")
_REQUESTS: Final = "requests."
_LIMITED: Final = (f"{part}.{name}" for part in ("requests", "limits") for name in _OF_CONTAINERS)
_STANDARD: Final = frozenset({*_OF_CONTAINERS, *COUNTED, "storage", "requests.storage", *_LIMITED})


def find_problems(name: str, profile: Profile) -> tuple[str, ...]:
    """Return the problems of the name of a resource."""
    if problems := names.label_key(name, profile):
        return problems
    is_standard = "/" in name or name in _STANDARD or name.startswith((HUGE, f"{_REQUESTS}{HUGE}"))
    return () if is_standard else ("must be a standard resource type or fully qualified",)


def find_container_problems(name: str, profile: Profile) -> Iterator[str]:
    """Yield the problems of the name of a resource that a container can request."""
    yield from find_problems(name, profile)
    if "/" not in name:
        if name not in _OF_CONTAINERS and not name.startswith(HUGE):
            yield "must be a standard resource for containers"
    elif not is_native(name) and not is_extended(name, profile):
        yield "doesn't follow extended resource name standard"


def is_native(name: str) -> bool:
    """Return whether Kubernetes defines a resource."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended(name: str, profile: Profile) -> bool:
    """Return whether a quota can limit a resource outside of `kubernetes.io`: its prefix is not `requests.`, and it is short."""
    is_reserved = is_native(name) or name.startswith(_REQUESTS)
    return not is_reserved and not names.label_key(f"{_REQUESTS}{name}", profile)
