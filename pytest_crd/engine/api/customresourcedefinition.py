"""
CustomResourceDefinitions: the engine's answers, by the name of what is asked.

A CRD answers about itself, each version (`version`) about its custom resources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_crd.engine import jsonvalue, profile
from pytest_crd.engine.api import crdanswers, keptanswers
from pytest_crd.engine.api import version as ofversion
from pytest_crd.engine.api.context import CrdContext, Guard, WrittenCrd
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.crds import declared, nameconflicts, origins
from pytest_crd.engine.crds.condition import Condition
from pytest_crd.engine.crds.nameconflicts import Naming
from pytest_crd.engine.errors.failedrule import Locate, Steps
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue, TooDeepError
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.registry import requestbody
from pytest_crd.engine.registry.requestbody import FieldValidation
from pytest_crd.engine.registry.response import Response

# A version is of a CRD and a CRD has versions: here, where both are known, it is said which CRD.
if TYPE_CHECKING:
    CrdVersion: TypeAlias = "ofversion.CrdVersion[CustomResourceDefinition]"
else:
    CrdVersion = ofversion.CrdVersion


class CrdLookupError(LookupError):
    """No CRD, or more than one, or no version answers to a name; the message says which there are."""


class CustomResourceDefinition:
    """A CRD, and what a server of one Kubernetes version makes of it."""

    def __init__(self, answers: CrdAnswers, context: CrdContext) -> None:
        """For this class: everybody else calls `from_manifest`, which decodes the manifest."""
        self._answers = answers
        self._context = context
        self._versions = tuple(CrdVersion(self, index, answers, context) for index in range(len(answers.schemas)))

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
        return cls.from_value(value, kubernetes_version=version, context=CrdContext(source))

    @classmethod
    def from_value(
        cls, value: JSONValue, *, kubernetes_version: str, context: CrdContext, duplicates: tuple[str, ...] = ()
    ) -> CustomResourceDefinition:
        """
        Return the CRD of a manifest that is a JSON value already; it must not be changed afterwards.

        Args:
            value: The manifest.
            kubernetes_version: Whose behaviour and words.
            context: What is known of it beside.
            duplicates: What the server says about each key that was set twice where the manifest was read.

        Raises:
            CrdError: As `from_manifest`.
        """
        named = profile.named(kubernetes_version)
        decoded = crdanswers.decoded(value, named, context.source)._replace(duplicates=duplicates)
        return cls(CrdAnswers(decoded, named, context.locate), context)

    def under(self, kubernetes_version: str) -> CustomResourceDefinition:
        """
        Return the same CRD under another Kubernetes version.

        Raises:
            UnknownVersionError: No known Kubernetes version.
        """
        named = profile.named(kubernetes_version)
        if named == self._answers.profile:
            return self
        return type(self)(CrdAnswers(self._answers.manifest, named, self.locate), self._context)

    def version(self, name: str) -> CrdVersion:
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
    def name(self) -> str:
        """`crontabs.stable.example.com`."""
        return self._answers.spec.name

    @property
    def group(self) -> str:
        """`stable.example.com`."""
        return self._answers.spec.group

    @property
    def kind(self) -> str:
        """`CronTab`."""
        return self._answers.spec.kind

    @property
    def scope(self) -> str:
        """`Namespaced` or `Cluster`."""
        return self._answers.spec.scope

    @property
    def api_version(self) -> str:
        """`apiextensions.k8s.io/v1` or `…/v1beta1`."""
        return str(self._answers.manifest.value["apiVersion"])

    @property
    def versions(self) -> tuple[CrdVersion, ...]:
        """All versions, in the order of the manifest."""
        return self._versions

    @property
    def kubernetes_version(self) -> str:
        """The version whose answers are given."""
        return self._answers.profile.version

    @property
    def source(self) -> str:
        """Where the manifest stands, `file:line`; empty where it was not read from a file."""
        return self._context.source

    @property
    def answers(self) -> CrdAnswers:
        """What answers requests, for who knows more of a request than the methods here take."""
        return self._answers

    @property
    def locate(self) -> Locate | None:
        """What gives `file:line` of a path in the manifest, as for `CrdContext`; None where it was not read from a file."""
        return self._context.locate

    @property
    def written(self) -> WrittenCrd | None:
        """What was read, and where; None where it was not read, or was altered since."""
        return self._context.written

    @property
    def guard(self) -> Guard | None:
        """What is called before each answer about its custom resources; None where every question is answered."""
        return self._context.guard

    @property
    def observer(self) -> Observer:
        """What is told of requests for its custom resources."""
        return self._context.observer

    @property
    def manifest(self) -> dict[str, JSONValue]:
        """The whole CRD as the server decodes it, without unknown fields: a copy."""
        copied: dict[str, JSONValue] = jsonvalue.copy(self._answers.manifest.value)
        return copied

    @property
    def declared(self) -> Mapping[str, JSONValue]:
        """The manifest itself, for this package: not to be changed."""
        value: Mapping[str, JSONValue] = self._answers.manifest.value
        return value

    @property
    def unknown_fields(self) -> tuple[SpelledPath, ...]:
        """The fields of the manifest that the server does not know, as its warnings spell them; the first hundred."""
        return self._answers.manifest.unknown

    @property
    def repeated_fields(self) -> tuple[str, ...]:
        """What the server says about each key that is set twice in the file of the manifest; of which the last counts."""
        return self._answers.manifest.duplicates

    @property
    def response(self) -> Response:
        """
        What the server answers to a POST of the CRD that says nothing of unknown and repeated fields; `create()`.

        Errors:
            Those of `create`.
        """
        return self._answers.created.copied()

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
        return self._answers.create(requestbody.known(field_validation)).copied()

    @cached_property
    def first_response(self) -> Response:
        """
        What a server answered when the CRD was stored: `response`, but no 404 for a CRD of an API that is no longer served.

        Such a CRD is stored since an older version, which is the one that answers here.
        """
        if self.api_version != declared.V1BETA1 or self._answers.profile.serves_v1beta1:
            return self._answers.created
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
        given: object = old
        if not isinstance(given, CustomResourceDefinition):
            remedy = "CustomResourceDefinition.from_manifest makes one of a manifest"
            raise TypeError(f"what a CRD replaces is a CustomResourceDefinition, not {type(given).__name__}; {remedy}")

        stored = old.under(self.kubernetes_version)._answers  # noqa: SLF001 - of this class
        return self._answers.update(stored, requestbody.known(field_validation)).copied()

    def patch(
        self,
        patch: Mapping[str, object] | Sequence[object] | str,
        *,
        media_type: str = "",
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return what the server answers to a PATCH of the CRD, which is stored.

        Args:
            patch: A mapping, which is a merge patch; a list of operations, which is a JSON Patch; or the text of one of them.
            media_type: What the patch is said to be, where it is not what it looks like, as of a strategic merge patch: a text is sent
                as it is then.
            field_validation: What unknown and repeated fields do, in the patch and in what comes of it.

        Raises:
            ManifestError, TypeError: It is no patch, or holds something that is not JSON.

        Errors:
            Those of the response, as of `update_from`; an apply is refused, as it needs a manager: `apply` takes one.

        Reference:
            RFC 6902, RFC 7386; apiserver endpoints/handlers/patch.go.
        """
        from pytest_crd.engine.registry import completion  # noqa: PLC0415 - much that only this answer needs

        body, found = completion.patch(patch, media_type)
        return self._answers.patch(body, found, requestbody.known(field_validation)).copied()

    @classmethod
    def apply(  # noqa: PLR0913 - what a URL says, and who answers
        cls,
        resource: Mapping[str, object] | str,
        *,
        manager: str,
        old: CustomResourceDefinition | Response | None = None,
        force: bool = False,
        field_validation: FieldValidation = "Warn",
        kubernetes_version: str = profile.DEFAULT,
    ) -> Response:
        """
        Return what the server answers to a server-side apply of a CRD.

        Args:
            resource: What is applied; nothing of what others own needs to be there, apiVersion, kind and name neither, unless it is a text.
            manager: Who applies it, the field manager.
            old: The stored CRD; without managed fields it belongs to `before-first-apply`. Or the answer to the apply before, which knows
                who owns what. None where nothing is stored: then it is created.
            force: Whether what others own is taken from them; else it is a conflict.
            field_validation: What repeated fields do; an unknown one is refused whatever it says.
            kubernetes_version: Whose behaviour and words.

        Raises:
            ManifestError, TypeError: It is no object, or holds something that is not JSON; or *old* is neither.
            NotImplementedError: The stored CRD is of `v1beta1`, or somebody owns it in terms of that.
            UnknownVersionError: No known Kubernetes version.

        Errors:
            Those of the response, as of `create` and `update_from`.

        Reference:
            apiserver endpoints/handlers/patch.go; apiextensions-apiserver registry/customresourcedefinition/strategy.go.
        """
        given = _stored(old, kubernetes_version)
        return crdanswers.applied(
            resource,
            None if given is None else given._answers,  # noqa: SLF001 - of this class
            profile.named(kubernetes_version),
            manager=manager,
            force=force,
            field_validation=requestbody.known(field_validation),
        )

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """
        The conditions that the CRD has once it is stored; of a collection, after those that come before it.

        A name that another CRD of the group has already makes `NamesAccepted` and `Established` false.
        """
        return self._answers.conditions(self._context.naming)

    @property
    def naming(self) -> Naming:
        """The names that the server accepts if other CRDs of the group claim some of them, and why it refuses the others."""
        return self._context.naming

    def with_naming(self, naming: Naming) -> CustomResourceDefinition:
        """Return the same CRD when *naming* became of its names: another object where that changes an answer."""
        known = self._context.naming
        is_alike = (naming.reason, naming.message) == (known.reason, known.message)
        return self if is_alike else self._with(naming=naming)

    def guarded(self, guard: Guard | None) -> CustomResourceDefinition:
        """
        Return the same CRD with another guard, or with none; what is compiled is shared.

        Args:
            guard: Called with the CRD before each answer about its custom resources.
        """
        return self._with(guard=guard)

    def _with(self, **known: Any) -> CustomResourceDefinition:
        """Return the same CRD, of which something else is known beside; the answers are shared."""
        return type(self)(self._answers, self._context._replace(**known))

    def altered(
        self, manifest: Mapping[str, JSONValue], *, written: WrittenCrd | None = None
    ) -> CustomResourceDefinition:
        """
        Return the CRD of a *manifest* that was made of this one's: what is as it was still stands in the same file.

        Args:
            manifest: A JSON value, which must not be changed afterwards.
            written: What it counts for where it is told what was read.

        Raises:
            CrdError: As `from_manifest`.
        """
        named, before, locate = self._answers.profile, self.declared, self.locate
        decoded = crdanswers.decoded(manifest, named, self.source)

        def through(steps: Steps, offset: int | None) -> str:
            origin = origins.find(before, decoded.value, steps)
            return "" if origin is None or locate is None else locate(origin, offset)

        context = CrdContext(self.source, locate and through, written, observer=self._context.observer)
        return type(self)(CrdAnswers(decoded, named, context.locate), context)

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs to give the same answers: nothing that was found out since, and no file."""
        return keptanswers.without(self)

    def __repr__(self) -> str:
        versions = ", ".join(version.name for version in self.versions)
        return f"<CustomResourceDefinition {self.name} ({versions}){f' from {self.source}' if self.source else ''}>"


def side_by_side(crds: Sequence[CustomResourceDefinition]) -> tuple[CustomResourceDefinition, ...]:
    """
    Return *crds* as they are on one server that creates them in this order: a name is of the first that asks for it.

    The CRDs that were given stay as they are; one that is refused a name is another object here.
    """
    namings = nameconflicts.find((crd.group, crd._answers.forms.internal.names) for crd in crds)  # noqa: SLF001 - of this module's class
    return tuple(crd.with_naming(naming) for crd, naming in zip(crds, namings, strict=True))


def _stored(
    old: CustomResourceDefinition | Response | None, kubernetes_version: str
) -> CustomResourceDefinition | None:
    """
    Return the CRD that is stored, under a Kubernetes version.

    Raises:
        TypeError: It is none, or the answer to a request of which nothing was stored.
    """
    if old is None:
        return None
    if isinstance(old, CustomResourceDefinition):
        return old.under(kubernetes_version)
    if not isinstance(old, Response):
        raise TypeError(f"what is stored is a CustomResourceDefinition or an answer, not {type(old).__name__}")
    if old.whole is None:
        raise TypeError(f"nothing is known to be stored after {old}")
    return CustomResourceDefinition.from_manifest(old.whole.value, kubernetes_version=kubernetes_version)
