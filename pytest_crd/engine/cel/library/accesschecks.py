"""
Values of the authorizer library: an authorizer, checks of a path or a resource, and decisions.

Reference:
    k8s.io/apiserver pkg/cel/library/authz.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Self, TypeAlias

from pytest_crd import lazyre
from pytest_crd.engine.cel.errors import EvaluationError, no_overload
from pytest_crd.engine.cel.types.celtypes import struct
from pytest_crd.engine.cel.values.celvalues import Opaque, Value
from pytest_crd.engine.golang import gostrings

AUTHORIZER: Final = struct("kubernetes.authorization.Authorizer")
PATH: Final = struct("kubernetes.authorization.PathCheck")
GROUP: Final = struct("kubernetes.authorization.GroupCheck")
RESOURCE: Final = struct("kubernetes.authorization.ResourceCheck")
DECISION: Final = struct("kubernetes.authorization.Decision")

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_IS_LABEL: Final = lazyre.compile(rf"(?=.{{1,63}}\Z){_LABEL}")
_IS_SUBDOMAIN: Final = lazyre.compile(rf"(?=.{{1,253}}\Z){_LABEL}(\.{_LABEL})*")
_ACCOUNT: Final = "system:serviceaccount"


class AccessRequest(NamedTuple):
    """
    A request for which access is checked.

    Attributes:
        username: The name of the user.
        groups: The groups of the user.
        verb: The verb.
        path: The path, if it is no request for a resource.
        group: The API group of the resource.
        resource: The plural of the resource.
        subresource: The subresource.
        namespace: The namespace.
        name: The name of the object.
        field_selector: The field selector.
        label_selector: The label selector.
    """

    username: str
    groups: tuple[str, ...]
    verb: str = ""
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    field_selector: str = ""
    label_selector: str = ""


class AccessAnswer(NamedTuple):
    """
    The answer of an authorizer.

    Attributes:
        is_allowed: True if the request is allowed.
        reason: The reason; may be empty.
    """

    is_allowed: bool
    reason: str = ""


# Returns whether a request is allowed.
Authorize: TypeAlias = Callable[[AccessRequest], AccessAnswer]


class Access(Opaque):
    """Base of the values that build an access request."""

    __slots__ = ("authorize", "request")

    def __init__(self, request: AccessRequest, authorize: Authorize) -> None:
        """Create with the request so far and the function that decides."""
        self.request = request
        self.authorize = authorize

    def equal(self, other: Value) -> bool:
        """Raise EvaluationError: these values cannot be compared."""
        raise no_overload(other)

    def __str__(self) -> str:
        return self.type_name

    def narrow(self, **fields: str) -> Self:
        """Return the same check with other fields of its request."""
        return type(self)(self.request._replace(**fields), self.authorize)  # type: ignore[arg-type] # texts alone


class Authorizer(Access):
    """The authorizer for a user."""

    __slots__ = ()
    type_name = AUTHORIZER.name


class PathCheck(Access):
    """Check of a path."""

    __slots__ = ()
    type_name = PATH.name


class GroupCheck(Access):
    """Check of an API group."""

    __slots__ = ()
    type_name = GROUP.name


class ResourceCheck(Access):
    """Check of a resource."""

    __slots__ = ()
    type_name = RESOURCE.name


class Decision(Opaque):
    """The decision about an access request."""

    __slots__ = ("is_allowed", "reason")
    type_name = DECISION.name

    def __init__(self, answer: AccessAnswer) -> None:
        self.is_allowed, self.reason = answer

    def equal(self, other: Value) -> bool:
        """Raise EvaluationError: decisions cannot be compared."""
        raise no_overload(other)

    def __str__(self) -> str:
        return self.type_name


def path(authorizer: Authorizer, text: str) -> PathCheck:
    """Return the check of a path."""
    if not gostrings.trim_space(text):
        raise EvaluationError("path must not be empty")
    return PathCheck(authorizer.request._replace(path=text), authorizer.authorize)


def group(authorizer: Authorizer, name: str) -> GroupCheck:
    """Return the check of an API group."""
    return GroupCheck(authorizer.request._replace(group=name), authorizer.authorize)


def service_account(authorizer: Authorizer, namespace: str, name: str) -> Authorizer:
    """Return the authorizer for a service account."""
    if not _IS_SUBDOMAIN.fullmatch(name):
        raise EvaluationError("Invalid service account name")
    if not _IS_LABEL.fullmatch(namespace):
        raise EvaluationError("Invalid service account namespace")
    groups = (f"{_ACCOUNT}s", f"{_ACCOUNT}s:{namespace}")
    return Authorizer(AccessRequest(f"{_ACCOUNT}:{namespace}:{name}", groups), authorizer.authorize)


def resource(check: GroupCheck, name: str) -> ResourceCheck:
    """Return the check of a resource."""
    if not gostrings.trim_space(name):
        raise EvaluationError("resource must not be empty")
    return ResourceCheck(check.request._replace(resource=name), check.authorize)


def decide(check: PathCheck | ResourceCheck, verb: str) -> Decision:
    """Return the decision about a verb."""
    return Decision(check.authorize(check.request._replace(verb=verb)))
