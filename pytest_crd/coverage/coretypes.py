"""
Kubernetes types that CRDs embed, recognized by the names of their fields.

A CRD does not name the types that a tool copied into it. The behaviour of such parts is decided by Kubernetes, not by the project.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from pytest_crd.engine import CrdVersion, profile
from pytest_crd.engine.openapi import commontypes
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.schemamap import Place, SchemaNode


class _Fields(NamedTuple):
    """
    The names of the fields of a type.

    Attributes:
        marks: Fields that all copies have, and no other type has together.
        others: The other fields, which a copy may lack.
        spare: The number of further fields that a copy may have, because types grow.
    """

    marks: frozenset[str]
    others: frozenset[str] = frozenset()
    spare: int = 0

    def match(self, names: frozenset[str]) -> bool:
        """Return True if an object with the fields *names* is of the type."""
        return self.marks <= names and len(names - self.marks - self.others) <= self.spare


def _fields(marks: str, others: str = "", spare: int = 0) -> _Fields:
    return _Fields(frozenset(marks.split()), frozenset(others.split()), spare)


_SOURCES: Final = (
    "awsElasticBlockStore azureDisk azureFile cephfs cinder configMap csi downwardAPI emptyDir ephemeral fc flexVolume flocker"
    " gcePersistentDisk gitRepo glusterfs hostPath image iscsi nfs persistentVolumeClaim photonPersistentDisk portworxVolume"
    " projected quobyte rbd scaleIO secret storageos vsphereVolume"
)
_CONTAINER: Final = (
    "args command envFrom image imagePullPolicy lifecycle livenessProbe ports readinessProbe resizePolicy restartPolicy"
    " restartPolicyRules securityContext startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty"
    " volumeDevices workingDir"
)
_TYPES: Final = {
    "PodSpec": _fields(
        "containers volumes",
        "activeDeadlineSeconds affinity automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks ephemeralContainers"
        " hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets initContainers nodeName"
        " nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims resources"
        " restartPolicy runtimeClassName schedulerName schedulingGates schedulingGroup securityContext serviceAccount"
        " serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations"
        " topologySpreadConstraints workloadRef",
        spare=2,
    ),
    "Affinity": _fields("nodeAffinity podAffinity podAntiAffinity"),
    "NodeAffinity or PodAffinity": _fields(
        "preferredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution"
    ),
    "NodeSelector": _fields("nodeSelectorTerms"),
    "NodeSelectorTerm": _fields("matchExpressions matchFields"),
    "Toleration": _fields("effect key operator tolerationSeconds value"),
    "TopologySpreadConstraint": _fields(
        "maxSkew topologyKey whenUnsatisfiable",
        "labelSelector matchLabelKeys minDomains nodeAffinityPolicy nodeTaintsPolicy",
    ),
    "Container": _fields("env name resources volumeMounts", f"{_CONTAINER} targetContainerName", spare=1),
    "EnvVar": _fields("name value valueFrom"),
    "EnvVarSource": _fields("configMapKeyRef secretKeyRef", "fieldRef fileKeyRef resourceFieldRef"),
    "EnvFromSource": _fields("configMapRef prefix secretRef"),
    "ConfigMapKeySelector or SecretKeySelector": _fields("key name optional"),
    "ResourceRequirements": _fields("limits requests", "claims"),
    "SecurityContext": _fields(
        "allowPrivilegeEscalation capabilities privileged readOnlyRootFilesystem runAsUser",
        "appArmorProfile procMount runAsGroup runAsNonRoot seLinuxOptions seccompProfile windowsOptions",
        spare=1,
    ),
    "PodSecurityContext": _fields(
        "fsGroup runAsGroup runAsNonRoot runAsUser supplementalGroups",
        "appArmorProfile fsGroupChangePolicy seLinuxChangePolicy seLinuxOptions seccompProfile supplementalGroupsPolicy"
        " sysctls windowsOptions",
        spare=1,
    ),
    "Probe": _fields(
        "failureThreshold httpGet initialDelaySeconds periodSeconds timeoutSeconds",
        "exec grpc successThreshold tcpSocket terminationGracePeriodSeconds",
    ),
    "Lifecycle": _fields("postStart preStop", "stopSignal"),
    "Volume": _fields("configMap emptyDir name secret", _SOURCES, spare=2),
    "VolumeSource": _fields("configMap emptyDir hostPath secret", _SOURCES, spare=2),
    "VolumeProjection": _fields(
        "configMap downwardAPI secret serviceAccountToken", "clusterTrustBundle podCertificate"
    ),
    "VolumeMount": _fields("mountPath name", "mountPropagation readOnly recursiveReadOnly subPath subPathExpr"),
    "PersistentVolumeClaimSpec": _fields(
        "accessModes resources storageClassName",
        "dataSource dataSourceRef selector volumeAttributesClassName volumeMode volumeName",
    ),
    "ServiceSpec": _fields(
        "clusterIP ports sessionAffinity type",
        "allocateLoadBalancerNodePorts clusterIPs externalIPs externalName externalTrafficPolicy healthCheckNodePort"
        " internalTrafficPolicy ipFamilies ipFamilyPolicy loadBalancerClass loadBalancerIP loadBalancerSourceRanges"
        " publishNotReadyAddresses selector sessionAffinityConfig trafficDistribution",
        spare=1,
    ),
    "ServicePort": _fields("nodePort port targetPort", "appProtocol name protocol"),
    "LabelSelector": _fields("matchExpressions matchLabels"),
    "ObjectReference": _fields("apiVersion fieldPath kind name namespace resourceVersion uid"),
    "Condition": _fields("lastTransitionTime message reason status type", "observedGeneration"),
}
# The ObjectMeta fields that users set; tools write only these into CRDs.
_OF_OBJECT_META: Final = frozenset({"annotations", "finalizers", "labels", "name", "namespace"})


@functools.cache
def _object_meta(version: Profile) -> frozenset[str]:
    return frozenset(
        commontypes.load(version, 3 if version.publishes_v3 else 2, scales=False).schemas[commontypes.OBJECT_META][
            "properties"
        ]
    )


def name_of(node: SchemaNode, version: Profile) -> str:
    """Return the Kubernetes type at *node* as the Kubernetes *version* publishes it; empty if it has none."""
    if node.rules:
        return ""  # Kubernetes types have no rules, so the project has changed the type
    names = frozenset(node.properties)
    if names >= _OF_OBJECT_META and names <= _object_meta(version):
        return "ObjectMeta"
    return next((name for name, fields in _TYPES.items() if fields.match(names)), "")


def find_places(version: CrdVersion) -> dict[Place, str]:
    """Return the outermost places of Kubernetes types in the schema of *version*, with their names."""
    nodes = (node for node in version.schema_map if node.meta_of is None)
    return places(nodes, profile.named(version.crd.kubernetes_version))


def is_inside(place: Place, types: Collection[Place]) -> bool:
    """Return True if *place* is inside a value of a Kubernetes type, given the places of all *types*."""
    return any(place[:length] in types for length in range(1, len(place)))


def places(nodes: Iterable[SchemaNode], version: Profile) -> dict[Place, str]:
    """Return the outermost places of *nodes* with a Kubernetes type, and its name, outer places first."""
    types: dict[Place, str] = {}
    above: Place | None = None
    for node in nodes:
        is_inside = above is not None and node.place[: len(above)] == above
        if node.place and not is_inside and (name := name_of(node, version)):
            above = node.place
            types[above] = name
    return types
