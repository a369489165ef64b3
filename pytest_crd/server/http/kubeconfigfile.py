"""Kubeconfig file of a server."""

from __future__ import annotations

import base64

import yaml

_NAME = "crd-server"


def text(url: str, authority: str, token: str, namespace: str = "default") -> str:
    """
    Return the text of a kubeconfig.

    Args:
        url: The URL of the server.
        authority: The certificate of the server's authority, PEM.
        token: The bearer token for requests.
        namespace: The default namespace of clients.
    """
    cluster = {"server": url, "certificate-authority-data": base64.b64encode(authority.encode()).decode()}
    context = {"cluster": _NAME, "user": _NAME, "namespace": namespace}
    value = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": _NAME,
        "clusters": [{"name": _NAME, "cluster": cluster}],
        "users": [{"name": _NAME, "user": {"token": token}}],
        "contexts": [{"name": _NAME, "context": context}],
    }
    return str(yaml.safe_dump(value, sort_keys=False))
