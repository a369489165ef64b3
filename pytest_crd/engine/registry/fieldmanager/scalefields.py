"""
Managed fields of a Scale, and their conversion from and to the managed fields of its object.

The object records the owner of the Scale's replicas as the owner of its own replicas field.
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
    """Return the field path of the replicas for a declared path such as `.spec.replicas`."""
    return tuple(map(field, declared.removeprefix(".").split(".")))


def of_scale(
    entries: Sequence[Mapping[str, JSONValue]], paths: Mapping[str, Path | None]
) -> list[dict[str, JSONValue]]:
    """
    Return the managed fields of the Scale of an object.

    Args:
        entries: The managed fields of the object.
        paths: The paths of the replicas, by apiVersion; None for versions without a scale.

    Raises:
        BrokenEntriesError: An entry is malformed.

    Reference:
        apimachinery managedfields/scalehandler.go, ToSubresource.
    """
    parent = managers.read(entries)
    owners = {
        manager: Owned(fieldsets.from_paths([_REPLICAS]), API_VERSION, owned.applied)
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
    Return the managed fields of an object, updated from those in its Scale.

    Args:
        entries: The managed fields of the object before.
        of_scale: The managed fields of the Scale after.
        paths: The paths of the replicas, by apiVersion; None for versions without a scale.
        api_version: The version of the object that the request is sent to.

    Raises:
        BrokenEntriesError: An entry is malformed.

    Reference:
        apimachinery managedfields/scalehandler.go, ToParent.
    """
    parent, scale = managers.read(entries), managers.read(of_scale)
    new_owners = dict(scale.owners)
    owners: dict[managers.Manager, Owned] = {}
    for manager, owned in parent.owners.items():
        if owned.api_version not in paths:
            continue
        path = paths[owned.api_version]
        if path is None or path not in owned.fields or new_owners.pop(manager, None) is not None:
            owners[manager] = owned
        elif not (rest := owned.fields.difference(fieldsets.from_paths([path]))).is_empty:
            owners[manager] = owned._replace(fields=rest)
    replicas = paths[api_version]
    for manager, owned in new_owners.items():
        if _REPLICAS in owned.fields and replicas is not None:
            owners[manager] = Owned(fieldsets.from_paths([replicas]), api_version, owned.applied)
    return managers.write(Managed(owners, parent.times))
