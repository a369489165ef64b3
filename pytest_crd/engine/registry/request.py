"""
Requests for custom resources as data, and their outcomes.

The time and random names are inputs, so that the same request always has the same outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.inputerror import WrongValueError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.registry.requestbody import Body, FieldValidation
    from pytest_crd.engine.registry.response import Response


Verb: TypeAlias = Literal["create", "update", "patch"]
Subresource: TypeAlias = Literal["", "status", "scale"]
SUBRESOURCES: Final[tuple[Subresource, ...]] = ("", "status", "scale")
# The default User-Agent.
USER_AGENT: Final = "pytest-crd"


def check_subresource(subresource: Subresource) -> Subresource:
    """Return *subresource*, or raise ValueError if it is unknown."""
    if subresource not in SUBRESOURCES:
        raise WrongValueError(f"subresource {subresource!r}: one of {', '.join(filter(None, SUBRESOURCES))}, or none")
    return subresource


class User(NamedTuple):
    """
    The user of a request.

    Attributes:
        username: The name.
        uid: The uid; may be empty.
        groups: The groups.
        extra: Further values of the authenticator.
    """

    username: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = {}


ADMINISTRATOR: Final = User("kubernetes-admin", groups=("system:masters", "system:authenticated"))
"""The user of requests that name none, as kind's kubeconfig has it."""


class Request(NamedTuple):
    """
    A request.

    Attributes:
        verb: `create` (POST), `update` (PUT) or `patch` (PATCH).
        body: The body.
        name: The name in the URL; empty on create. For a stored object, its own name counts, unless it has a `stored_name`.
        namespace: The namespace in the URL; ignored if the CRD's scope is Cluster. For a stored object, its own namespace counts.
        subresource: The subresource in the URL; empty for the object itself.
        field_validation: The treatment of unknown and duplicate fields.
        media_type: The media type of the body of a PATCH.
        resource_version: The resourceVersion of the stored object; empty if its metadata has it, or if versions are not counted.
        field_manager: The field manager; empty if the request names none.
        force: Whether an apply takes over the fields of others; None if unset. Only an apply may set it.
        dry_run: Whether to store nothing; the outcome is the same.
        user: The user.
        user_agent: The User-Agent, the default for the field manager.
        storage_prefix: The prefix of keys in the store, which few messages include; `/registry` in a cluster.
        names_field_validation: Whether the request names its field validation, even if it is the default.
        stored_name: The name under which the stored object is found; empty for its own. An apply that creates it keeps that of the URL.
        reads_as_stored: True if a write of this version under the same schema has stored the object: to read it changes nothing.
    """

    verb: Verb
    body: Body
    name: str = ""
    namespace: str = "default"
    subresource: Subresource = ""
    field_validation: FieldValidation = "Warn"
    media_type: str = "application/json"
    resource_version: str = ""
    field_manager: str = ""
    force: bool | None = None
    dry_run: bool = False
    user: User = ADMINISTRATOR
    user_agent: str = USER_AGENT
    storage_prefix: str = ""
    names_field_validation: bool = False
    stored_name: str = ""
    reads_as_stored: bool = False


class GeneratedValues(NamedTuple):
    """
    The values that a server generates.

    Attributes:
        now: Returns the time, `2006-01-02T15:04:05Z`.
        uid: Returns a new uid.
        suffix: Returns the five characters at the end of a generated name.
    """

    now: Callable[[], str]
    uid: Callable[[], str]
    suffix: Callable[[], str]


FIXED_VALUES: Final = GeneratedValues(
    now=lambda: "2000-01-01T00:00:00Z",
    uid=lambda: "00000000-0000-0000-0000-000000000000",
    suffix=lambda: "xxxxx",
)
"""Fixed time, uid and name suffix, for responses whose generated values do not matter."""


class OrderDependentError(AssertionError):
    """An answer that depends on the random order of mutating policies; the message has two orders with their answers."""


class WrittenObjects(NamedTuple):
    """
    The objects of an outcome, without resourceVersion, which the store assigns.

    Attributes:
        stored: The stored object, in the storage version; None if nothing was created, or if the last finalizer of a deleted object was
            removed.
        returned: The object of the response, in the version of the request; None if the request is refused.
    """

    stored: Resource | None
    returned: Resource | None


class RequestOutcome:
    """
    Outcome of a request.

    The objects are computed on first use, since most callers need only the verdict.

    Attributes:
        response: The response, with its object without generated values.
        before: The stored object before, without its resourceVersion; None if there was none.
        report: Reports the request to the observer of the CRD. A server calls it once the request counts.
        sent_version: The resourceVersion of a new object, which only a dry run keeps; empty without one.
        is_read_back: False if the object is stored, but no webhook converts it back for the response.
        order_dependence: Two orders of policies with different answers, in words; empty if the answer depends on no order.
    """

    def __init__(
        self,
        response: Response,
        before: Resource | None,
        load: Callable[[], WrittenObjects] | None = None,
        *,
        sent_version: str = "",
        is_read_back: bool = True,
    ) -> None:
        """
        Create from a response.

        Args:
            response: The response.
            before: The stored object before.
            load: Returns the objects; None for a refused request.
            sent_version: The resourceVersion of a new object.
            is_read_back: Whether the stored object can be read.
        """
        self.response = response
        self.before = before
        self.sent_version = sent_version
        self.is_read_back = is_read_back
        self.report: Callable[[], None] = lambda: None
        self.order_dependence = ""
        self._load = load

    @cached_property
    def objects(self) -> WrittenObjects:
        """The stored object after the request, and the object of the response."""
        return WrittenObjects(self.before, None) if self._load is None else self._load()

    @property
    def changed(self) -> bool:
        """Whether the stored object has changed; only then a server writes and assigns a new resourceVersion."""
        return not jsonvalue.equal(self.objects.stored, self.before)


def without_version(resource: Resource) -> Resource:
    """Return a stored object without its resourceVersion."""
    metadata = resource.get("metadata")
    if not isinstance(metadata, Mapping) or "resourceVersion" not in metadata:
        return resource
    return {**resource, "metadata": {key: value for key, value in metadata.items() if key != "resourceVersion"}}
