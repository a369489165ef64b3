"""A cluster for suites that want one of kind: the server in `KUBECONFIG`."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from pathlib import Path


class KindCluster:
    """
    The server in `KUBECONFIG`, with the interface of pytest-kind.

    Attributes:
        kubeconfig_path: The path of the kubeconfig.
        kubectl_path: The path of kubectl.
    """

    def __init__(self, name: str, image: str | None = None) -> None:
        """Take the server that runs; a *name* and an *image* select none."""
        del name, image
        self.kubeconfig_path = Path(os.environ["KUBECONFIG"])
        self.kubectl_path = Path(shutil.which("kubectl") or "kubectl")

    def create(self) -> None:
        """Create the ServiceAccount and the Pod of the system that each cluster of kind has; the server runs."""
        for command in ("create serviceaccount default", "run etcd --namespace kube-system --image etcd"):
            with contextlib.suppress(subprocess.CalledProcessError):  # it exists
                self.kubectl(*command.split())

    def delete(self) -> None:
        """Return at once, as another process ends the server."""

    def kubectl(self, *arguments: str) -> str:
        """
        Return the output of a command of kubectl.

        Raises:
            subprocess.CalledProcessError: The command fails.
        """
        environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig_path)}
        command = [str(self.kubectl_path), *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout.strip()
