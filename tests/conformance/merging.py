"""
Results of structured-merge-diff in its own tests.

They are in `merging/value.jsonl`, `fieldpath.jsonl`, `typed.jsonl` and `merge.jsonl`.

A line is a fact, that is, a call of the module in a test: `file` of the test, `call`, the arguments, and `answer`,
`error` (a text) or `errors` (of a validation: sorted texts). `python -m oracle record merging` writes them. Values are
written as follows:

- a value as JSON, in which `1.0` is a float and `1` is not;
- a set of paths as `fieldsV1`, a path element as in it (`f:name`, `k:{"a":1}`, `v:1`, `i:0`), a path as the list of its elements;
- a schema with `types`, whole, as in its YAML; `schemas.jsonl` has each once, and a fact has the number of its line from 0;
- a type as its name, or as an inline mapping;
- a typed value as `schema`, `type`, `value`; null if there is none;
- managers as a mapping of names to `version`, `applied`, `fields`; conflicts as sorted pairs of a manager and a path;
- a filter as `exclude`, a set, or `include`, a pattern: `*`, or pairs of an element or `*` and a pattern for the fields below.

The calls, with their arguments:

- `value.Compare`, `value.Equals`, `PathElement.Compare`, `Set.Union`, `Set.Intersection`, `Set.Difference`, `Set.RecursiveDifference`, `Set.Equals`,
  `ManagedFields.Equals`, `ManagedFields.Difference`: `left`, `right`;
- `Path.String`: `path`; `DeserializePathElement`: `text`, and `spelled`, its spelling in a path; `Set.Has`: `set`, `path`; `Set.Leaves`, `Set.Iterate`: `set`;
- `Set.FromJSON`: `text`, and the resulting `paths`, in order, and `answer`, its text again; `Set.ToJSON`: `paths`, and its text;
- `SetFromValue`: `value`; `Set.EnsureNamedFieldsAreMembers`: `set`, `schema`, `type`; `Set.FilterIncludeMatches`: `set`, `pattern`;
- `Validate`: `schema`, `type`, `value`, `duplicates` (they are allowed);
- `ToFieldSet`: `object`; `Merge`, `Compare`: `left`, `right`, and a value, or `removed`, `modified`, `added`; `RemoveItems`: `object`, `set`;
  `ExtractItems`: `object`, `set`, `keys` (keys of items are extracted, too); `Comparison.ExcludeFields`: `comparison`, `set`;
  `ReconcileFieldSetWithSchema`: `set`, `object`, and null if nothing changes;
- `ConflictsFromManagers`: `managers`, and `message` about all of them;
- `Update`, `Apply`: `live`, `sent`, `version`, `managers`, `manager`, `force` (`Apply`); `ignored`, filters by version; `inputOnNoop` (an apply
  without changes returns the object instead of null); `converter`, a name in `converters`. The answer has `object` and `managers`; an error may
  have `conflicts`. Each operation is complete in itself.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from conformance import facts as recorded
from conformance.facts import Fact
from pytest_crd.engine.jsonvalue import JSONValue

FOLDER: Final = Path(__file__).parent / "merging"
PACKAGES: Final = ("value", "fieldpath", "typed", "merge")
_SCHEMAS: Final = "schemas.jsonl"
# A conversion by a `converter` to a `version`. Only the recorder checks these, because their number depends on Go's map
# order.
CONVERT: Final = "Convert"
# Calls that are redundant, or that upstream makes at random again and again.
_EXCLUDED: Final = frozenset({"value.Less", CONVERT})
_LONGEST: Final = 1500
_MOST: Final = 60


def files() -> list[Path]:
    """Return the paths of the files."""
    return [FOLDER / name for name in (_SCHEMAS, *(f"{package}.jsonl" for package in PACKAGES))]


def facts(*calls: str) -> Iterator[Fact]:
    """Yield the recorded facts of *calls*, or of all calls, with whole schemas."""
    for package in PACKAGES:
        for line in recorded.lines(FOLDER / f"{package}.jsonl"):
            if not calls or line["call"] in calls:
                yield _resolved(line)


def schemas() -> list[JSONValue]:
    """Return the distinct schemas; `facts` refers to the same objects."""
    return _schemas()


@functools.cache
def _schemas() -> list[JSONValue]:
    return recorded.lines(FOLDER / _SCHEMAS)


def counts() -> dict[str, int]:
    """Return the number of facts by upstream's test file."""
    return recorded.counts(facts())


def file_texts(called: Iterable[Fact]) -> dict[str, str]:
    """
    Return the texts of the files, by name, for the facts of a run.

    Args:
        called: Facts as the reference reports them, with whole schemas, unordered and with duplicates.
    """
    chosen = [json.loads(text) for text in _chosen(_distinct(called))]
    texts = sorted({recorded.text(schema) for fact in chosen for schema in _whole_schemas(fact)})
    numbers = {text: number for number, text in enumerate(texts)}
    lines: dict[str, list[Fact]] = {package: [] for package in PACKAGES}
    for fact in chosen:
        lines[_package(fact)].append(_numbered(fact, numbers))
    files = {f"{package}.jsonl": sorted(map(recorded.text, facts_)) for package, facts_ in lines.items()}
    return {
        name: "".join(f"{line}\n" for line in file_lines) for name, file_lines in (files | {_SCHEMAS: texts}).items()
    }


def _chosen(texts: Iterable[str]) -> Iterator[str]:
    """Yield the facts; of a call with very many facts in one test file only the shortest."""
    groups: dict[tuple[str, str], list[str]] = {}
    for text in texts:
        fact = json.loads(text)
        groups.setdefault((fact["file"], fact["call"]), []).append(text)
    for group in groups.values():
        many = len(group) > 5 * _MOST and "serialize_test" in group[0]
        short = [text for text in group if len(text) < _LONGEST] if many else group
        yield from sorted(short, key=lambda text: (len(text), text))[: _MOST if many else None]


def _package(fact: Fact) -> str:
    call: str = fact["call"]
    if call.startswith("value."):
        return "value"
    if call in ("Apply", "Update", "ConflictsFromManagers"):
        return "merge"
    of_paths = ("Set", "Path", "ManagedFields", "DeserializePathElement")
    return "fieldpath" if call.startswith(of_paths) else "typed"


def _distinct(called: Iterable[Fact]) -> set[str]:
    """Return the distinct facts as texts, with names for types."""
    named_facts = (with_type_names(fact) for fact in called if fact["call"] not in _EXCLUDED)
    return {recorded.text({key: value for key, value in fact.items() if _is_fixed(fact, key)}) for fact in named_facts}


def _is_fixed(fact: Fact, key: str) -> bool:
    """Return True if the value of *key* is the same in each run; the spelling of a mapping inside an element is not."""
    return key != "spelled" or fact["text"].count("{") < 2


def with_type_names(value: JSONValue) -> JSONValue:
    """Return a fact, or a part of one, with names for types."""
    if isinstance(value, list):
        return [with_type_names(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "type" in value and "schema" in value and isinstance(value["type"], dict) and [*value["type"]] == ["namedType"]:
        value = value | {"type": value["type"]["namedType"]}
    return {key: item if key in ("value", "schema") else with_type_names(item) for key, item in value.items()}


def _whole_schemas(value: JSONValue) -> Iterator[JSONValue]:
    if isinstance(value, list):
        for item in value:
            yield from _whole_schemas(item)
    elif isinstance(value, dict):
        if _has_schema(value):
            yield value["schema"]
        else:
            for item in value.values():
                yield from _whole_schemas(item)


def _has_schema(value: Mapping[str, JSONValue]) -> bool:
    """Return True for a typed value, or a fact with a schema of its own."""
    return "schema" in value and "type" in value


def _numbered(value: JSONValue, numbers: Mapping[str, int]) -> JSONValue:
    if isinstance(value, list):
        return [_numbered(item, numbers) for item in value]
    if not isinstance(value, dict):
        return value
    if _has_schema(value):
        return value | {"schema": numbers[recorded.text(value["schema"])]}
    return {key: _numbered(item, numbers) for key, item in value.items()}


def _resolved(value: JSONValue) -> JSONValue:
    if isinstance(value, list):
        return [_resolved(item) for item in value]
    if not isinstance(value, dict):
        return value
    if _has_schema(value):
        return value | {"schema": _schemas()[value["schema"]]}
    return {key: _resolved(item) for key, item in value.items()}
