"""Values that a server generates: times, uids and suffixes of generated names."""

from __future__ import annotations

import functools
import random
import uuid
from collections.abc import Callable
from typing import Final

from pytest_crd.engine.registry.request import GeneratedValues
from pytest_crd.server import clock

# Not the generator of Python's module, which tests seed and hypothesis watches.
_RANDOM: Final = random.SystemRandom()
_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"


def of_request(is_free: Callable[[str], bool]) -> GeneratedValues:
    """Return the generated values of one request; *is_free* returns whether no stored object has a name with a suffix."""

    @functools.cache
    def suffix() -> str:  # only creates need it, and it stays the same within a request
        return next(filter(is_free, iter(_suffix, "")))

    return GeneratedValues(now, uid, suffix)


def uid() -> str:
    """Return a new uid."""
    return str(uuid.uuid4())


def now() -> str:
    """Return the time of the server in the format of servers, in seconds."""
    return clock.timestamp()


def _suffix() -> str:
    return "".join(_RANDOM.choices(_LETTERS, k=5))
