"""`pytest-crd serve` in its own process, and clients with a persistent connection to it or to a cluster."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import ssl
import subprocess
import sys
import tempfile
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from pytest_crd.engine.jsonvalue import JSONValue

_PATIENCE: Final = 60.0


class Served(NamedTuple):
    """
    A running server.

    Attributes:
        url: Its URL.
        token: An administrator's token.
        process: Its process id, or 0 if it is remote.
    """

    url: str
    token: str
    process: int = 0

    @property
    def resident(self) -> int:
        """
        Its resident memory in bytes.

        Raises:
            OSError: The system has no /proc, unlike Linux.
        """
        lines = Path(f"/proc/{self.process}/status").read_text(encoding="utf-8").splitlines()
        (kilobytes,) = (line.split()[1] for line in lines if line.startswith("VmRSS:"))
        return int(kilobytes) * 1024


@contextlib.contextmanager
def serving(crds: Sequence[JSONValue]) -> Iterator[Served]:
    """
    Serve *crds* until the end of the `with` block.

    Raises:
        RuntimeError: The process ends before the server is ready.
    """
    with tempfile.TemporaryDirectory() as name:
        manifests, config = Path(name, "crds"), Path(name, "kubeconfig")
        manifests.mkdir()
        if crds:
            Path(manifests, "crds.yaml").write_text("---\n".join(map(json.dumps, crds)), encoding="utf-8")
        command = [sys.executable, "-m", "pytest_crd", "serve", str(manifests), "--kubeconfig", str(config)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                while not process.stdout.readline().startswith("export "):
                    if process.poll() is not None:
                        raise RuntimeError("pytest-crd serve has ended")
                config_ = yaml.safe_load(config.read_text(encoding="utf-8"))
                yield Served(
                    config_["clusters"][0]["cluster"]["server"], config_["users"][0]["user"]["token"], process.pid
                )
            finally:
                process.send_signal(signal.SIGTERM)
                process.communicate()  # reads the message that it has stopped


def kubeconfig(served: Served) -> JSONValue:
    """Return a kubeconfig for a server that skips the verification of its certificate."""
    cluster = {"server": served.url, "insecure-skip-tls-verify": True}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "c", "user": {"token": served.token}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
    }


class Client:
    """A client with one persistent connection."""

    def __init__(self, served: Served) -> None:
        """Take a server; the connection opens with the first request."""
        context = ssl._create_unverified_context()  # noqa: S323 - it runs on loopback, with a certificate of its own
        address = urllib.parse.urlsplit(served.url)
        self._connection = http.client.HTTPSConnection(
            address.hostname or "", address.port, context=context, timeout=_PATIENCE
        )
        self._token = served.token

    def request(self, method: str, path: str, body: JSONValue = None, *, patch: str = "") -> tuple[int, JSONValue]:
        """Send a request; return status code and decoded body. *patch* is a media type of a patch, without `application/`."""
        response = self.send(method, path, body, {"Content-Type": f"application/{patch or 'json'}"})
        return response.status, json.loads(response.read())

    def send(
        self, method: str, path: str, body: JSONValue = None, headers: Mapping[str, str] | None = None
    ) -> http.client.HTTPResponse:
        """Send a request; return the response with an unread body, such as that of a watch."""
        sent = None if body is None else json.dumps(body)
        self._connection.request(
            method, path, body=sent, headers={"Authorization": f"Bearer {self._token}", **(headers or {})}
        )
        return self._connection.getresponse()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
