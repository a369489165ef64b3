"""A conversation with `kr8s`: a class for custom resources, its own classes for built-in kinds, its `wait`."""

from __future__ import annotations

import importlib
import itertools
from typing import Any, Final

from oracle.clients import ovens
from oracle.clients.notes import Notes, Speech, Step, eventually

JSONValue = Any
NAME: Final = "kr8s"


class _Client:
    """The client, what it calls the things of the conversation, and the notes."""

    def __init__(self, kubeconfig: str, steps: list[Step]) -> None:
        self.library: Any = importlib.import_module("kr8s")
        self.objects: Any = importlib.import_module("kr8s.objects")
        self.it = self.library.api(kubeconfig=kubeconfig, namespace=NAME)
        self.kind = self.objects.new_class(
            ovens.KIND, f"{ovens.group(NAME)}/{ovens.VERSION}", asyncio=False, scalable=True, plural=ovens.PLURAL
        )
        self.crds = self.objects.CustomResourceDefinition
        errors = (self.library.ServerError, self.library.NotFoundError, TimeoutError)
        self.notes = Notes(Speech(_plain, errors, _told), steps)

    def oven(self, name: str, heat: Any, **spec: Any) -> Any:
        return self.kind(ovens.oven(NAME, name, heat, **spec), api=self.it)

    def create(self, value: Any) -> Any:
        """Create an object, and return it as the server has answered it."""
        value.create()
        return value

    def patched(self, value: Any, body: JSONValue, **how: Any) -> Any:
        """Patch an object, and return it likewise."""
        value.patch(body, **how)
        return value


def converse(kubeconfig: str, steps: list[Step]) -> None:
    """Hold the conversation with the server of *kubeconfig*, and note it in *steps*."""
    client = _Client(kubeconfig, steps)
    client.create(client.objects.Namespace(ovens.namespace(NAME), api=client.it))
    _definition(client)
    _discovery(client)
    _objects(client)
    _lists(client)
    _patches(client)
    _subresources(client)
    _watches(client)
    _deletions(client)
    _builtins(client)
    _withdrawal(client)


def _plain(value: Any) -> JSONValue:
    """Return JSON of objects, which keep what was answered, and of what is made of them."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.raw.to_dict() if hasattr(value, "raw") else value


def _told(error: Any) -> JSONValue:
    """Return what an error says, and the Status that it has, if it has one."""
    return {"says": str(error), "status": getattr(error, "status", None)}


def _definition(client: _Client) -> None:
    notes, crd = client.notes, ovens.crd(NAME)
    name = crd["metadata"]["name"]
    version = {**crd["spec"]["versions"][0], "storage": False}
    wrong = {**crd, "spec": {**crd["spec"], "versions": [version]}}
    notes.refuse("create a CRD that stores nothing", client.create, client.crds(wrong, api=client.it))
    stored = client.crds(crd, api=client.it)
    notes.ask("create a CRD", client.create, stored)
    notes.refuse("create the CRD again", client.create, client.crds(crd, api=client.it))
    stored.wait("condition=Established", timeout=20)
    notes.ask("get the CRD", lambda: _unowned(client.crds.get(name, api=client.it)))
    notes.ask("whether there is a CRD", client.crds("no.example.com", api=client.it).exists)


def _unowned(crd: Any) -> JSONValue:
    """Return a CRD without who owns what of it, which is told less exactly here."""
    value = crd.raw.to_dict()
    return {**value, "metadata": {key: item for key, item in value["metadata"].items() if key != "managedFields"}}


def _discovery(client: _Client) -> None:
    notes, it = client.notes, client.it
    version = it.version()
    notes.ask("read the version", lambda: [version["major"], version["minor"]])
    notes.ask("look the kind up", it.lookup_kind, ovens.KIND)
    notes.ask("look a short name up", it.lookup_kind, "ov")
    notes.ask("look ConfigMaps up", it.lookup_kind, "cm")
    resources = [one for one in it.api_resources() if one["version"].startswith(ovens.group(NAME))]
    notes.ask("resources of the group", lambda: resources)
    notes.ask("versions of the group", lambda: [one for one in it.api_versions() if ovens.group(NAME) in one])


def _objects(client: _Client) -> None:
    notes = client.notes
    created = notes.ask("create a", client.create, client.oven("a", 180))
    notes.refuse("create a again", client.create, client.oven("a", 180))
    notes.refuse("create too hot", client.create, client.oven("b", 400))
    notes.refuse("create too many", client.create, client.oven("b", 290, replicas=4))
    notes.refuse("create a text", client.create, client.oven("b", "hot"))
    lost = client.kind(ovens.oven(NAME, "b", 180), namespace="nowhere", api=client.it)
    notes.refuse("create in no namespace", client.create, lost)
    notes.ask("get a", client.kind.get, "a", namespace=NAME, api=client.it)
    notes.refuse("get what is not there", client.kind.get, "no", namespace=NAME, api=client.it, timeout=1)
    notes.ask("whether a is there", created.exists)
    notes.ask("whether b is there", client.oven("b", 180).exists)
    notes.refuse("refresh what is not there", client.oven("no", 180).refresh)


def _lists(client: _Client) -> None:
    notes, it = client.notes, client.it
    for name, heat in (("b", 60), ("ba", 70), ("c", 70)):
        client.create(client.oven(name, heat))

    def listed(*names: str, **how: Any) -> list[Any]:
        return [*it.get(client.kind, *names, **how)]

    notes.ask("list all", listed)
    notes.ask("list in all namespaces", listed, namespace=client.library.ALL)
    notes.ask("list by a short name", lambda: [one.name for one in it.get("ov")])
    notes.ask("list by kind and group", lambda: [one.name for one in it.get(f"{ovens.KIND}.{ovens.group(NAME)}")])
    notes.ask("get two", listed, "a", "c")
    notes.ask("list labels", listed, label_selector={"letter": "b"})
    notes.ask("list some labels", listed, label_selector="letter in (a,c)")
    notes.ask("list by a field", listed, field_selector={"spec.heat": "70"})
    notes.refuse("list by another field", listed, field_selector="spec.replicas=1")
    notes.refuse("list by a bad label", listed, label_selector="letter in b")


def _patches(client: _Client) -> None:
    def patch(asked: str, body: JSONValue, *, fails: bool = False, name: str = "a", **how: Any) -> None:
        note = client.notes.refuse if fails else client.notes.ask
        note(asked, client.patched, client.oven(name, 1), body, **how)

    patch("merge heat", {"spec": {"heat": 100}})
    patch("merge the same", {"spec": {"heat": 100}})
    patch("merge too hot", {"spec": {"heat": 1000}}, fails=True)
    patch("merge a stale version", {"metadata": {"resourceVersion": "1"}}, fails=True)
    patch("merge what is not there", {"spec": {"heat": 100}}, name="no", fails=True)
    patch("replace a field", [{"op": "replace", "path": "/spec/heat", "value": 110}], type="json")
    patch("test another value", [{"op": "test", "path": "/spec/heat", "value": 1}], type="json", fails=True)
    patch("add to what is not there", [{"op": "add", "path": "/spec/no/no", "value": 1}], type="json", fails=True)
    labelled = client.oven("a", 1)
    labelled.label(floor="2")
    client.notes.ask("label", lambda: labelled)
    annotated = client.oven("a", 1)
    annotated.annotate(note="hot")
    client.notes.ask("annotate", lambda: annotated)


def _subresources(client: _Client) -> None:
    notes, it = client.notes, client.it
    oven = client.kind.get("a", namespace=NAME, api=it)
    status = {"phase": "Warm", "conditions": [{"type": "Ready", "status": "True"}]}
    notes.ask("patch status", client.patched, oven, {"status": status, "spec": {"heat": 55}}, subresource="status")
    wrong = {"status": {"phase": 1}}
    notes.refuse("patch a wrong status", client.patched, oven, wrong, subresource="status")
    oven.wait("condition=Ready", timeout=5)
    notes.ask("wait until it is ready", lambda: oven)
    oven.wait(["condition=Cold", "jsonpath='{.status.phase}'=Warm"], timeout=5)
    notes.ask("wait for one of two", lambda: oven)
    notes.refuse("wait for what does not come", oven.wait, "condition=Cold", timeout=1)
    oven.scale(2)
    notes.ask("scale", lambda: oven)
    more = {"spec": {"replicas": 3}}
    notes.ask("patch scale", client.patched, client.oven("a", 1), more, subresource="scale")
    notes.refuse("patch no subresource", client.patched, client.oven("a", 1), more, subresource="size")


def _watches(client: _Client) -> None:
    notes, it = client.notes, client.it
    oven = client.create(client.oven("watched", 90))
    since = oven.metadata.resourceVersion
    oven.patch({"spec": {"heat": 95}})
    oven.patch({"metadata": {"labels": {"letter": "x"}}})
    oven.delete()

    def seen(count: int, **how: Any) -> list[JSONValue]:
        """Return the first events; the client has no time after which a watch ends."""
        events = it.watch(client.kind, namespace=NAME, **how)
        return [[change, one] for change, one in itertools.islice(events, count)]

    notes.ask("watch all", seen, 4)
    notes.ask("watch from a version", seen, 3, since=since)
    notes.ask("watch labels that change", seen, 2, label_selector="letter=w", since=since)
    notes.ask("watch fields that change", seen, 2, field_selector="spec.heat=95", since=since)
    notes.refuse("watch by another field", seen, 1, field_selector="spec.none=1")
    one = client.kind.get("a", namespace=NAME, api=it)
    one.patch({"spec": {"heat": 65}})
    stale = client.kind(
        {**one.raw.to_dict(), "metadata": {**one.raw.metadata.to_dict(), "resourceVersion": since}}, api=it
    )
    notes.ask("watch one", lambda: [[change, it] for change, it in itertools.islice(stale.watch(), 1)])


def _deletions(client: _Client) -> None:
    notes = client.notes
    kept = client.oven("kept", 90)
    kept.raw["metadata"]["finalizers"] = ["example.com/kept"]
    kept.create()
    notes.ask("delete what is kept", kept.delete)
    kept.refresh()
    notes.ask("refresh what is kept", lambda: kept)
    notes.ask("remove the finalizer", client.patched, kept, {"metadata": {"finalizers": None}})
    notes.ask("wait until it is gone", kept.wait, "delete", timeout=5)
    notes.refuse("refresh what was kept", kept.refresh)
    b = client.oven("b", 60)
    notes.ask("delete b", b.delete, propagation_policy="Background", grace_period=1)
    notes.refuse("delete b again", b.delete)
    notes.refuse("delete by no policy", client.oven("c", 70).delete, propagation_policy="Sideways")
    notes.ask("delete c by force", client.oven("c", 70).delete, force=True)
    notes.ask("list what is left", lambda: [*client.it.get(client.kind)])


def _builtins(client: _Client) -> None:
    notes, it, objects = client.notes, client.it, client.objects
    meta = {"name": "menu", "namespace": NAME, "labels": {"a": "b"}}
    menu = objects.ConfigMap({"metadata": meta, "data": {"monday": "soup"}}, api=it)
    notes.ask("create a ConfigMap", client.create, menu)
    again = objects.ConfigMap({"metadata": meta}, api=it)
    notes.refuse("create the ConfigMap again", client.create, again)
    notes.ask("patch the ConfigMap", client.patched, menu, {"data": {"tuesday": "rice"}})
    notes.ask("list ConfigMaps", lambda: [*it.get("configmaps", label_selector="a=b")])
    notes.ask("get the ConfigMap", objects.ConfigMap.get, "menu", namespace=NAME, api=it)
    key = {"metadata": {"name": "key", "namespace": NAME}, "type": "Opaque", "data": {"key": "aGVsbG8="}}
    notes.ask("create a Secret", client.create, objects.Secret(key, api=it))
    notes.ask("delete the Secret", objects.Secret(key, api=it).delete)
    notes.refuse("delete the Secret again", objects.Secret(key, api=it).delete)
    more = ovens.namespace(f"{NAME}-more")
    notes.ask("create a namespace", client.create, objects.Namespace(more, api=it))
    notes.refuse("create the namespace again", client.create, objects.Namespace(more, api=it))
    notes.ask("get the namespace", objects.Namespace.get, f"{NAME}-more", api=it)


def _withdrawal(client: _Client) -> None:
    crd = client.crds.get(ovens.crd(NAME)["metadata"]["name"], api=client.it)
    crd.delete()
    eventually(crd.exists, lambda there: not there)
    client.notes.refuse("refresh the CRD that was deleted", crd.refresh)
    client.notes.refuse("list objects without their CRD", lambda: [*client.it.get(client.kind)])
