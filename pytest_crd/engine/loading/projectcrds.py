"""The CRDs of a project: each once, found by name, by kind or by file, with a note on what was passed over."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, overload

from pytest_crd import suggestions
from pytest_crd.engine import profile
from pytest_crd.engine.api.context import Guard
from pytest_crd.engine.api.customresourcedefinition import CrdLookupError, CustomResourceDefinition, side_by_side
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.loading import copies
from pytest_crd.engine.loading.crdfiles import CrdFiles
from pytest_crd.engine.loading.remarks import Remark

if TYPE_CHECKING:
    from pytest_crd.engine.openapi.commontypes import OpenAPIVersion


class CustomResourceDefinitions(Sequence[CustomResourceDefinition]):
    """
    The CRDs of a project, in the order of its files.

    Found by `metadata.name`, by kind, by file, or by what kubectl takes for their resource: `crds["crontabs.stable.example.com"]`,
    `crds["CronTab"]`, `crds["config/crd/bases/crontabs.yaml"]`, `crds["ct"]`. Different ones of one name are alternatives, of which a cluster has one: each
    is a CRD of its own here, and is found by its file.

    Attributes:
        notes: What was passed over, `file:line: reason`, and which CRDs are alternatives.
        passed_over: What was passed over, as data.
        alternatives: Which CRDs are alternatives, in words.
    """

    def __init__(self, crds: Sequence[CustomResourceDefinition], passed_over: Sequence[Remark] = ()) -> None:
        """Take the CRDs, all of one Kubernetes version; copies count once, and in conditions the first of a name has it."""
        distinct = copies.distinct(crds)
        self._crds = installed(distinct.crds)
        standing = dict(zip(distinct.crds, self._crds, strict=True))
        # What is copied may be a twin that is left out itself.
        self._copies = {place: standing[crd] for place, crd in distinct.copies.items() if crd in standing}
        self._named = _by_name(self._crds)
        several = [others for others in self._named.values() if len(others) > 1]
        told = (f"alternatives, each checked: {', '.join(map(_described, others))}" for others in several)
        self.alternatives = tuple(told)
        self.passed_over = (*passed_over, *distinct.notes)
        self.notes = (*map(str, self.passed_over), *self.alternatives)

    def __len__(self) -> int:
        """Return how many CRDs there are."""
        return len(self._crds)

    @overload
    def __getitem__(self, key: int | str) -> CustomResourceDefinition: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[CustomResourceDefinition, ...]: ...
    def __getitem__(self, key: int | str | slice) -> CustomResourceDefinition | tuple[CustomResourceDefinition, ...]:
        """
        Return the CRD with this name, of this kind, from this file (`file`, or `file:line`), or of this resource; or by position.

        A resource is a plural, singular or short name or a kind, in any case, with the group behind it or without, as for kubectl.

        Raises:
            CrdLookupError: None answers to the name, or several do.
        """
        if not isinstance(key, str):
            return self._crds[key]
        of_kind = [crd for crd in self._crds if crd.kind == key]
        found = self._named.get(key) or of_kind or self._in_file(key) or self._of_resource(key.lower())
        if len(found) == 1:
            return found[0]
        if found:
            are_alternatives = len({crd.name for crd in found}) == 1
            remedy = f"by its file, as in {self._place_of(found[0])!r}" if are_alternatives else "by its name"
            raise CrdLookupError(f"{key!r} names several CRDs: {', '.join(map(_described, found))}; say which {remedy}")
        raise CrdLookupError(f"no CRD is called {key!r}{self._nearest(key)}")

    def guarded(self, guard_of: Callable[[CustomResourceDefinition], Guard | None]) -> CustomResourceDefinitions:
        """Return the same CRDs, each with the guard that *guard_of* gives it."""
        guarded = {crd: crd.guarded(guard_of(crd)) for crd in self._crds}
        other = object.__new__(CustomResourceDefinitions)
        other.notes, other.passed_over, other.alternatives = self.notes, self.passed_over, self.alternatives
        other._crds = tuple(guarded.values())
        other._copies = {place: guarded[crd] for place, crd in self._copies.items()}
        other._named = _by_name(other._crds)
        return other

    def openapi(self, openapi: OpenAPIVersion, group_version: str) -> dict[str, JSONValue] | None:
        """
        Return what a server that has all these CRDs publishes of a group version.

        Args:
            openapi: In which form of OpenAPI, 2 or 3, as for `CrdVersion.openapi`.
            group_version: `stable.example.com/v1`.

        Returns:
            A document of the caller's own; None where nothing is published.

        Raises:
            CrdLookupError: No CRD has the group version, or one that has it has alternatives.
            ValueError: There is no such form.
        """
        from pytest_crd.engine.openapi import openapidocuments  # noqa: PLC0415 - much that only this answer needs

        found = [
            (crd, version) for crd in self for version in crd.versions if f"{crd.group}/{version.name}" == group_version
        ]
        if not found:
            known = sorted({f"{crd.group}/{version.name}" for crd in self for version in crd.versions})
            raise CrdLookupError(f"no CRD has {group_version!r}; there are: {', '.join(known) or 'none'}")
        for crd, _ in found:
            others = self._named[crd.name]
            if len(others) > 1:
                raise CrdLookupError(
                    f"a cluster has one of these alternatives, ask the version of one of them: {', '.join(map(_described, others))}"
                )
        answers = (version.openapi(openapi) for _, version in found)
        return openapidocuments.merged(answer for answer in answers if answer is not None)

    def id_of(self, crd: CustomResourceDefinition) -> str:
        """Return the name of *crd*, with its file where it has alternatives: what tells it from the others."""
        return crd.name if len(self._named[crd.name]) == 1 else f"{crd.name}@{self._place_of(crd)}"

    def _place_of(self, crd: CustomResourceDefinition) -> str:
        """Return the file of one of several alternatives, with the line where the file has more of them."""
        files = [_file(other.source) for other in self._named[crd.name]]
        return _file(crd.source) if files.count(_file(crd.source)) == 1 else crd.source

    def _in_file(self, key: str) -> list[CustomResourceDefinition]:
        places = {crd.source: crd for crd in self._crds} | self._copies
        return list(dict.fromkeys(crd for place, crd in places.items() if key in {place, _file(place)}))

    def _of_resource(self, key: str) -> list[CustomResourceDefinition]:
        return [crd for crd in self._crds if key.removesuffix(f".{crd.group}") in _resources(crd)]

    def _nearest(self, key: str) -> str:
        names = [name for crd in self._crds for name in (crd.name, crd.kind)]
        near = suggestions.search(key, names, suggestions.WorkBudget())
        if near != "":
            return suggestions.hint(near if near is None else repr(near))
        return f"; there are: {', '.join(self._named)}" if names else "; none is loaded"

    def __repr__(self) -> str:
        """Return the names."""
        return f"<CustomResourceDefinitions {', '.join(map(self.id_of, self._crds))}>"


def load(
    paths: str | Path | Sequence[str | Path], *, kubernetes_version: str = profile.DEFAULT, base: str | Path = "."
) -> CustomResourceDefinitions:
    """
    Return the CRDs in files, folders and globs.

    Args:
        paths: Files, folders (read recursively) and globs, or one of them; those of `!pattern` are left out. Other kinds are
            passed over; so are Helm templates and Kustomize patches found in folders, and copies, with a note.
        kubernetes_version: Whose behaviour and words the CRDs show.
        base: What relative paths are relative to; by default the current folder.

    Raises:
        InputError: Everything that is wrong, with file and line: no path, a path that names nothing or holds no CRD, a file
            that cannot be read, what is nearly a CRD, a CRD that the server could not decode.
        TypeError: Something else than texts and paths.
        UnknownVersionError: No known Kubernetes version.
    """
    named = _listed(paths)
    if not named:
        raise CrdError(
            [Mistake("paths", 0, "none is given: name files, folders or globs with CustomResourceDefinitions")]
        )
    return read(named, base=Path(base), kubernetes_version=profile.named(kubernetes_version).version)


def read(paths: Sequence[str], *, base: Path, kubernetes_version: str) -> CustomResourceDefinitions:
    """
    Return the CRDs in files, folders and globs.

    Args:
        paths: As for `load`, at least one.
        base: What relative paths are relative to.
        kubernetes_version: Whose behaviour and words the CRDs show; one of `profile.KNOWN`.

    Raises:
        InputError: As for `load`.
    """
    found = CrdFiles(kubernetes_version)
    found.read_all(paths, base=base.absolute())
    found.raise_mistakes()
    return CustomResourceDefinitions(found.crds, found.notes)


def _listed(paths: object) -> list[str]:
    """
    Return paths that come from Python, where nothing checks types; none for None.

    Raises:
        TypeError: Something else than texts and paths.
    """
    if paths is None:
        return []
    is_one = isinstance(paths, str | Path | bytes) or not isinstance(paths, Iterable)
    listed: list[object] = [paths] if is_one else list(paths)  # type: ignore[call-overload]
    for one in listed:
        if not isinstance(one, str | Path):
            told = f"{type(one).__name__}: {one!r}"
            raise TypeError(f"paths are texts or pathlib.Path, not {told}; for a manifest there is from_manifest")
    return list(map(str, listed))


def _by_name(crds: Sequence[CustomResourceDefinition]) -> dict[str, list[CustomResourceDefinition]]:
    named: dict[str, list[CustomResourceDefinition]] = {}
    for crd in crds:
        named.setdefault(crd.name, []).append(crd)
    return named


def installed(crds: Sequence[CustomResourceDefinition]) -> tuple[CustomResourceDefinition, ...]:
    """Return *crds* as they are beside those that a cluster has with them: one of each name, the nearest by its folder."""
    named = _by_name(crds)
    several = [others for others in named.values() if len(others) > 1]
    clusters: dict[tuple[CustomResourceDefinition, ...], dict[CustomResourceDefinition, CustomResourceDefinition]] = {}
    standing: list[CustomResourceDefinition] = []
    for crd in crds:
        chosen = tuple(crd if crd in others else _nearest(crd, others) for others in several)
        if chosen not in clusters:
            by_name = {name: others[0] for name, others in named.items()} | {one.name: one for one in chosen}
            beside = tuple(by_name.values())
            clusters[chosen] = dict(zip(beside, side_by_side(beside), strict=True))
        standing.append(clusters[chosen][crd])
    return tuple(standing)


def _resources(crd: CustomResourceDefinition) -> set[str]:
    """Return what kubectl takes for the resource of a CRD, in lower case."""
    names = crd.answers.forms.internal.names
    found = [crd.kind, names.get("plural"), names.get("singular"), *(names.get("shortNames") or ())]
    return {str(name).lower() for name in found if name}


def _described(crd: CustomResourceDefinition) -> str:
    return f"{crd.name} ({crd.source})" if crd.source else crd.name


def _file(source: str) -> str:
    return source.rpartition(":")[0]


def _nearest(crd: CustomResourceDefinition, others: Sequence[CustomResourceDefinition]) -> CustomResourceDefinition:
    """Return the one of *others* whose file has most folders in common with that of *crd*; of several the first."""
    return max(others, key=lambda other: sum(itertools.takewhile(bool, _in_common(crd, other))))


def _in_common(crd: CustomResourceDefinition, other: CustomResourceDefinition) -> Iterator[bool]:
    folders, others = (PurePath(one.source).parent.parts for one in (crd, other))
    return (left == right for left, right in zip(folders, others, strict=False))
