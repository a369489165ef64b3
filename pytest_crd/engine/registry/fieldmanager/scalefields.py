"""
Managed fields of a Scale: of those of its object what is about the replicas, and back.

What a request to `/scale` owns is written down in the object, at the path of its replicas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import fieldsets, managers
from pytest_crd.engine.registry.fieldmanager.managers import Managed, Owned
from pytest_crd.engine.registry.fieldmanager.pathelements import Path, field

API_VERSION: Final = "autoscaling/v1"
_REPLICAS: Final[Path] = (field("spec"), field("replicas"))


def path_of(declared: str) -> Path:
    """Return the path of the replicas, `.spec.replicas`, as a path of fields."""
    return tuple(map(field, declared.removeprefix(".").split(".")))


def of_scale(
    entries: Sequence[Mapping[str, JSONValue]], paths: Mapping[str, Path | None]
) -> list[dict[str, JSONValue]]:
    """
    Return the managed fields of the Scale of an object.

    Args:
        entries: Those of the object.
        paths: Where the replicas are, by apiVersion; None in a version that has no scale.

    Raises:
        BrokenEntriesError: One of them cannot be read.

    Reference:
        apimachinery managedfields/scalehandler.go, ToSubresource.
    """
    parent = managers.read(entries)
    owners = {
        manager: Owned(fieldsets.of([_REPLICAS]), API_VERSION, owned.applied)
        for manager, owned in parent.owners.items()
        if (path := paths.get(owned.api_version)) is not None and path in owned.fields
    }
    return managers.write(Managed(owners, parent.times))


def of_parent(
    entries: Sequence[Mapping[str, JSONValue]],
    of_scale: Sequence[Mapping[str, JSONValue]],
    paths: Mapping[str, Path | None],
    api_version: str,
) -> list[dict[str, JSONValue]]:
    """
    Return the managed fields of an object after those of its Scale have changed.

    Args:
        entries: Those of the object before.
        of_scale: Those of the Scale now.
        paths: Where the replicas are, by apiVersion; None in a version that has no scale.
        api_version: The version of the object that the request is sent to.

    Raises:
        BrokenEntriesError: One of them cannot be read.

    Reference:
        apimachinery managedfields/scalehandler.go, ToParent.
    """
    parent, scale = managers.read(entries), managers.read(of_scale)
    left = dict(scale.owners)
    owners: dict[managers.Manager, Owned] = {}
    for manager, owned in parent.owners.items():
        if owned.api_version not in paths:
            continue
        path = paths[owned.api_version]
        if path is None or path not in owned.fields or left.pop(manager, None) is not None:
            owners[manager] = owned
        elif not (rest := owned.fields.difference(fieldsets.of([path]))).is_empty:
            owners[manager] = owned._replace(fields=rest)
    replicas = paths[api_version]
    for manager, owned in left.items():
        if _REPLICAS in owned.fields and replicas is not None:
            owners[manager] = Owned(fieldsets.of([replicas]), api_version, owned.applied)
    return managers.write(Managed(owners, parent.times))
