"""
Answers of one Kubernetes version about the manifest of a CRD.

The manifest is read and compiled once. CRDs that differ only in guard or observer share the answers.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.api.context import Webhooks
from pytest_crd.engine.api.versionschema import VersionSchema
from pytest_crd.engine.crds import crdforms, declared, internal
from pytest_crd.engine.crds.crdforms import Forms
from pytest_crd.engine.crds.decoded import decode_crd
from pytest_crd.engine.crds.nameconflicts import Naming
from pytest_crd.engine.errors.origin import Locate, Steps
from pytest_crd.engine.golang.decoding import Decoded, DecodeError
from pytest_crd.engine.inputerror import CrdError, Mistake, WrongTypeError
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.request import Request

if TYPE_CHECKING:
    from pytest_crd.engine.api import pickling
    from pytest_crd.engine.crds import conditions
    from pytest_crd.engine.crds.condition import Condition
    from pytest_crd.engine.registry import requestbody
    from pytest_crd.engine.registry import response as responses
    from pytest_crd.engine.registry.conversion import VersionConverter
    from pytest_crd.engine.registry.customresource import (
        CustomResourceStrategy,
    )  # slow to import, and only requests need it
    from pytest_crd.engine.registry.requestbody import Body, FieldValidation
    from pytest_crd.engine.registry.response import Response
else:
    conditions = lazyimport.module("pytest_crd.engine.crds.conditions")
    pickling = lazyimport.module("pytest_crd.engine.api.pickling")
    requestbody = lazyimport.module("pytest_crd.engine.registry.requestbody")
    responses = lazyimport.module("pytest_crd.engine.registry.response")


class CrdAnswers:
    """
    Answers about one manifest.

    Attributes:
        manifest: The decoded manifest.
        profile: The Kubernetes version.
        forms: The decoded, defaulted and internal forms of the manifest; every answer is computed from them.
        spec: The CRD's declarations.
        schemas: The schema of each version, in the order of the manifest.
    """

    def __init__(self, manifest: Decoded, profile: Profile, locate: Locate | None, forms: Forms | None = None) -> None:
        """
        Build all forms of the manifest.

        Args:
            manifest: The decoded manifest.
            profile: The Kubernetes version.
            locate: Returns the place of a path in the manifest; None if the manifest was not read from a file.
            forms: The forms of the manifest, if they are known.
        """
        self.profile = profile
        self._locate = locate
        self.manifest = manifest
        self.forms = forms or crdforms.build(manifest, self.profile)
        self.spec = internal.declared(self.forms.internal)
        self.schemas = tuple(
            VersionSchema(self.spec, version, self.profile, _in_version(manifest, version.name, self._locate))
            for version in self.spec.versions
        )

    @cached_property
    def created(self) -> Response:
        """Shared answer to a POST with `fieldValidation=Warn`; callers must not change it."""
        return self._create("Warn")

    def create(self, field_validation: FieldValidation) -> Response:
        """Return the answer to a POST. It may be shared, so callers must not change it."""
        # Field validation affects unknown and repeated fields only.
        is_clean = not self.manifest.unknown and not self.manifest.duplicates
        return self.created if is_clean else self._create(field_validation)

    def unknown_when_stored(self, version: str) -> str:
        """Return why the stored form of objects of *version* is unknown; empty if conversion does not hide it."""
        storage = next((spec.name for spec in self.spec.versions if spec.storage), version)
        if storage == version or not self.spec.converts_by_webhook:
            return ""
        return f"a webhook converts {version} to {storage} and does not run here: the stored object and its lost fields are unknown"

    def _create(self, field_validation: FieldValidation) -> Response:
        request = Request("create", self._body(), field_validation=field_validation)
        return handle(None, request, self.profile, self._api_version, sent=self)

    def update(self, stored: CrdAnswers, field_validation: FieldValidation) -> Response:
        """Return the answer to a PUT over the CRD *stored*; uid and resourceVersion of the manifest are ignored."""
        live = stored.answered
        metadata = {key: value for key, value in (self.manifest.value.get("metadata") or {}).items() if key != "uid"}
        body = self._body({**metadata, "resourceVersion": live["metadata"]["resourceVersion"]})
        request = Request("update", body, live["metadata"].get("name", ""), field_validation=field_validation)
        return handle(live, request, self.profile, self._api_version, stored=stored, sent=self)

    @property
    def answered(self) -> JSONObject:
        """The stored CRD as a GET returns it."""
        from pytest_crd.engine.registry import crd  # noqa: PLC0415 - slow to import, and only this answer needs it

        return crd.as_answered(self.forms, self.profile)

    def established(self, naming: Naming) -> JSONObject:
        """Return the stored CRD as a GET returns it after the controllers have set its status under *naming*."""
        answered = self.answered
        now = answered["metadata"]["creationTimestamp"]
        in_order = sorted(self.conditions(naming), key=lambda condition: condition.type != "NamesAccepted")
        conditions = [
            {
                "type": condition.type,
                "status": condition.status,
                "lastTransitionTime": now,
                "reason": condition.reason,
                "message": condition.message,
            }
            for condition in in_order
        ]
        names = (
            answered["spec"]["names"]
            if naming.is_accepted
            else {**answered["status"]["acceptedNames"], **naming.accepted}
        )
        return {**answered, "status": {**answered["status"], "conditions": conditions, "acceptedNames": names}}

    @property
    def _api_version(self) -> str:
        return str(self.manifest.value["apiVersion"])

    def _body(self, metadata: JSONObject | None = None) -> Body:
        """Return the manifest as a request body; *metadata* replaces its own if passed."""
        value = self.manifest.value if metadata is None else {**self.manifest.value, "metadata": metadata}
        return requestbody.Body(value, duplicates=self.manifest.duplicates)

    def conditions(self, naming: Naming) -> tuple[Condition, ...]:
        """Return the conditions of the stored CRD under *naming*."""
        return conditions.compute(self.forms.internal, self.profile, naming)

    def is_established(self, naming: Naming) -> bool:
        """Return whether the server serves the CRD under *naming*."""
        return any(
            condition.type == "Established" and condition.status == "True" for condition in self.conditions(naming)
        )

    def converter(self, webhooks: Webhooks | None) -> VersionConverter | None:
        """Return the conversion webhook of the CRD; None if it has none, or if it cannot be called."""
        if webhooks is None or not self.spec.converts_by_webhook:
            return None
        if webhooks not in self._converters:
            self._converters[webhooks] = webhooks.converter(
                self.spec, self.forms.internal.spec.get("conversion") or {}, self.profile
            )
        return self._converters[webhooks]

    def strategy(self, version: VersionSchema, converter: VersionConverter | None = None) -> CustomResourceStrategy:
        """
        Return the strategy for the custom resources of a version.

        Args:
            version: The version.
            converter: The conversion webhook; None if the CRD has none, or if it cannot be called.

        Raises:
            UnsupportedConstructError: The server serves no custom resources under this schema.
        """
        from pytest_crd.engine.registry import customresource  # noqa: PLC0415 - as above

        key = version, converter
        if key not in self._strategies:
            versions = [schema.as_served for schema in self.schemas]
            requested = customresource.RequestedVersion(self.spec, version.as_served, versions, self.profile, converter)
            self._strategies[key] = customresource.CustomResourceStrategy(requested)
        return self._strategies[key]

    @cached_property
    def _strategies(self) -> dict[tuple[VersionSchema, VersionConverter | None], CustomResourceStrategy]:
        return {}

    @cached_property
    def _converters(self) -> dict[Webhooks, VersionConverter | None]:
        return {}

    def place_of(self, steps: Steps, offset: int | None) -> str:
        """Return `file:line` of a path in the internal form; empty if the manifest was not read from a file."""
        return "" if self._locate is None else self._locate(declared.place_in(self.manifest.value, steps), offset)

    def __getstate__(self) -> dict[str, object]:
        """Return the picklable attributes: no cached answers and no file."""
        return {**pickling.get_state(self), "_locate": None}


def decoded(manifest: JSONValue, profile: Profile, source: str) -> Decoded:
    """
    Return *manifest* as the server decodes it.

    Raises:
        CrdError: The manifest is not a CRD, or the server cannot decode it.
    """
    if not declared.is_crd(manifest):
        message = f"not a CustomResourceDefinition of {declared.V1} or {declared.V1BETA1}"
        raise CrdError([Mistake(source or "the manifest", 0, message)])
    try:
        return decode_crd(manifest, whole_paths=profile.names_fields_of_nested_schemas)
    except DecodeError as error:
        raise CrdError([Mistake(source or "the manifest", 0, str(error))]) from None


def stored_after(response: Response | None, profile: Profile) -> CrdAnswers | None:
    """
    Return the answers of the CRD that a request has stored; None without a response.

    Raises:
        TypeError: It is not a response, or the request stored no CRD.
    """
    untyped: object = response
    if untyped is None:
        return None
    if not isinstance(untyped, responses.Response):
        raise WrongTypeError(f"what is stored is a CustomResourceDefinition or an answer, not {type(untyped).__name__}")
    if untyped.whole is None:
        raise WrongTypeError(f"nothing is known to be stored after {untyped}")
    return CrdAnswers(decoded(jsonvalue.from_python(untyped.whole.value), profile, ""), profile, None)


def handle(  # noqa: PLR0913 - a request, and the CRDs that are compiled already
    live: JSONObject | None,
    request: Request,
    profile: Profile,
    api_version: str,
    *,
    stored: CrdAnswers | None = None,
    sent: CrdAnswers | None = None,
) -> Response:
    """
    Return the response to a request for a CRD.

    Args:
        live: The stored CRD as a GET returns it; None if there is none.
        request: The request.
        profile: The Kubernetes version.
        api_version: The API version in the URL.
        stored: The stored CRD; None if there is none.
        sent: The CRD in the body, if it is compiled already; its file has the places of errors.
    """
    from pytest_crd.engine.registry import crd, handlers  # noqa: PLC0415 - slow to import, and only requests need it

    forms, sent_forms = (None if answers is None else answers.forms for answers in (stored, sent))
    strategy = crd.CrdStrategy(profile, api_version, sent=sent_forms, stored=forms)
    response = handlers.handle(live, request, strategy).response
    return response if sent is None else response.located(sent.place_of)


def _in_version(manifest: Decoded, version: str, locate: Locate | None) -> Locate | None:
    """Return a locator for paths in the schema of *version*; None if the manifest was not read from a file."""
    if locate is None:
        return None

    def place_of(steps: Steps, offset: int | None) -> str:
        return locate((*declared.place_of_schema(manifest.value, version), *steps), offset)

    return place_of
