"""A conversation with `kubernetes_asyncio`: its CustomObjectsApi, its dynamic client for applies, its watches, its leader election."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
from typing import Any, Final

from oracle.clients import ovens
from oracle.clients.notes import Notes, Speech, Step

JSONValue = Any
NAME: Final = "asyncio"
_AT: Final = (ovens.group(NAME), ovens.VERSION, NAME, ovens.PLURAL)
_MERGE: Final = {"_content_type": "application/merge-patch+json"}
_JSON: Final = {"_content_type": "application/json-patch+json"}


def converse(kubeconfig: str, steps: list[Step]) -> None:
    """Hold the conversation with the server of *kubeconfig*, and note it in *steps*."""
    asyncio.run(_converse(kubeconfig, steps))


async def _converse(kubeconfig: str, steps: list[Step]) -> None:
    client: Any = importlib.import_module("kubernetes_asyncio.client")
    config: Any = importlib.import_module("kubernetes_asyncio.config")
    await config.load_kube_config(config_file=kubeconfig)
    async with client.ApiClient() as connected:
        notes = Notes(Speech(_plainly(connected), (client.ApiException,), _told), steps)
        await client.CoreV1Api(connected).create_namespace(ovens.namespace(NAME))
        custom, crds = client.CustomObjectsApi(connected), client.ApiextensionsV1Api(connected)
        await _definition(notes, crds)
        await _discovery(notes, client, connected)
        await _objects(notes, custom)
        await _lists(notes, custom)
        await _patches(notes, custom)
        await _applies(notes, connected)
        await _subresources(notes, custom)
        await _watches(notes, custom)
        await _deletions(notes, custom)
        await _builtins(notes, client, connected)
        await _election(notes, client, connected)
        await _withdrawal(notes, custom, crds)


def _plainly(connected: Any) -> Any:
    def plain(value: Any) -> JSONValue:
        """Return JSON of dictionaries, typed models and what the dynamic client wraps."""
        wrapped = type(value).__name__ == "ResourceInstance"
        return connected.sanitize_for_serialization(value.to_dict() if wrapped else value)

    return plain


def _told(error: Any) -> JSONValue:
    """Return what an exception has of the answer."""
    told = {"code": error.status, "reason": error.reason}
    with contextlib.suppress(json.JSONDecodeError):
        return {**told, "status": json.loads(error.body or "")}
    return {**told, "body": error.body}


async def _definition(notes: Notes, crds: Any) -> None:
    crd = ovens.crd(NAME)
    name = crd["metadata"]["name"]
    typed = {**crd, "spec": {**crd["spec"], "scope": "Everywhere"}}
    await notes.refuse_async("create a CRD with a wrong scope", crds.create_custom_resource_definition(typed))
    await notes.ask_async("create a CRD", crds.create_custom_resource_definition(crd))
    await notes.refuse_async("create the CRD again", crds.create_custom_resource_definition(crd))
    async with asyncio.timeout(20):
        while not _established(await crds.read_custom_resource_definition(name)):  # noqa: ASYNC110 - a server is asked
            await asyncio.sleep(0.05)
    stored = await crds.read_custom_resource_definition(name)
    stored.metadata.managed_fields = None  # told less exactly here
    await notes.ask_async("read the CRD", _given(stored))
    await notes.refuse_async("read a CRD that is not there", crds.read_custom_resource_definition("no.example.com"))


async def _given(value: Any) -> Any:
    return value


def _established(crd: Any) -> bool:
    return any(one.type == "Established" and one.status == "True" for one in crd.status.conditions or [])


async def _discovery(notes: Notes, client: Any, connected: Any) -> None:
    dynamic: Any = importlib.import_module("kubernetes_asyncio.dynamic")
    version = await client.VersionApi(connected).get_code()
    await notes.ask_async("read the version", _given([version.major, version.minor]))
    group = client.CustomObjectsApi(connected).get_api_resources(*_AT[:2])
    await notes.ask_async("list the resources of the group", group)
    found = await dynamic.DynamicClient(connected)
    kind = await found.resources.get(api_version=f"{_AT[0]}/{ovens.VERSION}", kind=ovens.KIND)
    await notes.ask_async("discover the kind", _given({**kind.to_dict(), "subresources": sorted(kind.subresources)}))
    maps = await found.resources.get(api_version="v1", kind="ConfigMap")
    await notes.ask_async("discover ConfigMaps", _given([maps.name, maps.namespaced, maps.verbs, maps.short_names]))


async def _objects(notes: Notes, custom: Any) -> None:
    create, get = custom.create_namespaced_custom_object, custom.get_namespaced_custom_object
    a = ovens.oven(NAME, "a", 180)
    created = await notes.ask_async("create a", create(*_AT, a))
    await notes.refuse_async("create a again", create(*_AT, a))
    await notes.refuse_async("create what was created", create(*_AT, created))
    await notes.refuse_async("create too hot", create(*_AT, ovens.oven(NAME, "b", 400)))
    await notes.refuse_async("create too many", create(*_AT, ovens.oven(NAME, "b", 290, replicas=4)))
    await notes.refuse_async("create a number", create(*_AT, 5))
    elsewhere = (*_AT[:2], "nowhere", _AT[3])
    await notes.refuse_async("create in no namespace", create(*elsewhere, {**a, "metadata": {"name": "a"}}))
    await notes.refuse_async("create in another namespace", create(*elsewhere, a))
    unknown = ovens.oven(NAME, "b", 180, unknown=1)
    await notes.ask_async("try to create b", create(*_AT, unknown, dry_run="All"))
    await notes.refuse_async("create b strictly", create(*_AT, unknown, field_validation="Strict"))
    await notes.ask_async("get a", get(*_AT, "a"))
    await notes.refuse_async("get what is not there", get(*_AT, "no"))
    await notes.refuse_async("get of no kind", get(*_AT[:3], "stoves", "a"))
    replace = custom.replace_namespaced_custom_object
    changed = {**created, "spec": {"heat": 190}}
    await notes.ask_async("replace a", replace(*_AT, "a", changed))
    await notes.refuse_async("replace a stale one", replace(*_AT, "a", {**changed, "spec": {"heat": 200}}))
    await notes.refuse_async("replace under another name", replace(*_AT, "b", changed))
    await notes.refuse_async("replace without a version", replace(*_AT, "a", a))


async def _lists(notes: Notes, custom: Any) -> None:
    for name, heat in (("b", 60), ("ba", 70), ("c", 70)):
        await custom.create_namespaced_custom_object(*_AT, ovens.oven(NAME, name, heat))
    listed = custom.list_namespaced_custom_object
    await notes.ask_async("list all", listed(*_AT))
    await notes.ask_async("list in all namespaces", custom.list_cluster_custom_object(*_AT[:2], _AT[3]))
    first = await notes.ask_async("list a page", listed(*_AT, limit=3))
    token = first["metadata"]["continue"]
    await notes.ask_async("list the next page", listed(*_AT, limit=3, _continue=token))
    await notes.refuse_async("continue with nonsense", listed(*_AT, _continue="nonsense"))
    for labels in ("letter=b", "letter notin (b)", "!letter"):
        await notes.ask_async(f"list labels {labels}", listed(*_AT, label_selector=labels))
    await notes.ask_async("list by a field", listed(*_AT, field_selector="spec.heat=70"))
    await notes.refuse_async("list by another field", listed(*_AT, field_selector="spec.replicas=1"))
    await notes.refuse_async("list a bad label selector", listed(*_AT, label_selector="a in b"))


async def _patches(notes: Notes, custom: Any) -> None:
    patch = custom.patch_namespaced_custom_object
    await notes.ask_async("merge heat", patch(*_AT, "a", {"spec": {"heat": 100}}, **_MERGE))
    await notes.ask_async("merge null", patch(*_AT, "a", {"metadata": {"labels": None}}, **_MERGE))
    await notes.refuse_async("merge too hot", patch(*_AT, "a", {"spec": {"heat": 1000}}, **_MERGE))
    await notes.refuse_async("merge what is not there", patch(*_AT, "no", {"spec": {"heat": 100}}, **_MERGE))
    replaced = [{"op": "replace", "path": "/spec/heat", "value": 110}]
    await notes.ask_async("replace a field", patch(*_AT, "a", replaced, **_JSON))
    await notes.ask_async("replace a field by default", patch(*_AT, "a", [{**replaced[0], "value": 120}]))
    tested = [{"op": "test", "path": "/spec/heat", "value": 1}]
    await notes.refuse_async("test another value", patch(*_AT, "a", tested, **_JSON))
    await notes.refuse_async("patch an object as a list", patch(*_AT, "a", {"spec": {}}, **_JSON))


async def _applies(notes: Notes, connected: Any) -> None:
    dynamic: Any = importlib.import_module("kubernetes_asyncio.dynamic")
    found = await dynamic.DynamicClient(connected)
    kind = await found.resources.get(api_version=f"{_AT[0]}/{ovens.VERSION}", kind=ovens.KIND)

    def apply(heat: int, manager: str, **more: Any) -> Any:
        body = ovens.oven(NAME, "applied", heat, trays=[{"name": manager, "of": "steel"}])
        return found.server_side_apply(kind, body=body, namespace=NAME, field_manager=manager, **more)

    await notes.ask_async("apply", apply(100, "cook"))
    await notes.ask_async("apply the same", apply(100, "cook"))
    # What is refused this client returns as if it were the object.
    await notes.ask_async("apply another heat as another", apply(120, "baker"))
    await notes.ask_async("apply another heat with force", apply(120, "baker", force_conflicts=True))
    await notes.ask_async("apply too much heat", apply(1000, "baker"))


async def _subresources(notes: Notes, custom: Any) -> None:
    at = (*_AT, "a")
    status = {"phase": "Warm", "replicas": 1, "selector": "app=a"}
    patch = custom.patch_namespaced_custom_object_status
    await notes.ask_async("patch status", patch(*at, {"status": status}, **_MERGE))
    await notes.refuse_async("patch a wrong status", patch(*at, {"status": {"replicas": "x"}}, **_MERGE))
    got = await notes.ask_async("get status", custom.get_namespaced_custom_object_status(*at))
    replace = custom.replace_namespaced_custom_object_status
    hot = {**got, "status": {"phase": "Hot"}, "spec": {"heat": 60}}
    await notes.ask_async("replace status", replace(*at, hot))
    await notes.refuse_async("replace a stale status", replace(*at, hot))
    scale = await notes.ask_async("get scale", custom.get_namespaced_custom_object_scale(*at))
    more = {**scale, "spec": {"replicas": 2}}
    await notes.ask_async("replace scale", custom.replace_namespaced_custom_object_scale(*at, more))
    less = {"spec": {"replicas": -1}}
    await notes.refuse_async("patch scale below zero", custom.patch_namespaced_custom_object_scale(*at, less, **_MERGE))


async def _watches(notes: Notes, custom: Any) -> None:
    watch: Any = importlib.import_module("kubernetes_asyncio.watch")

    async def seen(**how: Any) -> list[JSONValue]:
        """Return what is told within a second."""
        told = watch.Watch().stream(custom.list_namespaced_custom_object, *_AT, timeout_seconds=1, **how)
        async with told as events:
            return [[event["type"], event["raw_object"]] async for event in events]

    since = (await custom.list_namespaced_custom_object(*_AT))["metadata"]["resourceVersion"]
    await custom.create_namespaced_custom_object(*_AT, ovens.oven(NAME, "watched", 90))
    patch = custom.patch_namespaced_custom_object
    await patch(*_AT, "watched", {"spec": {"heat": 95}}, **_MERGE)
    await patch(*_AT, "watched", {"metadata": {"labels": {"letter": "x"}}}, **_MERGE)
    await custom.delete_namespaced_custom_object(*_AT, "watched")
    await notes.ask_async("watch all", seen())
    await notes.ask_async("watch from a version", seen(resource_version=since))
    await notes.ask_async("watch labels that change", seen(label_selector="letter=w", resource_version=since))
    await notes.ask_async("watch fields that change", seen(field_selector="spec.heat=95", resource_version=since))
    await notes.refuse_async("watch from a version that is gone", seen(resource_version="1"))
    await notes.refuse_async("watch by another field", seen(field_selector="spec.none=1"))


async def _deletions(notes: Notes, custom: Any) -> None:
    kept = ovens.oven(NAME, "kept", 90)
    kept["metadata"]["finalizers"] = ["example.com/kept"]
    await custom.create_namespaced_custom_object(*_AT, kept)
    delete, get = custom.delete_namespaced_custom_object, custom.get_namespaced_custom_object
    wrong = {"preconditions": {"resourceVersion": "1"}}
    await notes.refuse_async("delete another version", delete(*_AT, "kept", body=wrong))
    await notes.ask_async("delete what is kept", delete(*_AT, "kept", grace_period_seconds=5))
    await notes.ask_async("get what is kept", get(*_AT, "kept"))
    freed = custom.patch_namespaced_custom_object(*_AT, "kept", {"metadata": {"finalizers": []}}, **_MERGE)
    await notes.ask_async("remove the finalizer", freed)
    await notes.refuse_async("get what was kept", get(*_AT, "kept"))
    await notes.ask_async("delete b", delete(*_AT, "b", propagation_policy="Background"))
    await notes.refuse_async("delete b again", delete(*_AT, "b"))
    some = custom.delete_collection_namespaced_custom_object
    await notes.ask_async("try to delete some", some(*_AT, label_selector="letter=b", dry_run="All"))
    await notes.ask_async("delete some", some(*_AT, label_selector="letter=b"))
    await notes.ask_async("list what is left", custom.list_namespaced_custom_object(*_AT))


async def _builtins(notes: Notes, client: Any, connected: Any) -> None:
    core = client.CoreV1Api(connected)
    menu = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="menu", labels={"a": "b"}), data={"monday": "soup"})
    await notes.ask_async("create a ConfigMap", core.create_namespaced_config_map(NAME, menu))
    await notes.refuse_async("create the ConfigMap again", core.create_namespaced_config_map(NAME, menu))
    await notes.ask_async("read the ConfigMap", core.read_namespaced_config_map("menu", NAME))
    patched = core.patch_namespaced_config_map("menu", NAME, {"data": {"tuesday": "rice"}}, **_MERGE)
    await notes.ask_async("patch the ConfigMap", patched)
    await notes.ask_async("list ConfigMaps", core.list_namespaced_config_map(NAME, label_selector="a=b"))
    await notes.ask_async("delete the ConfigMap", core.delete_namespaced_config_map("menu", NAME))
    await notes.refuse_async("read no ConfigMap", core.read_namespaced_config_map("menu", NAME))
    secret = client.V1Secret(metadata=client.V1ObjectMeta(name="key"), type="Opaque", data={"key": "aGVsbG8="})
    await notes.ask_async("create a Secret", core.create_namespaced_secret(NAME, secret))
    await notes.ask_async("read the Secret", core.read_namespaced_secret("key", NAME))
    await notes.ask_async("create a namespace", core.create_namespace(ovens.namespace(f"{NAME}-more")))
    await notes.ask_async("read the namespace", core.read_namespace(f"{NAME}-more"))


async def _election(notes: Notes, client: Any, connected: Any) -> None:
    """Have one candidate lead, and another one wait."""
    election: Any = importlib.import_module("kubernetes_asyncio.leaderelection.leaderelection")
    settings: Any = importlib.import_module("kubernetes_asyncio.leaderelection.electionconfig")
    lock: Any = importlib.import_module("kubernetes_asyncio.leaderelection.resourcelock.leaselock").LeaseLock

    def candidate(identity: str) -> Any:
        held = lock("leader", NAME, identity, connected)
        return election.LeaderElection(
            settings.Config(held, 17, 15, 5, onstarted_leading=_given(1), onstopped_leading=None)
        )

    leader, other = candidate("cook"), candidate("baker")
    await notes.ask_async("lead", leader.acquire())
    await notes.ask_async("go on leading", leader.try_acquire_or_renew())
    await notes.ask_async("lead while another does", other.try_acquire_or_renew())
    lease = await client.CoordinationV1Api(connected).read_namespaced_lease("leader", NAME)
    await notes.ask_async("who leads", _given([lease.spec.holder_identity, lease.spec.lease_duration_seconds]))
    for one in (leader, other):
        await one.election_config.onstarted_leading


async def _withdrawal(notes: Notes, custom: Any, crds: Any) -> None:
    name = ovens.crd(NAME)["metadata"]["name"]
    await crds.delete_custom_resource_definition(name)
    named = f"metadata.name={name}"
    async with asyncio.timeout(20):
        while (await crds.list_custom_resource_definition(field_selector=named)).items:  # noqa: ASYNC110 - the same
            await asyncio.sleep(0.05)
    await notes.refuse_async("read the CRD that was deleted", crds.read_custom_resource_definition(name))
    await notes.refuse_async("list objects without their CRD", custom.list_namespaced_custom_object(*_AT))
