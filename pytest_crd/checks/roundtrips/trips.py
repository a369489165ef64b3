"""One object, converted to another version of its CRD and back as the server does between two requests."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine import CrdVersion, DecodeError, FieldError, InputError, Response, jsonvalue
from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.registry import resourcerules
from pytest_crd.engine.registry.conversion import ConversionFailedError
from pytest_crd.engine.registry.request import FIXED_VALUES
from pytest_crd.engine.schema.structural import META_FIELDS
from pytest_crd.synthesis.recentanswers import RecentAnswers

Resource: TypeAlias = Mapping[str, Any]

# The metadata that a webhook may change.
_CHANGEABLE: Final = ("labels", "annotations")
# The time for all conversions of a check; after it, objects are no longer shrunk.
_MOST_SECONDS: Final = 10.0
_SENT: Final = ("name", "namespace", *_CHANGEABLE)


class AcceptedObject(NamedTuple):
    """
    An object that the server accepts.

    Attributes:
        resource: The object as a client sends it.
        stored: The object with the metadata of the server, and with defaults.
    """

    resource: Resource
    stored: Resource


class RoundTrip(NamedTuple):
    """
    The conversions of one object.

    Attributes:
        accepted: The object.
        there: The object in the other version; None if the conversion is refused.
        back: The object in its first version again; None if a conversion is refused.
        refusal: The message of a refused conversion; empty if both succeed.
        errors: The errors of the other version about the converted object.
        twin: The result of the same conversion again, as the webhook returns it; None without a webhook.
        first: The result of the conversion, as the webhook returns it; None without a webhook.
    """

    accepted: AcceptedObject
    there: Resource | None = None
    back: Resource | None = None
    refusal: str = ""
    errors: tuple[FieldError, ...] = ()
    twin: Resource | None = None
    first: Resource | None = None


class Conversions:
    """
    The conversions of a check.

    Attributes:
        count: The number of calls of webhooks.
        seconds: The time that they took.
    """

    def __init__(self) -> None:
        self.count = 0
        self.seconds = 0.0

    @property
    def is_time_spent(self) -> bool:
        """Whether the conversions took so long that no more are called than necessary."""
        return self.seconds > _MOST_SECONDS

    def convert(self, resource: Resource, target: CrdVersion) -> Resource:
        """
        Return an object in the version *target*, as its webhook returns it.

        Raises:
            ConversionFailedError: The server refuses the response of the webhook.
            InputError: The webhook of the project fails.
        """
        api_version = f"{target.crd.group}/{target.name}"
        converter = target.converter
        if converter is None:
            return {**resource, "apiVersion": api_version}
        begin = time.perf_counter()
        try:
            return converter.convert(jsonvalue.copy(resource), api_version)
        finally:
            self.count += 1
            self.seconds += time.perf_counter() - begin


class RoundTripWriter:
    """Writes to one version that call no webhooks."""

    def __init__(self, version: CrdVersion) -> None:
        self._version = version.crd.with_webhooks(None).version(version.name).unobserved
        self._answers = RecentAnswers(self._write)

    def write(self, resource: Resource) -> Response:
        """Return the answer to a create or, if the status is a subresource, to the update of the status after it."""
        return self._answers(resource)

    def _write(self, resource: Resource) -> Response:
        version = self._version
        answer = version.create(resource, field_validation="Strict")
        if not answer.accepted or not version.has_status or "status" not in resource:
            return answer
        body = {**answer.stored, "status": resource["status"]}
        return version.update_status(body, old=answer.stored, field_validation="Strict")

    def begin(self, resource: Resource) -> AcceptedObject | None:
        """Return the start of a trip; None if the server refuses the object."""
        answer = self.write(resource)
        if not answer.accepted:
            return None
        passes = self._version.passes
        settled = passes.default(passes.prune(resource).value).value
        metadata = systemmetadata.of_created(uid=FIXED_VALUES.uid(), now=FIXED_VALUES.now())
        return AcceptedObject(resource, {**settled, "metadata": {**answer.stored["metadata"], **metadata}})


class Route:
    """
    The way from one version to another and back.

    Attributes:
        source: The first version.
        target: The other version.
        conversions: The conversions of all routes.
    """

    def __init__(self, source: CrdVersion, target: CrdVersion, conversions: Conversions) -> None:
        """Create from two versions and the conversions to count."""
        self.source = source
        self.target = target
        self.conversions = conversions
        self._writer = RoundTripWriter(source)
        self._arrivals = RoundTripWriter(target)

    def __str__(self) -> str:
        """Return the versions for reports: `v1 → v1beta1 → v1`."""
        return f"{self.source.name} → {self.target.name} → {self.source.name}"

    def begin(self, resource: Resource) -> AcceptedObject | None:
        """Return the start of a trip; None if the server refuses the object."""
        return self._writer.begin(resource)

    def run(self, accepted: AcceptedObject, *, is_repeated: bool = False) -> RoundTrip:
        """
        Return the result of a trip.

        The defaults of the other version are set, as by a client that writes the converted object.

        Args:
            accepted: The object.
            is_repeated: Whether the first conversion is called twice.
        """
        start = accepted.stored
        first, refusal = self._convert(start, self.target)
        there, refusal = (None, refusal) if first is None else self._read(first, self.target)
        if there is None:
            return RoundTrip(accepted, refusal=f"{self.source.name} → {self.target.name}: {refusal}")
        twin = self._convert(start, self.target)[0] if is_repeated and self.target.converter is not None else None
        converted, refusal = self._convert(self.target.passes.default(there).value, self.source)
        back, refusal = (None, refusal) if converted is None else self._read(converted, self.source)
        if back is None:
            return RoundTrip(accepted, there, refusal=f"{self.target.name} → {self.source.name}: {refusal}")
        if self.source.storage:
            back = self.source.passes.default(back).value
        return RoundTrip(accepted, there, back, errors=self._errors(there), twin=twin, first=first)

    def _convert(self, resource: Resource, target: CrdVersion) -> tuple[Resource | None, str]:
        """Return the converted object, or the reason of a refusal."""
        try:
            return self.conversions.convert(resource, target), ""
        except (ConversionFailedError, InputError) as error:
            return None, str(error)

    def _read(self, converted: Resource, version: CrdVersion) -> tuple[Resource | None, str]:
        """Return a converted object as a request reads it, or the reason of a refusal."""
        try:
            return version.passes.drop_nulls(version.passes.prune(converted).value), ""
        except DecodeError as error:
            return None, str(error)

    def _errors(self, there: Resource) -> tuple[FieldError, ...]:
        """Return the errors of the next write of a converted object."""
        if not self.target.served:
            return ()
        metadata = {name: value for name, value in there["metadata"].items() if name in _SENT}
        answer = self._arrivals.write({**there, "metadata": metadata})
        return tuple(error for error in answer.errors if not resourcerules.is_notice(error))


def select_compared(resource: Resource, carriers: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the parts of an object that a conversion can change, without the annotations *carriers*."""
    metadata = resource.get("metadata") or {}
    changeable = {
        name: {key: value for key, value in (metadata.get(name) or {}).items() if key not in carriers}
        for name in _CHANGEABLE
    }
    return {"metadata": changeable, **{name: value for name, value in resource.items() if name not in META_FIELDS}}


def find_carriers(trip: RoundTrip) -> frozenset[str]:
    """Return the annotations that only the way back adds: they carry parts that this version cannot hold."""
    start, there, back = (_annotations(item) for item in (trip.accepted.stored, trip.there, trip.back))
    return frozenset(back - start - there)


def _annotations(resource: Resource | None) -> set[str]:
    return {*(((resource or {}).get("metadata") or {}).get("annotations") or ())}
