"""Random objects for the comparison of a class with a CRD, drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, settings

from pytest_crd import strategies
from pytest_crd.engine import CrdVersion

_EXAMPLES: Final = 25
# The most differences that draws add; boundaries have shown the others.
_MOST_ADDED: Final = 5


class _DifferenceError(Exception):
    """An object that shows a difference, for which hypothesis looks for a smaller one."""


def search(version: CrdVersion, shows: Callable[[Mapping[str, Any]], bool], keep: Callable[[], None]) -> None:
    """
    Draw objects that a version accepts, and keep the smallest object of each difference that they show.

    Args:
        version: The version.
        shows: Judges an object, and returns whether it shows a difference that is not kept yet.
        keep: Keeps the difference of the last judged object.
    """

    @settings(
        database=None,
        deadline=None,
        derandomize=True,
        max_examples=_EXAMPLES,
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategies.resources(version))
    def draw(resource: Mapping[str, Any]) -> None:
        if shows(resource):
            raise _DifferenceError

    for _ in range(_MOST_ADDED):
        try:
            draw()
        except _DifferenceError:
            keep()
        else:
            break
