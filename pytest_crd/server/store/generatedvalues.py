"""What a server makes up: times, uids, and the ends of generated names."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from pytest_crd.engine.registry.request import Making

_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"


def of_request(is_free: Callable[[str], bool]) -> Making:
    """Return what is made up for one request: *is_free* says whether no stored object has a generated name with such an end."""
    suffix = _suffix()
    while not is_free(suffix):
        suffix = _suffix()
    return Making(now, uid, lambda: suffix)


def uid() -> str:
    """Return a new uid."""
    return str(uuid.uuid4())


def now() -> str:
    """Return the time as servers write it, in seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _suffix() -> str:
    return "".join(random.choices(_LETTERS, k=5))  # noqa: S311 - a name, no secret
