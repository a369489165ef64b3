"""A conversation with `lightkube`: generic resources for custom ones, models for CRDs and built-in kinds, its `wait`."""

from __future__ import annotations

import importlib
from typing import Any, Final

from oracle.clients import ovens
from oracle.clients.notes import Notes, Speech, Step, eventually

JSONValue = Any
NAME: Final = "lightkube"


class _Client:
    """The client, what it calls the things of the conversation, and the notes."""

    def __init__(self, kubeconfig: str, steps: list[Step]) -> None:
        self.library: Any = importlib.import_module("lightkube")
        generic: Any = importlib.import_module("lightkube.generic_resource")
        self.meta: Any = importlib.import_module("lightkube.models.meta_v1")
        self.core: Any = importlib.import_module("lightkube.resources.core_v1")
        self.crds: Any = importlib.import_module("lightkube.resources.apiextensions_v1").CustomResourceDefinition
        types: Any = importlib.import_module("lightkube.types")
        self.patches, self.cascades = types.PatchType, types.CascadeType
        httpx: Any = importlib.import_module("httpx2")  # for watches it raises errors of this as they are
        config = self.library.KubeConfig.from_file(kubeconfig)
        self.it = self.library.Client(config=config, namespace=NAME, field_manager=NAME)
        self.kind = generic.create_namespaced_resource(ovens.group(NAME), ovens.VERSION, ovens.KIND, ovens.PLURAL)
        self.notes = Notes(Speech(_plain, (httpx.HTTPStatusError,), _told), steps)

    def oven(self, name: str, heat: Any, **spec: Any) -> Any:
        return self.kind(ovens.oven(NAME, name, heat, **spec))


def converse(kubeconfig: str, steps: list[Step]) -> None:
    """Hold the conversation with the server of *kubeconfig*, and note it in *steps*."""
    client = _Client(kubeconfig, steps)
    with client.it:
        client.it.create(client.core.Namespace.from_dict(ovens.namespace(NAME)))
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
    """Return JSON of models, which know how to, and of what is made of them."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "to_dict"):
        return _plain(value.to_dict())
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def _told(error: Any) -> JSONValue:
    """Return what an error says, and the Status that it has, if it has one."""
    return {"says": str(error), "status": _plain(getattr(error, "status", None))}


def _definition(client: _Client) -> None:
    notes, it = client.notes, client.it
    crd = ovens.crd(NAME)
    name = crd["metadata"]["name"]
    wrong = {**crd, "spec": {**crd["spec"], "group": "other.example.com"}}
    notes.refuse("create a CRD with a wrong group", it.create, client.crds.from_dict(wrong))
    notes.ask("create a CRD", it.create, client.crds.from_dict(crd))
    notes.refuse("create the CRD again", it.create, client.crds.from_dict(crd))
    notes.ask("wait for the CRD", lambda: it.wait(client.crds, name, for_conditions=["Established"]).metadata.name)
    notes.ask("get the CRD", lambda: _unowned(it.get(client.crds, name)))
    notes.ask("list CRDs", lambda: [one.metadata.name for one in it.list(client.crds) if NAME in one.metadata.name])
    notes.ask("label the CRD", lambda: it.set(client.crds, name, labels={"kitchen": "yes"}).metadata.labels)
    notes.refuse("get a CRD that is not there", it.get, client.crds, "no.example.com")


def _unowned(given: Any) -> JSONValue:
    """Return a CRD or a ConfigMap without who owns what of it, which is told less exactly here."""
    value = given.to_dict()
    return {**value, "metadata": {key: item for key, item in value["metadata"].items() if key != "managedFields"}}


def _objects(client: _Client) -> None:
    notes, it = client.notes, client.it
    created = notes.ask("create a", it.create, client.oven("a", 180))
    notes.refuse("create a again", it.create, client.oven("a", 180))
    notes.refuse("create what was created", it.create, created)
    notes.refuse("create too hot", it.create, client.oven("b", 400))
    notes.refuse("create too many", it.create, client.oven("b", 290, replicas=4))
    notes.refuse("create a tray without a name", it.create, client.oven("b", 180, trays=[{"of": "tin"}]))
    lost = client.kind({**ovens.oven("nowhere", "b", 180), **_here()})
    notes.refuse("create in no namespace", it.create, lost, namespace="nowhere")
    notes.ask("try to create b", it.create, client.oven("b", 180, unknown=1), dry_run=True)
    notes.ask("get a", it.get, client.kind, "a")
    notes.refuse("get what was only tried", it.get, client.kind, "b")
    changed = client.kind({**created, "spec": {"heat": 190}})
    notes.ask("replace a", it.replace, changed)
    notes.refuse("replace a stale one", it.replace, client.kind({**changed, "spec": {"heat": 200}}))
    notes.refuse("replace without a version", it.replace, client.oven("a", 190))
    notes.refuse("replace what is not there", it.replace, client.oven("no", 190))


def _here() -> JSONValue:
    return {"apiVersion": f"{ovens.group(NAME)}/{ovens.VERSION}"}


def _lists(client: _Client) -> None:
    notes, it, kind = client.notes, client.it, client.kind
    operators: Any = importlib.import_module("lightkube.operators")
    for name, heat in (("b", 60), ("ba", 70), ("c", 70)):
        it.create(client.oven(name, heat))

    def listed(**how: Any) -> list[Any]:
        return [*it.list(kind, **how)]

    def version() -> str:
        got = it.list(kind)
        assert [*got]
        return str(got.resourceVersion)

    notes.ask("list all", listed)
    notes.ask("list in all namespaces", listed, namespace="*")
    notes.ask("list in chunks", listed, chunk_size=3)
    notes.ask("the version of a list", lambda: {"resourceVersion": version()})
    chosen: Any = {
        "b": {"letter": "b"},
        "some": {"letter": ["a", "c"]},
        "not b": {"letter": operators.not_equal("b")},
        "not in": {"letter": operators.not_in(["a", "b"])},
        "those with": {"letter": None},
        "those without": {"letter": operators.not_exists()},
    }
    for words, labels in chosen.items():
        notes.ask(f"list labels: {words}", listed, labels=labels)
    notes.ask("list by a field", listed, fields={"spec.heat": "70"})
    notes.ask("list by fields", listed, fields={"metadata.name": operators.not_in(["a", "b"])})
    notes.refuse("list by another field", listed, fields={"spec.replicas": "1"})
    notes.refuse("list by a bad label", listed, labels={"-letter": "b"})


def _patches(client: _Client) -> None:
    merge, json_patch = client.patches.MERGE, client.patches.JSON

    def patch(asked: str, body: JSONValue, kind: Any = merge, *, fails: bool = False, name: str = "a") -> None:
        note = client.notes.refuse if fails else client.notes.ask
        note(asked, client.it.patch, client.kind, name, body, patch_type=kind)

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
    client.notes.ask("set a label", client.it.set, client.kind, "a", labels={"floor": "2"}, annotations={"note": "hot"})
    client.notes.ask("take the label away", client.it.set, client.kind, "a", labels={"floor": None})


def _applies(client: _Client) -> None:
    def apply(asked: str, heat: int, manager: str, *, fails: bool = False, **more: Any) -> None:
        note = client.notes.refuse if fails else client.notes.ask
        oven = client.oven("applied", heat, trays=[{"name": manager, "of": "steel"}])
        note(asked, client.it.apply, oven, field_manager=manager, **more)

    apply("apply", 100, "cook")
    apply("apply the same", 100, "cook")
    apply("apply another heat as another", 120, "baker", fails=True)
    apply("apply another heat with force", 120, "baker", force=True)
    apply("apply the old heat again", 100, "cook", fails=True)
    apply("try to apply", 130, "baker", dry_run=True)
    apply("apply too much heat", 1000, "baker", fails=True)


def _subresources(client: _Client) -> None:
    notes, it, kind = client.notes, client.it, client.kind
    status = {"phase": "Warm", "replicas": 1, "selector": "app=a", "conditions": [{"type": "Ready", "status": "True"}]}
    merge = {"patch_type": client.patches.MERGE}
    notes.ask("patch status", it.patch, kind.Status, "a", {"status": status, "spec": {"heat": 55}}, **merge)
    notes.refuse("patch a wrong status", it.patch, kind.Status, "a", {"status": {"phase": 1}}, **merge)
    got = notes.ask("get status", it.get, kind.Status, "a")
    again = kind.Status({**got, "status": {**status, "phase": "Hot"}})
    notes.ask("replace status", it.replace, again, "a")
    notes.refuse("replace a stale status", it.replace, again, "a")
    notes.ask("wait until it is ready", it.wait, kind, "a", for_conditions=["Ready"])
    applied = kind.Status({**_here(), "kind": ovens.KIND, "metadata": {"name": "a"}, "status": {"phase": "Cold"}})
    notes.refuse("apply status", it.apply, applied, "a")
    notes.ask("apply status with force", it.apply, applied, "a", force=True)
    scale = notes.ask("get scale", it.get, kind.Scale, "a")
    scale.spec.replicas = 2
    notes.ask("replace scale", it.replace, scale, "a")
    notes.ask("patch scale", it.patch, kind.Scale, "a", {"spec": {"replicas": 3}}, **merge)
    notes.refuse("patch scale below zero", it.patch, kind.Scale, "a", {"spec": {"replicas": -1}}, **merge)
    notes.refuse("scale what is not there", it.get, kind.Scale, "no")


def _watches(client: _Client) -> None:
    notes, it, kind = client.notes, client.it, client.kind
    listing = it.list(kind)
    assert [*listing]
    since = listing.resourceVersion
    it.create(client.oven("watched", 90))
    it.patch(kind, "watched", {"spec": {"heat": 95}}, patch_type=client.patches.MERGE)
    it.set(kind, "watched", labels={"letter": "x"})
    it.delete(kind, "watched")

    def seen(count: int, **how: Any) -> list[JSONValue]:
        """Return the first events; the client asks again and again, and so never ends."""
        events = it.watch(kind, server_timeout=1, **how)
        return [[change, oven] for _, (change, oven) in zip(range(count), events, strict=False)]

    notes.ask("watch all", seen, 5)
    notes.ask("watch from a version", seen, 4, resource_version=since)
    notes.ask("watch labels that change", seen, 3, labels={"letter": "w"}, resource_version=since)
    notes.ask("watch fields that change", seen, 2, fields={"spec.heat": "95"}, resource_version=since)
    notes.refuse("watch from a version that is gone", seen, 1, resource_version="1")
    notes.refuse("watch from no version", seen, 1, resource_version="x")
    retry: Any = importlib.import_module("lightkube.types").on_error_retry
    notes.ask("watch again after a version that is gone", seen, 5, resource_version="1", on_error=retry)


def _deletions(client: _Client) -> None:
    notes, it, kind = client.notes, client.it, client.kind
    kept = client.oven("kept", 90)
    kept["metadata"]["finalizers"] = ["example.com/kept"]
    it.create(kept)
    notes.ask("try to delete what is kept", it.delete, kind, "kept", dry_run=True)
    notes.ask("delete what is kept", it.delete, kind, "kept")
    notes.ask("get what is kept", it.get, kind, "kept")
    merge = {"patch_type": client.patches.MERGE}
    notes.ask("remove the finalizer", it.patch, kind, "kept", {"metadata": {"finalizers": None}}, **merge)
    notes.refuse("get what was kept", it.get, kind, "kept")
    notes.ask("delete b", it.delete, kind, "b", grace_period=0)
    notes.refuse("delete b again", it.delete, kind, "b")
    notes.ask("delete ba", it.delete, kind, "ba", cascade=client.cascades.BACKGROUND)
    notes.ask("try to delete all", it.deletecollection, kind, dry_run=True)
    notes.ask("list what is left", lambda: [*it.list(kind)])
    notes.ask("delete all", it.deletecollection, kind)
    notes.ask("list nothing", lambda: [*it.list(kind)])


def _builtins(client: _Client) -> None:
    notes, it, core = client.notes, client.it, client.core
    meta = client.meta.ObjectMeta
    menu = core.ConfigMap(metadata=meta(name="menu", labels={"a": "b"}), data={"monday": "soup"})
    notes.ask("create a ConfigMap", it.create, menu)
    notes.refuse("create the ConfigMap again", it.create, menu)
    notes.ask("patch the ConfigMap", it.patch, core.ConfigMap, "menu", {"data": {"tuesday": "rice"}})
    notes.ask("get the ConfigMap", it.get, core.ConfigMap, "menu")
    more = core.ConfigMap(apiVersion="v1", kind="ConfigMap", metadata=meta(name="menu"), data={"monday": "stew"})
    notes.refuse("apply the ConfigMap", it.apply, more, field_manager="cook")
    notes.ask("apply the ConfigMap with force", lambda: _unowned(it.apply(more, field_manager="cook", force=True)))
    notes.ask("list ConfigMaps", lambda: [*map(_unowned, it.list(core.ConfigMap, labels={"a": "b"}))])
    notes.refuse("get no ConfigMap", it.get, core.ConfigMap, "no")
    notes.ask("create a Secret", it.create, core.Secret(metadata=meta(name="key"), type="Opaque", data={"key": "aGk="}))
    notes.ask("get the Secret", it.get, core.Secret, "key")
    notes.ask("delete the Secret", it.delete, core.Secret, "key")
    notes.ask("delete ConfigMaps", it.deletecollection, core.ConfigMap)
    notes.ask("create a namespace", it.create, core.Namespace.from_dict(ovens.namespace(f"{NAME}-more")))
    notes.ask("get the namespace", it.get, core.Namespace, f"{NAME}-more")
    notes.ask("label the namespace", it.set, core.Namespace, f"{NAME}-more", labels={"a": "b"})
    notes.refuse("get no namespace", it.get, core.Namespace, "nowhere")


def _withdrawal(client: _Client) -> None:
    it, name = client.it, ovens.crd(NAME)["metadata"]["name"]
    it.delete(client.crds, name)
    eventually(lambda: [one for one in it.list(client.crds) if one.metadata.name == name], lambda left: not left)
    client.notes.refuse("get the CRD that was deleted", it.get, client.crds, name)
