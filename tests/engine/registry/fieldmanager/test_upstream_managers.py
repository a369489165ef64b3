"""Replay of apimachinery's own tests of managedfields."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable, Mapping
from typing import Final

import pytest
from conformance import fieldmanagers as recorded
from conformance.facts import Fact
from support.upstreamschemas import Schemas

from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import fieldmanager, managedlimits, managers, scalefields
from pytest_crd.engine.registry.fieldmanager.fieldmanager import FieldManager
from pytest_crd.engine.registry.fieldmanager.managers import BrokenEntriesError
from pytest_crd.engine.registry.fieldmanager.pathelements import Path
from pytest_crd.engine.registry.fieldmanager.versionedobjects import Versions
from pytest_crd.engine.registry.fieldmanager.writers import ApplyRefusedError, Writer

pytestmark = pytest.mark.replay
PAGE: Final = pathlib.Path(__file__).parents[4] / "docs/developing/upstream.md"
_TYPES: Final = Schemas({"types": recorded.types()})
_NEVER: Final = "2100-01-01T00:00:00Z"


def _manager_of(fact: Fact) -> FieldManager:
    group = fact["apiVersion"].rpartition("/")[0]
    entries = (*_entries(fact["live"]), *_entries(fact["sent"]))
    expected = {fact["apiVersion"], *(entry.get("apiVersion") or "v1" for entry in entries)}
    # Nothing is converted in upstream's tests: each version is as the other.
    of_group = {f"{group}/{version.rpartition('/')[2]}".removeprefix("/") for version in expected}
    kinds = {api_version: lambda: _TYPES.resolve(fact["type"]) for api_version in of_group}
    versions = Versions(group, kinds, is_built_in=True)
    type_meta = {"apiVersion": fact["apiVersion"], "kind": fact["kind"]}
    return FieldManager(versions, type_meta, {fact["subresource"]: {}}, profile.named("1.37").apply)


def _live(fact: Fact) -> JSONValue:
    """Return the stored object; None if it has only apiVersion and kind."""
    live = fact["live"]
    return live if live.keys() - {"apiVersion", "kind"} else None


def _entries(resource: JSONValue) -> list[JSONValue]:
    return ((resource or {}).get("metadata") or {}).get("managedFields") or []


def _now(fact: Fact) -> str:
    """Return the time of a request, found in the entries that it writes."""
    before = {entry.get("time") for entry in (*_entries(fact["live"]), *_entries(fact["sent"]))}
    after = {entry.get("time") for entry in _entries(fact.get("answer"))} - before - {None}
    assert len(after) < 2
    return after.pop() if after else _NEVER


def _updated(fact: Fact) -> JSONValue:
    writer = Writer(fact["manager"], _now(fact), fact["subresource"])
    return fieldmanager.with_entries(fact["sent"], _manager_of(fact).update(_live(fact), fact["sent"], writer))


def _applied(fact: Fact) -> JSONValue:
    writer = Writer(fact["manager"], _now(fact), fact["subresource"], is_forced=fact["force"])
    return _manager_of(fact).apply(_live(fact), fact["sent"], writer).resource


def _identifier(fact: Fact) -> JSONValue:
    entry = {"fieldsType": "FieldsV1", "apiVersion": "v1", "operation": "Update", **fact["entry"]}
    (result,) = managers.read([entry]).owners
    return result.identifier


def _paths(fact: Fact) -> dict[str, Path | None]:
    return {
        version: None if path is None else tuple(filter(None, map(managers.element_of, path)))
        for version, path in fact["paths"].items()
    }


def _of_parent(fact: Fact) -> JSONValue:
    return scalefields.of_parent(fact["entries"] or [], fact["scale"] or [], _paths(fact), fact["version"])


CALLS: Final[Mapping[str, Callable[[Fact], JSONValue]]] = {
    "FieldManager.Update": _updated,
    "FieldManager.Apply": _applied,
    "DecodeManagedFields": lambda fact: managers.write(managers.read(fact["entries"] or [])),
    "BuildManagerIdentifier": _identifier,
    "ScaleHandler.ToSubresource": lambda fact: scalefields.of_scale(fact["entries"] or [], _paths(fact)),
    "ScaleHandler.ToParent": _of_parent,
}


def _answer(fact: Fact) -> JSONValue:
    try:
        with pytest.MonkeyPatch.context() as patched:
            if fact.get("cap"):
                patched.setattr(managedlimits, "_MAX_UPDATERS", *fact["cap"])
            return CALLS[fact["call"]](fact)
    except ApplyRefusedError as error:
        return error.refusal.message
    except BrokenEntriesError as error:
        return str(error)


def _expected(fact: Fact) -> JSONValue:
    if "status" in fact:
        return fact["status"]["message"]
    return fact.get("error", fact.get("answer") or [])


def _is_left_out(fact: Fact) -> bool:
    """Return whether a test has put something into the field manager that no server has: an error, or objects that are not tracked by chance."""
    return fact.get("error") == "test error" or len(fact.get("tracks") or ()) > 1


@pytest.mark.parametrize("call", CALLS)
def test_answers_as_upstream(call: str) -> None:
    differing = [
        {"fact": fact, "here": answer}
        for fact in recorded.facts()
        if fact["call"] == call and not _is_left_out(fact) and (answer := _answer(fact)) != _expected(fact)
    ]
    assert differing == []


def test_each_replayed_call_is_recorded() -> None:
    assert {fact["call"] for fact in recorded.facts()} == CALLS.keys()


def test_the_page_lists_the_replayed_facts_of_each_file() -> None:
    counts: dict[str, list[int]] = {}
    for fact in recorded.facts():
        counts.setdefault(fact["file"], [0, 0])[_is_left_out(fact)] += 1
    rows = re.findall(
        r"^\| `(managedfields/\S+)` \| (\d+) \| (\d+) \| (\d*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )

    assert [
        (file, int(request), int(replayed), int(remaining or 0)) for file, request, replayed, remaining in rows
    ] == [(file, replayed + remaining, replayed, remaining) for file, (replayed, remaining) in sorted(counts.items())]
