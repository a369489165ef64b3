"""Kubeconfig file of a server."""

from __future__ import annotations

import base64

import yaml

from pytest_crd.server.http import kubeconfigfile


def test_a_kubeconfig_has_the_server_its_authority_the_token_and_the_namespace() -> None:
    """Values that mean something else in YAML stay strings."""
    text = kubeconfigfile.text("https://127.0.0.1:1", "PEM\n", "0123: {# '\"", namespace="1e3")

    assert yaml.safe_load(text) == {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "crd-server",
        "clusters": [
            {
                "name": "crd-server",
                "cluster": {
                    "server": "https://127.0.0.1:1",
                    "certificate-authority-data": base64.b64encode(b"PEM\n").decode(),
                },
            }
        ],
        "users": [{"name": "crd-server", "user": {"token": "0123: {# '\""}}],
        "contexts": [
            {"name": "crd-server", "context": {"cluster": "crd-server", "user": "crd-server", "namespace": "1e3"}}
        ],
    }
    assert yaml.safe_load(kubeconfigfile.text("https://a", "", "t"))["contexts"][0]["context"]["namespace"] == "default"
