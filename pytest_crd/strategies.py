"""
Hypothesis strategies for property tests of operators: custom resources that a server accepts or refuses.

They need hypothesis, which `pip install pytest-crd[hypothesis]` installs.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

try:
    from hypothesis import reject
    from hypothesis import strategies as st
    from hypothesis.strategies import DrawFn, SearchStrategy
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("pytest_crd.strategies needs hypothesis: install pytest-crd[hypothesis]") from error

from pytest_crd import engine
from pytest_crd.synthesis import exampleobjects, numbervalues, objectplaces, repair, texts
from pytest_crd.synthesis.demands import ANYTHING, INT_OR_STRING, Demand
from pytest_crd.synthesis.mutations import Mutator
from pytest_crd.synthesis.repair import Judge, NotFoundError, Resource, Search
from pytest_crd.synthesis.schemavalues import Maker

# Limits of one draw: optional fields, list items, and the length of texts without a maximum in the schema.
_MOST_FIELDS: Final = 6
_MOST_ITEMS: Final = 4
_LONGEST: Final = 20
_MOST_WAYS: Final = 16
_MOST_TRIALS: Final = 80
_CHARACTERS: Final = st.characters(categories=("L", "N", "P", "Zs"))
_HEAD: Final = ("apiVersion", "kind", "metadata")
# Values that replace a part of an accepted object to have it refused: wrong types, values that are too large, unknown fields.
_ODD: Final[tuple[Any, ...]] = (None, "", "?", "a" * 300, -1, 2**40, 0.5, True, {}, [], [{}], {"odd": {}})


def resources(version: engine.CrdVersion, *, valid: bool = True) -> SearchStrategy[Resource]:
    """
    Return a strategy for whole custom resources of a version.

    The objects follow the keywords of the schema and shrink to few and small fields. Each is judged as it is drawn: an object that
    validation rules refuse is repaired, so that few draws are lost.

    Args:
        version: A version of a CRD.
        valid: Draw objects that the server accepts. If false, draw accepted objects with one part changed that the server refuses on create.

    Raises:
        NoExampleError: No object was found that the server accepts.
    """
    first = exampleobjects.example(version)
    root = Demand.of_version(version)
    judge = repair.create_judge(version.unobserved.create)
    head = {name: first[name] for name in _HEAD}
    accepted = _accepted(
        _values(root),
        head,
        version,
        Search(judge, repair.acceptance, Mutator.of_version(version, root, Maker()).find_changes),
    )
    return accepted if valid else _refused(accepted, judge)


def _accepted(
    values: SearchStrategy[Resource], head: Resource, version: engine.CrdVersion, search: Search
) -> SearchStrategy[Resource]:
    # Without arguments, because hypothesis prints the arguments of a composite strategy, and a schema is long.
    @st.composite
    def accepted_resource(draw: DrawFn) -> Resource:
        resource = {**draw(values), **head}
        if version.has_status:
            resource.pop("status", None)
        try:
            return search.run(resource, most=_MOST_TRIALS)
        except NotFoundError:
            reject()

    return accepted_resource()


def _refused(accepted: SearchStrategy[Resource], judge: Judge) -> SearchStrategy[Resource]:
    @st.composite
    def refused_resource(draw: DrawFn) -> Resource:
        resource = draw(accepted)
        places = [steps for steps in objectplaces.all_steps(resource) if steps and steps[0] not in _HEAD]
        steps = draw(st.sampled_from(places or [("spec",)]))
        candidates = (objectplaces.replace_value(resource, steps, odd) for odd in _ODD)
        refused = [candidate for candidate in candidates if not judge(candidate).accepted]
        return draw(st.sampled_from(refused)) if refused else reject()

    return refused_resource()


def _values(node: Demand) -> SearchStrategy[Any]:
    """Return a strategy for the values that the keywords of *node* allow, null included."""
    alternatives = [_of_type(node) for node in itertools.islice(node.alternatives(), _MOST_WAYS)]
    return st.one_of(*alternatives, *([st.none()] if node.is_nullable else []))


def _of_type(node: Demand) -> SearchStrategy[Any]:
    if node.enum is not None:
        return st.sampled_from(node.enum)
    strategy = _BY_TYPE.get(node.type)
    return strategy(node) if strategy is not None else st.sampled_from(({}, "a", 1, True, []))


def _texts(node: Demand) -> SearchStrategy[str]:
    demand = node.text
    matches = list(texts.find_texts(demand)) if demand.patterns or demand.format else []
    if matches:
        return st.sampled_from(matches)
    return st.text(_CHARACTERS, min_size=demand.least, max_size=_limit(demand.least, demand.most, _LONGEST))


def _integers(node: Demand) -> SearchStrategy[int]:
    demand = node.number
    step = int(demand.step)
    low, high = (math.ceil(demand.least or 0), math.floor(demand.most or 0))
    return st.integers(-(-low // step), high // step).map(lambda number: number * step).filter(demand.fits)


def _numbers(node: Demand) -> SearchStrategy[float]:
    demand = node.number
    if demand.multiples:
        return st.sampled_from(numbervalues.find_numbers(demand))
    low, high = (None if bound is None else float(bound) for bound in (demand.least, demand.most))
    return st.floats(
        low,
        high,
        allow_nan=False,
        allow_infinity=False,
        exclude_min=demand.excludes_least,
        exclude_max=demand.excludes_most,
    )


def _lists(node: Demand) -> SearchStrategy[list[Any]]:
    least = node.least("minItems")
    most = _limit(least, node.most("maxItems"), _MOST_ITEMS)
    keys = node.map_keys
    identity = (lambda item: json.dumps([item.get(key) for key in keys])) if keys else json.dumps
    unique = identity if node.is_unique else None
    return st.lists(_values(node.items or ANYTHING), min_size=least, max_size=most, unique_by=unique)


def _objects(node: Demand) -> SearchStrategy[dict[str, Any]]:
    required = {name: _values(node.field(name) or ANYTHING) for name in node.required}
    # Built at their first draw: a large schema has thousands.
    optional = {name: _deferred(child) for name, child in node.properties.items() if name not in required}
    least = max(0, node.least("minProperties") - len(required))
    keys = st.text("abcdefgh", min_size=1, max_size=8).filter(lambda key: key not in node.properties)
    values = st.nothing() if node.values is None else _values(node.values)
    most = 0 if node.values is None else max(least, _MOST_ITEMS)
    entries = st.dictionaries(keys, values, min_size=min(least, most), max_size=most)
    some = _some_of(
        optional
    )  # built once, because hypothesis inspects a strategy that is built in a draw each time again

    @st.composite
    def object_of_schema(draw: DrawFn) -> dict[str, Any]:
        fields = {name: draw(values) for name, values in required.items()}
        return {**fields, **dict(draw(some)), **draw(entries)}

    return object_of_schema()


def _some_of(fields: Mapping[str, SearchStrategy[Any]]) -> SearchStrategy[list[tuple[str, Any]]]:
    """Return a strategy for a subset of *fields*; each field is drawn with its value, so that shrinking removes it as a whole."""
    if not fields:
        return st.just([])

    @functools.cache
    def named(name: str) -> SearchStrategy[tuple[str, Any]]:
        return st.tuples(st.just(name), fields[name])

    field = st.sampled_from(list(fields)).flatmap(named)
    return st.lists(field, unique_by=lambda pair: pair[0], max_size=_MOST_FIELDS)


def _deferred(node: Demand) -> SearchStrategy[Any]:
    return st.deferred(lambda: _values(node))


def _limit(least: int, most: int | None, usual: int) -> int:
    """Return the maximum size of a draw: *usual*, raised to *least* and cut to *most*."""
    return max(least, usual) if most is None else min(most, max(least, usual))


_BY_TYPE: Final[dict[str, Callable[[Demand], SearchStrategy[Any]]]] = {
    "string": _texts,
    "integer": _integers,
    "number": _numbers,
    "object": _objects,
    "array": _lists,
    "boolean": lambda _: st.booleans(),
    INT_OR_STRING: lambda node: _integers(node) | _texts(node),
}
