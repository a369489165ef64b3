"""
The webhooks of a server: from the project, and from objects that clients create on the server.

The project's webhooks come first. A stored configuration replaces a configuration of the project with the same kind and name.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import ssl
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.admission.chain import AdmissionPlugin, Reinvocation
from pytest_crd.admission.matching import matchcriteria
from pytest_crd.engine.api.context import NamespaceOf, Webhooks
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.crds.internalspec import Conversion
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.golang import urls
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.registry.conversion import VersionConverter
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.yaml import manifest
from pytest_crd.webhooks import configurations, webhookurls
from pytest_crd.webhooks.chain import UnknownTransportError, WebhookPlugin
from pytest_crd.webhooks.configurations import Configurations, Webhook
from pytest_crd.webhooks.configurationtypes import MUTATING
from pytest_crd.webhooks.conversionreview import WebhookConverter
from pytest_crd.webhooks.httptransport import HttpTransport
from pytest_crd.webhooks.transport import WebhookTransport

# Returns the stored configurations; an unchanged configuration is the same object.
ReadStored: TypeAlias = Callable[[], Sequence[Resource]]
_LOCALHOST: Final = "localhost"
_FOREIGN: Final = (
    "pytest-crd does not call {which} at {url}: it calls the webhooks of stored objects on loopback only; "
    "set clientConfig.url to a URL on 127.0.0.1, as envtest does, or name an endpoint in crd_webhooks"
)
_WRONG_BUNDLE: Final = "pytest-crd does not call {which}: its caBundle has no certificates in PEM"


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

    def plugin(self, profile: Profile, namespace_of: NamespaceOf) -> StoredWebhookPlugin:
        """
        Return the admission plugin.

        Args:
            profile: The Kubernetes version.
            namespace_of: Returns the Namespace with a name.
        """
        chain = None if self._project is None else self._project.admission(profile, namespace_of)
        return StoredWebhookPlugin(
            () if chain is None else chain.plugins, self._read_stored, self._transports, namespace_of, profile
        )

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


class StoredWebhookPlugin:
    """
    The admission plugin for the webhooks of the project, then the webhooks of stored configurations.

    The server calls all of them in the order of the names of their configurations.
    """

    def __init__(
        self,
        project: tuple[AdmissionPlugin, ...],
        read_stored: ReadStored,
        transports: LoopbackTransports,
        namespace_of: NamespaceOf,
        profile: Profile,
    ) -> None:
        """
        Create for a server.

        Args:
            project: The plugins of the project.
            read_stored: Returns the stored webhook configurations.
            transports: The transports to their webhooks.
            namespace_of: Returns the Namespace with a name.
            profile: The Kubernetes version.
        """
        self._project, self._read_stored, self._transports = project, read_stored, transports
        self._namespace_of, self._profile = namespace_of, profile
        self._values: Sequence[Resource] = ()
        self._plugins = project

    def mutate(self, request: AdmissionRequest, reinvocation: Reinvocation, warnings: list[str]) -> Resource | None:
        """
        Return the object after the mutating webhooks.

        Raises:
            RefusedError: A webhook denies the request, or cannot be called.
        """
        current = request.object
        for plugin in self._plugins_for(request):
            current = plugin.mutate(request._replace(object=current), reinvocation, warnings)
        return current

    def validate(self, request: AdmissionRequest, warnings: list[str]) -> None:
        """
        Call the validating webhooks.

        Raises:
            RefusedError: A webhook denies the request, or cannot be called.
        """
        for plugin in self._plugins_for(request):
            plugin.validate(request, warnings)

    def has_any(self) -> bool:
        """Return whether there are webhooks of the project or stored configurations."""
        return bool(self._project) or bool(self._read_stored())

    def _plugins_for(self, request: AdmissionRequest) -> tuple[AdmissionPlugin, ...]:
        """Return the admission plugins that see a request: none for configurations, so that a wrong one can be removed."""
        return () if matchcriteria.is_exempt(request) else self._current()

    def _current(self) -> tuple[AdmissionPlugin, ...]:
        """Return the admission plugins, read anew if a configuration has changed."""
        values = self._read_stored()
        if values is self._values:
            return self._plugins
        if len(values) != len(self._values) or any(
            new is not old for new, old in zip(values, self._values, strict=True)
        ):
            self._plugins, self._values = tuple(self._read(values)), values
        return self._plugins

    def _read(self, values: Sequence[Resource]) -> Iterator[AdmissionPlugin]:
        manifests = [
            read
            for value in values
            for read in manifest.read(json.dumps(value).encode(), source=f"the stored {value['kind']}")
        ]
        stored = configurations.read(manifests, self._profile)
        for plugin in self._project:
            if isinstance(plugin, WebhookPlugin):
                yield plugin._replace(configurations=_without(plugin.configurations, values))
            else:
                yield plugin
        yield _Stored(WebhookPlugin(stored, self._transport_of, self._namespace_of, _new_uid, self._profile))

    def _transport_of(self, webhook: Webhook) -> tuple[WebhookTransport, str]:
        """
        Return the transport to a webhook of a stored configuration, and its URL: the endpoint that the project names, else its URL on loopback.

        Raises:
            RefusedError: It is on another host.
        """
        called = (plugin for plugin in self._project if isinstance(plugin, WebhookPlugin))
        named = next((transport for plugin in called if (transport := plugin.transport_of(webhook))), None)
        return named or self._transports.reach(f"the webhook {webhook.name}", webhook.client_config, self._profile)


class _Stored(NamedTuple):
    """The plugin of stored configurations; a webhook that is not reached is an answer of the server."""

    plugin: WebhookPlugin

    def mutate(self, request: AdmissionRequest, reinvocation: Reinvocation, warnings: list[str]) -> Resource | None:
        try:
            return self.plugin.mutate(request, reinvocation, warnings)
        except UnknownTransportError as error:
            raise RefusedError(refusal.internal_error(str(error))) from None

    def validate(self, request: AdmissionRequest, warnings: list[str]) -> None:
        try:
            self.plugin.validate(request, warnings)
        except UnknownTransportError as error:
            raise RefusedError(refusal.internal_error(str(error))) from None


def _without(project: Configurations, stored: Sequence[Resource]) -> Configurations:
    """Return the webhooks of the project that no stored configuration replaces."""
    replaced = {(value["kind"] == MUTATING, value["metadata"]["name"]) for value in stored}
    return Configurations(
        tuple(webhook for webhook in project.mutating if (True, webhook.configuration) not in replaced),
        tuple(webhook for webhook in project.validating if (False, webhook.configuration) not in replaced),
    )


def _new_uid() -> str:
    return str(uuid.uuid4())


class LoopbackTransports:
    """The transports to webhooks on loopback, for one server."""

    def __init__(self) -> None:
        """Start without connections."""
        self._transports: dict[tuple[str, str], HttpTransport] = {}

    def reach(self, which: str, client_config: JSONObject, profile: Profile) -> tuple[WebhookTransport, str]:
        """
        Return the transport to a webhook, and its URL as the server spells it.

        Args:
            which: The webhook, for messages: `the webhook v.example.com`.
            client_config: Its valid `clientConfig`.
            profile: The Kubernetes version.

        Raises:
            RefusedError: It is a Service or on another host, or its `caBundle` has no certificates.
        """
        url = webhookurls.server_url(client_config, profile)
        if not is_loopback(client_config):
            raise RefusedError(refusal.internal_error(_FOREIGN.format(which=which, url=url)))
        try:
            authority = base64.b64decode(str(client_config.get("caBundle") or "")).decode("ascii").strip()
            key = (f"https://{webhookurls.split(url)[0]}", authority)
            if key not in self._transports:
                self._transports[key] = HttpTransport(key[0], authority=authority)
        except (binascii.Error, UnicodeDecodeError, ssl.SSLError):
            raise RefusedError(refusal.internal_error(_WRONG_BUNDLE.format(which=which))) from None
        return self._transports[key], url

    def close(self) -> None:
        """Close the open connections."""
        for transport in self._transports.values():
            transport.close()
        self._transports.clear()


def is_loopback(client_config: JSONObject) -> bool:
    """Return whether a valid `clientConfig` has a URL on loopback."""
    host = urls.split_host(urls.parse(client_config.get("url") or "", strict_colons=False).host)[0].lower()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == _LOCALHOST
    return address.is_loopback and "%" not in host
