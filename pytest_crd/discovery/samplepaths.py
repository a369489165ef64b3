"""The paths of a project's samples: custom resources that show its users what to write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_crd.engine.text import manifest
from pytest_crd.engine.text.manifest import ManifestFile

FOLDERS: Final = ("config/samples", "examples", "samples")


def patterns(given: Sequence[str]) -> tuple[str, ...]:
    """Return what names samples: what is *given*, or the usual folders where that only leaves some out."""
    return (*(FOLDERS if _only_leaves_out(given) else ()), *given)


def files(given: Sequence[str], *, folder: Path) -> list[ManifestFile]:
    """
    Return the files that may hold samples.

    Args:
        given: Files, folders, globs, and `!pattern` for what is left out; where all are that, of the usual folders.
        folder: What they are relative to.

    Raises:
        ManifestError: A pattern names nothing that exists, or leaves out nothing.
    """
    if _only_leaves_out(given):
        usual = [name for name in FOLDERS if any(manifest.below(folder / name))]
        return manifest.files([*usual, *given], base=folder) if usual or given else []
    return manifest.files(given, base=folder)


def _only_leaves_out(given: Sequence[str]) -> bool:
    return all(pattern.startswith(manifest.LEFT_OUT) for pattern in given)
