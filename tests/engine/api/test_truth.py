"""Answers of the engine are neither true nor false: a bare `assert` would hold for a refusal, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support import covered

from pytest_crd.cases.caseresult import CaseResult, Context
from pytest_crd.engine import CrdVersion


@pytest.fixture(scope="module")
def version() -> CrdVersion:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}
    return covered.version_of({"type": "object", "properties": {"spec": schema}})


@pytest.mark.parametrize(
    ("ask", "attribute"),
    [
        (lambda version: version.create({"spec": {"a": 1}}), ".accepted"),
        (lambda version: version.create({"spec": {"a": "x"}}), ".accepted"),
        (lambda version: version.update({"spec": {"a": "x"}}, old={"spec": {"a": 1}}), ".accepted"),
        (lambda version: version.crd.response, ".accepted"),
        (lambda version: version.crd.update_from(version.crd), ".accepted"),
        (lambda version: version.prune({"spec": {"b": 1}}), ".paths"),
        (lambda version: version.default({"spec": {}}), ".paths"),
        (lambda version: version.crd.conditions[0], ".status"),
        (lambda _: CaseResult(Context("a", "v1", "1.37", "")), ".holds"),
    ],
)
def test_an_answer_has_no_truth_and_names_the_attribute_to_ask(
    version: CrdVersion, ask: Callable[[CrdVersion], Any], attribute: str
) -> None:
    with pytest.raises(TypeError, match=rf"neither true nor false; write `\{attribute}`"):
        assert ask(version)
