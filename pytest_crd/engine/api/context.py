"""The context of a CRD, which its manifest does not tell: where it is written, what became of its names, its guard and observer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pytest_crd.engine import observer
from pytest_crd.engine.crds import nameconflicts
from pytest_crd.engine.crds.nameconflicts import Naming
from pytest_crd.engine.errors.failedrule import Locate
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.yaml.manifest import Manifest

# Called with a `CustomResourceDefinition`.
Guard: TypeAlias = Callable[[Any], None]


class WrittenCrd(NamedTuple):
    """
    Where a CRD is written.

    Attributes:
        manifest: What was read.
        path: The file; None where a command has printed it.
    """

    manifest: Manifest
    path: Path | None


class CrdContext(NamedTuple):
    """
    What a CRD is handed beside its manifest.

    Attributes:
        source: Where the manifest stands, `file:line`; empty where it was not read from a file.
        locate: Gives `file:line` of what stands at a path in the manifest, with the offset of a character of a text
            `file:line:column`; None where it was not read from a file.
        written: What was read, and where; None where it was not read, or was altered since.
        guard: Called with the CRD before each answer about its custom resources, to raise where there is none to give;
            None where every question is answered.
        naming: What became of its names.
        observer: What is told of requests for its custom resources.
    """

    source: str = ""
    locate: Locate | None = None
    written: WrittenCrd | None = None
    guard: Guard | None = None
    naming: Naming = nameconflicts.NO_CONFLICTS
    observer: Observer = observer.OF_PROCESS

    def __reduce__(self) -> tuple[type[CrdContext], tuple[Any, ...]]:
        """Return what goes with the CRD to another process: no file, and nobody who listens here."""
        return CrdContext, tuple(self._replace(locate=None, written=None))
