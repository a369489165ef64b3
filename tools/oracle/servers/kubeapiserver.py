"""
A whole kube-apiserver with a temporary etcd on loopback: namespaces, built-in kinds, discovery.

It runs without controllers. The first build takes five minutes or more.
"""

from __future__ import annotations

import argparse
import contextlib
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from oracle import options
from oracle.servers import apiserver, programs

NOBODY: Final = "nobody-token"
"""The token of the user `nobody` in the group `testers`, who has no role at first."""

TOKEN: Final = "admin-token"  # noqa: S105 - of a server that lives for minutes
_FOLDER: Final = programs.SOURCES / "kube"
# The name of the process, which is the manager of the fields that it writes.
_NAME: Final = "kube-apiserver"
_RANGE: Final = "10.0.0.0/24"
_PATIENCE: Final = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the token and the server."""
    parser.add_argument("--token", default=TOKEN, help="an administrator's token; empty if the server needs none")
    options.add_server(parser)


def build(version: str) -> Path:
    """
    Return the path of the binary of a Kubernetes version, built unless it is in the cache.

    Args:
        version: A version with a `k8s-VERSION.mod` in `tools/oracle/kube`.

    Raises:
        subprocess.CalledProcessError: The build failed; the compiler's messages are on stderr.
    """
    stamp = f"-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor={version[2:]}"
    build_flags = (f"-modfile=k8s-{version}.mod", "-ldflags", f"-s -w {stamp}")
    return programs.build(f"kube-apiserver-{version}", _FOLDER, *build_flags, "./apiserver")


@contextlib.contextmanager
def started(version: str, flags: Sequence[str] = ()) -> Iterator[str]:
    """
    Start a kube-apiserver of a Kubernetes version, and stop it at the end of the `with` block.

    Args:
        version: A version with a `k8s-VERSION.mod` in `tools/oracle/kube`.
        flags: Further flags of the kube-apiserver.

    Yields:
        Its URL; TOKEN is an administrator's token.

    Raises:
        RuntimeError: It is not ready within a minute.
    """
    etcd = programs.build("etcd", programs.SOURCES / "etcd", ".")
    server = build(version)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        log = stack.enter_context((programs.cache() / f"kube-apiserver-{version}.log").open("wb"))
        etcd_port, port = apiserver.free_port(pair=True), apiserver.free_port()
        stack.enter_context(apiserver.running([str(etcd), str(etcd_port)], log.fileno()))
        command = [_NAME, *_arguments(folder, etcd_port, port), *flags]
        process = stack.enter_context(subprocess.Popen(command, executable=server, stderr=log))
        stack.callback(process.terminate)
        url = f"https://127.0.0.1:{port}"
        _await(url, process)
        yield url


def at(url: str, version: str, flags: Sequence[str] = ()) -> contextlib.AbstractContextManager[str]:
    """Return a context manager of *url*, or of a server of *version* started for the `with` block if *url* is empty."""
    return contextlib.nullcontext(url) if url else started(version, flags)


def _arguments(folder: Path, etcd_port: int, port: int) -> list[str]:
    key = folder / "sa.key"
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    tokens = folder / "tokens.csv"
    rows = (f'{TOKEN},admin,admin,"system:masters"', f'{NOBODY},nobody,nobody,"testers"')
    tokens.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return [
        f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={folder}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--authorization-mode=RBAC",
        "--anonymous-auth=false",
        f"--token-auth-file={tokens}",
        f"--service-cluster-ip-range={_RANGE}",
        "--disable-admission-plugins=ServiceAccount",
        "--enable-priority-and-fairness=false",
    ]


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    context = ssl._create_unverified_context()  # noqa: S323 - on loopback
    request = urllib.request.Request(f"{url}/readyz", headers={"Authorization": f"Bearer {TOKEN}"})  # noqa: S310 - the same
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        with (
            contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError),
            urllib.request.urlopen(request, context=context, timeout=5) as answer,  # noqa: S310 - the same
        ):
            if answer.status == 200:
                return
        time.sleep(0.2)
    raise RuntimeError(f"no kube-apiserver at {url}: its log is in {programs.cache()}")
