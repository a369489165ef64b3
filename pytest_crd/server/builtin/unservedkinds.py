"""
Built-in kinds of kube-apiserver that this server answers with 404, so that reports can name them.

Only stable versions are listed: a cluster serves others only if configured to.

Reference:
    kubernetes api/discovery/aggregated_v2.json; k8s.io/api, APILifecycleIntroduced of each kind.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pytest_crd.engine.profile import Profile
from pytest_crd.server.http.requestinfo import RequestInfo


class UnservedKind(NamedTuple):
    """
    A kind that a cluster serves.

    Attributes:
        kind: The kind.
        since: The first minor version of Kubernetes 1 that serves it, if later than 1.21.
    """

    kind: str
    since: int = 21


KINDS: Final = {
    ("", "v1"): {
        "bindings": UnservedKind("Binding"),
        "componentstatuses": UnservedKind("ComponentStatus"),
        "endpoints": UnservedKind("Endpoints"),
        "limitranges": UnservedKind("LimitRange"),
        "nodes": UnservedKind("Node"),
        "persistentvolumes": UnservedKind("PersistentVolume"),
        "podtemplates": UnservedKind("PodTemplate"),
        "replicationcontrollers": UnservedKind("ReplicationController"),
        "resourcequotas": UnservedKind("ResourceQuota"),
    },
    ("admissionregistration.k8s.io", "v1"): {
        "mutatingadmissionpolicies": UnservedKind("MutatingAdmissionPolicy", 36),
        "mutatingadmissionpolicybindings": UnservedKind("MutatingAdmissionPolicyBinding", 36),
        "mutatingwebhookconfigurations": UnservedKind("MutatingWebhookConfiguration"),
        "validatingadmissionpolicies": UnservedKind("ValidatingAdmissionPolicy", 30),
        "validatingadmissionpolicybindings": UnservedKind("ValidatingAdmissionPolicyBinding", 30),
        "validatingwebhookconfigurations": UnservedKind("ValidatingWebhookConfiguration"),
    },
    ("apiregistration.k8s.io", "v1"): {
        "apiservices": UnservedKind("APIService"),
    },
    ("apps", "v1"): {
        "controllerrevisions": UnservedKind("ControllerRevision"),
        "daemonsets": UnservedKind("DaemonSet"),
        "replicasets": UnservedKind("ReplicaSet"),
    },
    ("authentication.k8s.io", "v1"): {
        "selfsubjectreviews": UnservedKind("SelfSubjectReview", 28),
        "tokenreviews": UnservedKind("TokenReview"),
    },
    ("authorization.k8s.io", "v1"): {
        "localsubjectaccessreviews": UnservedKind("LocalSubjectAccessReview"),
        "selfsubjectaccessreviews": UnservedKind("SelfSubjectAccessReview"),
        "selfsubjectrulesreviews": UnservedKind("SelfSubjectRulesReview"),
        "subjectaccessreviews": UnservedKind("SubjectAccessReview"),
    },
    ("autoscaling", "v1"): {
        "horizontalpodautoscalers": UnservedKind("HorizontalPodAutoscaler"),
    },
    ("autoscaling", "v2"): {
        "horizontalpodautoscalers": UnservedKind("HorizontalPodAutoscaler", 23),
    },
    ("batch", "v1"): {
        "cronjobs": UnservedKind("CronJob"),
    },
    ("certificates.k8s.io", "v1"): {
        "certificatesigningrequests": UnservedKind("CertificateSigningRequest"),
        "clustertrustbundles": UnservedKind("ClusterTrustBundle", 37),
        "podcertificaterequests": UnservedKind("PodCertificateRequest", 37),
    },
    ("discovery.k8s.io", "v1"): {
        "endpointslices": UnservedKind("EndpointSlice"),
    },
    ("flowcontrol.apiserver.k8s.io", "v1"): {
        "flowschemas": UnservedKind("FlowSchema", 29),
        "prioritylevelconfigurations": UnservedKind("PriorityLevelConfiguration", 29),
    },
    ("networking.k8s.io", "v1"): {
        "ingressclasses": UnservedKind("IngressClass"),
        "ingresses": UnservedKind("Ingress"),
        "ipaddresses": UnservedKind("IPAddress", 33),
        "networkpolicies": UnservedKind("NetworkPolicy"),
        "servicecidrs": UnservedKind("ServiceCIDR", 33),
    },
    ("node.k8s.io", "v1"): {
        "runtimeclasses": UnservedKind("RuntimeClass"),
    },
    ("policy", "v1"): {
        "poddisruptionbudgets": UnservedKind("PodDisruptionBudget"),
    },
    ("rbac.authorization.k8s.io", "v1"): {
        "clusterrolebindings": UnservedKind("ClusterRoleBinding"),
        "clusterroles": UnservedKind("ClusterRole"),
        "rolebindings": UnservedKind("RoleBinding"),
        "roles": UnservedKind("Role"),
    },
    ("resource.k8s.io", "v1"): {
        "deviceclasses": UnservedKind("DeviceClass", 34),
        "devicetaintrules": UnservedKind("DeviceTaintRule", 37),
        "resourceclaims": UnservedKind("ResourceClaim", 34),
        "resourceclaimtemplates": UnservedKind("ResourceClaimTemplate", 34),
        "resourceslices": UnservedKind("ResourceSlice", 34),
    },
    ("scheduling.k8s.io", "v1"): {
        "priorityclasses": UnservedKind("PriorityClass"),
    },
    ("storage.k8s.io", "v1"): {
        "csidrivers": UnservedKind("CSIDriver"),
        "csinodes": UnservedKind("CSINode"),
        "csistoragecapacities": UnservedKind("CSIStorageCapacity", 24),
        "storageclasses": UnservedKind("StorageClass"),
        "volumeattachments": UnservedKind("VolumeAttachment"),
        "volumeattributesclasses": UnservedKind("VolumeAttributesClass", 34),
    },
    ("storagemigration.k8s.io", "v1"): {
        "storageversionmigrations": UnservedKind("StorageVersionMigration", 37),
    },
}


def find_kind(info: RequestInfo | None, profile: Profile) -> str:
    """Return the kind of a request if a cluster of the profile's version serves it; empty if not."""
    if info is None:
        return ""
    unserved = KINDS.get((info.group, info.version), {}).get(info.resource)
    minor = int(profile.version.partition(".")[2])
    return unserved.kind if unserved is not None and minor >= unserved.since else ""
