"""Measurement: single changes of a CRD, and the changes that its generated case file notices."""

from __future__ import annotations

import copy
import functools
import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crdchanges.edits import Edit, find_edits
from pytest_crd import coverage, engine
from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.model import CaseFile
from pytest_crd.cases.objectsources import resolve
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.coverage import coretypes
from pytest_crd.engine import profile
from pytest_crd.generation import generate, reach

_SEED: Final = 48
SERVED: Final = "served"
# The kinds of changes that break users most: of values that a field takes or gets, and of versions.
BREAKING: Final = ("enum", "bound", "default", SERVED)
_RENAMED: Final = "v9"


@dataclass(frozen=True)
class Outcome:
    """
    The outcome of one change.

    Attributes:
        edit: The change.
        is_noticed: Whether a case fails.
        is_held: Whether there are points at the changed keyword, all of them held.
    """

    edit: Edit
    is_noticed: bool
    is_held: bool


@dataclass(frozen=True)
class Measured:
    """
    The outcomes of a CRD.

    Attributes:
        name: The kind of the CRD.
        lines: The length of the file.
        points: The points of the schema.
        held: The number of held points.
        outcomes: The outcomes of the changes.
    """

    name: str
    lines: int
    points: int
    held: int
    outcomes: Sequence[Outcome]

    @property
    def noticed(self) -> int:
        """The number of noticed changes."""
        return sum(outcome.is_noticed for outcome in self.outcomes)

    @property
    def false(self) -> list[Outcome]:
        """The unnoticed changes below held points."""
        return [outcome for outcome in self.outcomes if outcome.is_held and not outcome.is_noticed]


@dataclass(frozen=True)
class Breaking:
    """
    The outcomes of the changes that break users most.

    Attributes:
        name: The kind of the CRD.
        noticed: The number of noticed changes, by kind.
        changes: The number of changes, by kind.
        unnoticed: The unnoticed changes, for people.
    """

    name: str
    noticed: Mapping[str, int]
    changes: Mapping[str, int]
    unnoticed: Sequence[str]


def measure(path: Path, count: int, *, with_core_types: bool) -> Measured:
    """
    Return the outcomes of *count* changes of the CRD at *path*, in its storage version.

    Args:
        path: The file of the CRD.
        count: The number of changes.
        with_core_types: Whether to change embedded Kubernetes types too.
    """
    (crd,) = engine.load([path])
    version = _storage_version(crd)
    text = generate([version]).text
    files = loader.load(text, source="the generated file")
    reached = reach.Reach(version, is_whole=True)
    for case in files[0].cases:  # the other documents are about other versions
        reached.check(resolve(case, Path()))
    missed = {point.id for point in reached.missed}
    points = coverage.points(version)
    edits = list(draw_edits(version, with_core_types=with_core_types))
    outcomes: list[Outcome] = []
    for edit in edits:
        if len(outcomes) == count:
            break
        changed = change(crd, edit)
        if changed is not None:
            at = [
                point.id
                for point in points
                if point.steps[: len(edit.steps)] == edit.steps and _is_decisive(point, edit)
            ]
            is_held = bool(at) and not missed & {*at}
            outcomes.append(Outcome(edit, is_noticed(files, changed), is_held))
    return Measured(crd.kind, text.count("\n"), len(points), len(points) - len(missed), outcomes)


def measure_breaking(path: Path, count: int) -> Breaking:
    """
    Return the outcomes of the changes of a CRD that break users most, outside of Kubernetes types.

    Args:
        path: The file of the CRD.
        count: The most changes of each kind, chosen at random.
    """
    (crd,) = engine.load([path])
    files = loader.load(generate([_storage_version(crd)]).text, source="the generated file")
    kinds = _find_edits(_storage_version(crd), with_core_types=False)
    noticed, changes, unnoticed = dict.fromkeys(BREAKING, 0), dict.fromkeys(BREAKING, 0), []
    for kind in BREAKING:
        changes_of_kind = change_serving(crd) if kind == SERVED else _change_all(crd, kinds.get(kind, ()))
        for words, changed in itertools.islice(changes_of_kind, count):
            changes[kind] += 1
            if is_noticed(files, changed):
                noticed[kind] += 1
            else:
                unnoticed.append(f"{kind}: {words}")
    return Breaking(crd.kind, noticed, changes, unnoticed)


def change_serving(crd: engine.CustomResourceDefinition) -> Iterator[tuple[str, engine.CustomResourceDefinition]]:
    """Yield CRDs that no longer serve a version, or serve it under another name, with the change for people."""
    for index, version in enumerate(crd.versions):
        for words, keys in (
            (f"serve {version.name} no longer", {"served": False}),
            (f"rename {version.name}", {"name": _RENAMED}),
        ):
            manifest = copy.deepcopy(crd.manifest)
            manifest["spec"]["versions"][index].update(keys)
            if version.served:
                yield words, engine.CustomResourceDefinition.from_manifest(manifest)


def _change_all(
    crd: engine.CustomResourceDefinition, edits: Iterable[Edit]
) -> Iterator[tuple[str, engine.CustomResourceDefinition]]:
    """Yield a CRD for each of the *edits* that a server accepts, with the change for people."""
    for edit in edits:
        if (changed := change(crd, edit)) is not None:
            yield f"{edit.node.path}: {edit.words}", changed


def draw_edits(version: engine.CrdVersion, *, with_core_types: bool) -> Iterator[Edit]:
    """Yield the edits of a version in random order: a random kind, then a random edit of the kind."""
    kinds = _find_edits(version, with_core_types=with_core_types)
    source = random.Random(_SEED)  # noqa: S311 - no secret
    while kinds:
        kind = source.choice(sorted(kinds))
        yield kinds[kind].pop()
        if not kinds[kind]:
            del kinds[kind]


def _find_edits(version: engine.CrdVersion, *, with_core_types: bool) -> dict[str, list[Edit]]:
    """Return the edits of a version by kind, each in random order."""
    nodes = [node for node in version.schema_map if node.is_structural and node.meta_of is None]
    core = coretypes.places(nodes, profile.named(version.crd.kubernetes_version))
    own = [node for node in nodes if with_core_types or not any(node.place[: len(place)] == place for place in core)]
    kinds: dict[str, list[Edit]] = {}
    for node in own:
        for edit in find_edits(node):
            kinds.setdefault(edit.kind, []).append(edit)
    source = random.Random(_SEED)  # noqa: S311 - no secret
    for edits in kinds.values():
        source.shuffle(edits)
    return kinds


def change(crd: engine.CustomResourceDefinition, edit: Edit) -> engine.CustomResourceDefinition | None:
    """Return a CRD with the change; None if a server refuses it."""
    manifest = copy.deepcopy(crd.manifest)
    spec = next(item for item in manifest["spec"]["versions"] if item["storage"])
    steps = ("schema", "openAPIV3Schema", *edit.node.steps)
    schema: Any = functools.reduce(lambda value, step: value[step], steps, spec)
    edit.apply(schema)
    changed = engine.CustomResourceDefinition.from_manifest(manifest)
    return changed if changed.response.accepted else None


def is_noticed(files: Sequence[CaseFile], crd: engine.CustomResourceDefinition) -> bool:
    """Return True if a case of the documents of a file fails under the changed CRD."""
    return any(_is_failing(file, crd) for file in files)


def _is_failing(file: CaseFile, crd: engine.CustomResourceDefinition) -> bool:
    try:
        subject = CaseSubject(crd.version(file.version or ""))
        return any(caserunner.run(resolve(case, Path()), subject).mismatches for case in file.cases)
    except (engine.InputError, engine.CrdLookupError):
        return True  # the version is gone, or the old object is refused now


def _is_decisive(point: coverage.Point, edit: Edit) -> bool:
    """Return True if *point* is about the changed keyword itself, and not about a schema further inside."""
    if edit.kind == "remove":  # an object that keeps unknown fields keeps a field without its declaration
        return point.steps == edit.steps and point.side == "set" and not edit.node.keeps_unknown_fields
    return bool(edit.steps != edit.node.steps)


def _storage_version(crd: engine.CustomResourceDefinition) -> engine.CrdVersion:
    return next(version for version in crd.versions if version.storage)
