"""Comparison of an object, paths and warnings with the expectations of a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_crd import lazyimport
from pytest_crd.cases.caseresult import Trace
from pytest_crd.cases.model import Case
from pytest_crd.cases.sections import Section
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE
from pytest_crd.engine.schema.structural import META_FIELDS, Structural

if TYPE_CHECKING:
    from pytest_crd.cases import comparison, deviations
    from pytest_crd.cases.deviations import Mismatch, PathsMismatch
else:
    deviations = lazyimport.module("pytest_crd.cases.deviations")
    comparison = lazyimport.module("pytest_crd.cases.comparison")


def compare_object(
    case: Case, value: JSONValue, sent: JSONValue, schema: Structural | None, *, made_up: frozenset[str] = frozenset()
) -> Iterator[Mismatch]:
    """
    Yield the mismatches between an object and the expectations of *case*.

    Args:
        case: The case, with `expected`, `contains` and `absent`.
        value: The object.
        sent: The object that the case sends, to explain differences.
        schema: The schema of the object.
        made_up: The fields of metadata that no input states; compared only if the case expects them.
    """
    for key, expectation, subset in (("expected", case.expected, False), ("contains", case.contains, True)):
        if expectation is not None:
            expected, actual = _comparable(expectation, value, made_up)
            remainder = comparison.compare(expected, actual, schema, subset=subset)
            if remainder is not None:
                compared = comparison.select_compared(expected, actual, schema) if subset else actual
                is_of_pruning = case.section is Section.PRUNING
                yield deviations.ObjectMismatch(key, expected, actual, compared, remainder, sent, schema, is_of_pruning)
    for path in case.absent or ():
        yield from (deviations.Present(path, present) for present in comparison.find_values(value, path))


def compare_paths(
    listed: Mapping[str, Sequence[str] | None], trace: Trace, warnings: Sequence[str] = ()
) -> Iterator[Mismatch]:
    """
    Yield a mismatch for each list of paths or warnings that differs from the case's list; order does not count.

    Args:
        listed: The expected lists, by the key of the case; None where the case states none.
        trace: The effects of the passes.
        warnings: The server's warnings.
    """
    actual = {
        "pruned": trace.pruned,
        "defaulted": trace.defaulted,
        "nullsDropped": trace.nulls,
        "lost": trace.lost,
        "mutated": trace.mutated,
        "warnings": warnings,
    }
    for key, wanted in listed.items():
        if wanted is not None and (mismatch := _paths_mismatch(key, wanted, [*map(str, actual[key])])):
            yield mismatch


def _paths_mismatch(key: str, wanted: Sequence[str], actual: Sequence[str]) -> PathsMismatch | None:
    missing, unasked = Counter(wanted) - Counter(actual), Counter(actual) - Counter(wanted)
    if not missing and not unasked:
        return None
    met = Counter(wanted) & Counter(actual)
    return deviations.PathsMismatch(key, tuple(missing.elements()), tuple(unasked.elements()), tuple(met.elements()))


def _comparable(
    expected: Mapping[str, JSONValue], actual: Mapping[str, JSONValue], made_up: frozenset[str]
) -> tuple[JSONValue, JSONValue]:
    """Return both objects without the fields that are not compared, as a server sets them or the case leaves them out."""
    unstated = [name for name in META_FIELDS if name not in expected]
    actual = {name: value for name, value in actual.items() if name not in unstated}
    metadata = expected.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(actual.get("metadata"), dict):
        return expected, actual
    hidden = SERVER_MADE | {name for name in (*made_up, "namespace") if name not in metadata}
    return _without(expected, hidden), _without(actual, hidden)


def _without(resource: Mapping[str, JSONValue], hidden: frozenset[str]) -> JSONValue:
    metadata = {name: value for name, value in resource["metadata"].items() if name not in hidden}
    return {**resource, "metadata": metadata}
