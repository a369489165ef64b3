"""Webhook servers that a command of the project starts: once a session, at the first review."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import socket
import threading
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_crd.discovery import commands
from pytest_crd.processes import GRACE, ProcessGroup
from pytest_crd.progress import Progress, silent
from pytest_crd.temporaryfolders import TemporaryFolder
from pytest_crd.webhooks import gowords
from pytest_crd.webhooks.httptransport import HttpTransport
from pytest_crd.webhooks.transport import TransportError, WebhookError, WebhookReply

PORT: Final = "CRD_WEBHOOK_PORT"
FOLDER: Final = "CRD_WEBHOOK_CERT_DIR"
PLACEHOLDERS: Final = ("{port}", "{cert_dir}")
_HOST: Final = "127.0.0.1"
_PAUSES: Final = (0.01, 0.1)
_MOST_LINES: Final = 20
_MOST_BYTES: Final = 1 << 16
_PLACEHOLDER: Final = re.compile(r"\{\w+\}")
_NAMES: Final = ("127.0.0.1", "::1", "localhost")
_MISSING: Final = "a command needs the extra `server` for its certificates: pip install 'pytest-crd[server]' ({})"
_PRIVATE: Final = 0o600


def problem_of(command: str) -> str:
    """Return the error in *command* if it cannot be run; else empty."""
    others = [name for name in _PLACEHOLDER.findall(command) if name not in PLACEHOLDERS]
    if others:
        return f"{command!r}: no placeholder is called {others[0]}; there are {' and '.join(PLACEHOLDERS)}"
    return commands.problem_of(command)


class CommandLimits(NamedTuple):
    """
    Time limits of a command.

    Attributes:
        seconds: The time until its server is ready.
        grace: The seconds from SIGTERM to SIGKILL.
        progress: Shows the command while it starts.
    """

    seconds: float = 60
    grace: float = GRACE
    progress: Progress = silent


LIMITS: Final = CommandLimits()


class CommandTransport:
    """
    Transport to a webhook server that a command starts.

    The command starts with the first review. It is ready when it accepts TLS with the certificates of its folder.

    Attributes:
        command: The words of the command.
    """

    def __init__(self, command: str, *, folder: Path, source: str, limits: CommandLimits = LIMITS) -> None:
        """
        Create the transport.

        Args:
            command: The words of the command, quoted as for a shell; no shell is involved. `{port}` and `{cert_dir}` are replaced.
            folder: The working folder.
            source: The place of the setting, for errors.
            limits: Its time limits.
        """
        self.command, self._folder, self._source = command, folder, source
        self._limits = limits
        self._lock = threading.Lock()
        self._group: ProcessGroup | None = None
        self._http: HttpTransport | None = None
        self._own_folder: TemporaryFolder | None = None
        self._error: WebhookError | None = None

    @property
    def output_size(self) -> int:
        """The number of bytes of the command's output; 0 before it starts."""
        return self._log.stat().st_size if self._own_folder else 0

    def read_output(self, start: int = 0) -> str:
        """Return the last lines of the command's output from the byte *start* on; empty before it starts."""
        if not self._own_folder:
            return ""
        with self._log.open("rb") as log:
            log.seek(max(start, self.output_size - _MOST_BYTES))
            return "\n".join(log.read().decode(errors="replace").strip().splitlines()[-_MOST_LINES:])

    @property
    def _log(self) -> Path:
        assert self._own_folder is not None  # noqa: S101 - callers have started the command
        return self._own_folder.path / "output.log"

    def post(self, url: str, body: bytes, timeout: float) -> WebhookReply:
        """
        Send a review to the server, which the first call starts, and return the response.

        Args:
            url: As for `WebhookTransport`.
            body: The review.
            timeout: The time limit in seconds.

        Raises:
            TransportError: There is no response.
            WebhookError: The command cannot be started, is not ready in time, or has ended.
        """
        with self._lock:
            group, server = self._started()
        try:
            return server.post(url, body, timeout)
        except TransportError as error:
            if str(error) == gowords.DEADLINE or group.wait() is None:
                raise
            with self._lock:
                raise self._fail(f"{_ended(group)} while it served a review") from None

    def close(self) -> str:
        """End the command, its children and its connections; return a note if SIGTERM was not enough, else empty."""
        with self._lock:
            is_obedient = self._stop()
            if self._own_folder is not None:
                self._own_folder.remove()
                self._own_folder = None
            note = f"`{self.command}` did not end within {self._limits.grace:g} seconds of SIGTERM, and was killed"
            return "" if is_obedient else f"{self._source}: {note}"

    def _started(self) -> tuple[ProcessGroup, HttpTransport]:
        """
        Return the running server, which the first call starts.

        Raises:
            WebhookError: It cannot be started, is not ready in time, or has ended.
        """
        if self._error is not None:
            raise self._error
        if self._group is None or self._http is None:
            with self._limits.progress("starting webhooks") as show_step:
                show_step(0, 1, f"`{self.command}`")
                self._group, self._http = self._start()
        elif self._group.code is not None:
            raise self._fail(_ended(self._group))
        return self._group, self._http

    def _start(self) -> tuple[ProcessGroup, HttpTransport]:
        self._own_folder = self._own_folder or TemporaryFolder()
        folder = self._own_folder.path
        self._log.touch()
        authority = write_certificates(folder, source=self._source)
        port = _free_port()
        values = dict(zip(PLACEHOLDERS, (str(port), str(folder)), strict=True))
        words = [_PLACEHOLDER.sub(lambda match: values[match[0]], word) for word in shlex.split(self.command)]
        environment = {**os.environ, PORT: str(port), FOLDER: str(folder)}
        try:
            with self._log.open("wb") as output:
                self._group = ProcessGroup(
                    words, folder=self._folder, environment=environment, output=output, grace=self._limits.grace
                )
        except OSError as error:
            raise self._fail(f"cannot be run in {self._folder}: {error.strerror}") from None
        server = HttpTransport(f"https://{_HOST}:{port}", authority=authority, source=self._source)
        self._await_server(self._group, server, port)
        return self._group, server

    def _await_server(self, group: ProcessGroup, server: HttpTransport, port: int) -> None:
        """
        Wait until the server is ready.

        Raises:
            WebhookError: The command ends before that, or takes too long.
        """
        end = time.monotonic() + self._limits.seconds
        pause, longest = _PAUSES
        problem = ""
        while (remaining := end - time.monotonic()) > 0:
            if group.code is not None:
                raise self._fail(f"{_ended(group)} before it accepted TLS on port {port}")
            try:
                return server.check(remaining)
            except TransportError as error:
                problem = str(error)
            time.sleep(pause)
            pause = min(2 * pause, longest)
        advice = f"serve tls.crt and tls.key of {PLACEHOLDERS[1]} (${FOLDER}) on port {PLACEHOLDERS[0]} (${PORT}), or set a longer crd_webhook_start_seconds"
        raise self._fail(
            f"accepts no TLS on {_HOST}:{port} after {self._limits.seconds:g} seconds ({problem}); {advice}"
        )

    def _fail(self, problem: str) -> WebhookError:
        """End the command, and return the error with the last lines of its output, which each later review gets, too."""
        has_children = self._group is not None and self._group.code is not None and self._group.has_members
        self._stop()
        note = "; its children still ran, and are ended: a server runs in the foreground" if has_children else ""
        words = "".join(f"\n  {line}" for line in self.read_output().splitlines())
        self._error = WebhookError.at(self._source, f"`{self.command}` {problem}{note}{':' if words else ''}{words}")
        return self._error

    def _stop(self) -> bool:
        """End the command and its connections; return False if SIGTERM was not enough."""
        if self._http is not None:
            self._http.close()
        group, self._group = self._group, None
        return group is None or group.end()


def _ended(group: ProcessGroup) -> str:
    code = group.code or 0
    return f"exited with {code}" if code >= 0 else f"was ended by signal {-code}"


def _free_port() -> int:
    with socket.create_server((_HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def write_certificates(folder: Path, *, source: str) -> str:
    """
    Write `tls.crt`, `tls.key` and `ca.crt` for a server on localhost into *folder*, and return the authority, PEM.

    Args:
        folder: An existing folder.
        source: The place of the setting, for errors.

    Raises:
        WebhookError: The extra `server` is not installed.
    """
    try:
        trustme: Any = importlib.import_module("trustme")
    except ImportError as error:
        raise WebhookError.at(source, _MISSING.format(error)) from None
    authority = trustme.CA(organization_name="pytest-crd")
    certificate = authority.issue_cert(*_NAMES)
    key = folder / "tls.key"
    key.touch(mode=_PRIVATE)
    key.write_bytes(certificate.private_key_pem.bytes())
    (folder / "tls.crt").write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    (folder / "ca.crt").write_bytes(authority.cert_pem.bytes())
    return str(authority.cert_pem.bytes().decode())
