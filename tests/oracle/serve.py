"""
Real API servers for CRDs, of one Kubernetes version each, on loopback over a throw-away etcd.

Run as a program it serves one until it is interrupted: `python tests/oracle/serve.py 1.37 [PORT]`. It needs Go and a Go module proxy for
the first start of a version (one to three minutes); the binaries are kept in `$CRD_ORACLE_CACHE` (default: `~/.cache/crd-oracle`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

VERSIONS: Final = ("1.37", "1.36", "1.35", "1.34", "1.33", "1.32", "1.21")
HERE: Final = Path(__file__).parent

# These plugins wait for a kube-apiserver that is not there.
_DISABLED: Final = ("NamespaceLifecycle", "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook")
_DISABLED_SINCE: Final = {"1.32": ("ValidatingAdmissionPolicy",), "1.35": ("MutatingAdmissionPolicy",)}


def cache() -> Path:
    """Return the folder of the binaries and of the servers' logs, made where it is missing."""
    folder = Path(os.environ.get("CRD_ORACLE_CACHE", "") or Path.home() / ".cache" / "crd-oracle")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def built(name: str, module: Path, *arguments: str) -> Path:
    """
    Return the binary *name*, built from the Go module in the folder *module* where the cache does not hold it.

    Args:
        name: File name in the cache.
        module: Folder of a go.mod.
        arguments: What follows `go build -o …`: flags and the package.

    Raises:
        subprocess.CalledProcessError: The build failed; the compiler's words are on stderr.
    """
    binary = cache() / name
    if not binary.exists():
        print(f"building {name} …", file=sys.stderr)
        unfinished = binary.with_name(f"{name}.{os.getpid()}")
        subprocess.run(["go", "build", "-o", str(unfinished), *arguments], cwd=module, check=True)
        unfinished.rename(binary)
    return binary


def of_version(program: str, version: str) -> Path:
    """
    Return the binary of a *program* in `reference/`, linked with the reference of a Kubernetes *version*.

    Its sources tell by the build tags `before_1_35` and `before_1_22` which signatures the reference has.
    """
    name = f"server-{version}" if program == "apiserver" else f"{program}-{version}"
    tags = ",".join(f"before_1_{other}" for other in (35, 22) if minor(version) < other)
    return built(name, HERE / "reference", f"-modfile=k8s-{version}.mod", f"-tags={tags}", f"./{program}")


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


@contextlib.contextmanager
def started_over_etcd(version: str, *, port: int = 0) -> Iterator[tuple[str, str]]:
    """Start the API server as `started` does, and yield its URL and that of its etcd, which takes JSON."""
    etcd, server = built("etcd", HERE / "etcd", "."), of_version("apiserver", version)
    etcd_port = _free_port(pair=True)
    log = cache() / f"server-{version}.log"
    with contextlib.ExitStack() as stack:
        errors = stack.enter_context(log.open("wb"))
        stack.enter_context(_running([str(etcd), str(etcd_port)], errors.fileno()))
        storage = f"http://127.0.0.1:{etcd_port}"
        arguments = [str(port or _free_port()), storage, f"k8s-{version}", *_flags(version)]
        ready = stack.enter_context(_running([str(server), *arguments], errors.fileno()))
        url = ready.removeprefix("ready").strip()
        _await(url)
        yield url, storage


@contextlib.contextmanager
def _running(command: Sequence[str], errors: int) -> Iterator[str]:
    """Run *command* and yield its first line of output, which begins with `ready`."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        if not line.startswith("ready"):
            raise RuntimeError(f"{Path(command[0]).name} did not start (see its log in {cache()}): {line.strip()}")
        yield line
    finally:
        process.terminate()
        process.communicate()


def _await(url: str) -> None:
    """Wait until something listens at *url*: the server says that it is ready a moment before."""
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


def minor(version: str) -> int:
    """Return the minor version of a Kubernetes *version*, for comparisons."""
    return int(version.partition(".")[2])


def _free_port(*, pair: bool = False) -> int:
    """Return a free port on loopback; with *pair*, the one above it is free too."""
    while True:
        with socket.socket() as lower, socket.socket() as upper:
            lower.bind(("127.0.0.1", 0))
            port: int = lower.getsockname()[1]
            try:
                upper.bind(("127.0.0.1", port + 1 if pair else 0))
            except (OSError, OverflowError):
                continue
            return port


def main(arguments: Sequence[str]) -> int:
    """Serve the version that the command line names until SIGTERM or Ctrl-C."""
    if not arguments or arguments[0] not in VERSIONS:
        print(f"usage: serve.py {'|'.join(VERSIONS)} [PORT]", file=sys.stderr)
        return 2
    version = arguments[0]
    port = int(arguments[1]) if len(arguments) > 1 else 18100 + minor(version)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.suppress(KeyboardInterrupt), started(version, port=port) as url:
        print(f"ready {url}", flush=True)
        signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
