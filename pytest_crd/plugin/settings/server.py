"""Settings of the servers of tests: whether a test fails if its server could not validate an object, or dropped a field."""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from pytest_crd.plugin.settings.setting import Setting, SettingEntry, SettingKind, Times

_NOTE, _ERROR = "note", "error"


def _is_error(entry: SettingEntry) -> bool:
    if entry.value not in (_NOTE, _ERROR):
        raise entry.error(f"{entry.value!r}: write {_NOTE} or {_ERROR}")
    return bool(entry.value == _ERROR)


UNVALIDATED: Final = Setting(
    SettingKind.TEXT,
    "What becomes of a test whose `crd_server` stored an object of a kind that it neither validates nor defaults, or answered a"
    " request for a built-in kind with 404 because only a cluster serves it: `note` (if unset), the summary says so, or `error`,"
    " the test fails.",
    _is_error,
    ini="crd_server_unvalidated",
    option="--crd-server-unvalidated",
    default=_NOTE,
    replaces="crd_server_unvalidated",
    times=Times.LAST,
)
UNKNOWN_FIELDS: Final = Setting(
    SettingKind.TEXT,
    "What becomes of a test whose `crd_server` was sent a field that the schema does not know, and has dropped it: `note` (if"
    " unset), the summary says so, or `error`, the test fails.",
    _is_error,
    ini="crd_server_unknown_fields",
    option="--crd-server-unknown-fields",
    default=_NOTE,
    replaces="crd_server_unknown_fields",
    times=Times.LAST,
)
SETTINGS: Final = (UNVALIDATED, UNKNOWN_FIELDS)


class ServerSettings(NamedTuple):
    """
    Values of the settings of the servers of tests.

    Attributes:
        demands_validation: Whether a test fails if its server stored an object without validation.
        demands_known_fields: Whether a test fails if its server dropped a field.
    """

    demands_validation: bool
    demands_known_fields: bool


def read(config: pytest.Config) -> ServerSettings:
    """
    Return the settings of the servers of tests.

    Raises:
        UsageError: A setting has a wrong value.
    """
    return ServerSettings(UNVALIDATED.read_value(config), UNKNOWN_FIELDS.read_value(config))
