"""Settings of the project's admission policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from pytest_crd.plugin.settings import manifestplaces, setting
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.plugin.settings.setting import define

if TYPE_CHECKING:
    from pytest_crd.checks.policychecks import PolicyScope  # slow to import

POLICIES: Final = define("--crd-policy", setting.paths)
POLICY_COMMANDS: Final = define("--crd-policies-command", setting.words)
SETTINGS: Final = (POLICIES, POLICY_COMMANDS)

# The policies for checks; absent without policies.
CHECKED_POLICIES: Final[pytest.StashKey[PolicyScope]] = pytest.StashKey()


def read(config: pytest.Config) -> ManifestPlaces | None:
    """Return the places of the policies; None without policies."""
    return manifestplaces.read(config, POLICIES, POLICY_COMMANDS)
