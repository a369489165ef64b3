"""A status that becomes a subresource: a create stores none, even if the schema or a rule demands it."""

from __future__ import annotations

import pytest

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from upgrades.changes import JSON, NUMBER, TEXT, crd_with_versions, obj
from upgrades.test_upgrades import judge, list_findings

SUBRESOURCE: JSON = {"subresources": {"status": {}}}
HINT = "; status is a subresource now, and a create stores none"


def crd(root: JSON, **more: JSON) -> CustomResourceDefinition:
    schema = {"openAPIV3Schema": root}
    return crd_with_versions({"name": "v1", "served": True, "storage": True, "schema": schema, **more})


def ruled(rule: str, root: JSON) -> JSON:
    return {**root, "x-kubernetes-validations": [{"rule": rule}]}


def find_refusal(root: JSON) -> Finding:
    result = judge(crd(root), crd(root, **SUBRESOURCE))
    (finding,) = (item for item in result.findings if item.kind is Kind.REFUSED)
    return finding


def test_a_required_status_is_refused_in_every_create() -> None:
    finding = find_refusal(obj(("status",), spec=obj(x=TEXT), status=obj(("y",), y=TEXT)))

    assert (finding.path, finding.words) == ("status", f"status: Required value{HINT}")
    assert finding.witness is not None
    assert finding.witness.note == "refused when created; an update that leaves status as it is passes"
    assert dict(finding.witness.resource)["status"] == {"y": "a"}


SOMETIMES = "!has(self.spec) || !has(self.spec.x) || self.spec.x < 3 || (has(self.status) && has(self.status.y))"


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param("has(self.status)", id="always"),
        pytest.param(
            "!has(self.spec) || !has(self.spec.x) || has(self.status)", id="with a field", marks=pytest.mark.long
        ),
        pytest.param(SOMETIMES, id="with a value"),
    ],
)
def test_a_rule_that_needs_a_status_refuses_creates(rule: str) -> None:
    finding = find_refusal(ruled(rule, obj(spec=obj(x=NUMBER), status=obj(y=TEXT))))

    assert f"failed rule: {rule}{HINT}" in finding.words


def test_a_status_that_nothing_needs_refuses_nothing() -> None:
    root = ruled(
        "!has(self.status) || !has(self.status.y) || self.status.y != 'b'", obj(spec=NUMBER, status=obj(y=TEXT))
    )

    assert list_findings(judge(crd(root), crd(root, **SUBRESOURCE))) == ["data loss subresources.status"]


def test_a_demand_that_comes_with_the_subresource_is_one_finding() -> None:
    root = obj(spec=obj(x=TEXT), status=obj(y=TEXT))

    result = judge(crd(root), crd({**root, "required": ["status"]}, **SUBRESOURCE))

    assert [words for words in list_findings(result) if words.startswith("refused")] == ["refused status"]
    assert HINT not in result.findings[0].words
