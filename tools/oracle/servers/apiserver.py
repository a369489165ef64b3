"""
Real API servers for CRDs, one per Kubernetes version, on loopback with a temporary etcd.

The default port is 18100 plus the minor version: 18137. The server logs into the folder of the binaries.
"""

from __future__ import annotations

import argparse
import contextlib
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from oracle.servers import programs
from oracle.servers.versions import VERSIONS, minor

# The name of the process, which is the manager of the fields that it writes.
_NAME: Final = "kube-apiserver"
# These plugins wait for a kube-apiserver, which does not exist here.
_DISABLED: Final = ("NamespaceLifecycle", "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook")
_DISABLED_SINCE: Final = {"1.32": ("ValidatingAdmissionPolicy",), "1.35": ("MutatingAdmissionPolicy",)}


@contextlib.contextmanager
def started(version: str, *, port: int = 0) -> Iterator[str]:
    """
    Start the API server of one Kubernetes version and stop it at the end of the `with` block.

    Args:
        version: One of VERSIONS.
        port: Port on loopback; 0 takes a free one.

    Yields:
        The URL of the server, which is ready.

    Raises:
        RuntimeError: A process ended before it was ready.
    """
    with started_over_etcd(version, port=port) as (url, _):
        yield url


def at(url: str, version: str) -> contextlib.AbstractContextManager[str]:
    """Return a context manager of *url*, or of a server of *version* started for the `with` block if *url* is empty."""
    return contextlib.nullcontext(url) if url else started(version)


@contextlib.contextmanager
def started_over_etcd(version: str, *, port: int = 0) -> Iterator[tuple[str, str]]:
    """Start the API server as `started` does, and yield its URL and the URL of its etcd, which accepts JSON."""
    etcd, server = (
        programs.build("etcd", programs.SOURCES / "etcd", "."),
        programs.build_for_version("apiserver", version),
    )
    etcd_port = free_port(pair=True)
    log = programs.cache() / f"server-{version}.log"
    with contextlib.ExitStack() as stack:
        errors = stack.enter_context(log.open("wb"))
        stack.enter_context(running([str(etcd), str(etcd_port)], errors.fileno()))
        storage = f"http://127.0.0.1:{etcd_port}"
        arguments = [str(port or free_port()), storage, f"k8s-{version}", *_flags(version)]
        ready = stack.enter_context(running([_NAME, *arguments], errors.fileno(), executable=server))
        url = ready.removeprefix("ready").strip()
        _await(url)
        yield url, storage


@contextlib.contextmanager
def running(command: Sequence[str], errors: int, *, executable: Path | None = None) -> Iterator[str]:
    """
    Run *command* and yield its first line of output, which begins with `ready`.

    Args:
        command: The name of the process and its arguments.
        errors: The file descriptor for messages.
        executable: The program, if it is not called by its path.

    Raises:
        RuntimeError: The first line is a different one.
    """
    process = subprocess.Popen(command, executable=executable, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        if not line.startswith("ready"):
            raise RuntimeError(
                f"{Path(command[0]).name} did not start (see its log in {programs.cache()}): {line.strip()}"
            )
        yield line
    finally:
        process.terminate()
        process.communicate()


def _await(url: str) -> None:
    """
    Wait until *url* accepts connections: the server prints `ready` a moment before.

    Raises:
        RuntimeError: Nothing listens after some seconds.
    """
    address = urllib.parse.urlsplit(url)
    for _ in range(100):
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection((address.hostname, address.port)):
            return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens at {url}")


def _flags(version: str) -> list[str]:
    disabled = list(_DISABLED)
    for since, names in _DISABLED_SINCE.items():
        if minor(version) >= minor(since):
            disabled += names
    flags = ["--disable-admission-plugins", ",".join(disabled)]
    return flags if version == "1.21" else ["--enable-priority-and-fairness=false", *flags]


def free_port(*, pair: bool = False) -> int:
    """Return a free port on loopback; with *pair*, the next port is free too."""
    while True:
        with socket.socket() as lower, socket.socket() as upper:
            lower.bind(("127.0.0.1", 0))
            port: int = lower.getsockname()[1]
            try:
                upper.bind(("127.0.0.1", port + 1 if pair else 0))
            except (OSError, OverflowError):
                continue
            return port


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the version and the port."""
    parser.add_argument("version", choices=VERSIONS)
    parser.add_argument("port", nargs="?", type=int, default=0)


def main(options: argparse.Namespace) -> int:
    """Serve the named version until SIGTERM or Ctrl-C."""
    version = options.version
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.suppress(KeyboardInterrupt), started(version, port=options.port or 18100 + minor(version)) as url:
        print(f"ready {url}", flush=True)
        signal.pause()
    return 0
