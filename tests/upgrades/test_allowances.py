"""What a project allows an upgrade to do."""

from __future__ import annotations

import pytest

from pytest_crd.upgrades import allowances
from pytest_crd.upgrades.findings import Finding, Kind

NAME = "things.example.com"
LOSS = Finding(Kind.DATA_LOSS, "spec.x", "spec.x is dropped")


def test_a_line_names_crd_path_and_kind() -> None:
    allowance = allowances.read(f" {NAME}  spec.x   data  loss ")

    assert allowance.covers(NAME, LOSS)
    assert not allowance.covers("others.example.com", LOSS)
    assert not allowance.covers(NAME, Finding(Kind.REFUSED, "spec.x", ""))
    assert not allowance.covers(NAME, Finding(Kind.DATA_LOSS, "spec", ""))
    assert str(allowance) == f"{NAME} spec.x data loss"


@pytest.mark.parametrize("line", ["", NAME, f"{NAME} spec.x", f"{NAME} spec.x lost", f"{NAME} spec.x widened"])
def test_anything_else_is_a_mistake(line: str) -> None:
    with pytest.raises(ValueError, match="is not NAME PATH KIND, where KIND is one of refused, data loss, changed"):
        allowances.read(line)


def test_what_nothing_needs_is_outdated() -> None:
    needed, other, gone = (
        allowances.read(f"{name} {path} data loss")
        for name, path in ((NAME, "spec.x"), ("others.example.com", "spec.y"), (NAME, "spec.y"))
    )

    assert allowances.outdated([needed, other, gone], NAME, [LOSS]) == [gone]
