"""
Who owns which fields after a request, and what is left of the object.

An update owns what it changes. An apply owns what it states, takes away what it stated before and nobody else owns, and conflicts
with those who own what it changes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from pytest_crd.engine.registry.fieldmanager import fieldsets, schemachanges
from pytest_crd.engine.registry.fieldmanager.comparing import Comparison
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.managers import Manager, Owned
from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
from pytest_crd.engine.registry.fieldmanager.pathelements import FIELD, KEY, Path, PathElement
from pytest_crd.engine.registry.fieldmanager.typedvalues import TypedError
from pytest_crd.engine.registry.fieldmanager.versionedobjects import ConversionError, MissingVersionError, Typed


class ConflictsError(Exception):
    """
    An apply changes what others own.

    Attributes:
        conflicts: What each of them owns of it.
    """

    def __init__(self, conflicts: Mapping[Manager, FieldSet]) -> None:
        """Take what each of the others owns of it."""
        super().__init__("conflicts")
        self.conflicts = conflicts

    def __iter__(self) -> Iterator[tuple[Manager, Path]]:
        """Yield each conflict: with whom, and about which field; managers in the order in which the server lists them."""
        for manager in sorted(self.conflicts, key=lambda one: one.identifier):
            for path in self.conflicts[manager]:
                yield manager, path

    def beyond(self, allowed: FieldSet) -> ConflictsError | None:
        """Return the conflicts about other fields than those that are *allowed*; None where there are none."""
        left = {manager: fields.difference(allowed) for manager, fields in self.conflicts.items()}
        left = {manager: fields for manager, fields in left.items() if not fields.is_empty}
        return ConflictsError(left) if left else None


class Converter(Protocol):
    """What has an object in other versions."""

    def converted(self, typed: Typed, api_version: str) -> Typed:
        """
        Return an object in another version.

        Raises:
            ConversionError: There is no such version, or the object does not fit it.
            TypedError: The object is not of its type there.
        """


class ObjectChange(NamedTuple):
    """
    A change of an object.

    Attributes:
        live: What was there; an object without fields where there was none.
        new: What takes its place, or is applied to it.
        version: The apiVersion of both.
    """

    live: Typed
    new: Typed
    version: str


class Ownership:
    """
    Decides who owns what in the objects of a CRD.

    Args:
        versions: The versions of the CRD.
        ignored: What requests to a URL do not write, by apiVersion: nobody comes to own that.

    Reference:
        structured-merge-diff merge/update.go.
    """

    def __init__(self, versions: Converter, ignored: Mapping[str, FieldSet]) -> None:
        self._versions = versions
        self._ignored = ignored

    def differs(self, change: ObjectChange) -> bool:
        """Return whether a change is one of what requests write, in terms of its version."""
        compared = change.live.compared(change.new).without(self._ignored.get(change.version, fieldsets.EMPTY))
        return not all(fields.is_empty for fields in (compared.added, compared.modified, compared.removed))

    def update(self, change: ObjectChange, managers: Mapping[Manager, Owned], manager: Manager) -> dict[Manager, Owned]:
        """
        Return who owns what after an object was replaced.

        Args:
            change: What was there, and what is there now.
            managers: Who owned what.
            manager: Who replaced it.

        Raises:
            ConversionError: What somebody owns is written down in a version of which the object cannot be had.
            TypedError: The object is not of its type in such a version.
        """
        live, _, version = change
        owners, compared = self._taken(change, self._reconciled(live, managers), manager, is_forced=True)
        before = owners.pop(manager, Owned(fieldsets.EMPTY, version, applied=False)).fields
        fields = before.difference(compared.removed).union(compared.modified).union(compared.added)
        fields = fields.without(self._ignored.get(version, fieldsets.EMPTY))
        return owners if fields.is_empty else {**owners, manager: Owned(fields, version, applied=False)}

    def apply(
        self, change: ObjectChange, managers: Mapping[Manager, Owned], manager: Manager, *, is_forced: bool
    ) -> tuple[Typed, dict[Manager, Owned]]:
        """
        Return an object with what is applied, and who owns what then.

        Args:
            change: What was there, and what is applied to it.
            managers: Who owned what.
            manager: Who applies it.
            is_forced: Whether what others own is taken from them.

        Raises:
            ConflictsError: Others own what it changes.
            ConversionError: What somebody owns is written down in a version of which the object cannot be had.
            TypedError: The object is not of its type in such a version.
        """
        live, applied, version = change
        owners = self._reconciled(live, managers)
        before = owners.get(manager)
        stated = applied.fields.without(self._ignored.get(version, fieldsets.EMPTY))
        owners[manager] = Owned(stated, version, applied=True)
        with _failing("failed to prune fields"):
            new = self._pruned(live.merged(applied), owners, version, before)
        owners, _ = self._taken(ObjectChange(live, new, version), owners, manager, is_forced=is_forced)
        return new, owners

    def _taken(
        self, change: ObjectChange, managers: Mapping[Manager, Owned], manager: Manager, *, is_forced: bool
    ) -> tuple[dict[Manager, Owned], Comparison]:
        """Return what the others own of what is there now, and how the object differs in the version of the request."""
        compared = _Compared(self._versions, self._ignored, change)
        owners: dict[Manager, Owned] = {}
        conflicts: dict[Manager, FieldSet] = {}
        for other, owned in managers.items():
            if other == manager:
                owners[other] = owned
                continue
            changes = compared.as_of(owned.api_version)
            taken = owned.fields.intersection(changes.modified.union(changes.added))
            if not taken.is_empty:
                conflicts[other] = taken
            owners[other] = owned._replace(fields=owned.fields.difference(taken).difference(changes.removed))
        if conflicts and not is_forced:
            raise ConflictsError(conflicts)
        left = {other: owned for other, owned in owners.items() if not owned.fields.is_empty}
        return left, compared.as_of(change.version)

    def _reconciled(self, live: Typed, managers: Mapping[Manager, Owned]) -> dict[Manager, Owned]:
        """Return who owned what, in terms of the schemas of now; without those of versions that a built-in type no longer has."""
        owners: dict[Manager, Owned] = {}
        for manager, owned in managers.items():
            with contextlib.suppress(MissingVersionError):
                kind = self._versions.converted(live, owned.api_version).kind
                owners[manager] = owned._replace(fields=schemachanges.reconciled(kind, owned.fields))
        return owners

    def _pruned(self, merged: Typed, owners: Mapping[Manager, Owned], version: str, before: Owned | None) -> Typed:
        """Return the merged object without what its applier stated *before*, states no more, and nobody else owns."""
        if before is None or before.fields.is_empty:
            return merged
        with _failing("failed to convert merged object to last applied version"):
            merged = self._versions.converted(merged, before.api_version)
        kind = merged.kind
        stated = with_parents(kind, before.fields)
        with _failing("failed add back owned items"):
            pruned = self._with_owned(merged, merged.without(stated), before.api_version, owners)
        with _failing("failed add back dangling items: failed to convert pruned object to last applied version"):
            pruned = self._versions.converted(pruned, before.api_version)
        gone = with_parents(kind, merged.fields).difference(with_parents(kind, pruned.fields)).intersection(stated)
        return self._versions.converted(merged.without(gone), version)

    def _with_owned(self, merged: Typed, pruned: Typed, version: str, owners: Mapping[Manager, Owned]) -> Typed:
        """Return the pruned object with what somebody owns of the merged one, that of *version* first."""
        by_version: dict[str, FieldSet] = {}
        for owned in sorted(owners.values(), key=lambda one: (one.api_version != version, one.api_version)):
            by_version[owned.api_version] = by_version.get(owned.api_version, fieldsets.EMPTY).union(owned.fields)
        for api_version, fields in by_version.items():
            with _failing(f"failed to convert merged object at version {api_version}"):
                merged = self._versions.converted(merged, api_version)
            with _failing(f"failed to convert pruned object at version {api_version}"):
                pruned = self._versions.converted(pruned, api_version)
            kind = merged.kind
            kept = with_parents(kind, pruned.fields).union(with_parents(kind, fields))
            pruned = merged.without(with_parents(kind, merged.fields).difference(kept))
        return pruned


class _Compared:
    """How an object differs from the one before, in each version that is asked for."""

    def __init__(self, versions: Converter, ignored: Mapping[str, FieldSet], change: ObjectChange) -> None:
        self._versions = versions
        self._ignored = ignored
        self._live, self._new, own = change
        self._found = {own: self._without_ignored(self._live.compared(self._new), own)}

    def as_of(self, api_version: str) -> Comparison:
        """Return how it differs in a version."""
        if api_version not in self._found:
            with _failing("failed to convert old object"):
                live = self._versions.converted(self._live, api_version)
            with _failing("failed to convert new object"):
                new = self._versions.converted(self._new, api_version)
            self._found[api_version] = self._without_ignored(live.compared(new), api_version)
        return self._found[api_version]

    def _without_ignored(self, comparison: Comparison, api_version: str) -> Comparison:
        ignored = self._ignored.get(api_version)
        return comparison if ignored is None else comparison.without(ignored)


@contextlib.contextmanager
def _failing(what: str) -> Iterator[None]:
    """Say before an error *what* failed."""
    try:
        yield
    except (ConversionError, TypedError) as error:
        raise ConversionError(f"{what}: {error}") from None


def with_parents(kind: MergeType | None, fields: FieldSet) -> FieldSet:
    """
    Return a set of fields with the declared fields in which they are: who owns `spec.replicas` has a `spec`.

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
        return None if kind.map is None else kind.map.of(element[1])
    return kind.list.items if element[0] == KEY and kind.list is not None else None
