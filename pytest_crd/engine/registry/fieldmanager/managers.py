"""Field managers, and their entries in `metadata.managedFields`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.printing import quote
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import fieldsv1, pathelements
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet

APPLY: Final = "Apply"
UPDATE: Final = "Update"
_FIELDS_V1: Final = "FieldsV1"


class BrokenEntriesError(ValueError):
    """Malformed entries, with the server's message."""


class Manager(NamedTuple):
    """
    A manager of fields; its identity includes the operation, the version and the subresource.

    Attributes:
        name: The name.
        operation: `Apply` or `Update`.
        api_version: The version of an update; empty for an apply, which is the same in all versions.
        subresource: The subresource; empty for the object.
    """

    name: str
    operation: str
    api_version: str = ""
    subresource: str = ""

    @property
    def identifier(self) -> str:
        """
        The server's identifier and sort key of the manager.

        Reference:
            apimachinery managedfields/internal/managedfields.go, BuildManagerIdentifier.
        """
        parts = {
            "manager": self.name,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "subresource": self.subresource,
        }
        return "{" + ",".join(f'"{key}":{printing.marshal(text)}' for key, text in parts.items() if text) + "}"

    @property
    def printed(self) -> str:
        """
        The manager as printed in conflicts.

        Reference:
            apimachinery managedfields/internal/conflict.go, printManager.
        """
        within = f" with subresource {quote(self.subresource)}" if self.subresource else ""
        using = f" using {self.api_version}" if self.operation == UPDATE else ""
        return quote(self.name) + within + using


class Owned(NamedTuple):
    """
    The fields of a manager.

    Attributes:
        fields: The fields.
        api_version: The version in which the fields are recorded.
        applied: Whether an apply set them.
    """

    fields: FieldSet
    api_version: str
    applied: bool


class Managed(NamedTuple):
    """
    The managers of an object with their fields and times.

    Attributes:
        owners: The fields of each manager.
        times: The time of each manager's last write; managers without a time are absent.
    """

    owners: Mapping[Manager, Owned]
    times: Mapping[Manager, str]


NOBODY: Final = Managed({}, {})


def read(entries: Iterable[Mapping[str, JSONValue]], *, ignores_rest: bool = False) -> Managed:
    """
    Return the managers in the entries of an object.

    Args:
        entries: Decoded entries.
        ignores_rest: Whether text after the JSON of a key is ignored.

    Raises:
        BrokenEntriesError: An entry is malformed.

    Reference:
        apimachinery managedfields/internal/managedfields.go, DecodeManagedFields.
    """
    owners: dict[Manager, Owned] = {}
    times: dict[Manager, str] = {}
    for position, entry in enumerate(entries):
        operation = entry.get("operation") or ""
        _check(entry, operation, position)
        version = entry["apiVersion"]
        manager = Manager(
            entry.get("manager") or "", operation, "" if operation == APPLY else version, entry.get("subresource") or ""
        )
        try:
            fields = fieldsv1.read(entry.get("fieldsV1"), ignores_rest=ignores_rest)
        except fieldsv1.BrokenError as error:
            raise BrokenEntriesError(
                f"error decoding versioned set from {entry}: error decoding set: {error}"
            ) from None
        owners[manager] = Owned(fields, version, operation == APPLY)
        if entry.get("time") is not None:
            times[manager] = entry["time"]
        else:
            times.pop(manager, None)
    return Managed(owners, times)


def _check(entry: Mapping[str, JSONValue], operation: str, position: int) -> None:
    if operation not in (APPLY, UPDATE):
        raise BrokenEntriesError("operation must be `Apply` or `Update`")
    if not entry.get("apiVersion"):
        raise BrokenEntriesError("apiVersion must not be empty")
    fields_type = entry.get("fieldsType") or ""
    if not fields_type:
        raise BrokenEntriesError(f"missing fieldsType in managed fields entry {position}")
    if fields_type != _FIELDS_V1:
        raise BrokenEntriesError(f"invalid fieldsType {quote(fields_type)} in managed fields entry {position}")


def write(managed: Managed) -> list[dict[str, JSONValue]]:
    """
    Return the entries of managers: applies first, then by time.

    Reference:
        apimachinery managedfields/internal/managedfields.go, encodeManagedFields.
    """
    entries = [_entry(manager, owned, managed.times.get(manager)) for manager, owned in managed.owners.items()]
    return sorted(entries, key=_order)


def _entry(manager: Manager, owned: Owned, time: str | None) -> dict[str, JSONValue]:
    entry: dict[str, JSONValue] = {
        "manager": manager.name,
        "operation": APPLY if owned.applied else manager.operation,
        "apiVersion": owned.api_version,
        "time": time,
        "fieldsType": _FIELDS_V1,
        "fieldsV1": fieldsv1.write(owned.fields),
        "subresource": manager.subresource,
    }
    return {key: value for key, value in entry.items() if value not in (None, "")}


def paths(managed: Managed) -> dict[str, tuple[OwnedPath, ...]]:
    """Return the sorted fields of each manager by its name, spelled as in errors, joined over its operations and subresources."""
    paths_by_name: dict[str, set[OwnedPath]] = {}
    for manager, owned in managed.owners.items():
        paths_by_name.setdefault(manager.name, set()).update(map(pathelements.owned, owned.fields))
    return {name: tuple(sorted(name_paths)) for name, name_paths in sorted(paths_by_name.items())}


def _order(entry: Mapping[str, JSONValue]) -> tuple[str, ...]:
    # Times in UTC sort as texts, an absent time first.
    keys = ("operation", "time", "manager", "apiVersion", "subresource")
    return tuple(entry.get(key, "") for key in keys)
