"""What a server makes up."""

from __future__ import annotations

import re

from pytest_crd.server.store import generatedvalues


def test_the_end_of_a_generated_name_is_one_that_nobody_has() -> None:
    tried: list[str] = []

    def is_free(suffix: str) -> bool:
        tried.append(suffix)
        return len(tried) == 3

    made = generatedvalues.of_request(is_free)
    assert (made.suffix(), len(set(tried))) == (tried[2], 3)
    assert all(re.fullmatch("[bcdfghjklmnpqrstvwxz2456789]{5}", one) for one in tried)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made.now())
    assert made.uid() != made.uid()
