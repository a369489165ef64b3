"""Values for the branches of junctors (`allOf`, `anyOf`, `oneOf`, `not`) that differ between two schemas."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import Boundaries
from pytest_crd.synthesis.demands import Demand
from pytest_crd.upgrades import listedvalues, schemadifferences
from pytest_crd.upgrades.schemadifferences import Difference

_MOST_OF_BRANCH: Final = 3


def find_changed_values(sides: Sequence[Boundaries], difference: Difference) -> Iterator[Any]:
    """Yield values for each branch that only one schema has, and for each two branches of a new `oneOf` at once."""
    keyword = difference.keyword
    before, after = (schemadifferences.list_branches(keyword, value) for value in (difference.before, difference.after))
    changed = [(branch,) for branch in listedvalues.order_by_difference(before, after)]
    pairs = itertools.combinations(after, 2) if keyword == "oneOf" else ()
    for branches, side in itertools.product((*changed, *pairs), sides):
        structure = side.root.at(difference.place).structure
        plain = {key: value for key, value in structure.items() if key != keyword}
        yield from itertools.islice(side.maker.find_values(Demand((plain, *branches))), _MOST_OF_BRANCH)


def find_values(sides: Sequence[Boundaries], place: Place) -> Iterator[Any]:
    """Yield values for each choice of branches at *place*."""
    for side in sides:
        for alternative in side.root.at(place).alternatives():
            yield from itertools.islice(sides[0].maker.find_values(alternative), _MOST_OF_BRANCH)
