"""What a server says that it serves: groups, versions and resources, plain and aggregated."""

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
    """Return what is said of the core group; *address* is the host and port."""
    at = [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": at}


def groups(types: Sequence[ResourceType]) -> Resource:
    """Return all groups but the core group."""
    names = dict.fromkeys(one.group for one in types if one.group)
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(name, types) for name in names]}


def group(name: str, types: Sequence[ResourceType]) -> Resource | None:
    """Return a group; None where nothing of it is served."""
    found = _group(name, types)
    return {"kind": "APIGroup", "apiVersion": "v1", **found} if found["versions"] else None


def resources(group_name: str, version: str, types: Sequence[ResourceType]) -> Resource | None:
    """Return the resources of a group version; None where nothing of it is served."""
    found = [one for one in types if (one.group, one.version) == (group_name, version)]
    if not found:
        return None
    listed = [entry for one in found for entry in _resources(one)]
    name = f"{group_name}/{version}" if group_name else version
    stated = {"apiVersion": "v1"} if group_name else {}
    return {"kind": "APIResourceList", **stated, "groupVersion": name, "resources": listed}


def aggregated(types: Sequence[ResourceType], *, is_core: bool) -> Resource:
    """Return all that is served of the core group, or of all others, in one answer."""
    names = [""] if is_core else list(dict.fromkeys(one.group for one in types if one.group))
    items = [_aggregated_group(name, types) for name in names]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def path_of(type_: ResourceType) -> list[str]:
    """Return the parts of the path under which the resources of a group version are told."""
    return ["apis", type_.group, type_.version] if type_.group else ["api", type_.version]


def etag(value: JSONValue) -> str:
    """Return what tells one answer from another."""
    return f'"{hashlib.sha512(httpmessages.compact(value).encode()).hexdigest().upper()}"'


def in_order(names: Iterable[str]) -> list[str]:
    """Return the versions of a group, the preferred one first."""
    return sorted(names, key=versionpriority.sort_key, reverse=True)


def _group(name: str, types: Sequence[ResourceType]) -> Resource:
    found = in_order({one.version for one in types if one.group == name})
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in found]
    return {"name": name, "versions": listed, "preferredVersion": listed[0] if listed else {}}


def _resources(type_: ResourceType) -> list[Resource]:
    names = type_.names
    own: dict[str, JSONValue] = {
        "name": names.plural,
        "singularName": names.singular,
        "namespaced": type_.is_namespaced,
        "kind": names.kind,
        "verbs": [*type_.verbs],
        "shortNames": [*names.short_names],
        "categories": [*names.categories],
        "storageVersionHash": _storage_hash(type_),
    }
    found: list[Resource] = [{key: value for key, value in own.items() if value or key == "namespaced"}]
    return [*found, *(_subresource(type_, one) for one in type_.subresources)]


def _subresource(type_: ResourceType, of: SubresourceKind) -> Resource:
    own = {"group": of.group, "version": of.version} if of.kind != type_.names.kind else {}
    return {
        "name": f"{type_.names.plural}/{of.name}",
        "singularName": "",
        "namespaced": type_.is_namespaced,
        **own,
        "kind": of.kind,
        "verbs": [*of.verbs],
    }


def _storage_hash(type_: ResourceType) -> str:
    """Return what says in which version objects are stored: it is opaque, and is the same for the same kind."""
    digest = hashlib.sha256(f"{type_.group}/{type_.storage_version}/{type_.names.kind}".encode()).digest()
    return base64.b64encode(digest[:8]).decode()


def _aggregated_group(name: str, types: Sequence[ResourceType]) -> Resource:
    listed = []
    for version in in_order({one.version for one in types if one.group == name}):
        found = [one for one in types if (one.group, one.version) == (name, version)]
        listed.append({"version": version, "resources": [_aggregated(one) for one in found], "freshness": "Current"})
    return {"metadata": {"name": name} if name else {}, "versions": listed}


def _aggregated(type_: ResourceType) -> Resource:
    names = type_.names
    found: dict[str, JSONValue] = {
        "resource": names.plural,
        "responseKind": _kind(type_.group, type_.version, names.kind),
        "scope": "Namespaced" if type_.is_namespaced else "Cluster",
        "singularResource": names.singular,
        "verbs": [*type_.verbs],
        "shortNames": [*names.short_names],
        "categories": [*names.categories],
        "subresources": [
            {"subresource": one.name, "responseKind": _kind(one.group, one.version, one.kind), "verbs": [*one.verbs]}
            for one in type_.subresources
        ],
    }
    return {key: value for key, value in found.items() if value}


def _kind(group_name: str, version: str, kind: str) -> Resource:
    return {"group": group_name, "version": version, "kind": kind}
