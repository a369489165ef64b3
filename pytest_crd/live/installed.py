"""The CRDs that are installed on a server."""

from __future__ import annotations

from pytest_crd.engine import CrdError, CustomResourceDefinition, CustomResourceDefinitions, Mistake
from pytest_crd.live import client
from pytest_crd.live.run import Target

_API_VERSION = "apiextensions.k8s.io/v1"


def crds(target: Target, kubernetes_version: str) -> CustomResourceDefinitions:
    """
    Read the CRDs of a server and return them as they are stored.

    Args:
        target: The server.
        kubernetes_version: The Kubernetes version that their answers are for.

    Raises:
        CrdError: The server does not list them.
        NoAnswerError: The server does not answer.
    """
    answer = target.server.ask("GET", client.crd_path(_API_VERSION))
    if answer.code != 200:
        raise CrdError([Mistake(target.server.address, 0, f"does not list its CRDs: {answer.code} {answer.message}")])
    manifests = (
        {"apiVersion": _API_VERSION, "kind": "CustomResourceDefinition", **item} for item in answer.body["items"]
    )
    return CustomResourceDefinitions(
        [
            CustomResourceDefinition.from_manifest(manifest, kubernetes_version=kubernetes_version)
            for manifest in manifests
        ]
    )
