"""
A pytest-crd server in the place of kube-apiserver, for test suites that start one with controller-runtime's envtest.

It takes the flags that envtest passes, and serves with the certificate that envtest wrote. Flags of other features are ignored.
Every request is an administrator's, as those of envtest are by its client certificate.
"""

from __future__ import annotations

import argparse
import signal
import ssl
import threading
from collections.abc import Sequence
from pathlib import Path

from pytest_crd.server import httpserver
from pytest_crd.server.api import Api
from pytest_crd.server.http.certificates import Certificates


class EnvtestCertificates(Certificates):
    """The server certificate in a folder of envtest."""

    def __init__(self, folder: Path) -> None:
        """Read `apiserver.crt` and `apiserver.key` in *folder*."""
        super().__init__()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "apiserver.crt", folder / "apiserver.key")


def serve(arguments: Sequence[str] | None = None) -> None:
    """Serve until SIGTERM."""
    parser = argparse.ArgumentParser(prog="kube-apiserver", allow_abbrev=False)
    parser.add_argument("--secure-port", type=int, required=True)
    parser.add_argument("--cert-dir", type=Path, required=True)
    options, _ignored = parser.parse_known_args(arguments)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda _signal, _frame: ended.set())
    server = httpserver.HTTPServer(Api(), EnvtestCertificates(options.cert_dir), port=options.secure_port)
    server.start()
    ended.wait()
    server.stop()


if __name__ == "__main__":
    serve()
