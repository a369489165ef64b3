"""
What server-side applies of a list of keyed items cost against copy.deepcopy of the same object, and how that grows with the list.

One manager applies the whole list, then another half of it, then the first one three quarters.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.figures import Figure
from pytest_crd import engine

_SIZES = (1_000, 10_000)
_TIMES = 3
_ITEM = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "port": {"type": "integer"}},
}
_LIST = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": _ITEM,
}
_SPEC = {"type": "object", "properties": {"ports": _LIST}}


def _version() -> engine.Version:
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": _SPEC}}}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "doors.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "doors", "singular": "door", "kind": "Door", "listKind": "DoorList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    return engine.CustomResourceDefinition.from_manifest(manifest).version("v1")


def _best(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of processor time of the quickest of some calls, and what one returns."""
    best, found = float("inf"), None
    for _ in range(_TIMES):
        start = time.process_time()
        found = function()
        best = min(best, time.process_time() - start)
    return best, found


def _seconds(version: engine.Version, size: int) -> dict[str, float]:
    """Return what each apply takes, and a copy of what is applied first."""
    items = [{"name": f"port-{number}", "port": number} for number in range(size)]
    whole, half, most = ({"spec": {"ports": part}} for part in (items, items[: size // 2], items[size // 4 :]))
    copied, _ = _best(lambda: copy.deepcopy(whole))
    first, stored = _best(lambda: version.apply(whole, manager="a"))
    second, shared = _best(lambda: version.apply(half, manager="b", old=stored))
    third, last = _best(lambda: version.apply(most, manager="a", old=shared))
    last.assert_accepted()
    return {"copy": copied, "the first apply": first, "another manager's": second, "the first manager's again": third}


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Measure lists of both sizes."""
    version = _version()
    few, many = (_seconds(version, size) for size in _SIZES)
    for what in ("the first apply", "another manager's", "the first manager's again"):
        for size, took in zip(_SIZES, (few, many), strict=True):
            print(f"{what}, {size:,} items: {took[what] / took['copy']:.1f} times copy.deepcopy")
            yield Figure(f"{what}, {size:,} items", took[what] / took["copy"], "copy.deepcopy")
        growth = many[what] / few[what]
        print(f"  ten times the items take {growth:.1f} times as long")
        yield Figure(f"{what}, {_SIZES[1]:,} items", growth, f"{_SIZES[0]:,} items")
