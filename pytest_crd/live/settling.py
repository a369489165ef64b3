"""When a CRD that was created is served: its conditions are final, and its URLs exist, which takes a little longer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.live import client

JSONValue = Any

# Groups of the Kubernetes community, about whose approval a condition is added.
_APPROVAL: Final = "KubernetesAPIApprovalPolicyConformant"
_PROTECTED: Final = re.compile(r"(^|\.)(k8s|kubernetes)\.io$")
# A list of objects would be large; whether the URL exists, one of them tells as well.
_ONE: Final = {"limit": "1"}


def wait_until_served(server: client.Server, crd: JSONValue) -> JSONValue:
    """
    Wait for a CRD that was created, and return it as it is then: its conditions say whether it is served at all.

    Raises:
        NoAnswerError: It takes longer than a minute.
    """
    path = client.crd_path(crd["apiVersion"], crd["metadata"]["name"])
    stored = server.wait(path, lambda answer: _is_settled(answer.body), f"the conditions of {path}").body
    if is_established(stored):
        for version in _served(stored):
            url = client.resource_path(crd, version)
            server.wait(url, lambda answer: answer.code != 404, f"{version} of {path}", query=_ONE)
    return stored


def is_established(crd: JSONValue) -> bool:
    """Return whether a stored CRD is served."""
    return _conditions(crd).get("Established", ("", ""))[0] == "True"


def _served(crd: JSONValue) -> Iterator[str]:
    versions = crd["spec"].get("versions", [{"name": crd["spec"].get("version"), "served": True}])
    yield from (version["name"] for version in versions if version["served"])


def _is_settled(crd: JSONValue) -> bool:
    conditions = _conditions(crd)
    if conditions.get("NamesAccepted", ("", ""))[0] == "False":
        return True
    if conditions and _PROTECTED.search(crd["spec"]["group"]) and _APPROVAL not in conditions:
        return False
    return conditions.get("Established") in (("True", "InitialNamesAccepted"), ("False", "InvalidCABundle"))


def _conditions(crd: JSONValue) -> dict[str, tuple[str, str]]:
    """Return status and reason of each condition."""
    # While a server is busy it may answer with a text instead.
    status = crd.get("status", {}) if isinstance(crd, dict) else {}
    return {item["type"]: (item["status"], item["reason"]) for item in status.get("conditions") or ()}
