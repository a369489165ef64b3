"""The server of the command line: a URL that needs no credentials, or a context of a kubeconfig."""

from __future__ import annotations

import importlib
import shlex
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from pytest_crd import folders
from pytest_crd.engine import profile
from pytest_crd.live import client
from pytest_crd.live.run import Target
from pytest_crd.live.transport import HTTP, PATIENCE, NoAnswerError, Transport
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


def _open_context(path: Path, context: str | None) -> Transport:
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


class UsageProblemError(Exception):
    """Mistake on the command line; the message has a remedy."""


def connect(location: str, context: str | None, *, base: Path) -> Target:
    """
    Connect to the server, read its version, and return it.

    Args:
        location: A URL, or the path of a kubeconfig.
        context: The context of the kubeconfig; None if unset.
        base: The folder of a relative path.

    Raises:
        UsageProblemError: The server does not answer, or its version is unknown.
    """
    if urllib.parse.urlsplit(location).scheme in ("http", "https"):
        transport, command = _of_url(location, context)
    else:
        transport, command = _of_kubeconfig(base / Path(location).expanduser(), context)
    server = client.Server(transport)
    try:
        answer = server.ask("GET", "/version")
    except NoAnswerError as error:
        server.close()
        raise UsageProblemError(str(error)) from None
    info = answer.body if isinstance(answer.body, dict) else {}
    if answer.code != 200 or "major" not in info:
        server.close()
        raise UsageProblemError(f"{server.address} does not say its version: {answer.code} {answer.message}")
    version = f"{info.get('major', '')}.{str(info.get('minor', '')).rstrip('+')}"
    try:
        known_version = profile.named(version).version
    except profile.UnknownVersionError as error:
        server.close()
        raise UsageProblemError(f"{server.address}: {error}") from None
    return Target(server, known_version, str(info.get("gitVersion", "")), command)


def _of_url(url: str, context: str | None) -> tuple[Transport, str]:
    parts = urllib.parse.urlsplit(url)
    if context is not None:
        raise UsageProblemError(
            "--crd-live-context: a URL has no contexts; name a kubeconfig, or leave the context out"
        )
    if parts.username or parts.password or parts.query or parts.fragment or not parts.hostname:
        raise UsageProblemError(
            f"{_redact(parts)}: write http://HOST:PORT, as `kubectl proxy` prints it; a kubeconfig has users"
        )
    return HTTP(url), f"kubectl --server {shlex.quote(url)}"


def _redact(parts: urllib.parse.SplitResult) -> str:
    """Return a URL without parts that may hold a password."""
    return f"{parts.scheme}://{parts.hostname or ''}…"


def _of_kubeconfig(path: Path, context: str | None) -> tuple[Transport, str]:
    if not path.is_file():
        raise UsageProblemError(f"{path}: neither a URL (http://…) nor the file of a kubeconfig")
    try:
        transport = _open_context(path, context)
    except KubeconfigError as error:
        raise UsageProblemError(str(error)) from None
    command = f"kubectl --kubeconfig {shlex.quote(str(path))} --context {shlex.quote(context or '')}"
    return transport, command
