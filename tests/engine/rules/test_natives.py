"""Native Go values of CEL values."""

from __future__ import annotations

import pytest

from pytest_crd.engine.cel.values.celvalues import Timestamp
from pytest_crd.engine.rules import natives

HOUR = 3600


@pytest.mark.parametrize(
    ("offset", "is_shared"),
    [
        (0, True),
        (-12 * HOUR, True),
        (14 * HOUR, True),
        (-13 * HOUR, False),
        (15 * HOUR, False),
        (HOUR // 2, False),
        (-12 * HOUR + 1, False),
    ],
)
def test_times_in_a_zone_of_whole_hours_are_one_map_key(offset: int, *, is_shared: bool) -> None:
    keys = [natives.map_key(Timestamp(7, 8, offset)) for _ in range(2)]

    assert (keys[0] == keys[1]) is is_shared


def test_times_in_two_zones_are_two_map_keys() -> None:
    assert natives.map_key(Timestamp(7, 0, HOUR)) != natives.map_key(Timestamp(7, 0, 2 * HOUR))
