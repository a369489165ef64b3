"""Look-up of the CRDs and versions that a command line names."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from pytest_crd import engine
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import profile
from pytest_crd.engine.crds import versionpriority
from pytest_crd.engine.openapi.commontypes import OpenAPIVersion

# Errors of a failed look-up.
ERRORS: Final = (engine.CrdLookupError, engine.InputError, engine.UnknownVersionError)


def add_paths(parser: argparse.ArgumentParser) -> None:
    """Declare `--crd-path`, stored as `options.crd_path`."""
    parser.add_argument(
        "--crd-path",
        action="append",
        metavar="PATH",
        help=(
            "a file, a folder or a glob with CRDs; may be given several times; default: the usual places of the "
            "project, else the whole project"
        ),
    )


def add_crds(parser: argparse.ArgumentParser) -> None:
    """Declare `[CRD ...]`, stored as `options.crds`, and `--crd-path`."""
    parser.add_argument(
        "crds",
        nargs="*",
        metavar="CRD",
        help="CRDs (name, kind or short name), or files, folders or globs with CRDs; default: all",
    )
    add_paths(parser)


def add_version(parser: argparse.ArgumentParser, *, default: str = "the server's preferred one") -> None:
    """Declare `CRD[/VERSION]`, stored as `options.crd`, and `--crd-path`; the help names the *default* of the version."""
    parser.add_argument(
        "crd",
        metavar="CRD[/VERSION]",
        help=f"a CRD (name, kind, short name or file), and a version; default: {default}",
    )
    add_paths(parser)


def crds(paths: Sequence[str] | None, kubernetes_version: str) -> engine.CustomResourceDefinitions:
    """
    Return the CRDs at *paths*, or those of the project in the current folder.

    Raises:
        InputError: The CRDs cannot be read, or there are none.
        UnknownVersionError: No known Kubernetes version.
    """
    if paths:
        return engine.load(paths, kubernetes_version=kubernetes_version)
    return Sources(Path.cwd()).crds(kubernetes_version)


def named_crds(
    named: Sequence[str], paths: Sequence[str] | None, kubernetes_version: str
) -> engine.CustomResourceDefinitions:
    """
    Return the CRDs that *named* refers to: those in the files, and those with the names; if empty, all CRDs.

    Raises:
        CrdLookupError: A name matches no CRD, or several.
        InputError: The CRDs cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    if not named:
        return crds(paths, kubernetes_version)
    files = [item for item in named if "/" in item or _is_path(item)]
    loaded = (
        engine.load(files, kubernetes_version=kubernetes_version) if files else engine.CustomResourceDefinitions([])
    )
    if len(files) == len(named):
        return loaded
    named_in_project = crds(paths, kubernetes_version)
    return engine.CustomResourceDefinitions([*loaded, *(named_in_project[item] for item in named if item not in files)])


def _is_path(named: str) -> bool:
    """Return True if *named* is an existing path, a glob, or a name that ends like a YAML or JSON file."""
    is_like_one = any(char in named for char in "\\*?[") or named.endswith((".yaml", ".yml", ".json"))
    return is_like_one or bool(named and Path(named).exists())


def crd(named: str, paths: Sequence[str] | None, kubernetes_version: str) -> engine.CustomResourceDefinition:
    """
    Return the CRD that *named* refers to: a file or folder with one CRD, or a name among the CRDs at *paths* or of the project.

    Raises:
        CrdLookupError: There is no such CRD, or there are several.
        InputError: The CRDs cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    if _is_path(named):
        loaded = engine.load(named, kubernetes_version=kubernetes_version)
        return loaded[0] if len(loaded) == 1 else loaded[named]
    return crds(paths, kubernetes_version)[named]


def crd_and_version(
    named: str, paths: Sequence[str] | None, kubernetes_version: str
) -> tuple[engine.CustomResourceDefinition, str]:
    """
    Return the CRD of `CRD` or `CRD/VERSION`, and the name of the version; empty without a version.

    Raises:
        CrdLookupError: There is no such CRD.
        InputError: CRDs cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    of_crd, _, name = named.rpartition("/")
    if not of_crd or _is_path(named):
        of_crd, name = named, ""
    return crd(of_crd, paths, kubernetes_version), name


def named_version(named: str, paths: Sequence[str] | None, kubernetes_version: str) -> engine.CrdVersion:
    """
    Return the version of `CRD` or `CRD/VERSION`.

    Raises:
        CrdLookupError: There is no such CRD.
        InputError: CRDs cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    return version(*crd_and_version(named, paths, kubernetes_version))


def find_explained(named: str, paths: Sequence[str] | None, kubernetes_version: str) -> tuple[engine.CrdVersion, str]:
    """
    Return the version and the field of a name such as `backup.spec.days`; the longest name of a CRD at its beginning counts.

    Raises:
        CrdLookupError: There is no CRD, or no version.
        InputError: CRDs cannot be read.
        UnknownVersionError: No known Kubernetes version.
    """
    if _is_path(named.rpartition("/")[0]) or _is_path(named):
        return named_version(named, paths, kubernetes_version), ""
    all_crds = crds(paths, kubernetes_version)
    of_crd, _, rest = named.partition("/")
    if rest:
        name, _, field = rest.partition(".")
        return version(all_crds[of_crd], name), field
    steps = of_crd.split(".")
    for count in range(len(steps), 1, -1):
        try:
            named_crd = all_crds[".".join(steps[:count])]
        except engine.CrdLookupError:
            continue
        return version(named_crd), ".".join(steps[count:])
    return version(all_crds[steps[0]]), ".".join(steps[1:])


def version(crd: engine.CustomResourceDefinition, name: str = "") -> engine.CrdVersion:
    """
    Return the version *name*, or without a name the one that the server prefers, as kubectl does.

    Raises:
        CrdLookupError: There is no version of that name, or none is served.
    """
    if name:
        return crd.version(name)
    served = [item for item in crd.versions if item.served]
    if not served:
        raise engine.CrdLookupError(f"{crd.name} serves no version")
    return max(served, key=lambda item: versionpriority.sort_key(item.name))


def why_unpublished(version: engine.CrdVersion, openapi: OpenAPIVersion) -> str:
    """Return the reason why a server does not publish a version in a form of OpenAPI; empty if it does."""
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


def add_kubernetes_version(
    parser: argparse.ArgumentParser,
    *,
    default: str | None = profile.DEFAULT,
    versions: Collection[str] = profile.KNOWN,
    also: str = "",
) -> None:
    """Declare `--kubernetes-version`, stored as `options.kubernetes_version`; the help names *versions*, and ends in *also*."""
    parser.add_argument(
        "--kubernetes-version",
        default=default,
        metavar="VERSION",
        help=f"the Kubernetes version of the answers: {profile.list_versions(versions)}; default: {profile.DEFAULT}{also}",
    )
