"""Decisions about access, and refusals of requests, as recorded from a kube-apiserver."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from support import servers

from conformance import accessrefusals, accessreviews

pytestmark = pytest.mark.replay
FOLDER: Final = Path(__file__).with_name("access")


def test_access_reviews_are_decided_as_by_the_server() -> None:
    recorded = accessreviews.read(FOLDER / "reviews.jsonl")
    roles = accessreviews.stored_roles(recorded.objects)
    differences = [
        (spec, difference)
        for spec, status in recorded.reviews
        if (difference := accessreviews.find_difference(spec, status, roles))
    ]
    assert differences == []
    assert len(recorded.reviews) == 400


def test_requests_are_refused_as_by_the_server() -> None:
    api = servers.api(servers.crd())
    for value in accessreviews.read(FOLDER / "reviews.jsonl").objects:
        api.catalog.roles.put(value)
    api.catalog.settle()
    rows = accessrefusals.read(FOLDER / "refusals.jsonl")
    for row in rows:
        assert accessrefusals.our_answer(api, row) == row["answer"], row
    assert len(rows) == 202
