"""What a server serves: CRDs, their custom resources and what is built in, found by URL; and what follows from what was written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.crds import versionpriority
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.loading.projectcrds import CustomResourceDefinitions
from pytest_crd.engine.profile import Profile
from pytest_crd.server import openapiendpoints
from pytest_crd.server.builtin.builtintypes import BuiltInType, built_in
from pytest_crd.server.crdtype import DefinitionType
from pytest_crd.server.definitioncontroller import DefinitionController
from pytest_crd.server.http import statuses
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.namespaces import NamespaceController
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store.store import Store, StoredObject
from pytest_crd.server.writes import Admit

_ENDING: Final = "create not allowed while custom resource definition is terminating"


class ServerCatalog:
    """
    What is served.

    Attributes:
        profile: Whose behaviour and words.
        namespaces: What is done about namespaces.
    """

    def __init__(self, store: Store, profile: Profile, crds: Sequence[CustomResourceDefinition]) -> None:
        """
        Store the CRDs, and the namespaces of a new cluster.

        Args:
            store: The store, which is empty.
            profile: Whose behaviour and words.
            crds: The CRDs.

        Raises:
            NotAcceptedError: A server refuses one of the CRDs.
        """
        self._store = store
        self.profile = profile
        self._definitions = DefinitionType(profile.version)
        self._controller = DefinitionController(store, self._definitions)
        self._built_in: tuple[BuiltInType, ...] = built_in(profile)
        self.namespaces = NamespaceController(store, self._built_in)
        self.namespaces.start()
        for crd in crds:
            self._controller.install(crd.under(profile.version))
        self.settle()

    def types(self) -> list[ResourceType]:
        """Return all that is served: what is built in, CRDs, then custom resources."""
        return [*self._built_in, self._definitions, *self._controller.types()]

    def find(self, group: str, version: str, plural: str) -> ResourceType | None:
        """Return what is served under a URL; None where nothing is."""
        for one in self.types():
            if (one.group, one.version, one.names.plural) == (group, version, plural):
                return one
        return None

    def named(self, name: str) -> ResourceType:
        """
        Return what is served under a name: plural, singular, short name or kind, with the group behind it or without, perhaps `/VERSION`.

        Raises:
            LookupError: Nothing is, or several things are.
        """
        asked, _, version = name.partition("/")
        found = [one for one in self.types() if asked.lower() in _names(one) and version in ("", one.version)]
        resources = {one.resource for one in found}
        if len(resources) > 1:
            raise LookupError(f"{name!r} names several resources: {', '.join(sorted(resources))}")
        if not found:
            known = ", ".join(sorted({one.resource for one in self.types() if not isinstance(one, BuiltInType)}))
            raise LookupError(f"no resource is called {name!r}; there are: {known}")
        return max(found, key=lambda one: versionpriority.sort_key(one.version))

    def settle(self) -> None:
        """Have all that follows from what was written."""
        self._controller.settle()
        self.namespaces.settle()
        self._controller.settle()

    def admission(self, type_: ResourceType, info: RequestInfo) -> Admit:
        """Return what passes when an object of a name may be created, and raises the failure where its namespace does not let it."""

        def admit(name: str, warnings: tuple[str, ...]) -> None:
            try:
                if type_.is_terminating:
                    raise statuses.forbidden(type_.resource, name, _ENDING)
                if type_.is_namespaced:
                    self.namespaces.demand(info.namespace, type_, name)
            except ApiError as error:
                error.warnings = warnings
                raise

        return admit

    def demand_deletable(self, type_: ResourceType, entry: StoredObject) -> None:
        """
        Pass when an object may be deleted.

        Raises:
            ApiError: 403: it is a namespace that every cluster has.
        """
        self.namespaces.demand_deletable(type_, entry)

    def openapi(self, parts: Sequence[str]) -> Resource | None:
        """Return what is published under `/openapi`; None where nothing is."""
        crds = CustomResourceDefinitions(self._controller.established())
        return openapiendpoints.document(parts, crds, self.types())


def _names(type_: ResourceType) -> set[str]:
    names = type_.names
    bare = [names.plural, names.singular, names.kind.lower(), *names.short_names]
    return {*bare, *(f"{one}.{type_.group}" for one in bare)}
