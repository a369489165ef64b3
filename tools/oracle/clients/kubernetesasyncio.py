"""A conversation with `kubernetes_asyncio`: custom objects, the dynamic client for applies, watches, leader election."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
from typing import Any, Final

from oracle.clients import ovens
from oracle.clients.notes import ClientFormat, Notes, Step
from pytest_crd.engine.jsonvalue import JSONValue

NAME: Final = "asyncio"
_PATH: Final = (ovens.group(NAME), ovens.VERSION, NAME, ovens.PLURAL)
_MERGE: Final = {"_content_type": "application/merge-patch+json"}
_JSON: Final = {"_content_type": "application/json-patch+json"}


def converse(kubeconfig: str, steps: list[Step]) -> None:
    """Hold the conversation with the server of *kubeconfig* and record it in *steps*."""
    asyncio.run(_converse(kubeconfig, steps))


async def _converse(kubeconfig: str, steps: list[Step]) -> None:
    client: Any = importlib.import_module("kubernetes_asyncio.client")
    config: Any = importlib.import_module("kubernetes_asyncio.config")
    await config.load_kube_config(config_file=kubeconfig)
    async with client.ApiClient() as api_client:
        notes = Notes(ClientFormat(_make_plain(api_client), (client.ApiException,), _describe), steps)
        await client.CoreV1Api(api_client).create_namespace(ovens.namespace(NAME))
        custom, crds = client.CustomObjectsApi(api_client), client.ApiextensionsV1Api(api_client)
        await _definition(notes, crds)
        await _discovery(notes, client, api_client)
        await _objects(notes, custom)
        await _lists(notes, custom)
        await _patches(notes, custom)
        await _applies(notes, api_client)
        await _subresources(notes, custom)
        await _watches(notes, custom)
        await _deletions(notes, custom)
        await _builtins(notes, client, api_client)
        await _election(notes, client, api_client)
        await _withdrawal(notes, custom, crds)


def _make_plain(api_client: Any) -> Any:
    def plain(value: Any) -> JSONValue:
        """Return JSON of dictionaries, typed models and objects of the dynamic client."""
        wrapped = type(value).__name__ == "ResourceInstance"
        return api_client.sanitize_for_serialization(value.to_dict() if wrapped else value)

    return plain


def _describe(error: Any) -> JSONValue:
    """Return code, reason and Status of an exception; its body if that is not JSON."""
    description = {"code": error.status, "reason": error.reason}
    with contextlib.suppress(json.JSONDecodeError):
        return {**description, "status": json.loads(error.body or "")}
    return {**description, "body": error.body}


async def _definition(notes: Notes, crds: Any) -> None:
    crd = ovens.crd(NAME)
    name = crd["metadata"]["name"]
    typed = {**crd, "spec": {**crd["spec"], "scope": "Everywhere"}}
    await notes.record_error_async("create a CRD with a wrong scope", crds.create_custom_resource_definition(typed))
    await notes.record_async("create a CRD", crds.create_custom_resource_definition(crd))
    await notes.record_error_async("create the CRD again", crds.create_custom_resource_definition(crd))
    async with asyncio.timeout(20):
        while not _established(await crds.read_custom_resource_definition(name)):  # noqa: ASYNC110 - polls a server
            await asyncio.sleep(0.05)
    stored = await crds.read_custom_resource_definition(name)
    stored.metadata.managed_fields = None  # pytest-crd tracks managed fields less exactly
    await notes.record_async("read the CRD", _return(stored))
    await notes.record_error_async(
        "read a CRD that is not there", crds.read_custom_resource_definition("no.example.com")
    )


async def _return(value: Any) -> Any:
    return value


def _established(crd: Any) -> bool:
    return any(
        condition.type == "Established" and condition.status == "True" for condition in crd.status.conditions or []
    )


async def _discovery(notes: Notes, client: Any, api_client: Any) -> None:
    dynamic: Any = importlib.import_module("kubernetes_asyncio.dynamic")
    version = await client.VersionApi(api_client).get_code()
    await notes.record_async("read the version", _return([version.major, version.minor]))
    group = client.CustomObjectsApi(api_client).get_api_resources(*_PATH[:2])
    await notes.record_async("list the resources of the group", group)
    client_ = await dynamic.DynamicClient(api_client)
    kind = await client_.resources.get(api_version=f"{_PATH[0]}/{ovens.VERSION}", kind=ovens.KIND)
    await notes.record_async(
        "discover the kind", _return({**kind.to_dict(), "subresources": sorted(kind.subresources)})
    )
    maps = await client_.resources.get(api_version="v1", kind="ConfigMap")
    await notes.record_async("discover ConfigMaps", _return([maps.name, maps.namespaced, maps.verbs, maps.short_names]))


async def _objects(notes: Notes, custom: Any) -> None:
    create, get = custom.create_namespaced_custom_object, custom.get_namespaced_custom_object
    a = ovens.oven(NAME, "a", 180)
    created = await notes.record_async("create a", create(*_PATH, a))
    await notes.record_error_async("create a again", create(*_PATH, a))
    await notes.record_error_async("create what was created", create(*_PATH, created))
    await notes.record_error_async("create too hot", create(*_PATH, ovens.oven(NAME, "b", 400)))
    await notes.record_error_async("create too many", create(*_PATH, ovens.oven(NAME, "b", 290, replicas=4)))
    await notes.record_error_async("create a number", create(*_PATH, 5))
    elsewhere = (*_PATH[:2], "nowhere", _PATH[3])
    await notes.record_error_async("create in no namespace", create(*elsewhere, {**a, "metadata": {"name": "a"}}))
    await notes.record_error_async("create in another namespace", create(*elsewhere, a))
    unknown = ovens.oven(NAME, "b", 180, unknown=1)
    await notes.record_async("try to create b", create(*_PATH, unknown, dry_run="All"))
    await notes.record_error_async("create b strictly", create(*_PATH, unknown, field_validation="Strict"))
    await notes.record_async("get a", get(*_PATH, "a"))
    await notes.record_error_async("get what is not there", get(*_PATH, "no"))
    await notes.record_error_async("get of no kind", get(*_PATH[:3], "stoves", "a"))
    replace = custom.replace_namespaced_custom_object
    changed = {**created, "spec": {"heat": 190}}
    await notes.record_async("replace a", replace(*_PATH, "a", changed))
    await notes.record_error_async("replace a stale one", replace(*_PATH, "a", {**changed, "spec": {"heat": 200}}))
    await notes.record_error_async("replace under another name", replace(*_PATH, "b", changed))
    await notes.record_error_async("replace without a version", replace(*_PATH, "a", a))


async def _lists(notes: Notes, custom: Any) -> None:
    for name, heat in (("b", 60), ("ba", 70), ("c", 70)):
        await custom.create_namespaced_custom_object(*_PATH, ovens.oven(NAME, name, heat))
    list_ovens = custom.list_namespaced_custom_object
    await notes.record_async("list all", list_ovens(*_PATH))
    await notes.record_async("list in all namespaces", custom.list_cluster_custom_object(*_PATH[:2], _PATH[3]))
    first = await notes.record_async("list a page", list_ovens(*_PATH, limit=3))
    token = first["metadata"]["continue"]
    await notes.record_async("list the next page", list_ovens(*_PATH, limit=3, _continue=token))
    await notes.record_error_async("continue with nonsense", list_ovens(*_PATH, _continue="nonsense"))
    for labels in ("letter=b", "letter notin (b)", "!letter"):
        await notes.record_async(f"list labels {labels}", list_ovens(*_PATH, label_selector=labels))
    await notes.record_async("list by a field", list_ovens(*_PATH, field_selector="spec.heat=70"))
    await notes.record_error_async("list by another field", list_ovens(*_PATH, field_selector="spec.replicas=1"))
    await notes.record_error_async("list a bad label selector", list_ovens(*_PATH, label_selector="a in b"))


async def _patches(notes: Notes, custom: Any) -> None:
    patch = custom.patch_namespaced_custom_object
    await notes.record_async("merge heat", patch(*_PATH, "a", {"spec": {"heat": 100}}, **_MERGE))
    await notes.record_async("merge null", patch(*_PATH, "a", {"metadata": {"labels": None}}, **_MERGE))
    await notes.record_error_async("merge too hot", patch(*_PATH, "a", {"spec": {"heat": 1000}}, **_MERGE))
    await notes.record_error_async("merge what is not there", patch(*_PATH, "no", {"spec": {"heat": 100}}, **_MERGE))
    replaced = [{"op": "replace", "path": "/spec/heat", "value": 110}]
    await notes.record_async("replace a field", patch(*_PATH, "a", replaced, **_JSON))
    await notes.record_async("replace a field by default", patch(*_PATH, "a", [{**replaced[0], "value": 120}]))
    tested = [{"op": "test", "path": "/spec/heat", "value": 1}]
    await notes.record_error_async("test another value", patch(*_PATH, "a", tested, **_JSON))
    await notes.record_error_async("patch an object as a list", patch(*_PATH, "a", {"spec": {}}, **_JSON))


async def _applies(notes: Notes, api_client: Any) -> None:
    dynamic: Any = importlib.import_module("kubernetes_asyncio.dynamic")
    dynamic_client = await dynamic.DynamicClient(api_client)
    kind = await dynamic_client.resources.get(api_version=f"{_PATH[0]}/{ovens.VERSION}", kind=ovens.KIND)

    def apply(heat: int, manager: str, **more: Any) -> Any:
        body = ovens.oven(NAME, "applied", heat, trays=[{"name": manager, "of": "steel"}])
        return dynamic_client.server_side_apply(kind, body=body, namespace=NAME, field_manager=manager, **more)

    await notes.record_async("apply", apply(100, "cook"))
    await notes.record_async("apply the same", apply(100, "cook"))
    # This client returns the Status of a rejected apply as if it were the object.
    await notes.record_async("apply another heat as another", apply(120, "baker"))
    await notes.record_async("apply another heat with force", apply(120, "baker", force_conflicts=True))
    await notes.record_async("apply too much heat", apply(1000, "baker"))


async def _subresources(notes: Notes, custom: Any) -> None:
    path = (*_PATH, "a")
    status = {"phase": "Warm", "replicas": 1, "selector": "app=a"}
    patch = custom.patch_namespaced_custom_object_status
    await notes.record_async("patch status", patch(*path, {"status": status}, **_MERGE))
    await notes.record_error_async("patch a wrong status", patch(*path, {"status": {"replicas": "x"}}, **_MERGE))
    got = await notes.record_async("get status", custom.get_namespaced_custom_object_status(*path))
    replace = custom.replace_namespaced_custom_object_status
    hot = {**got, "status": {"phase": "Hot"}, "spec": {"heat": 60}}
    await notes.record_async("replace status", replace(*path, hot))
    await notes.record_error_async("replace a stale status", replace(*path, hot))
    scale = await notes.record_async("get scale", custom.get_namespaced_custom_object_scale(*path))
    more = {**scale, "spec": {"replicas": 2}}
    await notes.record_async("replace scale", custom.replace_namespaced_custom_object_scale(*path, more))
    less = {"spec": {"replicas": -1}}
    await notes.record_error_async(
        "patch scale below zero", custom.patch_namespaced_custom_object_scale(*path, less, **_MERGE)
    )


async def _watches(notes: Notes, custom: Any) -> None:
    watch: Any = importlib.import_module("kubernetes_asyncio.watch")

    async def collect(**options: Any) -> list[JSONValue]:
        """Return the events of one second."""
        stream = watch.Watch().stream(custom.list_namespaced_custom_object, *_PATH, timeout_seconds=1, **options)
        async with stream as events:
            return [[event["type"], event["raw_object"]] async for event in events]

    since = (await custom.list_namespaced_custom_object(*_PATH))["metadata"]["resourceVersion"]
    await custom.create_namespaced_custom_object(*_PATH, ovens.oven(NAME, "watched", 90))
    patch = custom.patch_namespaced_custom_object
    await patch(*_PATH, "watched", {"spec": {"heat": 95}}, **_MERGE)
    await patch(*_PATH, "watched", {"metadata": {"labels": {"letter": "x"}}}, **_MERGE)
    await custom.delete_namespaced_custom_object(*_PATH, "watched")
    await notes.record_async("watch all", collect())
    await notes.record_async("watch from a version", collect(resource_version=since))
    await notes.record_async("watch labels that change", collect(label_selector="letter=w", resource_version=since))
    await notes.record_async("watch fields that change", collect(field_selector="spec.heat=95", resource_version=since))
    await notes.record_error_async("watch from a version that is gone", collect(resource_version="1"))
    await notes.record_error_async("watch by another field", collect(field_selector="spec.none=1"))


async def _deletions(notes: Notes, custom: Any) -> None:
    finalized = ovens.oven(NAME, "kept", 90)
    finalized["metadata"]["finalizers"] = ["example.com/kept"]
    await custom.create_namespaced_custom_object(*_PATH, finalized)
    delete, get = custom.delete_namespaced_custom_object, custom.get_namespaced_custom_object
    wrong = {"preconditions": {"resourceVersion": "1"}}
    await notes.record_error_async("delete another version", delete(*_PATH, "kept", body=wrong))
    await notes.record_async("delete what is kept", delete(*_PATH, "kept", grace_period_seconds=5))
    await notes.record_async("get what is kept", get(*_PATH, "kept"))
    freed = custom.patch_namespaced_custom_object(*_PATH, "kept", {"metadata": {"finalizers": []}}, **_MERGE)
    await notes.record_async("remove the finalizer", freed)
    await notes.record_error_async("get what was kept", get(*_PATH, "kept"))
    await notes.record_async("delete b", delete(*_PATH, "b", propagation_policy="Background"))
    await notes.record_error_async("delete b again", delete(*_PATH, "b"))
    some = custom.delete_collection_namespaced_custom_object
    await notes.record_async("try to delete some", some(*_PATH, label_selector="letter=b", dry_run="All"))
    await notes.record_async("delete some", some(*_PATH, label_selector="letter=b"))
    await notes.record_async("list what is left", custom.list_namespaced_custom_object(*_PATH))


async def _builtins(notes: Notes, client: Any, api_client: Any) -> None:
    core = client.CoreV1Api(api_client)
    menu = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="menu", labels={"a": "b"}), data={"monday": "soup"})
    await notes.record_async("create a ConfigMap", core.create_namespaced_config_map(NAME, menu))
    await notes.record_error_async("create the ConfigMap again", core.create_namespaced_config_map(NAME, menu))
    await notes.record_async("read the ConfigMap", core.read_namespaced_config_map("menu", NAME))
    patched = core.patch_namespaced_config_map("menu", NAME, {"data": {"tuesday": "rice"}}, **_MERGE)
    await notes.record_async("patch the ConfigMap", patched)
    await notes.record_async("list ConfigMaps", core.list_namespaced_config_map(NAME, label_selector="a=b"))
    await notes.record_async("delete the ConfigMap", core.delete_namespaced_config_map("menu", NAME))
    await notes.record_error_async("read no ConfigMap", core.read_namespaced_config_map("menu", NAME))
    secret = client.V1Secret(metadata=client.V1ObjectMeta(name="key"), type="Opaque", data={"key": "aGVsbG8="})
    await notes.record_async("create a Secret", core.create_namespaced_secret(NAME, secret))
    await notes.record_async("read the Secret", core.read_namespaced_secret("key", NAME))
    await notes.record_async("create a namespace", core.create_namespace(ovens.namespace(f"{NAME}-more")))
    await notes.record_async("read the namespace", core.read_namespace(f"{NAME}-more"))


async def _election(notes: Notes, client: Any, api_client: Any) -> None:
    """Let one candidate lead and another wait."""
    election: Any = importlib.import_module("kubernetes_asyncio.leaderelection.leaderelection")
    settings: Any = importlib.import_module("kubernetes_asyncio.leaderelection.electionconfig")
    lock: Any = importlib.import_module("kubernetes_asyncio.leaderelection.resourcelock.leaselock").LeaseLock

    def candidate(identity: str) -> Any:
        lock_ = lock("leader", NAME, identity, api_client)
        return election.LeaderElection(
            settings.Config(lock_, 17, 15, 5, onstarted_leading=_return(1), onstopped_leading=None)
        )

    leader, follower = candidate("cook"), candidate("baker")
    await notes.record_async("lead", leader.acquire())
    await notes.record_async("go on leading", leader.try_acquire_or_renew())
    await notes.record_async("lead while another does", follower.try_acquire_or_renew())
    lease = await client.CoordinationV1Api(api_client).read_namespaced_lease("leader", NAME)
    await notes.record_async("who leads", _return([lease.spec.holder_identity, lease.spec.lease_duration_seconds]))
    for candidate_ in (leader, follower):
        await candidate_.election_config.onstarted_leading


async def _withdrawal(notes: Notes, custom: Any, crds: Any) -> None:
    name = ovens.crd(NAME)["metadata"]["name"]
    await crds.delete_custom_resource_definition(name)
    named = f"metadata.name={name}"
    async with asyncio.timeout(20):
        while (await crds.list_custom_resource_definition(field_selector=named)).items:  # noqa: ASYNC110 - the same
            await asyncio.sleep(0.05)
    await notes.record_error_async("read the CRD that was deleted", crds.read_custom_resource_definition(name))
    await notes.record_error_async("list objects without their CRD", custom.list_namespaced_custom_object(*_PATH))
