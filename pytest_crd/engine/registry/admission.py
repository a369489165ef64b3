"""
Admission: the plugins that may change or refuse an object before it is stored, such as webhooks and policies.

The engine calls them at their place in a request, and knows nothing else about them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import request as requests
from pytest_crd.records import NamedTuple, dataclass, field

if TYPE_CHECKING:
    from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType  # only requests need it
    from pytest_crd.engine.registry.requestbody import RefusedError

User: TypeAlias = requests.User
ADMINISTRATOR: Final = requests.ADMINISTRATOR
Operation: TypeAlias = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]


class GoObjects(NamedTuple):
    """
    The Go type of the objects of a built-in kind.

    Attributes:
        type: The Go type.
        default: Returns a decoded object with the defaults of its version.
    """

    type: Struct
    default: Callable[[dict[str, JSONValue]], dict[str, JSONValue]]


class ObjectInterfaces(NamedTuple):
    """
    Functions for the objects of a request, which plugins need.

    Attributes:
        versions: The served versions of the same resource, that of the request included.
        convert: Returns an object in another apiVersion; raises RefusedError if it cannot be converted.
        default: Returns an object of the resource with the defaults of its version; another object unchanged.
        merge_type: Returns the merge type of the objects with the apiVersion and kind of an object; None if they are
            not of this resource. None for resources whose merge types are unknown.
        go: The Go type of a built-in kind; None for custom resources.
        equivalents: The groups and versions of the same objects in another group.

    Reference:
        apiserver admission/interfaces.go, ObjectInterfaces.
    """

    versions: tuple[str, ...]
    convert: Callable[[Resource, str], Resource]
    default: Callable[[Resource], Resource]
    merge_type: Callable[[Resource], MergeType | None] | None = None
    go: GoObjects | None = None
    equivalents: tuple[tuple[str, str], ...] = ()


def single_version(api_version: str) -> ObjectInterfaces:
    """Return the functions for objects that have one version, *api_version*, and no defaults."""
    version = api_version.rpartition("/")[2]
    return ObjectInterfaces((version,), lambda resource, _: resource, lambda resource: resource)


class Admitted(NamedTuple):
    """
    The result of admission.

    Attributes:
        object: The object, changed by mutating plugins; None on DELETE.
        warnings: The warnings for the client.
    """

    object: Resource | None
    warnings: tuple[str, ...] = ()


class PolicyOrder(NamedTuple):
    """
    An order of the policies that a request matches.

    Attributes:
        keys: The keys of the policies with their bindings and params.
        words: The policies, for reports.
    """

    keys: tuple[Hashable, ...]
    words: str


class OrderVariant(NamedTuple):
    """
    The result of the mutating plugins in another order.

    Attributes:
        order: The order.
        result: The result, or the refusal.
    """

    order: PolicyOrder
    result: Admitted | RefusedError


@dataclass(eq=False)
class Orders:
    """
    The orders in which the mutating plugins were tried for a request.

    Attributes:
        own: The order of the result, in words.
        variants: The different results in other orders.
        report: Called with the words about an answer that depends on the order.
    """

    own: str = ""
    variants: list[OrderVariant] = field(default_factory=list)
    report: Callable[[str], None] = lambda _: None


# Returns a new object, given the stored one, after the mutating plugins that every server has; raises RefusedError if one refuses it.
DefaultPlugins: TypeAlias = "Callable[[Resource, Resource | None], Resource]"


class AdmissionRequest(NamedTuple):
    """
    A request as admission plugins see it.

    Attributes:
        operation: The operation.
        group: The API group.
        version: The version in the URL.
        kind: The kind; `Scale` of `autoscaling/v1` for the subresource `scale`.
        resource: The plural.
        subresource: The subresource; empty for the object itself.
        name: The name; empty on a create whose name is generated.
        namespace: The namespace; empty for a resource of the cluster.
        object: The new object in the version of the request; None on DELETE.
        old_object: The stored object in the version of the request; None on CREATE.
        options: The options of the request: `{"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", ...}`.
        dry_run: Whether the request stores nothing.
        user: The user.
        interfaces: Functions for its objects.
        authorize: The authorizer of the server, called with an `AccessRequest` of CEL; None if roles are unknown.
        kind_api_version: The apiVersion of the kind, if it is not that of the resource; also empty for a Scale.
        orders: Takes the results in other orders; None if nobody compares them.
        is_rehearsal: Whether no listener hears of the request.
        default_plugins: The plugins of every server, which ran before and run again in a second round; None without any.

    Reference:
        apiserver admission/interfaces.go, Attributes.
    """

    operation: Operation
    group: str
    version: str
    kind: str
    resource: str
    subresource: str
    name: str
    namespace: str
    object: Resource | None
    old_object: Resource | None
    options: Mapping[str, JSONValue]
    dry_run: bool
    user: User
    interfaces: ObjectInterfaces
    authorize: Callable[[Any], Any] | None = None
    kind_api_version: str = ""
    orders: Orders | None = None
    is_rehearsal: bool = False
    default_plugins: DefaultPlugins | None = None


class Admission(Protocol):
    """
    A chain of admission plugins.

    Reference:
        apiserver admission/chain.go.
    """

    def mutate(self, request: AdmissionRequest) -> Admitted:
        """Return the object of a request after the mutating plugins; raise RefusedError if one refuses it."""

    def validate(self, request: AdmissionRequest) -> Admitted:
        """Return the unchanged object and warnings; raise RefusedError if a validating plugin refuses it."""


class PluginChain(Admission, Protocol):
    """A chain whose plugins another chain can take over."""

    @property
    def plugins(self) -> tuple[Any, ...]:
        """The plugins in their order, each an `AdmissionPlugin`."""
