"""A conversation with `kubernetes`: its dynamic client for custom resources, its typed one for CRDs."""

from __future__ import annotations

import contextlib
import importlib
import json
from typing import Any, Final

from oracle.clients import kubernetesbuiltins, ovens
from oracle.clients.notes import Notes, Speech, Step, eventually

JSONValue = Any
NAME: Final = kubernetesbuiltins.NAMESPACE
_MERGE: Final = "application/merge-patch+json"
_JSON: Final = "application/json-patch+json"


def converse(kubeconfig: str, steps: list[Step]) -> None:
    """Hold the conversation with the server of *kubeconfig*, and note it in *steps*."""
    client: Any = importlib.import_module("kubernetes.client")
    config: Any = importlib.import_module("kubernetes.config")
    dynamic: Any = importlib.import_module("kubernetes.dynamic")
    config.load_kube_config(config_file=kubeconfig)
    with client.ApiClient() as connected:
        notes = Notes(Speech(_plainly(connected), (client.ApiException,), _told), steps)
        core = client.CoreV1Api(connected)
        core.create_namespace(ovens.namespace(NAME))
        _definition(notes, client, connected)
        spoken = dynamic.DynamicClient(connected)
        kind = spoken.resources.get(api_version=f"{ovens.group(NAME)}/{ovens.VERSION}", kind=ovens.KIND)
        _discovery(notes, client, connected, spoken, kind)
        _objects(notes, kind)
        _lists(notes, kind)
        _patches(notes, kind)
        _applies(notes, kind)
        _subresources(notes, client.CustomObjectsApi(connected))
        _watches(notes, kind)
        _deletions(notes, kind)
        kubernetesbuiltins.kept(notes, client, connected)
        kubernetesbuiltins.elected(notes, client.CoordinationV1Api(connected), client.CoreV1Api(connected))
        _withdrawal(notes, client.ApiextensionsV1Api(connected), kind)


def _plainly(connected: Any) -> Any:
    def plain(value: Any) -> JSONValue:
        """Return JSON of dictionaries, typed models and what the dynamic client wraps."""
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        return connected.sanitize_for_serialization(value.to_dict() if _wrapped(value) else value)

    return plain


def _wrapped(value: Any) -> bool:
    return type(value).__name__ in ("ResourceInstance", "ResourceField")


def _told(error: Any) -> JSONValue:
    """Return what an exception has of the answer."""
    told = {"code": error.status, "reason": error.reason}
    with contextlib.suppress(json.JSONDecodeError):
        return {**told, "status": json.loads(error.body or "")}
    return {**told, "body": error.body}


def _definition(notes: Notes, client: Any, connected: Any) -> None:
    crds = client.ApiextensionsV1Api(connected)
    crd = ovens.crd(NAME)
    name = crd["metadata"]["name"]
    wrong = {**crd, "metadata": {"name": f"not{name}"}}
    notes.refuse("create a CRD with a wrong name", crds.create_custom_resource_definition, wrong)
    created = notes.ask("create a CRD", crds.create_custom_resource_definition, crd)
    notes.refuse("create the CRD again", crds.create_custom_resource_definition, created)
    eventually(lambda: crds.read_custom_resource_definition_status(name), _established)
    notes.ask("read the CRD", lambda: kubernetesbuiltins.unowned(crds.read_custom_resource_definition(name)))
    labelled = {"metadata": {"labels": {"kitchen": "yes"}}}
    notes.ask(
        "label the CRD", lambda: kubernetesbuiltins.unowned(crds.patch_custom_resource_definition(name, labelled))
    )
    items = crds.list_custom_resource_definition(label_selector="kitchen=yes").items
    notes.ask("list CRDs by label", lambda: [*map(kubernetesbuiltins.unowned, items)])
    notes.refuse("read a CRD that is not there", crds.read_custom_resource_definition, "no.example.com")


def _established(crd: Any) -> bool:
    return any(one.type == "Established" and one.status == "True" for one in crd.status.conditions or [])


def _discovery(notes: Notes, client: Any, connected: Any, dynamic: Any, kind: Any) -> None:
    custom = client.CustomObjectsApi(connected)
    version = notes.ask("read the version", lambda: _numbers(client.VersionApi(connected).get_code()))
    notes.ask("the dynamic client's version", lambda: dynamic.version["kubernetes"]["major"] == version[0])
    notes.ask("list the resources of the group", custom.get_api_resources, ovens.group(NAME), ovens.VERSION)
    notes.refuse("list the resources of no version", custom.get_api_resources, ovens.group(NAME), "v9")
    notes.ask("discover the kind", lambda: {**kind.to_dict(), "subresources": sorted(kind.subresources)})
    kinds = dynamic.resources.search(group=ovens.group(NAME))
    notes.ask("search the group", lambda: sorted((one.kind, one.name, one.preferred) for one in kinds))
    groups = client.ApisApi(connected).get_api_versions().groups
    notes.ask("list groups", lambda: [one for one in groups if one.name == ovens.group(NAME)])
    for wanted in ("ConfigMap", "Secret", "Event", "Namespace"):
        found = dynamic.resources.get(api_version="v1", kind=wanted).to_dict()
        notes.ask(f"discover {wanted}", found.__getitem__, "verbs")


def _numbers(version: Any) -> list[str]:
    return [version.major, version.minor]


def _objects(notes: Notes, kind: Any) -> None:
    a = ovens.oven(NAME, "a", 180)
    created = notes.ask("create a", kind.create, body=a)
    notes.refuse("create a again", kind.create, body=a)
    notes.refuse("create too hot", kind.create, body=ovens.oven(NAME, "b", 400))
    notes.refuse("create too many", kind.create, body=ovens.oven(NAME, "b", 290, replicas=4))
    notes.refuse("create with a wrong type", kind.create, body=ovens.oven(NAME, "b", "hot"))
    notes.refuse("create with a bad name", kind.create, body=ovens.oven(NAME, "B_", 180))
    notes.refuse("create in no namespace", kind.create, body=ovens.oven("nowhere", "b", 180) | _typed())
    notes.refuse("create another kind", kind.create, body={**a, "kind": "Stove"})
    notes.ask(
        "try to create b", kind.create, body=ovens.oven(NAME, "b", 180, unknown=1), query_params=[("dryRun", "All")]
    )
    strict = [("fieldValidation", "Strict")]
    notes.refuse(
        "create b with an unknown field", kind.create, body=ovens.oven(NAME, "b", 1, no=1), query_params=strict
    )
    made = {**a, "metadata": {"generateName": "made-"}}
    named = notes.ask("create one with a made name", kind.create, body=made, namespace=NAME)
    notes.ask("delete that", kind.delete, name=named.metadata.name, namespace=NAME)
    notes.ask("get a", kind.get, name="a", namespace=NAME)
    notes.refuse("get what is not there", kind.get, name="no", namespace=NAME)
    changed = {**created.to_dict(), "spec": {"heat": 190}}
    notes.ask("replace a", kind.replace, body=changed)
    notes.ask("replace a with a copy", kind.replace, body=kind.get(name="a", namespace=NAME).to_dict())
    notes.refuse("replace a stale one", kind.replace, body={**changed, "spec": {"heat": 200}})
    notes.refuse("replace without a version", kind.replace, body=a)
    notes.refuse(
        "replace what is not there", kind.replace, body={**changed, "metadata": {"name": "no", "namespace": NAME}}
    )


def _typed() -> JSONValue:
    return {"apiVersion": f"{ovens.group(NAME)}/{ovens.VERSION}"}


def _lists(notes: Notes, kind: Any) -> None:
    for name, heat in (("b", 60), ("ba", 70), ("c", 70)):
        kind.create(body=ovens.oven(NAME, name, heat))
    notes.ask("list all", kind.get, namespace=NAME)
    notes.ask("list in all namespaces", kind.get)
    first = notes.ask("list a page", kind.get, namespace=NAME, limit=3)
    token = first.metadata["continue"]
    notes.ask("list the next page", kind.get, namespace=NAME, limit=3, _continue=token)
    notes.refuse("continue with nonsense", kind.get, namespace=NAME, limit=3, _continue="nonsense")
    for selector in ("letter=b", "letter!=b", "letter in (a,c)", "!letter", "letter,letter notin (a)"):
        notes.ask(f"list labels {selector}", kind.get, namespace=NAME, label_selector=selector)
    for selector in (
        "metadata.name=a",
        "spec.heat=70",
        "spec.heat!=70,metadata.name!=a",
        "metadata.namespace=kubernetes",
    ):
        notes.ask(f"list fields {selector}", kind.get, namespace=NAME, field_selector=selector)
    notes.refuse("list a bad label selector", kind.get, namespace=NAME, label_selector="letter in b")
    notes.refuse("list by another field", kind.get, namespace=NAME, field_selector="spec.replicas=1")
    notes.ask("list any version", kind.get, namespace=NAME, resource_version="0")
    notes.refuse("list a bad version", kind.get, namespace=NAME, resource_version="x")
    exact = {"resource_version": first.metadata.resourceVersion, "resource_version_match": "Exact"}
    notes.ask("list an exact version", kind.get, namespace=NAME, **exact)
    notes.refuse("list a version to come", kind.get, namespace=NAME, resource_version="100000000", timeout_seconds=1)


def _patches(notes: Notes, kind: Any) -> None:
    def patch(asked: str, body: JSONValue, media: str = _MERGE, *, fails: bool = False, name: str = "a") -> None:
        note = notes.refuse if fails else notes.ask
        note(asked, kind.patch, name=name, namespace=NAME, body=body, content_type=media)

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
    def apply(asked: str, heat: int, manager: str, *, fails: bool = False, **more: Any) -> None:
        body = ovens.oven(NAME, "applied", heat, trays=[{"name": manager, "of": "steel"}])
        note = notes.refuse if fails else notes.ask
        note(asked, kind.server_side_apply, body=body, field_manager=manager, **more)

    apply("apply", 100, "cook")
    apply("apply the same", 100, "cook")
    apply("apply another heat as another", 120, "baker", fails=True)
    apply("apply another heat with force", 120, "baker", force_conflicts=True)
    apply("apply the old heat again", 100, "cook", fails=True)
    apply("apply too much heat", 1000, "baker", fails=True)
    apply("apply without a manager", 100, "", fails=True)


def _subresources(notes: Notes, custom: Any) -> None:
    at = (ovens.group(NAME), ovens.VERSION, NAME, ovens.PLURAL, "a")
    stored = custom.get_namespaced_custom_object(*at)
    status = {"phase": "Warm", "replicas": 1, "selector": "app=a", "conditions": [{"type": "Ready", "status": "True"}]}
    notes.ask("replace status and spec", custom.replace_namespaced_custom_object, *at, {**stored, "status": status})
    stored = notes.ask("get status", custom.get_namespaced_custom_object_status, *at)
    changed = {**stored, "spec": {"heat": 55}, "status": status}
    notes.ask("replace status", custom.replace_namespaced_custom_object_status, *at, changed)
    notes.refuse("replace a stale status", custom.replace_namespaced_custom_object_status, *at, changed)
    patch, scale = custom.patch_namespaced_custom_object_status, custom.patch_namespaced_custom_object_scale
    notes.ask("patch status", patch, *at, {"status": {"phase": "Hot"}}, _content_type=_MERGE)
    notes.refuse("patch a wrong status", patch, *at, {"status": {"phase": 1}}, _content_type=_MERGE)
    got = notes.ask("get scale", custom.get_namespaced_custom_object_scale, *at)
    more = {**got, "spec": {"replicas": 2}}
    notes.ask("replace scale", custom.replace_namespaced_custom_object_scale, *at, more)
    notes.refuse("replace a stale scale", custom.replace_namespaced_custom_object_scale, *at, more)
    notes.ask("patch scale", scale, *at, {"spec": {"replicas": 3}}, _content_type=_MERGE)
    notes.refuse("patch scale below zero", scale, *at, {"spec": {"replicas": -1}}, _content_type=_MERGE)
    notes.refuse("scale what is not there", custom.get_namespaced_custom_object_scale, *at[:4], "no")


def _watches(notes: Notes, kind: Any) -> None:
    def seen(**how: Any) -> list[JSONValue]:
        """Return what is told within a second, less bookmarks: when there is one, a server is free to choose."""
        events = kind.watch(namespace=NAME, timeout=1, **how)
        told = [[event["type"], event["raw_object"]] for event in events]
        return [one for one in told if one[0] != "BOOKMARK" or "annotations" in one[1]["metadata"]]

    since = kind.get(namespace=NAME).metadata.resourceVersion
    kind.create(body=ovens.oven(NAME, "watched", 90))
    kind.patch(name="watched", namespace=NAME, body={"spec": {"heat": 95}}, content_type=_MERGE)
    kind.patch(name="watched", namespace=NAME, body={"metadata": {"labels": {"letter": "x"}}}, content_type=_MERGE)
    kind.delete(name="watched", namespace=NAME)
    notes.ask("watch all", seen)
    notes.ask("watch any version", seen, resource_version="0")
    notes.ask("watch from a version", seen, resource_version=since)
    notes.ask("watch one", seen, name="watched", resource_version=since)
    notes.ask("watch labels that change", seen, label_selector="letter=w", resource_version=since)
    notes.ask("watch fields that change", seen, field_selector="spec.heat=95", resource_version=since)
    initial = {"send_initial_events": True, "resource_version_match": "NotOlderThan", "allow_watch_bookmarks": True}
    notes.ask("watch with initial events", seen, **initial)
    notes.ask("watch initial events without bookmarks", seen, **{**initial, "allow_watch_bookmarks": None})
    notes.refuse("watch from a version that is gone", seen, resource_version="1")
    notes.refuse("watch from no version", seen, resource_version="x")
    notes.refuse("watch a bad selector", seen, label_selector="=")


def _deletions(notes: Notes, kind: Any) -> None:
    kept = ovens.oven(NAME, "kept", 90)
    kind.create(body={**kept, "metadata": {**kept["metadata"], "finalizers": ["example.com/kept"]}})
    foreign = {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}}
    notes.refuse("delete another uid", kind.delete, name="kept", namespace=NAME, body=foreign)
    notes.ask("delete what is kept", kind.delete, name="kept", namespace=NAME)
    notes.ask("get what is kept", kind.get, name="kept", namespace=NAME)
    more = {"metadata": {"finalizers": ["example.com/kept", "example.com/more"]}}
    merge = {"name": "kept", "namespace": NAME, "content_type": _MERGE}
    notes.refuse("add a finalizer", kind.patch, body=more, **merge)
    notes.ask("remove the finalizer", kind.patch, body={"metadata": {"finalizers": []}}, **merge)
    notes.refuse("get what was kept", kind.get, name="kept", namespace=NAME)
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
    notes.ask("delete b", kind.delete, name="b", namespace=NAME, body=options)
    notes.refuse("delete b again", kind.delete, name="b", namespace=NAME)
    wrong = {**options, "propagationPolicy": "Sideways"}
    notes.refuse("delete by no policy", kind.delete, name="ba", namespace=NAME, body=wrong)
    notes.ask("delete some", kind.delete, namespace=NAME, label_selector="letter=b")
    notes.ask("list what is left", kind.get, namespace=NAME)


def _withdrawal(notes: Notes, crds: Any, kind: Any) -> None:
    name = ovens.crd(NAME)["metadata"]["name"]
    crds.delete_custom_resource_definition(name)
    eventually(lambda: crds.list_custom_resource_definition(field_selector=f"metadata.name={name}").items, _none)
    notes.refuse("read the CRD that was deleted", crds.read_custom_resource_definition, name)
    notes.refuse("list objects without their CRD", kind.get, namespace=NAME)


def _none(items: list[Any]) -> bool:
    return not items
