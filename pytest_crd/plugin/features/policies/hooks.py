"""Hooks of a session with admission policies: its header, and the policies for requests."""

from __future__ import annotations

import functools

import pytest

from pytest_crd.plugin import projectpolicies, session
from pytest_crd.plugin.session import Part
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.plugin.settings.policies import ADD_POLICIES, AddPolicies


class Hooks:
    """Lets requests of cases ask the policies of the settings."""

    def __init__(self, config: pytest.Config, places: ManifestPlaces) -> None:
        """Take the places of the policies; they are read when the first request needs them."""
        add: AddPolicies = functools.partial(projectpolicies.add, config, places)
        config.stash[ADD_POLICIES] = add
        names = " ".join((*places.paths, *(f"`{command}`" for command in places.commands)))
        session.add_part(config, lambda: Part(words=f"admission policies from {names}"))
