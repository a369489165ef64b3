"""A small valid object of each built-in kind, by apiVersion and kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

_LABELS: Final = {"app": "cook"}
_SELECTOR: Final = {"matchLabels": _LABELS}
_POD: Final[JSONValue] = {"containers": [{"name": "cook", "image": "cook:1"}]}
_TEMPLATE: Final[JSONValue] = {"metadata": {"labels": _LABELS}, "spec": _POD}
_ONCE: Final[JSONValue] = {"metadata": {"labels": _LABELS}, "spec": {**_POD, "restartPolicy": "Never"}}
_ABOUT: Final[JSONValue] = {"kind": "ConfigMap", "namespace": "{ns}", "name": "a"}
_MOMENT: Final = "2024-01-02T03:04:05.678901Z"
_CAPACITY: Final[JSONValue] = {"storage": "1Gi"}
_RBAC: Final = "rbac.authorization.k8s.io"
_RULES: Final[JSONValue] = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
_SUBJECTS: Final[JSONValue] = [{"kind": "User", "name": "ada", "apiGroup": _RBAC}]
_CLIENT: Final[JSONValue] = {"url": "https://example.com/hook"}
_WEBHOOKS: Final[JSONValue] = [
    {
        "name": "hook.example.com",
        "clientConfig": _CLIENT,
        "rules": [{"operations": ["CREATE"], "apiGroups": ["none.example.com"], "apiVersions": ["v1"], "resources": ["nones"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
]  # fmt: skip
_CONSTRAINTS: Final[JSONValue] = {
    "resourceRules": [{"operations": ["CREATE"], "apiGroups": ["none.example.com"], "apiVersions": ["v1"], "resources": ["nones"]}]
}  # fmt: skip
_MUTATION: Final[JSONValue] = {
    "patchType": "ApplyConfiguration",
    "applyConfiguration": {"expression": 'Object{metadata: Object.metadata{labels: {"a": "b"}}}'},
}
_DEVICES: Final[JSONValue] = {
    "devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu.example.com"}}]}
}
# A certificate signing request in PEM, for the common name `a`; a certificate of an authority.
CSR: Final = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIRk1HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQlpNQk1HQnlx"
    "R1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCR05zNW9ac2F2TURTYVc2NVJ4K1FUcnRhM1VPbmJsTjJjSG9Qb3NDbnUrQk5RNTEy"
    "b0ZhZm9obVhWYVRheGNyCjdQZXlzekE4SFVEUVJhd2MzazQ0SVlLZ0FEQUtCZ2dxaGtqT1BRUURBZ05IQURCRUFpQUcyRjVtVEha"
    "T0pod0wKcGZUV1R0Mm5JNjdlZGlIc0RUTytvM0dJazJVT3p3SWdlM3ZBSWdKaGt3UWxZZk05bi9iWE9zRGdLM0YrTEUrRAorSmxP"
    "WXQzUVc0VT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg=="
)

CERTIFICATE: Final = """\
-----BEGIN CERTIFICATE-----
MIIBcTCCARegAwIBAgIULr2TeSP/phcqnKs9Hz1Ri6UAFrowCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCY2EwIBcNMjYxMTI3MjMwODA4WhgPMjEyNjExMDMyMzA4MDha
MA0xCzAJBgNVBAMMAmNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEY2zmhmxq
8wNJpbrlHH5BOu1rdQ6duU3Zweg+iwKe74E1DnXagVp+iGZdVpNrFyvs97KzMDwd
QNBFrBzeTjghgqNTMFEwHQYDVR0OBBYEFM14f4aiAT+SGUE/PB7uXnx9HN1kMB8G
A1UdIwQYMBaAFM14f4aiAT+SGUE/PB7uXnx9HN1kMA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIhALYhlVFpgbHXqzUQr2eQEkFYN4QVWpDrnaYmp7n/
7ZC8AiAiCaUMuRq7s7/zIoLGhbSODL8y02Dk1TsIm2Qi1XXQVw==
-----END CERTIFICATE-----
"""
# The names of kinds that follow from their fields.
_NAMES: Final = {"APIService": "v1.none.example.com", "IPAddress": "10.0.0.77"}


def contents() -> Mapping[tuple[str, str], JSONValue]:
    """Return the fields besides the metadata of an object of each kind."""
    return {**_core(), **_workloads(), **_policies(), **_infrastructure()}


def named(api_version: str, kind: str, name: str) -> JSONValue:
    """
    Return the object of a kind with a name.

    Kinds whose names follow from their fields get another name.
    """
    content = contents()[api_version, kind]
    metadata = {"name": _NAMES.get(kind, name)}
    return {"apiVersion": api_version, "kind": kind, **content, "metadata": {**metadata, **content.get("metadata", {})}}


def _core() -> Mapping[tuple[str, str], JSONValue]:
    replicas = {"selector": _LABELS, "template": _TEMPLATE}
    volume = {"capacity": _CAPACITY, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": _CAPACITY}}
    return {
        ("v1", "ConfigMap"): {"data": {"a": "1"}},
        ("v1", "Endpoints"): {"subsets": [{"addresses": [{"ip": "10.1.2.3"}], "ports": [{"port": 80}]}]},
        ("v1", "Event"): {"metadata": {"namespace": "{ns}"}, "involvedObject": _ABOUT, "reason": "Cooked", "type": "Normal"},
        ("v1", "LimitRange"): {"spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}}]}},
        ("v1", "Namespace"): {},
        ("v1", "Node"): {},
        ("v1", "PersistentVolume"): {"spec": volume},
        ("v1", "PersistentVolumeClaim"): {"spec": claim},
        ("v1", "Pod"): {"spec": _POD},
        ("v1", "PodTemplate"): {"template": _TEMPLATE},
        ("v1", "ReplicationController"): {"spec": replicas},
        ("v1", "ResourceQuota"): {"spec": {"hard": {"pods": "10"}}},
        ("v1", "Secret"): {"data": {"a": "YQ=="}},
        ("v1", "Service"): {"spec": {"ports": [{"port": 80}]}},
        ("v1", "ServiceAccount"): {},
    }  # fmt: skip


def _workloads() -> Mapping[tuple[str, str], JSONValue]:
    replicas = {"selector": _SELECTOR, "template": _TEMPLATE}
    target = {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}
    event: JSONValue = {
        "eventTime": _MOMENT,
        "reportingController": "example.com/cook",
        "reportingInstance": "cook-1",
        "action": "Cook",
        "reason": "Cooked",
        "regarding": _ABOUT,
        "type": "Normal",
    }
    return {
        ("apps/v1", "ControllerRevision"): {"revision": 1, "data": {"spec": {"a": 1}}},
        ("apps/v1", "DaemonSet"): {"spec": replicas},
        ("apps/v1", "Deployment"): {"spec": replicas},
        ("apps/v1", "ReplicaSet"): {"spec": replicas},
        ("apps/v1", "StatefulSet"): {"spec": {**replicas, "serviceName": "cook"}},
        ("autoscaling/v1", "HorizontalPodAutoscaler"): {"spec": {"scaleTargetRef": target, "maxReplicas": 3}},
        ("autoscaling/v2", "HorizontalPodAutoscaler"): {"spec": {"scaleTargetRef": target, "maxReplicas": 3}},
        ("batch/v1", "CronJob"): {"spec": {"schedule": "0 * * * *", "jobTemplate": {"spec": {"template": _ONCE}}}},
        ("batch/v1", "Job"): {"spec": {"template": _ONCE}},
        ("coordination.k8s.io/v1", "Lease"): {"spec": {"holderIdentity": "a"}},
        ("events.k8s.io/v1", "Event"): event,
    }


def _policies() -> Mapping[tuple[str, str], JSONValue]:
    admission = "admissionregistration.k8s.io/v1"
    level = {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}
    return {
        (admission, "MutatingAdmissionPolicy"): {
            "spec": {"matchConstraints": _CONSTRAINTS, "mutations": [_MUTATION], "reinvocationPolicy": "Never"}
        },
        (admission, "MutatingAdmissionPolicyBinding"): {"spec": {"policyName": "a"}},
        (admission, "MutatingWebhookConfiguration"): {"webhooks": _WEBHOOKS},
        (admission, "ValidatingAdmissionPolicy"): {
            "spec": {"matchConstraints": _CONSTRAINTS, "validations": [{"expression": "true"}]}
        },
        (admission, "ValidatingAdmissionPolicyBinding"): {"spec": {"policyName": "a", "validationActions": ["Deny"]}},
        (admission, "ValidatingWebhookConfiguration"): {"webhooks": _WEBHOOKS},
        ("certificates.k8s.io/v1", "CertificateSigningRequest"): {
            "spec": {"request": CSR, "signerName": "example.com/signer", "usages": ["client auth"]}
        },
        ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"): {"spec": {"priorityLevelConfiguration": {"name": "exempt"}}},
        ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration"): {"spec": level},
        ("policy/v1", "PodDisruptionBudget"): {"spec": {"minAvailable": 1, "selector": _SELECTOR}},
        (f"{_RBAC}/v1", "ClusterRole"): {"rules": _RULES},
        (f"{_RBAC}/v1", "ClusterRoleBinding"): {
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "a"},
            "subjects": _SUBJECTS,
        },
        (f"{_RBAC}/v1", "Role"): {"rules": _RULES},
        (f"{_RBAC}/v1", "RoleBinding"): {
            "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": "a"},
            "subjects": _SUBJECTS,
        },
        ("scheduling.k8s.io/v1", "PriorityClass"): {"value": 1000},
    }


def _infrastructure() -> Mapping[tuple[str, str], JSONValue]:
    backend = {"service": {"name": "cook", "port": {"number": 80}}}
    parent = {"resource": "services", "namespace": "default", "name": "kubernetes"}
    service = {"group": "none.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100}
    taint = {"key": "example.com/broken", "effect": "NoSchedule"}
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    volume = {"attacher": "csi.example.com", "nodeName": "a", "source": {"persistentVolumeName": "a"}}
    return {
        ("apiregistration.k8s.io/v1", "APIService"): {
            "spec": {**service, "service": {"name": "cook", "namespace": "default"}, "insecureSkipTLSVerify": True}
        },
        ("certificates.k8s.io/v1", "ClusterTrustBundle"): {"spec": {"trustBundle": CERTIFICATE}},
        ("discovery.k8s.io/v1", "EndpointSlice"): {
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["10.1.2.3"]}],
            "ports": [{"name": "", "port": 80}],
        },
        ("networking.k8s.io/v1", "IPAddress"): {"spec": {"parentRef": parent}},
        ("networking.k8s.io/v1", "Ingress"): {"spec": {"defaultBackend": backend}},
        ("networking.k8s.io/v1", "IngressClass"): {"spec": {"controller": "example.com/controller"}},
        ("networking.k8s.io/v1", "NetworkPolicy"): {"spec": {"podSelector": _SELECTOR}},
        ("networking.k8s.io/v1", "ServiceCIDR"): {"spec": {"cidrs": ["192.168.0.0/24"]}},
        ("node.k8s.io/v1", "RuntimeClass"): {"handler": "runc"},
        ("resource.k8s.io/v1", "DeviceClass"): {"spec": {}},
        ("resource.k8s.io/v1", "DeviceTaintRule"): {"spec": {"taint": taint}},
        ("resource.k8s.io/v1", "ResourceClaim"): {"spec": _DEVICES},
        ("resource.k8s.io/v1", "ResourceClaimTemplate"): {"spec": {"spec": _DEVICES}},
        ("resource.k8s.io/v1", "ResourceSlice"): {"spec": {"driver": "gpu.example.com", "pool": pool, "allNodes": True}},
        ("storage.k8s.io/v1", "CSIDriver"): {"spec": {}},
        ("storage.k8s.io/v1", "CSINode"): {"spec": {"drivers": []}},
        ("storage.k8s.io/v1", "CSIStorageCapacity"): {"storageClassName": "a"},
        ("storage.k8s.io/v1", "StorageClass"): {"provisioner": "example.com/disk"},
        ("storage.k8s.io/v1", "VolumeAttachment"): {"spec": volume},
        ("storage.k8s.io/v1", "VolumeAttributesClass"): {"driverName": "csi.example.com", "parameters": {"a": "1"}},
        ("storagemigration.k8s.io/v1", "StorageVersionMigration"): {"spec": {"resource": {"group": "", "resource": "secrets"}}},
    }  # fmt: skip
