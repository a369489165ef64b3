"""Resources of a server by URL and name, with the controllers that run after writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pytest_crd.engine import CrdLookupError
from pytest_crd.engine.api.context import Webhooks
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.crds import versionpriority
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.loading.projectcrds import CustomResourceDefinitions
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import Admission
from pytest_crd.engine.registry.admissionchain import AdmissionChain
from pytest_crd.policies import definitions
from pytest_crd.policies.plugin import PolicyPlugin
from pytest_crd.policies.storedpolicies import StoredPolicies
from pytest_crd.policies.surroundings import PolicyListeners, Surroundings
from pytest_crd.server import namespaces, openapiendpoints
from pytest_crd.server.authorization import policy
from pytest_crd.server.authorization.admissionauthorizer import AuthorizedAdmission
from pytest_crd.server.authorization.authorizer import RoleAuthorizer
from pytest_crd.server.authorization.escalation import GrantAdmission
from pytest_crd.server.authorization.paramaccess import ParamAccess, ParamAdmission
from pytest_crd.server.authorization.reviewtypes import review_types
from pytest_crd.server.authorization.storedroles import StoredRoles
from pytest_crd.server.builtin.builtintypes import BuiltInType, built_in
from pytest_crd.server.crdtype import DefinitionType
from pytest_crd.server.definitioncontroller import DefinitionController
from pytest_crd.server.http import requestinfo, statuses
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.http.statuses import ApiError, NotFoundPageError
from pytest_crd.server.namespaces import NamespaceController
from pytest_crd.server.policyparams import StoredParams
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store.store import ObjectKey, Store, StoredObject
from pytest_crd.server.writes import Admit
from pytest_crd.webhooks import configurationtypes
from pytest_crd.webhooks.storedwebhooks import StoredWebhooks

_CONFIGURATIONS: Final = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")
_ENDING: Final = "create not allowed while custom resource definition is terminating"


class ServerCatalog:
    """
    The served resources.

    Attributes:
        profile: The reproduced Kubernetes version.
        namespaces: The namespace controller.
        roles: The roles and bindings.
        authorizer: The authorizer.
        policy_listeners: The listeners to admission policies.
        wrap_admission: Returns the admission plugins inside others, for tests of a policy; set it before policies are stored.
    """

    def __init__(
        self,
        store: Store,
        profile: Profile,
        crds: Sequence[CustomResourceDefinition],
        webhooks: Webhooks | None = None,
        *,
        has_service_accounts: bool = False,
    ) -> None:
        """
        Store the CRDs, and the namespaces of a new cluster.

        Args:
            store: The store, which is empty.
            profile: The reproduced Kubernetes version.
            crds: The CRDs.
            webhooks: The webhooks of the project; None without any.
            has_service_accounts: Whether each namespace gets its ServiceAccount `default`.

        Raises:
            NotAcceptedError: A server refuses one of the CRDs.
        """
        self._store = store
        self.profile = profile
        self._definitions = DefinitionType(profile.version)
        self.roles = StoredRoles(store)
        self.authorizer = RoleAuthorizer(self.roles, profile)
        self._webhooks = StoredWebhooks(webhooks, self._webhook_configurations)
        self._called = self._webhooks.plugin(profile, self._namespace)
        self._policies = StoredPolicies(self._stored_policies)
        self._params = StoredParams(store, self.types)
        self.policy_listeners = PolicyListeners()
        self.wrap_admission: Callable[[Admission], Admission] = lambda admission: admission
        surroundings = Surroundings(self._namespace, self._params, self.policy_listeners)
        self._admission = AdmissionChain((PolicyPlugin(self._policies.read, surroundings, profile), self._called))
        self._controller = DefinitionController(store, self._definitions, self._webhooks)
        self._serve_built_in(None)
        self.namespaces = NamespaceController(store, has_service_accounts=has_service_accounts)
        self.namespaces.start()
        for crd in crds:
            self._controller.install(crd.under(profile.version))
        self.settle()

    def _plugins_of(self, type_: ResourceType, plugins: Admission | None) -> Admission | None:
        """Return the admission plugins of a resource. The plugins of roles also check grants; the plugins of policies check access to params."""
        if type_.group == definitions.GROUP:
            source = ParamAccess(self.authorizer, self._params.find_plural, self._find_policy)
            return ParamAdmission(plugins, source)
        return GrantAdmission(plugins, self.authorizer) if type_.group == policy.GROUP else plugins

    def _find_policy(self, kind: str, name: str) -> Resource | None:
        """Return the stored policy of a kind and a name, or None."""
        policies = (item for item in self._stored_policies() if item["kind"] == kind)
        return next((item for item in policies if item["metadata"]["name"] == name), None)

    def close(self) -> None:
        """Close the connections to webhooks."""
        self._webhooks.close()

    def _serve_built_in(self, plugins: Admission | None) -> None:
        """Serve the built-in kinds with admission plugins."""
        reviews = review_types(self.profile, self.authorizer)
        answered = {type_.resource for type_ in reviews}
        stored = (type_ for type_ in built_in(self.profile) if type_.resource not in answered)
        self._built_in = tuple(
            type_.on_server(self._store, self._plugins_of(type_, plugins)) for type_ in (*stored, *reviews)
        )
        self._by_path = {(type_.group, type_.version, type_.names.plural): type_ for type_ in self._built_in}

    def _webhook_configurations(self) -> list[Resource]:
        """Return the stored webhook configurations; an unchanged one is the same object."""
        types = [self._by_path[configurationtypes.GROUP, configurationtypes.V1, plural] for plural in _CONFIGURATIONS]
        return [type_.read(entry) for type_ in types for entry in self._store.entries(type_.resource)]

    def _stored_policies(self) -> list[Resource]:
        """Return the stored policies and bindings; an unchanged one is the same object."""
        served = {type_.names.kind: type_ for type_ in self._built_in if type_.group == definitions.GROUP}
        types = [served[kind] for kind in definitions.KINDS if kind in served]
        return [type_.read(entry) for type_ in types for entry in self._store.entries(type_.resource)]

    def _settle_admission(self) -> None:
        """Use admission plugins while there are webhooks or policies: other requests are faster without plugins."""
        plugins: Admission | None = None
        if self._called.has_any() or self._policies.has_any():
            plugins = self._definitions.plugins or self.wrap_admission(
                AuthorizedAdmission(self._admission, self.authorizer)
            )
        if plugins is not self._definitions.plugins:
            self._definitions.plugins = plugins
            self._serve_built_in(plugins)
            self._controller.renew_types()

    def _namespace(self, name: str) -> Resource | None:
        """Return a Namespace by its name; None without one."""
        entry = self._store.get(ObjectKey(namespaces.RESOURCE, "", name))
        return None if entry is None else entry.value

    def built_in_prefixes(self) -> tuple[str, ...]:
        """Return the URL prefixes of the groups of built-in kinds, such as `/apis/apps/`."""
        return ("/api/", *{f"/apis/{kind.group}/" for kind in self._built_in if kind.group})

    def types(self) -> list[ResourceType]:
        """Return all resources: built-in ones, then CRDs, then custom resources."""
        return [*self._built_in, self._definitions, *self._controller.types()]

    def request_names(self) -> frozenset[str]:
        """Return the names of all resources and subresources, with and without their groups."""
        return frozenset(
            name
            for type_ in self.types()
            for subresource in ("", *(sub.name for sub in type_.subresources))
            for name in requestinfo.resource_names(type_.names.plural, type_.group, subresource)
        )

    def find_type(self, group: str, version: str, plural: str) -> ResourceType | None:
        """Return the resource of a URL, or None if it is not served."""
        if (built_in_type := self._by_path.get((group, version, plural))) is not None:
            return built_in_type
        for type_ in (self._definitions, *self._controller.types()):
            if (type_.group, type_.version, type_.names.plural) == (group, version, plural):
                return type_
        return None

    def find_by_name(self, name: str) -> ResourceType:
        """
        Return the resource with a name: plural, singular, short name or kind, optionally with its group and `/VERSION`.

        A resource of the project takes precedence over a built-in one.

        Raises:
            CrdLookupError: The server has no such resource, or several.
        """
        resource_name, _, version = name.partition("/")
        matches = [
            type_ for type_ in self.types() if resource_name.lower() in _names(type_) and version in ("", type_.version)
        ]
        matches = [type_ for type_ in matches if not isinstance(type_, BuiltInType)] or matches
        resources = sorted({type_.resource for type_ in matches})
        if len(resources) > 1:
            raise CrdLookupError(
                f"{name!r} names several resources: {', '.join(resources)}; write one of these, as in crd_server[{resources[0]!r}]"
            )
        if not matches:
            resource_names = ", ".join(
                sorted({type_.resource for type_ in self.types() if not isinstance(type_, BuiltInType)})
            )
            raise CrdLookupError(f"no resource is called {name!r}; there are: {resource_names}")
        return max(matches, key=lambda type_: versionpriority.sort_key(type_.version))

    def settle(self) -> None:
        """Run the controllers after a write."""
        self._controller.settle()
        self.namespaces.settle()
        self._controller.settle()
        self.roles.settle()
        self._settle_admission()

    def admission(self, type_: ResourceType, info: RequestInfo) -> Admit:
        """Return the admission check for a create; it raises ApiError if the CRD or the namespace refuses new objects."""

        def admit(name: str, warnings: tuple[str, ...]) -> None:
            # The CRD may have been deleted since the request was routed.
            current = self.find_type(type_.group, type_.version, type_.names.plural)
            if current is None:
                raise NotFoundPageError
            try:
                if current.is_terminating:
                    raise statuses.forbidden(type_.resource, name, _ENDING)
                if type_.is_namespaced and type_.is_stored:
                    self.namespaces.demand(info.namespace, type_, name)
            except ApiError as error:
                error.warnings = warnings
                raise

        return admit

    def demand_deletable(self, type_: ResourceType, entry: StoredObject) -> None:
        """
        Raise ApiError for the deletion of a namespace that every cluster has.

        Raises:
            ApiError: 403.
        """
        self.namespaces.demand_deletable(type_, entry)

    def openapi(self, parts: Sequence[str]) -> Resource | None:
        """Return the document of a path under `/openapi`, or None if the path is unknown."""
        crds = CustomResourceDefinitions(self._controller.established())
        return openapiendpoints.document(parts, crds, self.types())


def _names(type_: ResourceType) -> set[str]:
    names = type_.names
    bare = [names.plural, names.singular, names.kind.lower(), *names.short_names]
    return {*bare, *(f"{name}.{type_.group}" for name in bare)}
