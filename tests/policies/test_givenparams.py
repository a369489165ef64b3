"""Objects that a case gives as params."""

from __future__ import annotations

from typing import Any

from pytest_crd.policies.definitions import ParamKind
from pytest_crd.policies.givenparams import GivenParams


def _param(kind: str, name: str, **metadata: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, **metadata}}


def test_params_are_the_objects_of_a_kind_and_namespace_by_name() -> None:
    params = (_param("Secret", "a"), _param("ConfigMap", "c"), _param("ConfigMap", "b"))
    given = GivenParams((*params, _param("ConfigMap", "d", namespace="other")), lambda _: True)

    assert list(given.read(ParamKind("v1", "ConfigMap"), "default")) == [params[2], params[1]]
