"""Values of the fields of containers, valid and invalid, for random writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_Pool = Sequence[Any]

CONTAINER: Final = {"name": "c", "image": "i"}
LABELS: Final = {"a": "b"}
POD: Final = {"containers": [CONTAINER]}
TEMPLATE: Final = {"metadata": {"labels": LABELS}, "spec": POD}
SELECTOR: Final = {"matchLabels": LABELS}
_PROBE: Final = {"httpGet": {"port": 80}}
LONG: Final = "x" * 64
NUMBERS: Final = (-1, 0, 1, 5)
CLAIM: Final = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}

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
FIELD: Final = {"fieldPath": "metadata.name"}
_FROM: Final[_Pool] = (
    *({"fieldRef": FIELD}, {"fieldRef": {}}, {"fieldRef": {"fieldPath": "metadata.labels['a']"}}, {"fieldRef": {"fieldPath": "x"}}),
    *({"fieldRef": {"fieldPath": "metadata.labels"}}, {"fieldRef": {"fieldPath": "spec.nodeName['a']"}}, {"fieldRef": {"fieldPath": "spec.host"}}),
    *({"fieldRef": {"fieldPath": "metadata.annotations['A B']"}}, {"fieldRef": {"fieldPath": "metadata.name", "apiVersion": "v2"}}),
    *({"fieldRef": {"fieldPath": "status.phase"}}, {"resourceFieldRef": {"resource": "limits.cpu"}}, {"resourceFieldRef": {}}),
    *({"resourceFieldRef": {"resource": "limits.x"}}, {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "3"}}),
    *({"resourceFieldRef": {"resource": "requests.memory", "divisor": "1Mi"}}, {"resourceFieldRef": {"resource": "limits.memory", "divisor": "2"}}),
    *({"resourceFieldRef": {"resource": "limits.hugepages-2Mi", "divisor": "7"}}, {"resourceFieldRef": {"resource": "limits.ephemeral-storage", "divisor": "7"}}),
    *({"configMapKeyRef": {"name": "m", "key": "k"}}, {"configMapKeyRef": {}}, {"configMapKeyRef": {"name": "M_", "key": "a/b"}}),
    *({"secretKeyRef": {"name": "m", "key": ".."}}, {"secretKeyRef": {"key": "k"}}, {}, {"fieldRef": FIELD, "secretKeyRef": {"name": "m", "key": "k"}}),
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
        [{"name": "A", "value": "x", "valueFrom": {"fieldRef": FIELD}}],
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
MOUNT: Final = {"name": "v", "mountPath": "/v"}
MOUNTS: Final[_Pool] = (
    *([MOUNT], [{"name": "none", "mountPath": "/v"}], [{}], [{"name": "v"}], [MOUNT, {"name": "v", "mountPath": "/w"}], [MOUNT, MOUNT]),
    *([{**MOUNT, "subPath": "/a"}], [{**MOUNT, "subPath": "a/../b"}], [{**MOUNT, "subPath": "a", "subPathExpr": "b"}]),
    *([{**MOUNT, "subPathExpr": "/.."}], [{**MOUNT, "mountPropagation": "Bidirectional"}], [{**MOUNT, "mountPropagation": "x"}]),
    *([{**MOUNT, "recursiveReadOnly": "Enabled"}], [{**MOUNT, "readOnly": True, "recursiveReadOnly": "IfPossible"}]),
    *([{**MOUNT, "recursiveReadOnly": "x"}], [{**MOUNT, "readOnly": True, "recursiveReadOnly": "Enabled", "mountPropagation": "HostToContainer"}]),
    [{**MOUNT, "recursiveReadOnly": "Disabled"}],
)  # fmt: skip
DEVICES: Final[_Pool] = (
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
CONTEXTS: Final[_Pool] = (
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
    "name": ("", "A_b", LONG, "a.b", "d"),
    "image": ("", " i", "j", "j:1", "j "),
    "imagePullPolicy": ("Always", "x", ""),
    "terminationMessagePolicy": ("File", "x"),
    "terminationMessagePath": ("/a", ""),
    "ports": _PORTS,
    "env": _ENV,
    "envFrom": _ENV_FROM,
    "volumeMounts": MOUNTS,
    "volumeDevices": DEVICES,
    "resources": _NEEDS,
    "livenessProbe": _PROBES,
    "readinessProbe": _PROBES,
    "startupProbe": _PROBES,
    "lifecycle": _LIFECYCLES,
    "securityContext": CONTEXTS,
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
CONTAINERS: Final[_Pool] = (
    *([container] for container in _ONE_CONTAINER),
    *([], None, [{}], [CONTAINER, CONTAINER], [CONTAINER, {"name": "d", "image": "j"}], [{"name": "c"}], [{"image": "i"}]),
    *(
        [{**CONTAINER, "ports": [{"containerPort": 80, "name": "p"}]}, {"name": "d", "image": "i", "ports": [{"containerPort": 80, "name": "p"}]}],
        [{**CONTAINER, "restartPolicy": "Never", "restartPolicyRules": [_RESTART_RULE, {"action": "x", "exitCodes": {"operator": "y"}}]}],
    ),
)  # fmt: skip
INITS: Final[_Pool] = (
    *([{**container, "name": container["name"] if container["name"] != "c" else "init"}] for container in _ONE_CONTAINER),
    *([{**container, "name": "init", "restartPolicy": "Always"}] for container in _ONE_CONTAINER[::3]),
    *([], [CONTAINER], [{"name": "i", "image": "i"}] * 2, [{}]),
)  # fmt: skip
