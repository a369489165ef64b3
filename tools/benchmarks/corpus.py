"""The folder with what real projects ship, where `$CRD_CORPUS` names one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from oracle.options import UsageError


def folder(named: Path | None = None) -> Path:
    """
    Return the folder that is named, or the corpus.

    Raises:
        UsageError: There is none.
    """
    corpus = os.environ.get("CRD_CORPUS")
    if named is None and not corpus:
        raise UsageError("name a folder, or set CRD_CORPUS")
    return named or Path(corpus or "")


def crd_files(named: Sequence[Path]) -> list[Path]:
    """
    Return the files that are named, or those of the corpus with CRDs.

    Raises:
        UsageError: There are none.
    """
    return list(named) or sorted((folder() / "crds").rglob("*.yaml"))
