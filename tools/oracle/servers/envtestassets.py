"""Folders with the programs that controller-runtime's envtest starts: `kube-apiserver` and `etcd`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Final

from oracle.servers import kubeapiserver, programs

_ROOT: Final = programs.SOURCES.parent
_SERVER: Final = """#!/bin/sh
[ "$1" = --help ] && exit
exec env PYTHONPATH={path} {python} -m oracle.servers.envtestserver "$@"
"""
# envtest waits for the health of etcd, and of nothing else there.
_HEALTH: Final = """#!/bin/sh
[ "$1" = --help ] && exit
exec {python} -c 'if True:
    import http.server, sys
    port = next(int(flag.rpartition(":")[2]) for flag in sys.argv if flag.startswith("--listen-client-urls="))
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
        def log_message(self, *_):
            pass
    http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
' "$@"
"""
# The program of the oracle takes a port alone.
_ETCD: Final = """#!/bin/sh
[ "$1" = --help ] && exit
for flag; do case $flag in --listen-client-urls=*) port=${{flag##*:}};; esac; done
exec {etcd} "$port"
"""
_REAL: Final = """#!/bin/sh
exec {server} "$@"
"""


def write_ours(folder: Path) -> None:
    """Write programs to *folder* that start a pytest-crd server."""
    python = shlex.quote(sys.executable)
    path = shlex.quote(f"{_ROOT}:{_ROOT.parent}")
    _write(folder / "kube-apiserver", _SERVER.format(path=path, python=python))
    _write(folder / "etcd", _HEALTH.format(python=python))


def write_real(folder: Path, version: str) -> None:
    """
    Write programs to *folder* that start a kube-apiserver of a Kubernetes *version*.

    Raises:
        subprocess.CalledProcessError: A build failed.
    """
    etcd = programs.build("etcd", programs.SOURCES / "etcd", ".")
    _write(folder / "etcd", _ETCD.format(etcd=shlex.quote(str(etcd))))
    _write(folder / "kube-apiserver", _REAL.format(server=shlex.quote(str(kubeapiserver.build(version)))))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
