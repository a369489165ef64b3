"""Differences between a value of a server and a value of the engine."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pytest_crd.engine.jsonvalue import JSONValue


def find(theirs: JSONValue, ours: JSONValue, path: str = "", *, longest: int = 300) -> Iterator[str]:
    """
    Yield the paths at which two values differ, with both values.

    Args:
        theirs: The value of the server.
        ours: The value of the engine.
        path: The path of both values.
        longest: The number of characters after which a value is cut off.
    """
    if isinstance(theirs, dict) and isinstance(ours, dict):
        pairs = [(f".{key}", theirs.get(key), ours.get(key)) for key in sorted(theirs.keys() | ours.keys())]
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        pairs = [(f"[{index}]", *items) for index, items in enumerate(zip(theirs, ours, strict=True))]
    else:
        yield f"{path}: server {json.dumps(theirs)[:longest]}, engine {json.dumps(ours)[:longest]}"
        return
    for step, their_item, our_item in pairs:
        if their_item != our_item:
            yield from find(their_item, our_item, f"{path}{step}", longest=longest)
