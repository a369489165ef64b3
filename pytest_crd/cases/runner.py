"""Running a case: what its section asks of the engine, and how the answer is held against what it expects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pytest_crd.cases import comparison
from pytest_crd.cases.model import Case, Section
from pytest_crd.cases.result import CaseResult, Mismatch, ObjectMismatch, PathsMismatch, Present, Refused, Trace
from pytest_crd.engine import DecodeError, UnsupportedConstructError, Version, yamlreader
from pytest_crd.engine.jsonvalue import JSONValue

# What only a server sets; never compared.
_SERVER_MADE: Final = frozenset({"uid", "generation", "creationTimestamp", "resourceVersion", "managedFields"})
_FILLED_IN: Final = ("apiVersion", "kind", "metadata")


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the engine makes of the input of a case."""

    value: JSONValue
    trace: Trace


def run(case: Case, version: Version) -> CaseResult:
    """
    Return what becomes of *case* under *version*.

    Args:
        case: A case of a section that `SECTIONS` lists.
        version: The CRD version that it is about.

    Raises:
        InputError: The input is a text that the server could not read.
    """
    context = {
        "crd": version.crd.name,
        "version": version.name,
        "kubernetes": version.crd.kubernetes_version,
        "source": version.crd.source,
    }
    given = yamlreader.read_one(case.input).value if isinstance(case.input, str) else case.input
    resource = _completed(given, version)
    try:
        answer = SECTIONS[case.section](version, resource)
    except DecodeError as error:
        return CaseResult((Refused(f"the server answers 400: {error}"),), Trace(), context)
    except UnsupportedConstructError as error:
        return CaseResult((Refused(f"{version.crd.name} {version.name} serves no objects: {error}"),), Trace(), context)
    return CaseResult(tuple(_mismatches(case, resource, answer, version)), answer.trace, context)


def _prune(version: Version, resource: Mapping[str, JSONValue]) -> _Answer:
    pruned = version.prune(resource)
    return _Answer(pruned.value, Trace(pruned=pruned.paths))


def _default(version: Version, resource: Mapping[str, JSONValue]) -> _Answer:
    defaulted = version.default(resource)
    return _Answer(defaulted.value, Trace(nulls=defaulted.nulls, defaulted=defaulted.paths))


SECTIONS: Final[dict[Section, Callable[[Version, Mapping[str, JSONValue]], _Answer]]] = {
    Section.PRUNING: _prune,
    Section.DEFAULTING: _default,
}


def _mismatches(case: Case, resource: Mapping[str, JSONValue], answer: _Answer, version: Version) -> Iterator[Mismatch]:
    for key, stated, subset in (("expected", case.expected, False), ("contains", case.contains, True)):
        if stated is not None:
            expected, actual = _comparable(stated, answer.value)
            remainder = comparison.compare(expected, actual, version.schema, subset=subset)
            if remainder is not None:
                yield ObjectMismatch(key, expected, actual, remainder, resource)
    for path in case.absent or ():
        yield from (Present(path, value) for value in comparison.value_at(answer.value, path))
    trace = answer.trace
    for key, wanted, found in (
        ("pruned", case.pruned, trace.pruned),
        ("defaulted", case.defaulted, trace.defaulted),
        ("nullsDropped", case.nulls_dropped, trace.nulls),
    ):
        if wanted is not None and (mismatch := _paths_mismatch(key, wanted, found)):
            yield mismatch


def _paths_mismatch(key: str, wanted: tuple[str, ...], found: tuple[str, ...]) -> PathsMismatch | None:
    missing, unasked = Counter(wanted) - Counter(found), Counter(found) - Counter(wanted)
    if not missing and not unasked:
        return None
    met = Counter(wanted) & Counter(found)
    return PathsMismatch(key, tuple(missing.elements()), tuple(unasked.elements()), tuple(met.elements()))


def _completed(resource: JSONValue, version: Version) -> Mapping[str, JSONValue]:
    """Return *resource* with the apiVersion and kind that the case may leave out."""
    return {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind, **resource}


def _comparable(expected: Mapping[str, JSONValue], actual: Mapping[str, JSONValue]) -> tuple[JSONValue, JSONValue]:
    """Return both without what is not compared: what a server makes up, and what the case leaves out to be filled in."""
    unstated = [name for name in _FILLED_IN if name not in expected]
    actual = {name: value for name, value in actual.items() if name not in unstated}
    stated = expected.get("metadata")
    if not isinstance(stated, dict) or not isinstance(actual.get("metadata"), dict):
        return expected, actual
    hidden = _SERVER_MADE if "namespace" in stated else _SERVER_MADE | {"namespace"}
    return _without(expected, hidden), _without(actual, hidden)


def _without(resource: Mapping[str, JSONValue], hidden: frozenset[str]) -> JSONValue:
    metadata = {name: value for name, value in resource["metadata"].items() if name not in hidden}
    return {**resource, "metadata": metadata}
