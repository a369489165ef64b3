"""Types, defaults and validation of policies and bindings, as servers answer to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from conformance import policyobjects, serverside
from conformance.policyobjects import Case

from pytest_crd.engine import profile
from pytest_crd.engine.golang import decoding
from pytest_crd.policies import policytypes
from pytest_crd.policies.validation import objectvalidation

_RECORDED = list(policyobjects.recorded())


def _decoded(value: Mapping[str, Any], kind: str, version: str, kubernetes: str) -> Mapping[str, Any]:
    value = {**value, "metadata": {key: item for key, item in value["metadata"].items() if key != "namespace"}}
    decoded = decoding.decode(value, policytypes.type_of(kind, version, profile.named(kubernetes))).value
    return policytypes.defaulted(decoded, kind, version)


@pytest.mark.parametrize(
    ("kubernetes", "case", "expected"), _RECORDED, ids=[f"{version}: {case.name}" for version, case, _ in _RECORDED]
)
def test_the_answers_of_servers_are_given(kubernetes: str, case: Case, expected: Mapping[str, Any]) -> None:
    version, known = case.api_version(kubernetes).rpartition("/")[2], profile.named(kubernetes)
    if expected["code"] == 400:
        with pytest.raises(decoding.DecodeError) as refused:
            _decoded(case.new, case.kind, version, kubernetes)
        assert expected["message"].endswith(str(refused.value))
        return
    new = _decoded(case.new, case.kind, version, kubernetes)
    if "name" not in new["metadata"]:
        new = {**new, "metadata": {**new["metadata"], "name": "gen-xxxxx"}}
    if case.old is None:
        errors = objectvalidation.validate_create(case.kind, new, known)
    else:
        old = _decoded(case.old, case.kind, version, kubernetes)
        errors = objectvalidation.validate_update(case.kind, new, old, known)
    if messages := [str(error) for error in errors]:
        assert messages == expected.get("errors")
        return
    assert expected["code"] in (200, 201)
    assert {key: value for key, value in new["spec"].items() if value not in ([], "")} == expected["spec"]


@pytest.mark.parametrize(
    ("case", "expected"),
    [(case, expected) for version, case, expected in _RECORDED if version == "1.37"],
    ids=[case.name for version, case, _ in _RECORDED if version == "1.37"],
)
def test_crd_server_gives_the_answers_of_a_server(case: Case, expected: Mapping[str, Any]) -> None:
    send = serverside.sender([], "1.37", [])
    assert policyobjects.ask(send, case, "1.37") == expected
