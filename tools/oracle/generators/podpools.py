"""Values of the fields of the specs and templates of Pods, valid and invalid, for random writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from oracle.generators import containerpools

_Pool = Sequence[Any]

_ITEMS: Final[_Pool] = (
    [{"key": "k", "path": "p"}],
    [{}],
    [{"key": "k", "path": "../p"}],
    [{"key": "k", "path": "/p", "mode": 512}],
    [{"key": "k", "path": "..p"}],
)
_PROJECTED: Final[_Pool] = (
    *([], [{}], [{"secret": {"name": "s"}}], [{"secret": {}}], [{"configMap": {"items": [{"key": "k", "path": "p"}, {"key": "j", "path": "p"}]}}]),
    *([{"serviceAccountToken": {"path": "t"}}], [{"serviceAccountToken": {}}], [{"serviceAccountToken": {"path": "/t", "expirationSeconds": 5}}]),
    *([{"clusterTrustBundle": {"path": "p"}}], [{"clusterTrustBundle": {"path": "p", "name": "a", "signerName": "b.c/d"}}]),
    *([{"clusterTrustBundle": {"name": "A:b", "path": "../p", "labelSelector": {"matchLabels": {"a": "b"}}}}], [{"clusterTrustBundle": {"signerName": "x", "path": "p"}}]),
    *([{"secret": {"name": "s"}, "configMap": {"name": "m"}}], [{"downwardAPI": {"items": [{"path": "a", "fieldRef": containerpools.FIELD}, {"path": "a/b", "fieldRef": containerpools.FIELD}]}}]),
)  # fmt: skip
_SOURCES: Final[_Pool] = (
    *({"emptyDir": {}}, {"emptyDir": {"sizeLimit": "-1"}}, {"emptyDir": {"sizeLimit": "1Gi", "medium": "Memory"}}, {}),
    *({"hostPath": {"path": "/a"}}, {"hostPath": {}}, {"hostPath": {"path": "/a/../b", "type": "x"}}, {"hostPath": {"path": "a", "type": "Socket"}}),
    *({"secret": {"secretName": "s"}}, {"secret": {}}, {"secret": {"secretName": "s", "defaultMode": 512}}, {"secret": {"secretName": "s", "defaultMode": -1}}),
    *({"secret": {"secretName": "s", "items": items}} for items in _ITEMS),
    *({"configMap": {"name": "m"}}, {"configMap": {}}, {"configMap": {"name": "m", "items": [{"key": "k", "path": "a"}, {"key": "j", "path": "a/b"}]}}),
    *({"persistentVolumeClaim": {"claimName": "c"}}, {"persistentVolumeClaim": {}}, {"emptyDir": {}, "hostPath": {"path": "/a"}}),
    *({"nfs": {}}, {"nfs": {"server": "s", "path": "p"}}, {"nfs": {"server": "s", "path": "/p"}}, {"gitRepo": {"directory": "../x"}}),
    *({"gcePersistentDisk": {"partition": 300}}, {"awsElasticBlockStore": {}}, {"rbd": {}}, {"cinder": {"secretRef": {}}}, {"cephfs": {}}),
    *({"iscsi": {}}, {"iscsi": {"targetPortal": "p" * 70, "iqn": "x", "lun": 300, "chapAuthSession": True, "initiatorName": "iqn.x"}}),
    *({"glusterfs": {}}, {"flocker": {}}, {"flocker": {"datasetName": "a/b", "datasetUUID": "u"}}, {"quobyte": {}}, {"quobyte": {"registry": "a,b:1", "volume": "v"}}),
    *({"fc": {}}, {"fc": {"targetWWNs": ["a"], "wwids": ["b"]}}, {"fc": {"targetWWNs": ["a"], "lun": 256}}, {"azureFile": {}}, {"vsphereVolume": {}}),
    *({"flexVolume": {}}, {"flexVolume": {"driver": "d", "options": {"x.k8s.io/a": "b", "c": "d"}}}, {"photonPersistentDisk": {}}, {"portworxVolume": {}}),
    *({"azureDisk": {}}, {"azureDisk": {"diskName": "d", "diskURI": "u", "kind": "Managed", "cachingMode": "x"}}, {"azureDisk": {"diskName": "d", "diskURI": "u", "kind": "x"}}),
    *({"storageos": {}}, {"storageos": {"volumeName": "A_", "volumeNamespace": "B_", "secretRef": {}}}, {"scaleIO": {}}, {"csi": {}}),
    *({"csi": {"driver": "A_b"}}, {"csi": {"driver": "x" * 64, "nodePublishSecretRef": {}}}, {"csi": {"driver": "d", "nodePublishSecretRef": {"name": "A_"}}}),
    *({"ephemeral": {}}, {"ephemeral": {"volumeClaimTemplate": {"spec": containerpools.CLAIM}}}, {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}}),
    *({"ephemeral": {"volumeClaimTemplate": {"metadata": {"name": "n", "labels": {"-": "x"}}, "spec": {**containerpools.CLAIM, "accessModes": ["x", "ReadWriteOncePod"]}}}},),
    *({"image": {}}, {"image": {"reference": "r", "pullPolicy": "x"}}, {"downwardAPI": {}}, {"cephfs": {"monitors": ["m"]}, "downwardAPI": {}}),
    *({"downwardAPI": {"items": [item]}} for item in (
        *({"path": "p", "fieldRef": containerpools.FIELD}, {}, {"path": "../p", "fieldRef": {"fieldPath": "spec.nodeName"}}, {"path": "p", "resourceFieldRef": {"resource": "limits.cpu"}}),
        *({"path": "p", "fieldRef": containerpools.FIELD, "resourceFieldRef": {"resource": "limits.cpu", "containerName": "c"}, "mode": 1000},),
    )),
    *({"projected": {"sources": sources}} for sources in _PROJECTED),
)  # fmt: skip
_VOLUMES: Final[_Pool] = (
    *([{"name": "v", **source}] for source in _SOURCES),
    *([{"emptyDir": {}}], [{"name": "A_", "emptyDir": {}}], [{"name": "v", "emptyDir": {}}] * 2, [{"name": "claim", "persistentVolumeClaim": {"claimName": "c"}}]),
    *([{"name": "v", "emptyDir": {}}, {"name": "claim", "persistentVolumeClaim": {"claimName": "c"}}], [{"name": containerpools.LONG, "emptyDir": {}}]),
)  # fmt: skip
_MOUNTED: Final[_Pool] = tuple(
    {"volumes": [{"name": "v", "emptyDir": {}}, {"name": "claim", "persistentVolumeClaim": {"claimName": "c"}}], "containers": [container]}
    for container in (
        *({**containerpools.CONTAINER, "volumeMounts": mounts} for mounts in containerpools.MOUNTS),
        *({**containerpools.CONTAINER, "volumeDevices": devices} for devices in containerpools.DEVICES),
        *({**containerpools.CONTAINER, "volumeMounts": [containerpools.MOUNT], "volumeDevices": devices} for devices in containerpools.DEVICES),
        *({**containerpools.CONTAINER, "env": [{"name": "A", "valueFrom": {"fileKeyRef": {"volumeName": name, "path": "p", "key": "k"}}}]} for name in ("v", "claim")),
    )
)  # fmt: skip
_EXPRESSIONS: Final[_Pool] = (
    *(
        {"key": "a", "operator": "In", "values": ["b"]},
        {"key": "a", "operator": "In"},
        {"key": "a", "operator": "Exists", "values": ["b"]},
    ),
    *(
        {"key": "a", "operator": "Gt", "values": ["1", "2"]},
        {"key": "-a", "operator": "x"},
        {"key": "a", "operator": "NotIn", "values": ["-"]},
    ),
    {"key": "beta.kubernetes.io/os", "operator": "Exists"},
)
_TERM: Final = {"topologyKey": "k", "labelSelector": {"matchLabels": {"a": "b"}}}
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_TERMS: Final[_Pool] = (
    *(
        _TERM,
        {},
        {"topologyKey": "k"},
        {**_TERM, "namespaces": ["A_"]},
        {**_TERM, "matchLabelKeys": ["a"]},
        {**_TERM, "topologyKey": "a b"},
    ),
    *(
        {"topologyKey": "k", "matchLabelKeys": ["x"]},
        {**_TERM, "matchLabelKeys": ["x", "-y"], "mismatchLabelKeys": ["x"]},
    ),
    *({**_TERM, "labelSelector": {"matchExpressions": [expression]}} for expression in _EXPRESSIONS[:4]),
    {**_TERM, "namespaceSelector": {"matchLabels": {"-": "b"}}},
)
_AFFINITIES: Final[_Pool] = (
    *({}, {"nodeAffinity": {}}, {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": []}}}, {"nodeAffinity": {_REQUIRED: {}}}),
    *({"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [item]}]}}} for item in _EXPRESSIONS),
    *({"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchFields": [item]}]}}} for item in (*_EXPRESSIONS[:3], {"key": "metadata.name", "operator": "In", "values": ["A_"]})),
    *({"nodeAffinity": {_PREFERRED: [{"weight": weight, "preference": {"matchExpressions": [_EXPRESSIONS[5]]}}]}} for weight in (0, 1, 101)),
    *({"podAffinity": {_REQUIRED: [term]}} for term in _TERMS),
    *({"podAntiAffinity": {_PREFERRED: [{"weight": weight, "podAffinityTerm": term}]}} for weight in (0, 1) for term in _TERMS[:5]),
)  # fmt: skip
_TOLERATIONS: Final[_Pool] = (
    *(
        [{"key": "a", "operator": "Exists"}],
        [{}],
        [{"operator": "Exists"}],
        [{"key": "-a"}],
        [{"key": "a", "operator": "x"}],
    ),
    *(
        [{"key": "a", "operator": "Exists", "value": "b"}],
        [{"key": "a", "value": "b c"}],
        [{"key": "a", "operator": "Lt", "value": "1"}],
    ),
    *(
        [{"key": "a", "value": "b", "tolerationSeconds": 5}],
        [{"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 5}],
    ),
    *([{"key": "a", "effect": "x"}], [{"key": "a", "effect": "NoSchedule"}, {"key": "", "value": "y"}]),
)
_SPREAD: Final = {
    "maxSkew": 1,
    "topologyKey": "k",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"a": "b"}},
}
_SPREADS: Final[_Pool] = (
    *([_SPREAD], [{}], [_SPREAD, _SPREAD], [{**_SPREAD, "maxSkew": -1}], [{**_SPREAD, "topologyKey": ""}], [{**_SPREAD, "whenUnsatisfiable": "x"}]),
    *([{**_SPREAD, "minDomains": 0}], [{**_SPREAD, "minDomains": 1, "whenUnsatisfiable": "ScheduleAnyway"}], [{**_SPREAD, "nodeAffinityPolicy": "x"}]),
    *([{**_SPREAD, "matchLabelKeys": ["a", "-"]}], [{**_SPREAD, "labelSelector": None, "matchLabelKeys": ["a"]}], [{**_SPREAD, "labelSelector": {"matchLabels": {"a": "-b"}}}]),
)  # fmt: skip
_POD_CONTEXTS: Final[_Pool] = (
    *(
        {},
        {"fsGroup": -1},
        {"runAsUser": 2**31},
        {"supplementalGroups": [1, -1]},
        {"fsGroupChangePolicy": "x"},
        {"runAsGroup": 5},
    ),
    *(
        {"sysctls": [{"name": "net.a", "value": "1"}]},
        {"sysctls": [{}]},
        {"sysctls": [{"name": "A b"}]},
        {"sysctls": [{"name": "kernel.sem"}] * 2},
    ),
    *({"supplementalGroupsPolicy": "x"}, {"seLinuxChangePolicy": "x"}, {"seLinuxChangePolicy": "MountOption"}),
    *(
        context
        for context in containerpools.CONTEXTS
        if context.keys() & {"seccompProfile", "appArmorProfile", "windowsOptions"}
    ),
)
_SPEC_FIELDS: Final[Mapping[str, _Pool]] = {
    "restartPolicy": ("Always", "OnFailure", "Never", "x", ""),
    "dnsPolicy": ("Default", "None", "x"),
    "dnsConfig": (
        *({}, {"nameservers": ["1.1.1.1"]}, {"nameservers": ["x", "01.1.1.1", "2.2.2.2", "::1"]}, {"searches": ["a.b.", ".", "A b"]}),
        *({"searches": ["x"] * 33}, {"searches": ["x" * 254] * 9}, {"options": [{}]}, {"options": [{"name": "o", "value": "v"}]}),
    ),
    "nodeSelector": ({"a": "b"}, {"-": "b"}, {"a": "b c"}, {"beta.kubernetes.io/arch": "x"}),
    "securityContext": _POD_CONTEXTS,
    "shareProcessNamespace": (True, False),
    "hostPID": (True, False),
    "hostIPC": (True, False),
    "hostNetwork": (True, False),
    "hostUsers": (True, False),
    "imagePullSecrets": ([{"name": "a"}], [{}], [{"name": "a"}, {"name": "a"}]),
    "affinity": _AFFINITIES,
    "tolerations": _TOLERATIONS,
    "topologySpreadConstraints": _SPREADS,
    "readinessGates": ([{"conditionType": "a/b"}], [{"conditionType": "a b"}], [{}]),
    "schedulingGates": ([{"name": "a/b"}], [{"name": "a b"}], [{"name": "g"}, {"name": "g"}], [{}]),
    "serviceAccountName": ("a", "A_"),
    "serviceAccount": ("a", "A_"),
    "nodeName": ("n", "N_"),
    "activeDeadlineSeconds": (0, 1, -1, 2**31, 100),
    "terminationGracePeriodSeconds": (0, -1, 5, 1),
    "hostname": ("h", "H_", "a.b"),
    "subdomain": ("s", "S_"),
    "hostnameOverride": ("a.b", "A_", "x" * 65),
    "setHostnameAsFQDN": (True, False),
    "hostAliases": ([{"ip": "1.1.1.1", "hostnames": ["a", "A_"]}], [{"ip": "x"}], [{"ip": "1.1.1.1"}, {"ip": "1.1.1.1"}], [{}]),
    "priorityClassName": ("system-node-critical",),
    "preemptionPolicy": ("Never",),
    "overhead": ({"cpu": "1"}, {"x": "1"}, {"memory": "-1"}, {"memory": "100m"}),
    "os": ({"name": "linux"}, {"name": "windows"}, {}, {"name": "x"}),
    "resourceClaims": (
        *([{"name": "r", "resourceClaimName": "c"}], [{}], [{"name": "r", "resourceClaimName": "A_", "resourceClaimTemplateName": "t"}]),
        [{"name": "r", "resourceClaimTemplateName": "T_"}, {"name": "r", "resourceClaimName": "c"}],
    ),
    "resources": (
        *({"requests": {"cpu": "1"}}, {"limits": {"cpu": "-1"}}, {"limits": {"x": "1"}}, {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}),
        *({"claims": [{"name": "r"}]}, {"limits": {"example.com/gpu": "1"}}, {"limits": {"hugepages-2Mi": "2Mi", "cpu": "1"}}),
    ),
    "ephemeralContainers": ([{"name": "e", "image": "i"}], [{**containerpools.CONTAINER}], [{"name": "e", "image": "i", "ports": [{"containerPort": 1}], "targetContainerName": "x"}]),
    "enableServiceLinks": (True, False),
    "schedulerName": ("s",),
}  # fmt: skip
ANNOTATIONS: Final[_Pool] = (
    *({"kubernetes.io/config.mirror": "x"}, {"controller.kubernetes.io/pod-deletion-cost": "x"}, {"controller.kubernetes.io/pod-deletion-cost": "-5"}),
    *({"seccomp.security.alpha.kubernetes.io/pod": "x"}, {"seccomp.security.alpha.kubernetes.io/pod": "unconfined"}),
    *({"container.apparmor.security.beta.kubernetes.io/c": "x"}, {"container.apparmor.security.beta.kubernetes.io/none": "unconfined"}),
    *({"container.seccomp.security.alpha.kubernetes.io/c": "localhost/../x"}, {"scheduler.alpha.kubernetes.io/critical-pod": ""}, {"-": "b"}),
    {"container.apparmor.security.beta.kubernetes.io/c": "runtime/default"},
)  # fmt: skip


def of_spec(path: str) -> Mapping[str, _Pool]:
    """Return the values of the fields of a Pod's spec at a path."""
    return {
        f"{path}.containers": containerpools.CONTAINERS,
        f"{path}.initContainers": containerpools.INITS,
        f"{path}.volumes": _VOLUMES,
        path: (*_MOUNTED, {}, None),
        **{f"{path}.{field}": values for field, values in _SPEC_FIELDS.items()},
    }


def of_template(path: str) -> Mapping[str, _Pool]:
    """Return the values of the fields of a template at a path."""
    labels = (containerpools.LABELS, {"a": "c"}, {"-": "b"}, None, {"a": "b", "c": "d"})
    return {
        **of_spec(f"{path}.spec"),
        f"{path}.metadata.labels": labels,
        f"{path}.metadata.annotations": ANNOTATIONS,
    }


SELECTORS: Final[_Pool] = (
    *(None, {}, {"matchLabels": {"a": "c"}}, {"matchLabels": {"-": "b"}}, {"matchLabels": {"a": "b", "c": "d"}}),
    *({"matchExpressions": [expression]} for expression in _EXPRESSIONS[:4]),
    {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
)
