"""
The search for CRDs without settings: in the conventional places, then in the whole project, in test data last.

If the project is a folder in a git repository, the whole repository is searched after it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.boundary import ProjectBoundary
from pytest_crd.discovery import projectfiles
from pytest_crd.discovery.projectfiles import Discovery
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.loading.crdfiles import FileOrigin
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import ManifestFile
from pytest_crd.folders import RealPaths
from pytest_crd.records import NamedTuple, dataclass, field
from pytest_crd.wording import escape

if TYPE_CHECKING:
    from pytest_crd.discovery import helmtemplates
else:
    helmtemplates = lazyimport.module("pytest_crd.discovery.helmtemplates")

# The conventions of kubebuilder, Operator SDK, Helm and others.
CONVENTIONAL_PATHS: Final = (
    "config/crd/bases",
    "config/crd",
    "config/crds",
    "crd",
    "crds",
    "deploy/crd",
    "deploy/crds",
    "manifests/crd",
    "manifests/crds",
    "charts/*/crds",
    "charts/*/templates/crds",
    "helm/*/crds",
)
# The folders of a repository with several operators: `<operator>/config/crd`, at most two levels deep.
_CONFIG: Final = "config"
_DEPTH: Final = 2
_OF_CONFIG: Final = (("crd",), ("crds",))
_BELOW: Final = "/config/crd"
_MOST_FILES: Final = 5
_NOT_THERE: Final = (
    "no CRD was found: set crd_paths in the ini file, or --crd-path, to the files or folders with your CRDs"
)
_RULE: Final = "hidden folders, node_modules, vendor and virtual environments aside"


class SearchPlace(NamedTuple):
    """
    A place of the search: files that are read together.

    Attributes:
        words: Its description; empty if the found files describe it.
        origin: The way its files were chosen.
        files: The files.
    """

    words: str
    origin: FileOrigin
    files: Sequence[ManifestFile]


@dataclass()
class CrdSearch:
    """
    A search for CRDs.

    Attributes:
        base: The folder of the project.
        left_out: `!pattern` for exclusions, relative to it.
        lists: Lists the files of the project below a folder, relative to it.
    """

    base: Path
    left_out: tuple[str, ...] = ()
    lists: Callable[[Path], list[str]] = projectfiles.names
    _discoveries: list[Discovery] = field(default_factory=list, init=False)

    def places(self) -> Iterator[SearchPlace]:
        """
        Yield the places that may have CRDs, the likeliest first; a place is searched when it is requested.

        Raises:
            ManifestError: An exclusion matches nothing.
        """
        for root in self._roots():
            if place := self.find_conventional(root):
                yield place
            discovery = projectfiles.find_crd_files(root)
            self._discoveries.append(discovery)
            for origin in (FileOrigin.FOUND, FileOrigin.FOUND_IN_TESTS):
                is_for_tests = origin is FileOrigin.FOUND_IN_TESTS
                other_paths = [
                    path for path in discovery.files if projectfiles.is_for_tests(path, root) == is_for_tests
                ]
                yield SearchPlace("", origin, self._files(dict.fromkeys(other_paths, "")))

    def find_conventional(self, root: Path) -> SearchPlace | None:
        """
        Return the conventional places below *root*; None if there are no files.

        Raises:
            ManifestError: An exclusion matches nothing.
        """
        usual = narrowest(path for path in CONVENTIONAL_PATHS if any(map(_holds_some, _matches(root, path))))
        if not usual:
            return None
        paths = {file.path: file.patterns[0] for file in manifest.files(usual, base=root, named=())}
        if has_operator(usual):
            others = find_operators(self.lists(root))
            usual = (*usual, *others)
            paths |= {root / name: _CONFIG for names in others.values() for name in names}
        words = " ".join(self._name(root / path) for path in usual)
        return SearchPlace(words, FileOrigin.CONVENTIONAL, self._files(paths))

    def find_templates(self, root: Path) -> list[ManifestFile]:
        """Return the templates of charts below *root*, except those for tests."""
        templates = (path for path in (root / name for name in self.lists(root)) if helmtemplates.is_of_chart(path))
        return self._files({path: "" for path in templates if not projectfiles.is_for_tests(path, root)})

    def in_vain(self) -> Iterator[Mistake]:
        """Yield the mistakes to report if no place has a CRD: the searched places, and ignored files with CRDs."""
        yield Mistake(str(self.base), 0, _NOT_THERE)
        for discovery in self._discoveries:
            listed = "that git does not ignore" if discovery.is_of_git else "that are there (git says nothing of them)"
            files = f"{discovery.count} YAML and JSON files {listed}, {_RULE}"
            yield Mistake(
                str(discovery.root), 0, f"looked in {', '.join(CONVENTIONAL_PATHS)}; then through the {files}"
            )
            hidden = projectfiles.ignored(discovery.root)
            yield from (Mistake(self._name(path), 0, "has CRDs, but git ignores it") for path in hidden[:_MOST_FILES])
            if len(hidden) > _MOST_FILES:
                count = len(hidden) - _MOST_FILES
                yield Mistake(str(discovery.root), 0, f"git ignores {count} more files that have CRDs")

    def _roots(self) -> Iterator[Path]:
        yield self.base
        repository, here = projectfiles.repository(self.base), self.base.resolve()
        if repository and repository in here.parents:
            yield repository

    def _files(self, patterns: Mapping[Path, str]) -> list[ManifestFile]:
        """Return the files of a place, each once; *patterns* are the conventional paths that they match."""
        real, limits = RealPaths(), ProjectBoundary(self.base)
        files = {real.resolve(path): path for path in patterns}
        return [
            ManifestFile(
                path, self._name(path), named=False, patterns=(patterns[path],), is_outside=not limits.holds(resolved)
            )
            for resolved, path in files.items()
            if resolved not in self._are_left_out
        ]

    def _name(self, path: Path) -> str:
        """Return the path of a file relative to the folder of the project."""
        whole, start = str(path), f"{self.base}{os.sep}"
        if whole.startswith(start):  # ten times as fast as pathlib
            return escape(whole.removeprefix(start))
        return escape(os.path.relpath(path, self.base.resolve()))

    @cached_property
    def _are_left_out(self) -> frozenset[str]:
        if not self.left_out:
            return frozenset()
        patterns = [pattern.removeprefix(manifest.LEFT_OUT) for pattern in self.left_out]
        try:
            files = manifest.files(patterns, base=self.base)
        except ManifestError as error:
            mistakes = [
                Mistake(f"{manifest.LEFT_OUT}{mistake.source}", 0, mistake.message) for mistake in error.mistakes
            ]
            raise ManifestError(mistakes) from None
        real = RealPaths()
        return frozenset(real.resolve(file.path) for file in files)


def rank(file: ManifestFile) -> int:
    """Return the rank of the conventional path of a file, which is 0 for the folders of kubebuilder and for all other paths."""
    (pattern,) = file.patterns
    is_ranked = pattern in CONVENTIONAL_PATHS and not has_operator([pattern])
    return CONVENTIONAL_PATHS.index(pattern) if is_ranked else 0


def _matches(root: Path, pattern: str) -> Iterable[Path]:
    """Return the paths that *pattern* matches. Without its first folder there are none: a glob would be compiled for nothing."""
    start, star, _ = pattern.partition("*")
    first = start.rpartition("/")[0] if star else start
    if not os.path.exists(f"{root}/{first}"):  # noqa: PTH110 - a Path takes three times as long
        return ()
    return root.glob(pattern) if star else (root / pattern,)


def _holds_some(path: Path) -> bool:
    """Return whether a path is a file or a folder with files; an empty folder may be a remnant of a build."""
    return path.is_file() or any(manifest.below(path))


def has_operator(usual: Iterable[str]) -> bool:
    """Return whether a conventional path is kubebuilder's, so that other operators may have folders of their own."""
    return any(path.split("/")[0] == _CONFIG for path in usual)


def find_operators(names: Iterable[str]) -> dict[str, list[str]]:
    """
    Return the files with CRDs of operators in folders of their own, by the folder: `operators/b/config/crd/bases`.

    Args:
        names: The files of the project, relative to its folder; test data is ignored.
    """
    by_folder: dict[str, list[str]] = {}
    for name in names:
        if _BELOW not in name:
            continue  # the usual case
        path = PurePosixPath(name)
        parts = path.parts[:-1]
        at = parts.index(_CONFIG) if _CONFIG in parts else 0
        inside = parts[at + 1 : at + 3]
        if 0 < at <= _DEPTH and inside[:1] in _OF_CONFIG and not projectfiles.is_for_tests(path, PurePosixPath()):
            end = at + 3 if inside[1:] == ("bases",) else at + 2
            by_folder.setdefault("/".join(parts[:end]), []).append(name)
    selected = narrowest(sorted(by_folder, key=len, reverse=True))
    return {folder: names for folder, names in sorted(by_folder.items()) if folder in selected}


def narrowest(paths: Iterable[str]) -> tuple[str, ...]:
    """Return *paths* without folders around an earlier path: no `config/crd` after `config/crd/bases`."""
    selected: list[str] = []
    for path in paths:
        if not any(inner.startswith(f"{path}/") for inner in selected):
            selected.append(path)
    return tuple(selected)
