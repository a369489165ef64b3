"""Validated objects on their way to the store: their outcomes, with the metadata that the server sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata, systemmetadata
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.registry import requestoptions, response, storage
from pytest_crd.engine.registry.request import Request, RequestOutcome, WrittenObjects, without_version
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.registry.response import Response, Stored
from pytest_crd.engine.registry.strategy import NotReadBackError, PendingWrite, StoredForms, Strategy, Validated
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.registry import scale
    from pytest_crd.engine.registry.admitting import RequestAdmission
    from pytest_crd.engine.registry.patching import documents
else:
    scale = lazyimport.module("pytest_crd.engine.registry.scale")
    documents = lazyimport.module("pytest_crd.engine.registry.patching.documents")

_VERSIONED: Final = Refusal(500, "", "resourceVersion should not be set on objects to be created")


class CheckedWrite(NamedTuple):
    """
    An object that was validated.

    Attributes:
        write: The object.
        validated: The errors and warnings.
        system_metadata: The metadata that the server sets.
        before: The stored object, without its resourceVersion; None if there is none.
        request: The request.
        strategy: The steps of the kind.
    """

    write: PendingWrite
    validated: Validated
    system_metadata: Stored
    before: Resource | None
    request: Request
    strategy: Strategy

    @property
    def version(self) -> str:
        """The resourceVersion between admission and the store; empty without one."""
        write = self.write
        metadata = (write.read.decoded.resource if write.live is None else write.live).get("metadata") or {}
        version: str = metadata.get("resourceVersion") or ""
        return version

    @property
    def ends(self) -> bool:
        """Whether an update removes the last finalizer of a deleted object."""
        is_update = self.write.live is not None and self.before is not None
        return is_update and requestmetadata.ends(self.write.resource["metadata"], (self.before or {}).get("metadata"))

    def metadata(self) -> dict[str, JSONValue]:
        """Return the server's metadata, managed fields included."""
        write = self.write
        entries = write.read.entries()
        metadata: dict[str, JSONValue] = self.system_metadata.value
        if entries:
            metadata = {**metadata, "managedFields": entries}
        if write.live is None or not entries or not self.strategy.profile.apply.times_follow_writes:
            return metadata
        from pytest_crd.engine.registry.fieldmanager import fieldmanager  # noqa: PLC0415 - needed only for objects with managed fields

        settled = fieldmanager.settled(with_metadata(write.encoded(), metadata), without_version(write.live))
        return {**metadata, "managedFields": settled["metadata"]["managedFields"]}

    def typed_metadata(self) -> dict[str, JSONValue]:
        """Return the server's metadata to store, without the nulls that a mutating plugin leaves in managed fields."""
        metadata = self.metadata()
        entries = metadata.get("managedFields") or ()
        if not any(None in entry.values() for entry in entries):
            return metadata
        typed = [{key: value for key, value in entry.items() if value is not None} for entry in entries]
        return {**metadata, "managedFields": typed}

    def converted_metadata(self) -> dict[str, JSONValue]:
        """Return the server's metadata as a conversion webhook sees them."""
        metadata, version = self._with_emptied_list(self.typed_metadata()), self.version
        # A dry run does not take the resourceVersion from the object.
        return {**metadata, "resourceVersion": version} if self.request.dry_run and version else metadata

    def reviewed(self) -> tuple[Resource, Resource | None]:
        """Return the object and the stored one as validating plugins see them: for `/scale`, their Scales."""
        write, live = self.write, self.write.live
        metadata = self._with_emptied_list(self.metadata())
        if self.version:
            metadata = {**metadata, "resourceVersion": self.version}
        new = with_metadata(write.encoded(), metadata)
        if live is None or write.subresource != "scale":
            return new, live
        subresources = self.strategy.subresources
        return scale.of_resource(new, subresources), scale.of_resource(live, subresources)

    def _with_emptied_list(self, metadata: dict[str, JSONValue]) -> dict[str, JSONValue]:
        """Return metadata with the empty list or null that a mutating plugin left instead of managed fields."""
        admitted = self.write.read.managed()
        if "managedFields" not in admitted or "managedFields" in metadata:
            return metadata
        return {**metadata, "managedFields": admitted["managedFields"]}


def with_metadata(resource: Resource, system_metadata: Mapping[str, JSONValue]) -> Resource:
    """Return *resource* with the server's metadata, keys sorted."""
    client_metadata = {
        key: value for key, value in resource["metadata"].items() if key not in systemmetadata.SERVER_MADE
    }
    return {**resource, "metadata": dict(sorted({**client_metadata, **system_metadata}.items()))}


def store(checked: CheckedWrite, target: RequestTarget, plugins: RequestAdmission | None) -> RequestOutcome:
    """
    Return the outcome of a validated request.

    Args:
        checked: The object.
        target: The object in the URL.
        plugins: The validating admission plugins; None without any.
    """
    request, outcome = checked.request, _admit(checked, plugins)
    if not outcome.response.accepted:
        return outcome
    if not request.dry_run and (refused := _refuse_size(outcome, checked, target)) is not None:
        outcome = _limit(outcome, refused, checked, target)
    if request.verb == "create" and outcome.before is not None and outcome.response.accepted:
        return RequestOutcome(_refuse_taken_name(checked, outcome, target), checked.before)
    is_scale = request.subresource == "scale" and outcome.response.accepted
    return _scaled(outcome, checked.strategy) if is_scale else outcome


def _admit(checked: CheckedWrite, plugins: RequestAdmission | None) -> RequestOutcome:
    """Return the outcome of an object after the validating plugins, whatever its size and name."""
    write, strategy, request = checked.write, checked.strategy, checked.request
    decoded, prepared = write.read.decoded, write.read.prepared
    warnings = (*strategy.deprecation_warnings, *decoded.warnings, *prepared.warnings, *checked.validated.warnings)
    if checked.validated.errors:
        return RequestOutcome(_refuse_invalid(checked, warnings), checked.before)
    warnings = (*warnings, *strategy.warnings(write))
    try:
        if plugins is not None:
            warnings = (*warnings, *plugins.validate(*checked.reviewed()))
        if request.verb == "create" and request.dry_run and not _is_readable(checked):
            checked = checked._replace(before=None)  # a dry run finds no object that it cannot read
        _demand_no_version(checked)
        is_taken = write.live is None and checked.before is not None
        if checked.ends or (is_taken and request.dry_run):
            form = Stored(write.encoded)
            forms = StoredForms(form, form)  # it is answered as it was sent, and not stored
        else:
            forms = strategy.store(write, checked.converted_metadata, is_read_back=not is_taken)
    except RefusedError as refused:
        warned = (*warnings, *refused.warnings)
        answer = response.refused(refused.refusal, subject={}, warnings=warned, changes=decoded.changes)
        if isinstance(refused, NotReadBackError) and not request.dry_run:
            return _not_read_back(answer, refused.written, checked)
        return RequestOutcome(answer, checked.before)
    return _accepted(checked, forms, warnings)


def _refuse_invalid(checked: CheckedWrite, warnings: tuple[str, ...]) -> Response:
    """Return the response for an invalid object."""
    decoded, errors = checked.write.read.decoded, checked.validated.errors
    sent = decoded.resource  # an update of the status validates the stored object
    group, name = checked.strategy.group_of_errors(sent), checked.write.resource["metadata"].get("name") or ""
    return response.invalid(group, sent["kind"], name, errors, warnings=warnings, changes=decoded.changes)


def _is_readable(checked: CheckedWrite) -> bool:
    """Return whether there is a stored object that can be converted to the version of the request."""
    try:
        stored = checked.before
        return stored is not None and bool(checked.strategy.read(stored, checked.request.namespace))
    except RefusedError:
        return False


def _demand_no_version(checked: CheckedWrite) -> None:
    """Raise RefusedError if a new object has a resourceVersion when it reaches the store."""
    request = checked.request
    if request.verb == "create" and request.storage_prefix and requestmetadata.is_version(checked.version):
        raise RefusedError(_VERSIONED)


def _not_read_back(answer: Response, written: Stored, checked: CheckedWrite) -> RequestOutcome:
    """Return the outcome of a request that stores an object and fails to read it."""

    def load() -> WrittenObjects:
        return WrittenObjects(with_metadata(written.value, checked.typed_metadata()), None)

    return RequestOutcome(answer, checked.before, load, is_read_back=False)


def _accepted(checked: CheckedWrite, forms: StoredForms, warnings: tuple[str, ...]) -> RequestOutcome:
    read, live = checked.write.read, checked.write.live
    changes = replace(read.decoded.changes, lost=forms.lost) if forms.lost else read.decoded.changes

    def answered_object() -> Resource:
        returned = forms.returned.value
        generated = read.prepared.has_generated_name
        metadata = requestmetadata.without_generated(returned["metadata"], generated=generated)
        # An update shares unchanged parts with the stored object, and callers may modify the result.
        return (
            {**returned, "metadata": metadata} if live is None else jsonvalue.copy({**returned, "metadata": metadata})
        )

    is_gone = checked.ends
    system_metadata = Stored(checked.typed_metadata)

    def load() -> WrittenObjects:
        returned = with_metadata(forms.returned.value, system_metadata.value)
        if is_gone or forms.returned is forms.written:
            return WrittenObjects(None if is_gone else returned, returned)
        return WrittenObjects(with_metadata(forms.written.value, system_metadata.value), returned)

    answer = Response(
        response.OK if live else response.CREATED,
        Stored(answered_object),
        warnings=response.limit_warnings(warnings),
        changes=changes,
        owned=Stored(lambda: _owned(system_metadata.value.get("managedFields") or [])),
        whole=Stored(lambda: outcome.objects.stored),
        before=checked.before,
    )
    outcome = RequestOutcome(answer, checked.before, load, sent_version=checked.version)
    return outcome


def _owned(entries: list[JSONValue]) -> dict[str, tuple[OwnedPath, ...]]:
    """Return the paths that each manager owns."""
    from pytest_crd.engine.registry.fieldmanager import managers  # noqa: PLC0415 - few callers ask for owners

    return managers.paths(managers.read(entries))


def _refuse_size(outcome: RequestOutcome, checked: CheckedWrite, target: RequestTarget) -> Refusal | None:
    """Return the refusal of an object too large for etcd; None if it fits."""
    write = checked.write
    metadata = {} if write.live is None else write.live["metadata"]
    if not storage.may_exceed(write.resource, metadata.get("managedFields")):
        return None
    stored, version = outcome.objects.stored, metadata.get("resourceVersion")
    if stored is None or not outcome.changed:
        return None
    key = target._replace(name=write.resource["metadata"]["name"], storage_prefix="/registry").key
    old_revision = None if write.live is None else int(version or 1)
    return storage.refuse_size(checked.strategy.stored_size(stored), key, old_revision=old_revision)


def _limit(outcome: RequestOutcome, refused: Refusal, checked: CheckedWrite, target: RequestTarget) -> RequestOutcome:
    """
    Return the outcome of an object too large for etcd: without managed fields if it then fits, else the refusal.

    Reference:
        apiserver endpoints/handlers/create.go, update.go, patch.go, isTooLargeError.
    """
    if not requestoptions.is_apply(checked.request.verb, checked.request.media_type):
        write = checked.write._replace(read=checked.write.read._replace(managed=dict))
        outcome = _admit(checked._replace(write=write, before=outcome.before), None)
        still_refused = _refuse_size(outcome, checked, target)
        if still_refused is None:
            return outcome
        refused = still_refused
    answer = response.refused(refused, subject={}, warnings=outcome.response.warnings)
    return RequestOutcome(answer, outcome.before)


def _refuse_taken_name(checked: CheckedWrite, outcome: RequestOutcome, target: RequestTarget) -> Response:
    """Return the response to a create with a taken name."""
    is_ending = bool(((outcome.before or {}).get("metadata") or {}).get("deletionTimestamp"))
    metadata, decoded = checked.write.resource["metadata"], checked.write.read.decoded
    name, has_prefix = metadata["name"], bool(metadata.get("generateName"))
    group = checked.strategy.group_of_errors(decoded.resource) if has_prefix else target.group
    resource = target._replace(name=name, group=group).resource
    refused = refusal.already_exists(resource, name, is_ending=is_ending, has_prefix=has_prefix)
    subject = {"name": name, "group": group, "kind": target.plural}
    warnings, changes = outcome.response.warnings, decoded.changes
    return response.refused(refused, subject=subject, warnings=warnings, changes=changes)


def _scaled(outcome: RequestOutcome, strategy: Strategy) -> RequestOutcome:
    """Return the outcome of a request to `/scale`, with the Scale as its object."""
    stored, returned = outcome.objects
    assert returned is not None  # noqa: S101 - the request was accepted
    scale_object = documents.plain(scale.of_resource(returned, strategy.subresources))
    answer = replace(outcome.response, scale=scale_object)
    return RequestOutcome(answer, outcome.before, lambda: WrittenObjects(stored, scale_object))
