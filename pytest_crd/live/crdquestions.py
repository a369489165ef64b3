"""Questions about CRDs themselves: whether a server accepts one in a dry run, and the conditions that it gets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from pytest_crd.cases.questions import CrdQuestion
from pytest_crd.engine import Condition, CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import answerfacts, client, obstacles
from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.grouprenaming import Renaming
from pytest_crd.live.judge import compare
from pytest_crd.live.sandbox import make_group
from pytest_crd.live.stages import DisagreementError, NotAskedError, Stages
from pytest_crd.live.transport import NoAnswerError

_STRICT: Final = {"dryRun": "All", "fieldValidation": "Strict"}
_EXISTS: Final = 409
_RESOURCE: Final = ("apiextensions.k8s.io", "customresourcedefinitions")
_OF_CONDITION: Final = ("type", "status", "reason", "message")
# Checks that a create answers: a server says nothing else of an accepted schema, nor of rules within their budget.
_BY_CREATING: Final = ("accepted", "structural", "rules")


class _TakenError(Exception):
    """The server already has a CRD with this name."""


class CrdJudge:
    """Comparison of the engine with one server about CRDs."""

    def __init__(self, server: client.Server, stages: Stages, version: str) -> None:
        """Create it with the server, the CRDs that it serves, and its Kubernetes version."""
        self._server, self._stages, self._version = server, stages, version

    def judge(self, question: CrdQuestion) -> list[str]:
        """Return notes about equal answers; see `Judge.judge` of `live.run`."""
        if question.kind in _BY_CREATING:
            return self._judge_creation(question)
        if question.kind == "conditions":
            return self._judge_conditions(question)
        raise NotAskedError(f"no request asks what the check {question.kind!r} looks for")

    def prepare(self, question: CrdQuestion) -> None:
        """Create the CRD that a question needs."""
        if question.kind == "conditions":
            self._stages.serve(question.crd)

    def _judge_creation(self, question: CrdQuestion) -> list[str]:
        """Compare a dry create of the CRD; under another name if the server already has the CRD."""
        if question.crd.repeated_fields:
            raise NotAskedError("the file sets a key twice: a request would send it once")
        crd = question.crd.under(self._version)
        notes = []
        try:
            self._compare_creation(crd, question.manifest)
        except _TakenError:
            manifest = Renaming(crd.group, make_group(), "").of_crd(question.manifest)
            notes.append("compared under another name: the server already has a CRD of this name")
            self._compare_creation(
                CustomResourceDefinition.from_manifest(manifest, kubernetes_version=self._version), manifest
            )
        return [*notes, *_version_notes(question.crd, self._version)]

    def _compare_creation(self, crd: CustomResourceDefinition, manifest: Mapping[str, JSONValue]) -> None:
        ours = answerfacts.of_crd(crd.create(field_validation="Strict"))
        path = client.crd_path(crd.api_version)

        def send() -> client.ServerAnswer:
            answer = self._server.ask("POST", path, manifest, query=_STRICT)
            if answer.code == _EXISTS:  # it may appear at any time, as others create and remove CRDs
                raise _TakenError
            return answer

        self._compare(send, ours, {"CRD": manifest, "request": {"method": "POST", "path": path, "query": _STRICT}})

    def _judge_conditions(self, question: CrdQuestion) -> list[str]:
        stage = self._stages.serve(question.crd)
        ours: Facts = {"code": 200, "conditions": _sorted(map(_to_json, stage.crd.conditions))}
        path = client.crd_path(stage.crd.api_version, stage.crd.name)
        theirs: Facts = {"code": 200, "conditions": _sorted(stage.stored["status"]["conditions"])}
        if not answerfacts.are_equal(ours, theirs):
            _refuse_foreign_conditions(ours["conditions"], theirs["conditions"])
            request = {"CRD": stage.crd.declared, "request": {"method": "GET", "path": path}}
            raise stage.disagreement(request, ours, theirs, "")
        original = {"code": 200, "conditions": _sorted(map(_to_json, stage.original.conditions))}
        if not answerfacts.are_equal(stage.renaming.restore(ours, ""), original):
            return ["compared under another name, under which the conditions are others"]
        return [*filter(None, (stage.note,))]

    def _compare(self, send: Callable[[], client.ServerAnswer], ours: Facts, request: Mapping[str, JSONValue]) -> None:
        try:
            compare(self._server, send, ours, None, read_facts=answerfacts.of_server_crd)
        except DisagreementError as error:
            obstacles.refuse_as_changed(self._server, _RESOURCE, error.ours, error.theirs)
            raise DisagreementError(request, error.ours, error.theirs) from None


def _refuse_foreign_conditions(ours: Iterable[Mapping[str, str]], theirs: Iterable[Mapping[str, str]]) -> None:
    """
    Check that no condition was caused by a CRD of others, or by a removal of this CRD.

    Raises:
        NoAnswerError: There is such a condition; the message quotes it.
    """
    for condition in theirs:
        is_taken = condition["type"] == "NamesAccepted" and condition["status"] == "False"
        is_ending = condition["type"] == "Terminating" and condition["status"] == "True"
        if (is_taken or is_ending) and condition not in ours:
            text = f"{condition['type']}={condition['status']}: {condition['message']}"
            raise NoAnswerError(f"the CRD there has the condition {text}")


def _version_notes(crd: CustomResourceDefinition, version: str) -> list[str]:
    """Return a note if the project's Kubernetes version answers otherwise than the server's."""
    here, there = (answerfacts.of_crd(form.create(field_validation="Strict")) for form in (crd, crd.under(version)))
    return [] if answerfacts.are_equal(here, there) else [f"answered otherwise by Kubernetes {crd.kubernetes_version}"]


def _to_json(condition: Condition) -> dict[str, str]:
    return {key: getattr(condition, key) for key in _OF_CONDITION}


def _sorted(conditions: Iterable[Mapping[str, JSONValue]]) -> list[dict[str, JSONValue]]:
    selected = [{key: condition.get(key, "") for key in _OF_CONDITION} for condition in conditions]
    return sorted(selected, key=lambda condition: str(condition["type"]))
