"""Settings of the servers of tests: roles, controllers, and failures for unvalidated objects or dropped fields."""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from pytest_crd.plugin.settings import manifestplaces, setting
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.plugin.settings.setting import Setting, SettingEntry, SettingKind, Times

_NOTE, _ERROR = "note", "error"


def _is_error(entry: SettingEntry) -> bool:
    if entry.value not in (_NOTE, _ERROR):
        raise entry.error(f"{entry.value!r}: write {_NOTE} or {_ERROR}")
    return bool(entry.value == _ERROR)


UNVALIDATED: Final = Setting(
    SettingKind.TEXT,
    "The result of a test whose `crd_server` stored an object of a built-in kind without "
    "validation, or answered a request for another built-in kind with 404: `note` (default) adds a line to the "
    "summary, `error` fails the test.",
    _is_error,
    ini="crd_server_unvalidated",
    option="--crd-server-unvalidated",
    default=_NOTE,
    replaces="crd_server_unvalidated",
    times=Times.LAST,
)
UNKNOWN_FIELDS: Final = Setting(
    SettingKind.TEXT,
    "The result of a test whose `crd_server` dropped an unknown field: `note` (default) adds a line to the "
    "summary, `error` fails the test.",
    _is_error,
    ini="crd_server_unknown_fields",
    option="--crd-server-unknown-fields",
    default=_NOTE,
    replaces="crd_server_unknown_fields",
    times=Times.LAST,
)
SERVICE_ACCOUNTS: Final = Setting(
    SettingKind.SWITCH,
    "Create the ServiceAccount `default` in each namespace of a `crd_server`, as kube-controller-manager does.",
    setting.switch,
    ini="crd_server_service_accounts",
    option="--crd-server-service-accounts",
)
GARBAGE_COLLECTION: Final = Setting(
    SettingKind.SWITCH,
    "Delete the objects of a `crd_server` whose owners are gone, as kube-controller-manager does.",
    setting.switch,
    ini="crd_server_garbage_collection",
    option="--crd-server-garbage-collection",
)
RBAC: Final = Setting(
    SettingKind.WORDS,
    "Files, folders and globs with the Roles, ClusterRoles and bindings of `crd_server`; `!pattern` excludes files, and a "
    "folder with a kustomization stands for the files that it lists. Default: no roles but those of a new cluster.",
    setting.paths,
    ini="crd_server_rbac",
    option="--crd-server-rbac",
    replaces="crd_server_rbac and crd_server_rbac_commands",
    placeholder="PATH",
)
RBAC_COMMANDS: Final = Setting(
    SettingKind.LINES,
    "Commands that print the roles and bindings of `crd_server`, one per line. They run without a shell, in the folder of "
    "the ini file.",
    setting.words,
    ini="crd_server_rbac_commands",
    option="--crd-server-rbac-command",
    replaces="crd_server_rbac_commands",
    placeholder="COMMAND",
)
SETTINGS: Final = (RBAC, RBAC_COMMANDS, UNVALIDATED, UNKNOWN_FIELDS, SERVICE_ACCOUNTS, GARBAGE_COLLECTION)


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
