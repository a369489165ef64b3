"""
The webhooks of a server: from the project, and from objects that clients create on the server.

The project's webhooks come first. A stored configuration replaces a configuration of the project with the same kind and name.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from pytest_crd.engine.api.context import NamespaceOf, Webhooks
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.crds.internalspec import Conversion
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import Admission, AdmissionRequest, Admitted
from pytest_crd.engine.registry.conversion import VersionConverter
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.yaml import manifest
from pytest_crd.webhooks import configurations
from pytest_crd.webhooks.calledwebhooks import labelled
from pytest_crd.webhooks.chain import UnknownTransportError, WebhookAdmission
from pytest_crd.webhooks.configurations import Configurations, Webhook
from pytest_crd.webhooks.configurationtypes import MUTATING
from pytest_crd.webhooks.conversionreview import WebhookConverter
from pytest_crd.webhooks.loopback import LoopbackTransports, is_loopback
from pytest_crd.webhooks.transport import WebhookTransport

# Returns the stored configurations; an unchanged configuration is the same object.
ReadStored: TypeAlias = Callable[[], Sequence[Resource]]


class StoredWebhooks:
    """The webhooks of a project and of the objects on one server."""

    def __init__(self, project: Webhooks | None, read_stored: ReadStored) -> None:
        """
        Create for a server.

        Args:
            project: The webhooks of the project; None without any.
            read_stored: Returns the stored webhook configurations.
        """
        self._project, self._read_stored = project, read_stored
        self._transports = LoopbackTransports()

    def admission(self, profile: Profile, namespace_of: NamespaceOf | None = None) -> StoredAdmission:
        """
        Return the admission plugins.

        Args:
            profile: The Kubernetes version.
            namespace_of: Returns the Namespace with a name; None for namespaces with the label of their name alone.
        """
        namespace_of = namespace_of or labelled
        project = None if self._project is None else self._project.admission(profile, namespace_of)
        return StoredAdmission(project, self._read_stored, self._transports, namespace_of, profile)

    def converter(self, crd: CrdSpec, conversion: Conversion, profile: Profile) -> VersionConverter | None:
        """
        Return the conversion webhook of a CRD; None if it has no endpoint in the project and no URL on loopback.

        Args:
            crd: The CRD; its strategy is `Webhook`.
            conversion: Its `conversion`, with `webhookClientConfig` and `conversionReviewVersions`.
            profile: The Kubernetes version.

        Raises:
            RefusedError: Its `caBundle` has no certificates.
        """
        converter = None if self._project is None else self._project.converter(crd, conversion, profile)
        client_config = conversion.get("webhookClientConfig") or {}
        if converter is not None or not is_loopback(client_config):
            return converter
        reached = self._transports.reach(f"the conversion webhook of {crd.name}", client_config, profile)
        return WebhookConverter(tuple(conversion.get("conversionReviewVersions") or ()), *reached, _new_uid, profile)

    def close(self) -> None:
        """Close the connections to webhooks of stored objects."""
        self._transports.close()


class StoredAdmission:
    """
    Admission by the webhooks of the project, then by the webhooks of stored configurations.

    The server calls all of them in the order of the names of their configurations.
    """

    def __init__(
        self,
        project: Admission | None,
        read_stored: ReadStored,
        transports: LoopbackTransports,
        namespace_of: NamespaceOf,
        profile: Profile,
    ) -> None:
        """
        Create for a server.

        Args:
            project: The admission plugins of the project; None without any.
            read_stored: Returns the stored webhook configurations.
            transports: The transports to their webhooks.
            namespace_of: Returns the Namespace with a name.
            profile: The Kubernetes version.
        """
        self._project, self._read_stored, self._transports = project, read_stored, transports
        self._namespace_of, self._profile = namespace_of, profile
        self._values: Sequence[Resource] = ()
        self._plugins: tuple[Admission, ...] = () if project is None else (project,)

    def mutate(self, request: AdmissionRequest) -> Admitted:
        """
        Return the object after the mutating webhooks, and their warnings.

        Raises:
            RefusedError: A webhook denies the request, or cannot be called.
        """
        return _chain(request, [plugins.mutate for plugins in self._current()])

    def validate(self, request: AdmissionRequest) -> Admitted:
        """
        Return the unchanged object, and the warnings of the validating webhooks.

        Raises:
            RefusedError: A webhook denies the request, or cannot be called.
        """
        return _chain(request, [plugins.validate for plugins in self._current()])

    def calls_any(self) -> bool:
        """Return whether there are webhooks of the project or stored configurations."""
        return self._project is not None or bool(self._read_stored())

    def _current(self) -> tuple[Admission, ...]:
        """
        Return the admission plugins, read anew if a configuration has changed.

        Raises:
            RefusedError: A stored configuration is invalid.
        """
        values = self._read_stored()
        if len(values) != len(self._values) or any(
            new is not old for new, old in zip(values, self._values, strict=True)
        ):
            self._plugins, self._values = tuple(self._read(values)), values
        return self._plugins

    def _read(self, values: Sequence[Resource]) -> Iterator[Admission]:
        try:
            manifests = [
                read
                for value in values
                for read in manifest.read(json.dumps(value).encode(), source=f"the stored {value['kind']}")
            ]
            stored = configurations.read(manifests, self._profile)
        except InputError as error:
            raise RefusedError(refusal.internal_error(f"pytest-crd calls no webhook: {error}")) from None
        project = self._project
        if isinstance(project, WebhookAdmission):
            project = project._replace(configurations=_without(project.configurations, values))
        yield from () if project is None else (project,)
        yield _Stored(WebhookAdmission(stored, self._transport_of, self._namespace_of, _new_uid, self._profile))

    def _transport_of(self, webhook: Webhook) -> tuple[WebhookTransport, str]:
        """
        Return the transport to a webhook of a stored configuration, and its URL: the endpoint that the project names, else its URL on loopback.

        Raises:
            RefusedError: It is on another host.
        """
        named = self._project.transport_of(webhook) if isinstance(self._project, WebhookAdmission) else None
        return named or self._transports.reach(f"the webhook {webhook.name}", webhook.client_config, self._profile)


class _Stored(NamedTuple):
    """Admission by the webhooks of stored configurations; a webhook that is not reached is an answer of the server."""

    admission: WebhookAdmission

    def mutate(self, request: AdmissionRequest) -> Admitted:
        try:
            return self.admission.mutate(request)
        except UnknownTransportError as error:
            raise RefusedError(refusal.internal_error(str(error))) from None

    def validate(self, request: AdmissionRequest) -> Admitted:
        try:
            return self.admission.validate(request)
        except UnknownTransportError as error:
            raise RefusedError(refusal.internal_error(str(error))) from None


def _chain(request: AdmissionRequest, steps: Sequence[Callable[[AdmissionRequest], Admitted]]) -> Admitted:
    """
    Return the object after each step, and the warnings of all.

    Raises:
        RefusedError: A step refuses the request.
    """
    current, warnings = request.object, tuple[str, ...]()
    for step in steps:
        try:
            admitted = step(request._replace(object=current))
        except RefusedError as refused:
            raise RefusedError(refused.refusal, warnings=(*warnings, *refused.warnings)) from None
        current, warnings = admitted.object, (*warnings, *admitted.warnings)
    return Admitted(current, warnings)


def _without(project: Configurations, stored: Sequence[Resource]) -> Configurations:
    """Return the webhooks of the project that no stored configuration replaces."""
    replaced = {(value["kind"] == MUTATING, value["metadata"]["name"]) for value in stored}
    return Configurations(
        tuple(webhook for webhook in project.mutating if (True, webhook.configuration) not in replaced),
        tuple(webhook for webhook in project.validating if (False, webhook.configuration) not in replaced),
    )


def _new_uid() -> str:
    return str(uuid.uuid4())
