"""Replay of structured-merge-diff's own tests."""

from __future__ import annotations

import functools
import itertools
import json
import pathlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pytest
from conformance import converters
from conformance import merging as recorded
from conformance.facts import Fact
from support.upstreamschemas import Schemas

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import comparing, fieldsets, managers, ownership, pathelements, typedvalues
from pytest_crd.engine.registry.fieldmanager.comparing import Comparison
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.managers import Manager, Owned
from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
from pytest_crd.engine.registry.fieldmanager.ownership import ConflictsError, ObjectChange, Ownership
from pytest_crd.engine.registry.fieldmanager.pathelements import Path
from pytest_crd.engine.registry.fieldmanager.typedvalues import TypedError
from pytest_crd.engine.registry.fieldmanager.versionedobjects import Typed

pytestmark = pytest.mark.replay
PAGE: Final = pathlib.Path(__file__).parents[4] / "docs/developing/upstream.md"
# Calls that this engine never makes, or that JSON cannot represent.
LEFT_OUT: Final[Mapping[str, str]] = {
    "ExtractItems": "extracting what a manager owns is for clients that apply, no server does it",
    "SetFromValue": "as above: the fields of a value of which no type is known",
    "Set.Leaves": "as above",
    "ManagedFields.Difference": "upstream's tests compare managers by it",
    "ManagedFields.Equals": "as above",
}


class _Facts:
    """The types that recorded facts name."""

    def __init__(self) -> None:
        self._schemas: dict[int, Schemas] = {}
        self._named: dict[int, tuple[JSONValue, JSONValue]] = {}

    def kind(self, schema: JSONValue, type_: JSONValue) -> MergeType:
        if id(schema) not in self._schemas:
            self._schemas[id(schema)] = Schemas(schema)
        kind = self._schemas[id(schema)].resolve(type_)
        self._named[id(kind)] = schema, type_
        return kind

    def named(self, kind: MergeType) -> tuple[JSONValue, JSONValue]:
        """Return the schema and the name of a type."""
        return self._named[id(kind)]

    def typed(self, written: JSONValue) -> Typed:
        return Typed(self.kind(written["schema"], written["type"]), written["value"])


_OF: Final = _Facts()
_read: Final = managers.read_fields


def _path(written: JSONValue) -> Path:
    elements = [managers.element_of(text) for text in written]
    return tuple(element for element in elements if element is not None)


def _sign(remaining: Any, right: Any) -> int:
    return bool(remaining > right) - bool(remaining < right)


def _compared_values(fact: Fact) -> JSONValue:
    return _sign(pathelements.value(fact["left"]), pathelements.value(fact["right"]))


def _compared_elements(fact: Fact) -> JSONValue:
    return _sign(managers.element_of(fact["left"]), managers.element_of(fact["right"]))


def _of_sets(ask: Callable[[FieldSet, FieldSet], FieldSet], fact: Fact) -> JSONValue:
    return managers.write_fields(ask(_read(fact["left"]), _read(fact["right"])))


def _element(fact: Fact) -> JSONValue:
    result = managers.element_of(fact["text"])
    return "broken" if result is None else managers.text_of(result)


def _read_set(fact: Fact) -> JSONValue:
    return managers.write_fields(_read(json.loads(fact["text"])))


def _written_paths(fields: FieldSet) -> JSONValue:
    return [[managers.text_of(element) for element in path] for path in fields]


def _validated(fact: Fact) -> JSONValue:
    kind = _OF.kind(fact["schema"], fact["type"])
    typedvalues.check(kind, fact["value"], allow_duplicates=fact["duplicates"])
    return True


def _fields(fact: Fact) -> JSONValue:
    return managers.write_fields(_OF.typed(fact["object"]).fields)


def _merged(fact: Fact) -> JSONValue:
    remaining, right = _OF.typed(fact["left"]), _OF.typed(fact["right"])
    return remaining.merged(right).value


def _compared(fact: Fact) -> JSONValue:
    return _written_comparison(_OF.typed(fact["left"]).compared(_OF.typed(fact["right"])))


def _written_comparison(comparison: Comparison) -> JSONValue:
    return {name: managers.write_fields(fields) for name, fields in comparison._asdict().items()}


def _excluded(fact: Fact) -> JSONValue:
    comparison = Comparison(**{name: _read(fields) for name, fields in fact["comparison"].items()})
    return _written_comparison(comparison.without(_read(fact["set"])))


def _removed(fact: Fact) -> JSONValue:
    return _OF.typed(fact["object"]).without(_read(fact["set"])).value


def _with_parents(fact: Fact) -> JSONValue:
    kind = _OF.kind(fact["schema"], fact["type"])
    return managers.write_fields(ownership.with_parents(kind, _read(fact["set"])))


def _reconciled(fact: Fact) -> JSONValue:
    was = _read(fact["set"])
    now = ownership.reconciled(_OF.typed(fact["object"]).kind, was)
    return None if now is was else managers.write_fields(now)


class _Converter:
    """Converts as upstream's tests do."""

    def __init__(self, name: str) -> None:
        self._name = name

    def converted(self, typed: Typed, api_version: str) -> Typed:
        schema, type_ = _OF.named(typed.kind)
        value = json.loads(json.dumps(typed.value, sort_keys=True))  # of two fields that become one, the last one stays
        result = converters.convert(self._name, {"schema": schema, "type": type_, "value": value}, api_version)
        return _OF.typed(result)


def _manager(name: str) -> Manager:
    return Manager(name, "")


def _owners(written: JSONValue) -> dict[Manager, Owned]:
    return {
        _manager(name): Owned(_read(owned["fields"]), owned["version"], owned["applied"])
        for name, owned in written.items()
    }


def _written_owners(owners: Mapping[Manager, Owned]) -> JSONValue:
    return {
        manager.name: {
            "fields": managers.write_fields(owned.fields),
            "version": owned.api_version,
            "applied": owned.applied,
        }
        for manager, owned in owners.items()
    }


def _written_conflicts(conflicts: ConflictsError) -> JSONValue:
    return sorted([manager.name, [managers.text_of(element) for element in path]] for manager, path in conflicts)


def _ownership(fact: Fact) -> Ownership:
    ignored = {version: _read(filtered["exclude"]) for version, filtered in (fact["ignored"] or {}).items()}
    return Ownership(_Converter(fact["converter"]), ignored)


def _change(fact: Fact) -> ObjectChange:
    return ObjectChange(_OF.typed(fact["live"]), _OF.typed(fact["sent"]), fact["version"])


def _updated(fact: Fact) -> JSONValue:
    owners = _ownership(fact).update(_change(fact), _owners(fact["managers"]), _manager(fact["manager"]))
    return {"managers": _written_owners(owners), "object": fact["sent"]["value"]}


def _applied(fact: Fact) -> JSONValue:
    change, was = _change(fact), _owners(fact["managers"])
    new, owners = _ownership(fact).apply(change, was, _manager(fact["manager"]), is_forced=fact["force"])
    is_noop = not fact["inputOnNoop"] and comparing.same(new.value, change.live.value)
    return {"managers": _written_owners(owners), "object": None if is_noop else new.value}


def _conflicts(fact: Fact) -> JSONValue:
    owners = _owners(fact["managers"])
    return _written_conflicts(ConflictsError({manager: owned.fields for manager, owned in owners.items()}))


CALLS: Final[Mapping[str, Callable[[Fact], JSONValue]]] = {
    "value.Compare": _compared_values,
    "value.Equals": lambda fact: comparing.same(fact["left"], fact["right"]),
    "PathElement.Compare": _compared_elements,
    "DeserializePathElement": _element,
    "Path.String": lambda fact: pathelements.spell(_path(fact["path"])),
    "Set.Union": functools.partial(_of_sets, FieldSet.union),
    "Set.Intersection": functools.partial(_of_sets, FieldSet.intersection),
    "Set.Difference": functools.partial(_of_sets, FieldSet.difference),
    "Set.RecursiveDifference": functools.partial(_of_sets, FieldSet.without),
    "Set.Equals": lambda fact: _read(fact["left"]) == _read(fact["right"]),
    "Set.Has": lambda fact: _path(fact["path"]) in _read(fact["set"]),
    "Set.Iterate": lambda fact: _written_paths(_read(fact["set"])),
    "Set.ToJSON": lambda fact: json.dumps(
        managers.write_fields(fieldsets.from_paths(map(_path, fact["paths"]))), separators=(",", ":")
    ),
    "Set.FromJSON": _read_set,
    "Set.EnsureNamedFieldsAreMembers": _with_parents,
    "Validate": _validated,
    "ToFieldSet": _fields,
    "Merge": _merged,
    "Compare": _compared,
    "Comparison.ExcludeFields": _excluded,
    "RemoveItems": _removed,
    "ReconcileFieldSetWithSchema": _reconciled,
    "ConflictsFromManagers": _conflicts,
    "Update": _updated,
    "Apply": _applied,
}


def _answer(fact: Fact) -> JSONValue:
    """Return this engine's answer to a fact, in the form of the fact."""
    try:
        return CALLS[fact["call"]](fact)
    except ConflictsError as conflicts:
        return _written_conflicts(conflicts)
    except TypedError as error:
        first, *others = str(error).split("\n")
        return sorted(line.strip() for line in others) or [first]
    except managers.BrokenError:
        return "broken"


def _expected(fact: Fact) -> JSONValue:
    """Return upstream's answer to a fact; any malformed text is "broken"."""
    if "conflicts" in fact:
        return fact["conflicts"]
    if "errors" in fact:  # upstream decodes values from YAML, servers from JSON
        return [text.replace("map[interface {}]interface {}", "map[string]interface {}") for text in fact["errors"]]
    if "error" in fact:
        return "broken"
    answer = json.loads(fact["answer"]) if fact["call"] == "Set.FromJSON" else fact["answer"]
    return _value_of(answer)


def _value_of(answer: JSONValue) -> JSONValue:
    if isinstance(answer, dict) and "schema" in answer:
        return answer["value"]
    if isinstance(answer, dict) and "object" in answer:
        return {**answer, "object": _value_of(answer["object"])}
    return answer


@functools.cache
def _facts_by_call() -> dict[str, list[Fact]]:
    """Return the recorded facts by call; the files are read once for all tests."""
    facts: dict[str, list[Fact]] = {}
    for fact in recorded.facts():
        facts.setdefault(fact["call"], []).append(fact)
    return facts


def _replayed(call: str) -> Iterator[Fact]:
    for fact in _facts_by_call()[call]:
        is_none = call.startswith("value.") and {} in (fact["left"], fact["right"])  # Go's zero Value
        # A version that is gone is nothing there; of a CRD servers say that it is an error.
        is_obsolete = fact["file"] == "merge/obsolete_versions_test.go"
        is_filter = any("include" in item for item in (fact.get("ignored") or {}).values())
        is_text = call == "Set.FromJSON" and not _is_json(fact["text"])
        # Of several fields that are not declared Go names any.
        is_random = "not declared" in str(fact.get("errors", "")) and len(fact["value"]) > 1
        is_override = "schema error" in str(fact.get("errors", ""))  # a scalar that is to be merged as a map
        if not (is_none or is_obsolete or is_filter or is_text or is_override or is_random):
            yield fact


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("call", CALLS)
def test_answers_as_upstream(call: str) -> None:
    differing = [
        {"fact": fact, "here": answer} for fact in _replayed(call) if (answer := _answer(fact)) != _expected(fact)
    ]
    assert differing == []


def test_each_recorded_call_is_replayed_or_left_out() -> None:
    assert _facts_by_call().keys() == CALLS.keys() | LEFT_OUT.keys()


def test_most_recorded_facts_are_replayed() -> None:
    request = sum(1 for call in CALLS for _ in _replayed(call))
    assert request > 2600


def test_the_page_lists_the_replayed_facts_of_each_file() -> None:
    counts: dict[str, list[int]] = {}
    for fact in itertools.chain.from_iterable(_facts_by_call().values()):
        counts.setdefault(fact["file"], [0, 0])[fact["call"] in LEFT_OUT] += 1
    rows = re.findall(
        r"^\| `((?!managedfields)\S+_test\.go)` \| (\d+) \| (\d+) \| (\d*) \|$",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )

    assert [
        (file, int(request), int(replayed), int(remaining or 0)) for file, request, replayed, remaining in rows
    ] == [(file, replayed + remaining, replayed, remaining) for file, (replayed, remaining) in sorted(counts.items())]
    assert all(f"`{call}`" in PAGE.read_text(encoding="utf-8") for call in LEFT_OUT)
