"""The engine answers writes of CRDs like real API servers, for each recorded state of the CRD."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from conformance import crdrequests, sequences
from pytest_crd.engine import profile
from pytest_crd.engine.client import completion
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import handlers
from pytest_crd.engine.registry.crd import CrdStrategy
from pytest_crd.engine.registry.request import GeneratedValues, Request
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.engine.registry.response import Response

pytestmark = pytest.mark.replay
VERSIONS: Final = ("1.37", "1.36", "1.35", "1.34", "1.33", "1.32", "1.21")
_AGENT: Final = "fuzz/1"
_OMITTED: Final = ("kind", "apiVersion", "metadata", "status", "code")
_MAKING: Final = GeneratedValues(lambda: crdrequests.NOW, lambda: crdrequests.UID, lambda: "xxxxx")
# Known differences by the name of the case and the number of the request.
KNOWN: Final[Mapping[tuple[str, int], str]] = {
    (
        "fields and types that there are not",
        8,
    ): "1.21 reads JSON with another library, which has different messages for truncated JSON",
}


def _answer(recorded: crdrequests.Recorded, step: crdrequests.Request, named: Profile) -> JSONValue:
    verb, body = crdrequests.verb_of(step), crdrequests.body_of(step, crdrequests.GROUP)
    stored = None if recorded.before is None else _versioned(recorded.before)
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
        field_validation=step.get("fieldValidation", "Warn"),
        field_manager=step.get("manager", ""),
        user_agent=_AGENT,
        force=step.get("force"),
    )
    api_version = (body if verb in crdrequests.WHOLE and isinstance(body, dict) else stored or {}).get("apiVersion")
    return _answer_of(
        handlers.handle(stored, request, CrdStrategy(named, api_version or declared.V1), _MAKING).response
    )


def _versioned(crd: JSONValue) -> JSONValue:
    """Return a CRD with a resourceVersion that no request has."""
    return {**crd, "metadata": {**crd["metadata"], "resourceVersion": "9"}}


def _answer_of(response: Response) -> JSONValue:
    answer: JSONValue = {"code": response.code}
    if not response.accepted:
        answer["status"] = {key: value for key, value in (response.status or {}).items() if key not in _OMITTED}
    else:
        answer["object"] = response.stored if response.whole is None else response.whole.value
    if response.warnings:
        answer["warnings"] = list(response.warnings)
    return answer


def _comparable(answer: JSONValue) -> str:
    """Return an answer as a text in canonical order."""
    return json.dumps(sequences.in_order(answer), sort_keys=True)


def _differences(path: Path, version: str) -> Iterator[dict[str, Any]]:
    """Yield the answers that differ from the server's."""
    cases = crdrequests.cases(path)
    for recorded in crdrequests.recorded(path):
        step = cases[recorded.case][recorded.number]
        verb = crdrequests.verb_of(step)
        if (
            version not in recorded.versions
            or (verb not in {"create", "apply"} and recorded.before is None)
            or (verb == "create" and recorded.before is not None)
        ):
            continue  # needs a server that knows whether the CRD exists
        ours, theirs = map(_comparable, (_answer(recorded, step, profile.named(version)), recorded.answer))
        if ours != theirs:
            yield {"name": recorded.case, "number": recorded.number, "theirs": theirs, "ours": ours}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", crdrequests.paths(), ids=lambda path: path.stem)
def test_answers_equal_those_of_the_server(path: Path, version: str) -> None:
    assert [
        difference
        for difference in _differences(path, version)
        if (difference["name"], difference["number"]) not in KNOWN
    ] == []


@pytest.mark.long
def test_known_differences_exist() -> None:
    differing = {
        (difference["name"], difference["number"])
        for path in crdrequests.paths()
        for version in VERSIONS
        for difference in _differences(path, version)
    }
    assert differing == KNOWN.keys()
