"""
Ownership of fields after a request, and the resulting object.

An update owns the fields that it changes. An apply owns the fields that it lists, removes fields that it no longer lists and nobody else
owns, and conflicts with other owners of the fields that it changes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from pytest_crd.engine.registry.fieldmanager import fieldsets
from pytest_crd.engine.registry.fieldmanager.comparing import Comparison
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.managers import Manager, Owned
from pytest_crd.engine.registry.fieldmanager.mergetypes import ListType, MapType, MergeType
from pytest_crd.engine.registry.fieldmanager.pathelements import FIELD, KEY, Path, PathElement
from pytest_crd.engine.registry.fieldmanager.typedvalues import TypedError
from pytest_crd.engine.registry.fieldmanager.versionedobjects import ConversionError, MissingVersionError, Typed


class ConflictsError(Exception):
    """
    Conflicts of an apply with other managers.

    Attributes:
        conflicts: The fields in conflict, by manager.
    """

    def __init__(self, conflicts: Mapping[Manager, FieldSet]) -> None:
        """Create from the fields in conflict, by manager."""
        super().__init__("conflicts")
        self.conflicts = conflicts

    def __iter__(self) -> Iterator[tuple[Manager, Path]]:
        """Yield the manager and path of each conflict, in the server's order."""
        for manager in sorted(self.conflicts, key=lambda manager_: manager_.identifier):
            for path in self.conflicts[manager]:
                yield manager, path

    def beyond(self, allowed: FieldSet) -> ConflictsError | None:
        """Return the conflicts about fields outside of *allowed*, or None."""
        remaining = {manager: fields.difference(allowed) for manager, fields in self.conflicts.items()}
        remaining = {manager: fields for manager, fields in remaining.items() if not fields.is_empty}
        return ConflictsError(remaining) if remaining else None


class Converter(Protocol):
    """Converter of objects between versions."""

    def converted(self, typed: Typed, api_version: str) -> Typed:
        """
        Return an object in another version.

        Raises:
            ConversionError: The version does not exist, or cannot represent the object.
            TypedError: The object does not fit the type of that version.
        """


class ObjectChange(NamedTuple):
    """
    A change of an object.

    Attributes:
        live: The live object; empty if there was none.
        new: The new object, or the applied one.
        version: The apiVersion of both.
    """

    live: Typed
    new: Typed
    version: str


class Ownership:
    """
    Ownership rules for the objects of a CRD.

    Args:
        versions: The versions of the CRD.
        ignored: The fields that requests ignore, by apiVersion; they never get an owner.

    Reference:
        structured-merge-diff merge/update.go.
    """

    def __init__(self, versions: Converter, ignored: Mapping[str, FieldSet]) -> None:
        self._versions = versions
        self._ignored = ignored

    def differs(self, change: ObjectChange) -> bool:
        """Return whether a change touches any field that requests do not ignore."""
        compared = change.live.compared(change.new).without(self._ignored.get(change.version, fieldsets.EMPTY))
        return not all(fields.is_empty for fields in (compared.added, compared.modified, compared.removed))

    def update(self, change: ObjectChange, managers: Mapping[Manager, Owned], manager: Manager) -> dict[Manager, Owned]:
        """
        Return the owners after an update.

        Args:
            change: The live and the new object.
            managers: The owners before.
            manager: The manager of the update.

        Raises:
            ConversionError: The object cannot be converted to the version of some owned fields.
            TypedError: The object does not fit the type of such a version.
        """
        live, _, version = change
        owners, compared = self._take_changed(change, self._reconciled(live, managers), manager, is_forced=True)
        before = owners.pop(manager, Owned(fieldsets.EMPTY, version, applied=False)).fields
        fields = before.difference(compared.removed).union(compared.modified).union(compared.added)
        fields = fields.without(self._ignored.get(version, fieldsets.EMPTY))
        return owners if fields.is_empty else {**owners, manager: Owned(fields, version, applied=False)}

    def apply(
        self, change: ObjectChange, managers: Mapping[Manager, Owned], manager: Manager, *, is_forced: bool
    ) -> tuple[Typed, dict[Manager, Owned]]:
        """
        Return the object and the owners after an apply.

        Args:
            change: The live and the applied object.
            managers: The owners before.
            manager: The manager of the apply.
            is_forced: Whether the apply takes fields from other managers.

        Raises:
            ConflictsError: The apply changes fields of other managers without force.
            ConversionError: The object cannot be converted to the version of some owned fields.
            TypedError: The object does not fit the type of such a version.
        """
        live, applied, version = change
        owners = self._reconciled(live, managers)
        before = owners.get(manager)
        applied_fields = applied.fields.without(self._ignored.get(version, fieldsets.EMPTY))
        owners[manager] = Owned(applied_fields, version, applied=True)
        with _prefixing_errors("failed to prune fields"):
            new = self._pruned(live.merged(applied), owners, version, before)
        owners, _ = self._take_changed(ObjectChange(live, new, version), owners, manager, is_forced=is_forced)
        return new, owners

    def _take_changed(
        self, change: ObjectChange, managers: Mapping[Manager, Owned], manager: Manager, *, is_forced: bool
    ) -> tuple[dict[Manager, Owned], Comparison]:
        """
        Return the remaining fields of other managers, and the changes in the version of the request.

        Raises:
            ConflictsError: Other managers own changed fields, unless the request is forced.
        """
        compared = _Compared(self._versions, self._ignored, change)
        owners: dict[Manager, Owned] = {}
        conflicts: dict[Manager, FieldSet] = {}
        for name, owned in managers.items():
            if name == manager:
                owners[name] = owned
                continue
            changes = compared.as_of(owned.api_version)
            lost_fields = owned.fields.intersection(changes.modified.union(changes.added))
            if not lost_fields.is_empty:
                conflicts[name] = lost_fields
            owners[name] = owned._replace(fields=owned.fields.difference(lost_fields).difference(changes.removed))
        if conflicts and not is_forced:
            raise ConflictsError(conflicts)
        remaining = {name: owned for name, owned in owners.items() if not owned.fields.is_empty}
        return remaining, compared.as_of(change.version)

    def _reconciled(self, live: Typed, managers: Mapping[Manager, Owned]) -> dict[Manager, Owned]:
        """Return the owned fields adapted to the current schemas; a built-in type drops versions that it no longer has."""
        owners: dict[Manager, Owned] = {}
        for manager, owned in managers.items():
            with contextlib.suppress(MissingVersionError):
                kind = self._versions.converted(live, owned.api_version).kind
                owners[manager] = owned._replace(fields=reconciled(kind, owned.fields))
        return owners

    def _pruned(self, merged: Typed, owners: Mapping[Manager, Owned], version: str, before: Owned | None) -> Typed:
        """Return the merged object without the fields dropped by its applier that have no other owner."""
        if before is None or before.fields.is_empty:
            return merged
        with _prefixing_errors("failed to convert merged object to last applied version"):
            merged = self._versions.converted(merged, before.api_version)
        kind = merged.kind
        before_fields = with_parents(kind, before.fields)
        with _prefixing_errors("failed add back owned items"):
            pruned = self._with_owned(merged, merged.without(before_fields), before.api_version, owners)
        with _prefixing_errors(
            "failed add back dangling items: failed to convert pruned object to last applied version"
        ):
            pruned = self._versions.converted(pruned, before.api_version)
        removed_fields = (
            with_parents(kind, merged.fields).difference(with_parents(kind, pruned.fields)).intersection(before_fields)
        )
        return self._versions.converted(merged.without(removed_fields), version)

    def _with_owned(self, merged: Typed, pruned: Typed, version: str, owners: Mapping[Manager, Owned]) -> Typed:
        """Return the pruned object with all owned fields of the merged object restored, starting with the fields recorded in *version*."""
        by_version: dict[str, FieldSet] = {}
        for owned in sorted(owners.values(), key=lambda owned_: (owned_.api_version != version, owned_.api_version)):
            by_version[owned.api_version] = by_version.get(owned.api_version, fieldsets.EMPTY).union(owned.fields)
        for api_version, fields in by_version.items():
            with _prefixing_errors(f"failed to convert merged object at version {api_version}"):
                merged = self._versions.converted(merged, api_version)
            with _prefixing_errors(f"failed to convert pruned object at version {api_version}"):
                pruned = self._versions.converted(pruned, api_version)
            kind = merged.kind
            retained = with_parents(kind, pruned.fields).union(with_parents(kind, fields))
            pruned = merged.without(with_parents(kind, merged.fields).difference(retained))
        return pruned


class _Compared:
    """The changes of an object, converted to other versions on demand."""

    def __init__(self, versions: Converter, ignored: Mapping[str, FieldSet], change: ObjectChange) -> None:
        self._versions = versions
        self._ignored = ignored
        self._live, self._new, version = change
        self._comparisons = {version: self._without_ignored(self._live.compared(self._new), version)}

    def as_of(self, api_version: str) -> Comparison:
        """Return the changes in a version."""
        if api_version not in self._comparisons:
            with _prefixing_errors("failed to convert old object"):
                live = self._versions.converted(self._live, api_version)
            with _prefixing_errors("failed to convert new object"):
                new = self._versions.converted(self._new, api_version)
            self._comparisons[api_version] = self._without_ignored(live.compared(new), api_version)
        return self._comparisons[api_version]

    def _without_ignored(self, comparison: Comparison, api_version: str) -> Comparison:
        ignored = self._ignored.get(api_version)
        return comparison if ignored is None else comparison.without(ignored)


@contextlib.contextmanager
def _prefixing_errors(prefix: str) -> Iterator[None]:
    """
    Prefix conversion and type errors.

    Raises:
        ConversionError: In place of these errors.
    """
    try:
        yield
    except (ConversionError, TypedError) as error:
        raise ConversionError(f"{prefix}: {error}") from None


def with_parents(kind: MergeType | None, fields: FieldSet) -> FieldSet:
    """
    Return a set of fields with their declared parents: an owner of `spec.replicas` also owns `spec`.

    Reference:
        structured-merge-diff fieldpath/set.go, EnsureNamedFieldsAreMembers.
    """
    if not fields.children:
        return fields
    declared = {} if kind is None or kind.map is None else kind.map.fields
    parents = {element for element in fields.children if element[0] == FIELD and element[1] in declared}
    children = {element: with_parents(_below(kind, element), below) for element, below in fields.children.items()}
    return FieldSet(fields.members | parents, children)


def _below(kind: MergeType | None, element: PathElement) -> MergeType | None:
    if kind is None:
        return None
    if element[0] == FIELD:
        return None if kind.map is None else kind.map.field_type(element[1])
    return kind.list.items if element[0] == KEY and kind.list is not None else None


def reconciled(kind: MergeType, owned: FieldSet) -> FieldSet:
    """
    Return a set of fields adapted to the current schema.

    Args:
        kind: The type of the whole object.
        owned: The recorded fields.

    Reference:
        structured-merge-diff typed/reconcile_schema.go.
    """
    atomic = list(_atomic(kind, owned, (), is_whole=False))
    if not atomic:
        return owned
    atomic_fields = fieldsets.from_paths(atomic)
    return owned.without(atomic_fields).union(atomic_fields)


def _atomic(kind: MergeType, owned: FieldSet | None, path: Path, *, is_whole: bool) -> list[Path]:
    """Return the paths of atomic values that are owned in parts; *is_whole* is true for an owned field without owned children."""
    if kind.map is not None:
        return _atomic_of_map(kind.map, owned, path, is_whole=is_whole)
    if kind.scalar is not None or kind.list is None:
        return []
    return _atomic_of_list(kind.list, owned, path, is_whole=is_whole)


def _atomic_of_map(kind: MapType, owned: FieldSet | None, path: Path, *, is_whole: bool) -> list[Path]:
    if kind.is_untyped or owned is None:
        return []
    if not is_whole and kind.is_atomic:
        return [] if owned.is_empty else [path]
    paths: list[Path] = []
    for element in sorted(owned.members | owned.children.keys()):
        below = kind.fields.get(element[1], kind.values) if element[0] == FIELD else kind.values
        if below is not None and (below.map is not None or (below.scalar is None and below.list is not None)):
            paths += _changed_below(below, owned, path, element)
    return paths


def _atomic_of_list(kind: ListType, owned: FieldSet | None, path: Path, *, is_whole: bool) -> list[Path]:
    if not is_whole and not kind.is_associative:
        return [path]
    if owned is None:
        return []
    return [
        atomic_path for element in _elements(owned) for atomic_path in _changed_below(kind.items, owned, path, element)
    ]


def _changed_below(kind: MergeType, owned: FieldSet, path: Path, element: PathElement) -> list[Path]:
    inside = owned.children.get(element)
    return _atomic(kind, inside, (*path, element), is_whole=element in owned.members and inside is None)


def _elements(owned: FieldSet) -> list[PathElement]:
    return sorted(owned.members | owned.children.keys())
