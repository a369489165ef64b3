"""
CustomResourceDefinitions and their versions: the engine's answers, by the name of what is asked.

A CRD answers about itself, each version about its custom resources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from pytest_crd.engine import jsonvalue, keptanswers, profile
from pytest_crd.engine.crds import conditions, declared, forms, internal, names, origins
from pytest_crd.engine.crds.conditions import Condition
from pytest_crd.engine.crds.declared import CrdSpec, VersionSpec
from pytest_crd.engine.crds.decoded import decode_crd
from pytest_crd.engine.crds.names import Naming
from pytest_crd.engine.errors.failedrule import Locate, Steps
from pytest_crd.engine.errors.response import Response
from pytest_crd.engine.golang.decoding import Decoded, DecodeError
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue, TooDeepError
from pytest_crd.engine.reading.manifest import Manifest
from pytest_crd.engine.resources import requestbody
from pytest_crd.engine.resources.requestbody import FieldValidation
from pytest_crd.engine.versionanswers import HIDE_MISTAKES, VersionAnswers


class NotStructuralError(AssertionError):
    """A schema that is not structural; the message lists every violation as the server words it."""


class Version(VersionAnswers):
    """
    One version of a CRD.

    Attributes:
        crd: The CRD.
        name: `v1`.
        served: Whether the server answers requests for it.
        storage: Whether objects are stored in it.
    """

    def __init__(self, crd: CustomResourceDefinition, crd_spec: CrdSpec, spec: VersionSpec) -> None:
        super().__init__(crd_spec, spec, profile.named(crd.kubernetes_version))
        self.crd = crd

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

    def _demand(self) -> None:
        __tracebackhide__ = HIDE_MISTAKES
        if self.crd.guard is not None:
            self.crd.guard(self.crd)

    def _place_of(self, steps: Steps, offset: int | None) -> str:
        if self.crd.locate is None:
            return ""
        return self.crd.locate((*declared.place_of_schema(self.crd.declared, self.name), *steps), offset)

    @property
    def _is_established(self) -> bool:
        return any(one.type == "Established" and one.status == "True" for one in self.crd.conditions)

    @property
    def _all_versions(self) -> tuple[Version, ...]:
        return self.crd.versions

    def __repr__(self) -> str:
        """Return the CRD's name and the version."""
        return f"<Version {self.name} of {self.crd.name}>"


class CrdLookupError(LookupError):
    """No CRD, or more than one, or no version answers to a name; the message says which there are."""


class Written(NamedTuple):
    """
    Where a CRD is written.

    Attributes:
        manifest: What was read.
        path: The file; None where a command has printed it.
    """

    manifest: Manifest
    path: Path | None


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
        written: What was read, and where; None where it was not read, or was altered since.
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
        self.written: Written | None = None
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
    def from_value(
        cls, value: JSONValue, *, kubernetes_version: str, source: str, duplicates: tuple[str, ...] = ()
    ) -> CustomResourceDefinition:
        """
        Return the CRD of a manifest that is a JSON value already; it must not be changed afterwards.

        Args:
            value: The manifest.
            kubernetes_version: Whose behaviour and words.
            source: `file:line` for messages.
            duplicates: What the server says about each key that was set twice where the manifest was read.

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
        whole = decoded._replace(duplicates=duplicates)
        return cls(whole, kubernetes_version=kubernetes_version, source=source)

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
    def manifest(self) -> dict[str, JSONValue]:
        """The whole CRD as the server decodes it, without unknown fields: a copy."""
        copied: dict[str, JSONValue] = jsonvalue.copy(self._manifest.value)
        return copied

    @property
    def declared(self) -> Mapping[str, JSONValue]:
        """The manifest itself, for this package: not to be changed."""
        value: Mapping[str, JSONValue] = self._manifest.value
        return value

    @property
    def unknown_fields(self) -> tuple[str, ...]:
        """The fields of the manifest that the server does not know, as its warnings spell them; the first hundred."""
        return self._manifest.unknown

    @property
    def repeated_fields(self) -> tuple[str, ...]:
        """What the server says about each key that is set twice in the file of the manifest; of which the last counts."""
        return self._manifest.duplicates

    @property
    def response(self) -> Response:
        """
        What the server answers to a POST of the CRD that says nothing of unknown and repeated fields; `create()`.

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
            field_validation: What unknown and repeated fields do: `Strict`, `Warn` or `Ignore`. Repeated ones are known of
                a CRD that was read from a file, which is taken for what is sent.

        Errors:
            Those of the response, in the server's order; where the server's is random, sorted.

        Reference:
            apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinition.
        """
        asked = requestbody.known(field_validation)
        # It makes a difference to what is said of such fields alone.
        is_clean = not self.unknown_fields and not self.repeated_fields
        return (self._created if is_clean else self._create(asked)).copied()

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
        if self.declared["apiVersion"] != declared.V1BETA1 or of_server.serves_v1beta1:
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

        Raises:
            TypeError: *old* is no CRD.

        Errors:
            Those of the response, in the server's order; where the server's is random, sorted.

        Reference:
            apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionUpdate.
        """
        from pytest_crd.engine.resources import crdrequest  # noqa: PLC0415 - much that only this answer needs

        given: object = old
        if not isinstance(given, CustomResourceDefinition):
            remedy = "CustomResourceDefinition.from_manifest makes one of a manifest"
            raise TypeError(f"what a CRD replaces is a CustomResourceDefinition, not {type(given).__name__}; {remedy}")

        stored = old.under(self.kubernetes_version)._forms  # noqa: SLF001 - of this class
        named = profile.named(self.kubernetes_version)
        answer = crdrequest.update(self._forms, stored, named, requestbody.known(field_validation))
        return answer.located(self._place_of).copied()

    def _place_of(self, steps: Steps, offset: int | None) -> str:
        """Return `file:line` of what *steps* lead to in the CRD; empty where it was not read from a file."""
        return "" if self.locate is None else self.locate(declared.place_in(self.declared, steps), offset)

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
                origin = origins.find(self.declared, other.declared, steps)
                return "" if origin is None else locate(origin, offset)

            other.locate = through
        return other

    def _like(self, kubernetes_version: str, naming: Naming) -> CustomResourceDefinition:
        other = type(self)(self._manifest, kubernetes_version=kubernetes_version, source=self.source, naming=naming)
        other.guard = self.guard
        other.locate = self.locate
        other.written = self.written
        return other

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs to give the same answers: nothing that was found out since, and no file."""
        return {**keptanswers.without(self), "locate": None, "written": None}

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
