"""Resources of a server by URL and name, with the controllers that run after writes."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from pytest_crd import lazyimport
from pytest_crd.admission.chain import AdmissionChain
from pytest_crd.engine import CrdLookupError
from pytest_crd.engine.api.context import Webhooks
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.crds import declared, versionpriority
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.loading.projectcrds import CustomResourceDefinitions
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import Admission
from pytest_crd.policies import definitions
from pytest_crd.policies.plugin import PolicyPlugin
from pytest_crd.policies.policycontext import PolicyContext, PolicyListeners
from pytest_crd.policies.storedpolicies import StoredPolicies
from pytest_crd.server import builtinresources, namespaces
from pytest_crd.server.authorization import policy, signerpermission
from pytest_crd.server.authorization.admissionauthorizer import AuthorizedAdmission
from pytest_crd.server.authorization.authorizer import RoleAuthorizer
from pytest_crd.server.authorization.escalation import GrantAdmission
from pytest_crd.server.authorization.ownerpermission import OwnerPlugin
from pytest_crd.server.authorization.paramaccess import ParamAccess, ParamAdmission
from pytest_crd.server.authorization.reviewtypes import AccessReviewType
from pytest_crd.server.authorization.signerpermission import SignerAdmission
from pytest_crd.server.authorization.storedroles import StoredRoles
from pytest_crd.server.builtin.builtintypes import BuiltInType
from pytest_crd.server.controllers.clusterroles import AggregationController
from pytest_crd.server.controllers.controllermanager import Controller, ControllerManager
from pytest_crd.server.controllers.crdfinalizer import CrdFinalizer
from pytest_crd.server.controllers.crdnames import NamingController
from pytest_crd.server.controllers.namespacelifecycle import NamespaceController
from pytest_crd.server.controllers.serviceaccounts import ServiceAccountController
from pytest_crd.server.controllers.workloads import WorkloadController
from pytest_crd.server.crdtype import DefinitionType
from pytest_crd.server.http import requestinfo, statuses
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.http.statuses import ApiError, NotFoundPageError
from pytest_crd.server.namespaces import Namespaces
from pytest_crd.server.policyparams import StoredParams
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.simulatedworkloads import SimulatedWorkloads
from pytest_crd.server.store.store import Event, ObjectKey, Store, StoredObject
from pytest_crd.server.storeddefinitions import StoredDefinitions
from pytest_crd.server.writes import Admit
from pytest_crd.webhooks.storedwebhooks import StoredWebhooks

if TYPE_CHECKING:
    from pytest_crd.server import openapiendpoints
    from pytest_crd.server.openapiendpoints import Documents, PublishedDocument
else:
    openapiendpoints = lazyimport.module("pytest_crd.server.openapiendpoints")

# Groups of CRDs, webhook configurations and policies: their objects decide about served resources and their plugins.
_SERVING: Final = (f".{declared.GROUP}", f".{definitions.GROUP}")
_ENDING: Final = "create not allowed while custom resource definition is terminating"


# Returns admission plugins inside others.
WrapAdmission: TypeAlias = Callable[[Admission], Admission]
_Type = TypeVar("_Type", bound=ResourceType)


class _BoundTypes(NamedTuple):
    """
    Resources on a server.

    Attributes:
        plugins: The admission plugins; None without any.
        types: The resources, by themselves without a server.
    """

    plugins: Admission | None
    types: dict[ResourceType, Any]


class ServerCatalog:
    """
    The served resources.

    Attributes:
        profile: The reproduced Kubernetes version.
        namespaces: The namespaces.
        roles: The roles and bindings.
        authorizer: The authorizer.
        policy_listeners: The listeners to admission policies.
    """

    def __init__(  # noqa: PLR0913 - the settings of a server
        self,
        store: Store,
        profile: Profile,
        crds: Sequence[CustomResourceDefinition] = (),
        webhooks: Webhooks | None = None,
        *,
        has_service_accounts: bool = False,
        enforces_owners: bool = False,
        workloads: SimulatedWorkloads | None = None,
    ) -> None:
        """
        Store the CRDs, and the namespaces of a new cluster.

        Args:
            store: The store, which is empty.
            profile: The reproduced Kubernetes version.
            crds: The CRDs.
            webhooks: The webhooks of the project; None without any.
            has_service_accounts: Whether each namespace gets its ServiceAccount `default`.
            enforces_owners: Whether the plugin OwnerReferencesPermissionEnforcement is on.
            workloads: The workloads with simulated statuses; None to simulate none.

        Raises:
            NotAcceptedError: A server refuses one of the CRDs.
        """
        self._workloads = workloads
        self._enforces_owners = enforces_owners
        self.profile = profile
        self._project_webhooks = webhooks
        self._has_service_accounts = has_service_accounts
        self._definition = DefinitionType(profile.version)
        self.roles = StoredRoles(store)
        self._connect(store)
        self._converting = self._webhooks
        self._definitions = StoredDefinitions(store, self._definition, self._webhooks)
        self._follow()
        self.namespaces.start()
        for crd in crds:
            self._definitions.install(crd.under(profile.version))
        self.settle()

    def _connect(self, store: Store) -> None:
        """Use a store."""
        self._store = store
        self.namespaces = Namespaces(store)
        self.authorizer = RoleAuthorizer(self.roles, self.profile)
        self._webhooks = StoredWebhooks(self._project_webhooks, self._webhook_configurations)
        self._called = self._webhooks.plugin(self.profile, self._namespace)
        self._policies = StoredPolicies(self._stored_policies)
        self._params = StoredParams(store, self.find_kinds)
        self.policy_listeners = PolicyListeners()
        self._wrap_admission: WrapAdmission | None = None
        self._is_admitting = True
        self._bound: _BoundTypes | None = None
        self._documents: Documents | None = None
        self._read_objects: dict[tuple[BuiltInType, ...], list[Resource]] = {}

    def _follow(self) -> None:
        """Let the controllers follow the store."""
        store, definitions = self._store, self._definitions
        controllers: list[Controller] = [
            NamingController(definitions),
            CrdFinalizer(store, definitions),
            NamespaceController(store, self._workloads),
            *([ServiceAccountController(store)] if self._has_service_accounts else ()),
            AggregationController(self.roles),
            *([] if self._workloads is None else [WorkloadController(store, self._workloads, self.profile)]),
        ]
        self._controllers = ControllerManager(store, controllers)
        store.subscribe(self._forget_types)

    def fork(self, store: Store, workloads: SimulatedWorkloads | None = None) -> ServerCatalog:
        """
        Return the served resources of a fork of the store, without listeners; *workloads* belong to the fork.

        The controllers of this server have nothing to do, and the webhooks of CRDs keep their connections.
        """
        fork = copy.copy(self)
        fork._workloads = workloads  # noqa: SLF001 - of the same class
        fork._become_fork(self, store)  # noqa: SLF001 - of the same class
        return fork

    def _become_fork(self, origin: ServerCatalog, store: Store) -> None:
        """Turn a copy of another catalog into its fork, which uses a fork of its store."""
        self.roles = origin.roles.fork(store)
        self._connect(store)
        self.authorizer.has_project_roles = origin.authorizer.has_project_roles
        self._policies = origin._policies.fork(self._stored_policies)
        self._definitions = origin._definitions.fork(store)
        self._read_objects = origin._read_objects.copy()
        self._follow()

    def restart(self) -> None:
        """Serve a store that was restored."""
        self._controllers.clear()
        self.close()
        self._bound = self._documents = None
        self._read_objects.clear()

    def wrap_admission(self, wrap: WrapAdmission) -> None:
        """Let requests meet the admission plugins inside others, for tests of a policy; also without any webhook or policy."""
        self._wrap_admission, self._bound = wrap, None

    @contextlib.contextmanager
    def without_admission(self) -> Iterator[None]:
        """Let requests meet no webhooks and policies."""
        self._is_admitting, self._bound = False, None
        try:
            yield
        finally:
            self._is_admitting, self._bound = True, None
            self._policies.read()  # once for all forks

    def _plugins_of(self, type_: ResourceType, plugins: Admission | None) -> Admission | None:
        """
        Return the admission plugins of a resource.

        Those of roles also check grants, those of policies access to params, those of certificates the use of signers.
        """
        if type_.group == definitions.GROUP:
            source = ParamAccess(self.authorizer, self._params.find_plural, self._find_policy)
            return ParamAdmission(plugins, source)
        if type_.group == signerpermission.GROUP:
            return SignerAdmission(plugins, self.authorizer)
        return GrantAdmission(plugins, self.authorizer) if type_.group == policy.GROUP else plugins

    def _find_policy(self, kind: str, name: str) -> Resource | None:
        """Return the stored policy of a kind and a name, or None."""
        policies = (item for item in self._stored_policies() if item["kind"] == kind)
        return next((item for item in policies if item["metadata"]["name"] == name), None)

    def close(self) -> None:
        """Close the connections to webhooks; those to conversion webhooks open again, as forks share them."""
        self._webhooks.close()
        self._converting.close()

    def _webhook_configurations(self) -> list[Resource]:
        """Return the stored webhook configurations; an unchanged one is the same object."""
        return self._read(builtinresources.find(self.profile).configurations)

    def _stored_policies(self) -> list[Resource]:
        """Return the stored policies and bindings; an unchanged one is the same object."""
        return self._read(builtinresources.find(self.profile).policies)

    def _read(self, types: tuple[BuiltInType, ...]) -> list[Resource]:
        """Return the objects of resources: the same list until one of them changes."""
        objects = self._read_objects.get(types)
        if objects is None:
            with self._store.lock:  # no change comes between the look and the note
                objects = [type_.read(entry) for type_ in types for entry in self._store.entries(type_.resource)]
                self._read_objects[types] = objects
        return objects

    def _forget_types(self, event: Event) -> None:
        """Forget the served resources if a change may replace them: of a CRD, a webhook configuration or a policy."""
        if event.key.resource.endswith(_SERVING):
            self._bound = self._documents = None
            self._read_objects.clear()

    def _find_plugins(self) -> Admission | None:
        """Return the admission plugins while there are webhooks or policies: other requests are faster without plugins."""
        wrap = self._wrap_admission
        if not self._is_admitting:
            return None
        is_needed = self._called.has_any() or self._policies.has_any() or self._enforces_owners
        if wrap is None and not is_needed:
            return None
        policy_context = PolicyContext(self._namespace, self._params, self.policy_listeners)
        policies = PolicyPlugin(self._policies.read, policy_context, self.profile)
        owners = (OwnerPlugin(self.authorizer, self),) if self._enforces_owners else ()
        plugins = AuthorizedAdmission(AdmissionChain((*owners, policies, self._called)), self.authorizer)
        return plugins if wrap is None else wrap(plugins)

    def _bind(self, type_: _Type) -> _Type:
        """Return a resource on this server, with its admission plugins."""
        bound = self._bound
        if bound is None:
            with self._store.lock:  # no change comes between the look and the note
                bound = self._bound = _BoundTypes(self._find_plugins(), {})
        served: _Type | None = bound.types.get(type_)
        if served is None:
            served = type_.on_server(self._store, self._plugins_of(type_, bound.plugins))
            if isinstance(served, AccessReviewType):
                served.authorizer = self.authorizer
            bound.types[type_] = served
        return served

    def _namespace(self, name: str) -> Resource | None:
        """Return a Namespace by its name; None without one."""
        entry = self._store.get(ObjectKey(namespaces.RESOURCE, "", name))
        return None if entry is None else entry.value

    def built_in_prefixes(self) -> tuple[str, ...]:
        """Return the URL prefixes of the groups of built-in kinds, such as `/apis/apps/`."""
        return ("/api/", *{f"/apis/{kind.group}/" for kind in builtinresources.find(self.profile).types if kind.group})

    def types(self) -> list[ResourceType]:
        """Return all resources: built-in ones, then CRDs, then custom resources."""
        types = (*builtinresources.find(self.profile).types, self._definition, *self._definitions.types())
        return [*map(self._bind, types)]

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
        path = (group, version, plural)
        type_: ResourceType | None = builtinresources.find(self.profile).by_path.get(path)
        if type_ is None:
            is_crd = path == (self._definition.group, self._definition.version, self._definition.names.plural)
            type_ = self._definition if is_crd else self._definitions.find_type(*path)
        return None if type_ is None else self._bind(type_)

    def find_kinds(self, group: str, version: str, kind: str) -> Sequence[ResourceType]:
        """Return the resources with the objects of a kind, in the order of all resources."""
        key, own = (group, version, kind), self._definition
        types: list[ResourceType] = [
            *filter(None, (builtinresources.find(self.profile).by_kind.get(key),)),
            *((own,) if key == (own.group, own.version, own.names.kind) else ()),
            *self._definitions.find_kinds(*key),
        ]
        return [*map(self._bind, types)]

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
        """Run the controllers until they have nothing to do; callers hold the lock of the store."""
        self._controllers.run()

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

    def openapi(self, path: str) -> PublishedDocument | None:
        """Return the document of a path below `/openapi`, or None if the path is unknown."""
        documents = self._documents
        if documents is None:
            with self._store.lock:  # no change comes between the look and the note
                crds = CustomResourceDefinitions(self._definitions.established())
                documents = self._documents = openapiendpoints.Documents(crds, self.types(), self.profile)
        return documents.find(path)


def _names(type_: ResourceType) -> set[str]:
    names = type_.names
    bare = [names.plural, names.singular, names.kind.lower(), *names.short_names]
    return {*bare, *(f"{name}.{type_.group}" for name in bare)}
