"""Outcomes of objects sent to a server: created, updated if already stored, or applied."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_crd.cases import schemafields
from pytest_crd.checks import samples
from pytest_crd.checks.samplefiles import Claims
from pytest_crd.checks.samples import ObjectKind, SampleOutcome
from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.cli import kustomized
from pytest_crd.cli.objectkinds import Identity, Resource
from pytest_crd.cli.schemacatalogs import SchemaCatalog
from pytest_crd.engine import (
    CustomResourceDefinition,
    FieldError,
    ManifestError,
    Mistake,
    Response,
    jsonvalue,
    profile,
)
from pytest_crd.engine.client.resourceclient import ResourceClient
from pytest_crd.engine.crds import declared, decoded
from pytest_crd.engine.crds.condition import shows_flaw
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.synthesis.objectchanges import ABSENT, value_at

if TYPE_CHECKING:
    from pytest_crd.server.builtin.builtinclient import BuiltInClient  # large imports

_CRDS: Final = f"{declared.PLURAL}.{declared.GROUP}"
_BAD_REQUEST: Final = 400
_INVALID: Final = 422
_KEPT: Final = "kept as it was so before"
_REFUSED: Final = "a create would be refused"


class SendingMethod(NamedTuple):
    """
    The method of sending objects.

    Attributes:
        manager: The field manager of applies; empty for creates and updates.
        force: Whether applies take over fields of other managers.
        old: The stored objects; None if the command line names none.
        is_strict: Whether placeholders are refused as they are.
        kubernetes_version: The Kubernetes version of the answers.
        catalog: The JSON Schemas for kinds without a CRD.
    """

    manager: str
    force: bool
    old: Mapping[Identity, Resource] | None
    is_strict: bool
    kubernetes_version: str
    catalog: SchemaCatalog


def outcome(resource: Resource, claims: Claims, method: SendingMethod) -> SampleOutcome:
    """
    Return the outcome of an object; of several alternatives for its kind, that with the fewest findings.

    An update gets a warning if it passes only because the old object has the same errors. An outcome with a `placeholder` is no verdict:
    the refused values are encrypted or variables.
    """
    result = _best(resource, claims, method)
    if method.is_strict:
        result = replace(result, placeholder="")
    is_update = not method.manager and resource.identity in (method.old or {})
    if not is_update or result.response is None or not result.response.accepted:
        return result
    created = _best(resource, claims, method._replace(old=None))
    if created.response is None or created.response.code != _INVALID:
        return result
    refusals = [finding for finding in created.findings if finding.decision]
    before = (method.old or {})[resource.identity].manifest.value
    ratcheted = (
        finding._replace(text=f"{_describe(error, before, resource.manifest.value)}: {finding.text}")
        for finding, error in zip(refusals, created.errors, strict=True)
    )
    return replace(result, warnings=(*result.warnings, *ratcheted))


def _describe(error: FieldError, before: JSONValue, now: JSONValue) -> str:
    """Return in words why an update passes that has the error of a create."""
    steps = () if error.path is None else error.path.steps
    values = [value_at(value, steps) for value in (before, now)]
    is_kept = steps and ABSENT not in values and jsonvalue.equal(*values)
    return f"{_KEPT}, {_REFUSED}" if is_kept else f"the update passes, {_REFUSED}"


def _best(resource: Resource, claims: Claims, method: SendingMethod) -> SampleOutcome:
    if resource.client is not None:
        return _judge_built_in(resource, resource.client, method)
    if resource.crd is not None:
        return _judge_crd(resource, resource.crd, method)
    if resource.schema is not None:
        return method.catalog.judge(resource.manifest, resource.schema, method.kubernetes_version)
    send = functools.partial(_send, resource, method=method)
    crds = claims[resource.group, resource.kind]
    results = (samples.judge_under(resource.manifest, resource.version, crd, send) for crd in crds)
    return min(results, key=lambda result: len(result.findings))


def _judge_built_in(resource: Resource, client: BuiltInClient, method: SendingMethod) -> SampleOutcome:
    """Return the outcome of an object of a built-in kind; without a verdict if only its placeholders cannot be decoded."""
    kind = kustomized.built_in_objects(method.kubernetes_version).describe(client)
    try:
        response = _send(resource, client, method=method)
    except RefusedError as error:  # of the stored object
        before = (method.old or {})[resource.identity].manifest
        words = f"{before.title} cannot be stored: {error.refusal.message}"
        raise ManifestError([Mistake(before.document.source, before.line_of(), words)]) from None
    placeholder = samples.find_placeholder(resource.manifest.value)
    if not placeholder or response.accepted:
        return samples.describe_answer(resource.manifest, kind, response)
    value = samples.without_placeholders(resource.manifest.value)
    if response.code == _BAD_REQUEST:
        partial = client.create(printing.marshal(value), field_validation="Ignore")
        if partial.code == _BAD_REQUEST:
            return samples.describe_answer(resource.manifest, kind, response)
        return _judge_decoded(resource.manifest, kind, response, partial, placeholder)
    send = functools.partial(_send_value, resource, client, method)
    kind = kind._replace(is_certain=lambda error: _is_certain(error, resource.manifest.value, send))
    return samples.describe_answer(resource.manifest, kind, response)


def _judge_decoded(
    manifest: Manifest, kind: ObjectKind, response: Response, partial: Response, placeholder: str
) -> SampleOutcome:
    """
    Return the outcome of an object that decodes only without its placeholders.

    Args:
        manifest: The object.
        kind: Its kind.
        response: The answer to it, a refusal.
        partial: The answer to the object without the placeholders: its unknown fields are refused by kubectl in any case.
        placeholder: The first placeholder.
    """
    result = samples.describe_answer(manifest, kind, response)
    described = samples.describe_answer(manifest, kind, partial)
    dropped = (item for item in described.findings if item.field in partial.pruned)
    findings = (*samples.find_repeated(manifest), *dropped)
    reason = f"a value is {placeholder}"
    if not findings:
        return replace(result, placeholder=reason)
    heading = f"refused by kubectl, and not judged in full by {kind.described}, as {reason}"
    return replace(result, heading=heading, findings=findings, fields=frozenset(partial.pruned), errors=())


def _is_certain(error: FieldError, value: JSONValue, send: Callable[[JSONValue], Response]) -> bool:
    """Return whether the server has an error without the placeholders, too, and with the refused value in their places."""
    values = [samples.without_placeholders(value)]
    values += [samples.with_placeholders(value, error.bad_value)] if isinstance(error.bad_value, str) else []
    return all(
        any((item.type, item.field) == (error.type, error.field) for item in send(value).errors) for value in values
    )


def _judge_crd(resource: Resource, crd: CustomResourceDefinition, method: SendingMethod) -> SampleOutcome:
    """Return the outcome of a CRD; its conditions that show a flaw are warnings."""
    before = (method.old or {}).get(resource.identity)
    old = None if before is None else before.crd
    if method.manager:
        text = printing.marshal(resource.manifest.value)
        version = method.kubernetes_version
        response = crd.apply(text, old=old, manager=method.manager, force=method.force, kubernetes_version=version)
    else:
        response = crd.create() if old is None else crd.update_from(old)
    named = profile.named(method.kubernetes_version)
    type_ = decoded.custom_resource_definition(resource.version)
    find_fields = functools.partial(schemafields.find_fields, type_, named)
    kind = ObjectKind(_CRDS, f"Kubernetes {named.version}", find_fields)
    result = samples.describe_answer(resource.manifest, kind, response)
    flaws = (
        CheckFinding("", f"{item.type} is {item.status} ({item.reason}): {item.message}")
        for item in (crd.conditions if response.accepted else ())
        if shows_flaw(item)
    )
    return replace(result, warnings=(*result.warnings, *flaws))


def _send_value(resource: Resource, client: BuiltInClient, method: SendingMethod, value: JSONValue) -> Response:
    return _send(resource._replace(manifest=replace(resource.manifest, value=value)), client, method=method)


def _send(resource: Resource, version: ResourceClient, *, method: SendingMethod) -> Response:
    before = (method.old or {}).get(resource.identity)
    old: JSONValue = None if before is None else before.manifest.value
    text = printing.marshal(resource.manifest.value)
    if method.manager:
        return version.apply(text, old=old, manager=method.manager, force=method.force)
    if old is not None:
        return version.update(resource.manifest.value, old=old)
    return version.create(text)
