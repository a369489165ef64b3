"""Values that a server generates: times, uids and suffixes of generated names."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from typing import Final

from pytest_crd.engine.registry.request import GeneratedValues
from pytest_crd.server import clock

_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"


def of_request(is_free: Callable[[str], bool]) -> GeneratedValues:
    """Return the generated values of one request; *is_free* returns whether no stored object has a name with a suffix."""
    suffix = _suffix()
    while not is_free(suffix):
        suffix = _suffix()
    return GeneratedValues(now, uid, lambda: suffix)


def uid() -> str:
    """Return a new uid."""
    return str(uuid.uuid4())


def now() -> str:
    """Return the time of the server in the format of servers, in seconds."""
    return clock.timestamp()


def _suffix() -> str:
    return "".join(random.choices(_LETTERS, k=5))  # noqa: S311 - a name, no secret
