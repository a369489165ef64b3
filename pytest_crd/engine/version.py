"""One version of a CRD: the engine's answers about custom resources, by the name of what is asked."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pytest_crd.engine import jsonvalue, profile
from pytest_crd.engine.crds.crdspec import CrdSpec, VersionSpec
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.response import Response
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.passes.versionpasses import Defaulted, Passes, Pruned
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.reading import yamlreader
from pytest_crd.engine.resources import requestbody, subresources
from pytest_crd.engine.resources.requestbody import Body, FieldValidation
from pytest_crd.engine.schema import nonstructural, structuralversion, unsupported
from pytest_crd.engine.schema.structural import Structural, UnsupportedConstructError

if TYPE_CHECKING:
    from pytest_crd.engine.crd import CustomResourceDefinition
    from pytest_crd.engine.resources.customresource import CustomResources


# A mistake of the user's is shown where the user's code asks; any other exception with all its frames.
_HIDE_MISTAKES: Final = operator.methodcaller("errisinstance", InputError)


class NotStructuralError(AssertionError):
    """A schema that is not structural; the message lists every violation as the server words it."""


class Version:
    """
    One version of a CRD.

    Attributes:
        crd: The CRD.
        name: `v1`.
        served: Whether the server answers requests for it.
        storage: Whether objects are stored in it.
    """

    def __init__(self, crd: CustomResourceDefinition, crd_spec: CrdSpec, spec: VersionSpec) -> None:
        """Take what `CustomResourceDefinition` knows of the version."""
        self.crd = crd
        self._crd_spec = crd_spec
        self.name = spec.name
        self.served = spec.served
        self.storage = spec.storage
        self._spec = spec

    @cached_property
    def structural_errors(self) -> tuple[FieldError, ...]:
        """
        Every violation that keeps the schema from being structural, as POSTing the CRD as v1 reports it.

        Errors:
            Required, Invalid and Forbidden, in the server's order; empty for a structural schema, and where there is none:
            that v1 demands a schema is a rule about the CRD, not about its structure.

        Reference:
            KEP-2335; apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionValidation.
        """
        spec = self._spec
        if spec.schema is None:
            return ()
        try:
            schema = structuralversion.from_schema(spec.schema, self._profile)
            return nonstructural.find(schema, spec.schema_path, self._profile)
        except UnsupportedConstructError as error:
            found = unsupported.find(spec.schema, spec.schema_path)
            return found or (fielderror.invalid(spec.schema_path, "", str(error)),)

    @property
    def is_structural(self) -> bool:
        """Whether the schema is structural."""
        return not self.structural_errors

    @property
    def has_status(self) -> bool:
        """Whether the status is a subresource, written through `/status` alone."""
        return subresources.from_declared(self._spec.subresources).has_status

    @property
    def preserves_unknown_fields(self) -> bool:
        """Whether nothing is pruned, as a CRD of v1beta1 can have it."""
        return self._crd_spec.preserve_unknown_fields

    def assert_structural(self) -> None:
        """
        Pass when the schema is structural.

        Raises:
            NotStructuralError: It is not; the message lists every violation.
        """
        __tracebackhide__ = True
        if self.structural_errors:
            errors = "\n".join(f"  {error}" for error in self.structural_errors)
            source = f" ({self.crd.source})" if self.crd.source else ""
            raise NotStructuralError(f"{self.crd.name} {self.name} is not structural{source}:\n{errors}")

    def prune(self, resource: Mapping[str, object] | str) -> Pruned:
        """
        Return *resource* without the fields that the schema does not know, metadata coerced.

        Args:
            resource: A whole custom resource, or the text of one YAML or JSON document.

        Raises:
            DecodeError: Metadata of a wrong type, which the server answers with a 400 in these words.
            ManifestError: A text that the server could not read.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.
        """
        __tracebackhide__ = _HIDE_MISTAKES
        self._demand()
        return self.passes.prune(_resource(resource))

    def default(self, resource: Mapping[str, object] | str) -> Defaulted:
        """
        Return *resource* without the nulls that the schema does not allow, and with its defaults; nothing is pruned.

        Args:
            resource: A whole custom resource, or the text of one YAML or JSON document.

        Raises:
            ManifestError: A text that the server could not read.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.
        """
        __tracebackhide__ = _HIDE_MISTAKES
        self._demand()
        return self.passes.default(_resource(resource))

    def create(
        self,
        resource: Mapping[str, object] | str,
        *,
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return what the server answers to a POST of *resource*.

        Args:
            resource: A custom resource, of which apiVersion, kind and, without a `generateName`, the name may be left out; or
                the text of one YAML or JSON document, which is sent as it is.
            namespace: The namespace of the URL; None for the one that the object states, as kubectl takes it, else
                `default`. Of no account where the CRD's scope is Cluster.
            field_validation: What unknown and duplicate fields do: `Strict`, `Warn` or `Ignore`.

        Raises:
            ManifestError: A text that the server could not read.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.

        Errors:
            Those of the response, in the server's order; where the server's is random, by field.

        Reference:
            apiextensions-apiserver registry/customresource/strategy.go.
        """
        __tracebackhide__ = _HIDE_MISTAKES
        self._demand()
        body = _body(resource, {**self._type_meta, "metadata": {}})
        if not isinstance(resource, str):
            body = _named(body)
        return self._resources.create(
            body, namespace=_namespace(namespace, body), field_validation=requestbody.known(field_validation)
        )

    def update(
        self,
        resource: Mapping[str, object] | str,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return what the server answers to a PUT of *resource* over *old*.

        Args:
            resource: As for `create`; of its metadata name, namespace and resourceVersion may be left out, too.
            old: The object as it is stored, status included.
            namespace: The namespace of the URL where *old* states none; None for the one that the object states, else
                `default`.
            field_validation: What unknown and duplicate fields do.

        Raises:
            ManifestError: A text that the server could not read.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.

        Errors:
            Those of the response, in the server's order.

        Reference:
            KEP-4008 on what is kept though it is not valid; apiextensions-apiserver registry/customresource/strategy.go.
        """
        __tracebackhide__ = _HIDE_MISTAKES
        self._demand()
        body, stored = self._over(resource, old)
        return self._resources.update(
            body,
            old=stored,
            namespace=_namespace(namespace, body),
            field_validation=requestbody.known(field_validation),
        )

    def update_status(
        self,
        resource: Mapping[str, object] | str,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return what the server answers to a PUT of *resource* to the `/status` of *old*; a 404 without that subresource.

        Args:
            resource: As for `update`; only its status counts.
            old: The object as it is stored, status included.
            namespace: The namespace of the URL where *old* states none; None for the one that the object states, else
                `default`.
            field_validation: What unknown and duplicate fields do.

        Raises:
            ManifestError: A text that the server could not read.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.

        Errors:
            Those of the response, in the server's order.

        Reference:
            apiextensions-apiserver registry/customresource/status_strategy.go.
        """
        __tracebackhide__ = _HIDE_MISTAKES
        self._demand()
        body, stored = self._over(resource, old)
        return self._resources.update_status(
            body,
            old=stored,
            namespace=_namespace(namespace, body),
            field_validation=requestbody.known(field_validation),
        )

    def _demand(self) -> None:
        """Raise what the CRD's guard raises: there may be no answers about its custom resources."""
        __tracebackhide__ = _HIDE_MISTAKES
        if self.crd.guard is not None:
            self.crd.guard(self.crd)

    def _over(
        self, resource: Mapping[str, object] | str, old: Mapping[str, object]
    ) -> tuple[Body, dict[str, JSONValue]]:
        """Return the body of a PUT over *old*, and *old* as it is stored, each with what may be left out."""
        stored = {**self._type_meta, **_resource(old)}
        metadata = stored.get("metadata") or {}
        stored["metadata"] = {"name": _MADE_UP_NAME, "resourceVersion": "1", **metadata}
        return _body(resource, {**self._type_meta, "metadata": {}}, stored["metadata"]), stored

    @property
    def _profile(self) -> Profile:
        return profile.named(self.crd.kubernetes_version)

    @property
    def _type_meta(self) -> dict[str, JSONValue]:
        return {"apiVersion": f"{self.crd.group}/{self.name}", "kind": self.crd.kind}

    @cached_property
    def _resources(self) -> CustomResources:
        from pytest_crd.engine.resources import customresource  # noqa: PLC0415 - much that only requests need

        versions = {
            version.name: customresource.Served(version._spec, version.schema, version.passes)  # noqa: SLF001 - of this class
            for version in self.crd.versions
        }
        # One object a version, so that a version is recognised as the storage version.
        return customresource.CustomResources(
            self._crd_spec, versions[self.name], tuple(versions.values()), self._profile
        )

    @cached_property
    def passes(self) -> Passes:
        """The passes one by one, over JSON values that are copied for nobody."""
        return Passes(self.schema, self._profile, preserve_unknown_fields=self._crd_spec.preserve_unknown_fields)

    @cached_property
    def schema(self) -> Structural | None:
        """
        The schema in structural form; None where there is none.

        Raises:
            UnsupportedConstructError: It has a construct under which the server serves no custom resources.
        """
        if self._spec.schema is None:
            return None
        try:
            return structuralversion.from_schema(self._spec.schema, self._profile)
        except UnsupportedConstructError:
            if self._crd_spec.preserve_unknown_fields:
                return None  # such a CRD is served all the same, as one without a schema
            raise

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs to give the same answers: nothing that was found out since."""
        return uncached(self)

    def __repr__(self) -> str:
        """Return the CRD's name and the version."""
        return f"<Version {self.name} of {self.crd.name}>"


# For objects of which a name does not matter.
_MADE_UP_NAME: Final = "example"
_DEFAULT_NAMESPACE: Final = "default"
_FROM_STORED: Final = ("name", "namespace", "resourceVersion")


def uncached(answers: object) -> dict[str, object]:
    """Return the attributes of an object that are not kept answers: those are closures, which no other process can have."""
    kind = type(answers)
    return {
        name: value
        for name, value in vars(answers).items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }


def _body(
    resource: Mapping[str, object] | str,
    defaults: Mapping[str, JSONValue],
    stored_metadata: Mapping[str, JSONValue] | None = None,
) -> Body:
    """Return what is sent: a text as it is, anything else completed with *defaults* and, by default, the stored name."""
    if isinstance(resource, str):
        document = yamlreader.read_one(resource)
        return Body(document.value, resource, tuple(duplicate.message for duplicate in document.duplicates))
    value = jsonvalue.from_python(resource)
    if not isinstance(value, dict):
        return Body(value)
    value = {**defaults, **value}
    if stored_metadata is not None and isinstance(value["metadata"], dict):
        kept = {key: stored_metadata[key] for key in _FROM_STORED if key in stored_metadata}
        value["metadata"] = {**kept, **value["metadata"]}
    return Body(value)


def _named(body: Body) -> Body:
    """Return the body of a POST with a name, where it has nothing of which the server makes one."""
    metadata = body.value.get("metadata") if isinstance(body.value, dict) else None
    if not isinstance(metadata, dict) or metadata.keys() & {"name", "generateName"}:
        return body
    return Body({**body.value, "metadata": {"name": _MADE_UP_NAME, **metadata}})


def _namespace(namespace: str | None, body: Body) -> str:
    """Return the namespace of the URL: *namespace*, else what the object states, as kubectl takes it."""
    if namespace is not None:
        return namespace
    metadata = body.value.get("metadata") if isinstance(body.value, dict) else None
    stated = metadata.get("namespace") if isinstance(metadata, dict) else None
    return stated if isinstance(stated, str) and stated else _DEFAULT_NAMESPACE


def _resource(resource: Mapping[str, object] | str) -> Mapping[str, JSONValue]:
    value = yamlreader.read_one(resource).value if isinstance(resource, str) else jsonvalue.from_python(resource)
    if not isinstance(value, dict):
        raise TypeError(f"a custom resource is a mapping, not {jsonvalue.type_of(value)}")
    return value
