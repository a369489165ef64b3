"""
What the server does with a request for a custom resource: create, update, update of the status.

The order of all that happens is written here and nowhere else; each step is a module of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds.declared import CrdSpec, VersionSpec
from pytest_crd.engine.errors import refusal, response
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.errors.response import Response
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import objectmetavalidation, requestmetadata, typemeta
from pytest_crd.engine.metadata.requestmetadata import Prepared, Target
from pytest_crd.engine.passes.versionpasses import Passes
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.resources import deprecation, rules, subresources
from pytest_crd.engine.resources.requestbody import Body, Decoded, Decoder, FieldValidation, RefusedError
from pytest_crd.engine.rules import tree, validation
from pytest_crd.engine.rules.tree import RuleNode
from pytest_crd.engine.rules.validation import Subject
from pytest_crd.engine.schema.structural import Structural
from pytest_crd.engine.values import listtypes
from pytest_crd.engine.values import validation as valuevalidation
from pytest_crd.engine.values.ratcheting import Correlation

Resource = Mapping[str, JSONValue]

# What was read, and its metadata made ready.
_Request: TypeAlias = tuple[Decoded, Prepared]

# The server cannot convert a resource that has a list of that name, and says so in words that are not for users.
_TAKEN_FOR_A_LIST: Final = Refusal(500, "", "*unstructured.Unstructured is not a list: no Items field in this object")
_STATUS: Final = FieldPath(("status",))


@dataclass(frozen=True, slots=True)
class Served:
    """
    One version of a CRD as the server holds it.

    Attributes:
        spec: What the CRD declares of it.
        schema: Its schema in structural form; None where it has none.
        passes: What changes its resources.
    """

    spec: VersionSpec
    schema: Structural | None
    passes: Passes


@dataclass(frozen=True, slots=True)
class _Verdict:
    """
    What validation says of a resource.

    Attributes:
        errors: What is wrong with it.
        warnings: What rules would say of what an update leaves unchanged.
    """

    errors: list[FieldError]
    warnings: tuple[str, ...] = ()


class CustomResources:
    """The custom resources of one version of a CRD, as a server of one Kubernetes version serves them."""

    def __init__(self, crd: CrdSpec, served: Served, versions: Sequence[Served], profile: Profile) -> None:
        """
        Take what decides the answers.

        Args:
            crd: The CRD.
            served: The version that requests are sent to.
            versions: All versions of the CRD, *served* among them.
            profile: Whose behaviour and words.
        """
        self._crd = crd
        self._served = served
        self._declared = None if served.spec.schema is None else served.spec.schema.value
        self._storage = next((version for version in versions if version.spec.storage), served)
        self._profile = profile
        self._version = served.spec.name
        self._namespaced = crd.scope == "Namespaced"
        self._subresources = subresources.from_declared(served.spec.subresources)
        passes = {version.spec.name: version.passes for version in versions}
        self._decoder = Decoder(crd.group, crd.kind, self._version, passes, profile)

    def create(self, body: Body, *, namespace: str, field_validation: FieldValidation) -> Response:
        """
        Return the answer to a POST.

        Args:
            body: What is sent.
            namespace: The namespace of the URL; ignored where the CRD's scope is Cluster.
            field_validation: What unknown and duplicate fields do.

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
            return self._refuse(refused, target)
        resource = self._subresources.prepare_create({**decoded.resource, "metadata": prepared.metadata})
        verdict = self._validate_create(resource)
        warnings = objectmetavalidation.warnings(prepared.metadata, profile=self._profile)
        return self._answer(response.CREATED, resource, verdict, (decoded, prepared), warnings)

    def update(self, body: Body, *, old: Resource, namespace: str, field_validation: FieldValidation) -> Response:
        """
        Return the answer to a PUT.

        Args:
            body: What is sent.
            old: What is stored under the name of the URL, which is its name.
            namespace: The namespace of the URL, where *old* states none.
            field_validation: What unknown and duplicate fields do.

        Reference:
            apiserver endpoints/handlers/update.go; registry/rest/update.go; apiextensions-apiserver
            registry/customresource/strategy.go.
        """
        if not self._served.spec.served:
            return response.refused(refusal.NOT_SERVED, subject={})
        stored = self._read(old, namespace)
        target = self._target(namespace, stored)
        try:
            decoded, prepared = self._decode_update(body, stored, target, field_validation)
        except RefusedError as refused:
            return self._refuse(refused, target)
        new = {**decoded.resource, "metadata": prepared.metadata}
        resource = self._subresources.prepare_update(new, stored)
        verdict = self._validate_update(resource, stored)
        warnings = objectmetavalidation.warnings(prepared.metadata, stored["metadata"], profile=self._profile)
        return self._answer(response.OK, resource, verdict, (decoded, prepared), warnings)

    def update_status(
        self, body: Body, *, old: Resource, namespace: str, field_validation: FieldValidation
    ) -> Response:
        """
        Return the answer to a PUT to `/status`.

        Args:
            body: What is sent.
            old: What is stored under the name of the URL, which is its name.
            namespace: The namespace of the URL, where *old* states none.
            field_validation: What unknown and duplicate fields do.

        Reference:
            apiextensions-apiserver registry/customresource/status_strategy.go.
        """
        if not self._served.spec.served:
            return response.refused(refusal.NOT_SERVED, subject={})
        stored = self._read(old, namespace)
        target = self._target(namespace, stored)
        if not self._subresources.has_status:
            return self._refuse(RefusedError(requestmetadata.refuse_missing(target)), target)
        try:
            decoded, prepared = self._decode_update(body, stored, target, field_validation)
        except RefusedError as refused:
            return self._refuse(refused, target)
        new = {**decoded.resource, "metadata": prepared.metadata}
        resource = self._subresources.prepare_status_update(new, stored)
        verdict = self._validate_status_update(resource, stored)
        return self._answer(response.OK, resource, verdict, (decoded, prepared), ())

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

    def _validate_create(self, resource: Resource) -> _Verdict:
        metadata = resource["metadata"]
        errors = self._type_errors(resource)
        if not errors:
            errors += objectmetavalidation.validate_create(metadata, namespaced=self._namespaced, profile=self._profile)
            errors += self._values.create(resource) if self._values else ()
            errors += self._subresources.validate_scale(resource)
        errors += self._embedded(resource) if self._embedded else ()
        errors += self._lists(resource) if self._lists else ()
        verdict = self._with_rules(errors, resource)
        if verdict.errors:
            return verdict
        created = objectmetavalidation.validate_created(metadata, namespaced=self._namespaced, profile=self._profile)
        return _Verdict(created, verdict.warnings)

    def _validate_update(self, resource: Resource, old: Resource) -> _Verdict:
        wrong_type = self._type_errors(resource)
        if wrong_type:
            errors = self._common_metadata_errors(resource, old) + wrong_type
        else:
            errors = self._metadata_errors(resource, old)
            errors += self._values.update(resource, old) if self._values else ()
            errors += self._subresources.validate_scale(resource)
        errors += self._embedded(resource) if self._embedded else ()
        errors += self._new_list_errors(resource, old)
        return self._with_rules(errors, resource, old)

    def _validate_status_update(self, resource: Resource, old: Resource) -> _Verdict:
        errors = self._metadata_errors(resource, old)
        if not self._profile.validates_status_alone:
            errors += self._values.create(resource) if self._values else ()
            return _Verdict(errors + self._subresources.validate_status_scale(resource))
        if self._status_values and "status" in resource:
            status = resource["status"]
            errors += (
                self._status_values.update(status, old.get("status"), _STATUS)
                if self._profile.ratchets_status
                else self._status_values.create(status, _STATUS)
            )
        errors += self._subresources.validate_status_scale(resource)
        errors += self._new_list_errors(resource, old)
        return self._with_rules(errors, resource, old)

    def _with_rules(self, errors: list[FieldError], resource: Resource, old: Resource | None = None) -> _Verdict:
        """Return *errors* and what the rules say, or that they are not run because of the errors."""
        if self._rules is None:
            return _Verdict(errors)
        blocked = rules.blocked(errors, self._profile)
        if blocked is not None:
            return _Verdict([*errors, blocked])
        correlation = None if old is None else Correlation(resource, old, self._declared or {})
        found = validation.validate(self._rules, Subject(resource, old, correlation=correlation), self._profile)
        return _Verdict(errors + found.errors, tuple(found.warnings))

    def _type_errors(self, resource: Resource) -> list[FieldError]:
        return typemeta.validate(resource, group=self._crd.group, version=self._version, kind=self._crd.kind)

    def _common_metadata_errors(self, resource: Resource, old: Resource) -> list[FieldError]:
        return objectmetavalidation.validate_common_update(
            resource["metadata"], old["metadata"], namespaced=self._namespaced, profile=self._profile
        )

    def _metadata_errors(self, resource: Resource, old: Resource) -> list[FieldError]:
        return objectmetavalidation.validate_update(
            resource["metadata"], old["metadata"], namespaced=self._namespaced, profile=self._profile
        )

    def _new_list_errors(self, resource: Resource, old: Resource) -> list[FieldError]:
        """Return the duplicates in lists, unless there were some before."""
        found = self._lists(resource) if self._lists else []
        return found if found and self._lists and not self._lists(old) else []

    def _answer(
        self, code: int, resource: Resource, verdict: _Verdict, request: _Request, warnings: tuple[str, ...]
    ) -> Response:
        decoded, prepared = request
        before = (*self._deprecation, *decoded.warnings, *prepared.warnings, *verdict.warnings)
        if verdict.errors:
            sent = decoded.resource  # of an update of the status, the resource is the old one
            group = sent["apiVersion"].rpartition("/")[0]
            name = resource["metadata"].get("name", "")
            return response.invalid(group, sent["kind"], name, verdict.errors, warnings=before, changes=decoded.changes)
        warnings = (*before, *warnings)
        if isinstance(resource.get("items"), list):
            return response.refused(_TAKEN_FOR_A_LIST, subject={}, warnings=warnings, changes=decoded.changes)
        try:
            stored, lost = self._stored(resource, defaulted=bool(decoded.changes.defaulted))
        except DecodeError as error:  # what is metadata in the storage version alone
            unstorable = Refusal(500, "", str(error))
            return response.refused(unstorable, subject={}, warnings=warnings, changes=decoded.changes)
        if decoded.is_text:
            stored = jsonvalue.from_python(stored)
        server_made = (
            (*requestmetadata.SERVER_MADE, "name") if prepared.has_generated_name else requestmetadata.SERVER_MADE
        )
        stored["metadata"] = {key: value for key, value in stored["metadata"].items() if key not in server_made}
        warnings = response.sent(warnings)
        changes = replace(decoded.changes, lost=lost)
        return Response(code, stored=stored, warnings=warnings, changes=changes)

    def _refuse(self, refused: RefusedError, target: Target) -> Response:
        subject = {"name": target.name, "group": target.group, "kind": target.plural}
        warnings = (*self._deprecation, *refused.warnings)
        return response.refused(refused.refusal, subject=subject, warnings=warnings, changes=refused.changes)

    def _stored(self, resource: Resource, *, defaulted: bool) -> tuple[dict[str, JSONValue], tuple[str, ...]]:
        """Return what a client reads back, converted to the storage version, stored, read and converted again; and what is lost."""
        passes = self._storage.passes
        if self._storage is self._served and (not defaulted or passes.settles) and not self._lacks_status(resource):
            return dict(resource), ()  # pruned and defaulted before
        written = passes.prune({**resource, "apiVersion": f"{self._crd.group}/{self._storage.spec.name}"})
        return self._converted(passes.default(written.value).value), written.paths

    def _lacks_status(self, resource: Resource) -> bool:
        """Return whether reading puts in a status: a default for the one that a create took away."""
        declared = self._served.schema.properties.get("status") if self._served.schema else None
        return declared is not None and declared.default is not None and "status" not in resource

    def _read(self, old: Resource, namespace: str) -> dict[str, JSONValue]:
        """Return a stored object as it is read for an update; in the storage version, whatever it says."""
        passes = self._storage.passes
        in_storage = {**old, "apiVersion": f"{self._crd.group}/{self._storage.spec.name}", "kind": self._crd.kind}
        stored = self._converted(passes.default(passes.prune(in_storage, drop_malformed=True).value).value)
        metadata = dict(stored.get("metadata") or {})
        if self._namespaced:
            metadata.setdefault("namespace", namespace)
        stored["metadata"] = metadata
        return stored

    def _converted(self, in_storage: Resource) -> dict[str, JSONValue]:
        if self._storage is self._served:
            return dict(in_storage)
        passes = self._served.passes
        converted = {**in_storage, "apiVersion": f"{self._crd.group}/{self._version}"}
        return passes.drop_nulls(passes.prune(converted).value)

    def _target(self, namespace: str, stored: Resource | None = None) -> Target:
        metadata = (stored or {}).get("metadata") or {}
        if not self._namespaced:
            return Target(self._crd.group, self._crd.plural, None, metadata.get("name", ""))
        return Target(self._crd.group, self._crd.plural, metadata.get("namespace", namespace), metadata.get("name", ""))

    @cached_property
    def _deprecation(self) -> tuple[str, ...]:
        return deprecation.warnings(self._crd, self._served.spec)

    @cached_property
    def _rules(self) -> RuleNode | None:
        schema = self._served.schema
        return None if schema is None else tree.of_stored(schema, self._profile, is_resource=True)

    @cached_property
    def _values(self) -> valuevalidation.Validator | None:
        schema = self._declared
        return None if schema is None else valuevalidation.compile(schema, self._profile)

    @cached_property
    def _status_values(self) -> valuevalidation.Validator | None:
        schema = ((self._declared or {}).get("properties") or {}).get("status")
        return None if schema is None else valuevalidation.compile(schema, self._profile)

    @cached_property
    def _embedded(self) -> objectmetavalidation.Validate | None:
        schema = self._served.schema
        return None if schema is None else objectmetavalidation.compile_embedded(schema, self._profile)

    @cached_property
    def _lists(self) -> listtypes.Check | None:
        schema = self._served.schema
        return None if schema is None else listtypes.compile(schema, self._profile)
