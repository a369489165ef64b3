"""
Field manager of one resource URL, with the server's order of steps.

Objects are decoded, in the version of the request, with all of their metadata.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import converting
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.golang.release import ApplyRelease
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.metadata.metav1types import MANAGED_FIELDS_ENTRY
from pytest_crd.engine.registry.fieldmanager import comparing, lastapplied, managedlimits, managers, pathelements
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.managers import (
    APPLY,
    NOBODY,
    UPDATE,
    BrokenEntriesError,
    Managed,
    Manager,
    Owned,
    SharedForms,
)
from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
from pytest_crd.engine.registry.fieldmanager.ownership import ConflictsError, ObjectChange, Ownership
from pytest_crd.engine.registry.fieldmanager.typedvalues import TypedError
from pytest_crd.engine.registry.fieldmanager.versionedobjects import ConversionError, Typed, Versions
from pytest_crd.engine.registry.fieldmanager.writers import Applied, ApplyRefusedError, Writer
from pytest_crd.engine.registry.response import FieldConflict

# The temporary manager of an update, until a change is found.
_CURRENT: Final = Manager("current-operation", UPDATE)
_BEFORE: Final = "before-first-apply"
_UNKNOWN: Final = "unknown"


class FieldManager:
    """
    Field manager of requests to one version of a CRD.

    Reference:
        apimachinery managedfields/internal/fieldmanager.go, NewDefaultFieldManager, and the managers that it wraps.
    """

    def __init__(
        self,
        versions: Versions,
        type_meta: Mapping[str, str],
        ignored: Mapping[str, Mapping[str, FieldSet]],
        release: ApplyRelease,
        *,
        empty: JSONObject | None = None,
    ) -> None:
        """
        Create for a version.

        Args:
            versions: The versions of the CRD.
            type_meta: The apiVersion and kind of the version that requests are sent to.
            ignored: The fields that requests ignore, by subresource and version.
            release: The behaviour of the Kubernetes version.
            empty: An empty object; None for one with only apiVersion and kind.
        """
        self._versions = versions
        self._empty: JSONObject = type_meta if empty is None else empty
        self._type_meta = type_meta
        self._release = release
        self._forms = managers.SharedForms()
        self._with_type = functools.partial(versions.typed, allow_duplicates=release.duplicates_are_tracked)
        self._ownerships = {name: Ownership(versions, fields) for name, fields in ignored.items()}

    def merge_type(self, type_meta: Mapping[str, JSONValue]) -> MergeType | None:
        """Return the merge type of the objects with an apiVersion and a kind; None for another CRD or version."""
        version = type_meta.get("apiVersion")
        is_own = isinstance(version, str) and type_meta.get("kind") == self._type_meta["kind"]
        return self._versions.find_type(version) if is_own and isinstance(version, str) else None

    def update(self, live: JSONObject | None, new: JSONObject, writer: Writer) -> Sequence[JSONValue]:
        """
        Return the managed fields of a created or updated object; empty if it has none.

        Args:
            live: The stored object, in the version of the request; None for a create.
            new: The object before validation, with the managed fields that were sent.
            writer: The writer.
        """
        managed_before = _sent_or_stored(live, new, writer, self._release, self._forms)
        bare = _without_entries(new) if "managedFields" in _metadata(new) else new
        if live is not None and not managed_before.owners:
            return ()  # not tracked, and an update does not start tracking
        entries: Sequence[JSONValue] = _entries(live) if self._release.keeps_owners_on_errors else []
        if _kind(bare) != _kind(self._type_meta):  # a patch may change it
            return entries
        with contextlib.suppress(ConversionError, TypedError):
            entries = managers.write(self._updated(live or self._empty, bare, managed_before, writer), self._forms)
        return entries

    def apply(self, live: JSONObject | None, applied: JSONObject, writer: Writer) -> Applied:
        """
        Return the stored object merged with the applied one, with its managed fields.

        Args:
            live: The stored object, in the version of the request; None if there is none.
            applied: The applied object, as sent.
            writer: The writer.

        Raises:
            ApplyRefusedError: The applied object has another type, has managed fields, does not fit its schema, or conflicts with other managers.
        """
        try:
            managed = managers.read(_entries(live), ignores_rest=not self._release.reads_keys_whole, forms=self._forms)
        except BrokenEntriesError as error:
            raise _failed(f"failed to decode managed fields: {error}") from None
        self._check_type(applied)
        try:
            merged, managed = self._merged(live or self._empty, applied, managed, writer)
        except ConflictsError as error:
            raise refuse_conflicts(error) from None
        except (ConversionError, TypedError) as error:
            raise _failed(str(error)) from None
        new = merged.resource
        if writer.manager == lastapplied.KUBECTL:
            new = lastapplied.refreshed(new, applied)
        return merged._replace(resource=with_entries(new, managers.write(managed, self._forms)))

    def _merged(
        self, live: JSONObject, applied: JSONObject, managed: Managed, writer: Writer
    ) -> tuple[Applied, Managed]:
        """Apply an object; untracked fields first get an owner, and kubectl may take over its own client-side applies."""
        if not managed.owners:
            try:
                managed = self._updated(self._empty, live, managed, writer._replace(manager=_BEFORE))
            except TypedError as error:
                problem = f"failed to convert new object{self._subject_or_kind(live)} to smd typed: {error}"
                raise _failed(f"failed to create manager for existing fields: {problem}") from None
        try:
            return self._apply(live, applied, managed, writer)
        except ConflictsError as error:
            if writer.manager != lastapplied.KUBECTL:
                raise
            allowed = lastapplied.unchanged(live, self._versions, self._type_meta["apiVersion"])
            if allowed is None:
                raise
            if (remaining_conflicts := error.beyond(allowed)) is not None:
                raise remaining_conflicts from None
            return self._apply(live, applied, managed, writer._replace(is_forced=True))

    def _apply(
        self, live: JSONObject, applied: JSONObject, managed: Managed, writer: Writer
    ) -> tuple[Applied, Managed]:
        typed_live, typed_applied = self._typed(live, applied)
        manager = Manager(writer.manager or _UNKNOWN, APPLY, subresource=self._named_subresource(writer))
        ownership, version = self._ownerships[writer.subresource], self._type_meta["apiVersion"]
        new, owners = ownership.apply(
            ObjectChange(typed_live, typed_applied, version),
            managed.owners,
            manager,
            is_forced=writer.is_forced,
        )
        owners = managedlimits.strip(owners, manager)
        follows_writes = self._release.times_follow_writes
        is_same = comparing.same(typed_live.value, new.value)
        if not is_same and (follows_writes or ownership.differs(ObjectChange(typed_live, new, version))):
            return Applied(new.value, is_merged=True), Managed(owners, {**managed.times, manager: writer.time})
        is_later = not follows_writes and _compared(owners) != _compared(managed.owners)
        times = {**managed.times, manager: writer.time} if is_later else managed.times
        return Applied(_without_entries(live), is_merged=False), Managed(owners, times)

    def _typed(self, live: JSONObject, applied: JSONObject) -> tuple[Typed, Typed]:
        if _is_list_of_entries(_metadata(applied).get("managedFields")):
            raise ApplyRefusedError(refusal.bad_request("metadata.managedFields must be nil"))
        if (kind := _kind(applied)) != _kind(self._type_meta):  # older versions compared only the versions
            raise _failed(f"failed to create typed patch object: no corresponding type for {kind}")
        try:
            typed = self._versions.typed(applied)
        except TypedError as error:
            raise _failed(f"failed to create typed patch object{self._subject(applied)}: {error}") from None
        try:
            return self._with_type(live), typed
        except TypedError as error:
            raise _failed(f"failed to create typed live object{self._subject(live)}: {error}") from None

    def _subject(self, resource: JSONObject) -> str:
        """Return the name of an object in errors; empty if the release omits it."""
        return f" ({_named(resource)})" if self._release.names_objects else ""

    def _subject_or_kind(self, resource: JSONObject) -> str:
        return self._subject(resource) or f" ({_kind(resource)})"

    def _updated(self, live: JSONObject, new: JSONObject, managed: Managed, writer: Writer) -> Managed:
        """Return the managed fields after an update; without changes the manager keeps its time."""
        version = self._type_meta["apiVersion"]
        # A patch may state another version, which validation refuses later.
        typed_live = self._with_type(live)
        typed_new = self._with_type({**new, "apiVersion": version}, checked=typed_live)
        change = ObjectChange(typed_live, typed_new, version)
        owners = managedlimits.strip(
            self._ownerships[writer.subresource].update(change, managed.owners, _CURRENT), _CURRENT
        )
        times = dict(managed.times)
        current = owners.pop(_CURRENT, None)
        if current is not None:
            manager = Manager(writer.manager or _UNKNOWN, UPDATE, version, self._named_subresource(writer))
            before = owners.get(manager)
            fields = current.fields if before is None else current.fields.union(before.fields)
            owners[manager] = current._replace(fields=fields)
            owned_before = managed.owners.get(manager)
            if self._release.times_follow_writes or owned_before is None or {*owned_before.fields} != {*fields}:
                times[manager] = writer.time
        return managedlimits.cap(Managed(owners, times))

    def _named_subresource(self, writer: Writer) -> str:
        """Return the subresource in the manager's identity; empty if the release does not record it."""
        return writer.subresource if self._release.names_subresources else ""

    def _check_type(self, applied: JSONObject) -> None:
        kind, expected = _kind(applied), _kind(self._type_meta)
        if self._release.checks_kinds:
            if kind != expected:
                raise ApplyRefusedError(refusal.bad_request(f"invalid object type: {kind}"))
            return
        stated_version, served = (text.partition(", Kind=")[0].removeprefix("/") for text in (kind, expected))
        if stated_version != served:
            problem = f"Incorrect version specified in apply patch. Specified patch version: {stated_version}, expected: {served}"
            raise ApplyRefusedError(refusal.bad_request(problem))


def settled(new: JSONObject, live: JSONObject) -> JSONObject:
    """
    Return an object with its old managed fields if only their times changed.

    Args:
        new: The object to store.
        live: The stored object.

    Reference:
        apiserver endpoints/handlers/fieldmanager/equality.go, IgnoreManagedFieldsTimestampsTransformer.
    """
    now, before = _entries(new), _entries(live)
    # Most writes change the object, which is found sooner than a change of its managed fields.
    if not now or not jsonvalue.equal(_without_entries(new), _without_entries(live)):
        return new
    return with_entries(new, before) if jsonvalue.equal(_timeless(now), _timeless(before)) else new


def _timeless(entries: Sequence[JSONValue]) -> list[JSONValue]:
    return [{key: value for key, value in entry.items() if key != "time"} for entry in entries]


def _compared(owners: Mapping[Manager, Owned]) -> dict[str, tuple[str, bool, set[pathelements.Path]]]:
    """Return the owners in a form for comparison with `==`."""
    return {
        manager.identifier: (owned.api_version, owned.applied, {*owned.fields}) for manager, owned in owners.items()
    }


def _sent_or_stored(
    live: JSONObject | None, new: JSONObject, writer: Writer, release: ApplyRelease, forms: SharedForms
) -> Managed:
    """
    Return the managed fields before an update: the sent ones, else the stored ones; empty if the request resets them.

    Reference:
        apimachinery managedfields/internal/fieldmanager.go, decodeLiveOrNew.
    """
    if not writer.subresource:
        entries = _metadata(new).get("managedFields")
        if entries in ([], [{}]):
            return NOBODY
        sent_managed = _readable(entries or [], release, forms)
        if sent_managed.owners:
            return sent_managed
    return _readable(_entries(live), release, forms)


def _failed(message: str) -> ApplyRefusedError:
    return ApplyRefusedError(Refusal(500, "", message))


def _named(resource: JSONObject) -> str:
    """Return a resource's namespace, name and kind as in errors."""
    metadata = _metadata(resource)
    return f"{_text(metadata, 'namespace')}/{_text(metadata, 'name')}; {_kind(resource)}"


def _kind(resource: JSONObject) -> str:
    """Return a resource's group, version and kind as in errors; empty parts for a malformed apiVersion."""
    group, _, version = _text(resource, "apiVersion").rpartition("/")
    if "/" in group:
        return "/, Kind="
    return f"{group}/{version}, Kind={_text(resource, 'kind')}"


def _text(object_: JSONObject, key: str) -> str:
    value = object_.get(key)
    return value if isinstance(value, str) else ""


def _metadata(resource: JSONObject) -> dict[str, JSONValue]:
    metadata = resource.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _entries(resource: JSONObject | None) -> list[JSONValue]:
    return _metadata(resource or {}).get("managedFields") or []


def _readable(entries: list[JSONValue], release: ApplyRelease, forms: SharedForms) -> Managed:
    try:
        return managers.read(entries, ignores_rest=not release.reads_keys_whole, forms=forms)
    except BrokenEntriesError:
        return NOBODY


def _is_list_of_entries(value: JSONValue) -> bool:
    """
    Return whether *value* is managed fields to a server, which takes a list with an unreadable entry for none.

    Reference:
        apimachinery apis/meta/v1/unstructured/unstructured.go, GetManagedFields.
    """
    if not isinstance(value, list):
        return False
    try:
        return all(isinstance(converting.convert(item, MANAGED_FIELDS_ENTRY), dict) for item in value)
    except MistypedError:
        return False


def _without_entries(resource: JSONObject) -> dict[str, JSONValue]:
    metadata = _metadata(resource)
    if "managedFields" not in metadata:
        return dict(resource)
    return {**resource, "metadata": {key: value for key, value in metadata.items() if key != "managedFields"}}


def with_entries(resource: JSONObject, entries: Sequence[JSONValue]) -> dict[str, JSONValue]:
    """Return *resource* with other managed fields; without any if *entries* are empty."""
    bare = _without_entries(resource)
    return {**bare, "metadata": {**_metadata(bare), "managedFields": entries}} if entries else bare


def refuse_conflicts(error: ConflictsError) -> ApplyRefusedError:
    """
    Return the error of an apply with conflicts.

    Reference:
        apimachinery managedfields/internal/conflict.go; api/errors, NewApplyConflict.
    """
    fields = tuple(FieldConflict(manager.name, pathelements.owned(path)) for manager, path in error)
    conflicts = [(manager.printed, pathelements.spell(path)) for manager, path in error]
    causes = (fielderror.manager_conflict(f"conflict with {manager}", path) for manager, path in conflicts)
    return ApplyRefusedError(Refusal(409, "Conflict", _message(conflicts), tuple(causes), subject={}), fields)


def _message(conflicts: Sequence[tuple[str, str]]) -> str:
    if len(conflicts) == 1:
        manager, path = conflicts[0]
        return f"Apply failed with 1 conflict: conflict with {manager}: {path}"
    lines: list[str] = []
    for manager, group in itertools.groupby(conflicts, key=lambda conflict: conflict[0]):
        lines += [f"conflicts with {manager}:", *(f"- {path}" for _, path in group)]
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)
