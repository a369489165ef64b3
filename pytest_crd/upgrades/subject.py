"""A version of a CRD to which objects are written as clients and controllers do, with a separate request for the status."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, TypeVar

from pytest_crd.engine import CrdVersion, FieldValidation, Response
from pytest_crd.engine.registry.response import Changes
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.recentanswers import RecentAnswers
from pytest_crd.upgrades.upgradefindings import Resource

TextT = TypeVar("TextT", bound=str)


_LABELS: Final = {"upgrade": "tried"}


class Subject:
    """
    A version of a CRD.

    Attributes:
        version: The version; it is served.
        root: The schema demands on its objects.
        create: Returns the answer to a POST of an object, under the default field validation, `Warn`.
    """

    def __init__(self, version: CrdVersion) -> None:
        self.version = (
            version.unobserved
        )  # The objects are synthetic, so their answers do not count as a test's requests.
        self.root = Demand.of_version(version)
        self.create = RecentAnswers(self.version.create)

    def write(self, resource: Resource, *, field_validation: FieldValidation = "Warn") -> Response:
        """Return the answer to a POST of *resource* or, if the status is a subresource, to the PUT of the status after it."""
        is_warned = field_validation == "Warn"
        answer = (
            self.create(resource) if is_warned else self.version.create(resource, field_validation=field_validation)
        )
        return self._with_status(resource, answer, field_validation)

    def overwrite(self, resource: Resource, stored: Resource) -> Response:
        """Return the answer to a PUT of *resource* over *stored* or, if the status is a subresource, to the PUT of the status after it."""
        return self._with_status(resource, self.version.update(resource, old=stored), "Warn")

    def relabel(self, stored: Resource) -> Response:
        """Return the answer to a PUT of a stored object that changes its metadata alone: one label."""
        metadata = stored.get("metadata") or {}
        labelled = {**metadata, "labels": {**(metadata.get("labels") or {}), **_LABELS}}
        return self.version.update({**stored, "metadata": labelled}, old=stored)

    def read(self, stored: Resource) -> Resource:
        """Return a stored object as a request reads it: pruned, defaulted and not validated."""
        version = self.version
        read: Resource = version.strategy.read({**stored, "apiVersion": version.stored_as or stored["apiVersion"]}, "")
        return read

    def settle(self, resource: Resource) -> Resource:
        """Return *resource* pruned and defaulted as by a write, but not validated."""
        passes = self.version.passes
        settled: Resource = passes.default(passes.prune(resource, drop_malformed=True).value).value
        return settled

    def _with_status(self, resource: Resource, answer: Response, field_validation: FieldValidation) -> Response:
        status = resource.get("status")
        if not answer.accepted or status is None or not self.version.has_status:
            return answer
        body = {**answer.stored, "status": status}
        last = self.version.update_status(body, old=answer.stored, field_validation=field_validation)
        first, changes = answer.changes, last.changes
        both = Changes(
            _merge_unique(first.pruned, changes.pruned),
            _merge_unique(first.defaulted, changes.defaulted),
            _merge_unique(first.nulls, changes.nulls),
            _merge_unique(first.lost, changes.lost),
        )
        return replace(last, warnings=_merge_unique(answer.warnings, last.warnings), changes=both)


def _merge_unique(first: Iterable[TextT], second: Iterable[TextT]) -> tuple[TextT, ...]:
    return tuple(dict.fromkeys((*first, *second)))
