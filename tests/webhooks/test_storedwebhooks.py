"""The webhooks of a project together with stored configurations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import servers

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.yaml import manifest
from pytest_crd.server.api import Api
from pytest_crd.webhooks.calledwebhooks import CalledWebhooks
from pytest_crd.webhooks.endpoints import Assignment, FunctionEndpoint
from pytest_crd.webhooks.project import ProjectWebhooks

THINGS = "/apis/example.com/v1/namespaces/default/things"
HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
MUTATING = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
CONFIGURATION = """\
apiVersion: admissionregistration.k8s.io/v1
kind: {kind}
metadata: {{name: {name}}}
webhooks:
- name: v.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {{service: {{namespace: system, name: webhook}}}}
  rules: [{{apiGroups: [example.com], apiVersions: [v1], resources: [things], operations: ['*']}}]
"""


def _configuration(kind: str, name: str) -> Any:
    (read,) = manifest.read(CONFIGURATION.format(kind=kind, name=name).encode(), source="hooks.yaml")
    return read


class _Reviews:
    """A webhook that allows everything and keeps the reviews."""

    def __init__(self) -> None:
        self.reviews: list[Any] = []

    def allow(self, review: Any) -> Any:
        self.reviews.append(review)
        return {"uid": review["request"]["uid"], "allowed": True}


@pytest.fixture
def reviews() -> _Reviews:
    """The reviews that the webhook of the project gets."""
    return _Reviews()


@pytest.fixture
def server(reviews: _Reviews) -> Api:
    """A server of a project with two configurations and an endpoint."""
    assignment = Assignment("admission", FunctionEndpoint(reviews.allow), "conftest.py")
    kinds = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
    configurations = [_configuration(kind, "hooks") for kind in kinds]
    project = ProjectWebhooks([assignment], base=Path(), read_configurations=lambda: configurations)
    return Api([CustomResourceDefinition.from_manifest(servers.crd())], webhooks=CalledWebhooks(project))


def _create(server: Api) -> None:
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"generateName": "a"}}
    assert servers.ask(server, "POST", THINGS, thing).code == 201


@pytest.mark.parametrize("path", [HOOKS, MUTATING])
@pytest.mark.parametrize(("name", "calls"), [("hooks", 2), ("others", 3)])
def test_a_stored_configuration_replaces_that_of_the_project_with_its_name(
    server: Api, reviews: _Reviews, path: str, name: str, calls: int
) -> None:
    _create(server)
    assert len(reviews.reviews) == 2
    kind = "ValidatingWebhookConfiguration" if path == HOOKS else "MutatingWebhookConfiguration"
    assert servers.ask(server, "POST", path, _configuration(kind, name).value).code == 201
    reviews.reviews.clear()
    _create(server)
    assert len(reviews.reviews) == calls
