"""Built-in kinds of each Kubernetes version, from `builtinkinds.json`, and the kinds that are validated."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final, NamedTuple

from pytest_crd.engine.profile import Profile

_EVENT: Final = (
    *(
        "action",
        "count",
        "eventTime",
        "firstTimestamp",
        "involvedObject",
        "lastTimestamp",
        "message",
        "reason",
        "related",
    ),
    *("reportingController", "reportingInstance", "source", "type"),
)
_ADMISSION: Final = "admissionregistration.k8s.io"
_RBAC: Final = "rbac.authorization.k8s.io"
# The warnings of deprecated kinds, by resource: of each served version.
DEPRECATED: Final[Mapping[str, tuple[str, ...]]] = {
    "endpoints": ("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",),
}
# The validated kinds by resource, each with the fields that updates may not change besides metadata, and conditions.
VALIDATED: Final[Mapping[str, Sequence[str]]] = {
    "certificatesigningrequests.certificates.k8s.io": ("spec", "status.certificate (once set)"),
    "configmaps": ("binaryData (if immutable)", "data (if immutable)", "immutable (once true)"),
    "events": (),
    "events.events.k8s.io": _EVENT,
    "leases.coordination.k8s.io": (),
    "namespaces": ("spec.finalizers (kept, except through finalize)",),
    "secrets": ("data (if immutable)", "immutable (once true)", "type"),
    "serviceaccounts": (),
    "services": (
        "spec.clusterIPs (unless an ExternalName)",
        "spec.healthCheckNodePort (once set)",
        "spec.loadBalancerClass (of a LoadBalancer)",
    ),
    "persistentvolumeclaims": (
        "spec (but the size and volumeAttributesClassName of a bound claim, and a first volumeName or storageClassName)",
    ),
    "horizontalpodautoscalers.autoscaling": (),
    "ingressclasses.networking.k8s.io": ("spec.controller",),
    "ingresses.networking.k8s.io": (),
    "networkpolicies.networking.k8s.io": (),
    "poddisruptionbudgets.policy": (),
    "storageclasses.storage.k8s.io": ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"),
    "pods": (
        "spec (but for images, tolerations, scheduling gates and an earlier end)",
        "spec.containers (their number)",
        "spec.initContainers (their number)",
    ),
    "runtimeclasses.node.k8s.io": ("handler",),
    "podtemplates": (),
    "controllerrevisions.apps": ("data",),
    "cronjobs.batch": (),
    "daemonsets.apps": ("spec.selector",),
    "deployments.apps": ("spec.selector",),
    "jobs.batch": (
        "spec.backoffLimitPerIndex",
        "spec.completionMode",
        "spec.completions (unless an indexed Job changes its parallelism as well)",
        "spec.managedBy",
        "spec.podFailurePolicy",
        "spec.selector",
        "spec.successPolicy",
        "spec.template (but for resources and scheduling while suspended)",
    ),
    "replicasets.apps": ("spec.selector",),
    "statefulsets.apps": (
        "spec.podManagementPolicy",
        "spec.selector",
        "spec.serviceName",
        "spec.volumeClaimTemplates",
    ),
    "priorityclasses.scheduling.k8s.io": ("preemptionPolicy", "value"),
    f"mutatingadmissionpolicies.{_ADMISSION}": (),
    f"mutatingadmissionpolicybindings.{_ADMISSION}": (),
    f"mutatingwebhookconfigurations.{_ADMISSION}": (),
    f"validatingadmissionpolicies.{_ADMISSION}": (),
    f"validatingadmissionpolicybindings.{_ADMISSION}": (),
    f"validatingwebhookconfigurations.{_ADMISSION}": (),
    f"clusterroles.{_RBAC}": (),
    f"roles.{_RBAC}": (),
    f"clusterrolebindings.{_RBAC}": ("roleRef",),
    f"rolebindings.{_RBAC}": ("roleRef",),
}
# The parts of validated kinds that are not validated, by resource.
MISSING: Final[Mapping[str, str]] = {
    "pods": "the status of resource claims, devices, users and volume health",
}


class BuiltInRecord(NamedTuple):
    """
    A recorded kind.

    Attributes:
        group: The API group; empty for the core group.
        version: The API version.
        kind: The kind.
        plural: The plural.
        singular: The singular name.
        namespaced: Whether its objects are in namespaces.
        verbs: The supported verbs.
        shortNames: Abbreviations for the command line.
        categories: Groups of resources for the command line.
        subresources: Name and verbs of each subresource, then kind, group and version of its objects if they are of another kind.
        since: The first minor version of Kubernetes 1 that serves it, if that matters to a reproduced version.
        generates: Whether its objects have a generation.
        locked: Whether an update needs a resourceVersion.
        createdByUpdate: Whether an update creates a missing object.
        statusKeepsMetadata: Whether an update of the status leaves all metadata unchanged.
        shownWhenDeleted: Whether the response to a deletion is the object, not a Status.
    """

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    namespaced: bool
    verbs: Sequence[str]
    shortNames: Sequence[str] = ()  # noqa: N815 - the name in discovery
    categories: Sequence[str] = ()
    subresources: Sequence[Sequence[Any]] = ()
    since: int = 0
    generates: bool = False
    locked: bool = False
    createdByUpdate: bool = False  # noqa: N815 - as above
    statusKeepsMetadata: bool = False  # noqa: N815 - as above
    shownWhenDeleted: bool = False  # noqa: N815 - as above

    @property
    def api_version(self) -> str:
        """The apiVersion of its objects."""
        return f"{self.group}/{self.version}".removeprefix("/")

    @property
    def is_validated(self) -> bool:
        """Whether written objects are validated as a server does."""
        return self.resource in VALIDATED

    @property
    def missing(self) -> str:
        """The parts that are not validated although the kind is; empty if there are none."""
        return MISSING.get(self.resource, "")

    @property
    def immutable(self) -> Sequence[str]:
        """The fields that updates may not change, each with its condition; empty unless the kind is validated."""
        return VALIDATED.get(self.resource, ())

    @property
    def resource(self) -> str:
        """The name of its resource: `plural` or `plural.group`."""
        return f"{self.plural}.{self.group}".removesuffix(".")


@functools.cache
def records() -> tuple[BuiltInRecord, ...]:
    """Return the kinds of the newest version, in the order of discovery; the output of `python -m oracle record builtinkinds`."""
    text = resources.files(__package__).joinpath("builtinkinds.json").read_text(encoding="utf-8")
    return tuple(BuiltInRecord(**row) for row in json.loads(text)["kinds"])


def served_records(profile: Profile) -> tuple[BuiltInRecord, ...]:
    """Return the kinds that a Kubernetes version serves by default."""
    minor = profile.minor
    return tuple(record for record in records() if minor >= record.since)


def merge_rules(type_: str) -> Mapping[str, Any]:
    """Return the recorded merge rules of the fields of a Go type, such as `apps.v1.DeploymentSpec`; empty if it has none."""
    rules: Mapping[str, Any] = _merge_types().get(type_, {})
    return rules


@functools.cache
def _merge_types() -> Mapping[str, Any]:
    """Return the output of `python -m oracle record builtintypes`."""
    text = resources.files(__package__).joinpath("builtintypes.json").read_text(encoding="utf-8")
    types: Mapping[str, Any] = json.loads(text)["types"]
    return types
