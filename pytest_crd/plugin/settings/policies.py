"""Settings of the project's admission policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import pytest

from pytest_crd.plugin.settings import manifestplaces, setting
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.plugin.settings.setting import Setting, SettingKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_crd.checks.policychecks import PolicyScope  # slow to import
    from pytest_crd.engine.api.context import Webhooks  # slow to import

POLICIES: Final = Setting(
    SettingKind.WORDS,
    "Files, folders and globs with the admission policies of the project, their bindings and params; `!pattern` "
    "excludes files, and a folder with a kustomization stands for the files that it lists. Default: no policy is evaluated.",
    setting.paths,
    ini="crd_policies",
    option="--crd-policy",
    replaces="crd_policies and crd_policies_commands",
    placeholder="PATH",
)
POLICY_COMMANDS: Final = Setting(
    SettingKind.LINES,
    "Commands that print admission policies, their bindings and params, one per line. They run without a shell, in the "
    "folder of the ini file.",
    setting.words,
    ini="crd_policies_commands",
    option="--crd-policies-command",
    replaces="crd_policies_commands",
    placeholder="COMMAND",
)
SETTINGS: Final = (POLICIES, POLICY_COMMANDS)

# Returns the admission of the project's policies, then of its webhooks.
AddPolicies: TypeAlias = "Callable[[Webhooks | None], Webhooks]"
# The policies for checks; absent without policies.
CHECKED_POLICIES: Final[pytest.StashKey[PolicyScope]] = pytest.StashKey()
# Absent without policies.
ADD_POLICIES: Final = pytest.StashKey[AddPolicies]()


def read(config: pytest.Config) -> ManifestPlaces | None:
    """Return the places of the policies; None without policies."""
    return manifestplaces.read(config, POLICIES, POLICY_COMMANDS)
