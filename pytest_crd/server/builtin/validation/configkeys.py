"""
Keys and sizes of the data of ConfigMaps and Secrets.

Reference:
    apimachinery util/validation, IsConfigMapKey.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, ValidatedWrite

MOST_BYTES: Final = 1024 * 1024
_LONGEST: Final = 253
_PATTERN: Final = "[-._a-zA-Z0-9]+"
_IS_KEY: Final = re.compile(_PATTERN).fullmatch
_WORDS: Final = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
    f" (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '{_PATTERN}')"
)
_LOCKED: Final = "field is immutable when `immutable` is set"


def find_problems(key: str) -> tuple[str, ...]:
    """Return the problems of a key."""
    problems: tuple[str, ...] = (f"must be no more than {_LONGEST} characters",) if len(key.encode()) > _LONGEST else ()
    if not _IS_KEY(key):
        problems += (_WORDS,)
    if key in (".", ".."):
        return (*problems, f"must not be '{key}'")
    return (*problems, "must not start with '..'") if key.startswith("..") else problems


def validate_key(key: str, path: FieldPath) -> list[FieldError]:
    """Return the errors of a key of the map at a path."""
    return [fielderror.invalid(path.key(key), key, problem) for problem in find_problems(key)]


def validate_locked(write: ValidatedWrite, names: Iterable[str], *, of_bytes: str) -> list[FieldError]:
    """
    Return the errors of an update that changes an object with `immutable: true`.

    Args:
        write: The update.
        names: The fields with data.
        of_bytes: The field whose values are bytes.
    """
    new, old = write.new, write.stored
    if not old.get("immutable"):
        return []
    changed = [name for name in names if (new.get(name) or {}) != (old.get(name) or {})]
    if of_bytes not in changed and _is_odd(write.sent.get(of_bytes)):
        changed.append(of_bytes)
    if not new.get("immutable"):
        changed.insert(0, "immutable")
    return [fielderror.forbidden(ROOT.child(name), _LOCKED) for name in changed]


def _is_odd(sent: Any) -> bool:
    """Return whether sent bytes differ for Go from all stored ones: an empty map, or null as bytes."""
    return isinstance(sent, Mapping) and (not sent or None in sent.values())
