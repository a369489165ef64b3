"""kube-controller-manager with a few controllers, beside a whole kube-apiserver: the judge of garbage collection."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import yaml

from oracle.servers import programs

# The controllers that this project reproduces.
_CONTROLLERS: Final = (
    "garbage-collector-controller",
    "namespace-controller",
    "clusterrole-aggregation-controller",
    "validatingadmissionpolicy-status-controller",
)
_FOLDER: Final = programs.SOURCES / "kube"


@contextlib.contextmanager
def running(version: str, url: str, token: str) -> Iterator[None]:
    """
    Run the controllers for a kube-apiserver until the end of the `with` block.

    Args:
        version: The Kubernetes version; there is a `controllers-VERSION.mod` in `tools/oracle/kube`.
        url: The URL of the kube-apiserver.
        token: An administrator's token.
    """
    flags = (f"-modfile=controllers-{version}.mod", "-ldflags", "-s -w")
    program = programs.build(f"kube-controller-manager-{version}", _FOLDER, *flags, "./controllermanager")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "kubeconfig").write_text(_kubeconfig(url, token), encoding="utf-8")
        log = stack.enter_context((programs.cache() / f"kube-controller-manager-{version}.log").open("wb"))
        command = [
            str(program),
            f"--kubeconfig={folder / 'kubeconfig'}",
            f"--controllers={','.join(_CONTROLLERS)}",
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
            "--secure-port=0",
        ]
        process = stack.enter_context(subprocess.Popen(command, stderr=log))
        stack.callback(process.terminate)
        yield


def _kubeconfig(url: str, token: str) -> str:
    entries = {
        "clusters": [{"name": "oracle", "cluster": {"server": url, "insecure-skip-tls-verify": True}}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "oracle", "context": {"cluster": "oracle", "user": "admin"}}],
    }
    return yaml.safe_dump({"apiVersion": "v1", "kind": "Config", "current-context": "oracle", **entries})
