"""Built-in kinds for commands: the types that patches merge by, and the answers of a server to their objects."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.cases import schemafields
from pytest_crd.checks import samplefiles
from pytest_crd.checks.samples import ObjectKind
from pytest_crd.discovery.kustomizemerges import PatchedType
from pytest_crd.engine import profile
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.server.builtin import builtingotypes, builtinkinds, builtinowners, builtintypes
from pytest_crd.server.builtin.builtinclient import BuiltInClient

# Groups of Kubernetes without kinds today.
_FORMER_GROUPS: Final = ("extensions",)
# Earlier versions serve kinds that are not recorded.
_FIRST_COMPLETE: Final = 32


class BuiltInObjects:
    """The built-in kinds of a Kubernetes version."""

    def __init__(self, kubernetes_version: str) -> None:
        """Create the kinds of a Kubernetes version."""
        self._profile = profile.named(kubernetes_version)
        self._types = {(type_.api_version, type_.names.kind): type_ for type_ in builtintypes.built_in(self._profile)}
        self._clients: dict[tuple[str, str], BuiltInClient] = {}

    def find_type(self, api_version: str, kind: str) -> PatchedType | None:
        """Return the type of a kind for patches; None for other kinds."""
        if (api_version, kind) not in self._types:
            return None

        def merging(type_: Struct) -> Mapping[str, Any]:
            return builtinkinds.merge_rules(builtingotypes.name_of(type_, self._profile))

        struct = builtingotypes.of_kind(api_version, kind, self._profile)
        return PatchedType(struct, builtinowners.merged_lists(struct, merging))

    def find_client(self, api_version: str, kind: str) -> BuiltInClient | None:
        """Return the client for the objects of a kind; None for other kinds."""
        key = api_version, kind
        if key not in self._clients and key in self._types:
            self._clients[key] = BuiltInClient(self._types, *key)
        return self._clients.get(key)

    def describe(self, client: BuiltInClient) -> ObjectKind:
        """Return the kind of a client for an outcome."""
        find_fields = functools.partial(schemafields.find_fields, client.go_type, self._profile)
        server = f"Kubernetes {self._profile.version}"
        return ObjectKind(client.resource, server, find_fields, is_validated=client.is_validated)

    def explain_missing(self, api_version: str, kind: str) -> str:
        """
        Return the reason why the server has no objects of a kind, with the nearest kind that it has.

        The reason is empty if a server may have them: the group is not of Kubernetes, or its former kinds are unknown.
        """
        group = api_version.rpartition("/")[0]
        kinds = {(record.group, record.kind): () for record in builtinkinds.records()}
        minor = self._profile.minor
        is_of_kubernetes = group in _FORMER_GROUPS or any(group == recorded for recorded, _ in kinds)
        if minor < _FIRST_COMPLETE or not is_of_kubernetes:
            return ""
        versions = [version for version, served_kind in self._types if served_kind == kind]
        if versions:
            hint = f"Kubernetes {self._profile.version} serves {kind} of {', '.join(versions)}"
        elif (group, kind) in kinds:
            hint = f"Kubernetes {self._profile.version} does not serve it"
        else:
            hint = samplefiles.suggest_kind(group, kind, kinds)
        return f'no matches for kind "{kind}" in version "{api_version}"{hint and f"; {hint}"}'


@functools.cache
def of_version(kubernetes_version: str) -> BuiltInObjects:
    """Return the built-in kinds of a Kubernetes version."""
    return BuiltInObjects(kubernetes_version)
