"""Built-in kinds and leader election in the conversation with `kubernetes`."""

from __future__ import annotations

import importlib
import threading
from typing import Any, Final

from oracle.clients import ovens
from oracle.clients.notes import Notes
from pytest_crd.engine.jsonvalue import JSONValue

# The namespace of the whole conversation.
NAMESPACE: Final = "kubernetes"


def without_managed_fields(value: Any) -> Any:
    """Return a CRD or an Event without managed fields, which pytest-crd tracks less exactly."""
    value.metadata.managed_fields = None
    return value


def use_builtin_kinds(notes: Notes, client: Any, api_client: Any) -> None:
    """Write and read ConfigMaps, Secrets, Events and namespaces."""
    core = client.CoreV1Api(api_client)
    menu = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="menu", labels={"a": "b"}), data={"monday": "soup"})
    notes.record("create a ConfigMap", core.create_namespaced_config_map, NAMESPACE, menu)
    notes.record_error("create the ConfigMap again", core.create_namespaced_config_map, NAMESPACE, menu)
    notes.record("read the ConfigMap", core.read_namespaced_config_map, "menu", NAMESPACE)
    notes.record(
        "patch the ConfigMap", core.patch_namespaced_config_map, "menu", NAMESPACE, {"data": {"tuesday": "rice"}}
    )
    menu.metadata.resource_version = "1"
    notes.record_error("replace a stale ConfigMap", core.replace_namespaced_config_map, "menu", NAMESPACE, menu)
    notes.record("list ConfigMaps", core.list_namespaced_config_map, NAMESPACE, label_selector="a=b")
    notes.record_error("read no ConfigMap", core.read_namespaced_config_map, "no", NAMESPACE)
    secret = client.V1Secret(metadata=client.V1ObjectMeta(name="key"), type="Opaque", data={"key": "aGVsbG8="})
    notes.record("create a Secret", core.create_namespaced_secret, NAMESPACE, secret)
    notes.record("read the Secret", core.read_namespaced_secret, "key", NAMESPACE)
    notes.record("delete the Secret", core.delete_namespaced_secret, "key", NAMESPACE)
    notes.record(
        "create an Event", lambda: without_managed_fields(core.create_namespaced_event(NAMESPACE, _event(client)))
    )
    about = "involvedObject.name=a,type=Normal"
    events = core.list_namespaced_event(NAMESPACE, field_selector=about).items
    notes.record("list Events of a", lambda: [*map(without_managed_fields, events)])
    notes.record("delete ConfigMaps", core.delete_collection_namespaced_config_map, NAMESPACE, label_selector="a=b")
    notes.record("create a namespace", core.create_namespace, ovens.namespace(f"{NAMESPACE}-more"))
    notes.record_error("create the namespace again", core.create_namespace, ovens.namespace(f"{NAMESPACE}-more"))
    notes.record("read the namespace", core.read_namespace, f"{NAMESPACE}-more")
    notes.record("label the namespace", core.patch_namespace, f"{NAMESPACE}-more", {"metadata": {"labels": {"a": "b"}}})
    notes.record_error("read no namespace", core.read_namespace, "nowhere")


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


def elect(notes: Notes, leases: Any, core: Any) -> None:
    """Let one candidate lead and another wait, with each kind of lock."""
    locks: Any = "kubernetes.leaderelection.resourcelock"
    notes.record("lead with a Lease", _elect, importlib.import_module(f"{locks}.leaselock").LeaseLock)
    lease = leases.read_namespaced_lease("leaselock", NAMESPACE)
    notes.record("who holds the Lease", lambda: [lease.spec.holder_identity, lease.spec.lease_duration_seconds])
    notes.record("lead with a ConfigMap", _elect, importlib.import_module(f"{locks}.configmaplock").ConfigMapLock)
    notes.record("how the ConfigMap is held", core.read_namespaced_config_map, "configmaplock", NAMESPACE)


def _elect(lock: Any) -> list[JSONValue]:
    """Return four booleans: the leader has the lock, was started and renews the lock; a second candidate gets it."""
    election: Any = importlib.import_module("kubernetes.leaderelection.leaderelection")
    settings: Any = importlib.import_module("kubernetes.leaderelection.electionconfig")
    begun = threading.Event()

    def candidate(identity: str) -> Any:
        lock_ = lock(lock.__name__.lower(), NAMESPACE, identity)
        config = settings.Config(lock_, 17, 15, 5, onstarted_leading=begun.set, onstopped_leading=None)
        return election.LeaderElection(config)

    leader = candidate("cook")
    acquired = leader.acquire()
    leader.run_onstarted_leading(threading.Event())
    return [acquired, begun.is_set(), leader.try_acquire_or_renew(), candidate("baker").try_acquire_or_renew()]
