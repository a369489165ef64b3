"""Permissions for owner references that block deletions; the messages are those of kube-apiserver 1.37."""

from __future__ import annotations

from typing import Any, Final

import pytest
from support import policies, servers

from pytest_crd.server.api import Api

CONFIG_MAPS: Final = "/api/v1/namespaces/default/configmaps"
NO_FINALIZERS: Final = (
    'configmaps "child" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set '
    "finalizers on: , <nil>"
)
NO_MAPPING: Final = (
    'configmaps "child" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 '
    'Kind Nope: no matches for kind "Nope" in version "v1"'
)
WRITES: Final = policies.rule("create update delete", "configmaps")
GROUP, PLURAL = servers.crd()["spec"]["group"], servers.crd()["spec"]["names"]["plural"]
FINALIZERS: Final = policies.rule("update", f"{PLURAL}/finalizers", GROUP)
NODES: Final = policies.rule("update", "nodes/finalizers")


def _api(*rules: Any, enforces_owners: bool = True) -> Api:
    roles = [policies.role("held", *rules), policies.binding("held", "held", policies.user("jane"))]
    api = policies.api(roles, enforces_owners=enforces_owners)
    api.catalog.authorizer.has_project_roles = True
    return api


def _child(*owners: dict[str, Any], **labels: str) -> dict[str, Any]:
    metadata = {"name": "child", "ownerReferences": [*owners], "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def _owner(kind: str = "", version: str = "", *, blocks: bool = True) -> dict[str, Any]:
    names = servers.crd()["spec"]["names"]
    api_version = version or f"{GROUP}/{servers.crd()['spec']['versions'][0]['name']}"
    reference = {"apiVersion": api_version, "kind": kind or names["kind"], "name": "k", "uid": "u"}
    return {**reference, **({"blockOwnerDeletion": True} if blocks else {})}


def _send(api: Api, method: str, child: dict[str, Any]) -> tuple[int, str]:
    path = CONFIG_MAPS if method == "POST" else f"{CONFIG_MAPS}/child"
    answer = policies.ask(api, policies.JANE, method, path, child)
    return answer.code, str(answer.value.get("message", ""))


@pytest.mark.parametrize(
    ("rules", "owner", "expected"),
    [
        pytest.param([], _owner(), (403, NO_FINALIZERS), id="no rule"),
        pytest.param([FINALIZERS], _owner(), (201, ""), id="a rule"),
        pytest.param([], _owner("Node", "v1"), (403, NO_FINALIZERS), id="an owner of the cluster"),
        pytest.param([NODES], _owner("Node", "v1"), (201, ""), id="a rule for an owner of the cluster"),
        pytest.param([], _owner(blocks=False), (201, ""), id="an owner that does not block"),
        pytest.param(
            [FINALIZERS],
            _owner("Nope", "v1"),
            (
                403,
                NO_MAPPING,
            ),
            id="an unknown kind",
        ),
    ],
)
def test_a_create_needs_the_finalizers_of_owners_that_block(rules: list[Any], owner: Any, expected: Any) -> None:
    assert _send(_api(WRITES, *rules), "POST", _child(owner)) == expected


def test_an_update_of_owners_needs_the_right_to_delete_the_object() -> None:
    api = _api(policies.rule("create update", "configmaps"), FINALIZERS)
    assert _send(api, "POST", _child(_owner())) == (201, "")

    assert _send(api, "PUT", _child(_owner(), a="b")) == (200, "")
    assert _send(api, "PUT", _child()) == (
        403,
        'configmaps "child" is forbidden: cannot set an ownerRef on a resource you can\'t delete: , <nil>',
    )


def test_an_update_needs_the_finalizers_of_owners_that_block_now() -> None:
    api = _api(WRITES)
    assert _send(api, "POST", _child(_owner(blocks=False))) == (201, "")

    assert _send(api, "PUT", _child(_owner())) == (403, NO_FINALIZERS)
    assert _send(api, "PUT", _child()) == (200, "")


def test_deletions_and_objects_of_a_group_are_told_by_their_names() -> None:
    api = _api(WRITES, policies.rule("create", "deployments", "apps"))
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    child = {**_child(_owner()), "apiVersion": "apps/v1", "kind": "Deployment", "spec": spec}

    answer = policies.ask(api, policies.JANE, "POST", "/apis/apps/v1/namespaces/default/deployments", child)

    assert answer.value["message"].startswith('deployments.apps "child" is forbidden: cannot set blockOwnerDeletion')
    assert _send(api, "POST", _child()) == (201, "")
    assert policies.ask(api, policies.JANE, "DELETE", f"{CONFIG_MAPS}/child").code == 200


def test_a_server_without_the_plugin_notes_the_rule_of_the_finalizers() -> None:
    api = _api(WRITES, FINALIZERS, enforces_owners=False)

    assert _send(api, "POST", _child(_owner(), _owner("Nope", "v1") | {"uid": "v"})) == (201, "")

    needed = {permission.verb for permissions in api.catalog.authorizer.needed.values() for permission in permissions}
    assert "update" in needed
