"""What is asked of CRDs themselves: whether a server takes one, dry, and which conditions it has there."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_crd.cases.questions import CrdQuestion
from pytest_crd.engine import Condition, CustomResourceDefinition
from pytest_crd.live import client, facts, obstacles
from pytest_crd.live.disguise import Disguise
from pytest_crd.live.facts import Facts
from pytest_crd.live.judge import compare
from pytest_crd.live.sandbox import make_group
from pytest_crd.live.stages import DisagreementError, NotAskedError, Stages

JSONValue = Any

_STRICT: Final = {"dryRun": "All", "fieldValidation": "Strict"}
_EXISTS: Final = 409
_RESOURCE: Final = ("apiextensions.k8s.io", "customresourcedefinitions")
_OF_CONDITION: Final = ("type", "status", "reason", "message")
# What is found out by creating the CRD: the server says no more of a schema that it takes, nor of rules within their budget.
_BY_CREATING: Final = ("accepted", "structural", "rules")


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

    def _judge_creation(self, question: CrdQuestion) -> list[str]:
        """Ask for the CRD as it is; where one of its name is there already, under another name."""
        if question.crd.repeated_fields:
            raise NotAskedError("keys that are set twice, which only the file itself has")
        crd = question.crd.under(self._version)
        path = client.crd_path(crd.api_version)
        notes = []
        manifest = question.manifest
        if self._server.ask("POST", path, manifest, query=_STRICT).code == _EXISTS:
            manifest = Disguise(crd.group, make_group(), "").of_crd(manifest)
            notes.append("compared under another name, for a CRD of its own is there")
            crd = CustomResourceDefinition.from_manifest(manifest, kubernetes_version=self._version)
        ours = facts.of_crd(crd.create(field_validation="Strict"))
        ask = functools.partial(self._server.ask, "POST", path, manifest, query=_STRICT)
        self._compare(ask, ours, {"CRD": manifest, "request": {"method": "POST", "path": path, "query": _STRICT}})
        return [*notes, *_otherwise(question.crd, self._version)]

    def _judge_conditions(self, question: CrdQuestion) -> list[str]:
        stage = self._stages.of(question.crd)
        ours = {"code": 200, "conditions": _sorted(map(_stated, stage.crd.conditions))}
        path = client.crd_path(stage.crd.api_version, stage.crd.name)
        theirs = {"code": 200, "conditions": _sorted(stage.stored["status"]["conditions"])}
        if not facts.are_equal(ours, theirs):
            request = {"CRD": stage.crd.declared, "request": {"method": "GET", "path": path}}
            raise stage.disagreement(request, ours, theirs, "")
        original = {"code": 200, "conditions": _sorted(map(_stated, stage.original.conditions))}
        if not facts.are_equal(stage.disguise.taken_off(ours, ""), original):
            return ["compared under another name, under which the conditions are others"]
        return [*filter(None, (stage.note,))]

    def _compare(self, ask: functools.partial[client.Answer], ours: Facts, request: Mapping[str, JSONValue]) -> None:
        try:
            compare(self._server, ask, ours, None, stated=facts.stated_of_crd)
        except DisagreementError as error:
            obstacles.refuse_as_changed(self._server, _RESOURCE, error.ours, error.theirs)
            raise DisagreementError(request, error.ours, error.theirs) from None


def _otherwise(crd: CustomResourceDefinition, version: str) -> list[str]:
    here, there = (facts.of_crd(one.create(field_validation="Strict")) for one in (crd, crd.under(version)))
    return [] if facts.are_equal(here, there) else [f"answered otherwise by Kubernetes {crd.kubernetes_version}"]


def _stated(condition: Condition) -> dict[str, str]:
    return {key: getattr(condition, key) for key in _OF_CONDITION}


def _sorted(conditions: Iterable[Mapping[str, JSONValue]]) -> list[dict[str, JSONValue]]:
    stated = [{key: one.get(key, "") for key in _OF_CONDITION} for one in conditions]
    return sorted(stated, key=lambda one: str(one["type"]))
