"""
Structs in the errors of a server: values of internal types, with Go's names of fields.

Reference:
    kubernetes pkg/apis/core/types.go, pkg/apis/apps/types.go and pkg/apis/batch/types.go; encoding/json, Marshal.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine.errors import badvalues
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.gotypes import GoType, List, Map, Pointer, Struct
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import builtingotypes

# Names in Go that differ from the JSON name by more than a capital first letter.
_GO_NAMES: Final[Mapping[str, str]] = {
    "apiGroup": "APIGroup",
    "apiVersion": "APIVersion",
    "awsElasticBlockStore": "AWSElasticBlockStore",
    "cephfs": "CephFS",
    "chapAuthDiscovery": "DiscoveryCHAPAuth",
    "chapAuthSession": "SessionCHAPAuth",
    "csi": "CSI",
    "diskURI": "DataDiskURI",
    "dnsConfig": "DNSConfig",
    "dnsPolicy": "DNSPolicy",
    "endpoints": "EndpointsName",
    "fc": "FC",
    "fsGroup": "FSGroup",
    "fsGroupChangePolicy": "FSGroupChangePolicy",
    "fsType": "FSType",
    "gcePersistentDisk": "GCEPersistentDisk",
    "gmsaCredentialSpec": "GMSACredentialSpec",
    "gmsaCredentialSpecName": "GMSACredentialSpecName",
    "grpc": "GRPC",
    "httpGet": "HTTPGet",
    "httpHeaders": "HTTPHeaders",
    "ip": "IP",
    "iqn": "IQN",
    "iscsi": "ISCSI",
    "iscsiInterface": "ISCSIInterface",
    "nfs": "NFS",
    "os": "OS",
    "pdName": "PDName",
    "rbd": "RBD",
    "seLinuxChangePolicy": "SELinuxChangePolicy",
    "seLinuxOptions": "SELinuxOptions",
    "serviceAccount": "DeprecatedServiceAccount",
    "sslEnabled": "SSLEnabled",
    "storageos": "StorageOS",
    "tcpSocket": "TCPSocket",
    "ttlSecondsAfterFinished": "TTLSecondsAfterFinished",
    "tty": "TTY",
    "wwids": "WWIDs",
}
_RBD: Final[Mapping[str, str]] = {
    "image": "RBDImage",
    "monitors": "CephMonitors",
    "pool": "RBDPool",
    "user": "RadosUser",
}
# Pointers that are plain values in internal types.
_PLAIN: Final[Mapping[str, Sequence[str]]] = {
    "v1.RollingUpdateDaemonSet": ("maxUnavailable", "maxSurge"),
    "v1.RollingUpdateDeployment": ("maxUnavailable", "maxSurge"),
    "v1.RollingUpdateStatefulSetStrategy": ("partition",),
}
# Fields that internal types of whole objects do not have.
_TYPE_META: Final = ("kind", "apiVersion")


def marshal(value: Any, kind: GoType) -> str:
    """Return a value of an internal type as JSON."""
    if isinstance(kind, Struct):
        return _marshal_struct(value, kind)
    if value is None:
        return "null" if kind.zero is None else printing.marshal(kind.zero)
    if isinstance(kind, Pointer):
        return marshal(value, kind.to)
    if isinstance(kind, List):
        return f"[{','.join(marshal(item, kind.item) for item in value)}]"
    if isinstance(kind, Map):
        return f"{{{','.join(f'{printing.marshal(key)}:{marshal(value[key], kind.value)}' for key in sorted(value))}}}"
    return printing.marshal(value)


def _marshal_struct(value: Any, kind: Struct) -> str:
    if kind.go.startswith("v1.LabelSelector"):
        return print_selector(value or {})
    value = value or {}
    parts = []
    for field, type_ in kind.fields.items():
        if field == "metadata":
            parts += _embedded(value.get(field) or {}, [*type_.fields]) if isinstance(type_, Struct) else []
        elif field not in _TYPE_META or "metadata" not in kind.fields:
            own = type_.to if isinstance(type_, Pointer) and field in _PLAIN.get(kind.go, ()) else type_
            parts.append(f'"{_go_name(field, kind)}":{marshal(value.get(field), own)}')
    return f"{{{','.join(parts)}}}"


def _embedded(value: Mapping[str, Any], fields: Sequence[str]) -> list[str]:
    return [f"{printing.marshal(field)}:{printing.marshal(value[field])}" for field in fields if value.get(field)]


def _go_name(field: str, kind: Struct) -> str:
    if kind.go == "v1.RBDVolumeSource" and field in _RBD:
        return _RBD[field]
    return _GO_NAMES.get(field) or field[0].upper() + field[1:]


def invalid(path: FieldPath, value: Any, type_name: str, detail: str, profile: Profile) -> FieldError:
    """
    Return an Invalid error that prints a struct or a list of structs.

    Args:
        path: The path of the value.
        value: The value.
        type_name: The type, such as `core.v1.SecurityContext`; with `[]` before it for a list.
        detail: The end of the message.
        profile: The Kubernetes version.
    """
    return badvalues.invalid_as(path, value, marshal_named(value, type_name, profile), detail)


def marshal_named(value: Any, type_name: str, profile: Profile) -> str:
    """Return a value of an internal type as JSON, by the name of the type."""
    kind: GoType = builtingotypes.named(type_name.removeprefix("[]"), profile)
    return marshal(value, List(kind) if type_name.startswith("[]") else kind)


def print_selector(selector: Mapping[str, Any] | None) -> str:
    """Return a label selector as JSON, in the order of its fields."""
    if selector is None:
        return "null"
    ordered: dict[str, Any] = {}
    if labels := selector.get("matchLabels"):
        ordered["matchLabels"] = dict(sorted(labels.items()))
    if expressions := selector.get("matchExpressions"):
        fields = ("key", "operator", "values")
        ordered["matchExpressions"] = [
            {field: item.get(field) or "" for field in fields if field != "values" or item.get(field)}
            for item in expressions
        ]
    return printing.marshal(ordered, sort_keys=False)


def invalid_selector(path: FieldPath, selector: Mapping[str, Any] | None, detail: str) -> FieldError:
    """Return an Invalid error that prints a label selector."""
    return badvalues.invalid_as(path, selector, print_selector(selector), detail)


def find_difference(old: Any, new: Any, type_name: str, profile: Profile) -> str:
    """
    Return the difference of two structs, as lines of indented JSON.

    Reference:
        apimachinery util/diff, Diff.
    """
    before, after = (_lines(marshal_named(value, type_name, profile)) for value in (old, new))
    lines = [*difflib.unified_diff(before, after, n=3)]
    return "".join(lines[2:])  # without the names of files


def _lines(text: str) -> list[str]:
    indented = json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    escaped = indented.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return [f"{line}\n" for line in escaped.split("\n")]
