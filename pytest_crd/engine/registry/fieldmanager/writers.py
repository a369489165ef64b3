"""Inputs and results of field managers."""

from __future__ import annotations

import functools
from typing import Final

from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.registry.response import FieldConflict
from pytest_crd.records import NamedTuple

_MAX_MANAGER: Final = 128


class ApplyRefusedError(Exception):
    """
    A refused apply.

    Attributes:
        refusal: The refusal.
        conflicts: The conflicting fields of other managers.
    """

    def __init__(self, refused: Refusal, conflicts: tuple[FieldConflict, ...] = ()) -> None:
        """Create from a refusal."""
        super().__init__(refused.message)
        self.refusal = refused
        self.conflicts = conflicts


class Writer(NamedTuple):
    """
    The writer of an object.

    Attributes:
        manager: The name of the field manager; may be empty.
        time: The time, as in managed fields.
        subresource: The written subresource; empty for the object itself.
        is_forced: Whether an apply takes fields from other managers.
    """

    manager: str
    time: str
    subresource: str = ""
    is_forced: bool = False


class Applied(NamedTuple):
    """
    The result of an apply.

    Attributes:
        resource: The object.
        is_merged: Whether the apply changed it, so that defaults are filled in.
    """

    resource: JSONObject
    is_merged: bool


@functools.lru_cache(maxsize=64)
def manager_name(field_manager: str, user_agent: str) -> str:
    """
    Return the name of the field manager of a request: *field_manager*, else the first part of the User-Agent.

    Reference:
        apiserver endpoints/handlers/create.go, managerOrUserAgent and prefixFromUserAgent.
    """
    if field_manager:
        return field_manager
    # Go reads each invalid byte as one character.
    agent = printing.replace_bytes(user_agent.partition("/")[0])
    return "".join(filter(printing.is_printable, agent)).encode()[:_MAX_MANAGER].decode(errors="ignore")
