"""The text of cases: lists of paths on few lines."""

from __future__ import annotations

import pytest
import yaml

from pytest_crd.cases.sections import Section
from pytest_crd.generation.layout import ExpectedCase, Layout
from pytest_crd.generation.proposedcases import Proposal


@pytest.mark.parametrize("count", [0, 1, 2, 40])
@pytest.mark.parametrize("key", ["pruned", "nullsDropped"])
def test_lists_of_paths_are_read_as_they_are(key: str, count: int) -> None:
    paths = [f"spec.items[{index}].unknown" for index in range(count)]
    sent = {"spec": {"text": "a" * 150}}
    proposal = Proposal(Section.PRUNING, "paths", (), sent)

    lines = Layout(None).case(ExpectedCase(proposal, "paths", {key: paths}))

    assert yaml.safe_load("\n".join(lines)) == [{"name": "paths", "input": sent, key: paths}]
    assert len(lines) < 14
