"""The server that the command line names: a URL that answers without credentials, or a context of a kubeconfig."""

from __future__ import annotations

import shlex
import urllib.parse
from pathlib import Path

from pytest_crd.engine import profile
from pytest_crd.live import client
from pytest_crd.live.run import Target
from pytest_crd.live.transport import HTTP, NoAnswerError, Transport


class UsageProblemError(Exception):
    """What is wrong with what the command line says, and what to write instead."""


def connect(named: str, context: str | None, *, base: Path) -> Target:
    """
    Return the server, which has said its version.

    Args:
        named: A URL, or the path of a kubeconfig.
        context: The context of the kubeconfig; None where none is named.
        base: What a relative path is relative to.

    Raises:
        UsageProblemError: It is not there, or no version that is known.
    """
    if urllib.parse.urlsplit(named).scheme in ("http", "https"):
        transport, command = _of_url(named, context)
    else:
        transport, command = _of_kubeconfig(base / Path(named).expanduser(), context)
    server = client.Server(transport)
    try:
        answer = server.ask("GET", "/version")
    except NoAnswerError as error:
        server.close()
        raise UsageProblemError(str(error)) from None
    stated = answer.body if isinstance(answer.body, dict) else {}
    if answer.code != 200 or "major" not in stated:
        server.close()
        raise UsageProblemError(f"{server.address} does not say its version: {answer.code} {answer.message}")
    version = f"{stated.get('major', '')}.{str(stated.get('minor', '')).rstrip('+')}"
    try:
        known = profile.named(version).version
    except profile.UnknownVersionError as error:
        server.close()
        raise UsageProblemError(f"{server.address}: {error}") from None
    return Target(server, known, str(stated.get("gitVersion", "")), command)


def _of_url(url: str, context: str | None) -> tuple[Transport, str]:
    parts = urllib.parse.urlsplit(url)
    if context is not None:
        raise UsageProblemError(
            "--crd-live-context: a URL has no contexts; name a kubeconfig, or leave the context out"
        )
    if parts.username or parts.password or parts.query or parts.fragment or not parts.hostname:
        raise UsageProblemError(
            f"{_shown(parts)}: write http://HOST:PORT, as `kubectl proxy` prints it; a kubeconfig has users"
        )
    return HTTP(url), f"kubectl --server {shlex.quote(url)}"


def _shown(parts: urllib.parse.SplitResult) -> str:
    """Return a URL without what may be a password."""
    return f"{parts.scheme}://{parts.hostname or ''}…"


def _of_kubeconfig(path: Path, context: str | None) -> tuple[Transport, str]:
    from pytest_crd.live import kubeconfigserver  # noqa: PLC0415 - who names a URL needs no other client

    if not path.is_file():
        raise UsageProblemError(f"{path}: neither a URL (http://…) nor the file of a kubeconfig")
    try:
        transport = kubeconfigserver.transport(path, context)
    except kubeconfigserver.KubeconfigError as error:
        raise UsageProblemError(str(error)) from None
    command = f"kubectl --kubeconfig {shlex.quote(str(path))} --context {shlex.quote(context or '')}"
    return transport, command
