"""
Objects of a kustomization during its build, and the places of their fields that kustomize changes by kind.

Reference:
    sigs.k8s.io/kustomize api/internal/konfig/builtinpluginconsts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from pytest_crd.engine.yaml.manifest import Manifest

_EACH: Final = "[]"
_DEFAULT: Final = "default"
_WORKLOADS: Final = frozenset({"DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"})
_CRON_JOB: Final = "CronJob"
_TEMPLATE: Final = ("spec", "template")
_JOB_TEMPLATE: Final = ("spec", "jobTemplate", "spec", "template")
_CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")
# Kinds without namespaces; kustomize takes each unknown kind as one with a namespace.
_CLUSTER_KINDS: Final = frozenset(
    {
        *("APIService", "CSIDriver", "CSINode", "CertificateSigningRequest", "ClusterRole", "ClusterRoleBinding"),
        *("ComponentStatus", "CustomResourceDefinition", "FlowSchema", "IngressClass", "Namespace", "Node"),
        *("MutatingWebhookConfiguration", "PersistentVolume", "PodSecurityPolicy", "PriorityClass"),
        *("PriorityLevelConfiguration", "RuntimeClass", "StorageClass", "ValidatingAdmissionPolicy"),
        *("ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration", "VolumeAttachment"),
    }
)


class ObjectId(NamedTuple):
    """Group, kind, namespace and name of an object."""

    group: str
    kind: str
    namespace: str
    name: str


@dataclass(slots=True, eq=False)
class BuiltObject:
    """
    An object of a kustomization.

    Attributes:
        value: The object so far; modified in place.
        origin: The manifest that it comes from.
        earlier: Its earlier identities, first the original one.
        is_hashed: Whether a hash of its content becomes the end of its name.
    """

    value: dict[str, Any]
    origin: Manifest
    earlier: list[ObjectId] = field(default_factory=list)
    is_hashed: bool = False

    @property
    def metadata(self) -> dict[str, Any]:
        """Its metadata; added if it has none."""
        metadata: dict[str, Any] = child(self.value, "metadata")
        return metadata

    @property
    def id(self) -> ObjectId:
        """Its identity."""
        group, _, _ = str(self.value.get("apiVersion")).rpartition("/")
        metadata = self.metadata
        kind, namespace = str(self.value.get("kind")), str(metadata.get("namespace") or "")
        return ObjectId(group, kind, namespace, str(metadata.get("name")))

    @property
    def ids(self) -> list[ObjectId]:
        """Its earlier identities and the present one."""
        return [*self.earlier, self.id]

    @property
    def has_namespace(self) -> bool:
        """Whether kustomize gives it a namespace."""
        return self.id.kind not in _CLUSTER_KINDS

    @property
    def manifest(self) -> Manifest:
        """The object as a manifest, with the lines of its origin, and without empty annotations."""
        if not self.metadata.get("annotations"):
            self.metadata.pop("annotations", None)
        return replace(self.origin, value=self.value)

    def rename(self, name: str) -> None:
        """Set the name, and keep the earlier identity."""
        self.earlier.append(self.id)
        self.metadata["name"] = name


def child(value: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the object in a field; added if the field has none."""
    if not isinstance(value.get(key), dict):
        value[key] = {}
    place: dict[str, Any] = value[key]
    return place


def find(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    """Yield the values at *steps* below a value. The step `[]` is each item of a list."""
    if not steps:
        yield value
    elif steps[0] == _EACH:
        for item in value if isinstance(value, list) else ():
            yield from find(item, steps[1:])
    elif isinstance(value, dict) and steps[0] in value:
        yield from find(value[steps[0]], steps[1:])


def find_path(value: Any, path: str) -> Iterator[Any]:
    """Yield the values at a path, such as `spec.rules.[].host`."""
    return find(value, path.split("."))


def pod_templates(item: BuiltObject) -> Iterator[dict[str, Any]]:
    """Yield the pod template of a workload."""
    kind = item.id.kind
    steps = _TEMPLATE if kind in _WORKLOADS else _JOB_TEMPLATE if kind == _CRON_JOB else None
    if steps is not None:
        yield from (template for template in find(item.value, steps) if isinstance(template, dict))


def _pods(item: BuiltObject) -> Iterator[dict[str, Any]]:
    """Yield the specs of pods in an object."""
    holders = [item.value] if item.id.kind == "Pod" else pod_templates(item)
    yield from (spec for holder in holders for spec in find(holder, ["spec"]) if isinstance(spec, dict))


def _templates(item: BuiltObject) -> Iterator[dict[str, Any]]:
    """Yield the templates of a workload: of pods, and of jobs."""
    yield from pod_templates(item)
    if item.id.kind == _CRON_JOB:
        yield from (template for template in find(item.value, _JOB_TEMPLATE[:2]) if isinstance(template, dict))


def annotated(item: BuiltObject) -> Iterator[dict[str, Any]]:
    """Yield the annotations of an object and of its templates."""
    for holder in (item.value, *_templates(item)):
        yield child(child(holder, "metadata"), "annotations")


def labelled(item: BuiltObject, *, selectors: bool, templates: bool) -> Iterator[dict[str, Any]]:
    """
    Yield the labels of an object, and the labels of its selectors and templates.

    Args:
        item: The object.
        selectors: Whether its selectors count, and with them its templates.
        templates: Whether its templates count.
    """
    yield child(item.metadata, "labels")
    if selectors or templates:
        yield from (child(child(template, "metadata"), "labels") for template in _templates(item))
        for claim in find_path(item.value, "spec.volumeClaimTemplates.[]") if item.id.kind == "StatefulSet" else ():
            yield child(child(claim, "metadata"), "labels")
    if selectors:
        yield from _selectors(item)


def _selectors(item: BuiltObject) -> Iterator[dict[str, Any]]:
    kind, spec = item.id.kind, item.value.get("spec")
    if not isinstance(spec, dict):
        return
    if (kind, item.id.group) == ("Service", "") or kind == "ReplicationController":
        yield child(spec, "selector")
    elif kind in {"DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"}:
        yield child(child(spec, "selector"), "matchLabels")
    paths = {
        "Job": ("selector.matchLabels",),
        _CRON_JOB: ("jobTemplate.spec.selector.matchLabels",),
        "PodDisruptionBudget": ("selector.matchLabels",),
        "NetworkPolicy": (
            *("podSelector.matchLabels", "ingress.[].from.[].podSelector.matchLabels"),
            "egress.[].to.[].podSelector.matchLabels",
        ),
    }
    for path in paths.get(kind, ()):
        yield from find_path(spec, path)
    if kind not in {"Deployment", "StatefulSet"}:
        return
    for pod in _pods(item):
        for affinity in ("podAffinity", "podAntiAffinity"):
            start = f"affinity.{affinity}"
            yield from find_path(
                pod,
                f"{start}.preferredDuringSchedulingIgnoredDuringExecution.[].podAffinityTerm.labelSelector.matchLabels",
            )
            yield from find_path(
                pod, f"{start}.requiredDuringSchedulingIgnoredDuringExecution.[].labelSelector.matchLabels"
            )
        yield from find_path(pod, "topologySpreadConstraints.[].labelSelector.matchLabels")


_CONVERSION_SERVICE: Final = "spec.conversion.webhook.clientConfig.service"
# Names of other objects in the spec of a pod: kind, path of the object with the name, field of the name.
_POD_REFERENCES: Final = (
    ("ConfigMap", "volumes.[].configMap", "name"),
    ("ConfigMap", "volumes.[].projected.sources.[].configMap", "name"),
    ("Secret", "volumes.[].secret", "secretName"),
    ("Secret", "volumes.[].projected.sources.[].secret", "name"),
    ("Secret", "imagePullSecrets.[]", "name"),
    ("PersistentVolumeClaim", "volumes.[].persistentVolumeClaim", "claimName"),
    ("ServiceAccount", "", "serviceAccountName"),
    *(
        (kind, f"{containers}.[].{path}", "name")
        for containers in _CONTAINERS
        for kind, path in (
            ("ConfigMap", "env.[].valueFrom.configMapKeyRef"),
            ("ConfigMap", "envFrom.[].configMapRef"),
            ("Secret", "env.[].valueFrom.secretKeyRef"),
            ("Secret", "envFrom.[].secretRef"),
        )
    ),
)
# The same in other kinds, by kind. The kind of the named object is in its field `kind` if the first column is empty.
_REFERENCES: Final = {
    "StatefulSet": (("Service", "spec", "serviceName"),),
    "Ingress": (
        ("Service", "spec.rules.[].http.paths.[].backend.service", "name"),
        ("Service", "spec.defaultBackend.service", "name"),
        ("Secret", "spec.tls.[]", "secretName"),
    ),
    "ServiceAccount": (("Secret", "secrets.[]", "name"), ("Secret", "imagePullSecrets.[]", "name")),
    "RoleBinding": (("", "roleRef", "name"), ("", "subjects.[]", "name")),
    "ClusterRoleBinding": (("", "roleRef", "name"), ("", "subjects.[]", "name")),
    "HorizontalPodAutoscaler": (("", "spec.scaleTargetRef", "name"),),
    "MutatingWebhookConfiguration": (("Service", "webhooks.[].clientConfig.service", "name"),),
    "ValidatingWebhookConfiguration": (("Service", "webhooks.[].clientConfig.service", "name"),),
    "APIService": (("Service", "spec.service", "name"),),
}
# Holders of names that also have the namespace of the named object.
_WITH_NAMESPACE: Final = frozenset({"subjects.[]", "spec.service", "webhooks.[].clientConfig.service"})
# Services that always get the namespace of the kustomization, by kind.
_MOVED_SERVICES: Final = {"APIService": "spec.service", "CustomResourceDefinition": _CONVERSION_SERVICE}


class NameReference(NamedTuple):
    """
    The name of another object in an object.

    Attributes:
        kind: The kind of the other object.
        holder: The object or list that contains the name.
        key: The field or index of the name.
        has_namespace: Whether the holder also has the namespace of the other object.
    """

    kind: str
    holder: Any
    key: str | int
    has_namespace: bool

    def names(self, other: ObjectId) -> bool:
        """Return whether it is the name of an object with an identity."""
        if (self.kind, self.holder[self.key]) != (other.kind, other.name):
            return False
        namespace = self.holder.get("namespace") if self.has_namespace else None
        return namespace is None or namespace == (other.namespace or _DEFAULT)


def references(item: BuiltObject) -> Iterator[NameReference]:
    """Yield the names of other objects in an object."""
    places: Iterable[tuple[Any, Iterable[tuple[str, str, str]]]] = (
        *((pod, _POD_REFERENCES) for pod in _pods(item)),
        (item.value, _REFERENCES.get(item.id.kind, ())),
    )
    for start, rows in places:
        for kind, path, key in rows:
            for holder in find_path(start, path) if path else (start,):
                if isinstance(holder, dict) and isinstance(holder.get(key), str):
                    yield NameReference(kind or str(holder.get("kind")), holder, key, path in _WITH_NAMESPACE)


def moved_services(item: BuiltObject) -> Iterator[dict[str, Any]]:
    """Yield the services in an object that kustomize always moves into the namespace of the kustomization."""
    if path := _MOVED_SERVICES.get(item.id.kind):
        yield from find_path(item.value, path)


def change_images(value: Any, change: Callable[[str], str]) -> None:
    """Replace the images of all containers in an object, at any depth."""
    if isinstance(value, list):
        for item in value:
            change_images(item, change)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in _CONTAINERS and isinstance(item, list):
                for container in item:
                    if isinstance(container, dict) and isinstance(container.get("image"), str):
                        container["image"] = change(container["image"])
            change_images(item, change)
