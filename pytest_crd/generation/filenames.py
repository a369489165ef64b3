"""The default version of a case file, and the name of the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_crd import folders
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.generation.scope import NothingToStateError


def usual_version(crd: CustomResourceDefinition) -> CrdVersion:
    """
    Return the default version of a case file: the storage version if served, else the first served version.

    Raises:
        NothingToStateError: No version is served.
    """
    served = [version for version in crd.versions if version.served]
    if not served:
        raise NothingToStateError(f"{crd.name} serves no version")
    return next((version for version in served if version.storage), served[0])


def folder(base: Path, testpaths: Sequence[str]) -> Path | None:
    """Return the folder of case files: the first of *testpaths* that exists, else `tests`; None if that does not exist either."""
    matches = (folders.glob_paths(pattern, base) for pattern in (*testpaths, "tests"))
    return next((base / path for paths in matches for path in paths if (base / path).is_dir()), None)


def file_name(version: CrdVersion, crds: Iterable[CustomResourceDefinition]) -> str:
    """
    Return `test_<plural>.crd.yaml`, with the group if the plural is ambiguous, and with a version that is not the storage version.

    Args:
        version: The version of the file.
        crds: All CRDs of the project.
    """
    crd = version.crd
    plural = crd.name.partition(".")[0]
    is_ambiguous = any(rival.name.partition(".")[0] == plural and rival.group != crd.group for rival in crds)
    parts = [plural, *([crd.group] if is_ambiguous else []), *([] if version.storage else [version.name])]
    return f"test_{'.'.join(parts)}.crd.yaml"
