"""Clients of custom resources: bodies that are read already, the guard, and reports to observers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support import crds

from pytest_crd import engine
from pytest_crd.engine import CustomResourceDefinition, Response
from pytest_crd.engine.client import completion
from pytest_crd.engine.observer import ObservedRequest, Observer
from pytest_crd.engine.registry.request import FIXED_VALUES, Request
from pytest_crd.engine.registry.requestbody import Body

CRD = CustomResourceDefinition.from_manifest(
    crds.manifest({"type": "object", "properties": {"spec": {"type": "object"}}}, subresources={"status": {}})
)
V1 = CRD.version("v1")
TYPE = "apiVersion: example.com/v1\nkind: Tab\n"
STORED = {"metadata": {"name": "a"}}
REPEATED = f"{TYPE}metadata: {{name: a, resourceVersion: '1'}}\nspec: {{}}\nspec: {{}}\n"


@pytest.mark.parametrize(
    ("send", "read"),
    [
        (lambda body: V1.create(body, field_validation="Strict"), completion.read),
        (lambda body: V1.update(body, old=STORED, field_validation="Strict"), completion.read),
        (lambda body: V1.update_status(body, old=STORED, field_validation="Strict"), completion.read),
        (lambda body: V1.apply(body, manager="m", field_validation="Strict"), completion.read_applied),
    ],
    ids=["create", "update", "update_status", "apply"],
)
def test_a_read_body_has_the_answer_of_its_text(
    send: Callable[[str | Body], Response], read: Callable[[str], Body]
) -> None:
    response = send(read(REPEATED))

    assert response == send(REPEATED)
    assert 'key "spec" already set in map' in response.message


def test_the_guard_is_called_before_the_body_is_read() -> None:
    def refuse(crd: CustomResourceDefinition) -> None:
        raise engine.CrdError([engine.Mistake(crd.name, 0, "refused")])

    version = CRD.guarded(refuse).version("v1")
    sends: tuple[Callable[[Any], Response], ...] = (
        version.create,
        lambda body: version.update(body, old=STORED),
        lambda body: version.update_status(body, old=STORED),
        lambda body: version.patch(body, old=STORED),
        lambda body: version.scale(STORED, body),
        lambda body: version.apply(body, manager="m"),
    )

    for send in sends:
        with pytest.raises(engine.CrdError, match=r"tabs\.example\.com: refused"):
            send("{")


def test_a_request_of_a_server_is_reported_when_the_server_reports_it() -> None:
    reported: list[tuple[Any, ObservedRequest]] = []
    version = V1.observed_by(Observer(lambda *request: reported.append(request)))
    request = Request("create", completion.read(f"{TYPE}metadata: {{name: a}}"))

    outcome = version.answer(None, request, FIXED_VALUES)

    assert outcome.response.accepted
    assert not reported
    outcome.report()
    assert [(of_version, observed.written) for of_version, observed in reported] == [(version, "object")]


@pytest.mark.parametrize("text", ["kind: Tab", "[]", "a", "metadata: 5", "metadata: {name: 5}"])
def test_an_apply_of_a_malformed_text_is_a_bad_request(text: str) -> None:
    assert V1.apply(text, manager="m").code == 400
    assert V1.apply(text, manager="m", old=STORED).code == 400
