"""Generated times, uids and name suffixes."""

from __future__ import annotations

import re

from pytest_crd.server.store import generatedvalues


def test_the_suffix_of_a_generated_name_is_free() -> None:
    tried: list[str] = []

    def is_free(suffix: str) -> bool:
        tried.append(suffix)
        return len(tried) == 3

    created = generatedvalues.of_request(is_free)
    assert (created.suffix(), len(set(tried))) == (tried[2], 3)
    assert all(re.fullmatch("[bcdfghjklmnpqrstvwxz2456789]{5}", item) for item in tried)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", created.now())
    assert created.uid() != created.uid()
