"""URLs of webhooks as the API server spells them in its messages."""

from __future__ import annotations

import posixpath
from typing import Final

from pytest_crd.engine.golang import urls
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile

_DEFAULT_PORT: Final = 443


def server_url(client_config: JSONObject, profile: Profile) -> str:
    """
    Return the URL that the server calls, without a query.

    Args:
        client_config: A valid `clientConfig` with a `url` or a `service`, as in a CRD or in a webhook configuration.
        profile: The Kubernetes version.

    Reference:
        apiserver util/webhook/client.go, hookClientConfig; client-go rest, NewRequest.
    """
    service = client_config.get("service")
    if service is not None:
        port = service.get("port") or _DEFAULT_PORT
        return f"https://{service['name']}.{service['namespace']}.svc:{port}{_cleaned(service.get('path') or '')}"
    url = urls.parse(client_config["url"], strict_colons=profile.go.has_strict_colons)
    return f"{url.scheme}://{url.host.removesuffix(':')}{_cleaned(url.path)}"


def split(url: str) -> tuple[str, str, str]:
    """Return the host with its port, the path and the query of a URL as the server spells it, which need not be one for Python."""
    before, _, query = url.partition("://")[2].partition("?")
    host, slash, path = before.partition("/")
    return host, slash + path, query


def _cleaned(path: str) -> str:
    """Return an absolute path without double slashes, dots and a slash at its end."""
    return posixpath.normpath("/" + path.lstrip("/"))
