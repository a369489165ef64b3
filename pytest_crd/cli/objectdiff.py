"""The effects of an upgrade on the objects that the option `--objects` of the command `diff` names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_crd.checks import samplefiles, samples
from pytest_crd.cli import objectfiles, objectkinds
from pytest_crd.cli.objectkinds import Resource
from pytest_crd.discovery.baseline import Baseline
from pytest_crd.engine import (
    CustomResourceDefinition,
    Mistake,
    UnsupportedConstructError,
    UnsupportedExpressionError,
)
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.report import text
from pytest_crd.upgrades import crdwrites, objectupgrades
from pytest_crd.upgrades.objectupgrades import BREAKING, ObjectUpgrade
from pytest_crd.upgrades.successors import find_successions
from pytest_crd.upgrades.upgradefindings import Finding
from pytest_crd.wording import counted, escape


class ObjectDiff(NamedTuple):
    """
    The effects of an upgrade on objects.

    Attributes:
        refused: The findings about CRDs that the server refuses, by the name of the CRD.
        objects: The objects of old CRDs, with the effects.
        others: The number of objects of other kinds.
        unbuilt: The Kustomizations of Flux whose folder is not known, with the reason.
        mistakes: The reasons why files cannot be read.
    """

    refused: Mapping[str, Sequence[Finding]]
    objects: Sequence[tuple[Resource, ObjectUpgrade]]
    others: int
    unbuilt: Sequence[tuple[Manifest, str]]
    mistakes: Sequence[Mistake]

    @property
    def breaks(self) -> bool:
        """Whether the upgrade has a breaking effect on an object, or is refused."""
        return bool(self.refused) or any(upgrade.outcome in BREAKING for _, upgrade in self.objects)

    @property
    def has_verdict(self) -> bool:
        """Whether at least one object is judged."""
        return any(not upgrade.unjudged for _, upgrade in self.objects)


def compare(
    old: Baseline, new: Baseline, paths: Sequence[str], kubernetes_version: str, local_sources: Sequence[str] = ()
) -> ObjectDiff:
    """
    Return the effects of an upgrade on the objects in files, folders and globs; kustomizations are built.

    Args:
        old: The CRDs that users have.
        new: The CRDs that replace them.
        paths: The files, folders and globs, and `-` for standard input.
        kubernetes_version: The Kubernetes version of the answers.
        local_sources: The folders of sources of Flux, `KIND/NAMESPACE/NAME=FOLDER`.

    Raises:
        ManifestError: A path matches no file, or a local source has another form.
    """
    read = objectfiles.read(paths, local_sources=local_sources)
    mistakes = [*read.mistakes]
    items = [*read.read_all(mistakes)]
    successions = find_successions(old.old_crds(kubernetes_version), [*new.crds(kubernetes_version)])
    pairs = {item.olds[-1].crd: next(iter(item.today), None) for item in successions}
    classified = objectkinds.classify(items, samplefiles.group_crds(pairs), kubernetes_version, read.crds)
    resources = [resource for resource in classified.resources if resource.is_custom]
    judged = [(resource, _judge(resource, pairs)) for resource in resources]
    kinds = {(resource.group, resource.kind) for resource in resources}
    used = {old: new for old, new in pairs.items() if new is not None and (old.group, old.kind) in kinds}
    refused = {old.name: [*crdwrites.find_write_errors(old, new)] for old, new in used.items()}
    others = len(items) - len(resources)
    return ObjectDiff(
        {name: findings for name, findings in refused.items() if findings}, judged, others, read.unbuilt, mistakes
    )


def _judge(
    resource: Resource, pairs: Mapping[CustomResourceDefinition, CustomResourceDefinition | None]
) -> ObjectUpgrade:
    """Return the effects on an object. If several CRDs have its kind, the CRD with the fewest effects counts."""
    value = resource.manifest.value
    olds = [crd for crd in pairs if (crd.group, crd.kind) == (resource.group, resource.kind)]
    try:
        upgrades = [objectupgrades.judge(value, resource.version, crd, pairs[crd]) for crd in olds]
    except (UnsupportedConstructError, UnsupportedExpressionError) as error:
        return ObjectUpgrade(unjudged=str(error))
    upgrade = min(upgrades, key=lambda item: (bool(item.unjudged), len(item.effects)))
    placeholder = samples.find_placeholder(value) if upgrade.unjudged else ""
    return upgrade._replace(unjudged=f"a value is {placeholder}") if placeholder else upgrade


def render(diff: ObjectDiff, kubernetes_version: str) -> Iterator[str]:
    """Yield lines for each object with effects, then the summary."""
    for name, findings in diff.refused.items():
        yield f"{name}: the server refuses the new CRD"
        yield from (f"  {escape(finding.words)}" for finding in findings)
    for resource, upgrade in diff.objects:
        where = f"{resource.manifest.where}: {resource.title}"
        if upgrade.unjudged:
            yield f"{where}: not judged: {escape(upgrade.unjudged)}"
        elif upgrade.effects:
            yield f"{where}: {', '.join(dict.fromkeys(effect.outcome for effect in upgrade.effects))}"
        for effect in upgrade.effects:
            first, *rest = text.visible_lines(effect.words)
            about = f" ({', '.join(effect.requests)})" if effect.requests else ""
            yield f"  {effect.outcome}{about}: {first}"
            yield from (f"      {line}" for line in rest)
    yield from (objectkinds.describe_unbuilt(*item) for item in diff.unbuilt)
    yield f"{_summarize(diff)}; Kubernetes {kubernetes_version}"


def _summarize(diff: ObjectDiff) -> str:
    counts = Counter(upgrade.outcome for _, upgrade in diff.objects if not upgrade.unjudged)
    parts = [f"{counts[outcome]} {outcome}" for outcome in objectupgrades.OUTCOMES if counts[outcome]]
    if unjudged := sum(bool(upgrade.unjudged) for _, upgrade in diff.objects):
        parts.append(f"{unjudged} not judged")
    summary = [", ".join([counted(len(diff.objects), "object"), *parts])]
    if diff.others:
        summary.append(f"{counted(diff.others, 'object')} of other kinds")
    if diff.unbuilt:
        summary.append(f"{counted(len(diff.unbuilt), 'folder')} of Flux not judged")
    return "; ".join(summary)


def describe(diff: ObjectDiff) -> dict[str, object]:
    """Return the effects for programs."""
    return {
        "refusedCRDs": {name: [finding.words for finding in findings] for name, findings in diff.refused.items()},
        "objects": [
            {
                "source": resource.manifest.where,
                "name": resource.title,
                "outcome": "not judged" if upgrade.unjudged else upgrade.outcome,
                "message": upgrade.unjudged or None,
                "effects": [
                    {"outcome": effect.outcome, "message": effect.words, "requests": list(effect.requests)}
                    for effect in upgrade.effects
                ],
            }
            for resource, upgrade in diff.objects
        ],
        "others": diff.others,
        "unbuilt": [{"source": item.where, "name": item.title, "message": words} for item, words in diff.unbuilt],
    }
