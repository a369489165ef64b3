"""
FluxSources of Kustomizations of Flux: the folders of this repository that they apply, and the sources elsewhere.

A source is this repository if the command line says so, if its URL is a remote of the repository, or if one of its Kustomizations applies its own
file. A GitRepository that is not among the objects counts as this repository, too. Every other source is elsewhere.

Reference:
    fluxcd/kustomize-controller api/v1/kustomization_types.go.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_crd import boundary
from pytest_crd.checks import samples
from pytest_crd.engine import ManifestError, Mistake
from pytest_crd.engine.yaml.manifest import Manifest

DOMAIN: Final = ".fluxcd.io"
"""The end of the API groups of Flux."""
_GROUP: Final = f"kustomize.toolkit{DOMAIN}/"
_SOURCES: Final = f"source.toolkit{DOMAIN}/"
_EXTENSIONS: Final = f"source.extensions{DOMAIN}/"
_DATA: Final = frozenset({"ConfigMap", "Secret"})
_REPOSITORY: Final = "GitRepository"
_FOLDER: Final = re.compile(r"@([^/]+)/(.+/)?\*\*")
_OPTION: Final = "--local-sources"


class _Source(NamedTuple):
    """Kind, namespace and name of a source; an empty namespace is not known."""

    kind: str
    namespace: str
    name: str

    def is_same(self, candidate: _Source) -> bool:
        """Return whether a candidate may be the same object."""
        namespaces = {self.namespace, candidate.namespace} - {""}
        return (self.kind, self.name) == (candidate.kind, candidate.name) and len(namespaces) < 2


class FluxLocation(NamedTuple):
    """
    The folder that a Kustomization applies.

    Attributes:
        folder: The folder, with links resolved; empty if it is not in this repository, or not known.
        problem: Why there is no folder.
        limits: The folders that an artifact contains; empty if it contains all.
    """

    folder: str
    problem: str = ""
    limits: tuple[str, ...] = ()


class _Artifact(NamedTuple):
    """
    An artifact that Flux generates from folders of a source, at the places that they have below a common folder.

    Attributes:
        name: The artifact.
        origin: The source; None if the artifact is made in another way.
        root: The common folder in the source.
        folders: The copied folders below it.
    """

    name: _Source
    origin: _Source | None = None
    root: str = ""
    folders: tuple[str, ...] = ()


def kustomizations(items: Iterable[Manifest]) -> Iterator[Manifest]:
    """Yield the Kustomizations of Flux among objects."""
    for item in items:
        value: Any = item.value
        if item.kind == "Kustomization" and item.api_version.startswith(_GROUP) and isinstance(value.get("spec"), dict):
            yield item


def counts(item: Manifest) -> bool:
    """Return whether an object may change the build of a Kustomization: it is of Flux, or has values of variables."""
    return DOMAIN in item.api_version or item.kind in _DATA


@contextlib.contextmanager
def reading(item: Manifest, *steps: str) -> Iterator[None]:
    """
    Read a field of an object.

    Raises:
        ManifestError: It has another form than Flux reads.
    """
    try:
        yield
    except ManifestError:
        raise
    except (AttributeError, TypeError, ValueError):
        words = f"{item.title}: `{'.'.join(steps)}` has another form than Flux reads"
        raise ManifestError([Mistake(item.source, item.line_of(*steps), words)]) from None


def read_local(options: Sequence[str]) -> dict[str, str]:
    """
    Return the folders of sources by their names.

    Args:
        options: Options of the command line, `KIND/NAMESPACE/NAME=FOLDER`, several of them with commas.

    Raises:
        ManifestError: One has another form, or the folder is missing.
    """
    local: dict[str, str] = {}
    for option in ",".join(options).split(",") if options else ():
        name, _, folder = option.partition("=")
        if name.count("/") != 2 or not folder:
            raise ManifestError([Mistake(_OPTION, 0, f"{option}: write KIND/NAMESPACE/NAME=FOLDER")])
        if not Path(folder).is_dir():
            raise ManifestError([Mistake(_OPTION, 0, f"{folder}: no such folder")])
        local[name] = os.path.realpath(folder)
    return local


class FluxSources:
    """
    The sources of the Kustomizations among objects.

    Attributes:
        mistakes: Reasons why objects of Flux cannot be read.
    """

    def __init__(self, local: Mapping[str, str]) -> None:
        self._local = [(_Source(*name.split("/")), folder) for name, folder in local.items()]
        self._root = boundary.find_project(Path.cwd())
        self._urls: list[tuple[_Source, str]] = []
        self._self_applied: list[_Source] = []
        self._artifacts: list[_Artifact] = []
        self.mistakes: list[Mistake] = []

    def add(self, items: Iterable[Manifest]) -> None:
        """Add the sources and Kustomizations among objects."""
        for item in items:
            try:
                self._add(item)
            except ManifestError as error:
                self.mistakes += [mistake for mistake in error.mistakes if mistake not in self.mistakes]

    def _add(self, item: Manifest) -> None:
        value: Any = item.value
        if item.api_version.startswith(_SOURCES) and item.kind == _REPOSITORY:
            with reading(item, "spec"):
                url = str((value.get("spec") or {}).get("url"))
                self._urls.append((_Source(_REPOSITORY, _namespace(item), item.title.partition("/")[2]), url))
        if item.api_version.startswith(_EXTENSIONS) and item.kind == "ArtifactGenerator":
            with reading(item, "spec"):
                self._artifacts += _read_artifacts(item)
        for applier in kustomizations([item]):
            with reading(applier, "spec", "path"):
                folder = self._resolve(self._root, applier)
            if folder != self._root and boundary.contains(folder, os.path.realpath(applier.source)):
                self._self_applied += filter(None, [_source_of(applier)])

    def locate(self, item: Manifest) -> FluxLocation:
        """
        Return the folder that a Kustomization applies.

        Raises:
            ManifestError: Flux has no folder, either, or reads no Kustomization of this form.
        """
        with reading(item, "spec", "path"):
            return self._locate(item)

    def _locate(self, item: Manifest) -> FluxLocation:
        source, path = _source_of(item), _path_of(item)
        if source is None:
            return FluxLocation("", "`spec.sourceRef` names no source")
        base, problem, limits = self._find_base(source)
        if samples.find_placeholder(path):
            problem = f"`spec.path` is {path}"
        if problem:
            return FluxLocation("", problem)
        folder = self._resolve(base, item)
        is_copied = not limits or any(boundary.contains(limit, folder) for limit in limits)
        if os.path.isdir(folder) and boundary.contains(base, folder) and is_copied:  # noqa: PTH112 - a text
            return FluxLocation(folder, limits=limits)
        is_known = any(source.is_same(candidate) for candidate, _ in (*self._local, *self._urls))
        where = os.path.relpath(base) if base != self._root else "this repository"
        words = f"`spec.path` is {path}, which is no folder of {where}"
        if is_known:
            raise ManifestError([Mistake(item.source, item.line_of("spec", "path"), f"{item.title}: {words}")])
        return FluxLocation("", words)

    def _find_base(self, source: _Source) -> tuple[str, str, tuple[str, ...]]:
        """Return the folder of a source, the reason why it is not known, and the only folders in it."""
        artifacts = [artifact for artifact in self._artifacts if source.is_same(artifact.name)]
        origins = {(artifact.origin, artifact.root) for artifact in artifacts}
        is_given = any(source.is_same(candidate) for candidate, _ in self._local)
        if not is_given and len(origins) == 1 and artifacts[0].origin is not None:
            base, problem = self._find_root(artifacts[0].origin)
            base = os.path.normpath(os.path.join(base, artifacts[0].root))  # noqa: PTH118 - a text
            folders = (folder for artifact in artifacts for folder in artifact.folders)
            return base, problem, tuple(os.path.normpath(os.path.join(base, folder)) for folder in folders)  # noqa: PTH118
        return *self._find_root(source), ()

    def _find_root(self, source: _Source) -> tuple[str, str]:
        """Return the folder of a source, or the reason why it is not known."""
        for candidate, folder in self._local:
            if source.is_same(candidate):
                return folder, ""
        urls = [url for candidate, url in self._urls if source.is_same(candidate)]
        is_here = any(source.is_same(candidate) for candidate in self._self_applied)
        title = f"{source.kind}/{source.name}"
        hint = (
            f"add {_OPTION} {source.kind}/{source.namespace or 'NAMESPACE'}/{source.name}=FOLDER if its files are here"
        )
        if source.kind != _REPOSITORY:
            return self._root, "" if is_here else f"{title} is elsewhere: {hint}"
        remotes = {_repository(url) for url in self._remotes}
        if not urls or remotes.intersection(map(_repository, urls)):
            return self._root, ""
        names = {name for _, name in remotes}
        if is_here and (not names or any(_repository(url)[1] in names for url in urls)):
            return self._root, ""  # a fork, or a copy without git
        return self._root, f"{title} is {urls[0]}, not a remote of this repository: {hint}"

    @functools.cached_property
    def _remotes(self) -> list[str]:
        """The URLs of the remotes of this repository."""
        try:
            lines = (_find_git_folder(Path(self._root)) / "config").read_text(errors="replace").splitlines()
        except OSError:
            return []
        section, urls = "", []
        for line in map(str.strip, lines):
            key, equals, text = line.partition("=")
            section = line if line.startswith("[") else section
            urls += [text.strip()] if equals and key.strip() == "url" and section.startswith("[remote ") else []
        return urls

    @staticmethod
    def _resolve(base: str, item: Manifest) -> str:
        return os.path.realpath(os.path.join(base, _path_of(item).lstrip("/")))  # noqa: PTH118 - a text


def _read_artifacts(item: Manifest) -> Iterator[_Artifact]:
    """Yield the artifacts of an ArtifactGenerator."""
    value: Any = item.value
    spec, namespace = value.get("spec") or {}, _namespace(item)
    sources = {
        entry.get("alias"): _Source(
            str(entry.get("kind")), str(entry.get("namespace") or namespace), str(entry.get("name"))
        )
        for entry in spec.get("sources") or ()
    }
    for artifact in spec.get("artifacts") or ():
        name = _Source("ExternalArtifact", namespace, str(artifact.get("name")))
        copies = {_read_copy(entry) for entry in artifact.get("copy") or ()}
        places = {copied[:2] for copied in copies if copied is not None}
        if None in copies or len(places) != 1:
            yield _Artifact(name)
            continue
        alias, root = places.pop()
        folders = sorted(copied[2] for copied in copies if copied is not None)
        yield _Artifact(name, sources.get(alias), root, tuple(folders))


def _read_copy(entry: Mapping[str, str]) -> tuple[str, str, str] | None:
    """
    Return the alias of a source, a folder in it, and a folder below that is copied with its path.

    None if a copy has another form than `@alias/apps/base/**` to `@artifact/base/`.
    """
    match, place = _FOLDER.fullmatch(str(entry.get("from"))), str(entry.get("to")).removeprefix("@artifact/")
    source = (match[2] or "") if match else ""
    if match is None or {*entry} != {"from", "to"} or not f"/{source}".endswith(f"/{place}"):
        return None
    return match[1], source.removesuffix(place), place


def _path_of(item: Manifest) -> str:
    value: Any = item.value
    return str(value["spec"].get("path") or ".")


def _namespace(item: Manifest) -> str:
    metadata = item.value.get("metadata")
    return str((metadata.get("namespace") if isinstance(metadata, dict) else "") or "")


def _source_of(item: Manifest) -> _Source | None:
    value: Any = item.value
    reference = value["spec"].get("sourceRef")
    if not isinstance(reference, dict) or not reference.get("kind") or not reference.get("name"):
        return None
    namespace = str(reference.get("namespace") or _namespace(item))
    return _Source(str(reference["kind"]), namespace, str(reference["name"]))


def _repository(url: str) -> tuple[str, str]:
    """Return the owner and name of the repository of a URL: `https://github.com/a/b.git`, `git@github.com:a/b`."""
    parts = url.removesuffix("/").removesuffix(".git").replace(":", "/").lower().split("/")
    return parts[-2] if len(parts) > 1 else "", parts[-1]


def _find_git_folder(root: Path) -> Path:
    """
    Return the folder with the settings of a git repository, also of a linked worktree.

    Raises:
        OSError: There is none.
    """
    folder = root / ".git"
    if folder.is_dir():
        return folder
    folder = root / folder.read_text().removeprefix("gitdir:").strip()
    shared = folder / "commondir"
    return folder / shared.read_text().strip() if shared.exists() else folder
