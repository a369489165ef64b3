"""Effects of the new CRD's conversion webhook on objects, also on objects that are stored in an old storage version."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pytest_crd.engine import CrdVersion, CustomResourceDefinition, InputError
from pytest_crd.engine.api.context import ConversionWebhooks
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.crds.internalspec import Conversion
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.conversion import ConversionFailedError, VersionConverter
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import shrinking
from pytest_crd.upgrades import crdwrites, effects
from pytest_crd.upgrades.collection import VersionCollection
from pytest_crd.upgrades.effects import Change
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Effect, Finding, Kind, Resource, Witness

_MOST_OBJECTS: Final = 40


class UpgradeWebhooks(ConversionWebhooks):
    """The conversion webhooks of a project for upgrades: a webhook that fails refuses the object."""

    def converter(self, crd: CrdSpec, conversion: Conversion, profile: Profile) -> VersionConverter | None:
        """Return the conversion webhook of a CRD; None if it is not known how to call it."""
        converter = super().converter(crd, conversion, profile)
        return None if converter is None else _RefusingConverter(converter)


class _RefusingConverter(NamedTuple):
    """A conversion webhook with failures of the project as refusals."""

    converter: VersionConverter

    def convert(self, resource: JSONObject, api_version: str) -> JSONObject:
        """Return the converted object; raise ConversionFailedError for each failure."""
        try:
            return self.converter.convert(resource, api_version)
        except InputError as error:
            first, *others = str(error).splitlines()
            raise ConversionFailedError(" ".join((first, *(line.strip() for line in others[-1:])))) from None


def prepare(crd: CustomResourceDefinition) -> CustomResourceDefinition:
    """Return a CRD with its conversion webhook only: admission is no part of an upgrade."""
    return crd if crd.webhooks is None else crd.with_webhooks(UpgradeWebhooks(crd.webhooks))


def search(findings: VersionCollection, resources: Iterable[Resource]) -> None:
    """
    Add the effects of the new CRD's webhook on objects of one version.

    Args:
        findings: The findings of the version.
        resources: Objects of the project, then generated ones.
    """
    objects = [*itertools.islice(resources, _MOST_OBJECTS)]
    if not findings.new.version.storage:
        _add_lost_values(findings, objects)
    if findings.old.version.storage:
        for finding in _find_refused_reads(findings, objects):
            findings.add_finding(finding)


def _add_lost_values(findings: VersionCollection, resources: Sequence[Resource]) -> None:
    """Add the effects of a conversion to the storage version and back."""
    reported: set[tuple[Kind, Place, str]] = set()
    for resource in resources:
        for effect in effects.find_change(resource, findings.old, findings.new).effects:
            key = (effect.kind, effect.place, effect.cause)
            if key not in reported:
                reported.add(key)
                findings.add_effect(*_shrink(effect, resource, findings))


def _shrink(effect: Effect, resource: Resource, findings: VersionCollection) -> tuple[Effect, Change]:
    """Return an effect with the smallest object that shows it."""

    def find_same(candidate: Resource) -> list[tuple[Effect, Change]]:
        change = effects.find_change(candidate, findings.old, findings.new)
        return [(item, change) for item in change.effects if effects.is_same(item, effect)]

    return find_same(shrinking.shrink(resource, lambda candidate: bool(find_same(candidate))))[0]


class _Read(NamedTuple):
    """A read of objects that the old CRD has stored, in a version of the new CRD."""

    old: Subject
    target: CrdVersion

    def witness(self, resource: Resource) -> Witness:
        """Return an object with the answers to its create before and to its read now."""
        before = self.old.write(resource)
        after = self.target.crd.convert(
            before.stored_if_accepted or {}, stored_as=self.old.version.name, to=self.target.name
        )
        return Witness(resource, before, after)

    def is_refused(self, resource: Resource) -> bool:
        """Return True if the object was stored before, and cannot be read now."""
        witness = self.witness(resource)
        return witness.before.accepted and not witness.after.accepted


def _find_refused_reads(findings: VersionCollection, resources: Sequence[Resource]) -> Iterator[Finding]:
    """Yield a finding for each version in which the server cannot read objects of the old storage version."""
    old, new = findings.old.version, findings.new.version
    converted_before = {item.name for item in old.crd.versions if item.served and item.unknown_when_stored}
    for target in new.crd.versions:
        if not target.served or target.name in {new.name, *converted_before}:
            continue
        read = _Read(findings.old, target)
        refused = next(filter(read.is_refused, resources), None)
        if refused is not None:
            witness = read.witness(shrinking.shrink(refused, read.is_refused))
            words = f"stored as {old.name}, it cannot be read as {target.name}: {witness.after.message}"
            lines = (crdwrites.line_of(old, "storage"), crdwrites.line_of(new, "storage"))
            yield Finding(Kind.REFUSED, ".", words, (old.name,), (lines,), witness)
