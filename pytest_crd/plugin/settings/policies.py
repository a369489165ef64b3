"""Settings of the project's admission policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import pytest

from pytest_crd.plugin.settings import manifestplaces, setting
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.plugin.settings.setting import define

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_crd.checks.policychecks import PolicyScope  # slow to import
    from pytest_crd.engine.api.context import Webhooks  # slow to import

POLICIES: Final = define("--crd-policy", setting.paths)
POLICY_COMMANDS: Final = define("--crd-policies-command", setting.words)
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
