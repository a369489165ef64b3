"""Facts recorded from upstream's own tests, one JSON line each."""

from __future__ import annotations

import collections
import json
from collections.abc import Iterable
from pathlib import Path

from pytest_crd.engine.jsonvalue import JSONValue

Fact = dict[str, JSONValue]


def lines(path: Path) -> list[JSONValue]:
    """Return the values in a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def text(value: JSONValue) -> str:
    """Return *value* as a JSON line; equal values give equal texts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def counts(facts: Iterable[Fact]) -> dict[str, int]:
    """Return the number of facts by upstream's test file."""
    return dict(sorted(collections.Counter(fact["file"] for fact in facts).items()))
