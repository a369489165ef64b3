"""Values of the fields of Pods and workloads, valid and invalid, for random writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from oracle.generators.validatedkinds import Kind

_Pool = Sequence[Any]

CONTAINER: Final = {"name": "c", "image": "i"}
LABELS: Final = {"a": "b"}
POD: Final = {"containers": [CONTAINER]}
TEMPLATE: Final = {"metadata": {"labels": LABELS}, "spec": POD}
SELECTOR: Final = {"matchLabels": LABELS}
_PROBE: Final = {"httpGet": {"port": 80}}
_LONG: Final = "x" * 64
_NUMBERS: Final = (-1, 0, 1, 5)
_CLAIM: Final = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}

_HANDLERS: Final[_Pool] = (
    *({"exec": {"command": ["x"]}}, {"exec": {}}, {"httpGet": {"port": 80}}, {"httpGet": {"port": "http", "path": "x"}}),
    *({"httpGet": {"port": 0}}, {"httpGet": {"port": 70000}}, {"httpGet": {"port": "Bad_Name"}}, {"httpGet": {"port": "a--b-"}}),
    *({"httpGet": {"port": 80, "scheme": "FTP"}}, {"httpGet": {"port": 80, "httpHeaders": [{"name": "X Y", "value": "z"}]}}),
    *({"tcpSocket": {"port": 80}}, {"tcpSocket": {"port": "1"}}, {}, {"exec": {"command": ["x"]}, "tcpSocket": {"port": 0}}),
)  # fmt: skip
_PROBES: Final[_Pool] = (
    *_HANDLERS,
    *({"grpc": {"port": 80}}, {"grpc": {"port": 0}}, {"grpc": {"port": 1, "service": "x"}, "exec": {"command": ["x"]}}),
    *({**_PROBE, "periodSeconds": -1}, {**_PROBE, "timeoutSeconds": -5, "failureThreshold": -1}),
    *({**_PROBE, "successThreshold": 2}, {**_PROBE, "successThreshold": -2}, {**_PROBE, "initialDelaySeconds": -1}),
    *({**_PROBE, "terminationGracePeriodSeconds": 0}, {**_PROBE, "terminationGracePeriodSeconds": 5}),
)
_LIFECYCLES: Final[_Pool] = (
    *({"preStop": handler} for handler in _HANDLERS),
    *({"postStart": {"sleep": {"seconds": 5}}}, {"preStop": {"sleep": {"seconds": -5}}}, {"preStop": {"sleep": {"seconds": 500}}}),
    *({}, {"postStart": {}, "preStop": {}}),
)  # fmt: skip
_PORTS: Final[_Pool] = (
    *([{"containerPort": 80}], [{"containerPort": 0}], [{}], [{"containerPort": 70000}], [{"containerPort": -1}]),
    *([{"containerPort": 80, "name": "http"}], [{"containerPort": 80, "name": "Http_X"}], [{"containerPort": 80, "name": "x" * 16}]),
    *([{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "a"}], [{"containerPort": 80, "protocol": "FTP"}]),
    *([{"containerPort": 80}, {"containerPort": 80}], [{"containerPort": 80, "hostPort": 80}, {"containerPort": 81, "hostPort": 80}]),
    *([{"containerPort": 80, "hostPort": 70000}], [{"containerPort": 80, "hostIP": "1.2.3.4"}], [{"containerPort": 80, "name": "1"}]),
    *([{"containerPort": 80, "hostPort": 8080}], [{"containerPort": 80, "name": "a--b"}, {"containerPort": 81, "name": "-"}]),
    [{"containerPort": 80, "protocol": "UDP"}, {"containerPort": 80, "hostPort": 1, "hostIP": "1.1.1.1"}, {"containerPort": 80, "hostPort": 1}],
)  # fmt: skip
_FIELD: Final = {"fieldPath": "metadata.name"}
_FROM: Final[_Pool] = (
    *({"fieldRef": _FIELD}, {"fieldRef": {}}, {"fieldRef": {"fieldPath": "metadata.labels['a']"}}, {"fieldRef": {"fieldPath": "x"}}),
    *({"fieldRef": {"fieldPath": "metadata.labels"}}, {"fieldRef": {"fieldPath": "spec.nodeName['a']"}}, {"fieldRef": {"fieldPath": "spec.host"}}),
    *({"fieldRef": {"fieldPath": "metadata.annotations['A B']"}}, {"fieldRef": {"fieldPath": "metadata.name", "apiVersion": "v2"}}),
    *({"fieldRef": {"fieldPath": "status.phase"}}, {"resourceFieldRef": {"resource": "limits.cpu"}}, {"resourceFieldRef": {}}),
    *({"resourceFieldRef": {"resource": "limits.x"}}, {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "3"}}),
    *({"resourceFieldRef": {"resource": "requests.memory", "divisor": "1Mi"}}, {"resourceFieldRef": {"resource": "limits.memory", "divisor": "2"}}),
    *({"resourceFieldRef": {"resource": "limits.hugepages-2Mi", "divisor": "7"}}, {"resourceFieldRef": {"resource": "limits.ephemeral-storage", "divisor": "7"}}),
    *({"configMapKeyRef": {"name": "m", "key": "k"}}, {"configMapKeyRef": {}}, {"configMapKeyRef": {"name": "M_", "key": "a/b"}}),
    *({"secretKeyRef": {"name": "m", "key": ".."}}, {"secretKeyRef": {"key": "k"}}, {}, {"fieldRef": _FIELD, "secretKeyRef": {"name": "m", "key": "k"}}),
    *({"fileKeyRef": {"volumeName": "v", "path": "p", "key": "k"}}, {"fileKeyRef": {}}, {"fileKeyRef": {"volumeName": "V", "path": "../p", "key": "a=b"}}),
)  # fmt: skip
_ENV: Final[_Pool] = (
    *(
        [{"name": "A", "value": "b"}],
        [{"value": "b"}],
        [{"name": "a=b"}],
        [{"name": "é"}],
        [{"name": "1a b"}],
        [{"name": ""}],
    ),
    *([{"name": "A", "valueFrom": source}] for source in _FROM),
    *(
        [{"name": "A", "value": "x", "valueFrom": {"fieldRef": _FIELD}}],
        [{"name": "A"}, {"name": "A", "value": "$(A)"}],
    ),
    *(
        [{"name": "A", "value": "x"}, {"name": "A", "value": "y"}],
        [{"name": "A", "value": "x"}, {"name": "A", "value": "y$(A)"}],
    ),
)
_ENV_FROM: Final[_Pool] = (
    *([{"configMapRef": {"name": "m"}}], [{"secretRef": {"name": "m"}}], [{}], [{"configMapRef": {}}], [{"configMapRef": {"name": "M_"}}]),
    *([{"prefix": "a=", "secretRef": {"name": "s"}}], [{"configMapRef": {"name": "m"}, "secretRef": {"name": "x" * 254}}]),
    [{"prefix": "p_", "secretRef": {"name": "s-"}}],
)  # fmt: skip
_MOUNT: Final = {"name": "v", "mountPath": "/v"}
_MOUNTS: Final[_Pool] = (
    *([_MOUNT], [{"name": "none", "mountPath": "/v"}], [{}], [{"name": "v"}], [_MOUNT, {"name": "v", "mountPath": "/w"}], [_MOUNT, _MOUNT]),
    *([{**_MOUNT, "subPath": "/a"}], [{**_MOUNT, "subPath": "a/../b"}], [{**_MOUNT, "subPath": "a", "subPathExpr": "b"}]),
    *([{**_MOUNT, "subPathExpr": "/.."}], [{**_MOUNT, "mountPropagation": "Bidirectional"}], [{**_MOUNT, "mountPropagation": "x"}]),
    *([{**_MOUNT, "recursiveReadOnly": "Enabled"}], [{**_MOUNT, "readOnly": True, "recursiveReadOnly": "IfPossible"}]),
    *([{**_MOUNT, "recursiveReadOnly": "x"}], [{**_MOUNT, "readOnly": True, "recursiveReadOnly": "Enabled", "mountPropagation": "HostToContainer"}]),
    [{**_MOUNT, "recursiveReadOnly": "Disabled"}],
)  # fmt: skip
_DEVICES: Final[_Pool] = (
    *(
        [{"name": "claim", "devicePath": "/d"}],
        [{"name": "v", "devicePath": "/v"}],
        [{}],
        [{"name": "none", "devicePath": "a/../b"}],
    ),
    [{"name": "claim", "devicePath": "/d"}, {"name": "claim", "devicePath": "/d"}],
)
_NEEDS: Final[_Pool] = (
    *({"limits": {"cpu": "1"}}, {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}, {"requests": {"cpu": "1m", "memory": "1Gi"}}),
    *({"limits": {"cpu": "-1"}}, {"requests": {"memory": "-1Gi"}}, {"limits": {"x": "1"}}, {"limits": {"example.com/gpu": "1"}}),
    *({"requests": {"example.com/gpu": "1"}}, {"limits": {"example.com/gpu": "1500m"}}, {"limits": {"example.com/gpu": "2"}, "requests": {"example.com/gpu": "1"}}),
    *({"limits": {"hugepages-2Mi": "4Mi"}}, {"limits": {"hugepages-2Mi": "3Mi", "cpu": "1"}}, {"limits": {"memory": "1500m"}}),
    *({"requests": {"hugepages-x": "4Mi"}}, {"limits": {"pods": "1"}}, {"limits": {"kubernetes.io/x": "1"}}, {"limits": {"A b": "1"}}),
    *({"claims": [{"name": "r"}]}, {"claims": [{"name": "r"}, {"name": "r"}]}, {"claims": [{}, {"name": "x", "request": "A_"}]}),
    *({"limits": {"storage": "1"}}, {"limits": {"requests.cpu": "1"}}, {}, {"claims": [{"name": "r", "request": "q"}, {"name": "r"}]}),
    *({"limits": {"ephemeral-storage": "1Gi"}, "requests": {"ephemeral-storage": "2Gi"}}, {"limits": {"/x": "1"}}),
)  # fmt: skip
_CONTEXTS: Final[_Pool] = (
    *({}, {"privileged": True}, {"privileged": True, "allowPrivilegeEscalation": False}, {"runAsUser": -1}, {"runAsGroup": 2**31}),
    *({"allowPrivilegeEscalation": False, "capabilities": {"add": ["CAP_SYS_ADMIN", "NET_ADMIN"]}}, {"procMount": "x"}),
    *({"procMount": "Unmasked"}, {"procMount": "Default"}, {"capabilities": {"add": ["SYS_ADMIN"]}}, {"runAsUser": 0}),
    *({"seccompProfile": profile} for profile in (
        *({}, {"type": "x"}, {"type": "Localhost"}, {"type": "Localhost", "localhostProfile": "/a"}),
        *({"type": "RuntimeDefault", "localhostProfile": "a"}, {"type": "Unconfined"}, {"type": "Localhost", "localhostProfile": "a/.."}),
    )),
    *({"appArmorProfile": profile} for profile in (
        *({}, {"type": "x"}, {"type": "Localhost"}, {"type": "Localhost", "localhostProfile": " a"}),
        *({"type": "RuntimeDefault", "localhostProfile": "a"}, {"type": "Unconfined"}, {"type": "Localhost", "localhostProfile": ""}),
    )),
    *({"windowsOptions": options} for options in (
        *({}, {"runAsUserName": ""}, {"runAsUserName": "a\\b\\c"}, {"runAsUserName": ". "}, {"runAsUserName": "a*"}),
        *({"runAsUserName": "a.b\\c"}, {"runAsUserName": "\\c"}, {"runAsUserName": "x" * 105}, {"runAsUserName": "a\tb"}),
        *({"gmsaCredentialSpec": ""}, {"gmsaCredentialSpecName": "A_"}, {"hostProcess": True}, {"hostProcess": False}),
    )),
)  # fmt: skip
_RESTART_RULE: Final = {"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}
_CONTAINER_FIELDS: Final[Mapping[str, _Pool]] = {
    "name": ("", "A_b", _LONG, "a.b", "d"),
    "image": ("", " i", "j", "j:1", "j "),
    "imagePullPolicy": ("Always", "x", ""),
    "terminationMessagePolicy": ("File", "x"),
    "terminationMessagePath": ("/a", ""),
    "ports": _PORTS,
    "env": _ENV,
    "envFrom": _ENV_FROM,
    "volumeMounts": _MOUNTS,
    "volumeDevices": _DEVICES,
    "resources": _NEEDS,
    "livenessProbe": _PROBES,
    "readinessProbe": _PROBES,
    "startupProbe": _PROBES,
    "lifecycle": _LIFECYCLES,
    "securityContext": _CONTEXTS,
    "restartPolicy": ("Always", "Never", "OnFailure", "x", ""),
    "restartPolicyRules": ([_RESTART_RULE], [{}], [{"action": "RestartAllContainers"}], [_RESTART_RULE] * 21, []),
    "resizePolicy": (
        *([{"resourceName": "cpu", "restartPolicy": "NotRequired"}], [{}], [{"resourceName": "x", "restartPolicy": "y"}]),
        *([{"resourceName": "memory", "restartPolicy": "RestartContainer"}], [{"resourceName": "cpu", "restartPolicy": "NotRequired"}] * 2),
    ),
    "command": (["x"], []),
}  # fmt: skip
_ONE_CONTAINER: Final[_Pool] = tuple(
    {**CONTAINER, field: value} for field, values in _CONTAINER_FIELDS.items() for value in values
)
_CONTAINERS: Final[_Pool] = (
    *([container] for container in _ONE_CONTAINER),
    *([], None, [{}], [CONTAINER, CONTAINER], [CONTAINER, {"name": "d", "image": "j"}], [{"name": "c"}], [{"image": "i"}]),
    *(
        [{**CONTAINER, "ports": [{"containerPort": 80, "name": "p"}]}, {"name": "d", "image": "i", "ports": [{"containerPort": 80, "name": "p"}]}],
        [{**CONTAINER, "restartPolicy": "Never", "restartPolicyRules": [_RESTART_RULE, {"action": "x", "exitCodes": {"operator": "y"}}]}],
    ),
)  # fmt: skip
_INITS: Final[_Pool] = (
    *([{**container, "name": container["name"] if container["name"] != "c" else "init"}] for container in _ONE_CONTAINER),
    *([{**container, "name": "init", "restartPolicy": "Always"}] for container in _ONE_CONTAINER[::3]),
    *([], [CONTAINER], [{"name": "i", "image": "i"}] * 2, [{}]),
)  # fmt: skip
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
    *([{"secret": {"name": "s"}, "configMap": {"name": "m"}}], [{"downwardAPI": {"items": [{"path": "a", "fieldRef": _FIELD}, {"path": "a/b", "fieldRef": _FIELD}]}}]),
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
    *({"ephemeral": {}}, {"ephemeral": {"volumeClaimTemplate": {"spec": _CLAIM}}}, {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}}),
    *({"ephemeral": {"volumeClaimTemplate": {"metadata": {"name": "n", "labels": {"-": "x"}}, "spec": {**_CLAIM, "accessModes": ["x", "ReadWriteOncePod"]}}}},),
    *({"image": {}}, {"image": {"reference": "r", "pullPolicy": "x"}}, {"downwardAPI": {}}, {"cephfs": {"monitors": ["m"]}, "downwardAPI": {}}),
    *({"downwardAPI": {"items": [item]}} for item in (
        *({"path": "p", "fieldRef": _FIELD}, {}, {"path": "../p", "fieldRef": {"fieldPath": "spec.nodeName"}}, {"path": "p", "resourceFieldRef": {"resource": "limits.cpu"}}),
        *({"path": "p", "fieldRef": _FIELD, "resourceFieldRef": {"resource": "limits.cpu", "containerName": "c"}, "mode": 1000},),
    )),
    *({"projected": {"sources": sources}} for sources in _PROJECTED),
)  # fmt: skip
_VOLUMES: Final[_Pool] = (
    *([{"name": "v", **source}] for source in _SOURCES),
    *([{"emptyDir": {}}], [{"name": "A_", "emptyDir": {}}], [{"name": "v", "emptyDir": {}}] * 2, [{"name": "claim", "persistentVolumeClaim": {"claimName": "c"}}]),
    *([{"name": "v", "emptyDir": {}}, {"name": "claim", "persistentVolumeClaim": {"claimName": "c"}}], [{"name": _LONG, "emptyDir": {}}]),
)  # fmt: skip
_MOUNTED: Final[_Pool] = tuple(
    {"volumes": [{"name": "v", "emptyDir": {}}, {"name": "claim", "persistentVolumeClaim": {"claimName": "c"}}], "containers": [container]}
    for container in (
        *({**CONTAINER, "volumeMounts": mounts} for mounts in _MOUNTS),
        *({**CONTAINER, "volumeDevices": devices} for devices in _DEVICES),
        *({**CONTAINER, "volumeMounts": [_MOUNT], "volumeDevices": devices} for devices in _DEVICES),
        *({**CONTAINER, "env": [{"name": "A", "valueFrom": {"fileKeyRef": {"volumeName": name, "path": "p", "key": "k"}}}]} for name in ("v", "claim")),
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
    *(context for context in _CONTEXTS if context.keys() & {"seccompProfile", "appArmorProfile", "windowsOptions"}),
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
    "ephemeralContainers": ([{"name": "e", "image": "i"}], [{**CONTAINER}], [{"name": "e", "image": "i", "ports": [{"containerPort": 1}], "targetContainerName": "x"}]),
    "enableServiceLinks": (True, False),
    "schedulerName": ("s",),
}  # fmt: skip
_POD_ANNOTATIONS: Final[_Pool] = (
    *({"kubernetes.io/config.mirror": "x"}, {"controller.kubernetes.io/pod-deletion-cost": "x"}, {"controller.kubernetes.io/pod-deletion-cost": "-5"}),
    *({"seccomp.security.alpha.kubernetes.io/pod": "x"}, {"seccomp.security.alpha.kubernetes.io/pod": "unconfined"}),
    *({"container.apparmor.security.beta.kubernetes.io/c": "x"}, {"container.apparmor.security.beta.kubernetes.io/none": "unconfined"}),
    *({"container.seccomp.security.alpha.kubernetes.io/c": "localhost/../x"}, {"scheduler.alpha.kubernetes.io/critical-pod": ""}, {"-": "b"}),
    {"container.apparmor.security.beta.kubernetes.io/c": "runtime/default"},
)  # fmt: skip


def of_spec(path: str) -> Mapping[str, _Pool]:
    """Return the values of the fields of a Pod's spec at a path."""
    return {
        f"{path}.containers": _CONTAINERS,
        f"{path}.initContainers": _INITS,
        f"{path}.volumes": _VOLUMES,
        path: (*_MOUNTED, {}, None),
        **{f"{path}.{field}": values for field, values in _SPEC_FIELDS.items()},
    }


def of_template(path: str) -> Mapping[str, _Pool]:
    """Return the values of the fields of a template at a path."""
    labels = (LABELS, {"a": "c"}, {"-": "b"}, None, {"a": "b", "c": "d"})
    return {
        **of_spec(f"{path}.spec"),
        f"{path}.metadata.labels": labels,
        f"{path}.metadata.annotations": _POD_ANNOTATIONS,
    }


SELECTORS: Final[_Pool] = (
    *(None, {}, {"matchLabels": {"a": "c"}}, {"matchLabels": {"-": "b"}}, {"matchLabels": {"a": "b", "c": "d"}}),
    *({"matchExpressions": [expression]} for expression in _EXPRESSIONS[:4]),
    {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
)
_PORTIONS: Final[_Pool] = (0, 1, -1, "25%", "0%", "101%", "x", "-5%", "5")
_COUNTS: Final[Mapping[str, _Pool]] = {
    f"status.{name}": _NUMBERS
    for name in (
        "replicas",
        "readyReplicas",
        "availableReplicas",
        "updatedReplicas",
        "collisionCount",
        "observedGeneration",
    )
}
DEPLOYMENT: Final[Mapping[str, _Pool]] = {
    **of_template("spec.template"),
    **_COUNTS,
    "spec.selector": SELECTORS,
    "spec.replicas": _NUMBERS,
    "spec.minReadySeconds": _NUMBERS,
    "spec.progressDeadlineSeconds": _NUMBERS,
    "spec.revisionHistoryLimit": _NUMBERS,
    "spec.strategy": ({"type": "Recreate"}, {"type": "x"}, {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}, {}),
    "spec.strategy.rollingUpdate.maxSurge": _PORTIONS,
    "spec.strategy.rollingUpdate.maxUnavailable": _PORTIONS,
    "spec.strategy.rollingUpdate": tuple({"maxSurge": surge, "maxUnavailable": missing} for surge in (0, "0%") for missing in (0, "0%", "200%")),
}  # fmt: skip
REPLICA_SET: Final[Mapping[str, _Pool]] = {
    **of_template("spec.template"),
    **_COUNTS,
    "status.fullyLabeledReplicas": _NUMBERS,
    "spec.selector": SELECTORS,
    "spec.replicas": _NUMBERS,
    "spec.minReadySeconds": _NUMBERS,
}
DAEMON_SET: Final[Mapping[str, _Pool]] = {
    **of_template("spec.template"),
    **{f"status.{name}": _NUMBERS for name in ("currentNumberScheduled", "numberReady", "collisionCount", "observedGeneration")},
    "spec.selector": SELECTORS,
    "spec.minReadySeconds": _NUMBERS,
    "spec.revisionHistoryLimit": _NUMBERS,
    "spec.updateStrategy": ({"type": "OnDelete"}, {"type": "x"}, {}),
    "spec.updateStrategy.rollingUpdate": tuple({"maxSurge": surge, "maxUnavailable": missing} for surge in _PORTIONS for missing in (0, 1, "x", "101%")),
}  # fmt: skip
_CLAIMS: Final[_Pool] = tuple(
    [{"metadata": {"name": name}, "spec": spec}]
    for name in ("v", "claim", "A_")
    for spec in (
        *(_CLAIM, {}, {**_CLAIM, "accessModes": ["x", "ReadWriteOncePod", "ReadWriteOnce"]}, {**_CLAIM, "volumeMode": "x"}),
        *({**_CLAIM, "resources": {"requests": {"storage": "0"}}}, {**_CLAIM, "storageClassName": "A_"}, {**_CLAIM, "selector": {"matchLabels": {"-": "b"}}}),
        *({**_CLAIM, "dataSource": {"kind": "x", "name": "n"}}, {**_CLAIM, "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": "n", "namespace": "A_"}}),
        *({**_CLAIM, "resources": {"requests": {"storage": "-1Gi"}}}, {**_CLAIM, "resources": {"requests": {"storage": "100m"}}}, {**_CLAIM, "volumeAttributesClassName": "A_"}),
    )
)  # fmt: skip
STATEFUL_SET: Final[Mapping[str, _Pool]] = {
    **of_template("spec.template"),
    **_COUNTS,
    "status.currentReplicas": _NUMBERS,
    "spec.selector": SELECTORS,
    "spec.replicas": _NUMBERS,
    "spec.minReadySeconds": _NUMBERS,
    "spec.revisionHistoryLimit": _NUMBERS,
    "spec.serviceName": ("s", "S_", "other", ""),
    "spec.podManagementPolicy": ("Parallel", "OrderedReady", "x"),
    "spec.ordinals": ({"start": 1}, {"start": -1}, {}),
    "spec.volumeClaimTemplates": (*_CLAIMS, []),
    "spec.persistentVolumeClaimRetentionPolicy": ({"whenDeleted": "Delete"}, {"whenDeleted": "x"}, {}, {"whenScaled": "y"}),
    "spec.updateStrategy": (
        *({"type": "OnDelete"}, {"type": "x"}, {}, {"type": "OnDelete", "rollingUpdate": {"partition": 1}}),
        *({"type": "RollingUpdate", "rollingUpdate": {"partition": -1}}, {"type": "Recreate"}),
    ),
    "spec.updateStrategy.rollingUpdate.maxUnavailable": _PORTIONS,
}  # fmt: skip
_RULE: Final = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
_CODES: Final = {"operator": "In", "values": [1, 2]}


def of_job(path: str) -> Mapping[str, _Pool]:
    """Return the values of the fields of a Job's spec at a path."""
    fields: Mapping[str, _Pool] = {
        "parallelism": (-1, 0, 2, 100_001),
        "completions": (-1, 0, 2, 100_001),
        "activeDeadlineSeconds": _NUMBERS,
        "backoffLimit": _NUMBERS,
        "ttlSecondsAfterFinished": _NUMBERS,
        "backoffLimitPerIndex": _NUMBERS,
        "maxFailedIndexes": (-1, 0, 1, 100_001),
        "managedBy": ("a.b/c", "x", "", "A_/b", "a/b c", "a.b/" + "x" * 64, "kubernetes.io/job-controller"),
        "completionMode": ("Indexed", "NonIndexed", "x"),
        "suspend": (True, False),
        "podReplacementPolicy": ("Failed", "TerminatingOrFailed", "x"),
        "manualSelector": (True, False),
        "selector": (SELECTOR, {}, {"matchLabels": {"-": "b"}}),
        "podFailurePolicy": (
            *(
                {"rules": []},
                {"rules": [_RULE]},
                {"rules": [{}]},
                {"rules": [_RULE] * 21},
                {"rules": [{**_RULE, "action": "x"}]},
            ),
            *(
                {"rules": [{"action": "FailJob", "onExitCodes": codes}]}
                for codes in (
                    *(
                        _CODES,
                        {},
                        {**_CODES, "values": [2, 1, 1, 0]},
                        {**_CODES, "operator": "x"},
                        {**_CODES, "containerName": "none"},
                    ),
                    *({"operator": "NotIn", "values": [0]}, {**_CODES, "values": [*range(1, 258)]}),
                )
            ),
            *(
                {"rules": [{**_RULE, "onExitCodes": _CODES}]},
                {"rules": [{"action": "FailIndex", "onExitCodes": _CODES}]},
            ),
            {"rules": [{"action": "Count", "onPodConditions": [{"type": "a b", "status": "x"}]}]},
        ),
        "successPolicy": (
            *(
                {"rules": []},
                {"rules": [{}]},
                {"rules": [{"succeededCount": 1}]},
                {"rules": [{"succeededCount": 5, "succeededIndexes": "0-1"}]},
            ),
            *({"rules": [{"succeededIndexes": text}]} for text in ("0", "x", "1-0", "0-1-2", "0,5", "1,0", "")),
        ),
        "template.spec.restartPolicy": ("Never", "OnFailure", "Always", "x"),
    }
    return {**of_template(f"{path}.template"), **{f"{path}.{field}": values for field, values in fields.items()}}  # fmt: skip


_TIMES: Final = ("2024-01-02T03:04:05Z", "2025-01-02T03:04:05Z", None)
_CONDITION: Final = {
    "status": "True",
    "lastTransitionTime": "2024-01-02T03:04:05Z",
    "lastProbeTime": "2024-01-02T03:04:05Z",
}
JOB: Final[Mapping[str, _Pool]] = {
    **of_job("spec"),
    "status.active": _NUMBERS,
    "status.ready": _NUMBERS,
    "status.succeeded": _NUMBERS,
    "status.failed": _NUMBERS,
    "status.terminating": _NUMBERS,
    "status.startTime": _TIMES,
    "status.completionTime": _TIMES,
    "status.completedIndexes": ("0", "x", "0-1", ""),
    "status.failedIndexes": ("0", "x", "1", ""),
    "status.uncountedTerminatedPods": ({"succeeded": ["a"]}, {"succeeded": ["a", "a", ""], "failed": ["a"]}, {}),
    "status.conditions": tuple(
        [{"type": type_, **_CONDITION} for type_ in types]
        for types in (
            *((), ("Complete",), ("Failed",), ("FailureTarget",), ("SuccessCriteriaMet",), ("Suspended",)),
            *(("Complete", "SuccessCriteriaMet"), ("Failed", "FailureTarget"), ("Complete", "Failed"), ("SuccessCriteriaMet", "Failed")),
        )
    ),
    "status": tuple(
        {"startTime": _TIMES[0], "completionTime": end, "conditions": [{"type": type_, **_CONDITION} for type_ in types]}
        for types in (("Complete", "SuccessCriteriaMet"), ("Failed", "FailureTarget"))
        for end in _TIMES
    ),
}  # fmt: skip
CRON_JOB: Final[Mapping[str, _Pool]] = {
    **of_job("spec.jobTemplate.spec"),
    "spec.schedule": (
        *("* * * * *", "", "x", "* * * *", "60 * * * *", "*/0 * * * *", "1-2-3 * * * *", "5-2 * * * *", "*/2/3 * * * *", "0 0 0 1 1"),
        *("a * * * *", "@daily", "@x", "@every 5m", "@every x", "@every 5", "TZ=UTC * * * * *", "CRON_TZ=Nope/X * * * * *", "TZ=UTC"),
        *("0 0 1 JAN mon", "0 0 1 1 7", "-1 * * * *", "? * * * *", "1,2,x * * * *", "99999999999999999999 * * * *", "@every 5x", "*/15 2-4 * * *"),
    ),
    "spec.timeZone": ("UTC", "", "Europe/Zurich", "Nope/X", "../x", "Local", "-x", "europe zurich", "Etc/UTC"),
    "spec.startingDeadlineSeconds": _NUMBERS,
    "spec.concurrencyPolicy": ("Forbid", "x", "Replace"),
    "spec.successfulJobsHistoryLimit": _NUMBERS,
    "spec.failedJobsHistoryLimit": _NUMBERS,
    "spec.suspend": (True, False),
}  # fmt: skip
_ADDRESSES: Final[_Pool] = (
    [{"ip": "10.0.0.1"}],
    [{"ip": "x"}],
    [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}],
    [{"ip": "10.0.0.1"}, {"ip": "::1"}],
    [],
)
_STATES: Final[_Pool] = ({}, {"running": {}}, {"terminated": {"exitCode": 0}}, {"terminated": {"exitCode": 1}})
_STATE: Final = {"name": "c", "image": "i", "imageID": "x", "ready": False, "restartCount": 0}
PODS: Final[Mapping[str, _Pool]] = {
    # An admission plugin refuses the overhead of a Pod.
    **{path: values for path, values in of_spec("spec").items() if path != "spec.overhead"},
    "metadata.annotations": [item for item in _POD_ANNOTATIONS if not any("apparmor" in key for key in item)],
    "status.phase": ("Running", "x"),
    "status.conditions": ([{"type": "Ready", "status": "True"}], [{"type": "a b", "status": "True"}], [{"type": "x/y", "status": "x", "observedGeneration": -1}]),
    "status.qosClass": ("BestEffort", "Guaranteed"),
    "status.nominatedNodeName": ("n", "N_"),
    "status.observedGeneration": (-1, 1),
    "status.podIP": ("10.0.0.1", ""),
    "status.podIPs": _ADDRESSES,
    "status.hostIP": ("10.0.0.1", ""),
    "status.hostIPs": _ADDRESSES,
    "status.containerStatuses": tuple([{**_STATE, "state": state}] for state in _STATES),
}  # fmt: skip
TEMPLATES: Final = "v1 PodTemplate"
"""The kind that stands for all templates."""
CHANGES: Final[Mapping[str, Any]] = {
    "template.spec.containers": [{"name": "c", "image": "j"}],
    "jobTemplate.spec.template.spec.containers": [{"name": "c", "image": ""}],
    "containers": [{"name": "c", "image": "j"}, {"name": "d", "image": "j"}],
    "nodeName": "n",
    "template.metadata.labels": {"a": "c"},
}
"""Changes of the spec of some kinds."""


def is_shared(path: str) -> bool:
    """Return whether a field belongs to a template or to the spec of a Pod, except for its annotations."""
    return "template." in path or "emplate.spec" in path or path in {"spec", *of_spec("spec")}


_CORE: Final = "/api/v1/namespaces/{ns}"
_APPS: Final = "/apis/apps/v1/namespaces/{ns}"
_BATCH: Final = "/apis/batch/v1/namespaces/{ns}"
_WORKLOAD: Final = {"spec": {"selector": SELECTOR, "template": TEMPLATE}}
_JOB: Final = {"template": {"spec": {**POD, "restartPolicy": "Never"}}}
_CRON: Final = {"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": _JOB}}}
_STATUS: Final = ("status",)
_MUTATED: Final = 0.3
KINDS: Final[Mapping[str, Kind]] = {
    "v1 Pod": Kind(f"{_CORE}/pods", {"spec": POD}, PODS, ("status", "ephemeralcontainers", "resize"), mutated=_MUTATED),
    "v1 PodTemplate": Kind(f"{_CORE}/podtemplates", {"template": TEMPLATE}, of_template("template"), mutated=_MUTATED),
    "apps/v1 Deployment": Kind(f"{_APPS}/deployments", _WORKLOAD, DEPLOYMENT, _STATUS, mutated=_MUTATED),
    "apps/v1 ReplicaSet": Kind(f"{_APPS}/replicasets", _WORKLOAD, REPLICA_SET, _STATUS, mutated=_MUTATED),
    "apps/v1 DaemonSet": Kind(f"{_APPS}/daemonsets", _WORKLOAD, DAEMON_SET, _STATUS, mutated=_MUTATED),
    "apps/v1 StatefulSet": Kind(f"{_APPS}/statefulsets", _WORKLOAD, STATEFUL_SET, _STATUS, mutated=_MUTATED),
    "batch/v1 Job": Kind(f"{_BATCH}/jobs", {"spec": _JOB}, JOB, _STATUS, mutated=_MUTATED),
    "batch/v1 CronJob": Kind(f"{_BATCH}/cronjobs", _CRON, CRON_JOB, _STATUS, mutated=_MUTATED),
}
