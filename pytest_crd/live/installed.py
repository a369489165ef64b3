"""The CRDs that are installed on a server, read once."""

from __future__ import annotations

from pytest_crd.engine import CrdError, CustomResourceDefinition, CustomResourceDefinitions, Mistake
from pytest_crd.live import client
from pytest_crd.live.run import Target

_API_VERSION = "apiextensions.k8s.io/v1"


def crds(target: Target, kubernetes_version: str) -> CustomResourceDefinitions:
    """
    Return the CRDs of a server, as they are stored there.

    Args:
        target: The server.
        kubernetes_version: Whose behaviour and words they show.

    Raises:
        CrdError: The server does not list them.
        NoAnswerError: It does not answer.
    """
    answer = target.server.ask("GET", client.crd_path(_API_VERSION))
    if answer.code != 200:
        raise CrdError([Mistake(target.server.address, 0, f"does not list its CRDs: {answer.code} {answer.message}")])
    manifests = (
        {"apiVersion": _API_VERSION, "kind": "CustomResourceDefinition", **item} for item in answer.body["items"]
    )
    return CustomResourceDefinitions(
        [CustomResourceDefinition.from_manifest(one, kubernetes_version=kubernetes_version) for one in manifests]
    )
