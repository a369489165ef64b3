"""The authorizer in the match conditions of webhooks."""

from __future__ import annotations

from support import policies

from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.engine.cel.library.accesschecks import AccessRequest
from pytest_crd.engine.registry import admission
from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted
from pytest_crd.server.authorization.admissionauthorizer import AuthorizedAdmission


class _Plugins:
    """Admission plugins that keep their requests."""

    def __init__(self) -> None:
        self.requests: list[AdmissionRequest] = []

    def mutate(self, request: AdmissionRequest) -> Admitted:
        self.requests.append(request)
        return Admitted(request.object)

    def validate(self, request: AdmissionRequest) -> Admitted:
        return self.mutate(request)


def test_expressions_ask_the_roles_of_the_server() -> None:
    role = policies.role("r", policies.rule("get", "pods"), policies.rule("get", nonResourceURLs=["/x"]))
    binding = policies.binding("b", "r", policies.user("jane"))
    server = policies.api([])
    authorizer, plugins = server.catalog.authorizer, _Plugins()
    interfaces = admission.single_version("v1")
    request = AdmissionRequest(
        "CREATE", "", "v1", "Pod", "pods", "", "a", "default", {}, None, {}, dry_run=False, user=policies.JANE, interfaces=interfaces
    )  # fmt: skip
    admitted = AuthorizedAdmission(plugins, authorizer)
    admitted.mutate(request)
    server.catalog.roles.put(role)
    server.catalog.roles.put(binding)
    admitted.validate(request)
    first, request = plugins.requests
    assert first.authorize is None
    assert request.authorize is not None
    access = AccessRequest("jane", ("devs",))
    checks = (
        access._replace(verb="get", resource="pods"),
        access._replace(verb="get", path="/x"),
        access._replace(verb="list", resource="pods"),
    )
    answers = [request.authorize(check) for check in checks]
    by_role = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "jane"'
    assert answers == [(True, by_role), (True, by_role), (False, "")]
    variables = admissionexpressions.variables_of(request, {}, None, None)
    assert variables["authorizer"].authorize(checks[0])
