"""Command `serve`: a server of CRDs and their custom resources, for kubectl and for operators and tests in any language."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_crd import engine
from pytest_crd.casefiles import privatefile
from pytest_crd.cli import lookup
from pytest_crd.cli.exits import Exit
from pytest_crd.engine.registry.response import NotAcceptedError
from pytest_crd.server import servedversions
from pytest_crd.wording import counted

_MISSING: Final = "serve needs the extra `server`: pip install 'pytest-crd[server]'"
_KUBECONFIG: Final = "crd-server.kubeconfig"
_EXISTS: Final = (
    "{path} exists, and is neither overwritten nor removed: another `pytest-crd serve` or kubectl may use it; "
    "write `--kubeconfig FILE` with the name of a new file, or remove {path} if nothing uses it"
)
_MOST_PORT: Final = 65535
# Signals that would end the process without a cleanup: from `kill`, and from a closing terminal.
_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help=(
            "a file, a folder or a glob with CRDs; may be given several times; default: the usual places of the "
            "project, else the whole project"
        ),
    )
    parser.add_argument("--port", type=_parse_port, default=0, help="the port on loopback; default: a free one")
    parser.add_argument(
        "--kubeconfig",
        type=Path,
        metavar="FILE",
        default=Path(_KUBECONFIG),
        help="the kubeconfig of the server: created at the start, removed at the end; an error if the file exists; default:"
        f" {_KUBECONFIG}",
    )
    lookup.add_kubernetes_version(parser, versions=servedversions.VERSIONS)


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C; return 1 if a CRD is refused, 2 if CRDs cannot be read, the port is taken or the kubeconfig exists."""
    try:
        from pytest_crd.server import httpserver  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        print(f"{_MISSING} ({error})", file=sys.stderr)
        return Exit.WRONG_USE
    try:
        version = servedversions.find_served(options.kubernetes_version)
    except engine.UnknownVersionError as error:
        print(f"--kubernetes-version: {error}", file=sys.stderr)
        return Exit.WRONG_USE
    try:
        crds = lookup.crds(options.paths, version)
        return _serve(crds, options)
    except NotAcceptedError as error:
        print(error, file=sys.stderr)
        return Exit.DOES_NOT_HOLD
    except FileExistsError:
        print(_EXISTS.format(path=options.kubeconfig), file=sys.stderr)
        return Exit.WRONG_USE
    except (*lookup.ERRORS, OSError) as error:
        print(error, file=sys.stderr)
        return Exit.WRONG_USE


def _serve(crds: Sequence[engine.CustomResourceDefinition], options: argparse.Namespace) -> int:
    from pytest_crd.server import httpserver  # noqa: PLC0415 - an extra
    from pytest_crd.server.api import Api  # noqa: PLC0415 - an extra
    from pytest_crd.server.http import certificates, kubeconfigfile  # noqa: PLC0415 - an extra

    path: Path = options.kubeconfig
    _require_new(path)
    token, signed = httpserver.new_token(), certificates.Certificates()
    api = Api(crds, kubernetes_version=options.kubernetes_version, token=token)
    server = httpserver.HTTPServer(api, signed, token=token, port=options.port)
    with _ended_by_signals(), contextlib.ExitStack() as stack:
        stack.callback(server.stop)
        server.start()
        stack.enter_context(privatefile.temporary(path, kubeconfigfile.text(server.url, signed.authority, token)))
        for crd in crds:
            versions = ", ".join(version.name for version in crd.versions if version.served)
            print(f"{crd.name} ({versions}){f' from {crd.source}' if crd.source else ''}")
        print(f"{counted(len(crds), 'CRD')} at {server.url}, Kubernetes {options.kubernetes_version}")
        print(f"export KUBECONFIG={path.resolve()}", flush=True)
        _wait()
    return Exit.HOLDS


def _parse_port(text: str) -> int:
    """
    Return the number of a port.

    Raises:
        ArgumentTypeError: *text* is not a number from 0 to 65535.
    """
    if not (text.isascii() and text.isdecimal() and int(text) <= _MOST_PORT):
        raise argparse.ArgumentTypeError(f"{text!r}: write a number from 0 to {_MOST_PORT}")
    return int(text)


def _require_new(path: Path) -> None:
    """
    Raise an error if a file at *path* cannot be created, before a server starts.

    Raises:
        FileExistsError: *path* exists; a link counts, also if it leads nowhere.
        NotADirectoryError: The folder does not exist.
    """
    if os.path.lexists(path):
        raise FileExistsError
    if not path.parent.is_dir():
        raise NotADirectoryError(f"--kubeconfig {path}: {path.parent} is not a folder")


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """End the block without an error at Ctrl-C, SIGTERM and SIGHUP; a SIGHUP that `nohup` ignores stays ignored."""
    handled = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _interrupt) for number in handled}
    try:
        yield
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):  # the terminal may be closed
            print("stopped", flush=True)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_signal: int, _frame: object) -> None:
    for number in _SIGNALS:  # a second signal would interrupt the cleanup
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _wait() -> None:
    """Wait for Ctrl-C."""
    threading.Event().wait()
