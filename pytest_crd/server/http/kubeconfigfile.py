"""The kubeconfig that leads to a server."""

from __future__ import annotations

import base64

import yaml

_NAME = "crd-server"


def text(url: str, authority: str, token: str, namespace: str = "default") -> str:
    """
    Return a kubeconfig.

    Args:
        url: Where the server is.
        authority: The certificate of who has signed its own, PEM.
        token: What requests must say.
        namespace: Where clients look that do not say where.
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
