"""The names of files as readers of a repository have them: relative to its root, with forward slashes."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path

from pytest_crd.report.testfacts import Cause, FilePlace, Verdict


@dataclass(frozen=True)
class Roots:
    """
    What names of files are relative to.

    Attributes:
        folders: To what they are made relative: to the first of these that holds the file.
        bases: To what those are relative that somebody has written: to the first of these where there is such a file.
    """

    folders: tuple[Path, ...]
    bases: tuple[Path, ...]

    def place_of(self, cause: Cause, verdict: Verdict) -> FilePlace:
        """Return the place that a cause speaks of, where that is a file of the repository; else that of the test."""
        known = None if cause.place is None else self.known(cause.place)
        return known or self.named(verdict.place)

    def known(self, place: FilePlace) -> FilePlace | None:
        """Return a place in a file of the repository, under its name there; None where it is in no such file."""
        name = self._names(place.path)
        return None if name is None else place._replace(path=name)

    def named(self, place: FilePlace) -> FilePlace:
        """Return a place under the name of the repository for its file; under its own where it is in no such file."""
        return self.known(place) or place._replace(path=Path(place.path).as_posix())

    @functools.cached_property
    def _names(self) -> functools._lru_cache_wrapper[str | None]:
        return functools.lru_cache(maxsize=None)(self._name)

    def _name(self, path: str) -> str | None:
        found = next((file for base in self.bases if (file := base / path).is_file()), None)
        if found is None:
            return None
        whole = Path(os.path.abspath(found))  # noqa: PTH100 - links stay links
        for one in (whole, whole.resolve()):
            for folder in self.folders:
                for top in (folder, folder.resolve()):
                    if one.is_relative_to(top):
                        return one.relative_to(top).as_posix()
        return None
