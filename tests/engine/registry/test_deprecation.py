"""The warning that goes with every answer of a deprecated version."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd import engine

USE = {"name": "v1beta1", "served": True, "storage": True, "deprecated": True}


def _warnings(*others: dict[str, Any], **changes: Any) -> tuple[str, ...]:
    crd = engine.CustomResourceDefinition.from_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "spec": {
                "group": "example.com",
                "names": {"kind": "Foo", "plural": "foos"},
                "scope": "Cluster",
                "versions": [USE | changes, *others],
            },
        }
    )
    return crd.version("v1beta1").create({}).warnings


@pytest.mark.parametrize(
    ("others", "warning"),
    [
        pytest.param([], "example.com/v1beta1 Foo is deprecated", id="nothing better is served"),
        pytest.param(
            [{"name": "v1", "served": True}, {"name": "v2", "served": True}],
            "example.com/v1beta1 Foo is deprecated; use example.com/v2 Foo",
            id="the best version is named",
        ),
        pytest.param(
            [
                {"name": "v1", "served": False},
                {"name": "v2", "served": True, "deprecated": True},
                {"name": "v1alpha1", "served": True},
            ],
            "example.com/v1beta1 Foo is deprecated",
            id="one that is not served, deprecated too, or less stable is no better",
        ),
    ],
)
def test_a_deprecated_version_warns_and_names_a_replacement(others: list[Any], warning: str) -> None:
    assert _warnings(*others) == (warning,)


def test_the_crd_may_word_the_warning() -> None:
    assert _warnings(deprecationWarning="use something else") == ("use something else",)


def test_a_version_that_is_not_deprecated_is_not_warned_about() -> None:
    assert _warnings(deprecated=False) == ()
