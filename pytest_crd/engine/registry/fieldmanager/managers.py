"""Managers of fields, and the entries of `metadata.managedFields` that say what each of them owns since when."""

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
    """Entries cannot be read; the message says why, as the server words it."""


class Manager(NamedTuple):
    """
    Who owns fields; two of the same name that do different things are two.

    Attributes:
        name: What it calls itself.
        operation: `Apply` or `Update`.
        api_version: The version that an update is sent in; empty of an apply, which is the same in all versions.
        subresource: The subresource that it writes; empty for the object.
    """

    name: str
    operation: str
    api_version: str = ""
    subresource: str = ""

    @property
    def identifier(self) -> str:
        """
        What the server knows it by, and sorts it by.

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
    def shown(self) -> str:
        """
        How conflicts call it.

        Reference:
            apimachinery managedfields/internal/conflict.go, printManager.
        """
        within = f" with subresource {quote(self.subresource)}" if self.subresource else ""
        using = f" using {self.api_version}" if self.operation == UPDATE else ""
        return quote(self.name) + within + using


class Owned(NamedTuple):
    """
    What a manager owns.

    Attributes:
        fields: The fields.
        api_version: In which version they are written down.
        applied: Whether it applied them, or changed them otherwise.
    """

    fields: FieldSet
    api_version: str
    applied: bool


class Managed(NamedTuple):
    """
    Who owns what of an object, since when.

    Attributes:
        owners: What each manager owns.
        times: When it last wrote something, as it is written down; a manager without a time is not in it.
    """

    owners: Mapping[Manager, Owned]
    times: Mapping[Manager, str]


NOBODY: Final = Managed({}, {})


def read(entries: Iterable[Mapping[str, JSONValue]], *, ignores_rest: bool = False) -> Managed:
    """
    Return who owns what, as the entries of an object say it.

    Args:
        entries: Decoded entries.
        ignores_rest: Whether what follows the JSON of a key in them is ignored.

    Raises:
        BrokenEntriesError: One of them cannot be read.

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
    Return the entries that say who owns what: applies first, the oldest first.

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
    """Return the fields that each manager owns, by its name, spelled as in errors and sorted; of all that it does together."""
    found: dict[str, set[OwnedPath]] = {}
    for manager, owned in managed.owners.items():
        found.setdefault(manager.name, set()).update(map(pathelements.owned, owned.fields))
    return {name: tuple(sorted(of_name)) for name, of_name in sorted(found.items())}


def _order(entry: Mapping[str, JSONValue]) -> tuple[str, ...]:
    # A time in UTC sorts as a text, and no time comes first.
    keys = ("operation", "time", "manager", "apiVersion", "subresource")
    return tuple(entry.get(key, "") for key in keys)
