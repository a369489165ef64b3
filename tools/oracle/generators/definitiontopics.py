"""Conversations with a server about CRDs themselves, by topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

_DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_NAME: Final = "pans.{ns}.example.com"
_PAN: Final = f"{_DEFINITIONS}/{_NAME}"
_MERGE: Final = "application/merge-patch+json"
_APPLY: Final = "application/apply-patch+yaml"
# How long a cluster takes to accept names and serve a new CRD, in seconds.
_SETTLE_SECONDS: Final = 0.7


def conversations() -> Mapping[str, list[JSONValue]]:
    """Return the requests of each conversation, by topic."""
    return {
        "status of CRDs written": _updated(),
        "status of CRDs patched": _patched(),
        "status of CRDs refused": _refused(),
        "status of CRDs that migrate": _migrated(),
    }


def _crd(status: JSONValue = None, *, versions: tuple[str, ...] = ("v1",), **metadata: JSONValue) -> JSONValue:
    """Return a CRD with *versions*, the last of which is the storage version."""
    schema = {"openAPIV3Schema": {"type": "object"}}
    listed = [{"name": name, "served": True, "storage": name == versions[-1], "schema": schema} for name in versions]
    names = {"plural": "pans", "singular": "pan", "kind": "Pan", "listKind": "PanList"}
    spec = {
        "group": "{ns}.example.com",
        "scope": "Namespaced",
        "names": names,
        "versions": listed,
        "conversion": {"strategy": "None"},
    }
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": _NAME, **metadata},
        "spec": spec,
    }
    return crd if status is None else {**crd, "status": status}


def _put(body: JSONValue, path: str = f"{_PAN}/status", options: str = "") -> JSONValue:
    return _sent("PUT", f"{path}{options}", body)


def _patch(body: JSONValue, media_type: str = _MERGE, options: str = "", path: str = f"{_PAN}/status") -> JSONValue:
    return {**_sent("PATCH", f"{path}{options}", body), "mediaType": media_type}


def _sent(method: str, path: str, body: JSONValue) -> JSONValue:
    return {"method": method, "path": path, "body": body}


def _get(path: str = _PAN, pause: float = _SETTLE_SECONDS) -> JSONValue:
    return {"method": "GET", "path": path, "pause": pause}


def _begun(**more: JSONValue) -> list[JSONValue]:
    return [_sent("POST", _DEFINITIONS, _crd(**more)), _get()]


def _crd_with_status(at: int, **status: JSONValue) -> JSONValue:
    """Return a CRD with a client's own condition in its status, and with the resourceVersion of the answer numbered *at*."""
    mine = {
        "type": "Mine",
        "status": "True",
        "reason": "Cooked",
        "message": "mine",
        "lastTransitionTime": "2024-01-01T00:00:00Z",
    }
    names = {"plural": "pans", "singular": "pan", "kind": "Pan", "listKind": "PanList"}
    whole = {"conditions": [mine], "acceptedNames": names, "storedVersions": ["v1"], **status}
    return {**_crd(whole, resourceVersion=f"{{rv:{at}}}")}


def _updated() -> list[JSONValue]:
    changed = _crd_with_status(4)
    changed["spec"]["scope"] = "Cluster"
    changed["metadata"] |= {"labels": {"a": "b"}, "annotations": {"c": "d"}}
    return [
        *_begun(),
        _get(f"{_PAN}/status", 0),
        _put(_crd_with_status(2, storedVersions=["v0", "v1"])),
        _get(),
        _put(changed),
        _put(_crd({}, resourceVersion="{rv:5}")),
        _get(),
        _put(_crd_with_status(7, acceptedNames={"plural": "pots", "kind": "Pot"})),
        _get(),
        _put(_crd_with_status(9), options="?dryRun=All"),
        _get(pause=0),
        _put(
            _crd_with_status(
                9, conditions=[{"type": "NamesAccepted", "status": "False"}], acceptedNames={"plural": "", "kind": ""}
            )
        ),
        _get(),
        {"method": "DELETE", "path": _PAN},
    ]


def _patched() -> list[JSONValue]:
    twice = [{"type": "A", "status": "True"}, {"type": "A", "status": "False"}]
    return [
        *_begun(),
        _patch({"status": {"storedVersions": ["v1", "v2"]}}),
        _patch({"status": {"storedVersions": ["v1", "v2"]}}),
        _patch({"spec": {"scope": "Cluster"}, "metadata": {"generation": 7}}),
        _patch([{"op": "replace", "path": "/status/storedVersions", "value": []}], "application/json-patch+json"),
        _patch({"metadata": {"labels": {"a": "b"}, "finalizers": ["example.com/hold"]}}),
        _patch({"metadata": {"finalizers": None, "resourceVersion": "{rv:6}"}}),
        _patch({"metadata": {"labels": None, "resourceVersion": "{rv:6}"}}),
        _patch({"status": {"conditions": twice}}),
        _get(),
        _patch({"status": {"conditions": [{"type": "B", "status": "True"}]}}, "application/strategic-merge-patch+json"),
        _patch(_crd({"storedVersions": ["v1", "v3"]}), _APPLY, "?fieldManager=m"),
        _patch(
            _crd({"storedVersions": ["v1", "v3"], "conditions": [{"type": "C", "status": "True"}]}),
            _APPLY,
            "?fieldManager=m&force=true",
        ),
        _patch({"metadata": {"labels": {"e": "f"}, "resourceVersion": "{rv:13}"}}, path=_PAN),
        _patch({"metadata": {"labels": {"e": "g"}, "resourceVersion": "{rv:13}"}}, path=_PAN),
        _get(),
    ]


def _refused() -> list[JSONValue]:
    bad = {
        "plural": "Pans!",
        "singular": "-",
        "kind": "a b",
        "listKind": "a b",
        "shortNames": ["P"],
        "categories": ["."],
    }
    unnamed = _crd_with_status(1)
    unnamed["metadata"].pop("name")
    return [
        *_begun(),
        _put(_crd_with_status(1, acceptedNames=bad)),
        _put(_crd({})),
        _put(_crd({}, resourceVersion="1")),
        _put({**_crd_with_status(1), "kind": "Nope"}),
        _put({**_crd_with_status(1), "apiVersion": "v1"}),
        _put(_crd_with_status(1, conditions=5)),
        _put(_crd_with_status(1, unknown=5), options="?fieldValidation=Strict"),
        _put(_crd_with_status(1, unknown=5)),
        _put(unnamed),
        _put(_crd_with_status(1), path=f"{_DEFINITIONS}/others.{{ns}}.example.com/status"),
        _patch({}, path=f"{_DEFINITIONS}/others.{{ns}}.example.com/status"),
        _patch(_crd({}), _APPLY, "?fieldManager=m", path=f"{_DEFINITIONS}/others.{{ns}}.example.com/status"),
        _patch(_crd(), _APPLY, "?fieldManager=m", path=f"{_DEFINITIONS}/others.{{ns}}.example.com"),
        _patch({"metadata": {"finalizers": ["no finalizer"]}}),
        _patch(_crd({}), _APPLY),
        {"method": "POST", "path": f"{_PAN}/status", "body": {}},
        {"method": "DELETE", "path": f"{_PAN}/status"},
    ]


def _migrated() -> list[JSONValue]:
    """Return requests that add a storage version to a CRD, then remove the old one from its spec and its status."""
    return [
        *_begun(versions=("v1",)),
        _put(_crd(versions=("v1", "v2"), resourceVersion="{rv:1}"), path=_PAN),
        _get(),
        _put(_crd(versions=("v2",), resourceVersion="{rv:3}"), path=_PAN),
        _patch({"status": {"storedVersions": ["v2"]}}),
        _put(_crd(versions=("v2",), resourceVersion="{rv:5}"), path=_PAN),
        _get(),
    ]
