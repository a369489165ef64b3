"""The server of the command line: a URL that needs no credentials, or a context of a kubeconfig."""

from __future__ import annotations

import shlex
import urllib.parse
from pathlib import Path

from pytest_crd.engine import profile
from pytest_crd.live import client, kubeconfigserver
from pytest_crd.live.run import Target
from pytest_crd.live.transport import HTTP, NoAnswerError, Transport


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
        transport = kubeconfigserver.transport(path, context)
    except kubeconfigserver.KubeconfigError as error:
        raise UsageProblemError(str(error)) from None
    command = f"kubectl --kubeconfig {shlex.quote(str(path))} --context {shlex.quote(context or '')}"
    return transport, command
