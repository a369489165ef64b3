"""Prepared conversations about the validation of built-in kinds: each value of each field in creates and updates."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from oracle.generators import certificatepools, clusterpools, servicepools, servicetopics, validationgen, workloadpools
from oracle.generators.validatedkinds import ABSENT
from oracle.generators.validationgen import KINDS
from pytest_crd.engine.jsonvalue import JSONValue

_MERGE: Final = "application/merge-patch+json"
# Longer values are left to the fuzzer.
_LONGEST: Final = 1500
_NAMES: Final = ("A_b", "a..b", "x" * 254, "x" * 64, "a/b", ".", "a%b", "a.b", "1a", "a-")


def conversations() -> Mapping[str, list[JSONValue]]:
    """Return the requests of each conversation, by topic."""
    return {
        **{f"validation of each field of {kind}": [*_fields(kind)] for kind in _KINDS},
        "validation of names and metadata": [*_metadata()],
        "validation of immutable objects": [*_immutable()],
        "validation of Services, their addresses and ports": [*servicetopics.conversation()],
        # Files of their own.
        **{f"certificates: each field of {kind}": [*_as_user(_fields(kind))] for kind in certificatepools.KINDS},
        **{f"kinds that operators write: each field of {kind}": [*_fields(kind)] for kind in clusterpools.KINDS},
        "claims that operators write, bound and with classes": [
            *_claims(),
            *_claims_with_an_old_class(),
            *_claims_with_sources(),
        ],
        "revisions that operators write": [*_revisions()],
        "budgets that operators write, with a reserved label": [*_budgets()],
        **{f"workloads of the kind {kind}": [*_workload(kind)] for kind in workloadpools.KINDS},
    }


_OWN_FILES: Final = (*certificatepools.KINDS, *clusterpools.KINDS, *workloadpools.KINDS)
_KINDS: Final = tuple(kind for kind in KINDS if kind not in _OWN_FILES)


# The fields of stored objects for which a server would choose values; each conversation has its own.
_CHOSEN: Final[Mapping[str, Mapping[str, str]]] = {validationgen.SERVICE: {"-a": "10.0.0.5", "-c": "10.0.0.6"}}


def _stored(kind: str, end: str) -> Any:
    """Return a valid object without fields that a server chooses."""
    chosen = {"spec.clusterIP": _CHOSEN[kind][end]} if kind in _CHOSEN else {}
    return validationgen.changed(kind, f"{{ns}}{end}", **chosen)


def _as_user(requests: Iterator[JSONValue]) -> Iterator[JSONValue]:
    """Yield requests of the same user for both servers, as objects name their user."""
    headers = {"impersonate-user": "kubernetes-admin", "impersonate-group": "system:masters"}
    return ({**request, "headers": headers} for request in requests)


def _fields(kind: str) -> Iterator[JSONValue]:
    """Yield a create and a patch for each value of each field, as dry runs."""
    path = KINDS[kind].path
    yield {"method": "POST", "path": path, "body": _stored(kind, "-a")}
    for place, values in KINDS[kind].pools.items():
        for value in values:
            body = validationgen.changed(kind, "{ns}-b", **{place: value})
            if len(json.dumps(body)) > _LONGEST:
                continue
            yield {"method": "POST", "path": f"{path}?dryRun=All", "body": body}
            if servicepools.panics(value):
                continue
            patch: dict[str, Any] = {}
            validationgen.put(patch, place, None if value is ABSENT else value)
            parts = [f"/{name}" for name in KINDS[kind].subresources if name != "finalize"]
            is_unseen = kind == validationgen.SERVICE and place.startswith("spec")  # most of its fields are in the spec
            for part in ("", *(() if is_unseen else parts)):
                yield {
                    "method": "PATCH",
                    "path": f"{path}/{{ns}}-a{part}?dryRun=All",
                    "body": patch,
                    "mediaType": _MERGE,
                }
    if "finalize" in KINDS[kind].subresources:
        for value in KINDS[kind].pools["spec.finalizers"]:
            body = validationgen.changed(kind, "{ns}-a", **{"spec.finalizers": value, "metadata.labels": {"a": "b"}})
            yield {"method": "PUT", "path": f"{path}/{{ns}}-a/finalize?dryRun=All", "body": body}


def _workload(kind: str) -> Iterator[JSONValue]:
    """Yield a create as a dry run for each value of each field. Fields of templates are those of a PodTemplate."""
    path, pools = KINDS[kind].path, KINDS[kind].pools
    yield {"method": "POST", "path": path, "body": _stored(kind, "-a")}
    is_template = kind == workloadpools.TEMPLATES
    own = {place: values for place, values in pools.items() if is_template or not workloadpools.is_shared(place)}
    for place, values in own.items():
        for value in values:
            body = validationgen.changed(kind, "{ns}-b", **{place: value})
            if place.startswith("status"):
                patch: dict[str, Any] = {}
                validationgen.put(patch, place, value)
                yield _patched(path, "/status", patch)
            elif len(json.dumps(body)) <= _LONGEST:
                yield {"method": "POST", "path": f"{path}?dryRun=All", "body": body}
    for place, value in workloadpools.CHANGES.items() if not is_template else ():
        for lead in {place.partition(".")[0] for place in own} & {"spec"}:
            change: dict[str, Any] = {}
            validationgen.put(change, f"{lead}.{place}", value)
            yield _patched(path, "", change)
    for place, values in own.items() if not is_template else ():
        if place.startswith("spec"):
            field: dict[str, Any] = {}
            validationgen.put(field, place, values[-1])
            yield _patched(path, "", field)


def _patched(path: str, part: str, patch: JSONValue) -> JSONValue:
    return {
        "method": "PATCH",
        "path": f"{path}/{{ns}}-a{part}?dryRun=All",
        "body": patch,
        "mediaType": _MERGE,
    }


def _metadata() -> Iterator[JSONValue]:
    """Yield creates and updates with names and metadata of one kind for each rule."""
    for kind in _KINDS:
        path = KINDS[kind].path
        yield {"method": "POST", "path": path, "body": _stored(kind, "-c")}
        for name in _NAMES:
            yield {"method": "POST", "path": f"{path}?dryRun=All", "body": validationgen.changed(kind, name)}
        for place in ("metadata.finalizers", "metadata.generateName", "metadata.generation"):
            for value in validationgen.METADATA[place]:
                body = validationgen.changed(kind, "{ns}-c", **{place: value})
                yield {"method": "PUT", "path": f"{path}/{{ns}}-c?dryRun=All", "body": body}
        prefixed = _stored(kind, "-c")
        prefixed["metadata"]["generateName"] = "gen-"
        yield {"method": "POST", "path": path, "body": prefixed}
        if kind != "v1 Namespace":
            yield {"method": "DELETE", "path": f"{path}/{{ns}}-c"}
            yield {"method": "DELETE", "path": f"{path}/{{ns}}-c"}
        for version in ("x", "5"):
            body = validationgen.changed(
                kind, "{ns}-d", **{"metadata.resourceVersion": version, "metadata.deletionGracePeriodSeconds": 5}
            )
            yield {"method": "PUT", "path": f"{path}/{{ns}}-d?dryRun=All", "body": body}
            apply = {"mediaType": "application/apply-patch+yaml", "body": body}
            yield {"method": "PATCH", "path": f"{path}/{{ns}}-d?dryRun=All&fieldManager=m", **apply}


def _immutable() -> Iterator[JSONValue]:
    """Yield updates of objects with immutable data, or of another type."""
    for kind, field in (("v1 ConfigMap", "binaryData"), ("v1 Secret", "data")):
        path = KINDS[kind].path
        body = validationgen.changed(kind, "i", immutable=True, data={"a": "YQ=="})
        yield {"method": "POST", "path": path, "body": body}
        for value in ({}, None, {"a": None}, {"a": ""}, {"b": "YQ=="}, {"a": "YQ=="}):
            for change in ({field: value}, {field: value, "immutable": None}, {"data": value, "immutable": False}):
                yield {"method": "PATCH", "path": f"{path}/i?dryRun=All", "body": change, "mediaType": _MERGE}
                yield {"method": "PUT", "path": f"{path}/i?dryRun=All", "body": {**body, **change}}
    empty = validationgen.changed("v1 Secret", "t", data={"a": ""}, immutable=True)
    path = KINDS["v1 Secret"].path
    yield {"method": "POST", "path": path, "body": empty}
    for data in ({"a": None}, {"a": ""}):
        yield {"method": "PUT", "path": f"{path}/t?dryRun=All", "body": {**empty, "data": data}}
    yield {"method": "PUT", "path": f"{path}/t?dryRun=All", "body": {**empty, "type": "kubernetes.io/tls"}}
    yield {"method": "PATCH", "path": f"{path}/t", "body": {"type": "<b>"}, "mediaType": _MERGE}


_CLAIMS: Final = "/api/v1/namespaces/{ns}/persistentvolumeclaims"
_CLASSES: Final = "/apis/storage.k8s.io/v1/storageclasses"
_BUDGETS: Final = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
_REVISIONS: Final = "/apis/apps/v1/namespaces/{ns}/controllerrevisions"
_CHANGES: Final[Any] = ({"volumeName": "v"}, {"storageClassName": "x"}, {"volumeMode": "Block"}, {"selector": {}})
_OLD_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_BOUND: Final[Any] = {
    "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}, "currentVolumeAttributesClassName": "a"}
}


def _patch(path: str, body: JSONValue, media_type: str = _MERGE) -> JSONValue:
    return {"method": "PATCH", "path": path, "body": body, "mediaType": media_type}


def _sized(size: str | None, **spec: JSONValue) -> JSONValue:
    return {"spec": {"resources": {"requests": {"storage": size}}, **spec}}


def _claims() -> Iterator[JSONValue]:
    """Yield writes of claims before and after they are bound."""
    for name, grows in (("{ns}-grows", True), ("{ns}-stays", False)):
        body = validationgen.changed("storage.k8s.io/v1 StorageClass", name, allowVolumeExpansion=grows)
        yield {"method": "POST", "path": _CLASSES, "body": body}
    for name, class_ in (("a", "{ns}-grows"), ("b", "{ns}-stays"), ("c", ""), ("d", None), ("e", "none")):
        body = validationgen.changed("v1 PersistentVolumeClaim", name, **{"spec.storageClassName": class_})
        body["spec"]["volumeAttributesClassName"] = "a"
        yield {"method": "POST", "path": _CLAIMS, "body": body}
        statuses: list[Any] = [{}, _BOUND]
        for status in statuses:
            if status:
                yield _patch(f"{_CLAIMS}/{name}/status", status)
            for size in ("2Gi", "1024Mi", "1073741824", "1100000000", "512Mi", "0", None):
                yield _patch(f"{_CLAIMS}/{name}?dryRun=All", _sized(size))
            for attributes in ("b", "", None):
                yield _patch(f"{_CLAIMS}/{name}?dryRun=All", {"spec": {"volumeAttributesClassName": attributes}})
            for spec in _CHANGES:
                yield _patch(f"{_CLAIMS}/{name}?dryRun=All", {"spec": spec})


def _claims_with_an_old_class() -> Iterator[JSONValue]:
    """Yield writes of claims that get a volume, or change an annotation with their class."""
    yield _patch(f"{_CLAIMS}/d", {"spec": {"volumeName": "v"}})
    yield _patch(f"{_CLAIMS}/d?dryRun=All", {"spec": {"volumeName": "w"}})
    body = validationgen.changed("v1 PersistentVolumeClaim", "old", **{"metadata.annotations": {_OLD_CLASS: "x"}})
    yield {"method": "POST", "path": _CLAIMS, "body": body}
    for notes in ({_OLD_CLASS: "x"}, {_OLD_CLASS: "y"}, {_OLD_CLASS: None}):
        for class_ in ("x", "y", None):
            change = {"metadata": {"annotations": notes}, "spec": {"storageClassName": class_}}
            yield _patch(f"{_CLAIMS}/old?dryRun=All", change)


def _claims_with_sources() -> Iterator[JSONValue]:
    """Yield writes of claims with data sources."""
    for name, source in (
        ("s", {"kind": "Other", "name": "a", "apiGroup": "A_"}),
        ("t", {"kind": "PersistentVolumeClaim", "name": "a"}),
    ):
        body = validationgen.changed("v1 PersistentVolumeClaim", name, **{"spec.dataSourceRef": source})
        yield {"method": "POST", "path": _CLAIMS, "body": body}
        for other in (None, {"kind": "Other", "name": "b"}, {"namespace": "n"}):
            for field in ("dataSource", "dataSourceRef"):
                yield _patch(f"{_CLAIMS}/{name}?dryRun=All", {"spec": {field: other}})
    body["spec"]["dataSource"] = {}
    yield {"method": "PUT", "path": f"{_CLAIMS}/t?dryRun=All", "body": body}


def _revisions() -> Iterator[JSONValue]:
    """Yield creates and replacements of ControllerRevisions; a server compares the texts of their data."""
    valid: dict[str, Any] = {"metadata": {"name": "a"}, "revision": 1, "data": {"a": "b"}}
    yield {"method": "POST", "path": _REVISIONS, "body": valid}
    fields: dict[str, tuple[Any, ...]] = {
        "revision": (0, -1, 1, 2**62, None),
        "data": (None, {}, {"a": "c"}, {"a": None}, [], ["a"], "text", 5, True, {"kind": "Pod", "spec": {}}, "null"),
        "metadata": ({"name": "A_b"}, {"name": "a.b"}, {"name": "a", "labels": {"-": "b"}}, {"generateName": "gen-"}),
    }
    for field, values in fields.items():
        for value in values:
            changed = {**valid, field: value}
            yield {
                "method": "POST",
                "path": f"{_REVISIONS}?dryRun=All",
                "body": {**changed, "metadata": {"name": "b", **changed["metadata"]}},
            }
            yield {
                "method": "PUT",
                "path": f"{_REVISIONS}/a?dryRun=All",
                "body": {**changed, "metadata": {**changed["metadata"], "name": "a"}},
            }
        without = {key: value for key, value in valid.items() if key != field}
        yield {"method": "POST", "path": f"{_REVISIONS}?dryRun=All", "body": {**without, "metadata": {"name": "b"}}}
        yield {"method": "PUT", "path": f"{_REVISIONS}/a?dryRun=All", "body": {**without, "metadata": {"name": "a"}}}


def _budgets() -> Iterator[JSONValue]:
    """Yield writes of budgets with requirements for a reserved label, and with replaced selectors."""
    key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
    reserved = {"key": key, "operator": "Exists"}
    other = {"key": "a", "operator": "Exists"}
    yield {"method": "POST", "path": _BUDGETS, "body": validationgen.changed("policy/v1 PodDisruptionBudget", "a")}
    for requirements in (
        [reserved],
        [reserved, other],
        [{**reserved, "operator": "DoesNotExist"}],
        [other, {**reserved, "values": ["x"]}],
    ):
        for labels in (None, {"a": "b"}):
            change = {"spec": {"selector": {"matchLabels": labels, "matchExpressions": requirements}}}
            yield _patch(f"{_BUDGETS}/a?dryRun=All", change)
            yield _patch(f"{_BUDGETS}/a", change, "application/strategic-merge-patch+json")
            body = validationgen.changed(
                "policy/v1 PodDisruptionBudget", "b", **{"spec.selector": change["spec"]["selector"]}
            )
            yield {"method": "POST", "path": f"{_BUDGETS}?dryRun=All", "body": body}
    yield _patch(f"{_BUDGETS}/a", {"spec": {"selector": {}}}, "application/strategic-merge-patch+json")
