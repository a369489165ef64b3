"""Verdicts of a server on the objects of texts, without the objects: they are small, and can be sent to another process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from pytest_crd.checks.samplefiles import Claims
from pytest_crd.checks.samples import SampleOutcome
from pytest_crd.cli import forks, judging, objectkinds
from pytest_crd.cli.judging import SendingMethod
from pytest_crd.cli.objectfiles import ObjectText, ReadObjects
from pytest_crd.cli.objectkinds import Resource, UnknownObject
from pytest_crd.engine import ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.progress import Tell

# Bytes of text for one step: a tenth of a second of work.
_STEP: Final = 32 * 1024
_KIB: Final = 1024
# Steps for one fork: less work is not worth it.
_FEWEST_STEPS: Final = 4


class ObjectVerdict(NamedTuple):
    """
    The verdict on an object of a known kind.

    Attributes:
        where: The place of the object, `file:line`.
        name: Its kind and name.
        title: Its name in reports: `Backup/nightly`, or `Backup/nightly of apps/prod` if a kustomization builds it.
        kind: Its kind.
        version: Its API version, `v1`.
        build: The folder of the kustomization that builds it; empty if it is as in its file.
        applier: The Kustomization of Flux that applies it: `Kustomization/apps`; empty if there is none.
        outcome: The outcome, without the response.
        is_custom: Whether it is a custom resource.
        is_by_schema: Whether a JSON Schema has judged it.
        is_update: Whether it updates a stored object.
        placeholders: The number of its values that are encrypted or variables.
        code: The status code of the answer; None without an answer.
        stored: The stored object; None if it is not stored, or need not be shown.
        notes: The defaults and dropped nulls of a shown object.
    """

    where: str
    name: str
    title: str
    kind: str
    version: str
    build: str
    applier: str
    outcome: SampleOutcome
    is_custom: bool = True
    is_by_schema: bool = False
    is_update: bool = False
    placeholders: int = 0
    code: int | None = None
    stored: JSONValue = None
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class VerdictCounts:
    """
    The numbers of objects by verdict.

    Attributes:
        all: The number of objects.
        refused: The number of refused ones.
        changed: The number of those that are accepted, but not as they are.
        unjudged: The number of those without a verdict, because of encrypted values or variables.
        updated: The number of updates.
        by_schema: The kinds of those that a JSON Schema has judged.
        decoded: The kinds of those that are only decoded.
    """

    all: int = 0
    refused: int = 0
    changed: int = 0
    unjudged: int = 0
    updated: int = 0
    by_schema: Counter[str] = field(default_factory=Counter)
    decoded: Counter[str] = field(default_factory=Counter)

    def add(self, verdict: ObjectVerdict) -> None:
        """Count a verdict."""
        outcome = verdict.outcome
        is_judged = not outcome.placeholder
        self.all += 1
        self.unjudged += not is_judged
        self.refused += is_judged and not outcome.is_accepted
        self.changed += is_judged and outcome.is_accepted and bool(outcome.findings)
        self.updated += verdict.is_update
        self.by_schema[verdict.kind] += verdict.is_by_schema
        self.decoded[verdict.kind] += is_judged and not outcome.is_validated


@dataclass(slots=True)
class ValidationSummary:
    """
    The numbers of all objects.

    Attributes:
        custom: The custom resources.
        built_in: The objects of built-in kinds, and CRDs.
        placeholders: The number of values that are encrypted or variables.
        unknown: The objects of unknown kinds.
        unbuilt: The Kustomizations of Flux whose folder is not known, with the reason.
        skipped: The kinds of objects that the command line leaves out.
        kinds: The kinds of all other objects.
        mistakes: The reasons why texts cannot be read.
    """

    custom: VerdictCounts = field(default_factory=VerdictCounts)
    built_in: VerdictCounts = field(default_factory=VerdictCounts)
    placeholders: int = 0
    unknown: list[UnknownObject] = field(default_factory=list)
    unbuilt: Sequence[tuple[Manifest, str]] = ()
    skipped: Counter[str] = field(default_factory=Counter)
    kinds: set[str] = field(default_factory=set)
    mistakes: list[Mistake] = field(default_factory=list)

    def add(self, verdicts: TextVerdicts) -> None:
        """Count the objects of some texts."""
        for verdict in verdicts.judged:
            (self.custom if verdict.is_custom else self.built_in).add(verdict)
            self.placeholders += verdict.placeholders
        self.unknown += verdicts.unknown
        self.kinds.update(verdict.kind for verdict in verdicts.judged)
        self.kinds.update(item.kind for item in verdicts.unknown)
        self.skipped.update(verdicts.skipped)
        self.mistakes += verdicts.mistakes


@dataclass(slots=True)
class TextVerdicts:
    """
    The verdicts on the objects of texts.

    Attributes:
        judged: The verdicts on objects of known kinds.
        unknown: The objects of unknown kinds.
        skipped: The kinds of objects that the command line leaves out.
        mistakes: The reasons why texts cannot be read.
    """

    judged: list[ObjectVerdict] = field(default_factory=list)
    unknown: list[UnknownObject] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)


class TextJudge(NamedTuple):
    """
    A server that judges the objects of texts.

    Attributes:
        claims: The CRDs of the server.
        objects: The objects.
        method: The method of sending.
        skip: The kinds of objects to leave out, in lower case.
        keeps_stored: Whether verdicts have the stored objects, with notes about them.
    """

    claims: Claims
    objects: ReadObjects
    method: SendingMethod
    skip: Collection[str]
    keeps_stored: bool

    def judge_all(self, jobs: int | None, tell: Tell) -> Generator[TextVerdicts]:
        """
        Yield the verdicts on all objects, in order, some texts at a time.

        Args:
            jobs: The number of processes; None for one per core if there is enough to do.
            tell: Reports the progress, in KiB of text.

        Raises:
            InputError: A CRD or a JSON Schema cannot be used.
        """
        size = sum(text.size for text in self.objects.texts)
        count = jobs or max(1, min(forks.count_cores(), size // (_STEP * _FEWEST_STEPS)))
        steps = [*_plan(self.objects.texts, count)]
        run = forks.run(lambda index: self._judge(steps[index]), len(steps), min(count, len(steps)))
        done = 0
        for step, verdicts in zip(steps, run, strict=True):
            done += sum(text.size // text.part[1] for text in step)
            tell(done // _KIB, size // _KIB, "")
            yield verdicts

    def _judge(self, texts: Sequence[ObjectText]) -> TextVerdicts:
        """Return the verdicts on the objects of some texts."""
        verdicts = TextVerdicts()
        for text in texts:
            try:
                items = text.read()
            except ManifestError as error:
                verdicts.mistakes += error.mistakes
                continue
            verdicts.skipped += [item.kind for item in items if objectkinds.has_kind(item, self.skip)]
            sent = ((item, text) for item in items if not objectkinds.has_kind(item, self.skip))
            method, crds = self.method, self.objects.crds
            classified = objectkinds.classify(sent, self.claims, method.kubernetes_version, crds, method.catalog)
            verdicts.unknown += classified.unknown
            verdicts.judged += map(self._describe, classified.resources)
        return verdicts

    def _describe(self, resource: Resource) -> ObjectVerdict:
        outcome = judging.outcome(resource, self.claims, self.method)
        response = outcome.response
        is_shown = self.keeps_stored and outcome.is_accepted
        return ObjectVerdict(
            resource.manifest.where,
            resource.manifest.title,
            resource.title,
            resource.kind,
            resource.version,
            resource.build,
            resource.applier,
            replace(outcome, response=None),
            resource.is_custom,
            resource.schema is not None,
            resource.identity in (self.method.old or ()),
            objectkinds.count_placeholders(resource.manifest.value),
            None if response is None else response.code,
            response.stored if is_shown and response is not None else None,
            outcome.notes if is_shown else (),
        )


def _plan(texts: Sequence[ObjectText], jobs: int) -> Iterator[list[ObjectText]]:
    """Yield texts for the steps of some processes; large texts are split."""
    step: list[ObjectText] = []
    size = 0
    for text in texts:
        parts = text.split(min(jobs, -(-text.size // _STEP))) if text.size > _STEP else [text]
        for part in parts:
            step.append(part)
            size += text.size // len(parts)
            if size >= _STEP or len(parts) > 1:
                yield step
                step, size = [], 0
    if step:
        yield step
