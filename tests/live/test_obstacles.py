"""Replies of a server that are no answer to the request."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from live.fakeserver import FakeServer
from live.loopback import Reply, serving

from pytest_crd.live import client, obstacles
from pytest_crd.live.client import ServerAnswer
from pytest_crd.live.transport import NoAnswerError


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (401, "Unauthorized"),
        (403, 'things.g is forbidden: User "u" cannot create resource "things"'),
        (408, "Timeout"),
        (500, "panic"),
        (500, 'Internal error occurred: failed calling webhook "a.b": refused'),
        (405, "create not allowed while custom resource definition is terminating"),
        (400, 'admission webhook "a.b" denied the request: no'),
        (400, 'admission webhook "a.b" denied the request without explanation'),
        (400, 'admission webhook "a.b" does not support dry run'),
        (422, "things.g \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"),
        (422, "ValidatingAdmissionPolicy 'p' denied request: no"),
        (422, "policy 'p' with binding 'b' denied request: no"),
        (422, 'policy "p" denied request: no'),
    ],
)
def test_refusals_by_others_than_the_crd_are_no_answers(code: int, message: str) -> None:
    with pytest.raises(NoAnswerError) as raised:
        obstacles.refuse_as_no_answer(ServerAnswer(code, {"message": message}, ()))

    assert str(raised.value) == f"{code} {message}"


def test_a_name_that_is_in_use_is_no_answer() -> None:
    body = {"reason": "AlreadyExists", "message": 'things.g "a" already exists'}

    with pytest.raises(NoAnswerError, match=r'^409 things\.g "a" already exists$'):
        obstacles.refuse_as_no_answer(ServerAnswer(409, body, ()))


@pytest.mark.parametrize("code", [201, 400, 404, 409, 422])
def test_refusals_of_the_crd_are_answers(code: int) -> None:
    obstacles.refuse_as_no_answer(ServerAnswer(code, {"message": "spec.a: Required value"}, ()))


STORED = {"code": 201, "stored": {"a": 1}}
CHANGED = {"code": 201, "stored": {"a": 2}}
REFUSED = {"code": 422, "message": "no"}


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        (STORED, CHANGED, ["mutatingwebhookconfigurations/all", "validatingadmissionpolicies/mine"]),
        (STORED, REFUSED, []),
        (REFUSED, {**REFUSED, "message": "yes"}, []),
    ],
)
def test_plugins_that_may_have_changed_an_object_are_named(ours: Any, theirs: Any, found: list[str]) -> None:
    fake = FakeServer()
    rule = {"apiGroups": ["*"], "resources": ["*"]}
    of_policy = {"apiGroups": ["g"], "resources": ["things/*"]}
    lists = {
        "mutatingwebhookconfigurations": [
            {"metadata": {"name": "all"}, "webhooks": [{}, {"rules": [rule]}]},
            {"metadata": {"name": "of others"}, "webhooks": [{"rules": [{**rule, "apiGroups": ["apps"]}, {}]}]},
            {"metadata": {"name": "of pods"}, "webhooks": [{"rules": [{**rule, "resources": ["pods"]}]}]},
        ],
        "mutatingadmissionpolicies": None,
        "validatingadmissionpolicies": [
            {"metadata": {"name": "mine"}, "spec": {"matchConstraints": {"resourceRules": [of_policy]}}},
            {"metadata": {"name": "of none"}, "spec": {}},
        ],
    }

    def interfere(_: str, url: str, __: Any) -> Reply:
        kind = url.rpartition("/")[2]
        return Reply(200, json.dumps({"items": lists[kind]})) if kind in lists else Reply(403, "{}")

    fake.interfere = interfere
    with serving(fake) as url, contextlib.closing(client.Server(url)) as server, contextlib.ExitStack() as stack:
        if found:
            words = f"the object, or the warnings, may be changed by {', '.join(found)}"
            stack.enter_context(pytest.raises(NoAnswerError, match=f"^{words}$"))
        obstacles.refuse_as_changed(server, ("g", "things"), ours, theirs)
