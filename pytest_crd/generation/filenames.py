"""Which version of a CRD a case file is about that names none, and what the file is called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_crd import folders
from pytest_crd.engine import CustomResourceDefinition, Version
from pytest_crd.generation.scope import NothingToStateError


def usual_version(crd: CustomResourceDefinition) -> Version:
    """
    Return the version that a case file is about: the one that is stored, else one that is served.

    Raises:
        NothingToStateError: None is served.
    """
    served = [version for version in crd.versions if version.served]
    if not served:
        raise NothingToStateError(f"{crd.name} serves no version")
    return next((version for version in served if version.storage), served[0])


def folder(base: Path, testpaths: Sequence[str]) -> Path | None:
    """Return where case files go: the first of testpaths that is there, else `tests`; None where that is not there either."""
    matches = (folders.glob_paths(pattern, base) for pattern in (*testpaths, "tests"))
    return next((base / path for paths in matches for path in paths if (base / path).is_dir()), None)


def file_name(version: Version, crds: Iterable[CustomResourceDefinition]) -> str:
    """
    Return `test_<plural>.crd.yaml`, with what tells it from the files of others: a group, a version that is not stored.

    Args:
        version: What the file is about.
        crds: All CRDs of the project.
    """
    crd = version.crd
    plural = crd.name.partition(".")[0]
    is_shared = any(other.name.partition(".")[0] == plural and other.group != crd.group for other in crds)
    parts = [plural, *([crd.group] if is_shared else []), *([] if version.storage else [version.name])]
    return f"test_{'.'.join(parts)}.crd.yaml"
