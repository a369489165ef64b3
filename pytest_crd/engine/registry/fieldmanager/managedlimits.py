"""Limits of managed fields: nobody owns the fields that the server sets, and there are at most ten updaters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.registry.fieldmanager import fieldsets
from pytest_crd.engine.registry.fieldmanager.managers import UPDATE, Managed, Manager, Owned
from pytest_crd.engine.registry.fieldmanager.pathelements import field

_ANCIENT: Final = "ancient-changes"
_MAX_UPDATERS: Final = 10
_METADATA: Final = field("metadata")
_UNOWNED: Final = fieldsets.from_paths(
    [
        *((field(name),) for name in ("apiVersion", "kind", "metadata")),
        *((_METADATA, field(name)) for name in systemmetadata.UNOWNED),
    ]
)


def strip(owners: Mapping[Manager, Owned], manager: Manager) -> dict[Manager, Owned]:
    """
    Return the owners with the fields removed that *manager* cannot own because the server sets them.

    Reference:
        apimachinery managedfields/internal/stripmeta.go.
    """
    remaining = dict(owners)
    if manager in remaining:
        fields = remaining[manager].fields.difference(_UNOWNED)
        remaining[manager] = remaining[manager]._replace(fields=fields)
        if fields.is_empty:
            del remaining[manager]
    return remaining


def cap(managed: Managed) -> Managed:
    """
    Return managed fields with at most ten updaters; the oldest with the same version are merged.

    Reference:
        apimachinery managedfields/internal/capmanagers.go.
    """
    owners, times = dict(managed.owners), dict(managed.times)
    updaters = [manager for manager, owned in owners.items() if not owned.applied]
    if len(updaters) <= _MAX_UPDATERS:
        return Managed(owners, times)
    updaters.sort(key=lambda manager: (times.get(manager, ""), manager.identifier))
    first: dict[str, Manager] = {}
    count = len(updaters)
    for manager in updaters:
        if count <= _MAX_UPDATERS:
            break
        owned = owners[manager]
        if owned.api_version not in first:
            first[owned.api_version] = manager
            continue
        bucket = Manager(_ANCIENT, UPDATE, owned.api_version)
        if bucket not in owners:
            owners[bucket] = owners.pop(first[owned.api_version])
        owners[bucket] = owned._replace(fields=owned.fields.union(owners[bucket].fields))
        del owners[manager]
        times.pop(bucket, None)
        if manager in times:
            times[bucket] = times[manager]
        count -= 1
    return Managed(owners, times)
