"""
Who manages which fields: the place of the manager of fields in the course of a request.

It is asked once an object is decoded or patched, before it is admitted and validated.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from pytest_crd.engine.golang import printable
from pytest_crd.engine.jsonvalue import JSONObject as Resource


class Writer(NamedTuple):
    """
    Who writes, and how.

    Attributes:
        manager: The field manager that the request names; else what is made of the user agent.
        time: When, as the server prints it.
        subresource: Through which subresource; empty for the object itself.
    """

    manager: str
    time: str
    subresource: str


class FieldManager(Protocol):
    """What keeps track of who manages which fields."""

    def update(self, live: Resource | None, new: Resource, writer: Writer) -> Resource:
        """
        Return *new* with the managed fields that it has once it is written by a POST, a PUT or a PATCH.

        Args:
            live: What is stored, in the version that was asked; None on create.
            new: What is to be stored, decoded and defaulted; not modified. Its own managed fields are those that were sent.
            writer: Who writes it.

        Reference:
            apimachinery util/managedfields/fieldmanager.go, UpdateNoErrors.
        """


class _AsGiven:
    """Keeps the managed fields as they are given."""

    def update(self, _live: Resource | None, new: Resource, _writer: Writer) -> Resource:
        return new


AS_GIVEN: Final[FieldManager] = _AsGiven()
_MAX_MANAGER: Final = 128


def named(field_manager: str, user_agent: str) -> str:
    """
    Return who manages the fields of a request.

    Reference:
        apiserver endpoints/handlers/create.go, managerOrUserAgent and prefixFromUserAgent.
    """
    if field_manager:
        return field_manager
    cut = "".join(filter(printable.is_printable, user_agent.split("/", maxsplit=1)[0])).encode()[:_MAX_MANAGER]
    return cut.decode(errors="ignore")
