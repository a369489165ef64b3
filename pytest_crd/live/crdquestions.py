"""What is asked of CRDs themselves: whether a server takes one, dry, and which conditions it has there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from pytest_crd.cases.questions import CrdQuestion
from pytest_crd.engine import Condition, CustomResourceDefinition
from pytest_crd.live import answerfacts, client, obstacles
from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.grouprenaming import Renaming
from pytest_crd.live.judge import compare
from pytest_crd.live.sandbox import make_group
from pytest_crd.live.stages import DisagreementError, NotAskedError, Stages
from pytest_crd.live.transport import NoAnswerError

JSONValue = Any

_STRICT: Final = {"dryRun": "All", "fieldValidation": "Strict"}
_EXISTS: Final = 409
_RESOURCE: Final = ("apiextensions.k8s.io", "customresourcedefinitions")
_OF_CONDITION: Final = ("type", "status", "reason", "message")
# What is found out by creating the CRD: the server says no more of a schema that it takes, nor of rules within their budget.
_BY_CREATING: Final = ("accepted", "structural", "rules")


class _TakenError(Exception):
    """A CRD of that name is there."""


class CrdJudge:
    """Asks one server."""

    def __init__(self, server: client.Server, stages: Stages, version: str) -> None:
        """Take the server, its CRDs, and its Kubernetes version."""
        self._server, self._stages, self._version = server, stages, version

    def judge(self, question: CrdQuestion) -> list[str]:
        """
        Pass where the server answers as the engine does, and return what is worth to know.

        Raises:
            NotAskedError: It cannot be asked.
            NoAnswerError: The server does not answer.
            DisagreementError: It answers otherwise.
        """
        if question.kind in _BY_CREATING:
            return self._judge_creation(question)
        if question.kind == "conditions":
            return self._judge_conditions(question)
        raise NotAskedError(f"no request asks what the check {question.kind!r} looks for")

    def prepare(self, question: CrdQuestion) -> None:
        """Make the CRD that a question needs."""
        if question.kind == "conditions":
            self._stages.of(question.crd)

    def _judge_creation(self, question: CrdQuestion) -> list[str]:
        """Ask for the CRD as it is; where one of its name is there already, under another name."""
        if question.crd.repeated_fields:
            raise NotAskedError("keys that are set twice, which only the file itself has")
        crd = question.crd.under(self._version)
        notes = []
        try:
            self._compare_creation(crd, question.manifest)
        except _TakenError:
            manifest = Renaming(crd.group, make_group(), "").of_crd(question.manifest)
            notes.append("compared under another name, for a CRD of its own is there")
            self._compare_creation(
                CustomResourceDefinition.from_manifest(manifest, kubernetes_version=self._version), manifest
            )
        return [*notes, *_otherwise(question.crd, self._version)]

    def _compare_creation(self, crd: CustomResourceDefinition, manifest: Mapping[str, JSONValue]) -> None:
        ours = answerfacts.of_crd(crd.create(field_validation="Strict"))
        path = client.crd_path(crd.api_version)

        def ask() -> client.ServerAnswer:
            answer = self._server.ask("POST", path, manifest, query=_STRICT)
            if answer.code == _EXISTS:  # at any time, for others may make and remove it
                raise _TakenError
            return answer

        self._compare(ask, ours, {"CRD": manifest, "request": {"method": "POST", "path": path, "query": _STRICT}})

    def _judge_conditions(self, question: CrdQuestion) -> list[str]:
        stage = self._stages.of(question.crd)
        ours: Facts = {"code": 200, "conditions": _sorted(map(_stated, stage.crd.conditions))}
        path = client.crd_path(stage.crd.api_version, stage.crd.name)
        theirs: Facts = {"code": 200, "conditions": _sorted(stage.stored["status"]["conditions"])}
        if not answerfacts.are_equal(ours, theirs):
            _refuse_as_of_others(ours["conditions"], theirs["conditions"])
            request = {"CRD": stage.crd.declared, "request": {"method": "GET", "path": path}}
            raise stage.disagreement(request, ours, theirs, "")
        original = {"code": 200, "conditions": _sorted(map(_stated, stage.original.conditions))}
        if not answerfacts.are_equal(stage.renaming.undone(ours, ""), original):
            return ["compared under another name, under which the conditions are others"]
        return [*filter(None, (stage.note,))]

    def _compare(self, ask: Callable[[], client.ServerAnswer], ours: Facts, request: Mapping[str, JSONValue]) -> None:
        try:
            compare(self._server, ask, ours, None, stated=answerfacts.stated_of_crd)
        except DisagreementError as error:
            obstacles.refuse_as_changed(self._server, _RESOURCE, error.ours, error.theirs)
            raise DisagreementError(request, error.ours, error.theirs) from None


def _refuse_as_of_others(ours: Iterable[Mapping[str, str]], theirs: Iterable[Mapping[str, str]]) -> None:
    """
    Pass where no CRD of others and nobody who removes this one makes its conditions others.

    Raises:
        NoAnswerError: One does; in which words.
    """
    for one in theirs:
        is_taken = one["type"] == "NamesAccepted" and one["status"] == "False"
        is_ending = one["type"] == "Terminating" and one["status"] == "True"
        if (is_taken or is_ending) and one not in ours:
            raise NoAnswerError(f"the CRD there has the condition {one['type']}={one['status']}: {one['message']}")


def _otherwise(crd: CustomResourceDefinition, version: str) -> list[str]:
    here, there = (answerfacts.of_crd(one.create(field_validation="Strict")) for one in (crd, crd.under(version)))
    return [] if answerfacts.are_equal(here, there) else [f"answered otherwise by Kubernetes {crd.kubernetes_version}"]


def _stated(condition: Condition) -> dict[str, str]:
    return {key: getattr(condition, key) for key in _OF_CONDITION}


def _sorted(conditions: Iterable[Mapping[str, JSONValue]]) -> list[dict[str, JSONValue]]:
    stated = [{key: one.get(key, "") for key in _OF_CONDITION} for one in conditions]
    return sorted(stated, key=lambda one: str(one["type"]))
