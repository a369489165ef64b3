"""The webhooks of a project as the engine calls them."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Mapping
from typing import Any

from pytest_crd.admission.chain import AdmissionChain
from pytest_crd.engine.api.context import NamespaceOf
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.crds.internalspec import Conversion
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.webhooks import configurations, webhookurls
from pytest_crd.webhooks.chain import WebhookPlugin
from pytest_crd.webhooks.configurations import Configurations, Webhook
from pytest_crd.webhooks.conversionreview import WebhookConverter
from pytest_crd.webhooks.project import ProjectWebhooks, Role
from pytest_crd.webhooks.transport import WebhookTransport


class CalledWebhooks:
    """The webhooks of a project, for the CRDs of a session and the servers of its tests."""

    def __init__(self, project: ProjectWebhooks) -> None:
        """Create from the endpoints of a project."""
        self._project = project
        self._configurations = functools.cache(self._read)

    def admission(self, profile: Profile, namespace_of: NamespaceOf | None = None) -> AdmissionChain | None:
        """
        Return a chain with the admission webhooks; None if the project has none.

        Args:
            profile: The Kubernetes version.
            namespace_of: Returns the Namespace with a name; None for namespaces with the label of their name alone.

        Raises:
            InputError: The mistakes in the configurations.
        """
        plugin = self.plugin(profile, namespace_of or labelled)
        return None if plugin is None else AdmissionChain((plugin,))

    def plugin(self, profile: Profile, namespace_of: NamespaceOf) -> WebhookPlugin | None:
        """
        Return the admission plugin of the webhooks; None if the project has none.

        Args:
            profile: The Kubernetes version.
            namespace_of: Returns the Namespace with a name.

        Raises:
            InputError: The mistakes in the configurations.
        """
        read = self._configurations(profile)
        if not read.mutating and not read.validating:
            return None

        def transport_of(webhook: Webhook) -> tuple[WebhookTransport, str] | None:
            return self._reach(webhook.name, webhook.client_config, "admission", profile)

        return WebhookPlugin(read, transport_of, namespace_of, _new_uid, profile)

    def converter(self, crd: CrdSpec, conversion: Conversion, profile: Profile) -> WebhookConverter | None:
        """
        Return the conversion webhook of a CRD; None without an endpoint.

        Args:
            crd: The CRD; its strategy is `Webhook`.
            conversion: Its `conversion`, with `webhookClientConfig` and `conversionReviewVersions`.
            profile: The Kubernetes version.
        """
        reached = self._reach(crd.name, conversion.get("webhookClientConfig") or {}, "conversion", profile)
        review_versions = tuple(conversion.get("conversionReviewVersions") or ())
        return None if reached is None else WebhookConverter(review_versions, *reached, _new_uid, profile)

    def _read(self, profile: Profile) -> Configurations:
        return configurations.read(self._project.configurations, profile)

    def _reach(
        self, name: str, client_config: Mapping[str, Any], role: Role, profile: Profile
    ) -> tuple[WebhookTransport, str] | None:
        """Return the transport to a webhook, and its URL as the server spells it; None without an endpoint."""
        transport = self._project.transport_of(name, client_config, role)
        return None if transport is None else (transport, webhookurls.server_url(client_config, profile))


def _new_uid() -> str:
    return str(uuid.uuid4())


def labelled(name: str) -> JSONObject:
    """Return a Namespace with the label that the server sets."""
    metadata = {"name": name, "labels": {"kubernetes.io/metadata.name": name}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
