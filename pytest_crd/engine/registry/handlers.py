"""
The order of a create, an update, a patch and an apply, for every kind of object.

The steps that differ between kinds belong to a `Strategy`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata, systemmetadata
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.observer import ObservedRequest, RuleOutcome
from pytest_crd.engine.registry import checkedwrites, requestoptions, response, storage
from pytest_crd.engine.registry.admission import Admission, Orders, OrderVariant
from pytest_crd.engine.registry.checkedwrites import CheckedWrite
from pytest_crd.engine.registry.desiredobject import RequestReader
from pytest_crd.engine.registry.request import (
    FIXED_VALUES,
    GeneratedValues,
    Request,
    RequestOutcome,
    WrittenObjects,
    without_version,
)
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.registry.response import Response, Stored
from pytest_crd.engine.registry.strategy import NotReadBackError, PendingWrite, StoredForms, Strategy

if TYPE_CHECKING:
    from pytest_crd.engine.registry import admissionorders, admitting, scale, scalereading
    from pytest_crd.engine.registry.admitting import RequestAdmission
    from pytest_crd.engine.registry.patching import documents
else:
    scalereading = lazyimport.module("pytest_crd.engine.registry.scalereading")
    scale = lazyimport.module("pytest_crd.engine.registry.scale")
    admissionorders = lazyimport.module("pytest_crd.engine.registry.admissionorders")
    admitting = lazyimport.module("pytest_crd.engine.registry.admitting")
    documents = lazyimport.module("pytest_crd.engine.registry.patching.documents")

_NOT_FOUND: Final = 404
_VERSIONED: Final = Refusal(500, "", "resourceVersion should not be set on objects to be created")
Observe: TypeAlias = Callable[[ObservedRequest], None]


def handle(  # noqa: PLR0913 - a request, its surroundings and listeners
    stored: Resource | None,
    request: Request,
    strategy: Strategy,
    generated: GeneratedValues = FIXED_VALUES,
    *,
    observe: Observe | None = None,
    admission: Admission | None = None,
) -> RequestOutcome:
    """
    Handle a request and return its outcome, including the object to store.

    Args:
        stored: The stored object of the name in the URL (on create: of the new name), in the storage version; None if there is none.
        request: The request.
        strategy: The steps of the kind.
        generated: Source of times, uids and name suffixes.
        observe: Called with the request before its response is returned; None without an observer.
        admission: The admission plugins; None without any.

    Reference:
        apiserver endpoints/handlers/create.go, update.go, patch.go; registry/rest/create.go, update.go; registry/generic/registry/store.go.
    """
    if admission is None:
        return _decide(stored, request, strategy, generated, observe, None)
    orders = Orders()
    outcome = _decide(stored, request, strategy, generated, observe, (admission, orders))
    if orders.variants:

        def answer(variant: OrderVariant) -> Response:
            plugins = admissionorders.VariantAdmission(admission, variant)
            return _decide(stored, request, strategy, generated, None, (plugins, Orders())).response

        outcome.order_dependence = admissionorders.compare(orders, outcome.response, answer)
    return outcome


def _decide(  # noqa: PLR0913, PLR0917 - a request, its surroundings and listeners
    stored: Resource | None,
    request: Request,
    strategy: Strategy,
    generated: GeneratedValues,
    observe: Observe | None,
    admission: tuple[Admission, Orders] | None,
) -> RequestOutcome:
    """Handle a request as `handle` does, with the admission plugins in one order."""
    before = None if stored is None else without_version(stored)
    if not strategy.is_served:
        return RequestOutcome(response.refused(refusal.NOT_SERVED, subject={}), before)
    without_object = None
    if stored is not None and request.verb == "update" and strategy.calls_webhook(stored):
        without_object = _refuse_without_object(stored, request, strategy)
    try:
        if without_object is not None and without_object.refusal.code != _NOT_FOUND:
            raise without_object
        live = None if stored is None or request.verb == "create" else _read_live(stored, request, strategy)
    except RefusedError as refused:
        warnings = refused.warnings if without_object is None else without_object.warnings
        refused = RefusedError(refused.refusal, warnings=warnings)
        return RequestOutcome(_refuse(refused, _target(request, None, strategy), request, strategy, observe), before)
    target = _target(request, live, strategy)
    outcomes: list[RuleOutcome] | None = None if observe is None else []
    plugins = (
        None if admission is None else admitting.RequestAdmission(admission[0], request, target, strategy, admission[1])
    )
    try:
        read = _reader(request, strategy, plugins).read(request, live, target, generated)
        uid = generated.uid() if live is None else ""
        write = strategy.complete(strategy.prepare(read, live, request.subresource), request, uid)
        system_metadata = _system_metadata(write, strategy, uid, generated)
        write = write._replace(malformed=_malformed(write, strategy, system_metadata))
        checked = CheckedWrite(write, strategy.validate(write, outcomes), system_metadata)
    except RefusedError as refused:
        return RequestOutcome(_refuse(refused, target, request, strategy, observe), before)
    if observe is not None:
        observe(_observed(request, checked, outcomes or ()))
    outcome = _store(checked, before, request, strategy, plugins)
    if outcome.response.accepted and not request.dry_run:
        outcome = _limited(outcome, checked, request, target, strategy)
    if request.verb == "create" and outcome.before is not None and outcome.response.accepted:
        exists, target = checkedwrites.refuse_taken_name(checked, outcome.before, target, strategy)
        answer = replace(_refuse(exists, target, request, strategy, None), warnings=outcome.response.warnings)
        return RequestOutcome(answer, before)
    return _scaled(outcome, strategy) if request.subresource == "scale" else outcome


def _refuse_without_object(stored: Resource, request: Request, strategy: Strategy) -> RefusedError:
    """Return the refusal of an update for its body, which the server decodes before it reads the object; 404 if the body is fine."""
    name = request.name or (stored.get("metadata") or {}).get("name", "")
    target = _target(request, None, strategy)._replace(name=name)
    refused = RefusedError(requestmetadata.refuse_missing(target))
    try:
        _reader(request, strategy, None).read(request, None, target, FIXED_VALUES)
    except RefusedError as error:
        refused = error
    return refused


def _reader(request: Request, strategy: Strategy, plugins: RequestAdmission | None) -> RequestReader:
    reader = scalereading.ScaleReader if request.subresource == "scale" else RequestReader
    return reader(
        strategy.decoder,
        strategy.subresources,
        strategy.owners,
        strategy.profile,
        strategy.creates_by_update,
        None if plugins is None else plugins.mutate,
        None if request.subresource else strategy.default_plugins,
    )


def _read_live(stored: Resource, request: Request, strategy: Strategy) -> Resource:
    """Return the stored object in the version of the request, with the resourceVersion of the store."""
    if request.reads_as_stored:
        return stored
    live = strategy.read(stored, request.namespace)
    if request.resource_version:
        live["metadata"]["resourceVersion"] = request.resource_version
    return live


def _target(request: Request, live: Resource | None, strategy: Strategy) -> RequestTarget:
    metadata = live["metadata"] if live is not None else {"name": request.name, "namespace": request.namespace}
    namespace = metadata.get("namespace", request.namespace) if strategy.is_namespaced else None
    name, prefix = request.stored_name or metadata.get("name", ""), request.storage_prefix
    return RequestTarget(strategy.group, strategy.plural, namespace, name, prefix, strategy.storage_path)


def _system_metadata(write: PendingWrite, strategy: Strategy, uid: str, generated: GeneratedValues) -> Stored:
    if write.live is None:
        generation = strategy.find_first_generation(write)
        return Stored.from_value(systemmetadata.of_created(uid, generated.now(), generation))
    old = write.live["metadata"]

    def updated() -> dict[str, JSONValue]:
        return systemmetadata.of_updated(old, generates="generation" in old and strategy.increments_generation(write))

    return Stored(updated)


def _malformed(write: PendingWrite, strategy: Strategy, system_metadata: Stored) -> tuple[FieldError, ...]:
    """Return the error of malformed metadata; an update of the status keeps the stored metadata."""
    malformed = write.read.decoded.malformed
    if malformed is None or write.subresource == "status" or not strategy.profile.refuses_malformed_metadata:
        return ()
    return (malformed.error(write.read.prepared.metadata, system_metadata.value),)


def _store(
    checked: CheckedWrite,
    before: Resource | None,
    request: Request,
    strategy: Strategy,
    plugins: RequestAdmission | None = None,
) -> RequestOutcome:
    """Return the outcome of a validated request."""
    write = checked.write
    decoded, prepared = write.read.decoded, write.read.prepared
    warnings = (*strategy.deprecation_warnings, *decoded.warnings, *prepared.warnings, *checked.validated.warnings)
    if errors := checked.validated.errors:
        sent = decoded.resource  # an update of the status validates the stored object
        name = write.resource["metadata"].get("name") or ""
        answer = response.invalid(
            strategy.group_of_errors(sent), sent["kind"], name, errors, warnings=warnings, changes=decoded.changes
        )
        return RequestOutcome(answer, before)
    warnings = (*warnings, *strategy.warnings(write))
    try:
        if plugins is not None:
            warnings = (*warnings, *plugins.validate(*checked.reviewed(strategy)))
        if request.verb == "create" and request.dry_run and not _is_readable(before, request, strategy):
            before = None  # a dry run finds no object that it cannot read
        forms = _forms(checked, before, request, strategy)
    except RefusedError as refused:
        warned = (*warnings, *refused.warnings)
        answer = response.refused(refused.refusal, subject={}, warnings=warned, changes=decoded.changes)
        if isinstance(refused, NotReadBackError) and not request.dry_run:
            return _not_read_back(answer, refused.written, checked, before, strategy)
        return RequestOutcome(answer, before)
    return _accepted(checked, forms, before, strategy, warnings)


def _not_read_back(
    answer: Response, written: Stored, checked: CheckedWrite, before: Resource | None, strategy: Strategy
) -> RequestOutcome:
    """Return the outcome of a request that stores an object and fails to read it."""

    def load() -> WrittenObjects:
        return WrittenObjects(checkedwrites.with_metadata(written.value, checked.typed_metadata(strategy)), None)

    return RequestOutcome(answer, before, load, is_read_back=False)


def _forms(checked: CheckedWrite, before: Resource | None, request: Request, strategy: Strategy) -> StoredForms:
    """
    Return the written and returned forms of a valid object.

    Raises:
        RefusedError: The object cannot be stored.
    """
    write = checked.write
    if _ends(write, before):
        return StoredForms(
            Stored(write.encoded), Stored(write.encoded)
        )  # it is answered as it was sent, and not stored
    version = checked.version
    if request.verb == "create" and request.storage_prefix and requestmetadata.is_version(version):
        raise RefusedError(_VERSIONED)
    is_taken = write.live is None and before is not None
    if is_taken and request.dry_run:
        return StoredForms(Stored(write.encoded), Stored(write.encoded))
    # A dry run does not take the resourceVersion from the object.
    version_field = {"resourceVersion": version} if request.dry_run and version else {}
    return strategy.store(
        write._replace(
            system_metadata=lambda: {**checked.converted_metadata(strategy), **version_field}, is_read_back=not is_taken
        )
    )


def _is_readable(stored: Resource | None, request: Request, strategy: Strategy) -> bool:
    """Return whether there is a stored object that can be converted to the version of the request."""
    try:
        return stored is not None and bool(strategy.read(stored, request.namespace))
    except RefusedError:
        return False


def _ends(write: PendingWrite, before: Resource | None) -> bool:
    """Return whether an update removes the last finalizer of a deleted object."""
    is_update = write.live is not None and before is not None
    return is_update and requestmetadata.ends(write.resource["metadata"], (before or {}).get("metadata"))


def _accepted(
    checked: CheckedWrite, forms: StoredForms, before: Resource | None, strategy: Strategy, warnings: tuple[str, ...]
) -> RequestOutcome:
    read, live = checked.write.read, checked.write.live
    changes = replace(read.decoded.changes, lost=forms.lost) if forms.lost else read.decoded.changes

    def answered_object() -> Resource:
        returned = forms.returned.value
        generated = read.prepared.has_generated_name
        with_metadata = {
            **returned,
            "metadata": requestmetadata.without_generated(returned["metadata"], generated=generated),
        }
        # An update shares unchanged parts with the stored object, and callers may modify the result.
        return with_metadata if live is None else jsonvalue.copy(with_metadata)

    version = checked.version
    is_gone = _ends(checked.write, before)
    system_metadata = Stored(lambda: checked.typed_metadata(strategy))

    def load() -> WrittenObjects:
        returned = checkedwrites.with_metadata(forms.returned.value, system_metadata.value)
        if is_gone or forms.returned is forms.written:
            return WrittenObjects(None if is_gone else returned, returned)
        return WrittenObjects(checkedwrites.with_metadata(forms.written.value, system_metadata.value), returned)

    answer = Response(
        response.OK if live else response.CREATED,
        Stored(answered_object),
        warnings=response.limit_warnings(warnings),
        changes=changes,
        owned=Stored(lambda: _owned(system_metadata.value.get("managedFields") or [])),
        whole=Stored(lambda: outcome.objects.stored),
        before=before,
    )
    outcome = RequestOutcome(answer, before, load, sent_version=version)
    return outcome


def _limited(
    outcome: RequestOutcome, checked: CheckedWrite, request: Request, target: RequestTarget, strategy: Strategy
) -> RequestOutcome:
    """
    Return an accepted outcome if etcd can store it, else one without managed fields, or the refusal.

    Reference:
        apiserver endpoints/handlers/create.go, update.go, patch.go, isTooLargeError.
    """
    refused = _refuse_size(outcome, checked, target, strategy)
    if refused is not None and not requestoptions.is_apply(request.verb, request.media_type):
        write = checked.write._replace(read=checked.write.read._replace(managed=dict))
        outcome = _store(checked._replace(write=write), outcome.before, request, strategy)
        refused = _refuse_size(outcome, checked, target, strategy)
    if refused is None:
        return outcome
    answer = response.refused(refused, subject={}, warnings=outcome.response.warnings)
    return RequestOutcome(answer, outcome.before)


def _refuse_size(
    outcome: RequestOutcome, checked: CheckedWrite, target: RequestTarget, strategy: Strategy
) -> Refusal | None:
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
    return storage.refuse_size(strategy.stored_size(stored), key, old_revision=old_revision)


def _scaled(outcome: RequestOutcome, strategy: Strategy) -> RequestOutcome:
    """Return the outcome of a request to `/scale`, with the Scale as its object."""
    stored, returned = outcome.objects
    if returned is None:
        return outcome
    scale_object = documents.plain(scale.of_resource(returned, strategy.subresources))
    answer = replace(outcome.response, scale=scale_object)
    return RequestOutcome(answer, outcome.before, lambda: WrittenObjects(stored, scale_object))


def _refuse(
    refused: RefusedError, target: RequestTarget, request: Request, strategy: Strategy, observe: Observe | None
) -> Response:
    subject = {"name": target.name, "group": target.group, "kind": target.plural}
    warnings = (*strategy.deprecation_warnings, *refused.warnings)
    answer = response.refused(refused.refusal, subject=subject, warnings=warnings, changes=refused.changes)
    answer = replace(answer, conflicts=refused.conflicts)
    if observe is not None:
        sent = None if request.verb == "patch" else request.body.value  # a patch is no object
        observe(ObservedRequest("", sent, errors=answer.errors, pruned=refused.pruned))
    return answer


def _observed(request: Request, checked: CheckedWrite, outcomes: Sequence[RuleOutcome]) -> ObservedRequest:
    write, decoded = checked.write, checked.write.read.decoded
    written: Literal["object", "status"] = "status" if request.subresource == "status" else "object"
    errors = checked.validated.errors
    return ObservedRequest(written, decoded.sent, decoded.resource, write.resource, errors, outcomes)


def _owned(entries: list[JSONValue]) -> dict[str, tuple[OwnedPath, ...]]:
    """Return the paths that each manager owns."""
    from pytest_crd.engine.registry.fieldmanager import managers  # noqa: PLC0415 - few callers ask for owners

    return managers.paths(managers.read(entries))
