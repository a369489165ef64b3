"""
The field manager of one URL: what a request makes of who owns what, in the order in which the server does it.

Objects here are in the version of the request, as they are after decoding, with all of their metadata.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd import garbage
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import converting
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.golang.release import ApplyRelease
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.metadata.metav1types import MANAGED_FIELDS_ENTRY
from pytest_crd.engine.registry.fieldmanager import comparing, fieldsets, lastapplied, managers, pathelements
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.managers import (
    APPLY,
    NOBODY,
    UPDATE,
    BrokenEntriesError,
    Managed,
    Manager,
    Owned,
)
from pytest_crd.engine.registry.fieldmanager.ownership import ConflictsError, ObjectChange, Ownership
from pytest_crd.engine.registry.fieldmanager.pathelements import field
from pytest_crd.engine.registry.fieldmanager.typedvalues import TypedError
from pytest_crd.engine.registry.fieldmanager.versionedobjects import ConversionError, Typed, Versions
from pytest_crd.engine.registry.fieldmanager.writers import Applied, ApplyRefusedError, Writer
from pytest_crd.engine.registry.response import FieldConflict

# Stands for the manager of an update while it is found out whether it changes anything.
_CURRENT: Final = Manager("current-operation", UPDATE)
_BEFORE: Final = "before-first-apply"
_ANCIENT: Final = "ancient-changes"
_MOST_UPDATERS: Final = 10
_UNKNOWN: Final = "unknown"
_METADATA: Final = field("metadata")
_OWNED_BY_NOBODY: Final = fieldsets.of(
    [
        *((field(name),) for name in ("apiVersion", "kind", "metadata")),
        *(
            (_METADATA, field(name))
            for name in (
                *("name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation"),
                *("managedFields", "resourceVersion"),
            )
        ),
    ]
)


class FieldManager:
    """
    What keeps track of the owners of fields, for the requests to one version of a CRD.

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
        Take what decides who owns what.

        Args:
            versions: The versions of the CRD.
            type_meta: The apiVersion and kind of the version that requests are sent to.
            ignored: What requests do not write, by the subresource that they are sent to and the version.
            release: Whose behaviour and words.
            empty: An object of which nothing is said yet; None where that has its type alone.
        """
        self._versions = versions
        self._empty: JSONObject = type_meta if empty is None else empty
        self._type_meta = type_meta
        self._release = release
        self._ownerships = {name: Ownership(versions, fields) for name, fields in ignored.items()}

    @garbage.paused()
    def update(self, live: JSONObject | None, new: JSONObject, writer: Writer) -> dict[str, JSONValue]:
        """
        Return an object that is created or replaces another one, with who owns what.

        Args:
            live: What is stored, in the version of the request; None for a create.
            new: The object, as it is about to be validated; its own managed fields are those that were sent.
            writer: Who writes it.
        """
        managed = _given(live, new, writer, self._release)
        bare = _without_entries(new)
        if live is not None and not managed.owners:
            return bare  # not tracked, and an update does not begin with it
        try:
            managed = self._updated(live or self._empty, bare, managed, writer)
        except (ConversionError, TypedError):
            return _with_entries(bare, _entries(live) if self._release.keeps_owners_on_errors else [])
        return _with_entries(bare, managers.write(managed))

    @garbage.paused()
    def apply(self, live: JSONObject | None, applied: JSONObject, writer: Writer) -> Applied:
        """
        Return a stored object with what is applied to it, and who owns what.

        Args:
            live: What is stored, in the version of the request; None where nothing is.
            applied: What is applied, as it was sent.
            writer: Who applies it.

        Raises:
            ApplyRefusedError: It is for another type, or says who owns what itself; it is not of its type; others own
                what it changes.
        """
        try:
            managed = managers.read(_entries(live), ignores_rest=not self._release.reads_keys_whole)
        except BrokenEntriesError as error:
            raise _failed(f"failed to decode managed fields: {error}") from None
        self._check_type(applied)
        try:
            merged, managed = self._merged(live or self._empty, applied, managed, writer)
        except ConflictsError as error:
            raise ApplyRefusedError(_conflict(error), _listed(error)) from None
        except (ConversionError, TypedError) as error:
            raise _failed(str(error)) from None
        new = merged.resource
        if writer.manager == lastapplied.KUBECTL:
            new = lastapplied.refreshed(new, applied)
        return merged._replace(resource=_with_entries(new, managers.write(managed)))

    def _merged(
        self, live: JSONObject, applied: JSONObject, managed: Managed, writer: Writer
    ) -> tuple[Applied, Managed]:
        """Apply, after what was there before the first apply has got an owner; kubectl may take what it applied on its own side."""
        if not managed.owners:
            try:
                managed = self._updated(self._empty, live, managed, writer._replace(manager=_BEFORE))
            except TypedError as error:
                problem = f"failed to convert new object{self._of_kind(live)} to smd typed: {error}"
                raise _failed(f"failed to create manager for existing fields: {problem}") from None
        try:
            return self._apply(live, applied, managed, writer)
        except ConflictsError as error:
            if writer.manager != lastapplied.KUBECTL:
                raise
            allowed = lastapplied.unchanged(live, self._versions, self._type_meta["apiVersion"])
            if allowed is None:
                raise
            if (left := error.beyond(allowed)) is not None:
                raise left from None
            return self._apply(live, applied, managed, writer._replace(is_forced=True))

    def _apply(
        self, live: JSONObject, applied: JSONObject, managed: Managed, writer: Writer
    ) -> tuple[Applied, Managed]:
        typed_live, typed = self._typed(live, applied)
        own = Manager(writer.manager or _UNKNOWN, APPLY, subresource=self._named_subresource(writer))
        ownership, version = self._ownerships[writer.subresource], self._type_meta["apiVersion"]
        new, owners = ownership.apply(
            ObjectChange(typed_live, typed, version),
            managed.owners,
            own,
            is_forced=writer.is_forced,
        )
        owners = _stripped(owners, own)
        follows_writes = self._release.times_follow_writes
        is_same = comparing.same(typed_live.value, new.value)
        if not is_same and (follows_writes or ownership.differs(ObjectChange(typed_live, new, version))):
            return Applied(new.value, is_merged=True), Managed(owners, {**managed.times, own: writer.time})
        is_later = not follows_writes and _compared(owners) != _compared(managed.owners)
        times = {**managed.times, own: writer.time} if is_later else managed.times
        return Applied(_without_entries(live), is_merged=False), Managed(owners, times)

    def _typed(self, live: JSONObject, applied: JSONObject) -> tuple[Typed, Typed]:
        if _is_list_of_entries(_metadata(applied).get("managedFields")):
            raise ApplyRefusedError(refusal.bad_request("metadata.managedFields must be nil"))
        if (found := _kind(applied)) != _kind(self._type_meta):  # where versions alone were checked before
            raise _failed(f"failed to create typed patch object: no corresponding type for {found}")
        try:
            typed = self._versions.typed(applied)
        except TypedError as error:
            raise _failed(f"failed to create typed patch object{self._of(applied)}: {error}") from None
        try:
            return self._with_type(live), typed
        except TypedError as error:
            raise _failed(f"failed to create typed live object{self._of(live)}: {error}") from None

    def _with_type(self, resource: JSONObject) -> Typed:
        return self._versions.typed(resource, allow_duplicates=self._release.duplicates_are_tracked)

    def _of(self, resource: JSONObject) -> str:
        """Return which object an error is about, where the release says so."""
        return f" ({_named(resource)})" if self._release.names_objects else ""

    def _of_kind(self, resource: JSONObject) -> str:
        return self._of(resource) or f" ({_kind(resource)})"

    def _updated(self, live: JSONObject, new: JSONObject, managed: Managed, writer: Writer) -> Managed:
        """Return who owns what after an update; one that changes nothing leaves the time as it was."""
        version = self._type_meta["apiVersion"]
        # A patch may state another version, which validation refuses later.
        change = ObjectChange(self._with_type(live), self._with_type({**new, "apiVersion": version}), version)
        owners = _stripped(self._ownerships[writer.subresource].update(change, managed.owners, _CURRENT), _CURRENT)
        times = dict(managed.times)
        current = owners.pop(_CURRENT, None)
        if current is not None:
            own = Manager(writer.manager or _UNKNOWN, UPDATE, version, self._named_subresource(writer))
            before = owners.get(own)
            fields = current.fields if before is None else current.fields.union(before.fields)
            owners[own] = current._replace(fields=fields)
            former = managed.owners.get(own)
            if self._release.times_follow_writes or former is None or {*former.fields} != {*fields}:
                times[own] = writer.time
        return _capped(Managed(owners, times))

    def _named_subresource(self, writer: Writer) -> str:
        """Return the subresource that a manager of it is known by, where the release knows of any."""
        return writer.subresource if self._release.names_subresources else ""

    def _check_type(self, applied: JSONObject) -> None:
        found, expected = _kind(applied), _kind(self._type_meta)
        if self._release.checks_kinds:
            if found != expected:
                raise ApplyRefusedError(refusal.bad_request(f"invalid object type: {found}"))
            return
        stated, served = (kind.partition(", Kind=")[0].removeprefix("/") for kind in (found, expected))
        if stated != served:
            said = f"Incorrect version specified in apply patch. Specified patch version: {stated}, expected: {served}"
            raise ApplyRefusedError(refusal.bad_request(said))


def settled(new: JSONObject, live: JSONObject) -> JSONObject:
    """
    Return an object with the times of its managed fields as they were, where nothing else changes.

    Args:
        new: The object, as it would be stored.
        live: What is stored.

    Reference:
        apiserver endpoints/handlers/fieldmanager/equality.go, IgnoreManagedFieldsTimestampsTransformer.
    """
    now, before = _entries(new), _entries(live)
    if not now or not jsonvalue.equal(_timeless(now), _timeless(before)):
        return new
    return _with_entries(new, before) if jsonvalue.equal(_without_entries(new), _without_entries(live)) else new


def _timeless(entries: Sequence[JSONValue]) -> list[JSONValue]:
    return [{key: value for key, value in entry.items() if key != "time"} for entry in entries]


def _compared(owners: Mapping[Manager, Owned]) -> dict[str, tuple[str, bool, set[pathelements.Path]]]:
    """Return who owns what in a form in which what is alike is equal."""
    return {
        manager.identifier: (owned.api_version, owned.applied, {*owned.fields}) for manager, owned in owners.items()
    }


def _given(live: JSONObject | None, new: JSONObject, writer: Writer, release: ApplyRelease) -> Managed:
    """
    Return who owned what: as the request says it, else as it is stored; nobody where the request resets it.

    Reference:
        apimachinery managedfields/internal/fieldmanager.go, decodeLiveOrNew.
    """
    if not writer.subresource:
        entries = _metadata(new).get("managedFields")
        if entries in ([], [{}]):
            return NOBODY
        given = _readable(entries or [], release)
        if given.owners:
            return given
    return _readable(_entries(live), release)


def _stripped(owners: Mapping[Manager, Owned], manager: Manager) -> dict[Manager, Owned]:
    """
    Return who owns what, without what *manager* cannot own, as the server makes it.

    Reference:
        apimachinery managedfields/internal/stripmeta.go.
    """
    left = dict(owners)
    if manager in left:
        fields = left[manager].fields.difference(_OWNED_BY_NOBODY)
        left[manager] = left[manager]._replace(fields=fields)
        if fields.is_empty:
            del left[manager]
    return left


def _capped(managed: Managed) -> Managed:
    """
    Return who owns what, with at most ten that updated; the oldest of a version share one name.

    Reference:
        apimachinery managedfields/internal/capmanagers.go.
    """
    owners, times = dict(managed.owners), dict(managed.times)
    updaters = [manager for manager, owned in owners.items() if not owned.applied]
    updaters.sort(key=lambda manager: (times.get(manager, ""), manager.identifier))
    first: dict[str, Manager] = {}
    left = len(updaters)
    for manager in updaters:
        if left <= _MOST_UPDATERS:
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
        left -= 1
    return Managed(owners, times)


def _conflict(error: ConflictsError) -> Refusal:
    """
    Return how an apply is refused that changes what others own.

    Reference:
        apimachinery managedfields/internal/conflict.go; api/errors, NewApplyConflict.
    """
    found = [(manager.shown, pathelements.spell(path)) for manager, path in error]
    causes = tuple(fielderror.manager_conflict(f"conflict with {shown}", path) for shown, path in found)
    if len(found) == 1:
        shown, path = found[0]
        message = f"Apply failed with 1 conflict: conflict with {shown}: {path}"
        return Refusal(409, "Conflict", message, causes, subject={})
    lines: list[str] = []
    for shown, group in itertools.groupby(found, key=lambda one: one[0]):
        lines += [f"conflicts with {shown}:", *(f"- {path}" for _, path in group)]
    message = f"Apply failed with {len(found)} conflicts: " + "\n".join(lines)
    return Refusal(409, "Conflict", message, causes, subject={})


def _listed(error: ConflictsError) -> tuple[FieldConflict, ...]:
    return tuple(FieldConflict(manager.name, pathelements.owned(path)) for manager, path in error)


def _failed(message: str) -> ApplyRefusedError:
    return ApplyRefusedError(Refusal(500, "", message))


def _named(resource: JSONObject) -> str:
    """Return a resource as errors name it: where it is, and what."""
    metadata = _metadata(resource)
    return f"{_text(metadata, 'namespace')}/{_text(metadata, 'name')}; {_kind(resource)}"


def _kind(resource: JSONObject) -> str:
    """Return the kind of a resource as errors name it; what is no apiVersion leaves nothing of it."""
    group, _, version = _text(resource, "apiVersion").rpartition("/")
    if "/" in group:
        return "/, Kind="
    return f"{group}/{version}, Kind={_text(resource, 'kind')}"


def _text(of: JSONObject, key: str) -> str:
    found = of.get(key)
    return found if isinstance(found, str) else ""


def _metadata(resource: JSONObject) -> dict[str, JSONValue]:
    found = resource.get("metadata")
    return found if isinstance(found, dict) else {}


def _entries(resource: JSONObject | None) -> list[JSONValue]:
    return _metadata(resource or {}).get("managedFields") or []


def _readable(entries: list[JSONValue], release: ApplyRelease) -> Managed:
    try:
        return managers.read(entries, ignores_rest=not release.reads_keys_whole)
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


def _with_entries(resource: JSONObject, entries: Sequence[JSONValue]) -> dict[str, JSONValue]:
    bare = _without_entries(resource)
    return {**bare, "metadata": {**_metadata(bare), "managedFields": entries}} if entries else bare
