"""URLs of webhooks in the server's messages."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.webhooks import webhookurls


@pytest.mark.parametrize(
    ("client_config", "url"),
    [
        ({"url": "https://hooks.example.com"}, "https://hooks.example.com/"),
        ({"url": "https://hooks.example.com:8443/a//b/../c/"}, "https://hooks.example.com:8443/a/c"),
        ({"service": {"name": "hook", "namespace": "system"}}, "https://hook.system.svc:443/"),
        (
            {"url": None, "service": {"name": "hook", "namespace": "system", "port": 8443, "path": "/validate"}},
            "https://hook.system.svc:8443/validate",
        ),
    ],
)
def test_urls_have_a_port_for_a_service_and_a_clean_path(client_config: JSONObject, url: str) -> None:
    assert webhookurls.server_url(client_config, profile.named("1.37")) == url
