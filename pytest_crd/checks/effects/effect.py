"""A part of a CRD without effect, and the objects that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis import objectwords

KEY: Final = "key"


class LostEffect(NamedTuple):
    """
    A part of a CRD without effect.

    Attributes:
        name: The name of the mistake in `crd_checks_allow`.
        steps: The steps of the part in the manifest of the CRD.
        text: The reason, the example and the remedy.
    """

    name: str
    steps: Steps
    text: str


def nest(place: Place, value: Any) -> Any:
    """Return an object with *value* at a place, and nothing else."""
    for step in reversed(place):
        value = [value] if step is Each.ITEM else {KEY if isinstance(step, Each) else step: value}
    return value


def find_steps(place: Place) -> Steps:
    """Return the steps to the value in an object from `nest`."""
    return tuple(0 if step is Each.ITEM else KEY if isinstance(step, Each) else step for step in place)


def spell(value: Any) -> str:
    """Return an object of an example on one line."""
    return objectwords.shorten(value) if isinstance(value, dict) else objectwords.spell(value)


# Returns the effects in a version of a CRD; their steps begin at the manifest.
Search: TypeAlias = "Callable[[ReadCrd, CrdVersion], Iterator[LostEffect]]"


def find_warnings(read: ReadCrd, search: Search, about_crd: Iterable[LostEffect] = ()) -> tuple[CheckFinding, ...]:
    """
    Return the warnings of a search in all served versions of a CRD; empty if the server refuses the CRD.

    The same warning about several versions is one, at the first of them.

    Args:
        read: The CRD.
        search: The search in one version.
        about_crd: The effects that are in no version.
    """
    if not read.crd.first_response.accepted:
        return ()
    versions: dict[LostEffect, list[str]] = {}
    first: dict[tuple[str, str], LostEffect] = {}
    crd = read.crd if read.crd.webhooks is None else read.crd.with_webhooks(None)
    for version in crd.versions:
        for item in search(read, version) if version.served else ():
            versions.setdefault(first.setdefault((item.name, item.text), item), []).append(version.name)
    several = len(read.crd.versions) > 1
    titles = {item: f"{' and '.join(dict.fromkeys(names))}: " if several else "" for item, names in versions.items()}
    return tuple(_warn(read, item, titles.get(item, "")) for item in (*about_crd, *versions))


def _warn(read: ReadCrd, item: LostEffect, title: str) -> CheckFinding:
    place = f"{read.manifest.document.source}:{read.manifest.key_line_of(*item.steps) if item.steps else read.manifest.line_of()}"
    return CheckFinding(place, f"{title}{item.text} ({item.name})", name=item.name)
