"""Facts that upstream's own tests tell, a line of JSON each: how they are read, written, and counted by the file of the test."""

from __future__ import annotations

import collections
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

JSONValue = Any
Fact = dict[str, JSONValue]


def lines(path: Path) -> list[JSONValue]:
    """Return the values of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def text(value: JSONValue) -> str:
    """Return a value as it stands in a line: one text for each."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def counts(told: Iterable[Fact]) -> dict[str, int]:
    """Return how many facts there are by the upstream file of the test."""
    return dict(sorted(collections.Counter(fact["file"] for fact in told).items()))
