"""Kubernetes versions of the server: those with recorded conversations of kube-apiserver, and previews."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine import profile

VERSIONS: Final = ("1.34", "1.35", "1.36", "1.37", "1.38")


def find_served(version: object) -> str:
    """
    Return the name of a served Kubernetes version.

    Args:
        version: `"1.37"`, or `v1.37.2` with a leading `v` and a patch release.

    Raises:
        UnknownVersionError: *version* is unknown, or the server does not answer as this version.
    """
    name = profile.named(version).version
    if name not in VERSIONS:
        message = f"no server answers as Kubernetes {name}; write one of {profile.list_versions(VERSIONS)}"
        raise profile.UnknownVersionError(message)
    return name
