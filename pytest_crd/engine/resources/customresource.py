"""
What the server does with a request for a custom resource: create, update, update of the status.

The order of all that happens is written here, and that of validation in `validation`; each step is a module of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, Literal, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.errors import refusal, response
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.errors.response import Response, Stored
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import objectmetavalidation, requestmetadata
from pytest_crd.engine.metadata.requestmetadata import Prepared, Target
from pytest_crd.engine.metadata.typemeta import GroupVersionKind
from pytest_crd.engine.observer import ObservedRequest, RuleOutcome
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.resources import deprecation, subresources
from pytest_crd.engine.resources.requestbody import Body, Decoded, Decoder, FieldValidation, RefusedError
from pytest_crd.engine.resources.served import Served
from pytest_crd.engine.resources.storage import Storage
from pytest_crd.engine.resources.validation import Validated, Validator

# What was read, and its metadata made ready.
_Request: TypeAlias = tuple[Decoded, Prepared]
Tell: TypeAlias = Callable[[ObservedRequest], None]

# The server cannot convert a resource that has a list of that name, and says so in words that are not for users.
_TAKEN_FOR_A_LIST: Final = Refusal(500, "", "*unstructured.Unstructured is not a list: no Items field in this object")


class CustomResources:
    """
    The custom resources of one version of a CRD, as a server of one Kubernetes version serves them.

    Attributes:
        type_meta: Their apiVersion and kind.
    """

    def __init__(
        self,
        crd: CrdSpec,
        served: Served,
        versions: Sequence[Served],
        profile: Profile,
    ) -> None:
        """
        Take what decides the answers.

        Args:
            crd: The CRD.
            served: The version that requests are sent to.
            versions: All versions of the CRD, *served* among them.
            profile: Whose behaviour and words.
        """
        self.type_meta = {"apiVersion": f"{crd.group}/{served.spec.name}", "kind": crd.kind}
        self._crd = crd
        self._served = served
        self._storage = Storage(crd, served, versions)
        self._validator = Validator(crd, served, profile)
        self._profile = profile
        self._namespaced = crd.scope == "Namespaced"
        self._subresources = subresources.from_declared(served.spec.subresources)
        passes = {version.spec.name: version.passes for version in versions}
        self._decoder = Decoder(GroupVersionKind(crd.group, served.spec.name, crd.kind), passes, profile)

    def create(
        self, body: Body, *, namespace: str, field_validation: FieldValidation, tell: Tell | None = None
    ) -> Response:
        """
        Return the answer to a POST.

        Args:
            body: What is sent.
            namespace: The namespace of the URL; ignored where the CRD's scope is Cluster.
            field_validation: What unknown and duplicate fields do.
            tell: Called with the request where its answer leaves; None where nobody listens.

        Reference:
            apiserver endpoints/handlers/create.go; registry/rest/create.go; apiextensions-apiserver
            registry/customresource/strategy.go.
        """
        if not self._served.spec.served:
            return response.refused(refusal.NOT_SERVED, subject={})
        target = self._target(namespace)
        try:
            decoded, prepared = self._decode_create(body, target, field_validation)
        except RefusedError as refused:
            return self._refuse(refused, target, body, tell)
        resource = self._subresources.prepare_create({**decoded.resource, "metadata": prepared.metadata})
        outcomes: list[RuleOutcome] = []
        validated = self._validator.create(resource, None if tell is None else outcomes)
        if tell is not None:
            tell(_observed("object", decoded, resource, validated, outcomes))
        warnings = objectmetavalidation.warnings(prepared.metadata, profile=self._profile)
        return self._answer(response.CREATED, resource, validated, (decoded, prepared), warnings)

    def update(
        self,
        body: Body,
        *,
        old: Resource,
        namespace: str,
        field_validation: FieldValidation,
        tell: Tell | None = None,
    ) -> Response:
        """
        Return the answer to a PUT.

        Args:
            body: What is sent.
            old: What is stored under the name of the URL, which is its name.
            namespace: The namespace of the URL, where *old* states none.
            field_validation: What unknown and duplicate fields do.
            tell: Called with the request where its answer leaves; None where nobody listens.

        Reference:
            apiserver endpoints/handlers/update.go; registry/rest/update.go; apiextensions-apiserver
            registry/customresource/strategy.go.
        """
        if not self._served.spec.served:
            return response.refused(refusal.NOT_SERVED, subject={})
        stored = self._storage.read(old, namespace)
        target = self._target(namespace, stored)
        try:
            decoded, prepared = self._decode_update(body, stored, target, field_validation)
        except RefusedError as refused:
            return self._refuse(refused, target, body, tell)
        new = {**decoded.resource, "metadata": prepared.metadata}
        resource = self._subresources.prepare_update(new, stored)
        outcomes: list[RuleOutcome] = []
        validated = self._validator.update(resource, stored, None if tell is None else outcomes)
        if tell is not None:
            tell(_observed("object", decoded, resource, validated, outcomes))
        warnings = objectmetavalidation.warnings(prepared.metadata, stored["metadata"], profile=self._profile)
        return self._answer(response.OK, resource, validated, (decoded, prepared), warnings)

    def update_status(
        self,
        body: Body,
        *,
        old: Resource,
        namespace: str,
        field_validation: FieldValidation,
        tell: Tell | None = None,
    ) -> Response:
        """
        Return the answer to a PUT to `/status`.

        Args:
            body: What is sent.
            old: What is stored under the name of the URL, which is its name.
            namespace: The namespace of the URL, where *old* states none.
            field_validation: What unknown and duplicate fields do.
            tell: Called with the request where its answer leaves; None where nobody listens.

        Reference:
            apiextensions-apiserver registry/customresource/status_strategy.go.
        """
        if not self._served.spec.served:
            return response.refused(refusal.NOT_SERVED, subject={})
        stored = self._storage.read(old, namespace)
        target = self._target(namespace, stored)
        if not self._subresources.has_status:
            return self._refuse(RefusedError(requestmetadata.refuse_missing(target)), target, body, tell)
        try:
            decoded, prepared = self._decode_update(body, stored, target, field_validation)
        except RefusedError as refused:
            return self._refuse(refused, target, body, tell)
        new = {**decoded.resource, "metadata": prepared.metadata}
        resource = self._subresources.prepare_status_update(new, stored)
        outcomes: list[RuleOutcome] = []
        validated = self._validator.update_status(
            resource, stored, decoded.resource, None if tell is None else outcomes
        )
        if tell is not None:
            tell(_observed("status", decoded, resource, validated, outcomes))
        return self._answer(response.OK, resource, validated, (decoded, prepared), ())

    def _decode_create(self, body: Body, target: Target, field_validation: FieldValidation) -> _Request:
        decoded = self._decoder.decode(body, field_validation)
        metadata = decoded.resource.get("metadata") or {}
        if (why := requestmetadata.refuse_create(metadata, target)) is not None:
            raise RefusedError(why, decoded)
        return decoded, requestmetadata.prepare_create(metadata, target)

    def _decode_update(
        self, body: Body, stored: Resource, target: Target, field_validation: FieldValidation
    ) -> _Request:
        decoded = self._decoder.decode(body, field_validation)
        metadata = decoded.resource.get("metadata") or {}
        if (why := requestmetadata.refuse_update(metadata, target, self._profile)) is not None:
            raise RefusedError(why, decoded)
        prepared = requestmetadata.prepare_update(metadata, stored["metadata"], target)
        stale = requestmetadata.refuse_stale(metadata, stored["metadata"], target, self._profile)
        if stale is not None:
            raise RefusedError(stale, decoded, prepared.warnings)
        return decoded, prepared

    def _answer(
        self, code: int, resource: Resource, validated: Validated, request: _Request, warnings: tuple[str, ...]
    ) -> Response:
        decoded, prepared = request
        before = (*self._deprecation, *decoded.warnings, *prepared.warnings, *validated.warnings)
        if validated.errors:
            sent = decoded.resource  # of an update of the status, the resource is the old one
            group = sent["apiVersion"].rpartition("/")[0]
            name = resource["metadata"].get("name", "")
            return response.invalid(
                group, sent["kind"], name, validated.errors, warnings=before, changes=decoded.changes
            )
        warnings = (*before, *warnings)
        if isinstance(resource.get("items"), list):
            return response.refused(_TAKEN_FOR_A_LIST, subject={}, warnings=warnings, changes=decoded.changes)
        try:
            stored, lost = self._storage.store(resource, defaulted=bool(decoded.changes.defaulted))
        except DecodeError as error:  # what is metadata in the storage version alone
            unstorable = Refusal(500, "", str(error))
            return response.refused(unstorable, subject={}, warnings=warnings, changes=decoded.changes)
        if decoded.is_text:
            stored = jsonvalue.from_python(stored)
        made = requestmetadata.SERVER_MADE | ({"name"} if prepared.has_generated_name else set())
        stored["metadata"] = {key: value for key, value in stored["metadata"].items() if key not in made}
        warnings = response.sent(warnings)
        changes = replace(decoded.changes, lost=lost)
        return Response(code, Stored.of(stored), warnings=warnings, changes=changes)

    def _refuse(self, refused: RefusedError, target: Target, body: Body, tell: Tell | None) -> Response:
        subject = {"name": target.name, "group": target.group, "kind": target.plural}
        warnings = (*self._deprecation, *refused.warnings)
        answer = response.refused(refused.refusal, subject=subject, warnings=warnings, changes=refused.changes)
        if tell is not None:
            tell(ObservedRequest("", body.value, errors=answer.errors, pruned=refused.pruned))
        return answer

    def _target(self, namespace: str, stored: Resource | None = None) -> Target:
        metadata = (stored or {}).get("metadata") or {}
        if not self._namespaced:
            return Target(self._crd.group, self._crd.plural, None, metadata.get("name", ""))
        return Target(self._crd.group, self._crd.plural, metadata.get("namespace", namespace), metadata.get("name", ""))

    @cached_property
    def _deprecation(self) -> tuple[str, ...]:
        return deprecation.warnings(self._crd, self._served.spec)


def _observed(
    written: Literal["object", "status"],
    decoded: Decoded,
    resource: Resource,
    validated: Validated,
    outcomes: Sequence[RuleOutcome],
) -> ObservedRequest:
    return ObservedRequest(written, decoded.sent, decoded.resource, resource, validated.errors, outcomes)
