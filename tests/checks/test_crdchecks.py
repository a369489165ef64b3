"""Checks of whole CRDs: places of the server's errors."""

from __future__ import annotations

import pytest
from support import crds
from support.sessions import GARDEN

from pytest_crd.checks import crdchecks

SUBRESOURCES = "    subresources: {status: {}}\n"


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        (
            "    additionalPrinterColumns:\n    - {name: Size, type: text, jsonPath: .spec.size}\n",
            13,
            "spec.additionalPrinterColumns[0].type",
        ),
        (
            "    subresources: {scale: {specReplicasPath: a, statusReplicasPath: .status.b}}\n",
            12,
            "spec.subresources.scale.specReplicasPath",
        ),
        (
            "    selectableFields:\n    - {jsonPath: .spec.rows}\n    - {jsonPath: .spec.beds}\n",
            14,
            "spec.selectableFields[1].jsonPath",
        ),
    ],
)
def test_an_error_of_a_part_that_the_server_moves_stands_at_its_line(text: str, line: int, field: str) -> None:
    (finding,) = crdchecks.conditions(crds.read(GARDEN.replace(SUBRESOURCES, text), "gardens.yaml")).findings

    assert (finding.place, finding.text.partition(": ")[0]) == (f"gardens.yaml:{line}", field)
