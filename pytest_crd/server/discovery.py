"""Discovery documents: groups, versions and resources, plain and aggregated."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_crd.engine.crds import versionpriority
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.http import httpmessages
from pytest_crd.server.resourcetypes import ResourceType, SubresourceKind

AGGREGATED: Final = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def versions(address: str) -> Resource:
    """Return the APIVersions of the core group; *address* is the host and port."""
    addresses = [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses}


def groups(types: Sequence[ResourceType]) -> Resource:
    """Return the APIGroupList, without the core group."""
    names = dict.fromkeys(type_.group for type_ in types if type_.group)
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(name, types) for name in names]}


def group(name: str, types: Sequence[ResourceType]) -> Resource | None:
    """Return the APIGroup of a group, or None if the group is not served."""
    group_ = _group(name, types)
    return {"kind": "APIGroup", "apiVersion": "v1", **group_} if group_["versions"] else None


def resources(group_name: str, version: str, types: Sequence[ResourceType]) -> Resource | None:
    """Return the APIResourceList of a group version, or None if it is not served."""
    served = [type_ for type_ in types if (type_.group, type_.version) == (group_name, version)]
    if not served:
        return None
    listed = [entry for type_ in served for entry in _resources(type_)]
    name = f"{group_name}/{version}" if group_name else version
    type_meta = {"apiVersion": "v1"} if group_name else {}
    return {"kind": "APIResourceList", **type_meta, "groupVersion": name, "resources": listed}


def aggregated(types: Sequence[ResourceType], *, is_core: bool) -> Resource:
    """Return the aggregated discovery document of the core group, or of all other groups."""
    names = [""] if is_core else list(dict.fromkeys(type_.group for type_ in types if type_.group))
    items = [_aggregated_group(name, types) for name in names]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def path_of(type_: ResourceType) -> list[str]:
    """Return the segments of the discovery path of a resource's group version."""
    return ["apis", type_.group, type_.version] if type_.group else ["api", type_.version]


def etag(value: JSONValue) -> str:
    """Return the ETag of a document."""
    return f'"{hashlib.sha512(httpmessages.compact(value).encode()).hexdigest().upper()}"'


def in_order(names: Iterable[str]) -> list[str]:
    """Return the versions of a group, in order of preference."""
    return sorted(names, key=versionpriority.sort_key, reverse=True)


def _group(name: str, types: Sequence[ResourceType]) -> Resource:
    version_names = in_order({type_.version for type_ in types if type_.group == name})
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in version_names]
    return {"name": name, "versions": listed, "preferredVersion": listed[0] if listed else {}}


def _resources(type_: ResourceType) -> list[Resource]:
    names = type_.names
    entry: dict[str, JSONValue] = {
        "name": names.plural,
        "singularName": names.singular,
        "namespaced": type_.is_namespaced,
        "kind": names.kind,
        "verbs": [*type_.verbs],
        "shortNames": [*names.short_names],
        "categories": [*names.categories],
        "storageVersionHash": _storage_hash(type_) if "get" in type_.verbs else "",
    }
    entries: list[Resource] = [{key: value for key, value in entry.items() if value or key == "namespaced"}]
    return [*entries, *(_subresource(type_, subresource) for subresource in type_.subresources)]


def _subresource(type_: ResourceType, subresource: SubresourceKind) -> Resource:
    group_version = (
        {"group": subresource.group, "version": subresource.version}
        if (subresource.group, subresource.version) != (type_.group, type_.version)
        else {}
    )
    return {
        "name": f"{type_.names.plural}/{subresource.name}",
        "singularName": "",
        "namespaced": type_.is_namespaced,
        **group_version,
        "kind": subresource.kind,
        "verbs": [*subresource.verbs],
    }


def _storage_hash(type_: ResourceType) -> str:
    """Return the storage version hash: opaque, and equal for the same kind and storage version."""
    digest = hashlib.sha256(f"{type_.group}/{type_.storage_version}/{type_.names.kind}".encode()).digest()
    return base64.b64encode(digest[:8]).decode()


def _aggregated_group(name: str, types: Sequence[ResourceType]) -> Resource:
    listed = []
    for version in in_order({type_.version for type_ in types if type_.group == name}):
        served = [type_ for type_ in types if (type_.group, type_.version) == (name, version)]
        listed.append(
            {"version": version, "resources": [_aggregated(type_) for type_ in served], "freshness": "Current"}
        )
    return {"metadata": {"name": name} if name else {}, "versions": listed}


def _aggregated(type_: ResourceType) -> Resource:
    names = type_.names
    entry: dict[str, JSONValue] = {
        "resource": names.plural,
        "responseKind": _kind(type_.group, type_.version, names.kind),
        "scope": "Namespaced" if type_.is_namespaced else "Cluster",
        "singularResource": names.singular,
        "verbs": [*type_.verbs],
        "shortNames": [*names.short_names],
        "categories": [*names.categories],
        "subresources": [
            {
                "subresource": subresource.name,
                "responseKind": _kind(subresource.group, subresource.version, subresource.kind),
                "verbs": [*subresource.verbs],
            }
            for subresource in type_.subresources
        ],
    }
    return {key: value for key, value in entry.items() if value}


def _kind(group_name: str, version: str, kind: str) -> Resource:
    return {"group": group_name, "version": version, "kind": kind}
