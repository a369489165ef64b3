"""Declared migrations of stored objects."""

from __future__ import annotations

import pytest

from pytest_crd.upgrades import migrations


def test_a_line_has_a_version_and_a_reason() -> None:
    actual = migrations.parse("  example.com/v1alpha1 :  the operator: migrates ")

    assert actual == ("example.com", "v1alpha1", "the operator: migrates")
    assert actual.group_version == "example.com/v1alpha1"


@pytest.mark.parametrize(
    "line", ["example.com/v1:", "example.com/v1", "v1: moved", "a b/v1: moved", "a/v1/x: moved", "/v1: x"]
)
def test_other_lines_are_mistakes(line: str) -> None:
    with pytest.raises(ValueError, match=r"is not GROUP/VERSION: REASON, as in example\.com/v1alpha1: "):
        migrations.parse(line)
