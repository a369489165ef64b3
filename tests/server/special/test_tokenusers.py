"""Requests with a token that the server has issued for a ServiceAccount."""

from __future__ import annotations

from support import servers

from pytest_crd.server.api import Api

ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def _ask(server: Api, token: str, method: str, path: str, body: object) -> tuple[int, object]:
    answer = servers.ask(server, method, path, body, headers={"authorization": f"Bearer {token}"})
    return answer.code, answer.value


def test_a_token_of_a_service_account_names_its_user_until_it_expires() -> None:
    server = servers.api(token="admin")  # noqa: S106 - of a test
    assert _ask(server, "admin", "POST", ACCOUNTS, {"metadata": {"name": "a"}})[0] == 201
    _, issued = _ask(server, "admin", "POST", f"{ACCOUNTS}/a/token", {"spec": {"expirationSeconds": 3600}})
    token = issued["status"]["token"]  # type: ignore[index] # an object
    _, review = _ask(server, token, "POST", REVIEW, {})
    assert review["status"]["userInfo"]["username"] == "system:serviceaccount:default:a"  # type: ignore[index] # an object
    server.store.clock.advance(3601)
    assert _ask(server, token, "POST", REVIEW, {})[0] == 401
