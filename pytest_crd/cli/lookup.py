"""The CRDs and versions that a command line names."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_crd import engine
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine.crds import versionpriority
from pytest_crd.engine.openapi.commontypes import OpenAPIVersion

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


def add_crds(parser: argparse.ArgumentParser) -> None:
    """Declare `[CRD ...]`, as `options.crds`, and `--crd-path`."""
    parser.add_argument(
        "crds",
        nargs="*",
        metavar="CRD",
        help="the name, kind or a short name of a CRD, or a file, a folder or a glob with CRDs; unset: all that there are",
    )
    add_paths(parser)


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


def named_crds(
    named: Sequence[str], paths: Sequence[str] | None, kubernetes_version: str
) -> engine.CustomResourceDefinitions:
    """
    Return the CRDs that *named* mean: all in the files, and those of the names; without any, all that there are.

    Raises:
        CrdLookupError: A name is of none, or of several.
        InputError: They cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    if not named:
        return crds(paths, kubernetes_version)
    files = [one for one in named if "/" in one or _is_path(one)]
    found = engine.load(files, kubernetes_version=kubernetes_version) if files else engine.CustomResourceDefinitions([])
    if len(files) == len(named):
        return found
    known = crds(paths, kubernetes_version)
    return engine.CustomResourceDefinitions([*found, *(known[one] for one in named if one not in files)])


def _is_path(named: str) -> bool:
    """Return whether files are meant, though they may not be there: no name of a CRD looks so."""
    is_like_one = any(one in named for one in "\\*?[") or named.endswith((".yaml", ".yml", ".json"))
    return is_like_one or bool(named and Path(named).exists())


def crd(named: str, paths: Sequence[str] | None, kubernetes_version: str) -> engine.CustomResourceDefinition:
    """
    Return the CRD that *named* means: a file or folder with one, or one of those at *paths* or of the project by a name that it has.

    Raises:
        CrdLookupError: There is none, or several.
        InputError: They cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    if _is_path(named):
        found = engine.load(named, kubernetes_version=kubernetes_version)
        return found[0] if len(found) == 1 else found[named]
    return crds(paths, kubernetes_version)[named]


def crd_and_version(
    named: str, paths: Sequence[str] | None, kubernetes_version: str
) -> tuple[engine.CustomResourceDefinition, str]:
    """
    Return the CRD that `CRD` or `CRD/VERSION` means, and the name of the version; empty without one.

    Raises:
        CrdLookupError: There is none.
        InputError: CRDs cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    of_crd, _, name = named.rpartition("/")
    if not of_crd or _is_path(named):
        of_crd, name = named, ""
    return crd(of_crd, paths, kubernetes_version), name


def named_version(named: str, paths: Sequence[str] | None, kubernetes_version: str) -> engine.Version:
    """
    Return the version that `CRD` or `CRD/VERSION` means.

    Raises:
        CrdLookupError: There is none.
        InputError: CRDs cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    return version(*crd_and_version(named, paths, kubernetes_version))


def explained(named: str, paths: Sequence[str] | None, kubernetes_version: str) -> tuple[engine.Version, str]:
    """
    Return the version that is meant, and the field: of `backup.spec.days`, as much as there is a CRD of that name is the name.

    Raises:
        CrdLookupError: There is no CRD, or no version.
        InputError: CRDs cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    if _is_path(named.rpartition("/")[0]) or _is_path(named):
        return named_version(named, paths, kubernetes_version), ""
    known = crds(paths, kubernetes_version)
    of_crd, _, rest = named.partition("/")
    if rest:
        name, _, field = rest.partition(".")
        return version(known[of_crd], name), field
    steps = of_crd.split(".")
    for count in range(len(steps), 1, -1):
        try:
            found = known[".".join(steps[:count])]
        except engine.CrdLookupError:
            continue
        return version(found), ".".join(steps[count:])
    return version(known[steps[0]]), ".".join(steps[1:])


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
