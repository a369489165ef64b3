"""What a case expects of an object, of paths and of warnings, held against what is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pytest_crd.cases import comparison
from pytest_crd.cases.caseresult import Mismatch, ObjectMismatch, PathsMismatch, Present, Trace
from pytest_crd.cases.model import Case
from pytest_crd.cases.sections import Section
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.requestmetadata import SERVER_MADE
from pytest_crd.engine.schema.metafields import META_FIELDS
from pytest_crd.engine.schema.structural import Structural


def of_object(
    case: Case, value: JSONValue, sent: JSONValue, schema: Structural | None, *, made_up: frozenset[str] = frozenset()
) -> Iterator[Mismatch]:
    """
    Yield where an object is not what *case* expects.

    Args:
        case: What is expected: `expected`, `contains`, `absent`.
        value: The object.
        sent: What the case sends, for the reasons of a difference.
        schema: The schema of the object.
        made_up: The fields of metadata that nobody stated; not compared unless the case does.
    """
    for key, stated, subset in (("expected", case.expected, False), ("contains", case.contains, True)):
        if stated is not None:
            expected, actual = _comparable(stated, value, made_up)
            remainder = comparison.compare(expected, actual, schema, subset=subset)
            if remainder is not None:
                asked = comparison.asked(expected, actual, schema) if subset else actual
                is_of_pruning = case.section is Section.PRUNING
                yield ObjectMismatch(key, expected, actual, asked, remainder, sent, schema, is_of_pruning)
    for path in case.absent or ():
        yield from (Present(path, found) for found in comparison.value_at(value, path))


def of_paths(
    listed: Mapping[str, Sequence[str] | None], trace: Trace, warnings: Sequence[str] = ()
) -> Iterator[Mismatch]:
    """
    Yield where the paths and warnings are not those that a case lists; their order does not count.

    Args:
        listed: What is expected, by the key of the case; None where that is not stated.
        trace: What the passes did.
        warnings: What the server warns about.
    """
    found = {
        "pruned": trace.pruned,
        "defaulted": trace.defaulted,
        "nullsDropped": trace.nulls,
        "lost": trace.lost,
        "warnings": warnings,
    }
    for key, wanted in listed.items():
        if wanted is not None and (mismatch := _paths_mismatch(key, wanted, [*map(str, found[key])])):
            yield mismatch


def _paths_mismatch(key: str, wanted: Sequence[str], found: Sequence[str]) -> PathsMismatch | None:
    missing, unasked = Counter(wanted) - Counter(found), Counter(found) - Counter(wanted)
    if not missing and not unasked:
        return None
    met = Counter(wanted) & Counter(found)
    return PathsMismatch(key, tuple(missing.elements()), tuple(unasked.elements()), tuple(met.elements()))


def _comparable(
    expected: Mapping[str, JSONValue], actual: Mapping[str, JSONValue], made_up: frozenset[str]
) -> tuple[JSONValue, JSONValue]:
    """Return both without what is not compared: what a server makes up, and what the case leaves out to be filled in."""
    unstated = [name for name in META_FIELDS if name not in expected]
    actual = {name: value for name, value in actual.items() if name not in unstated}
    stated = expected.get("metadata")
    if not isinstance(stated, dict) or not isinstance(actual.get("metadata"), dict):
        return expected, actual
    hidden = SERVER_MADE | {name for name in (*made_up, "namespace") if name not in stated}
    return _without(expected, hidden), _without(actual, hidden)


def _without(resource: Mapping[str, JSONValue], hidden: frozenset[str]) -> JSONValue:
    metadata = {name: value for name, value in resource["metadata"].items() if name not in hidden}
    return {**resource, "metadata": metadata}
