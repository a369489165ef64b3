"""
CustomResourceDefinitions: the entry point of the engine.

A CRD answers requests for itself; each of its versions (`version`) answers requests for custom resources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue, profile
from pytest_crd.engine.api import crdanswers
from pytest_crd.engine.api import version as ofversion
from pytest_crd.engine.api.context import CrdContext, WrittenCrd
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.api.crdfacts import CrdFacts
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.inputerror import CrdError, Mistake, WrongTypeError
from pytest_crd.engine.jsonvalue import JSONValue, TooDeepError
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.registry.request import Request

# The two classes refer to each other: `version` is generic in the CRD, and its type parameter is set here.
if TYPE_CHECKING:
    CrdVersion: TypeAlias = "ofversion.CrdVersion[CustomResourceDefinition]"
    from pytest_crd.engine.api import pickling
    from pytest_crd.engine.client import completion
    from pytest_crd.engine.crds import origins
    from pytest_crd.engine.registry import requestbody, requestoptions, response
    from pytest_crd.engine.registry.requestbody import FieldValidation
    from pytest_crd.engine.registry.response import Response
else:
    CrdVersion = ofversion.CrdVersion
    origins = lazyimport.module("pytest_crd.engine.crds.origins")
    pickling = lazyimport.module("pytest_crd.engine.api.pickling")
    completion = lazyimport.module("pytest_crd.engine.client.completion")
    requestoptions = lazyimport.module("pytest_crd.engine.registry.requestoptions")
    requestbody = lazyimport.module("pytest_crd.engine.registry.requestbody")
    response = lazyimport.module("pytest_crd.engine.registry.response")


class CrdLookupError(LookupError):
    """A lookup by name that matches no CRD, several CRDs or no version; the message lists the existing names."""


class CustomResourceDefinition(CrdFacts):
    """A CRD on a server of one Kubernetes version."""

    def __init__(self, answers: CrdAnswers, context: CrdContext) -> None:
        """Private to this class: call `from_manifest`, which decodes a manifest."""
        super().__init__(answers, context)
        self._versions = tuple(CrdVersion(self, schema, answers, context) for schema in answers.schemas)

    @classmethod
    def from_manifest(
        cls, manifest: Mapping[str, object], *, kubernetes_version: str = profile.DEFAULT, source: str = ""
    ) -> CustomResourceDefinition:
        """
        Return the CRD of a manifest.

        Args:
            manifest: The whole object, of `apiextensions.k8s.io/v1` or `v1beta1`.
            kubernetes_version: The Kubernetes version that answers: `"1.37"`.
            source: `file:line` for messages.

        Raises:
            TypeError: The manifest is not a mapping, or holds a value that is not JSON.
            CrdError: The manifest is not a CRD, or the server cannot decode it; the message is the server's.
            UnknownVersionError: The Kubernetes version is not supported.
        """
        untyped: object = manifest
        if not isinstance(untyped, Mapping):
            kind = type(untyped).__name__
            raise WrongTypeError(
                f"a manifest is a mapping, not {kind}; for files there is load, which reads YAML and JSON"
            )
        version = profile.named(kubernetes_version).version
        try:
            value = jsonvalue.from_python(manifest)
        except TooDeepError as error:
            raise CrdError([Mistake(source or "the manifest", 0, f"{error}; a server takes more")]) from None
        return cls.from_value(value, kubernetes_version=version, context=CrdContext(Observer(), source))

    @classmethod
    def from_value(
        cls, value: JSONValue, *, kubernetes_version: str, context: CrdContext, duplicates: tuple[str, ...] = ()
    ) -> CustomResourceDefinition:
        """
        Return the CRD of a manifest that is already a JSON value; the caller must not change it afterwards.

        Args:
            value: The manifest.
            kubernetes_version: The Kubernetes version that answers.
            context: Facts about the CRD that the manifest does not hold.
            duplicates: The server's message for each key that is set twice in the file of the manifest.

        Raises:
            CrdError: As for `from_manifest`.
        """
        version_profile = profile.named(kubernetes_version)
        decoded = crdanswers.decoded(value, version_profile, context.source)._replace(duplicates=duplicates)
        return cls(CrdAnswers(decoded, version_profile, context.locate), context)

    def under(self, kubernetes_version: str) -> CustomResourceDefinition:
        """
        Return the same CRD under another Kubernetes version.

        Raises:
            UnknownVersionError: The Kubernetes version is not supported.
        """
        version_profile = profile.named(kubernetes_version)
        if version_profile == self._answers.profile:
            return self
        return type(self)(CrdAnswers(self._answers.manifest, version_profile, self.locate), self._context)

    def version(self, name: str) -> CrdVersion:
        """
        Return the version *name*.

        Raises:
            CrdLookupError: The CRD has no such version; the message lists its versions.
        """
        for version in self.versions:
            if version.name == name:
                return version
        names = ", ".join(version.name for version in self.versions) or "none"
        raise CrdLookupError(f"{self.name} has no version {name!r}; it has: {names}")

    @property
    def versions(self) -> tuple[CrdVersion, ...]:
        """All versions, in the order of the manifest."""
        return self._versions

    @property
    def response(self) -> Response:
        """
        The server's answer to a POST of the CRD without `fieldValidation`; the same as `create()`.

        Errors:
            As for `create`.
        """
        return self._answers.created.copied()

    def create(self, *, field_validation: FieldValidation = "Warn") -> Response:
        """
        Return the server's answer to a POST of the CRD.

        Args:
            field_validation: How unknown and repeated fields are treated: `Strict`, `Warn` or `Ignore`. Repeated fields
                are only known if the CRD was read from a file, which then counts as the request body.

        Errors:
            Those of the response, in the server's order; sorted where the server's order is random.

        Reference:
            apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinition.
        """
        return self._answers.create(requestbody.check_field_validation(field_validation)).copied()

    @cached_property
    def first_response(self) -> Response:
        """
        Answer to the POST that once stored the CRD: as `response`, but never a 404 for `v1beta1`.

        A CRD of `v1beta1` was stored by an older server, so the last Kubernetes version that serves `v1beta1` answers.
        """
        if self.api_version != declared.V1BETA1 or self._answers.profile.serves_v1beta1:
            return self._answers.created
        return self.under(profile.LAST_WITH_V1BETA1).first_response

    def assert_accepted(self, *, strict: bool = False) -> None:
        """
        Assert that the server accepts a POST of the CRD.

        Args:
            strict: Whether unknown fields, which the server would drop, fail the assertion too.

        Raises:
            NotAcceptedError: The CRD is refused, or *strict* is set and it loses fields; the message lists every error
                or field.
        """
        __tracebackhide__ = True
        self.response.assert_accepted_as(self.name, source=self.source, strict=strict)

    def update_from(self, old: CustomResourceDefinition, *, field_validation: FieldValidation = "Warn") -> Response:
        """
        Return the server's answer to a PUT of this CRD over the CRD *old*.

        Args:
            old: The stored CRD.
            field_validation: As for `create`.

        Raises:
            TypeError: *old* is not a `CustomResourceDefinition`.

        Errors:
            Those of the response, in the server's order; sorted where the server's order is random.

        Reference:
            apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionUpdate.
        """
        untyped: object = old
        if not isinstance(untyped, CustomResourceDefinition):
            remedy = "CustomResourceDefinition.from_manifest makes one of a manifest"
            raise WrongTypeError(
                f"what a CRD replaces is a CustomResourceDefinition, not {type(untyped).__name__}; {remedy}"
            )

        stored = old.under(self.kubernetes_version).answers
        return self._answers.update(stored, requestbody.check_field_validation(field_validation)).copied()

    def patch(
        self,
        patch: Mapping[str, object] | Sequence[object] | str,
        *,
        media_type: str = "",
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return the server's answer to a PATCH of this CRD, which is the stored one.

        Args:
            patch: A mapping (a merge patch), a list of operations (a JSON Patch), or the text of either.
            media_type: The media type of the patch, if it is not the default for the type of *patch*, such as that of a
                strategic merge patch. A text is then sent unchanged.
            field_validation: How unknown and repeated fields are treated, in the patch and in the patched CRD.

        Raises:
            ManifestError, TypeError: The patch has none of these forms, or holds a value that is not JSON.

        Errors:
            Those of the response, as for `update_from`. The media type of an apply is refused, because an apply needs a
            field manager: call `apply`.

        Reference:
            RFC 6902, RFC 7386; apiserver endpoints/handlers/patch.go.
        """
        answers, live = self._answers, self._answers.established(self.naming)
        sent, detected_type = completion.patch(patch, media_type)
        request = Request(
            "patch",
            sent,
            live["metadata"].get("name", ""),
            media_type=detected_type,
            field_validation=requestbody.check_field_validation(field_validation),
        )
        return crdanswers.handle(live, request, answers.profile, self.api_version).copied()

    @classmethod
    def apply(  # noqa: PLR0913 - the parameters of a request
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
        Return the server's answer to a server-side apply of a CRD.

        Args:
            resource: The applied configuration. Fields of other managers may be missing; so may apiVersion, kind and
                name, unless it is a text.
            manager: The field manager.
            old: The stored CRD; without managed fields, its fields belong to `before-first-apply`. Or the answer to the
                previous apply, which has managed fields. None if no CRD is stored: then the CRD is created.
            force: Whether fields of other managers are taken over; otherwise they are a conflict.
            field_validation: How repeated fields are treated; unknown fields are always refused.
            kubernetes_version: The Kubernetes version that answers.

        Raises:
            ManifestError, TypeError: *resource* is not an object or holds a value that is not JSON; or *old* has none
                of these types.
            NotImplementedError: The stored CRD, or one of its managed fields entries, is of `v1beta1`.
            UnknownVersionError: The Kubernetes version is not supported.

        Errors:
            Those of the response, as for `create` and `update_from`.

        Reference:
            apiserver endpoints/handlers/patch.go; apiextensions-apiserver
            registry/customresourcedefinition/strategy.go.
        """
        version_profile = profile.named(kubernetes_version)
        if isinstance(old, CustomResourceDefinition):
            stored: CrdAnswers | None = old.under(version_profile.version).answers
        else:
            stored = crdanswers.stored_after(old, version_profile)
        live = None if stored is None else stored.answered
        sent = completion.applied(completion.read_applied(resource), live, declared.TYPE_META)
        request = Request(
            "patch",
            sent,
            completion.name(sent),
            media_type=requestoptions.APPLY,
            field_validation=requestbody.check_field_validation(field_validation),
            field_manager=manager,
            force=force,
        )
        return crdanswers.handle(live, request, version_profile, declared.V1, stored=stored)

    def convert(self, resource: Mapping[str, object] | str, *, stored_as: str, to: str) -> Response:
        """
        Return the server's answer to a GET of an object that is stored in another version.

        Args:
            resource: The object as it is stored, or the text of one YAML or JSON document. It may omit apiVersion and
                kind.
            stored_as: The version in which it is stored.
            to: The version of the request.

        Returns:
            The answer; its `stored` is the converted object.

        Raises:
            CrdLookupError: The CRD has no such version.
            ManifestError: The server cannot read the text.
            TypeError: The resource holds a value that is not JSON.
            UnknownConversionError: A webhook converts the object, and it is not known how to call it.
            UnsupportedConstructError: The server serves no custom resources under a schema.

        Reference:
            apiextensions-apiserver apiserver/conversion/converter.go.
        """
        api_version = declared.api_version(self.group, self.version(stored_as).name)
        strategy = self.version(to).strategy
        body = completion.typed(
            requestbody.Body(completion.resource(resource)), {"apiVersion": api_version, "kind": self.kind}
        )
        stored = completion.with_default_name(body).value
        try:
            converted = strategy.read_stored_as(api_version, stored)
        except requestbody.RefusedError as refused:
            return response.refused(refused.refusal, subject={})
        return response.Response(response.OK, response.Stored.from_value(converted))

    def altered(
        self, manifest: Mapping[str, JSONValue], *, written: WrittenCrd | None = None
    ) -> CustomResourceDefinition:
        """
        Return the CRD of a *manifest* derived from this one's; unchanged parts keep their place in the file, and webhooks stay.

        Args:
            manifest: A JSON value; the caller must not change it afterwards.
            written: The manifest and file that the new CRD reports as its source; None for none.

        Raises:
            CrdError: As for `from_manifest`.
        """
        version_profile, before, locate = self._answers.profile, self.declared, self.locate
        decoded = crdanswers.decoded(manifest, version_profile, self.source)

        def locate_origin(steps: Steps, offset: int | None) -> str:
            origin = origins.find_origin(before, decoded.value, steps)
            return "" if origin is None or locate is None else locate(origin, offset)

        context = CrdContext(
            self.observer, self.source, locate and locate_origin, written, webhooks=self._context.webhooks
        )
        return type(self)(CrdAnswers(decoded, version_profile, context.locate), context)

    def __getstate__(self) -> dict[str, object]:
        """Return the picklable attributes: no cached answers and no file."""
        return pickling.get_state(self)

    def __repr__(self) -> str:
        versions = ", ".join(version.name for version in self.versions)
        return f"<CustomResourceDefinition {self.name} ({versions}){f' from {self.source}' if self.source else ''}>"
