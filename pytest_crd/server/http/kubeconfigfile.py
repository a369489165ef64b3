"""Kubeconfig file of a server."""

from __future__ import annotations

import base64
import json
from typing import Final

_NAME: Final = "crd-server"
# Each test with a server writes such a file: PyYAML takes as long to write it as the server to start.
_FORM: Final = f"""\
apiVersion: v1
kind: Config
current-context: {_NAME}
clusters:
- name: {_NAME}
  cluster:
    server: {{url}}
    certificate-authority-data: {{authority}}
users:
- name: {_NAME}
  user:
    token: {{token}}
contexts:
- name: {_NAME}
  context:
    cluster: {_NAME}
    user: {_NAME}
    namespace: {{namespace}}
"""


def text(url: str, authority: str, token: str, namespace: str = "default") -> str:
    """
    Return the text of a kubeconfig.

    Args:
        url: The URL of the server.
        authority: The certificate of the server's authority, PEM.
        token: The bearer token for requests.
        namespace: The default namespace of clients.
    """
    encoded = base64.b64encode(authority.encode()).decode()
    # Strings of JSON are valid YAML.
    values = {"url": url, "authority": encoded, "token": token, "namespace": namespace}
    return _FORM.format(**{name: json.dumps(value) for name, value in values.items()})
