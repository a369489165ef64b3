"""A server by a context of a kubeconfig, through the official client: certificates, tokens, exec plugins."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from pytest_crd.live.transport import PATIENCE, NoAnswerError, Reply, Transport


class KubeconfigError(Exception):
    """No server follows from a kubeconfig; the message says what to do."""


class _OfficialClient:
    """Sends requests with the credentials of an ApiClient."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self.address: str = api.configuration.host.rstrip("/")
        self.is_trusted_blindly = self.address.startswith("https:") and not api.configuration.verify_ssl
        if self.is_trusted_blindly:
            _hush(api.rest_client.pool_manager)

    def send(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        """Send one request, as `Transport.send` says."""
        errors: Any = importlib.import_module("urllib3.exceptions")  # which comes with the client
        # Which runs an exec plugin again whose token has expired; certificates are the pool's.
        settings = self._api.configuration.auth_settings().values()
        sent = {**headers, **{one["key"]: one["value"] for one in settings if one["in"] == "header"}}
        try:
            # Not through the client's own call, which writes JSON otherwise than kubectl: the server quotes what it was sent.
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
    Let the connections of a pool manager say nothing of a certificate that is not verified.

    Each request would warn, and where warnings are errors, none would be answered: the kubeconfig asks for it, and the header says so.
    """
    pools: Any = importlib.import_module("urllib3.connectionpool")

    def connect(self: Any) -> None:
        pools.HTTPSConnection.connect(self)
        self.is_verified = True  # of which nothing but the warning depends

    connection = type("_Connection", (pools.HTTPSConnection,), {"connect": connect})
    pool = type("_Pool", (pools.HTTPSConnectionPool,), {"ConnectionCls": connection})
    manager.pool_classes_by_scheme = {**manager.pool_classes_by_scheme, "https": pool}


def _contexts(path: Path) -> list[str]:
    """Return the names of the contexts; not through the client, which demands that one of them is the current one."""
    try:
        content = yaml.safe_load(path.read_bytes())
        return [str(one["name"]) for one in content["contexts"]]
    except (yaml.YAMLError, KeyError, TypeError):
        raise KubeconfigError(f"{path}: not a kubeconfig, which has a list of contexts") from None


def transport(path: Path, context: str | None) -> Transport:
    """
    Return who asks the server of a context.

    Raises:
        KubeconfigError: The client is not installed, the context is not named or not there, or the file cannot be read.
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
