"""What real API servers answered to applies and strategic merge patches of CRDs themselves is answered here, each over the CRD as it was there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from conformance import crdrequests, sequences
from pytest_crd.engine import profile
from pytest_crd.engine.crds import forms
from pytest_crd.engine.crds.decoded import decode_crd
from pytest_crd.engine.crds.forms import Forms
from pytest_crd.engine.errors.response import Response
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.requests import completion, crdapplying, crdrequest
from pytest_crd.engine.requests.request import Making, Request
from pytest_crd.engine.requests.requestbody import Body

pytestmark = pytest.mark.replay
JSONValue = Any
VERSIONS: Final = ("1.37", "1.36", "1.35", "1.34", "1.33", "1.32", "1.21")
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
    old = None if one.before is None else forms.of_decoded(decode_crd(_versioned(one.before)), named)
    validation = asked.get("fieldValidation", "Warn")
    if verb == "strategic":
        return _found(_patched(old, body, asked, named))
    sent = Request(
        "patch",
        completion.read_applied(body) if isinstance(body, str) else Body(body),
        f"as.{crdrequests.GROUP}",
        media_type=crdrequests.VERBS[verb],
        field_validation=validation,
        field_manager=asked.get("manager", ""),
        force=asked.get("force"),
    )
    return _found(crdapplying.apply(old, sent, named, _MAKING))


def _versioned(crd: JSONValue) -> JSONValue:
    """Return a CRD with a resourceVersion that no request states."""
    return {**crd, "metadata": {**crd["metadata"], "resourceVersion": "9"}}


def _patched(old: Forms | None, body: JSONValue, asked: crdrequests.Request, named: Profile) -> Response:
    assert old is not None
    text = body if isinstance(body, str) else json.dumps(body)
    return crdrequest.patch(
        old,
        Body(None, text),
        media_type=crdrequests.VERBS["strategic"],
        field_validation=asked.get("fieldValidation", "Warn"),
        profile=named,
    )


def _found(response: Response) -> JSONValue:
    found: JSONValue = {"code": response.code}
    if not response.accepted:
        found["status"] = {key: value for key, value in response.status.items() if key not in _OMITTED}
    else:
        found["object"] = response.stored if response.whole is None else response.whole.value
    if response.warnings:
        found["warnings"] = list(response.warnings)
    return found


def _comparable(answer: JSONValue, verb: str) -> str:
    """Return an answer in one order; of a patch, without what a server makes."""
    whole = sequences.in_order(answer)
    if verb == "strategic" and "object" in whole:
        made = ("creationTimestamp", "generation", "managedFields", "uid")
        metadata = {key: value for key, value in whole["object"]["metadata"].items() if key not in made}
        whole = {**whole, "object": {**whole["object"], "metadata": metadata}}
    return json.dumps(whole, sort_keys=True)


def _differences(path: Path, version: str) -> Iterator[dict[str, Any]]:
    """Yield the answers that differ from those of a server."""
    cases = crdrequests.cases(path)
    for one in crdrequests.recorded(path):
        asked = cases[one.case][one.number]
        verb = crdrequests.verb_of(asked)
        if (
            version not in one.versions
            or verb == "create"
            or (version == "1.21" and verb == "apply")
            or (verb == "strategic" and one.before is None)
        ):
            continue  # what is not there cannot be asked here; a 1.21 that serves CRDs alone refuses each apply of one
        ours = _comparable(_answer(one, asked, profile.named(version)), verb)
        if ours != (theirs := _comparable(one.answer, verb)):
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
