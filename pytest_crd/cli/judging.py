"""What becomes of objects that are sent to a server: created, updated where they are stored already, or applied."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from pytest_crd.checks import samples
from pytest_crd.checks.samplefiles import Claims
from pytest_crd.checks.samples import SampleOutcome
from pytest_crd.cli.objectfiles import Identity, Resource
from pytest_crd.engine import Response, Version
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.requests import completion
from pytest_crd.engine.requests.requestbody import Body

_INVALID: Final = 422
_KEPT: Final = "kept as it was so before, a create would be refused"


class Way(NamedTuple):
    """
    How objects are sent.

    Attributes:
        manager: The field manager of applies; empty for creates and updates.
        force: Whether applies take over the fields of others.
        old: The objects as they are stored before; None where nobody has said which there are.
    """

    manager: str
    force: bool
    old: Mapping[Identity, Resource] | None


def outcome(resource: Resource, claims: Claims, way: Way) -> SampleOutcome:
    """
    Return what becomes of an object; of alternatives that claim it under that which takes it best.

    An update that passes though a create would not, as what is wrong was so before, is warned of.
    """
    found = _best(resource, claims, way)
    is_update = not way.manager and resource.identity in (way.old or {})
    if not is_update or found.response is None or not found.response.accepted:
        return found
    created = _best(resource, claims, way._replace(old=None))
    if created.response is None or created.response.code != _INVALID:
        return found
    kept = (one._replace(text=f"{_KEPT}: {one.text}") for one in created.findings)
    return replace(found, warnings=(*found.warnings, *kept))


def _best(resource: Resource, claims: Claims, way: Way) -> SampleOutcome:
    ask = functools.partial(_asked, resource, way=way)
    crds = claims[resource.group, resource.kind]
    found = (samples.judge_under(resource.manifest, resource.version, crd, ask) for crd in crds)
    return min(found, key=lambda one: len(one.findings))


def _asked(resource: Resource, version: Version, *, way: Way) -> Response:
    before = (way.old or {}).get(resource.identity)
    old: JSONValue = None if before is None else before.manifest.value
    text = printing.marshal(resource.manifest.value)
    requests = version.requests
    if way.manager:
        return requests.apply(completion.read_applied(text), old=old, manager=way.manager, force=way.force)
    if old is not None:
        return requests.update(Body(resource.manifest.value), old=old)
    return requests.create(completion.read(text))
