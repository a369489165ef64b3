"""Settings of the servers of tests: roles, controllers, and failures for unvalidated objects or dropped fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import pytest

from pytest_crd.plugin.settings import manifestplaces, setting
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.plugin.settings.setting import SettingEntry, define

_NOTE, _ERROR = "note", "error"


def _is_error(entry: SettingEntry) -> bool:
    if entry.value not in (_NOTE, _ERROR):
        raise entry.error(f"{entry.value!r}: write {_NOTE} or {_ERROR}")
    return bool(entry.value == _ERROR)


# The plugins that a server can have besides webhooks and policies.
_PLUGINS: Final = ("OwnerReferencesPermissionEnforcement",)


def _admission_plugins(entry: SettingEntry) -> tuple[str, ...]:
    names = tuple(setting.words(entry))
    if problem := find_unknown_plugin(names):
        raise entry.error(problem)
    return names


def find_unknown_plugin(names: Iterable[str]) -> str:
    """Return the problem with the first plugin that is not imitated; empty if all are."""
    return next(
        (f"{name!r} is not imitated; there is {', '.join(_PLUGINS)}" for name in names if name not in _PLUGINS), ""
    )


UNVALIDATED: Final = define("--crd-server-unvalidated", _is_error, default=_NOTE)
UNKNOWN_FIELDS: Final = define("--crd-server-unknown-fields", _is_error, default=_NOTE)
SERVICE_ACCOUNTS: Final = define("--crd-server-service-accounts", setting.switch)
GARBAGE_COLLECTION: Final = define("--crd-server-garbage-collection", setting.switch)
WORKLOADS: Final = define("--crd-server-workloads", setting.switch)
RBAC: Final = define("--crd-server-rbac", setting.paths)
RBAC_COMMANDS: Final = define("--crd-server-rbac-command", setting.words)
ADMISSION_PLUGINS: Final = define("--crd-server-admission-plugin", _admission_plugins)
SETTINGS: Final = (
    *(RBAC, RBAC_COMMANDS, UNVALIDATED, UNKNOWN_FIELDS, SERVICE_ACCOUNTS),
    *(ADMISSION_PLUGINS, GARBAGE_COLLECTION, WORKLOADS),
)


class ServerSettings(NamedTuple):
    """
    Values of the settings of the servers of tests.

    Attributes:
        demands_validation: Whether a test fails if its server stored an object without validation.
        demands_known_fields: Whether a test fails if its server dropped a field.
        roles: The roles of servers; None if servers have none but those of a new cluster.
    """

    demands_validation: bool
    demands_known_fields: bool
    roles: ManifestPlaces | None = None


def read(config: pytest.Config) -> ServerSettings:
    """
    Return the settings of the servers of tests.

    Raises:
        UsageError: A setting has a wrong value.
    """
    return ServerSettings(
        UNVALIDATED.read_value(config),
        UNKNOWN_FIELDS.read_value(config),
        manifestplaces.read(config, RBAC, RBAC_COMMANDS),
    )
