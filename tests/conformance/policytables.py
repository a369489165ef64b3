"""
Calls in upstream's tests of admission policies, with their results.

Each fact has its `call`, the arguments, the result, and the `file` of the test, unless it is a compiled expression. The modules
of `policycalls` describe the calls, and replay them.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from conformance import facts as recorded
from conformance.policycalls import compiling, deciding, evaluating, matching, params, patching

PATH: Final = Path(__file__).with_name("policytables.jsonl")
CALLS: Final[Mapping[str, ModuleType]] = {
    "compile": compiling,
    "match": matching,
    "call": matching,
    "rule": matching,
    "namespaceSelector": matching,
    "objectSelector": matching,
    "namespaceLabels": matching,
    "params": params,
    "conditions": evaluating,
    "evaluate": evaluating,
    "validate": deciding,
    "patch": patching,
    "dispatch": patching,
}
# Calls inside of other recorded calls; the file has only the calls of their own tests.
_INNER: Final = {"rule", "namespaceSelector", "objectSelector", "namespaceLabels"}
_PREDICATES: Final = "webhook/predicates/"
_METADATA: Final = ("name", "namespace", "labels")


def read() -> list[Any]:
    """Return the recorded facts."""
    return recorded.lines(PATH)


def text_of(facts: Iterable[Any]) -> str:
    """Return the text of the file: each fact once, without random values."""
    lines = {
        recorded.text(_stable(fact))
        for fact in facts
        if fact["call"] not in _INNER or fact["file"].startswith(_PREDICATES)
    }
    return "".join(f"{line}\n" for line in sorted(lines))


def _stable(fact: dict[str, Any]) -> Any:
    if fact["call"] == "compile":
        return {key: value for key, value in fact.items() if key != "file"}
    if fact["call"] == "params":
        return fact | {key: _described(fact[key]) for key in ("objects", "params") if fact.get(key)}
    return _without_versions(fact)


def _described(objects: Iterable[Any]) -> list[Any]:
    """Return the fields of params that decide, in a stable order; None for no param."""
    described = [each and {"metadata": {key: each["metadata"].get(key) for key in _METADATA}} for each in objects]
    return sorted(described, key=str)


def _without_versions(value: Any) -> Any:
    """Return a value without resource versions, which are random."""
    if isinstance(value, list):
        return [_without_versions(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_versions(item) for key, item in value.items() if key != "resourceVersion"}
    return value


def left_out(fact: Mapping[str, Any]) -> str:
    """Return why a fact is left out; empty if it is replayed."""
    reason: str = CALLS[fact["call"]].left_out(fact)
    return reason


def find_difference(fact: Mapping[str, Any]) -> str:
    """Return the difference of our result; empty if it is equal."""
    difference: str = CALLS[fact["call"]].find_difference(fact)
    return difference


def counts() -> list[tuple[str, int, int]]:
    """Return the numbers of facts and of replayed facts, by upstream's test file."""
    facts = collections.Counter(_file(fact) for fact in read())
    replayed = collections.Counter(_file(fact) for fact in read() if not left_out(fact))
    return [(file, facts[file], replayed[file]) for file in sorted(facts)]


def reasons() -> Mapping[str, int]:
    """Return the reasons of facts that are left out, with their numbers."""
    return collections.Counter(reason for fact in read() if (reason := left_out(fact)))


def _file(fact: Mapping[str, Any]) -> str:
    return str(fact.get("file", "each expression that a test compiles"))
