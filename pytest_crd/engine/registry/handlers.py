"""
The order of a create, an update, a patch and an apply, for every kind of object.

The steps that differ between kinds belong to a `Strategy`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata, systemmetadata
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.observer import ObservedRequest, RuleOutcome
from pytest_crd.engine.registry import checkedwrites, response
from pytest_crd.engine.registry.admission import Admission, Orders, OrderVariant
from pytest_crd.engine.registry.checkedwrites import CheckedWrite
from pytest_crd.engine.registry.desiredobject import RequestReader
from pytest_crd.engine.registry.request import (
    FIXED_VALUES,
    GeneratedValues,
    Request,
    RequestOutcome,
    without_version,
)
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.registry.response import Response, Stored
from pytest_crd.engine.registry.strategy import PendingWrite, Strategy

if TYPE_CHECKING:
    from pytest_crd.engine.registry import admissionorders, admitting, scalereading
    from pytest_crd.engine.registry.admitting import RequestAdmission
else:
    scalereading = lazyimport.module("pytest_crd.engine.registry.scalereading")
    admissionorders = lazyimport.module("pytest_crd.engine.registry.admissionorders")
    admitting = lazyimport.module("pytest_crd.engine.registry.admitting")

_NOT_FOUND: Final = 404
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
        observe: Called with the request by `report` of the outcome; None without an observer.
        admission: The admission plugins; None without any.

    Reference:
        apiserver endpoints/handlers/create.go, update.go, patch.go; registry/rest/create.go, update.go; registry/generic/registry/store.go.
    """
    before = None if stored is None else without_version(stored)
    if not strategy.is_served:
        return RequestOutcome(response.refused(refusal.NOT_SERVED, subject={}), before)
    outcomes: list[RuleOutcome] | None = None if observe is None else []
    live, target = None, _target(request, None, strategy)
    plugins: RequestAdmission | None = None
    try:
        if stored is not None and request.verb != "create":
            live = _read_live(stored, request, strategy)
            target = _target(request, live, strategy)
        if admission is not None:
            plugins = admitting.RequestAdmission(admission, request, target, strategy, Orders())
        read = _reader(request, strategy, plugins).read(request, live, target, generated)
        uid = generated.uid() if live is None else ""
        write = strategy.prepare(read, live, request, uid)
        system_metadata = _system_metadata(write, strategy, uid, generated)
        write = write._replace(malformed=_malformed(write, strategy, system_metadata))
        validated = strategy.validate(write, outcomes)
    except RefusedError as refused:
        outcome = RequestOutcome(_refuse(refused, target, strategy), before)
        if observe is not None:
            outcome.report = functools.partial(observe, _observe_refused(request, refused, outcome))
    else:
        checked = CheckedWrite(write, validated, system_metadata, before, request, strategy)
        outcome = checkedwrites.store(checked, target, plugins)
        if observe is not None:
            outcome.report = functools.partial(observe, _observe(checked, outcomes or ()))
    if plugins is not None and plugins.orders is not None and plugins.orders.variants:

        def answer(variant: OrderVariant) -> Response:
            ordered = admissionorders.VariantAdmission(plugins.plugins, variant)
            return handle(stored, request, strategy, generated, admission=ordered).response

        outcome.order_dependence = admissionorders.compare(plugins.orders, outcome.response, answer)
    return outcome


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
    """
    Return the stored object in the version of the request, with the resourceVersion of the store.

    Raises:
        RefusedError: The webhook does not convert it; or an update is refused for its body, which the server decodes before.
    """
    if request.reads_as_stored:
        return stored
    warnings: tuple[str, ...] | None = None
    if request.verb == "update" and strategy.calls_webhook(stored):
        without_object = _refuse_without_object(stored, request, strategy)
        warnings = without_object.warnings
        if without_object.refusal.code != _NOT_FOUND:
            raise RefusedError(without_object.refusal, warnings=warnings)
    try:
        live = strategy.read(stored, request.namespace)
    except RefusedError as refused:
        raise RefusedError(refused.refusal, warnings=refused.warnings if warnings is None else warnings) from None
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


def _refuse(refused: RefusedError, target: RequestTarget, strategy: Strategy) -> Response:
    subject = {"name": target.name, "group": target.group, "kind": target.plural}
    warnings = (*strategy.deprecation_warnings, *refused.warnings)
    answer = response.refused(refused.refusal, subject=subject, warnings=warnings, changes=refused.changes)
    return replace(answer, conflicts=refused.conflicts)


def _observe_refused(request: Request, refused: RefusedError, outcome: RequestOutcome) -> ObservedRequest:
    sent = None if request.verb == "patch" else request.body.value  # a patch is no object
    return ObservedRequest("", sent, errors=outcome.response.errors, pruned=refused.pruned)


def _observe(checked: CheckedWrite, outcomes: Sequence[RuleOutcome]) -> ObservedRequest:
    write, decoded = checked.write, checked.write.read.decoded
    written: Literal["object", "status"] = "status" if write.subresource == "status" else "object"
    errors = checked.validated.errors
    return ObservedRequest(written, decoded.sent, decoded.resource, write.resource, errors, outcomes)
