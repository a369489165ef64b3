"""Measurement: random single changes of a CRD, and the changes that its generated case file notices."""

from __future__ import annotations

import copy
import functools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crdchanges.edits import Edit, find_edits
from pytest_crd import coverage, engine
from pytest_crd.cases import caserunner
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.coverage import coretypes
from pytest_crd.engine import profile
from pytest_crd.generation import generate, reach

_SEED: Final = 48


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
    cases = tuple(reach.parse_cases(text))
    reached = reach.Reach(version, is_whole=True)
    for case in cases:
        reached.check(case)
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
            outcomes.append(Outcome(edit, is_noticed(cases, changed), is_held))
    return Measured(crd.kind, text.count("\n"), len(points), len(points) - len(missed), outcomes)


def draw_edits(version: engine.CrdVersion, *, with_core_types: bool) -> Iterator[Edit]:
    """Yield the edits of a version in random order: a random kind, then a random edit of the kind."""
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
    while kinds:
        kind = source.choice(sorted(kinds))
        yield kinds[kind].pop()
        if not kinds[kind]:
            del kinds[kind]


def change(crd: engine.CustomResourceDefinition, edit: Edit) -> engine.CustomResourceDefinition | None:
    """Return a CRD with the change; None if a server refuses it."""
    manifest = copy.deepcopy(crd.manifest)
    spec = next(item for item in manifest["spec"]["versions"] if item["storage"])
    steps = ("schema", "openAPIV3Schema", *edit.node.steps)
    schema: Any = functools.reduce(lambda value, step: value[step], steps, spec)
    edit.apply(schema)
    changed = engine.CustomResourceDefinition.from_manifest(manifest)
    return changed if changed.response.accepted else None


def is_noticed(cases: Sequence[AnyCase], crd: engine.CustomResourceDefinition) -> bool:
    """Return True if a case fails under the changed CRD."""
    subject = CaseSubject(_storage_version(crd))
    for case in cases:
        try:
            if caserunner.run(case, subject).mismatches:
                return True
        except engine.InputError:
            return True  # the old object is refused now
    return False


def _is_decisive(point: coverage.Point, edit: Edit) -> bool:
    """Return True if *point* is about the changed keyword itself, and not about a schema further inside."""
    if edit.kind == "remove":  # an object that keeps unknown fields keeps a field without its declaration
        return point.steps == edit.steps and point.side == "set" and not edit.node.keeps_unknown_fields
    return bool(edit.steps != edit.node.steps)


def _storage_version(crd: engine.CustomResourceDefinition) -> engine.CrdVersion:
    return next(version for version in crd.versions if version.storage)
