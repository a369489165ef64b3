"""What the engine answers to a sequence of requests, in the form in which a server's answers are recorded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from conformance import sequences
from conformance.sequences import Answer, Request
from pytest_crd.engine import jsonvalue, profile
from pytest_crd.engine.api import crdanswers
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.registry import completion, handlers, request
from pytest_crd.engine.registry.customresource import CustomResourceStrategy
from pytest_crd.engine.registry.request import Making
from pytest_crd.engine.registry.requestbody import Body

JSONValue = Any
# What a request of a sequence is to the engine.
_VERBS: Final = {"create": "create", "update": "update", "updateOnto": "update"}
_OMITTED: Final = ("kind", "apiVersion", "metadata", "status", "code")
_USER_AGENT: Final = "fuzz/1"
# Requests that are about something else than what a server makes of what is sent.
UNANSWERED: Final = ("crd", "get", "delete")


class Conversation:
    """A sequence under way: what is stored, and what was answered last and first."""

    def __init__(self, crd: JSONValue, version: str) -> None:
        """Take the CRD and the Kubernetes version."""
        named = profile.named(version)
        self._crd = crd
        self._answers = CrdAnswers(crdanswers.decoded(jsonvalue.from_python(crd), named, ""), named, None)
        self._stored: JSONValue = None
        self._resource_version = 0
        self._last: JSONValue = None
        self._first: JSONValue = None
        self._uids: list[str] = []

    def ask(self, number: int, asked: Request) -> Answer:
        """Return the answer to the request of a *number*, which is its second of time."""
        verb, on = sequences.verb_of(asked), asked.get("subresource", "")
        body = sequences.body_of(self._crd, asked, self._last, self._first)
        making = Making(lambda: f"2026-01-01T00:00:{number:02d}Z", lambda: f"made-uid-{number}", lambda: "xxxxx")
        sent = request.Request(
            _VERBS.get(verb, "patch"),  # type: ignore[arg-type] # one of three
            _body(body, verb),
            "" if verb == "create" else sequences.NAME,
            subresource=on,
            field_validation=asked.get("fieldValidation", "Warn"),
            media_type=asked.get("mediaType", sequences.MEDIA_TYPES.get(verb, "")),
            resource_version=str(self._resource_version or ""),
            field_manager=asked.get("manager", ""),
            force=asked.get("force"),
            dry_run=asked.get("dryRun", False),
            user_agent=asked.get("userAgent", _USER_AGENT),
        )
        strategy = self._strategy(sequences.version_of(self._crd, asked))
        outcome = handlers.handle(self._stored, sent, strategy, making)
        found: Answer = {"code": outcome.response.code}
        if outcome.resource is None:
            status = {key: value for key, value in outcome.response.status.items() if key not in _OMITTED}
            found["status"] = self._normal(status)
        else:
            found["object"] = self._normal(outcome.resource)
            found["changed"] = outcome.changed and not sent.dry_run
            if on == "scale":
                found["stored"] = self._normal(outcome.stored)
            if not sent.dry_run:
                self._keep(outcome.stored, outcome.resource if on != "scale" else outcome.stored, outcome.changed)
        if outcome.response.warnings:
            found["warnings"] = list(outcome.response.warnings)
        return found

    def _strategy(self, version: str) -> CustomResourceStrategy:
        schema = next(schema for schema in self._answers.schemas if schema.spec.name == version)
        return self._answers.strategy(schema)

    def _keep(self, stored: JSONValue, answered: JSONValue, changed: bool) -> None:  # noqa: FBT001 - one of three facts
        self._stored = stored
        self._resource_version += changed
        metadata = {**answered["metadata"], "resourceVersion": str(self._resource_version)}
        self._last = {**answered, "metadata": metadata}
        self._first = self._first or self._last

    def _normal(self, whole: JSONValue) -> JSONValue:
        uid = (whole.get("metadata") or {}).get("uid")
        if uid:
            self._uids = [*dict.fromkeys([*self._uids, uid])]
        text = sequences.normal(
            json.dumps(whole, ensure_ascii=False), namespace=sequences.NAMESPACE, uids=self._uids, step=_step
        )
        return json.loads(text)


def answers(crd: JSONValue, requests: Sequence[Request], version: str) -> list[Answer]:
    """
    Return the answers of the engine.

    Args:
        crd: The CRD.
        requests: The requests, none of them UNANSWERED.
        version: The Kubernetes version.
    """
    conversation = Conversation(crd, version)
    return [conversation.ask(number, asked) for number, asked in enumerate(requests)]


def _body(body: JSONValue, verb: str) -> Body:
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    if verb in ("merge", "json", "strategic"):
        return Body(None, text)
    try:
        return completion.read_applied(text) if verb == "apply" else completion.read(text)
    except ManifestError:
        return Body(None, text)


def _step(time: str) -> int | None:
    """Return of which request a time is, as all of them are sent in one minute."""
    return int(time[17:19]) if time.startswith("2026-01-01T00:00:") else None
