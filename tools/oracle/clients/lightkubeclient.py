"""A conversation with `lightkube`: generic resources, models for CRDs and built-in kinds, and its `wait`."""

from __future__ import annotations

import importlib
from typing import Any, Final

from oracle.clients import ovens
from oracle.clients.notes import ClientFormat, Notes, Step, eventually
from pytest_crd.engine.jsonvalue import JSONValue

NAME: Final = "lightkube"


class _Client:
    """The client, its classes for the kinds of the conversation, and the notes."""

    def __init__(self, kubeconfig: str, steps: list[Step]) -> None:
        self.library: Any = importlib.import_module("lightkube")
        generic: Any = importlib.import_module("lightkube.generic_resource")
        self.meta: Any = importlib.import_module("lightkube.models.meta_v1")
        self.core: Any = importlib.import_module("lightkube.resources.core_v1")
        self.crds: Any = importlib.import_module("lightkube.resources.apiextensions_v1").CustomResourceDefinition
        types: Any = importlib.import_module("lightkube.types")
        self.patches, self.cascades = types.PatchType, types.CascadeType
        httpx: Any = importlib.import_module("httpx2")  # watches raise errors of this module
        config = self.library.KubeConfig.from_file(kubeconfig)
        self.api = self.library.Client(config=config, namespace=NAME, field_manager=NAME)
        self.kind = generic.create_namespaced_resource(ovens.group(NAME), ovens.VERSION, ovens.KIND, ovens.PLURAL)
        self.notes = Notes(ClientFormat(_plain, (httpx.HTTPStatusError,), _describe), steps)

    def oven(self, name: str, heat: Any, **spec: Any) -> Any:
        return self.kind(ovens.oven(NAME, name, heat, **spec))


def converse(kubeconfig: str, steps: list[Step]) -> None:
    """Hold the conversation with the server of *kubeconfig* and record it in *steps*."""
    client = _Client(kubeconfig, steps)
    with client.api:
        client.api.create(client.core.Namespace.from_dict(ovens.namespace(NAME)))
        _definition(client)
        _objects(client)
        _lists(client)
        _patches(client)
        _applies(client)
        _subresources(client)
        _watches(client)
        _deletions(client)
        _builtins(client)
        _withdrawal(client)


def _plain(value: Any) -> JSONValue:
    """Return models as JSON, also inside lists and mappings."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "to_dict"):
        return _plain(value.to_dict())
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def _describe(error: Any) -> JSONValue:
    """Return the message of an error, and its Status or None."""
    return {"says": str(error), "status": _plain(getattr(error, "status", None))}


def _definition(client: _Client) -> None:
    notes, api = client.notes, client.api
    crd = ovens.crd(NAME)
    name = crd["metadata"]["name"]
    wrong = {**crd, "spec": {**crd["spec"], "group": "other.example.com"}}
    notes.record_error("create a CRD with a wrong group", api.create, client.crds.from_dict(wrong))
    notes.record("create a CRD", api.create, client.crds.from_dict(crd))
    notes.record_error("create the CRD again", api.create, client.crds.from_dict(crd))
    notes.record("wait for the CRD", lambda: api.wait(client.crds, name, for_conditions=["Established"]).metadata.name)
    notes.record("get the CRD", lambda: _without_managed_fields(api.get(client.crds, name)))
    notes.record(
        "list CRDs", lambda: [crd_.metadata.name for crd_ in api.list(client.crds) if NAME in crd_.metadata.name]
    )
    notes.record("label the CRD", lambda: api.set(client.crds, name, labels={"kitchen": "yes"}).metadata.labels)
    notes.record_error("get a CRD that is not there", api.get, client.crds, "no.example.com")


def _without_managed_fields(model: Any) -> JSONValue:
    """Return a CRD or a ConfigMap without managed fields, which pytest-crd tracks less exactly."""
    value = model.to_dict()
    return {**value, "metadata": {key: item for key, item in value["metadata"].items() if key != "managedFields"}}


def _objects(client: _Client) -> None:
    notes, api = client.notes, client.api
    created = notes.record("create a", api.create, client.oven("a", 180))
    notes.record_error("create a again", api.create, client.oven("a", 180))
    notes.record_error("create what was created", api.create, created)
    notes.record_error("create too hot", api.create, client.oven("b", 400))
    notes.record_error("create too many", api.create, client.oven("b", 290, replicas=4))
    notes.record_error("create a tray without a name", api.create, client.oven("b", 180, trays=[{"of": "tin"}]))
    lost = client.kind({**ovens.oven("nowhere", "b", 180), **_api_version()})
    notes.record_error("create in no namespace", api.create, lost, namespace="nowhere")
    notes.record("try to create b", api.create, client.oven("b", 180, unknown=1), dry_run=True)
    notes.record("get a", api.get, client.kind, "a")
    notes.record_error("get what was only tried", api.get, client.kind, "b")
    changed = client.kind({**created, "spec": {"heat": 190}})
    notes.record("replace a", api.replace, changed)
    notes.record_error("replace a stale one", api.replace, client.kind({**changed, "spec": {"heat": 200}}))
    notes.record_error("replace without a version", api.replace, client.oven("a", 190))
    notes.record_error("replace what is not there", api.replace, client.oven("no", 190))


def _api_version() -> JSONValue:
    return {"apiVersion": f"{ovens.group(NAME)}/{ovens.VERSION}"}


def _lists(client: _Client) -> None:
    notes, api, kind = client.notes, client.api, client.kind
    operators: Any = importlib.import_module("lightkube.operators")
    for name, heat in (("b", 60), ("ba", 70), ("c", 70)):
        api.create(client.oven(name, heat))

    def list_ovens(**options: Any) -> list[Any]:
        return [*api.list(kind, **options)]

    def version() -> str:
        got = api.list(kind)
        assert [*got]
        return str(got.resourceVersion)

    notes.record("list all", list_ovens)
    notes.record("list in all namespaces", list_ovens, namespace="*")
    notes.record("list in chunks", list_ovens, chunk_size=3)
    notes.record("the version of a list", lambda: {"resourceVersion": version()})
    chosen: Any = {
        "b": {"letter": "b"},
        "some": {"letter": ["a", "c"]},
        "not b": {"letter": operators.not_equal("b")},
        "not in": {"letter": operators.not_in(["a", "b"])},
        "those with": {"letter": None},
        "those without": {"letter": operators.not_exists()},
    }
    for words, labels in chosen.items():
        notes.record(f"list labels: {words}", list_ovens, labels=labels)
    notes.record("list by a field", list_ovens, fields={"spec.heat": "70"})
    notes.record("list by fields", list_ovens, fields={"metadata.name": operators.not_in(["a", "b"])})
    notes.record_error("list by another field", list_ovens, fields={"spec.replicas": "1"})
    notes.record_error("list by a bad label", list_ovens, labels={"-letter": "b"})


def _patches(client: _Client) -> None:
    merge, json_patch = client.patches.MERGE, client.patches.JSON

    def patch(title: str, body: JSONValue, kind: Any = merge, *, fails: bool = False, name: str = "a") -> None:
        note = client.notes.record_error if fails else client.notes.record
        note(title, client.api.patch, client.kind, name, body, patch_type=kind)

    patch("merge heat", {"spec": {"heat": 100}})
    patch("merge the same", {"spec": {"heat": 100}})
    patch("merge null", {"spec": {"replicas": None}})
    patch("merge too hot", {"spec": {"heat": 1000}}, fails=True)
    patch("merge what is not there", {"spec": {"heat": 100}}, name="no", fails=True)
    patch("replace a field", [{"op": "replace", "path": "/spec/heat", "value": 110}], json_patch)
    patch("test another value", [{"op": "test", "path": "/spec/heat", "value": 1}], json_patch, fails=True)
    patch("remove what is not there", [{"op": "remove", "path": "/spec/none"}], json_patch, fails=True)
    patch("move by no operation", [{"op": "shift", "path": "/spec/heat"}], json_patch, fails=True)
    patch("merge strategically, as is the default", {"spec": {"heat": 1}}, client.patches.STRATEGIC, fails=True)
    client.notes.record(
        "set a label", client.api.set, client.kind, "a", labels={"floor": "2"}, annotations={"note": "hot"}
    )
    client.notes.record("take the label away", client.api.set, client.kind, "a", labels={"floor": None})


def _applies(client: _Client) -> None:
    def apply(title: str, heat: int, manager: str, *, fails: bool = False, **more: Any) -> None:
        note = client.notes.record_error if fails else client.notes.record
        oven = client.oven("applied", heat, trays=[{"name": manager, "of": "steel"}])
        note(title, client.api.apply, oven, field_manager=manager, **more)

    apply("apply", 100, "cook")
    apply("apply the same", 100, "cook")
    apply("apply another heat as another", 120, "baker", fails=True)
    apply("apply another heat with force", 120, "baker", force=True)
    apply("apply the old heat again", 100, "cook", fails=True)
    apply("try to apply", 130, "baker", dry_run=True)
    apply("apply too much heat", 1000, "baker", fails=True)


def _subresources(client: _Client) -> None:
    notes, api, kind = client.notes, client.api, client.kind
    status = {"phase": "Warm", "replicas": 1, "selector": "app=a", "conditions": [{"type": "Ready", "status": "True"}]}
    merge = {"patch_type": client.patches.MERGE}
    notes.record("patch status", api.patch, kind.Status, "a", {"status": status, "spec": {"heat": 55}}, **merge)
    notes.record_error("patch a wrong status", api.patch, kind.Status, "a", {"status": {"phase": 1}}, **merge)
    got = notes.record("get status", api.get, kind.Status, "a")
    again = kind.Status({**got, "status": {**status, "phase": "Hot"}})
    notes.record("replace status", api.replace, again, "a")
    notes.record_error("replace a stale status", api.replace, again, "a")
    notes.record("wait until it is ready", api.wait, kind, "a", for_conditions=["Ready"])
    applied = kind.Status(
        {**_api_version(), "kind": ovens.KIND, "metadata": {"name": "a"}, "status": {"phase": "Cold"}}
    )
    notes.record_error("apply status", api.apply, applied, "a")
    notes.record("apply status with force", api.apply, applied, "a", force=True)
    scale = notes.record("get scale", api.get, kind.Scale, "a")
    scale.spec.replicas = 2
    notes.record("replace scale", api.replace, scale, "a")
    notes.record("patch scale", api.patch, kind.Scale, "a", {"spec": {"replicas": 3}}, **merge)
    notes.record_error("patch scale below zero", api.patch, kind.Scale, "a", {"spec": {"replicas": -1}}, **merge)
    notes.record_error("scale what is not there", api.get, kind.Scale, "no")


def _watches(client: _Client) -> None:
    notes, api, kind = client.notes, client.api, client.kind
    listing = api.list(kind)
    assert [*listing]
    since = listing.resourceVersion
    api.create(client.oven("watched", 90))
    api.patch(kind, "watched", {"spec": {"heat": 95}}, patch_type=client.patches.MERGE)
    api.set(kind, "watched", labels={"letter": "x"})
    api.delete(kind, "watched")

    def collect(count: int, **options: Any) -> list[JSONValue]:
        """Return the first *count* events; the client restarts its watches without end."""
        events = api.watch(kind, server_timeout=1, **options)
        return [[change, oven] for _, (change, oven) in zip(range(count), events, strict=False)]

    notes.record("watch all", collect, 5)
    notes.record("watch from a version", collect, 4, resource_version=since)
    notes.record("watch labels that change", collect, 3, labels={"letter": "w"}, resource_version=since)
    notes.record("watch fields that change", collect, 2, fields={"spec.heat": "95"}, resource_version=since)
    notes.record_error("watch from a version that is gone", collect, 1, resource_version="1")
    notes.record_error("watch from no version", collect, 1, resource_version="x")
    retry: Any = importlib.import_module("lightkube.types").on_error_retry
    notes.record("watch again after a version that is gone", collect, 5, resource_version="1", on_error=retry)


def _deletions(client: _Client) -> None:
    notes, api, kind = client.notes, client.api, client.kind
    finalized = client.oven("kept", 90)
    finalized["metadata"]["finalizers"] = ["example.com/kept"]
    api.create(finalized)
    notes.record("try to delete what is kept", api.delete, kind, "kept", dry_run=True)
    notes.record("delete what is kept", api.delete, kind, "kept")
    notes.record("get what is kept", api.get, kind, "kept")
    merge = {"patch_type": client.patches.MERGE}
    notes.record("remove the finalizer", api.patch, kind, "kept", {"metadata": {"finalizers": None}}, **merge)
    notes.record_error("get what was kept", api.get, kind, "kept")
    notes.record("delete b", api.delete, kind, "b", grace_period=0)
    notes.record_error("delete b again", api.delete, kind, "b")
    notes.record("delete ba", api.delete, kind, "ba", cascade=client.cascades.BACKGROUND)
    notes.record("try to delete all", api.deletecollection, kind, dry_run=True)
    notes.record("list what is left", lambda: [*api.list(kind)])
    notes.record("delete all", api.deletecollection, kind)
    notes.record("list nothing", lambda: [*api.list(kind)])


def _builtins(client: _Client) -> None:
    notes, api, core = client.notes, client.api, client.core
    meta = client.meta.ObjectMeta
    menu = core.ConfigMap(metadata=meta(name="menu", labels={"a": "b"}), data={"monday": "soup"})
    notes.record("create a ConfigMap", api.create, menu)
    notes.record_error("create the ConfigMap again", api.create, menu)
    notes.record("patch the ConfigMap", api.patch, core.ConfigMap, "menu", {"data": {"tuesday": "rice"}})
    notes.record("get the ConfigMap", api.get, core.ConfigMap, "menu")
    more = core.ConfigMap(apiVersion="v1", kind="ConfigMap", metadata=meta(name="menu"), data={"monday": "stew"})
    notes.record_error("apply the ConfigMap", api.apply, more, field_manager="cook")
    notes.record(
        "apply the ConfigMap with force",
        lambda: _without_managed_fields(api.apply(more, field_manager="cook", force=True)),
    )
    notes.record(
        "list ConfigMaps", lambda: [*map(_without_managed_fields, api.list(core.ConfigMap, labels={"a": "b"}))]
    )
    notes.record_error("get no ConfigMap", api.get, core.ConfigMap, "no")
    notes.record(
        "create a Secret", api.create, core.Secret(metadata=meta(name="key"), type="Opaque", data={"key": "aGk="})
    )
    notes.record("get the Secret", api.get, core.Secret, "key")
    notes.record("delete the Secret", api.delete, core.Secret, "key")
    notes.record("delete ConfigMaps", api.deletecollection, core.ConfigMap)
    notes.record("create a namespace", api.create, core.Namespace.from_dict(ovens.namespace(f"{NAME}-more")))
    notes.record("get the namespace", api.get, core.Namespace, f"{NAME}-more")
    notes.record("label the namespace", api.set, core.Namespace, f"{NAME}-more", labels={"a": "b"})
    notes.record_error("get no namespace", api.get, core.Namespace, "nowhere")


def _withdrawal(client: _Client) -> None:
    api, name = client.api, ovens.crd(NAME)["metadata"]["name"]
    api.delete(client.crds, name)
    eventually(lambda: [crd for crd in api.list(client.crds) if crd.metadata.name == name], lambda crds: not crds)
    client.notes.record_error("get the CRD that was deleted", api.get, client.crds, name)
