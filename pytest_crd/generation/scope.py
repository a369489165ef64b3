"""The scope of a case file: the covered and the omitted places of a schema."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from pytest_crd import engine, suggestions
from pytest_crd.coverage import coretypes
from pytest_crd.coverage.lines import Exclusion
from pytest_crd.engine import fieldpath, profile
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.generation import words

_MOST_APART: Final = 2
_MOST_IN_A_ROW: Final = 5


class NothingToStateError(ValueError):
    """No case can be generated for a CRD version; the message has the reason."""


class Wanted(NamedTuple):
    """
    The requested coverage of a case file.

    Attributes:
        paths: The covered paths, with everything below; empty for the whole schema.
        is_whole: Whether size limits are lifted, null is tested for each field, and Kubernetes types are covered.
        exclusions: The excluded paths of the coverage settings.
    """

    paths: tuple[str, ...] = ()
    is_whole: bool = False
    exclusions: tuple[Exclusion, ...] = ()


class FileScope:
    """
    The places of one version that a file covers.

    Attributes:
        is_whole: Whether null is tested for each field.
        excluded: The excluded places.
        left_out: The omitted parts of the schema, and the reasons.
    """

    def __init__(self, version: engine.CrdVersion, wanted: Wanted) -> None:
        """
        Select the places.

        Raises:
            NothingToStateError: A path does not exist, or everything is excluded.
        """
        self.is_whole = wanted.is_whole
        nodes = [node for node in version.schema_map if node.meta_of is None]
        paths = [_normalize(path) for path in wanted.paths]
        places = {node.place: _path_of(node.place) for node in nodes}
        _check_paths(version, paths, places.values())
        crd = version.crd
        excluded = [_normalize(item.path) for item in wanted.exclusions if item.is_about(crd.name, version.name)]
        core_types = {} if wanted.is_whole else coretypes.places(nodes, profile.named(crd.kubernetes_version))
        # An explicitly requested path is covered even inside of a Kubernetes type.
        foreign = {places[place]: name for place, name in core_types.items() if not _is_on_path(places[place], *paths)}
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
            *_group_by_type({path: name for path, name in foreign.items() if not paths or _is_below(path, paths)}),
            *(f"{path}: by crd_cov_exclude" for path in excluded),
        )

    def has(self, place: Place) -> bool:
        """Return True if the file covers *place*."""
        return place in self._places


def _group_by_type(types: Mapping[str, str]) -> Iterator[str]:
    """Yield lines about paths with their Kubernetes types; paths of frequent types are listed on one line."""
    for name in dict.fromkeys(types.values()):
        paths = [path for path, type_name in types.items() if type_name == name]
        if len(paths) > _MOST_APART:
            yield f"{name} of Kubernetes: {words.join_names(paths, _MOST_IN_A_ROW)}"
        else:
            yield from (f"{path}: {name} of Kubernetes" for path in paths)


def _path_of(place: Place) -> str:
    return _normalize(schemamap.spelled(place))


def _normalize(path: str) -> str:
    """Return *path* in the spelling with `*` for items and map values: `spec.items.*.name`."""
    return path.replace("[*]", ".*").replace("[]", ".*")


def _is_on_path(above: str, *paths: str) -> bool:
    """Return True if any path of *paths* is *above* or below it."""
    return any(fieldpath.leads_to(above, path) for path in paths)


def _is_below(path: str, above: Iterable[str]) -> bool:
    """Return True if *path* is in *above*, or below a path in it."""
    return any(fieldpath.leads_to(parent, path) for parent in above)


def _check_paths(version: engine.CrdVersion, paths: Iterable[str], known: Collection[str]) -> None:
    """Raise NothingToStateError if a path in *paths* is not in *known*."""
    for path in paths:
        if path not in known:
            hint = suggestions.hint(suggestions.search(path, known, suggestions.WorkBudget()))
            raise NothingToStateError(f"{version.crd.name} {version.name} has nothing at {path!r}{hint}")
