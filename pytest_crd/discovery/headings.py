"""
CRDs without their schemas, for questions about names and versions: the rest of a CRD is read a hundred times faster.

A file is read in full if it cannot be parsed, so that its mistake is reported, and if a kustomization changes its CRDs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pytest_crd import lazyre
from pytest_crd.engine.inputerror import CrdError
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin, ReadCrd, Remark
from pytest_crd.engine.yaml import parser

# A schema in block style, with all lines that are indented below it, and blank lines and comments between them.
_SCHEMA: Final = lazyre.compile(
    rb"^( *)openAPIV3Schema:[ \t\r]*\n(?:(?:\1 [^\n]*|[ \t\r]*| *#[^\n]*)\n)*+(?:\1 [^\n]*\Z)?", re.MULTILINE
)


def without_schemas(content: bytes) -> bytes:
    """Return YAML with an empty mapping for each `openAPIV3Schema` in block style; the lines keep their numbers."""
    return _SCHEMA.sub(lambda match: match[1] + b"openAPIV3Schema: {}" + b"\n" * match[0].count(b"\n"), content)


class HeadingFiles(CrdFiles):
    """
    CRDs of files, without their schemas; `read_whole` adds the schemas of one CRD.

    Attributes:
        whole_notes: The notes about the CRDs that were read in full.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        """Create it as `CrdFiles`."""
        super().__init__(*arguments, **keywords)
        self.whole_notes: list[Remark] = []
        self._readers: dict[str, Callable[[CrdFiles], None]] = {}

    def take(
        self, content: bytes, *, source: str, origin: FileOrigin, path: Path | None = None, name: str = ""
    ) -> None:
        """Read the CRDs of a text, without schemas if the whole text can be parsed."""

        def take(files: CrdFiles, text: bytes = content) -> None:
            CrdFiles.take(files, text, source=source, origin=origin, path=path, name=name)

        heading = content if self._is_kustomized(name) else without_schemas(content)
        if heading != content and parser.is_parsable(content):
            counts = len(self.read_crds), len(self.mistakes), len(self.notes)
            take(self, heading)
            if len(self.mistakes) == counts[1]:
                self._readers |= {read.crd.source: take for read in self.read_crds[counts[0] :]}
                return
            del self.read_crds[counts[0] :], self.mistakes[counts[1] :], self.notes[counts[2] :]
        take(self)

    def read_namesakes(self) -> None:
        """Read the schemas of CRDs that share a name: only they tell a copy from an alternative."""
        counts = Counter(crd.name for crd in self.crds)
        for index, read in enumerate(self.read_crds):
            if counts[read.crd.name] > 1:
                try:
                    self.read_crds[index] = self.read_whole(read.crd.source)
                    self._readers.pop(read.crd.source, None)
                except CrdError as error:
                    self.mistakes += error.mistakes

    def read_whole(self, source: str) -> ReadCrd:
        """
        Return the CRD at *source* with its schemas.

        Raises:
            CrdError: The server cannot decode it.
        """
        read = next(read for read in self.read_crds if read.crd.source == source)
        take = self._readers.get(source)
        if take is None:
            return read
        files = CrdFiles(self.kubernetes_version, self.observer, kustomizations=self.kustomizations)
        take(files)
        files.raise_mistakes()
        self.whole_notes += files.notes
        return next(whole.ranked(read.rank) for whole in files.read_crds if whole.crd.source == source)

    def _is_kustomized(self, name: str) -> bool:
        return bool(name and self.kustomizations is not None and self.kustomizations.applies_to(name))
