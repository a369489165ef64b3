"""
Replies of a server that are no answer to the request: missing permissions, other failures, and changes by third parties.

Reference:
    apiserver admission/plugin/webhook/errors/statuserror.go, admission/plugin/policy/validating/dispatcher.go,
    admission/plugin/policy/generic/policy_dispatcher.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.client import Server, ServerAnswer
from pytest_crd.live.transport import NoAnswerError

_ADMISSION: Final = re.compile(
    r'admission webhook "[^"]*" (denied the request|does not support dry run)'
    r"|failed calling webhook"
    r"|(ValidatingAdmissionPolicy|MutatingAdmissionPolicy|policy) ['\"][^'\"]*['\"]( with binding '[^']*')? denied request"
)
# Not authenticated, not allowed (by roles or quotas), timed out.
_FORBIDDEN: Final = (401, 403, 408)
# The engine knows no other objects, so a name that is in use says nothing about the CRD.
_TAKEN: Final = "AlreadyExists"
# The message of old servers (405) and new ones (403).
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
    Check that a reply that differs from the engine's is an answer to the request.

    Raises:
        NoAnswerError: It is not.
    """
    reason = answer.body.get("reason") if isinstance(answer.body, dict) else None
    is_foreign = reason == _TAKEN or _ENDING in answer.message or _ADMISSION.search(answer.message)
    if answer.code in _FORBIDDEN or answer.code >= 500 or is_foreign:
        raise NoAnswerError(f"{answer.code} {answer.message}")


def refuse_as_changed(server: Server, resource: tuple[str, str], ours: Facts, theirs: Facts) -> None:
    """
    Check that no admission plugin explains the difference between *ours* and *theirs*; plugins change objects and add warnings.

    Args:
        server: The server.
        resource: Group and plural of the object.
        ours: The engine's answer.
        theirs: The server's answer.

    Raises:
        NoAnswerError: A plugin matches such objects; the message names it.
    """
    if not any("stored" in facts for facts in (ours, theirs)) or ours["code"] != theirs["code"]:
        return
    if names := [f"{kind}/{item['metadata']['name']}" for kind, item in _plugins(server) if _is_about(item, *resource)]:
        raise NoAnswerError(f"the object, or the warnings, may be changed by {', '.join(names)}")


def refuse_as_touched(
    server: Server, path: str, stored: Mapping[str, JSONValue], keys: Iterable[str] = ("uid", "resourceVersion")
) -> None:
    """
    Check that an object on the server is unchanged, so that others have not influenced the answer.

    Args:
        server: The server.
        path: The URL path of the object.
        stored: The object as it was.
        keys: The metadata that change with the object.

    Raises:
        NoAnswerError: It was replaced, changed or removed, or is being deleted.
    """
    answer = server.ask("GET", path)
    before, now = stored["metadata"], answer.body["metadata"] if answer.code == 200 else {}
    if any(before.get(key) != now.get(key) for key in (*keys, "deletionTimestamp")):
        raise NoAnswerError(f"the {path.split('/')[-2]} that is asked about was changed or removed meanwhile")


def _plugins(server: Server) -> Iterator[tuple[str, Mapping[str, JSONValue]]]:
    for kind in _PLUGINS:
        answer = server.ask("GET", f"{_REGISTRATION}/{kind}")
        # Plugins that may not be listed stay unknown.
        yield from ((kind, item) for item in (answer.body.get("items") or () if answer.code == 200 else ()))


def _is_about(plugin: Mapping[str, JSONValue], group: str, plural: str) -> bool:
    """Return whether an admission plugin matches objects of a group and plural."""
    policy_rules = ((plugin.get("spec") or {}).get("matchConstraints") or {}).get("resourceRules") or ()
    webhook_rules = (rule for webhook in plugin.get("webhooks") or () for rule in webhook.get("rules") or ())
    resources = {"*", "*/*", plural, f"{plural}/*", f"{plural}/status"}
    return any(
        {"*", group} & {*(rule.get("apiGroups") or ())} and resources & {*(rule.get("resources") or ())}
        for rule in (*policy_rules, *webhook_rules)
    )
