"""
A request for a custom resource as data, and what comes of it.

What a server would find out by itself, the time and its random names, is handed in: the same request, the same outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry.requestbody import Body, FieldValidation
from pytest_crd.engine.registry.response import Response

Verb: TypeAlias = Literal["create", "update", "patch"]
Subresource: TypeAlias = Literal["", "status", "scale"]
SUBRESOURCES: Final[tuple[Subresource, ...]] = ("", "status", "scale")
# What a client calls itself that says nothing else.
USER_AGENT: Final = "pytest-crd"


class Request(NamedTuple):
    """
    One request.

    Attributes:
        verb: What is to be done: `create` is a POST, `update` a PUT, `patch` a PATCH.
        body: What is sent.
        name: The name of the URL; empty on create. Where something is stored, its own name counts.
        namespace: The namespace of the URL, likewise; of no account where the CRD's scope is Cluster.
        subresource: The subresource of the URL; empty for the object itself.
        field_validation: What unknown and duplicate fields do.
        media_type: What the body of a PATCH is.
        resource_version: The resourceVersion that the stored object has; empty where its metadata says it, or nobody counts.
        field_manager: Who manages the fields that are written; empty where the request does not say.
        force: Whether an apply takes over the fields of others; None where the request does not say. Nothing else may say it.
        dry_run: Whether nothing is to be kept; the outcome is the same.
        user: Who asks.
        user_agent: What the client calls itself: who manages the fields, where nobody is named.
        storage_prefix: What stands before the keys of stored objects, which few messages tell; `/registry` in a cluster.
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
    user: str = ""
    user_agent: str = USER_AGENT
    storage_prefix: str = ""


class Making(NamedTuple):
    """
    What a server makes up.

    Attributes:
        now: Returns the time, `2006-01-02T15:04:05Z`.
        uid: Returns a new uid.
        suffix: Returns the five characters at the end of a generated name.
    """

    now: Callable[[], str]
    uid: Callable[[], str]
    suffix: Callable[[], str]


ALWAYS_ALIKE: Final = Making(
    now=lambda: "2000-01-01T00:00:00Z",
    uid=lambda: "00000000-0000-0000-0000-000000000000",
    suffix=lambda: "xxxxx",
)
"""What is made up where nobody looks at it."""


class RequestOutcome:
    """
    What comes of a request.

    What is stored is found out when somebody first asks: most requests are asked for the verdict alone.

    Attributes:
        response: The answer, its object without what a server makes.
        before: What was stored before, without its resourceVersion; None where nothing was.
    """

    def __init__(self, response: Response, before: Resource | None, kept: Callable[[], _Kept] | None = None) -> None:
        """
        Take what comes of it.

        Args:
            response: The answer.
            before: What was stored before.
            kept: Returns what is stored now, and the object of the answer; None where the request is refused.
        """
        self.response = response
        self.before = before
        self._keep = kept

    @cached_property
    def _kept(self) -> _Kept:
        return (self.before, None) if self._keep is None else self._keep()

    @property
    def stored(self) -> Resource | None:
        """
        What is stored now, in the storage version, without a resourceVersion, which belongs to whoever stores it.

        None where nothing is: nothing was created, or the last finalizer of a deleted object is gone.
        """
        return self._kept[0]

    @property
    def resource(self) -> Resource | None:
        """The object of the answer in the version that was asked, without a resourceVersion; None where the request is refused."""
        return self._kept[1]

    @property
    def changed(self) -> bool:
        """Whether something else is stored than before: only then a server writes, and counts a new resourceVersion."""
        return not jsonvalue.equal(self.stored, self.before)


_Kept: TypeAlias = "tuple[Resource | None, Resource | None]"


def without_version(resource: Resource) -> Resource:
    """Return a stored object without its resourceVersion."""
    metadata = resource.get("metadata")
    if not isinstance(metadata, Mapping) or "resourceVersion" not in metadata:
        return resource
    return {**resource, "metadata": {key: value for key, value in metadata.items() if key != "resourceVersion"}}
