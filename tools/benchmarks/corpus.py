"""The corpus: a folder with CRDs and samples of real projects, named by `$CRD_CORPUS`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from oracle.options import UsageError


def folder(named: Path | None = None) -> Path:
    """
    Return *named*, or the folder of the corpus.

    Raises:
        UsageError: Neither *named* nor `$CRD_CORPUS` is set.
    """
    corpus = os.environ.get("CRD_CORPUS")
    if named is None and not corpus:
        raise UsageError("name a folder, or set CRD_CORPUS")
    return named or Path(corpus or "")


def crd_files(named: Sequence[Path]) -> list[Path]:
    """
    Return *named*, or all CRD files of the corpus.

    Raises:
        UsageError: *named* is empty and `$CRD_CORPUS` is not set.
    """
    return list(named) or sorted((folder() / "crds").rglob("*.yaml"))
