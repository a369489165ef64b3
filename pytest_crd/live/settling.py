"""
Waiting for a CRD: a new one is served once its conditions are final and, a little later, its URLs exist.

Nothing tells when a changed CRD takes effect; on a busy server it may take seconds. But the server takes the schema together with the
printer columns, so an added column, which no other answer depends on, shows when the new schema is in use.

Reference:
    apiextensions-apiserver pkg/apiserver/customresource_handler.go, updateCustomResourceDefinition, getOrCreateServingInfoFor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client

# Seconds until a changed CRD of v1beta1 takes effect.
TURNS_VISIBLE: Final = 0.4
# Groups of the Kubernetes community, which get a condition about their approval.
_APPROVAL: Final = "KubernetesAPIApprovalPolicyConformant"
_PROTECTED: Final = re.compile(r"(^|\.)(k8s|kubernetes)\.io$")
# The URL exists if one object can be listed; all objects might be many.
_ONE: Final = {"limit": "1"}
_AS_TABLE: Final = {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}


def wait_until_served(server: client.Server, crd: JSONValue) -> JSONValue:
    """
    Wait until a new CRD is served or its names are refused, and return it as it is stored then, with its conditions.

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


def marked(crd: Mapping[str, JSONValue], mark: str) -> dict[str, JSONValue]:
    """Return a CRD with a printer column *mark*; a v1beta1 CRD, which may have columns in two places, is unchanged."""
    if crd["apiVersion"] != declared.V1:
        return dict(crd)
    column = {"name": mark, "type": "string", "jsonPath": ".metadata.name"}
    versions = [
        {**version, "additionalPrinterColumns": [*(version.get("additionalPrinterColumns") or ()), column]}
        for version in crd["spec"]["versions"]
    ]
    return {**crd, "spec": {**crd["spec"], "versions": versions}}


def wait_until_marked(server: client.Server, crd: JSONValue, mark: str) -> None:
    """
    Wait until a CRD with the column of `marked` is in use in all its versions.

    Raises:
        NoAnswerError: It takes longer than a minute.
    """
    if crd["apiVersion"] != declared.V1:
        server.rest(TURNS_VISIBLE)
        return
    for version in _served(crd):
        url = client.resource_path(crd, version)
        server.wait(
            url, lambda answer: mark in _columns(answer.body), f"{version} as changed", query=_ONE, headers=_AS_TABLE
        )


def _columns(table: JSONValue) -> list[str]:
    columns = (table.get("columnDefinitions") if isinstance(table, dict) else None) or ()
    return [column["name"] for column in columns]


def is_established(crd: JSONValue) -> bool:
    """Return whether a stored CRD is established, so that its objects are served."""
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
    """Return status and reason of each condition, by type."""
    # A busy server may answer with a text instead.
    status = crd.get("status", {}) if isinstance(crd, dict) else {}
    return {item["type"]: (item["status"], item["reason"]) for item in status.get("conditions") or ()}
