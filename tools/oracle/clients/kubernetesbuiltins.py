"""What the conversation with `kubernetes` says of built-in kinds, and its leader election."""

from __future__ import annotations

import importlib
import threading
from typing import Any, Final

from oracle.clients import ovens
from oracle.clients.notes import Notes

JSONValue = Any
# That of the whole conversation.
NAMESPACE: Final = "kubernetes"


def unowned(value: Any) -> Any:
    """Return a CRD or an Event without who owns what of it, which is told less exactly here."""
    value.metadata.managed_fields = None
    return value


def kept(notes: Notes, client: Any, connected: Any) -> None:
    """Write and read ConfigMaps, Secrets, Events and namespaces."""
    core = client.CoreV1Api(connected)
    menu = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="menu", labels={"a": "b"}), data={"monday": "soup"})
    notes.ask("create a ConfigMap", core.create_namespaced_config_map, NAMESPACE, menu)
    notes.refuse("create the ConfigMap again", core.create_namespaced_config_map, NAMESPACE, menu)
    notes.ask("read the ConfigMap", core.read_namespaced_config_map, "menu", NAMESPACE)
    notes.ask("patch the ConfigMap", core.patch_namespaced_config_map, "menu", NAMESPACE, {"data": {"tuesday": "rice"}})
    menu.metadata.resource_version = "1"
    notes.refuse("replace a stale ConfigMap", core.replace_namespaced_config_map, "menu", NAMESPACE, menu)
    notes.ask("list ConfigMaps", core.list_namespaced_config_map, NAMESPACE, label_selector="a=b")
    notes.refuse("read no ConfigMap", core.read_namespaced_config_map, "no", NAMESPACE)
    secret = client.V1Secret(metadata=client.V1ObjectMeta(name="key"), type="Opaque", data={"key": "aGVsbG8="})
    notes.ask("create a Secret", core.create_namespaced_secret, NAMESPACE, secret)
    notes.ask("read the Secret", core.read_namespaced_secret, "key", NAMESPACE)
    notes.ask("delete the Secret", core.delete_namespaced_secret, "key", NAMESPACE)
    notes.ask("create an Event", lambda: unowned(core.create_namespaced_event(NAMESPACE, _event(client))))
    about = "involvedObject.name=a,type=Normal"
    events = core.list_namespaced_event(NAMESPACE, field_selector=about).items
    notes.ask("list Events of a", lambda: [*map(unowned, events)])
    notes.ask("delete ConfigMaps", core.delete_collection_namespaced_config_map, NAMESPACE, label_selector="a=b")
    notes.ask("create a namespace", core.create_namespace, ovens.namespace(f"{NAMESPACE}-more"))
    notes.refuse("create the namespace again", core.create_namespace, ovens.namespace(f"{NAMESPACE}-more"))
    notes.ask("read the namespace", core.read_namespace, f"{NAMESPACE}-more")
    notes.ask("label the namespace", core.patch_namespace, f"{NAMESPACE}-more", {"metadata": {"labels": {"a": "b"}}})
    notes.refuse("read no namespace", core.read_namespace, "nowhere")


def _event(client: Any) -> Any:
    involved = client.V1ObjectReference(
        api_version=f"{ovens.group(NAMESPACE)}/v1", kind=ovens.KIND, name="a", namespace=NAMESPACE
    )
    return client.CoreV1Event(
        metadata=client.V1ObjectMeta(name="a.warm"),
        involved_object=involved,
        reason="Warm",
        message="It is warm.",
        type="Normal",
        count=1,
        source=client.V1EventSource(component="cook"),
        reporting_component="cook",
        reporting_instance="cook-1",
    )


def elected(notes: Notes, leases: Any, core: Any) -> None:
    """Have one candidate lead, and another one wait, with each kind of lock."""
    locks: Any = "kubernetes.leaderelection.resourcelock"
    notes.ask("lead with a Lease", _led, importlib.import_module(f"{locks}.leaselock").LeaseLock)
    lease = leases.read_namespaced_lease("leaselock", NAMESPACE)
    notes.ask("who holds the Lease", lambda: [lease.spec.holder_identity, lease.spec.lease_duration_seconds])
    notes.ask("lead with a ConfigMap", _led, importlib.import_module(f"{locks}.configmaplock").ConfigMapLock)
    notes.ask("how the ConfigMap is held", core.read_namespaced_config_map, "configmaplock", NAMESPACE)


def _led(lock: Any) -> list[JSONValue]:
    """Return whether the leader leads, whether it may go on, and whether another may take its place."""
    election: Any = importlib.import_module("kubernetes.leaderelection.leaderelection")
    settings: Any = importlib.import_module("kubernetes.leaderelection.electionconfig")
    begun = threading.Event()

    def candidate(identity: str) -> Any:
        held = lock(lock.__name__.lower(), NAMESPACE, identity)
        config = settings.Config(held, 17, 15, 5, onstarted_leading=begun.set, onstopped_leading=None)
        return election.LeaderElection(config)

    leader = candidate("cook")
    acquired = leader.acquire()
    leader.run_onstarted_leading(threading.Event())
    return [acquired, begun.is_set(), leader.try_acquire_or_renew(), candidate("baker").try_acquire_or_renew()]
