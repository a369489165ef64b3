"""Warning of deprecated versions in each response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_crd import lazyimport
from pytest_crd.engine.crds.declared import CrdSpec, VersionSpec

if TYPE_CHECKING:
    from pytest_crd.engine.crds import versionpriority
else:
    versionpriority = lazyimport.module("pytest_crd.engine.crds.versionpriority")


def warnings(crd: CrdSpec, version: VersionSpec) -> tuple[str, ...]:
    """
    Return the warning about the use of *version*; empty if it is not deprecated.

    Args:
        crd: The CRD.
        version: One of its versions.

    Reference:
        apiextensions-apiserver apiserver/customresource_handler.go, defaultDeprecationWarning.
    """
    if not version.deprecated:
        return ()
    if version.deprecation_warning is not None:
        return (version.deprecation_warning,)
    warning = f"{crd.group}/{version.name} {crd.kind} is deprecated"
    better = [
        candidate.name
        for candidate in crd.versions
        if candidate.served
        and not candidate.deprecated
        and versionpriority.sort_key(version.name) < versionpriority.sort_key(candidate.name)
    ]
    if not better:
        return (warning,)
    return (f"{warning}; use {crd.group}/{max(better, key=versionpriority.sort_key)} {crd.kind}",)
