"""
What keeps a server from answering though it replies: who asks may not, something else fails, or others meddle.

Reference:
    apiserver admission/plugin/webhook/errors/statuserror.go, admission/plugin/policy/validating/dispatcher.go,
    admission/plugin/policy/generic/policy_dispatcher.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.client import Server, ServerAnswer
from pytest_crd.live.transport import NoAnswerError

JSONValue = Any

_ADMISSION: Final = re.compile(
    r'admission webhook "[^"]*" (denied the request|does not support dry run)'
    r"|failed calling webhook"
    r"|(ValidatingAdmissionPolicy|MutatingAdmissionPolicy|policy) ['\"][^'\"]*['\"]( with binding '[^']*')? denied request"
)
# Not logged in, not allowed (by roles or quotas), given up on.
_FORBIDDEN: Final = (401, 403, 408)
# The engine knows of no other object: that there is one of that name says nothing of the CRD.
_TAKEN: Final = "AlreadyExists"
# 405 of old servers, 403 of new ones.
_ENDING: Final = "not allowed while custom resource definition is terminating"
_REGISTRATION: Final = "/apis/admissionregistration.k8s.io/v1"
_PLUGINS: Final = (
    "mutatingwebhookconfigurations",
    "mutatingadmissionpolicies",
    "validatingwebhookconfigurations",
    "validatingadmissionpolicies",
)


def refuse_as_no_answer(answer: ServerAnswer) -> None:
    """
    Pass where a server's reply, which is not the engine's, is an answer to what was asked.

    Raises:
        NoAnswerError: It is none.
    """
    reason = answer.body.get("reason") if isinstance(answer.body, dict) else None
    is_of_others = reason == _TAKEN or _ENDING in answer.message or _ADMISSION.search(answer.message)
    if answer.code in _FORBIDDEN or answer.code >= 500 or is_of_others:
        raise NoAnswerError(f"{answer.code} {answer.message}")


def refuse_as_changed(server: Server, resource: tuple[str, str], ours: Facts, theirs: Facts) -> None:
    """
    Pass where no admission plugin can have made *theirs* of an answer *ours*: they change objects, and they warn.

    Args:
        server: The server.
        resource: Group and plural of the object.
        ours: The engine's answer.
        theirs: The server's.

    Raises:
        NoAnswerError: One is asked about such objects; which one.
    """
    if not any("stored" in one for one in (ours, theirs)) or ours["code"] != theirs["code"]:
        return
    if found := [f"{kind}/{item['metadata']['name']}" for kind, item in _plugins(server) if _is_about(item, *resource)]:
        raise NoAnswerError(f"the object, or the warnings, may be changed by {', '.join(found)}")


def refuse_as_touched(
    server: Server, path: str, stored: Mapping[str, JSONValue], keys: Iterable[str] = ("uid", "resourceVersion")
) -> None:
    """
    Pass where an object is still as we know it, so that others have not had a hand in what the server says of it.

    Args:
        server: The server.
        path: The URL path of the object.
        stored: The object as we know it.
        keys: The metadata that tell one state of it from another.

    Raises:
        NoAnswerError: It is another one, or gone, or about to go.
    """
    answer = server.ask("GET", path)
    known, found = stored["metadata"], answer.body["metadata"] if answer.code == 200 else {}
    if any(known.get(key) != found.get(key) for key in (*keys, "deletionTimestamp")):
        raise NoAnswerError(f"the {path.split('/')[-2]} that is asked about was changed or removed meanwhile")


def _plugins(server: Server) -> Iterator[tuple[str, Mapping[str, JSONValue]]]:
    for kind in _PLUGINS:
        answer = server.ask("GET", f"{_REGISTRATION}/{kind}")
        # Where they may not be listed, nobody knows of any.
        yield from ((kind, item) for item in (answer.body.get("items") or () if answer.code == 200 else ()))


def _is_about(plugin: Mapping[str, JSONValue], group: str, plural: str) -> bool:
    """Return whether an admission plugin is asked about objects of a group and plural."""
    of_policy = ((plugin.get("spec") or {}).get("matchConstraints") or {}).get("resourceRules") or ()
    of_webhooks = (rule for webhook in plugin.get("webhooks") or () for rule in webhook.get("rules") or ())
    resources = {"*", "*/*", plural, f"{plural}/*", f"{plural}/status"}
    return any(
        {"*", group} & {*(rule.get("apiGroups") or ())} and resources & {*(rule.get("resources") or ())}
        for rule in (*of_policy, *of_webhooks)
    )
