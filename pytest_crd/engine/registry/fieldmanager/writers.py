"""Who writes an object and what comes of it, as requests and field managers tell each other."""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printable, printing
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.registry.response import FieldConflict

_MAX_MANAGER: Final = 128


class ApplyRefusedError(Exception):
    """
    An apply is refused before anything else is looked at.

    Attributes:
        refusal: How.
        conflicts: What others own of it.
    """

    def __init__(self, refused: Refusal, conflicts: tuple[FieldConflict, ...] = ()) -> None:
        """Take how it is refused."""
        super().__init__(refused.message)
        self.refusal = refused
        self.conflicts = conflicts


class Writer(NamedTuple):
    """
    Who writes, and how.

    Attributes:
        manager: What the writer calls itself; may be empty.
        time: When, as managed fields state it.
        subresource: Through which subresource; empty for the object itself.
        is_forced: Whether an apply takes from others what they own.
    """

    manager: str
    time: str
    subresource: str = ""
    is_forced: bool = False


class Applied(NamedTuple):
    """
    What comes of an apply.

    Attributes:
        resource: The object.
        is_merged: Whether what is applied changes it: then defaults are put in.
    """

    resource: JSONObject
    is_merged: bool


@functools.lru_cache(maxsize=64)
def named(field_manager: str, user_agent: str) -> str:
    """
    Return who manages the fields of a request.

    Reference:
        apiserver endpoints/handlers/create.go, managerOrUserAgent and prefixFromUserAgent.
    """
    if field_manager:
        return field_manager
    # Go reads each byte that is no UTF-8 as a character of its own.
    agent = printing.replace_bytes(user_agent.partition("/")[0])
    return "".join(filter(printable.is_printable, agent)).encode()[:_MAX_MANAGER].decode(errors="ignore")
