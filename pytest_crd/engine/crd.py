"""
CustomResourceDefinitions and their versions: the engine's answers, by the name of what is asked.

A CRD answers about itself, each version about its custom resources.
"""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pytest_crd.engine import jsonvalue, profile
from pytest_crd.engine.crds import conditions, declared, forms, internal, names, origins
from pytest_crd.engine.crds.conditions import Condition
from pytest_crd.engine.crds.declared import CrdSpec, VersionSpec
from pytest_crd.engine.crds.decoded import decode_crd
from pytest_crd.engine.crds.names import Naming
from pytest_crd.engine.crds.rule import Rule
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.failedrule import Locate, Steps
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.response import Response
from pytest_crd.engine.golang.decoding import Decoded, DecodeError
from pytest_crd.engine.inputerror import CrdError, InputError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue, TooDeepError
from pytest_crd.engine.passes.versionpasses import Defaulted, Passes, Pruned
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.resources import completion, requestbody, subresources
from pytest_crd.engine.resources.requestbody import FieldValidation
from pytest_crd.engine.schema import nonstructural, unsupported
from pytest_crd.engine.schema.structural import Structural, UnsupportedConstructError

if TYPE_CHECKING:
    from pytest_crd.engine.resources.customresource import CustomResources  # much that only requests need


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
            return nonstructural.find(spec.schema.structural, spec.schema_path, self._profile)
        except UnsupportedConstructError as error:
            found = unsupported.find(spec.schema.value, spec.schema_path)
            return found or (fielderror.invalid(spec.schema_path, "", str(error)),)

    @property
    def is_structural(self) -> bool:
        """Whether the schema is structural."""
        return not self.structural_errors

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """
        The CEL rules (`x-kubernetes-validations`) of the schema, with what they may cost; those of a value before those inside it.

        Raises:
            UnsupportedConstructError: The schema has a construct that no structural schema can express.
            UnsupportedExpressionError: A rule uses what the server knows and this engine does not.
        """
        from pytest_crd.engine.crdvalidation.schemas import declaredrules  # noqa: PLC0415 - much that only CEL needs

        return () if self._spec.schema is None else declaredrules.find(self._spec.schema.value, self._profile)

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

    def example(self, *, full: bool = False) -> dict[str, JSONValue]:
        """
        Return an object that the server creates without a word: the smallest one, the same each time.

        Args:
            full: Whether all fields are set that may be, as far as they go together; else what must be, and nothing more.

        Raises:
            NoExampleError: None was found; of `pytest_crd.examples`.
            UnsupportedExpressionError: A rule uses what the server knows and this engine does not.
        """
        # What makes objects asks this class, and stands above it.
        examples = importlib.import_module("pytest_crd.examples")
        made: dict[str, JSONValue] = examples.example(self, full=full)
        return made

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
        return self.passes.prune(completion.resource(resource))

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
        return self.passes.default(completion.resource(resource))

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
        body = completion.body(resource, {**self._type_meta, "metadata": {}})
        if not isinstance(resource, str):
            body = completion.named(body)
        answer = self._resources.create(
            body, namespace=completion.namespace(namespace, body), field_validation=requestbody.known(field_validation)
        )
        return answer.located(self._place_of)

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
        body, stored = completion.over(resource, old, self._type_meta)
        answer = self._resources.update(
            body,
            old=stored,
            namespace=completion.namespace(namespace, body),
            field_validation=requestbody.known(field_validation),
        )
        return answer.located(self._place_of)

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
        body, stored = completion.over(resource, old, self._type_meta)
        answer = self._resources.update_status(
            body,
            old=stored,
            namespace=completion.namespace(namespace, body),
            field_validation=requestbody.known(field_validation),
        )
        return answer.located(self._place_of)

    def _demand(self) -> None:
        """Raise what the CRD's guard raises: there may be no answers about its custom resources."""
        __tracebackhide__ = _HIDE_MISTAKES
        if self.crd.guard is not None:
            self.crd.guard(self.crd)

    def _place_of(self, steps: Steps, offset: int | None) -> str:
        """Return `file:line` of what *steps* lead to in the schema; empty where the CRD was not read from a file."""
        if self.crd.locate is None:
            return ""
        return self.crd.locate((*declared.place_of_schema(self.crd.manifest, self.name), *steps), offset)

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
            return self._spec.schema.structural
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


class CrdLookupError(LookupError):
    """No CRD, or more than one, or no version answers to a name; the message says which there are."""


class CustomResourceDefinition:
    """
    A CRD, and what a server of one Kubernetes version makes of it.

    Attributes:
        name: `crontabs.stable.example.com`.
        group: `stable.example.com`.
        kind: `CronTab`.
        scope: `Namespaced` or `Cluster`.
        api_version: `apiextensions.k8s.io/v1` or `…/v1beta1`.
        versions: All versions, in the order of the manifest.
        kubernetes_version: The version whose answers are given.
        source: Where the manifest stands, `file:line`; empty where it was not read from a file.
        guard: Called with the CRD before each answer about its custom resources, to raise where there is none to give;
            None where every question is answered.
        locate: Gives `file:line` of what stands at a path in the manifest, with the offset of a character of a text
            `file:line:column`; None where it was not read from a file.
    """

    def __init__(
        self, manifest: Decoded, *, kubernetes_version: str, source: str = "", naming: Naming = names.NO_CONFLICTS
    ) -> None:
        """For this module: everybody else calls `from_manifest`, which decodes the manifest and judges its names."""
        self._manifest = manifest
        # The one reading of it, from which every answer comes: the server too looks at nothing else.
        self._forms = forms.of_decoded(manifest, profile.named(kubernetes_version))
        spec = self._spec = internal.declared(self._forms.internal)
        self._naming = naming
        self.name = spec.name
        self.group = spec.group
        self.kind = spec.kind
        self.scope = spec.scope
        self.api_version: str = manifest.value["apiVersion"]
        self.kubernetes_version = kubernetes_version
        self.source = source
        self.guard: Callable[[CustomResourceDefinition], None] | None = None
        self.locate: Locate | None = None
        self.versions = tuple(Version(self, spec, version) for version in spec.versions)

    @classmethod
    def from_manifest(
        cls, manifest: Mapping[str, object], *, kubernetes_version: str = profile.DEFAULT, source: str = ""
    ) -> CustomResourceDefinition:
        """
        Return the CRD of a manifest.

        Args:
            manifest: The whole object, of `apiextensions.k8s.io/v1` or `v1beta1`.
            kubernetes_version: Whose behaviour and words: `"1.37"`.
            source: `file:line` for messages.

        Raises:
            TypeError: Not a mapping, or something in it is not JSON.
            CrdError: Not a CRD, or one that the server could not decode; the message is the server's.
            UnknownVersionError: No known Kubernetes version.
        """
        given: object = manifest
        if not isinstance(given, Mapping):
            kind = type(given).__name__
            raise TypeError(f"a manifest is a mapping, not {kind}; for files there is load, which reads YAML and JSON")
        version = profile.named(kubernetes_version).version
        try:
            value = jsonvalue.from_python(manifest)
        except TooDeepError as error:
            raise CrdError([Mistake(source or "the manifest", 0, f"{error}; a server takes more")]) from None
        return cls.from_value(value, kubernetes_version=version, source=source)

    @classmethod
    def from_value(cls, value: JSONValue, *, kubernetes_version: str, source: str) -> CustomResourceDefinition:
        """
        Return the CRD of a manifest that is a JSON value already; it must not be changed afterwards.

        Raises:
            CrdError: As `from_manifest`.
        """
        if not declared.is_crd(value):
            message = f"not a CustomResourceDefinition of {declared.V1} or {declared.V1BETA1}"
            raise CrdError([Mistake(source or "the manifest", 0, message)])
        try:
            decoded = decode_crd(value, whole_paths=profile.named(kubernetes_version).names_fields_of_nested_schemas)
        except DecodeError as error:
            raise CrdError([Mistake(source or "the manifest", 0, str(error))]) from None
        return cls(decoded, kubernetes_version=kubernetes_version, source=source)

    def under(self, kubernetes_version: str) -> CustomResourceDefinition:
        """
        Return the same CRD under another Kubernetes version.

        Raises:
            UnknownVersionError: No known Kubernetes version.
        """
        version = profile.named(kubernetes_version).version
        if version == self.kubernetes_version:
            return self
        return self._like(version, self._naming)

    def version(self, name: str) -> Version:
        """
        Return the version *name*.

        Raises:
            CrdLookupError: There is none; the message lists those that there are.
        """
        for version in self.versions:
            if version.name == name:
                return version
        known = ", ".join(version.name for version in self.versions) or "none"
        raise CrdLookupError(f"{self.name} has no version {name!r}; it has: {known}")

    @property
    def manifest(self) -> Mapping[str, JSONValue]:
        """The whole CRD as the server decodes it, without unknown fields; not to be changed."""
        manifest: Mapping[str, JSONValue] = self._manifest.value
        return manifest

    @property
    def unknown_fields(self) -> tuple[str, ...]:
        """The fields of the manifest that the server does not know, as its warnings spell them; the first hundred."""
        return self._manifest.unknown

    @property
    def response(self) -> Response:
        """
        What the server answers to a POST of the CRD that says nothing of unknown fields; `create()`.

        Errors:
            Those of `create`.
        """
        return self._created.copied()

    @cached_property
    def _created(self) -> Response:
        return self._create("Warn")

    def create(self, *, field_validation: FieldValidation = "Warn") -> Response:
        """
        Return what the server answers to a POST of the CRD.

        Args:
            field_validation: What unknown fields do: `Strict`, as kubectl asks, `Warn` or `Ignore`. A field that is set
                twice is refused by `Strict`, too; that was seen, or not, when the manifest was read.

        Errors:
            Those of the response, in the server's order; where the server's is random, sorted.

        Reference:
            apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinition.
        """
        return self._create(requestbody.known(field_validation)).copied()

    def _create(self, field_validation: FieldValidation) -> Response:
        from pytest_crd.engine.resources import crdrequest  # noqa: PLC0415 - much that only this answer needs

        answer = crdrequest.create(self._forms, profile.named(self.kubernetes_version), field_validation)
        return answer.located(self._place_of)

    @cached_property
    def first_response(self) -> Response:
        """
        What a server answered when the CRD was stored: `response`, but no 404 for a CRD of an API that is no longer served.

        Such a CRD is stored since an older version, which is the one that answers here.
        """
        of_server = profile.named(self.kubernetes_version)
        if self.manifest["apiVersion"] != declared.V1BETA1 or of_server.serves_v1beta1:
            return self._created
        return self.under(profile.LAST_WITH_V1BETA1).first_response

    def assert_accepted(self, *, strict: bool = False) -> None:
        """
        Pass when the server accepts a POST of the CRD.

        Args:
            strict: Whether unknown fields, which it would drop, are wrong too.

        Raises:
            NotAcceptedError: It is refused, or loses fields; the message lists every error, or every field.
        """
        __tracebackhide__ = True
        self.response.assert_accepted_as(self.name, source=self.source, strict=strict)

    def update_from(self, old: CustomResourceDefinition, *, field_validation: FieldValidation = "Warn") -> Response:
        """
        Return what the server answers to a PUT of the CRD over the CRD *old*.

        Args:
            old: The stored CRD.
            field_validation: As for `create`.

        Errors:
            Those of the response, in the server's order; where the server's is random, sorted.

        Reference:
            apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionUpdate.
        """
        from pytest_crd.engine.resources import crdrequest  # noqa: PLC0415 - much that only this answer needs

        stored = old.under(self.kubernetes_version)._forms  # noqa: SLF001 - of this class
        named = profile.named(self.kubernetes_version)
        answer = crdrequest.update(self._forms, stored, named, requestbody.known(field_validation))
        return answer.located(self._place_of).copied()

    def _place_of(self, steps: Steps, offset: int | None) -> str:
        """Return `file:line` of what *steps* lead to in the CRD; empty where it was not read from a file."""
        return "" if self.locate is None else self.locate(declared.place_in(self.manifest, steps), offset)

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """
        The conditions that the CRD has once it is stored; of a collection, after those that come before it.

        A name that another CRD of the group has already makes `NamesAccepted` and `Established` false.
        """
        return conditions.find(self._forms.internal, profile.named(self.kubernetes_version), self._naming)

    def with_naming(self, naming: Naming) -> CustomResourceDefinition:
        """Return the same CRD when *naming* became of its names: another object where that changes an answer."""
        if (naming.reason, naming.message) == (self._naming.reason, self._naming.message):
            return self
        return self._like(self.kubernetes_version, naming)

    def altered(self, manifest: Mapping[str, JSONValue]) -> CustomResourceDefinition:
        """
        Return the CRD of a *manifest* that was made of this one's: what is as it was still stands in the same file.

        Args:
            manifest: A JSON value, which must not be changed afterwards.

        Raises:
            CrdError: As `from_manifest`.
        """
        other = self.from_value(manifest, kubernetes_version=self.kubernetes_version, source=self.source)
        if (locate := self.locate) is not None:

            def through(steps: Steps, offset: int | None) -> str:
                origin = origins.find(self.manifest, other.manifest, steps)
                return "" if origin is None else locate(origin, offset)

            other.locate = through
        return other

    def _like(self, kubernetes_version: str, naming: Naming) -> CustomResourceDefinition:
        other = type(self)(self._manifest, kubernetes_version=kubernetes_version, source=self.source, naming=naming)
        other.guard = self.guard
        other.locate = self.locate
        return other

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs to give the same answers: nothing that was found out since, and no file."""
        return {**uncached(self), "locate": None}

    def __repr__(self) -> str:
        """Return the name, the versions and the source."""
        versions = ", ".join(version.name for version in self.versions)
        return f"<CustomResourceDefinition {self.name} ({versions}){f' from {self.source}' if self.source else ''}>"


def side_by_side(crds: Sequence[CustomResourceDefinition]) -> tuple[CustomResourceDefinition, ...]:
    """
    Return *crds* as they are on one server that creates them in this order: a name is of the first that asks for it.

    The CRDs that were given stay as they are; one that is refused a name is another object here.
    """
    namings = names.find((crd.group, crd._forms.internal.names) for crd in crds)  # noqa: SLF001 - of this module's class
    return tuple(crd.with_naming(naming) for crd, naming in zip(crds, namings, strict=True))


def uncached(answers: object) -> dict[str, object]:
    """Return the attributes of an object that are not kept answers: those are closures, which no other process can have."""
    kind = type(answers)
    return {
        name: value
        for name, value in vars(answers).items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }
