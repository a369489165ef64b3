"""Names of files for readers of a repository: relative to its root, with forward slashes."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path

from pytest_crd.report.testfacts import Cause, FilePlace, Verdict


@dataclass(frozen=True)
class Roots:
    """
    The folders that names of files are relative to.

    Attributes:
        folders: Names become relative to the first of these folders that contains the file.
        bases: Names in causes are relative to the first of these folders with such a file.
    """

    folders: tuple[Path, ...]
    bases: tuple[Path, ...]

    def place_of(self, cause: Cause, verdict: Verdict) -> FilePlace:
        """Return the place of a cause if that is in a file of the repository, else the place of the test."""
        place = None if cause.place is None else self.find_in_repository(cause.place)
        return place or self.name_place(verdict.place)

    def find_in_repository(self, place: FilePlace) -> FilePlace | None:
        """Return a place with the repository's name of its file; None if the file is not in the repository."""
        name = self._names(place.path)
        return None if name is None else place._replace(path=name)

    def name_place(self, place: FilePlace) -> FilePlace:
        """Return a place with the repository's name of its file, or its own name if the file is not in the repository."""
        return self.find_in_repository(place) or place._replace(path=Path(place.path).as_posix())

    @functools.cached_property
    def _names(self) -> functools._lru_cache_wrapper[str | None]:
        return functools.lru_cache(maxsize=None)(self._name)

    def _name(self, path: str) -> str | None:
        file_path = next((file for base in self.bases if (file := base / path).is_file()), None)
        if file_path is None:
            return None
        whole = Path(os.path.abspath(file_path))  # noqa: PTH100 - links stay links
        for candidate in (whole, whole.resolve()):
            for folder in self.folders:
                for top in (folder, folder.resolve()):
                    if candidate.is_relative_to(top):
                        return candidate.relative_to(top).as_posix()
        return None
