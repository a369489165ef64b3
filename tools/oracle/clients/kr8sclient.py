"""A conversation with `kr8s`: a class for custom resources, its own classes for built-in kinds, and its `wait`."""

from __future__ import annotations

import importlib
import itertools
from typing import Any, Final

from oracle.clients import ovens
from oracle.clients.notes import ClientFormat, Notes, Step, eventually
from pytest_crd.engine.jsonvalue import JSONValue

NAME: Final = "kr8s"


class _Client:
    """The client, its classes for the kinds of the conversation, and the notes."""

    def __init__(self, kubeconfig: str, steps: list[Step]) -> None:
        self.library: Any = importlib.import_module("kr8s")
        self.objects: Any = importlib.import_module("kr8s.objects")
        self.api = self.library.api(kubeconfig=kubeconfig, namespace=NAME)
        self.kind = self.objects.new_class(
            ovens.KIND, f"{ovens.group(NAME)}/{ovens.VERSION}", asyncio=False, scalable=True, plural=ovens.PLURAL
        )
        self.crds = self.objects.CustomResourceDefinition
        errors = (self.library.ServerError, self.library.NotFoundError, TimeoutError)
        self.notes = Notes(ClientFormat(_plain, errors, _describe), steps)

    def oven(self, name: str, heat: Any, **spec: Any) -> Any:
        return self.kind(ovens.oven(NAME, name, heat, **spec), api=self.api)

    def create(self, value: Any) -> Any:
        """Create an object and return it as the server answered."""
        value.create()
        return value

    def patch(self, value: Any, body: JSONValue, **options: Any) -> Any:
        """Patch an object and return it as the server answered."""
        value.patch(body, **options)
        return value


def converse(kubeconfig: str, steps: list[Step]) -> None:
    """Hold the conversation with the server of *kubeconfig* and record it in *steps*."""
    client = _Client(kubeconfig, steps)
    client.create(client.objects.Namespace(ovens.namespace(NAME), api=client.api))
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
    """Return objects as JSON, also inside lists."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.raw.to_dict() if hasattr(value, "raw") else value


def _describe(error: Any) -> JSONValue:
    """Return the message of an error, and its Status or None."""
    return {"says": str(error), "status": getattr(error, "status", None)}


def _definition(client: _Client) -> None:
    notes, crd = client.notes, ovens.crd(NAME)
    name = crd["metadata"]["name"]
    version = {**crd["spec"]["versions"][0], "storage": False}
    wrong = {**crd, "spec": {**crd["spec"], "versions": [version]}}
    notes.record_error("create a CRD that stores nothing", client.create, client.crds(wrong, api=client.api))
    stored = client.crds(crd, api=client.api)
    notes.record("create a CRD", client.create, stored)
    notes.record_error("create the CRD again", client.create, client.crds(crd, api=client.api))
    stored.wait("condition=Established", timeout=20)
    notes.record("get the CRD", lambda: _without_managed_fields(client.crds.get(name, api=client.api)))
    notes.record("whether there is a CRD", client.crds("no.example.com", api=client.api).exists)


def _without_managed_fields(crd: Any) -> JSONValue:
    """Return a CRD without managed fields, which pytest-crd tracks less exactly."""
    value = crd.raw.to_dict()
    return {**value, "metadata": {key: item for key, item in value["metadata"].items() if key != "managedFields"}}


def _discovery(client: _Client) -> None:
    notes, api = client.notes, client.api
    version = api.version()
    notes.record("read the version", lambda: [version["major"], version["minor"]])
    notes.record("look the kind up", api.lookup_kind, ovens.KIND)
    notes.record("look a short name up", api.lookup_kind, "ov")
    notes.record("look ConfigMaps up", api.lookup_kind, "cm")
    resources = [resource for resource in api.api_resources() if resource["version"].startswith(ovens.group(NAME))]
    notes.record("resources of the group", lambda: resources)
    notes.record(
        "versions of the group", lambda: [resource for resource in api.api_versions() if ovens.group(NAME) in resource]
    )


def _objects(client: _Client) -> None:
    notes = client.notes
    created = notes.record("create a", client.create, client.oven("a", 180))
    notes.record_error("create a again", client.create, client.oven("a", 180))
    notes.record_error("create too hot", client.create, client.oven("b", 400))
    notes.record_error("create too many", client.create, client.oven("b", 290, replicas=4))
    notes.record_error("create a text", client.create, client.oven("b", "hot"))
    lost = client.kind(ovens.oven(NAME, "b", 180), namespace="nowhere", api=client.api)
    notes.record_error("create in no namespace", client.create, lost)
    notes.record("get a", client.kind.get, "a", namespace=NAME, api=client.api)
    notes.record_error("get what is not there", client.kind.get, "no", namespace=NAME, api=client.api, timeout=1)
    notes.record("whether a is there", created.exists)
    notes.record("whether b is there", client.oven("b", 180).exists)
    notes.record_error("refresh what is not there", client.oven("no", 180).refresh)


def _lists(client: _Client) -> None:
    notes, api = client.notes, client.api
    for name, heat in (("b", 60), ("ba", 70), ("c", 70)):
        client.create(client.oven(name, heat))

    def list_ovens(*names: str, **options: Any) -> list[Any]:
        return [*api.get(client.kind, *names, **options)]

    notes.record("list all", list_ovens)
    notes.record("list in all namespaces", list_ovens, namespace=client.library.ALL)
    notes.record("list by a short name", lambda: [item.name for item in api.get("ov")])
    notes.record("list by kind and group", lambda: [item.name for item in api.get(f"{ovens.KIND}.{ovens.group(NAME)}")])
    notes.record("get two", list_ovens, "a", "c")
    notes.record("list labels", list_ovens, label_selector={"letter": "b"})
    notes.record("list some labels", list_ovens, label_selector="letter in (a,c)")
    notes.record("list by a field", list_ovens, field_selector={"spec.heat": "70"})
    notes.record_error("list by another field", list_ovens, field_selector="spec.replicas=1")
    notes.record_error("list by a bad label", list_ovens, label_selector="letter in b")


def _patches(client: _Client) -> None:
    def patch(title: str, body: JSONValue, *, fails: bool = False, name: str = "a", **options: Any) -> None:
        note = client.notes.record_error if fails else client.notes.record
        note(title, client.patch, client.oven(name, 1), body, **options)

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
    client.notes.record("label", lambda: labelled)
    annotated = client.oven("a", 1)
    annotated.annotate(note="hot")
    client.notes.record("annotate", lambda: annotated)


def _subresources(client: _Client) -> None:
    notes, api = client.notes, client.api
    oven = client.kind.get("a", namespace=NAME, api=api)
    status = {"phase": "Warm", "conditions": [{"type": "Ready", "status": "True"}]}
    notes.record("patch status", client.patch, oven, {"status": status, "spec": {"heat": 55}}, subresource="status")
    wrong = {"status": {"phase": 1}}
    notes.record_error("patch a wrong status", client.patch, oven, wrong, subresource="status")
    oven.wait("condition=Ready", timeout=5)
    notes.record("wait until it is ready", lambda: oven)
    oven.wait(["condition=Cold", "jsonpath='{.status.phase}'=Warm"], timeout=5)
    notes.record("wait for one of two", lambda: oven)
    notes.record_error("wait for what does not come", oven.wait, "condition=Cold", timeout=1)
    oven.scale(2)
    notes.record("scale", lambda: oven)
    more = {"spec": {"replicas": 3}}
    notes.record("patch scale", client.patch, client.oven("a", 1), more, subresource="scale")
    notes.record_error("patch no subresource", client.patch, client.oven("a", 1), more, subresource="size")


def _watches(client: _Client) -> None:
    notes, api = client.notes, client.api
    oven = client.create(client.oven("watched", 90))
    since = oven.metadata.resourceVersion
    oven.patch({"spec": {"heat": 95}})
    oven.patch({"metadata": {"labels": {"letter": "x"}}})
    oven.delete()

    def watch(count: int, **options: Any) -> list[JSONValue]:
        """Return the first *count* events; the client has no timeout for watches."""
        events = api.watch(client.kind, namespace=NAME, **options)
        return [[change, item] for change, item in itertools.islice(events, count)]

    notes.record("watch all", watch, 4)
    notes.record("watch from a version", watch, 3, since=since)
    notes.record("watch labels that change", watch, 2, label_selector="letter=w", since=since)
    notes.record("watch fields that change", watch, 2, field_selector="spec.heat=95", since=since)
    notes.record_error("watch by another field", watch, 1, field_selector="spec.none=1")
    item = client.kind.get("a", namespace=NAME, api=api)
    item.patch({"spec": {"heat": 65}})
    stale = client.kind(
        {**item.raw.to_dict(), "metadata": {**item.raw.metadata.to_dict(), "resourceVersion": since}}, api=api
    )
    notes.record("watch one", lambda: [[change, api] for change, api in itertools.islice(stale.watch(), 1)])


def _deletions(client: _Client) -> None:
    notes = client.notes
    finalized = client.oven("kept", 90)
    finalized.raw["metadata"]["finalizers"] = ["example.com/kept"]
    finalized.create()
    notes.record("delete what is kept", finalized.delete)
    finalized.refresh()
    notes.record("refresh what is kept", lambda: finalized)
    notes.record("remove the finalizer", client.patch, finalized, {"metadata": {"finalizers": None}})
    notes.record("wait until it is gone", finalized.wait, "delete", timeout=5)
    notes.record_error("refresh what was kept", finalized.refresh)
    b = client.oven("b", 60)
    notes.record("delete b", b.delete, propagation_policy="Background", grace_period=1)
    notes.record_error("delete b again", b.delete)
    notes.record_error("delete by no policy", client.oven("c", 70).delete, propagation_policy="Sideways")
    notes.record("delete c by force", client.oven("c", 70).delete, force=True)
    notes.record("list what is left", lambda: [*client.api.get(client.kind)])


def _builtins(client: _Client) -> None:
    notes, api, objects = client.notes, client.api, client.objects
    meta = {"name": "menu", "namespace": NAME, "labels": {"a": "b"}}
    menu = objects.ConfigMap({"metadata": meta, "data": {"monday": "soup"}}, api=api)
    notes.record("create a ConfigMap", client.create, menu)
    again = objects.ConfigMap({"metadata": meta}, api=api)
    notes.record_error("create the ConfigMap again", client.create, again)
    notes.record("patch the ConfigMap", client.patch, menu, {"data": {"tuesday": "rice"}})
    notes.record("list ConfigMaps", lambda: [*api.get("configmaps", label_selector="a=b")])
    notes.record("get the ConfigMap", objects.ConfigMap.get, "menu", namespace=NAME, api=api)
    key = {"metadata": {"name": "key", "namespace": NAME}, "type": "Opaque", "data": {"key": "aGVsbG8="}}
    notes.record("create a Secret", client.create, objects.Secret(key, api=api))
    notes.record("delete the Secret", objects.Secret(key, api=api).delete)
    notes.record_error("delete the Secret again", objects.Secret(key, api=api).delete)
    more = ovens.namespace(f"{NAME}-more")
    notes.record("create a namespace", client.create, objects.Namespace(more, api=api))
    notes.record_error("create the namespace again", client.create, objects.Namespace(more, api=api))
    notes.record("get the namespace", objects.Namespace.get, f"{NAME}-more", api=api)


def _withdrawal(client: _Client) -> None:
    crd = client.crds.get(ovens.crd(NAME)["metadata"]["name"], api=client.api)
    crd.delete()
    eventually(crd.exists, lambda exists: not exists)
    client.notes.record_error("refresh the CRD that was deleted", crd.refresh)
    client.notes.record_error("list objects without their CRD", lambda: [*client.api.get(client.kind)])
