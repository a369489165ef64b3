"""The CRDs and versions that a command line names."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_crd import engine
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine.crds import versionpriority
from pytest_crd.engine.publishing.types import OpenAPIVersion

# What keeps CRDs from being found.
ERRORS: Final = (engine.CrdLookupError, engine.InputError, engine.UnknownVersionError)


def add_paths(parser: argparse.ArgumentParser) -> None:
    """Declare `--crd-path`, as `options.crd_path`."""
    parser.add_argument(
        "--crd-path",
        action="append",
        metavar="PATH",
        help="a file, a folder or a glob with CRDs; several; unset: where CRDs usually are in this project, else wherever they are",
    )


def crds(paths: Sequence[str] | None, kubernetes_version: str) -> engine.CustomResourceDefinitions:
    """
    Return the CRDs at *paths*, or those of the project in the current folder.

    Raises:
        InputError: They cannot be read, or there is none.
        UnknownVersionError: No known Kubernetes version.
    """
    if paths:
        return engine.load(paths, kubernetes_version=kubernetes_version)
    return Sources(Path.cwd()).crds(kubernetes_version)


def crd(named: str, paths: Sequence[str] | None, kubernetes_version: str) -> engine.CustomResourceDefinition:
    """
    Return the CRD that *named* means: a file or folder with one, or one of those at *paths* or of the project by a name that it has.

    Raises:
        CrdLookupError: There is none, or several.
        InputError: They cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    if Path(named).exists():
        found = engine.load(named, kubernetes_version=kubernetes_version)
        return found[0] if len(found) == 1 else found[named]
    known = crds(paths, kubernetes_version)
    called = [one for one in known if named.lower() in _names(one)]
    return called[0] if len(called) == 1 else known[named]


def _names(crd: engine.CustomResourceDefinition) -> set[str]:
    """Return what kubectl takes for the resource of a CRD, in lower case."""
    names = crd.declared["spec"].get("names") or {}
    found = [crd.kind, names.get("plural"), names.get("singular"), *(names.get("shortNames") or ())]
    return {str(name).lower() for name in found if name}


def named_version(named: str, paths: Sequence[str] | None, kubernetes_version: str) -> engine.Version:
    """
    Return the version that `CRD` or `CRD/VERSION` means.

    Raises:
        CrdLookupError: There is none.
        InputError: CRDs cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    of_crd, _, name = named.rpartition("/")
    if not of_crd or Path(named).exists():
        of_crd, name = named, ""
    return version(crd(of_crd, paths, kubernetes_version), name)


def version(crd: engine.CustomResourceDefinition, name: str = "") -> engine.Version:
    """
    Return the version *name*; without a name that which the server prefers, as kubectl does.

    Raises:
        CrdLookupError: There is none of that name, or none is served.
    """
    if name:
        return crd.version(name)
    served = [one for one in crd.versions if one.served]
    if not served:
        raise engine.CrdLookupError(f"{crd.name} serves no version")
    return max(served, key=lambda one: versionpriority.of(one.name))


def why_unpublished(version: engine.Version, openapi: OpenAPIVersion) -> str:
    """Return why a server publishes nothing of a version in a form of OpenAPI; empty where it does."""
    crd = version.crd
    answer = crd.first_response
    if not answer.accepted:
        return f"{crd.name} is refused, so that nothing of it is published: {answer.message}"
    if not version.served:
        return f"{crd.name}/{version.name} is not served, so that it is not published"
    if version.openapi(2) is None:
        return f"{crd.name} is not established, so that nothing of it is published"
    if version.openapi(openapi) is None:
        return f"Kubernetes {crd.kubernetes_version} publishes no OpenAPI v{openapi}"
    return ""
