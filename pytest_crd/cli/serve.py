"""`serve`: a server of CRDs and their custom resources, for kubectl and for operators and tests in any language."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_crd import engine
from pytest_crd.cli import arguments, lookup
from pytest_crd.cli.exits import Exit
from pytest_crd.cli.wording import counted
from pytest_crd.engine.errors.response import NotAcceptedError

_MISSING: Final = "serve needs the extra `server`: pip install 'pytest-crd[server]'"
_KUBECONFIG: Final = "crd-server.kubeconfig"


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a file, a folder or a glob with CRDs; several; unset: where CRDs usually are in this project, else wherever they are",
    )
    parser.add_argument("--port", type=int, default=0, help="the port on loopback; unset: one that is free")
    parser.add_argument(
        "--kubeconfig",
        type=Path,
        metavar="FILE",
        default=Path(_KUBECONFIG),
        help=f"write the kubeconfig that leads to the server into this file, and remove it in the end; {_KUBECONFIG} unless told",
    )
    arguments.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C; 1 where a CRD is refused, 2 where they cannot be read, or the port is taken."""
    try:
        from pytest_crd.server.transport import httpserver  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        print(f"{_MISSING} ({error})", file=sys.stderr)
        return Exit.WRONG_USE
    try:
        crds = lookup.crds(options.paths, options.kubernetes_version)
        return _serve(crds, options)
    except NotAcceptedError as error:
        print(error, file=sys.stderr)
        return Exit.DOES_NOT_HOLD
    except (*lookup.ERRORS, OSError) as error:
        print(error, file=sys.stderr)
        return Exit.WRONG_USE


def _serve(crds: Sequence[engine.CustomResourceDefinition], options: argparse.Namespace) -> int:
    from pytest_crd.server.api import Api  # noqa: PLC0415 - an extra
    from pytest_crd.server.transport import certificates, httpserver, kubeconfig  # noqa: PLC0415 - an extra

    token, signed = httpserver.new_token(), certificates.Certificates()
    api = Api(crds, kubernetes_version=options.kubernetes_version, token=token)
    server = httpserver.HTTPServer(api, signed, token=token, port=options.port)
    path: Path = options.kubeconfig
    before = signal.signal(signal.SIGTERM, _interrupt)  # who ends a process by this leaves nothing behind either
    server.start()
    try:
        path.touch(mode=0o600)
        path.write_text(kubeconfig.text(server.url, signed.authority, token), encoding="utf-8")
        for crd in crds:
            versions = ", ".join(one.name for one in crd.versions if one.served)
            print(f"{crd.name} ({versions}){f' from {crd.source}' if crd.source else ''}")
        print(f"{counted(len(crds), 'CRD')} at {server.url}, Kubernetes {options.kubernetes_version}")
        print(f"export KUBECONFIG={path.resolve()}", flush=True)
        _wait()
    except KeyboardInterrupt:
        print("stopped")
    finally:
        signal.signal(signal.SIGTERM, before)
        server.stop()
        path.unlink(missing_ok=True)
    return Exit.HOLDS


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _wait() -> None:
    """Wait for Ctrl-C."""
    threading.Event().wait()
