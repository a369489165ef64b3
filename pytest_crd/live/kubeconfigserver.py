"""A server from a context of a kubeconfig, through the official client: certificates, tokens and exec plugins."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from pytest_crd import folders
from pytest_crd.live.transport import PATIENCE, NoAnswerError, Transport
from pytest_crd.webhooks.httptransport import Reply


class KubeconfigError(Exception):
    """A kubeconfig names no usable server; the message has a remedy."""


class _OfficialClient:
    """Transport with the credentials of an ApiClient."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self.address: str = api.configuration.host.rstrip("/")
        self.is_trusted_blindly = self.address.startswith("https:") and not api.configuration.verify_ssl
        if self.is_trusted_blindly:
            _hush(api.rest_client.pool_manager)

    def send(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        """Send one request; see `Transport.send`."""
        errors: Any = importlib.import_module("urllib3.exceptions")  # a dependency of the client
        # This call runs an exec plugin again if its token has expired; certificates belong to the pool.
        settings = self._api.configuration.auth_settings().values()
        sent = {**headers, **{entry["key"]: entry["value"] for entry in settings if entry["in"] == "header"}}
        try:
            # Not through the client's own call: it writes JSON otherwise than kubectl, and the server quotes bodies in messages.
            reply = self._api.rest_client.pool_manager.request(
                method, f"{self.address}{url}", body=data, headers=sent, timeout=PATIENCE, retries=False, redirect=False
            )
        except errors.HTTPError as error:
            raise NoAnswerError(f"{method} {self.address}{url}: {error}") from None
        return Reply(reply.status, tuple(reply.headers.iteritems()), reply.data)

    def close(self) -> None:
        """Close the connections."""
        self._api.close()
        self._api.rest_client.pool_manager.clear()


def _hush(manager: Any) -> None:
    """
    Silence the warnings of a pool manager about a certificate that is not verified.

    Each request would warn, and fail if warnings are errors; the kubeconfig asks for no verification, and the header says so.
    """
    pools: Any = importlib.import_module("urllib3.connectionpool")

    def connect(self: Any) -> None:
        pools.HTTPSConnection.connect(self)
        self.is_verified = True  # only the warning depends on it

    connection = type("_Connection", (pools.HTTPSConnection,), {"connect": connect})
    pool = type("_Pool", (pools.HTTPSConnectionPool,), {"ConnectionCls": connection})
    manager.pool_classes_by_scheme = {**manager.pool_classes_by_scheme, "https": pool}


def _contexts(path: Path) -> list[str]:
    """Return the names of the contexts; the official client would demand a current context."""
    try:
        content = yaml.safe_load(folders.read_file(path))
        return [str(entry["name"]) for entry in content["contexts"]]
    except (yaml.YAMLError, KeyError, TypeError):
        raise KubeconfigError(f"{path}: not a kubeconfig, which has a list of contexts") from None


def transport(path: Path, context: str | None) -> Transport:
    """
    Return the transport to the server of a context.

    Raises:
        KubeconfigError: The client is not installed, the context is missing or unknown, or the file cannot be read.
    """
    try:
        config: Any = importlib.import_module("kubernetes.config")  # an extra
    except ImportError:
        message = "a kubeconfig needs the Kubernetes client: pip install 'pytest-crd[live]'; a URL does without"
        raise KubeconfigError(message) from None
    try:
        contexts = _contexts(path)
        if context is None:
            raise KubeconfigError(f"{path}: name the context with --crd-live-context: {', '.join(contexts)}")
        if context not in contexts:
            raise KubeconfigError(f"{path}: no context {context!r}; there are {', '.join(contexts)}")
        return _OfficialClient(config.new_client_from_config(str(path), context=context))
    except config.ConfigException as error:
        raise KubeconfigError(f"{path}: {error}") from None
