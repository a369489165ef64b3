"""
Roots of kustomizations: a kustomization names files in or below its folder, and folders of the project that do not contain it.

kustomize resolves links first. It reads all of these files before it builds anything, and refuses the whole kustomization.

Reference:
    sigs.k8s.io/kustomize api/internal/loader fileloader.go and loadrestrictions.go.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd import boundary
from pytest_crd.discovery.filetrees import Tree
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.document import Document
from pytest_crd.records import NamedTuple

NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# The places of paths in a kustomization; `*` is any item of a list.
_PLACES: Final = (
    ("resources", "*"),
    ("bases", "*"),
    ("components", "*"),
    ("generators", "*"),
    ("transformers", "*"),
    ("validators", "*"),
    ("configurations", "*"),
    ("crds", "*"),
    ("openapi", "path"),
    ("patches", "*", "path"),
    ("patchesJson6902", "*", "path"),
    ("patchesStrategicMerge", "*"),
    ("replacements", "*", "path"),
    ("configMapGenerator", "*", "files", "*"),
    ("configMapGenerator", "*", "envs", "*"),
    ("configMapGenerator", "*", "env"),
    ("secretGenerator", "*", "files", "*"),
    ("secretGenerator", "*", "envs", "*"),
    ("secretGenerator", "*", "env"),
    ("helmCharts", "*", "valuesFile"),
    ("helmCharts", "*", "additionalValuesFiles", "*"),
)
# Lists of `KEY=FILE` or `FILE`.
_KEYED: Final = "files"
# The start of a resource that kustomize fetches; it is never read here.
_REMOTE: Final = "://"
_SETTING: Final = "write crd_commands = {}"


class _Reference(NamedTuple):
    """A path in a kustomization, with its place in the document."""

    place: tuple[str | int, ...]
    path: str


def find_problem(
    name: str, document: Document, tree: Tree, *, value: Any = None, advice: str = _SETTING
) -> Mistake | None:
    """
    Return the first path of a kustomization, or of a folder that it lists, that kustomize refuses; None if there is none.

    Args:
        name: The name of the kustomization in the tree.
        document: Its document.
        tree: The files.
        value: Its content, if it is another one than in the document.
        advice: The text about the command to write, with the command as `{}`; empty if files outside of the folder are allowed.
    """
    folder = posixpath.dirname(name)
    search = _Search(tree, not tree.holds(folder), set(), advice)
    return search.check(name, document, document.value if value is None else value, (tree.resolve(folder),))


def paths(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths of all files and folders that a kustomization uses."""
    return (reference.path for reference in _references(value))


def find_link(name: str, tree: Tree, *, shown: str) -> Mistake | None:
    """Return a mistake if a kustomization is a link out of its folder, which kustomize does not follow; else None."""
    is_own = boundary.contains(tree.resolve(posixpath.dirname(name)), tree.resolve(name))
    return None if is_own else Mistake(shown, 0, "kustomize follows no link out of the folder; copy the file")


class _Search(NamedTuple):
    """
    A search through a kustomization and the folders that it lists.

    Attributes:
        tree: The files.
        is_elsewhere: Whether the user has named a kustomization outside of the project, whose folders may be anywhere.
        checked: The folders without a problem, with links resolved.
        advice: The text about the command to write; empty if files outside of the folder are allowed.
    """

    tree: Tree
    is_elsewhere: bool
    checked: set[str]
    advice: str

    def check(self, name: str, document: Document, value: Any, visited: tuple[str, ...]) -> Mistake | None:
        """Return the first problem; *visited* are the folders on the way to it, itself included."""
        folder, shown = posixpath.dirname(name), document.source
        for reference in _references(value if isinstance(value, dict) else {}):
            path = posixpath.normpath(posixpath.join(folder, reference.path))
            if _REMOTE in reference.path:
                continue
            if words := self._problem(path, posixpath.dirname(shown).rpartition(":")[2] or ".", visited):
                return Mistake(shown, document.line_of(reference.place), f"{reference.path}: {words}")
            if problem := self._check_folder(path, visited):
                return problem
        self.checked.add(visited[-1])
        return None

    def _problem(self, path: str, folder: str, visited: tuple[str, ...]) -> str:
        real = self.tree.resolve(path)
        if self.tree.is_folder(path):
            if any(boundary.contains(real, root) for root in visited):
                return "kustomize refuses a folder that contains the kustomization, or one on the way to it (a cycle); list the files"
            return "" if self.is_elsewhere or self.tree.holds(path) else boundary.OUTSIDE
        remedy = f"move the file below {folder}"
        if boundary.contains(visited[-1], real):
            return ""
        if not self.tree.holds(path):
            return f"kustomize refuses a file outside of its folder, and this one leads out of the project; {remedy}"
        if not self.advice or not self.tree.is_file(path):
            return ""  # a missing patch has its own message
        command = f"kubectl kustomize --load-restrictor LoadRestrictionsNone {folder}"
        return f"kustomize refuses a file outside of its folder; {remedy}, or {self.advice.format(command)}"

    def _check_folder(self, path: str, visited: tuple[str, ...]) -> Mistake | None:
        """Return the first problem of the kustomization in a folder."""
        real = self.tree.resolve(path)
        if real in self.checked or not self.tree.is_folder(path):
            return None
        for name in (posixpath.join(path, name) for name in NAMES):
            shown = self.tree.display_name(name)
            if link := find_link(name, self.tree, shown=shown):
                return link
            for content in self.tree.read([name]).values():
                try:
                    documents = yamlreader.read(content, source=shown)
                except ManifestError as error:
                    return error.mistakes[0]
                own = documents[0] if documents else None
                return None if own is None else self.check(name, own, own.value, (*visited, real))
        return None


def _references(value: Mapping[str, Any]) -> Iterator[_Reference]:
    """Yield the paths in a kustomization; a text with line breaks is no path."""
    for steps in _PLACES:
        for place, path in _find_texts(value, steps):
            written = path.rpartition("=")[2] if _KEYED in steps else path
            if written and "\n" not in written:
                yield _Reference(place, written)


def _find_texts(value: Any, steps: Sequence[str]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the texts at *steps* below a value, each with its place."""
    if not steps:
        if isinstance(value, str):
            yield (), value
        return
    step, *rest = steps
    items: Iterable[tuple[str | int, Any]] = ()
    if step == "*" and isinstance(value, list):
        items = enumerate(value)
    elif isinstance(value, Mapping) and step in value:
        items = [(step, value[step])]
    for key, item in items:
        yield from (((key, *place), text) for place, text in _find_texts(item, rest))
