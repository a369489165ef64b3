"""The roles of a session's project, which answer the authorizer in expressions of admission policies."""

from __future__ import annotations

from typing import Final

import pytest

from pytest_crd.discovery import rolefiles
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.server.api import Api
from pytest_crd.server.authorization.authorizer import RoleAuthorizer
from pytest_crd.server.installedroles import InstalledRoles

_AUTHORIZER: Final = pytest.StashKey[RoleAuthorizer]()


def get_authorizer(config: pytest.Config, places: ManifestPlaces) -> RoleAuthorizer:
    """
    Return the authorizer with the roles of the project; they are read once in a session.

    Args:
        config: The session's configuration.
        places: The places of the roles.

    Raises:
        InputError: A place has no role, or a manifest or a command has mistakes.
    """
    if _AUTHORIZER not in config.stash:
        manifests = rolefiles.read(places.paths, places.commands, base=places.base, folder=places.folder)
        api = Api()
        InstalledRoles(api, manifests)
        config.stash[_AUTHORIZER] = api.catalog.authorizer
    return config.stash[_AUTHORIZER]
