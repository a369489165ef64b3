"""The public API as users' type checkers see it; checked by mypy, never run."""

from __future__ import annotations

from typing import Any, assert_type

import pytest

from pytest_crd import (
    BoundCase,
    CrdServer,
    CrdVersion,
    CustomResourceDefinition,
    CustomResourceDefinitions,
    RequestFailedError,
    Requests,
    Resources,
    Response,
    engine,
)


def test_one_crd(crd: CustomResourceDefinition) -> None:
    assert_type(crd.name, str)
    assert_type(crd.versions, tuple[CrdVersion, ...])
    assert_type(crd.conditions, tuple[engine.Condition, ...])
    assert_type(crd.version("v1"), CrdVersion)
    assert_type(crd.response, Response)
    assert_type(crd.update_from(crd), Response)
    assert_type(crd.create(field_validation="Strict"), Response)


@pytest.mark.crd("gardens.stories.example.com", version="v1")
def test_one_version(crd_version: CrdVersion) -> None:
    assert_type(crd_version.structural_errors, tuple[engine.FieldError, ...])
    assert_type(crd_version.is_structural, bool)
    assert_type(crd_version.rules, tuple[engine.Rule, ...])
    assert_type(crd_version.prune({"spec": {}}), engine.Pruned)
    assert_type(crd_version.prune("spec: {}"), engine.Pruned)
    assert_type(crd_version.default({"spec": {}}), engine.Defaulted)
    assert_type(crd_version.prune({}).paths, tuple[str, ...])
    assert_type(crd_version.create({"spec": {}}, namespace="a", field_validation="Strict"), Response)
    assert_type(crd_version.update({"spec": {}}, old={}), Response)
    assert_type(crd_version.update_status("status: {}", old={}).errors, tuple[engine.FieldError, ...])
    assert_type(crd_version.patch([{"op": "remove", "path": "/spec"}], old={}, subresource="scale"), Response)
    assert_type(crd_version.scale({}, 3), Response)
    assert_type(crd_version.openapi(3), dict[str, Any] | None)
    assert_type(crd_version.json_schema(), dict[str, Any] | None)
    crd_version.assert_structural()


@pytest.mark.crd_cases("cases/*.yaml")
def test_one_case(crd_case: BoundCase) -> None:
    assert_type(crd_case.name, str)
    crd_case.check()


def test_all_crds(crds: CustomResourceDefinitions) -> None:
    assert_type(crds["Garden"], CustomResourceDefinition)
    assert_type(crds[0], CustomResourceDefinition)
    assert_type(crds[:1], tuple[CustomResourceDefinition, ...])
    assert_type(crds.notes, tuple[str, ...])
    assert_type(crds.openapi(2, "stories.example.com/v1"), dict[str, Any] | None)


def test_one_server(crd_server: CrdServer) -> None:
    assert_type(crd_server["gardens"], Resources)
    assert_type(crd_server.requests, Requests)
    assert_type(crd_server.requests[0].code, int)
    try:
        crd_server["gardens"].get("eden")
    except RequestFailedError as error:
        assert_type(error.status, dict[str, Any])
        assert_type(error.code, int)


def test_an_answer(crd_version: CrdVersion) -> None:
    assert_type(crd_version.create({}).status, dict[str, Any] | None)


def without_pytest() -> str:
    assert_type(engine.load("crds"), CustomResourceDefinitions)
    try:
        return engine.load(["config/crd/bases"])[0].name
    except engine.InputError as error:
        assert_type(error.mistakes, tuple[engine.Mistake, ...])
        return str(error)
