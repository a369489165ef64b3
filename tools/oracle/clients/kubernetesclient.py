"""A conversation with `kubernetes`: its dynamic client for custom resources, its typed client for CRDs."""

from __future__ import annotations

import contextlib
import importlib
import json
from typing import Any, Final

from oracle.clients import kubernetesbuiltins, ovens
from oracle.clients.notes import ClientFormat, Notes, Step, eventually
from pytest_crd.engine.jsonvalue import JSONValue

NAME: Final = kubernetesbuiltins.NAMESPACE
_MERGE: Final = "application/merge-patch+json"
_JSON: Final = "application/json-patch+json"


def converse(kubeconfig: str, steps: list[Step]) -> None:
    """Hold the conversation with the server of *kubeconfig* and record it in *steps*."""
    client: Any = importlib.import_module("kubernetes.client")
    config: Any = importlib.import_module("kubernetes.config")
    dynamic: Any = importlib.import_module("kubernetes.dynamic")
    config.load_kube_config(config_file=kubeconfig)
    with client.ApiClient() as api_client:
        notes = Notes(ClientFormat(_make_plain(api_client), (client.ApiException,), _describe), steps)
        core = client.CoreV1Api(api_client)
        core.create_namespace(ovens.namespace(NAME))
        _definition(notes, client, api_client)
        dynamic_client = dynamic.DynamicClient(api_client)
        kind = dynamic_client.resources.get(api_version=f"{ovens.group(NAME)}/{ovens.VERSION}", kind=ovens.KIND)
        _discovery(notes, client, api_client, dynamic_client, kind)
        _objects(notes, kind)
        _lists(notes, kind)
        _patches(notes, kind)
        _applies(notes, kind)
        _subresources(notes, client.CustomObjectsApi(api_client))
        _watches(notes, kind)
        _deletions(notes, kind)
        kubernetesbuiltins.use_builtin_kinds(notes, client, api_client)
        kubernetesbuiltins.elect(notes, client.CoordinationV1Api(api_client), client.CoreV1Api(api_client))
        _withdrawal(notes, client.ApiextensionsV1Api(api_client), kind)


def _make_plain(api_client: Any) -> Any:
    def plain(value: Any) -> JSONValue:
        """Return JSON of dictionaries, typed models and objects of the dynamic client."""
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        return api_client.sanitize_for_serialization(value.to_dict() if _is_wrapped(value) else value)

    return plain


def _is_wrapped(value: Any) -> bool:
    return type(value).__name__ in ("ResourceInstance", "ResourceField")


def _describe(error: Any) -> JSONValue:
    """Return code, reason and Status of an exception; its body if that is not JSON."""
    description = {"code": error.status, "reason": error.reason}
    with contextlib.suppress(json.JSONDecodeError):
        return {**description, "status": json.loads(error.body or "")}
    return {**description, "body": error.body}


def _definition(notes: Notes, client: Any, api_client: Any) -> None:
    crds = client.ApiextensionsV1Api(api_client)
    crd = ovens.crd(NAME)
    name = crd["metadata"]["name"]
    wrong = {**crd, "metadata": {"name": f"not{name}"}}
    notes.record_error("create a CRD with a wrong name", crds.create_custom_resource_definition, wrong)
    created = notes.record("create a CRD", crds.create_custom_resource_definition, crd)
    notes.record_error("create the CRD again", crds.create_custom_resource_definition, created)
    eventually(lambda: crds.read_custom_resource_definition_status(name), _established)
    notes.record(
        "read the CRD", lambda: kubernetesbuiltins.without_managed_fields(crds.read_custom_resource_definition(name))
    )
    labelled = {"metadata": {"labels": {"kitchen": "yes"}}}
    notes.record(
        "label the CRD",
        lambda: kubernetesbuiltins.without_managed_fields(crds.patch_custom_resource_definition(name, labelled)),
    )
    items = crds.list_custom_resource_definition(label_selector="kitchen=yes").items
    notes.record("list CRDs by label", lambda: [*map(kubernetesbuiltins.without_managed_fields, items)])
    notes.record_error("read a CRD that is not there", crds.read_custom_resource_definition, "no.example.com")


def _established(crd: Any) -> bool:
    return any(
        condition.type == "Established" and condition.status == "True" for condition in crd.status.conditions or []
    )


def _discovery(notes: Notes, client: Any, api_client: Any, dynamic: Any, kind: Any) -> None:
    custom = client.CustomObjectsApi(api_client)
    version = notes.record("read the version", lambda: _numbers(client.VersionApi(api_client).get_code()))
    notes.record("the dynamic client's version", lambda: dynamic.version["kubernetes"]["major"] == version[0])
    notes.record("list the resources of the group", custom.get_api_resources, ovens.group(NAME), ovens.VERSION)
    notes.record_error("list the resources of no version", custom.get_api_resources, ovens.group(NAME), "v9")
    notes.record("discover the kind", lambda: {**kind.to_dict(), "subresources": sorted(kind.subresources)})
    kinds = dynamic.resources.search(group=ovens.group(NAME))
    notes.record("search the group", lambda: sorted((kind_.kind, kind_.name, kind_.preferred) for kind_ in kinds))
    groups = client.ApisApi(api_client).get_api_versions().groups
    notes.record("list groups", lambda: [item for item in groups if item.name == ovens.group(NAME)])
    for wanted in ("ConfigMap", "Secret", "Event", "Namespace"):
        resource = dynamic.resources.get(api_version="v1", kind=wanted).to_dict()
        notes.record(f"discover {wanted}", resource.__getitem__, "verbs")


def _numbers(version: Any) -> list[str]:
    return [version.major, version.minor]


def _objects(notes: Notes, kind: Any) -> None:
    a = ovens.oven(NAME, "a", 180)
    created = notes.record("create a", kind.create, body=a)
    notes.record_error("create a again", kind.create, body=a)
    notes.record_error("create too hot", kind.create, body=ovens.oven(NAME, "b", 400))
    notes.record_error("create too many", kind.create, body=ovens.oven(NAME, "b", 290, replicas=4))
    notes.record_error("create with a wrong type", kind.create, body=ovens.oven(NAME, "b", "hot"))
    notes.record_error("create with a bad name", kind.create, body=ovens.oven(NAME, "B_", 180))
    notes.record_error("create in no namespace", kind.create, body=ovens.oven("nowhere", "b", 180) | _typed())
    notes.record_error("create another kind", kind.create, body={**a, "kind": "Stove"})
    notes.record(
        "try to create b", kind.create, body=ovens.oven(NAME, "b", 180, unknown=1), query_params=[("dryRun", "All")]
    )
    strict = [("fieldValidation", "Strict")]
    notes.record_error(
        "create b with an unknown field", kind.create, body=ovens.oven(NAME, "b", 1, no=1), query_params=strict
    )
    generated = {**a, "metadata": {"generateName": "made-"}}
    named = notes.record("create one with a made name", kind.create, body=generated, namespace=NAME)
    notes.record("delete that", kind.delete, name=named.metadata.name, namespace=NAME)
    notes.record("get a", kind.get, name="a", namespace=NAME)
    notes.record_error("get what is not there", kind.get, name="no", namespace=NAME)
    changed = {**created.to_dict(), "spec": {"heat": 190}}
    notes.record("replace a", kind.replace, body=changed)
    notes.record("replace a with a copy", kind.replace, body=kind.get(name="a", namespace=NAME).to_dict())
    notes.record_error("replace a stale one", kind.replace, body={**changed, "spec": {"heat": 200}})
    notes.record_error("replace without a version", kind.replace, body=a)
    notes.record_error(
        "replace what is not there", kind.replace, body={**changed, "metadata": {"name": "no", "namespace": NAME}}
    )


def _typed() -> JSONValue:
    return {"apiVersion": f"{ovens.group(NAME)}/{ovens.VERSION}"}


def _lists(notes: Notes, kind: Any) -> None:
    for name, heat in (("b", 60), ("ba", 70), ("c", 70)):
        kind.create(body=ovens.oven(NAME, name, heat))
    notes.record("list all", kind.get, namespace=NAME)
    notes.record("list in all namespaces", kind.get)
    first = notes.record("list a page", kind.get, namespace=NAME, limit=3)
    token = first.metadata["continue"]
    notes.record("list the next page", kind.get, namespace=NAME, limit=3, _continue=token)
    notes.record_error("continue with nonsense", kind.get, namespace=NAME, limit=3, _continue="nonsense")
    for selector in ("letter=b", "letter!=b", "letter in (a,c)", "!letter", "letter,letter notin (a)"):
        notes.record(f"list labels {selector}", kind.get, namespace=NAME, label_selector=selector)
    for selector in (
        "metadata.name=a",
        "spec.heat=70",
        "spec.heat!=70,metadata.name!=a",
        "metadata.namespace=kubernetes",
    ):
        notes.record(f"list fields {selector}", kind.get, namespace=NAME, field_selector=selector)
    notes.record_error("list a bad label selector", kind.get, namespace=NAME, label_selector="letter in b")
    notes.record_error("list by another field", kind.get, namespace=NAME, field_selector="spec.replicas=1")
    notes.record("list any version", kind.get, namespace=NAME, resource_version="0")
    notes.record_error("list a bad version", kind.get, namespace=NAME, resource_version="x")
    exact = {"resource_version": first.metadata.resourceVersion, "resource_version_match": "Exact"}
    notes.record("list an exact version", kind.get, namespace=NAME, **exact)
    notes.record_error(
        "list a version to come", kind.get, namespace=NAME, resource_version="100000000", timeout_seconds=1
    )


def _patches(notes: Notes, kind: Any) -> None:
    def patch(title: str, body: JSONValue, media: str = _MERGE, *, fails: bool = False, name: str = "a") -> None:
        note = notes.record_error if fails else notes.record
        note(title, kind.patch, name=name, namespace=NAME, body=body, content_type=media)

    patch("merge heat", {"spec": {"heat": 100}})
    patch("merge the same", {"spec": {"heat": 100}})
    patch("merge null", {"spec": {"replicas": None}, "metadata": {"labels": {"letter": None, "floor": "2"}}})
    patch("merge too hot", {"spec": {"heat": 1000}}, fails=True)
    patch("merge a stale version", {"metadata": {"resourceVersion": "1"}, "spec": {"heat": 90}}, fails=True)
    patch("merge what is not there", {"spec": {"heat": 100}}, name="no", fails=True)
    patch("replace a field", [{"op": "replace", "path": "/spec/heat", "value": 110}], _JSON)
    patch("test and add", [{"op": "test", "path": "/spec/heat", "value": 110}, _add()], _JSON)
    patch("test another value", [{"op": "test", "path": "/spec/heat", "value": 1}, _add()], _JSON, fails=True)
    patch("remove what is not there", [{"op": "remove", "path": "/spec/none"}], _JSON, fails=True)
    patch("merge strategically", {"spec": {"heat": 1}}, "application/strategic-merge-patch+json", fails=True)
    patch("patch with a media type of none", {"spec": {"heat": 1}}, "application/json", fails=True)


def _add() -> JSONValue:
    return {"op": "add", "path": "/spec/trays", "value": [{"name": "low"}]}


def _applies(notes: Notes, kind: Any) -> None:
    def apply(title: str, heat: int, manager: str, *, fails: bool = False, **more: Any) -> None:
        body = ovens.oven(NAME, "applied", heat, trays=[{"name": manager, "of": "steel"}])
        note = notes.record_error if fails else notes.record
        note(title, kind.server_side_apply, body=body, field_manager=manager, **more)

    apply("apply", 100, "cook")
    apply("apply the same", 100, "cook")
    apply("apply another heat as another", 120, "baker", fails=True)
    apply("apply another heat with force", 120, "baker", force_conflicts=True)
    apply("apply the old heat again", 100, "cook", fails=True)
    apply("apply too much heat", 1000, "baker", fails=True)
    apply("apply without a manager", 100, "", fails=True)


def _subresources(notes: Notes, custom: Any) -> None:
    path = (ovens.group(NAME), ovens.VERSION, NAME, ovens.PLURAL, "a")
    stored = custom.get_namespaced_custom_object(*path)
    status = {"phase": "Warm", "replicas": 1, "selector": "app=a", "conditions": [{"type": "Ready", "status": "True"}]}
    notes.record(
        "replace status and spec", custom.replace_namespaced_custom_object, *path, {**stored, "status": status}
    )
    stored = notes.record("get status", custom.get_namespaced_custom_object_status, *path)
    changed = {**stored, "spec": {"heat": 55}, "status": status}
    notes.record("replace status", custom.replace_namespaced_custom_object_status, *path, changed)
    notes.record_error("replace a stale status", custom.replace_namespaced_custom_object_status, *path, changed)
    patch, scale = custom.patch_namespaced_custom_object_status, custom.patch_namespaced_custom_object_scale
    notes.record("patch status", patch, *path, {"status": {"phase": "Hot"}}, _content_type=_MERGE)
    notes.record_error("patch a wrong status", patch, *path, {"status": {"phase": 1}}, _content_type=_MERGE)
    got = notes.record("get scale", custom.get_namespaced_custom_object_scale, *path)
    more = {**got, "spec": {"replicas": 2}}
    notes.record("replace scale", custom.replace_namespaced_custom_object_scale, *path, more)
    notes.record_error("replace a stale scale", custom.replace_namespaced_custom_object_scale, *path, more)
    notes.record("patch scale", scale, *path, {"spec": {"replicas": 3}}, _content_type=_MERGE)
    notes.record_error("patch scale below zero", scale, *path, {"spec": {"replicas": -1}}, _content_type=_MERGE)
    notes.record_error("scale what is not there", custom.get_namespaced_custom_object_scale, *path[:4], "no")


def _watches(notes: Notes, kind: Any) -> None:
    def collect(**options: Any) -> list[JSONValue]:
        """Return the events of one second without bookmarks, which servers send at times of their choice."""
        events = kind.watch(namespace=NAME, timeout=1, **options)
        changes = [[event["type"], event["raw_object"]] for event in events]
        return [change for change in changes if change[0] != "BOOKMARK" or "annotations" in change[1]["metadata"]]

    since = kind.get(namespace=NAME).metadata.resourceVersion
    kind.create(body=ovens.oven(NAME, "watched", 90))
    kind.patch(name="watched", namespace=NAME, body={"spec": {"heat": 95}}, content_type=_MERGE)
    kind.patch(name="watched", namespace=NAME, body={"metadata": {"labels": {"letter": "x"}}}, content_type=_MERGE)
    kind.delete(name="watched", namespace=NAME)
    notes.record("watch all", collect)
    notes.record("watch any version", collect, resource_version="0")
    notes.record("watch from a version", collect, resource_version=since)
    notes.record("watch one", collect, name="watched", resource_version=since)
    notes.record("watch labels that change", collect, label_selector="letter=w", resource_version=since)
    notes.record("watch fields that change", collect, field_selector="spec.heat=95", resource_version=since)
    initial = {"send_initial_events": True, "resource_version_match": "NotOlderThan", "allow_watch_bookmarks": True}
    notes.record("watch with initial events", collect, **initial)
    notes.record("watch initial events without bookmarks", collect, **{**initial, "allow_watch_bookmarks": None})
    notes.record_error("watch from a version that is gone", collect, resource_version="1")
    notes.record_error("watch from no version", collect, resource_version="x")
    notes.record_error("watch a bad selector", collect, label_selector="=")


def _deletions(notes: Notes, kind: Any) -> None:
    finalized = ovens.oven(NAME, "kept", 90)
    kind.create(body={**finalized, "metadata": {**finalized["metadata"], "finalizers": ["example.com/kept"]}})
    foreign = {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}}
    notes.record_error("delete another uid", kind.delete, name="kept", namespace=NAME, body=foreign)
    notes.record("delete what is kept", kind.delete, name="kept", namespace=NAME)
    notes.record("get what is kept", kind.get, name="kept", namespace=NAME)
    more = {"metadata": {"finalizers": ["example.com/kept", "example.com/more"]}}
    merge = {"name": "kept", "namespace": NAME, "content_type": _MERGE}
    notes.record_error("add a finalizer", kind.patch, body=more, **merge)
    notes.record("remove the finalizer", kind.patch, body={"metadata": {"finalizers": []}}, **merge)
    notes.record_error("get what was kept", kind.get, name="kept", namespace=NAME)
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
    notes.record("delete b", kind.delete, name="b", namespace=NAME, body=options)
    notes.record_error("delete b again", kind.delete, name="b", namespace=NAME)
    wrong = {**options, "propagationPolicy": "Sideways"}
    notes.record_error("delete by no policy", kind.delete, name="ba", namespace=NAME, body=wrong)
    notes.record("delete some", kind.delete, namespace=NAME, label_selector="letter=b")
    notes.record("list what is left", kind.get, namespace=NAME)


def _withdrawal(notes: Notes, crds: Any, kind: Any) -> None:
    name = ovens.crd(NAME)["metadata"]["name"]
    crds.delete_custom_resource_definition(name)
    eventually(lambda: crds.list_custom_resource_definition(field_selector=f"metadata.name={name}").items, _none)
    notes.record_error("read the CRD that was deleted", crds.read_custom_resource_definition, name)
    notes.record_error("list objects without their CRD", kind.get, namespace=NAME)


def _none(items: list[Any]) -> bool:
    return not items
