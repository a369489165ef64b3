"""A CRD with the structure of another and without validation."""

from __future__ import annotations

from typing import Any

import pytest
from support import crds
from support.webhooks import FixedWebhooks, FunctionAdmission

from pytest_crd.cases.questions import Question
from pytest_crd.cases.sections import Section
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.live import judge
from pytest_crd.live.judge import LiveJudge

FREE = {"x-kubernetes-preserve-unknown-fields": True}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["spec"],
    "x-kubernetes-validations": [{"rule": "has(self.spec)"}],
    "properties": {
        "spec": {
            "type": "object",
            "minProperties": 1,
            "properties": {
                "size": {"type": "integer", "maximum": 3, "default": 1},
                "port": {
                    "x-kubernetes-int-or-string": True,
                    "pattern": "a",
                    "anyOf": [{"type": "integer"}, {"type": "string"}],
                },
                "free": {"type": "object", "nullable": True, **FREE},
                "pods": {"type": "object", "x-kubernetes-embedded-resource": True, **FREE},
                "list": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string", "enum": ["a"]}},
                    },
                },
                "map": {"type": "object", "additionalProperties": {"type": "string", "format": "date"}},
                "open": {"type": "object", "additionalProperties": True},
                "required": {"type": "string", "maxLength": 1},
            },
        },
    },
}


def test_types_fields_and_defaults_stay_and_checks_go() -> None:
    names = {"plural": "things", "kind": "Thing", "singular": "thing", "listKind": "ThingList"}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": SCHEMA},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [{"name": "a", "type": "string", "jsonPath": ".a"}],
    }
    spec = {"group": "g.example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.g.example.com"},
        "spec": spec,
    }

    crd = judge.reduce_to_structure(manifest)

    (only,) = crd["spec"]["versions"]
    assert only.keys() == {"name", "served", "storage", "schema"}
    assert only["schema"]["openAPIV3Schema"] == {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {
                    "size": {"type": "integer", "default": 1},
                    "port": {"x-kubernetes-int-or-string": True},
                    "free": {"type": "object", "nullable": True, **FREE},
                    "pods": {"type": "object", "x-kubernetes-embedded-resource": True, **FREE},
                    "list": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
                    "map": {"type": "object", "additionalProperties": {"type": "string"}},
                    "open": {"type": "object", "additionalProperties": True},
                    "required": {"type": "string"},
                },
            },
        },
    }
    CustomResourceDefinition.from_manifest(crd).assert_accepted()


def test_questions_are_asked_without_the_webhooks_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    crd = CustomResourceDefinition.from_manifest(crds.manifest(schema))
    version = crd.with_webhooks(FixedWebhooks(None, FunctionAdmission())).versions[0]
    asked: list[Question] = []

    def note(_: LiveJudge, question: Question) -> list[str]:
        asked.append(question)
        return []

    monkeypatch.setattr(LiveJudge, "_judge", note)
    monkeypatch.setattr(LiveJudge, "_stage", note)
    live: Any = LiveJudge(None, None, "1.37")  # type: ignore[arg-type] # nothing is sent
    question = Question(version, Section.UPDATE, Body({}), old={}, old_version=version)

    notes = [*live.judge(question), *live.judge(question._replace(old_version=None))]
    live.prepare(question)

    assert notes == ["asked without the admission webhooks of the project"] * 2
    assert [item.version.admission for item in asked] == [None] * 3
    assert len({item.version for item in asked}) == 1
