"""The scope of a case file: of which places of a schema it has cases, and which are left to others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from pytest_crd import engine, suggestions
from pytest_crd.coverage.lines import Exclusion
from pytest_crd.engine import fieldpath, profile
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.generation import coretypes, words

_MOST_APART: Final = 2
_MOST_IN_A_ROW: Final = 5


class NothingToStateError(ValueError):
    """A CRD version about which no case can be stated; the message says why."""


class Wanted(NamedTuple):
    """
    What a case file is asked to hold.

    Attributes:
        paths: Only what lies at one of these paths or below it; all of the schema where there are none.
        is_whole: Whether it has no limit, states what becomes of null in each field, and looks into types of Kubernetes.
        exclusions: What need not be exercised.
    """

    paths: tuple[str, ...] = ()
    is_whole: bool = False
    exclusions: tuple[Exclusion, ...] = ()


class FileScope:
    """
    Tells for one version of which places a file has cases.

    Attributes:
        is_whole: Whether what becomes of null is stated for each field.
        excluded: The places that need not be exercised.
        left_out: What the file has no cases about, and why.
    """

    def __init__(self, version: engine.Version, wanted: Wanted) -> None:
        """
        Look at the schema.

        Raises:
            NothingToStateError: It has nothing at one of the paths, or all that lies there is excluded.
        """
        self.is_whole = wanted.is_whole
        nodes = [node for node in version.schema_map if node.meta_of is None]
        paths = [_spelled(path) for path in wanted.paths]
        places = {node.place: _of(node.place) for node in nodes}
        _refuse_unknown(version, paths, places.values())
        crd = version.crd
        excluded = [_spelled(one.path) for one in wanted.exclusions if one.is_about(crd.name, version.name)]
        of_kubernetes = {} if wanted.is_whole else coretypes.places(nodes, profile.named(crd.kubernetes_version))
        # What is asked for by its path, whole or in part, is asked for.
        foreign = {places[one]: name for one, name in of_kubernetes.items() if not _leads(places[one], *paths)}
        self.excluded = frozenset(place for place, path in places.items() if _is_below(path, excluded))
        self._places = {
            place
            for place, path in places.items()
            if (not paths or _is_below(path, paths)) and not _is_below(path, [*excluded, *foreign])
        }
        if not self._places:
            raise NothingToStateError(f"crd_cov_exclude leaves out all of {', '.join(wanted.paths)}")
        self.left_out = (
            *([f"all that does not lie at {' or '.join(wanted.paths)}, or below"] if paths else []),
            *_by_type({path: name for path, name in foreign.items() if not paths or _is_below(path, paths)}),
            *(f"{path}: by crd_cov_exclude" for path in excluded),
        )

    def has(self, place: Place) -> bool:
        """Return whether the file has cases about *place*, if there is anything to say."""
        return place in self._places


def _by_type(found: Mapping[str, str]) -> Iterator[str]:
    """Yield the paths that were *found*, each with its type; those of a type that is there often in a row."""
    for name in dict.fromkeys(found.values()):
        paths = [path for path, other in found.items() if other == name]
        if len(paths) > _MOST_APART:
            yield f"{name} of Kubernetes: {words.listed(paths, _MOST_IN_A_ROW)}"
        else:
            yield from (f"{path}: {name} of Kubernetes" for path in paths)


def _of(place: Place) -> str:
    return _spelled(schemamap.spelled(place))


def _spelled(path: str) -> str:
    """Return *path* in one spelling, of items and of values of maps: `spec.items.*.name`."""
    return path.replace("[*]", ".*").replace("[]", ".*")


def _leads(above: str, *paths: str) -> bool:
    """Return whether one of *paths* is *above* or something below it."""
    return any(fieldpath.leads_to(above, path) for path in paths)


def _is_below(path: str, above: Iterable[str]) -> bool:
    """Return whether *path* is one of *above*, or below."""
    return any(fieldpath.leads_to(one, path) for one in above)


def _refuse_unknown(version: engine.Version, paths: Iterable[str], known: Collection[str]) -> None:
    """Raise NothingToStateError where *paths* has one that is none of those that are *known*."""
    for path in paths:
        if path not in known:
            hint = suggestions.hint(suggestions.search(path, known, suggestions.WorkBudget()))
            raise NothingToStateError(f"{version.crd.name} {version.name} has nothing at {path!r}{hint}")
