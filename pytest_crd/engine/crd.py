"""CustomResourceDefinitions and their versions: the engine's answers by the name of what is asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from pytest_crd.engine import (
    conditions,
    crdspec,
    fielderror,
    jsonvalue,
    nonstructural,
    profile,
    structural,
    unsupported,
    yamlreader,
)
from pytest_crd.engine.conditions import Condition
from pytest_crd.engine.crdspec import VersionSpec
from pytest_crd.engine.crdtypes import decode_crd
from pytest_crd.engine.customresource import Defaulted, Passes, Pruned
from pytest_crd.engine.fielderror import FieldError
from pytest_crd.engine.godecode import DecodeError
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.structural import Structural, UnsupportedConstructError


class NotStructuralError(AssertionError):
    """A schema that is not structural; the message lists every violation as the server words it."""


class CustomResourceDefinition:
    """
    A CRD, and what a server of one Kubernetes version makes of it.

    Attributes:
        name: `crontabs.stable.example.com`.
        group: `stable.example.com`.
        kind: `CronTab`.
        scope: `Namespaced` or `Cluster`.
        versions: All versions, in the order of the manifest.
        kubernetes_version: The version whose answers are given.
        source: Where the manifest stands, `file:line`; empty where it was not read from a file.
    """

    def __init__(self, manifest: Mapping[str, JSONValue], *, kubernetes_version: str, source: str = "") -> None:
        """Take a decoded manifest; `from_manifest` is for everybody else."""
        self._manifest = manifest
        self._spec = spec = crdspec.from_decoded(manifest)
        self.name = spec.name
        self.group = spec.group
        self.kind = spec.kind
        self.scope = spec.scope
        self.kubernetes_version = kubernetes_version
        self.source = source
        self.versions = tuple(
            Version(self, version, preserve_unknown_fields=spec.preserve_unknown_fields) for version in spec.versions
        )

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
            CrdError: Not a CRD, or one that the server could not decode; the message is the server's.
            UnknownVersionError: No known Kubernetes version.
        """
        version = profile.named(kubernetes_version).version
        return cls.from_value(jsonvalue.from_python(manifest), kubernetes_version=version, source=source)

    @classmethod
    def from_value(cls, value: JSONValue, *, kubernetes_version: str, source: str) -> CustomResourceDefinition:
        """
        Return the CRD of a manifest that is a JSON value already; it must not be changed afterwards.

        Raises:
            CrdError: As `from_manifest`.
        """
        if not crdspec.is_crd(value):
            message = f"not a CustomResourceDefinition of {crdspec.V1} or {crdspec.V1BETA1}"
            raise CrdError([Mistake(source or "the manifest", 0, message)])
        try:
            decoded = decode_crd(value)
        except DecodeError as error:
            raise CrdError([Mistake(source or "the manifest", 0, str(error))]) from None
        return cls(decoded.value, kubernetes_version=kubernetes_version, source=source)

    def under(self, kubernetes_version: str) -> CustomResourceDefinition:
        """
        Return the same CRD under another Kubernetes version.

        Raises:
            UnknownVersionError: No known Kubernetes version.
        """
        version = profile.named(kubernetes_version).version
        if version == self.kubernetes_version:
            return self
        return type(self)(self._manifest, kubernetes_version=version, source=self.source)

    def version(self, name: str) -> Version:
        """
        Return the version *name*.

        Raises:
            LookupError: There is none; the message lists those that there are.
        """
        for version in self.versions:
            if version.name == name:
                return version
        known = ", ".join(version.name for version in self.versions) or "none"
        raise LookupError(f"{self.name} has no version {name!r}; it has: {known}")

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions that follow from the CRD: so far `NonStructuralSchema`, where the server sets it."""
        condition = conditions.non_structural_schema(self._spec)
        return () if condition is None else (condition,)

    def __repr__(self) -> str:
        """Return the name, the versions and the source."""
        versions = ", ".join(version.name for version in self.versions)
        return f"<CustomResourceDefinition {self.name} ({versions}){f' from {self.source}' if self.source else ''}>"


class Version:
    """
    One version of a CRD.

    Attributes:
        crd: The CRD.
        name: `v1`.
        served: Whether the server answers requests for it.
        storage: Whether objects are stored in it.
    """

    def __init__(self, crd: CustomResourceDefinition, spec: VersionSpec, *, preserve_unknown_fields: bool) -> None:
        """Take what `CustomResourceDefinition` knows of the version."""
        self.crd = crd
        self.name = spec.name
        self.served = spec.served
        self.storage = spec.storage
        self._spec = spec
        self._preserve_unknown_fields = preserve_unknown_fields

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
            return nonstructural.find(structural.from_schema(spec.schema), spec.schema_path)
        except UnsupportedConstructError as error:
            found = unsupported.find(spec.schema, spec.schema_path)
            return found or (fielderror.invalid(spec.schema_path, "", str(error)),)

    @property
    def is_structural(self) -> bool:
        """Whether the schema is structural."""
        return not self.structural_errors

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
        return self.passes.default(_resource(resource))

    @cached_property
    def passes(self) -> Passes:
        """The passes one by one, over JSON values that are copied for nobody."""
        return Passes(self.schema, preserve_unknown_fields=self._preserve_unknown_fields)

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
            return structural.from_schema(self._spec.schema)
        except UnsupportedConstructError:
            if self._preserve_unknown_fields:
                return None  # such a CRD is served all the same, as one without a schema
            raise

    def __repr__(self) -> str:
        """Return the CRD's name and the version."""
        return f"<Version {self.name} of {self.crd.name}>"


def _resource(resource: Mapping[str, object] | str) -> Mapping[str, JSONValue]:
    value = yamlreader.read_one(resource).value if isinstance(resource, str) else jsonvalue.from_python(resource)
    if not isinstance(value, dict):
        raise TypeError(f"a custom resource is a mapping, not {jsonvalue.type_of(value)}")
    return value
