"""What real API servers answered to writes of CRDs themselves is answered here, each over the CRD as it was there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from conformance import crdrequests, sequences
from pytest_crd.engine import profile
from pytest_crd.engine.crds import declared
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import completion, handlers
from pytest_crd.engine.registry.crd import CrdStrategy
from pytest_crd.engine.registry.request import Making, Request
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.engine.registry.response import Response

pytestmark = pytest.mark.replay
JSONValue = Any
VERSIONS: Final = ("1.37", "1.36", "1.35", "1.34", "1.33", "1.32", "1.21")
_AGENT: Final = "fuzz/1"
_OMITTED: Final = ("kind", "apiVersion", "metadata", "status", "code")
_MAKING: Final = Making(lambda: crdrequests.NOW, lambda: crdrequests.UID, lambda: "xxxxx")
# Which answer differs, by the name of the case and the number of the request.
KNOWN: Final[Mapping[tuple[str, int], str]] = {
    (
        "fields and types that there are not",
        8,
    ): "1.21 reads JSON with another library, whose words for what is cut off are others",
}


def _answer(one: crdrequests.Recorded, asked: crdrequests.Request, named: Profile) -> JSONValue:
    verb, body = crdrequests.verb_of(asked), crdrequests.body_of(asked, crdrequests.GROUP)
    stored = None if one.before is None else _versioned(one.before)
    if verb == "apply":
        sent = completion.read_applied(body) if isinstance(body, str) else Body(body)
    elif verb in crdrequests.WHOLE:
        sent = Body(body if stored is None else _versioned(body))
    else:
        sent = (
            Body(None, body) if isinstance(body, str) else Body(None if verb == "strategic" else body, json.dumps(body))
        )
    request = Request(
        "patch" if verb not in crdrequests.WHOLE or verb == "apply" else "create" if stored is None else "update",
        sent,
        f"as.{crdrequests.GROUP}",
        media_type=crdrequests.VERBS[verb],
        field_validation=asked.get("fieldValidation", "Warn"),
        field_manager=asked.get("manager", ""),
        user_agent=_AGENT,
        force=asked.get("force"),
    )
    api_version = (body if verb in crdrequests.WHOLE and isinstance(body, dict) else stored or {}).get("apiVersion")
    return _found(handlers.handle(stored, request, CrdStrategy(named, api_version or declared.V1), _MAKING).response)


def _versioned(crd: JSONValue) -> JSONValue:
    """Return a CRD with a resourceVersion that no request states."""
    return {**crd, "metadata": {**crd["metadata"], "resourceVersion": "9"}}


def _found(response: Response) -> JSONValue:
    found: JSONValue = {"code": response.code}
    if not response.accepted:
        found["status"] = {key: value for key, value in response.status.items() if key not in _OMITTED}
    else:
        found["object"] = response.stored if response.whole is None else response.whole.value
    if response.warnings:
        found["warnings"] = list(response.warnings)
    return found


def _comparable(answer: JSONValue) -> str:
    """Return an answer in one order."""
    return json.dumps(sequences.in_order(answer), sort_keys=True)


def _differences(path: Path, version: str) -> Iterator[dict[str, Any]]:
    """Yield the answers that differ from those of a server."""
    cases = crdrequests.cases(path)
    for one in crdrequests.recorded(path):
        asked = cases[one.case][one.number]
        verb = crdrequests.verb_of(asked)
        if (
            version not in one.versions
            or (verb not in {"create", "apply"} and one.before is None)
            or (verb == "create" and one.before is not None)
        ):
            continue  # what is there or not cannot be asked here
        ours, theirs = map(_comparable, (_answer(one, asked, profile.named(version)), one.answer))
        if ours != theirs:
            yield {"name": one.case, "number": one.number, "theirs": theirs, "ours": ours}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", crdrequests.paths(), ids=lambda path: path.stem)
def test_answers_as_the_server(path: Path, version: str) -> None:
    assert [found for found in _differences(path, version) if (found["name"], found["number"]) not in KNOWN] == []


def test_what_is_known_differs_still() -> None:
    found = {
        (one["name"], one["number"])
        for path in crdrequests.paths()
        for version in VERSIONS
        for one in _differences(path, version)
    }
    assert found == KNOWN.keys()
