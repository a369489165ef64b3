"""The engine's answers to a sequence of requests, in the form of recorded answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from conformance import sequences
from conformance.sequences import Answer, Request
from pytest_crd.engine import jsonvalue, profile
from pytest_crd.engine.api import crdanswers
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.client import completion
from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import handlers, request
from pytest_crd.engine.registry.customresource import CustomResourceStrategy
from pytest_crd.engine.registry.request import GeneratedValues
from pytest_crd.engine.registry.requestbody import Body

# The engine's verbs for verbs of a sequence; others are patches.
_VERBS: Final = {"create": "create", "update": "update", "updateOnto": "update"}
_OMITTED: Final = ("kind", "apiVersion", "metadata", "status", "code")
_USER_AGENT: Final = "fuzz/1"
# Verbs that are not compared, because they do not test how the engine handles a body.
UNANSWERED: Final = ("crd", "get", "delete")


class Conversation:
    """A sequence in progress: the stored object, and the first and the last answer."""

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

    def send(self, number: int, step: Request) -> Answer:
        """Return the answer to request *number*, which is also its time in seconds."""
        verb, subresource = sequences.verb_of(step), step.get("subresource", "")
        body = sequences.body_of(self._crd, step, self._last, self._first)
        clock_and_ids = GeneratedValues(
            lambda: f"2026-01-01T00:00:{number:02d}Z", lambda: f"made-uid-{number}", lambda: "xxxxx"
        )
        request_ = request.Request(
            _VERBS.get(verb, "patch"),  # type: ignore[arg-type] # one of three
            _body(body, verb),
            "" if verb == "create" else sequences.NAME,
            subresource=subresource,
            field_validation=step.get("fieldValidation", "Warn"),
            media_type=step.get("mediaType", sequences.MEDIA_TYPES.get(verb, "")),
            resource_version=str(self._resource_version or ""),
            field_manager=step.get("manager", ""),
            force=step.get("force"),
            dry_run=step.get("dryRun", False),
            user_agent=step.get("userAgent", _USER_AGENT),
        )
        strategy = self._strategy(sequences.version_of(self._crd, step))
        outcome = handlers.handle(self._stored, request_, strategy, clock_and_ids)
        answer: Answer = {"code": outcome.response.code}
        if outcome.objects.returned is None:
            status = {key: value for key, value in (outcome.response.status or {}).items() if key not in _OMITTED}
            answer["status"] = self._normal(status)
        else:
            answer["object"] = self._normal(outcome.objects.returned)
            answer["changed"] = outcome.changed and not request_.dry_run
            if subresource == "scale":
                answer["stored"] = self._normal(outcome.objects.stored)
            if not request_.dry_run:
                self._keep(
                    outcome.objects.stored,
                    outcome.objects.returned if subresource != "scale" else outcome.objects.stored,
                    outcome.changed,
                )
        if outcome.response.warnings:
            answer["warnings"] = list(outcome.response.warnings)
        return answer

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
        text = sequences.normalize(
            json.dumps(whole, ensure_ascii=False), namespace=sequences.NAMESPACE, uids=self._uids, step=_step
        )
        return json.loads(text)


def answers(crd: JSONValue, requests: Sequence[Request], version: str) -> list[Answer]:
    """
    Return the answers of the engine.

    Args:
        crd: The CRD.
        requests: The requests, without UNANSWERED verbs.
        version: The Kubernetes version.
    """
    conversation = Conversation(crd, version)
    return [conversation.send(number, step) for number, step in enumerate(requests)]


def _body(body: JSONValue, verb: str) -> Body:
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    if verb in ("merge", "json", "strategic"):
        return Body(None, text)
    try:
        return completion.read_applied(text) if verb == "apply" else completion.read(text)
    except ManifestError:
        return Body(None, text)


def _step(time: str) -> int | None:
    """Return the number of the request with this time, or None; all requests are in one minute."""
    return int(time[17:19]) if time.startswith("2026-01-01T00:00:") else None
