"""Users by their tokens, and the users in logs."""

from __future__ import annotations

from support import policies, servers

from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted
from pytest_crd.server.http.httpmessages import HTTPRequest

PODS = "/api/v1/namespaces/default/pods"
ROOT = "root"


def _request(token: str, *headers: tuple[str, str]) -> HTTPRequest:
    return HTTPRequest("GET", PODS, {"authorization": f"Bearer {token}"} if token else {}, impersonation=headers)


def test_each_user_has_a_token() -> None:
    server = servers.api(servers.crd(), token=ROOT)
    token = server.access.users.add(policies.JANE)
    assert token != server.access.users.add(policies.JANE)
    codes = [server.answer(_request(sent)).code for sent in ("root", token, "other", "")]  # type: ignore[union-attr]
    assert codes == [200, 403, 401, 401]
    assert server.answer(_request(token)._replace(target="/healthz")).code == 200  # type: ignore[union-attr]
    assert server.answer(_request("")._replace(target="/healthz/ping")).code == 200  # type: ignore[union-attr]
    assert server.answer(_request(token)._replace(target="/healthz/ping")).code == 403  # type: ignore[union-attr]
    spaced = server.answer(HTTPRequest("GET", PODS, {"authorization": "Bearer  root"}))
    assert spaced.warnings  # a hint at the second space


def test_logs_name_the_user_that_a_request_acts_as() -> None:
    server = servers.api(servers.crd(), token=ROOT)
    access = server.access
    for request, name in (
        (_request("root"), "kubernetes-admin"),
        (_request("root", ("impersonate-user", "bob")), "bob"),
        (_request("root", ("impersonate-group", "g")), "kubernetes-admin"),
        (_request("other", ("impersonate-user", "bob")), ""),
    ):
        assert access.identify(request).user.username == name


class _Plugins:
    """Admission plugins that warn."""

    def mutate(self, request: AdmissionRequest) -> Admitted:
        return Admitted(request.object)

    def validate(self, request: AdmissionRequest) -> Admitted:
        return Admitted(request.object, (f"{request.kind} of {request.user.username}",))


def test_admission_plugins_see_reviews() -> None:
    server = servers.api(servers.crd())
    server.catalog.wrap_admission(lambda _: _Plugins())
    body = {"spec": {"user": "a", "resourceAttributes": {}}}
    answer = policies.ask(server, policies.ADMIN, "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", body)
    assert (answer.code, answer.warnings) == (201, ("SubjectAccessReview of root",))
