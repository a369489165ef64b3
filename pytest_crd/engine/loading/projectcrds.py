"""Distinct CRDs of a project, with lookup by name, kind or file, and notes on skipped manifests."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, overload

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue, profile
from pytest_crd.engine.api.context import Guard, Webhooks
from pytest_crd.engine.api.customresourcedefinition import CrdLookupError, CustomResourceDefinition
from pytest_crd.engine.crds import declared, nameconflicts
from pytest_crd.engine.inputerror import CrdError, Mistake, WrongTypeError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.loading.crdfiles import CrdFiles, Remark, RemarkKind
from pytest_crd.engine.observer import SESSION, Observer
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd import suggestions
    from pytest_crd.engine.crds import apiapproval
    from pytest_crd.engine.openapi.commontypes import OpenAPIVersion
else:
    suggestions = lazyimport.module("pytest_crd.suggestions")
    apiapproval = lazyimport.module("pytest_crd.engine.crds.apiapproval")


class CustomResourceDefinitions(Sequence[CustomResourceDefinition]):
    """
    The CRDs of a project, in the order of its files.

    Look one up by `metadata.name`, by kind, by file, or by a resource name as in kubectl:
    `crds["crontabs.stable.example.com"]`, `crds["CronTab"]`, `crds["config/crd/bases/crontabs.yaml"]`, `crds["ct"]`.
    Different CRDs with the same name are alternatives: a cluster has one of them. Each is a separate CRD here, and is
    looked up by its file.

    Attributes:
        notes: Skipped manifests, `file:line: reason`, and alternatives.
        passed_over: Skipped manifests, as data.
        alternatives: A sentence for each group of alternatives.
    """

    def __init__(self, crds: Sequence[CustomResourceDefinition], passed_over: Sequence[Remark] = ()) -> None:
        """Create from CRDs of one Kubernetes version; copies count once, and the first CRD gets a contested name."""
        distinct = find_distinct(crds)
        self._crds = installed(distinct.crds)
        installed_crds = dict(zip(distinct.crds, self._crds, strict=True))
        # The original of a copy may itself be a dropped twin.
        self._copies = {place: installed_crds[crd] for place, crd in distinct.copies.items() if crd in installed_crds}
        self._named = _by_name(self._crds)
        groups = [group for group in self._named.values() if len(group) > 1]
        sentences = (f"alternatives, each checked: {', '.join(map(_described, group))}" for group in groups)
        self.alternatives = tuple(sentences)
        self.passed_over = (*passed_over, *distinct.notes)
        self.notes = (*map(str, self.passed_over), *self.alternatives)

    def __len__(self) -> int:
        """Return the number of CRDs."""
        return len(self._crds)

    @overload
    def __getitem__(self, key: int | str) -> CustomResourceDefinition: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[CustomResourceDefinition, ...]: ...
    def __getitem__(self, key: int | str | slice) -> CustomResourceDefinition | tuple[CustomResourceDefinition, ...]:
        """
        Return the CRD with this name, kind, file (`file` or `file:line`) or resource; or by position.

        A resource is a plural, singular or short name or a kind, case-insensitive, optionally followed by the group, as in kubectl.

        Raises:
            CrdLookupError: No CRD or several CRDs match.
        """
        if not isinstance(key, str):
            return self._crds[key]
        by_kind = [crd for crd in self._crds if crd.kind == key]
        matches = self._named.get(key) or by_kind or self._in_file(key) or self._of_resource(key.lower())
        if len(matches) == 1:
            return matches[0]
        if matches:
            are_alternatives = len({crd.name for crd in matches}) == 1
            remedy = f"by its file, as in {self._place_of(matches[0])!r}" if are_alternatives else "by its name"
            raise CrdLookupError(
                f"{key!r} names several CRDs: {', '.join(map(_described, matches))}; say which {remedy}"
            )
        raise CrdLookupError(f"no CRD is called {key!r}{self._nearest(key)}")

    def guarded(self, guard_of: Callable[[CustomResourceDefinition], Guard | None]) -> CustomResourceDefinitions:
        """Return the same CRDs, each with the guard that *guard_of* returns for it."""
        return self._each(lambda crd: crd.guarded(guard_of(crd)))

    def with_webhooks(self, webhooks: Webhooks | None) -> CustomResourceDefinitions:
        """Return the same CRDs with other webhooks, or with none."""
        return self._each(lambda crd: crd.with_webhooks(webhooks))

    def _each(
        self, change: Callable[[CustomResourceDefinition], CustomResourceDefinition]
    ) -> CustomResourceDefinitions:
        """Return the CRDs that *change* returns for these."""
        changed = {crd: change(crd) for crd in self._crds}
        collection = object.__new__(CustomResourceDefinitions)
        collection.notes, collection.passed_over, collection.alternatives = (
            self.notes,
            self.passed_over,
            self.alternatives,
        )
        collection._crds = tuple(changed.values())
        collection._copies = {place: changed[crd] for place, crd in self._copies.items()}
        collection._named = _by_name(collection._crds)
        return collection

    def openapi(self, openapi: OpenAPIVersion, group_version: str) -> dict[str, JSONValue] | None:
        """
        Return the OpenAPI document that a server with all these CRDs publishes for a group version.

        Args:
            openapi: The major version of OpenAPI, 2 or 3, as for `CrdVersion.openapi`.
            group_version: `stable.example.com/v1`.

        Returns:
            A new document, which the caller may change; None if none is published.

        Raises:
            CrdLookupError: No CRD has the group version, or a CRD with it has alternatives.
            ValueError: *openapi* is neither 2 nor 3.
        """
        from pytest_crd.engine.openapi import openapidocuments  # noqa: PLC0415 - slow to import, and only this answer needs it

        matches = [
            (crd, version) for crd in self for version in crd.versions if f"{crd.group}/{version.name}" == group_version
        ]
        if not matches:
            group_versions = sorted({f"{crd.group}/{version.name}" for crd in self for version in crd.versions})
            raise CrdLookupError(f"no CRD has {group_version!r}; there are: {', '.join(group_versions) or 'none'}")
        for crd, _ in matches:
            same_name = self._named[crd.name]
            if len(same_name) > 1:
                raise CrdLookupError(
                    f"a cluster has one of these alternatives, ask the version of one of them: {', '.join(map(_described, same_name))}"
                )
        answers = (version.openapi(openapi) for _, version in matches)
        return openapidocuments.merged(answer for answer in answers if answer is not None)

    def id_of(self, crd: CustomResourceDefinition) -> str:
        """Return a unique name of *crd*: its name, followed by its file if it has alternatives."""
        return crd.name if len(self._named[crd.name]) == 1 else f"{crd.name}@{self._place_of(crd)}"

    def _place_of(self, crd: CustomResourceDefinition) -> str:
        """Return the file of an alternative, with the line if the file has several alternatives."""
        files = [_file(alternative.source) for alternative in self._named[crd.name]]
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
        """Return the class and the names of the CRDs."""
        return f"<CustomResourceDefinitions {', '.join(map(self.id_of, self._crds))}>"


def load(
    paths: str | Path | Sequence[str | Path], *, kubernetes_version: str = profile.DEFAULT, base: str | Path = "."
) -> CustomResourceDefinitions:
    """
    Return the CRDs in files, folders and globs.

    Args:
        paths: Files, folders (read recursively) and globs, or a single path; `!pattern` excludes files. Other kinds are
            skipped; so are Helm templates and Kustomize patches in folders, and copies, with a note.
        kubernetes_version: The Kubernetes version of the CRDs.
        base: The folder for relative paths; the current folder by default.

    Raises:
        InputError: All mistakes, with file and line: no path, a path that does not exist or holds no CRD, an unreadable
            file, a misspelt CRD, a CRD that the server cannot decode.
        TypeError: *paths* holds a value that is neither a text nor a path.
        UnknownVersionError: The Kubernetes version is not supported.
    """
    listed = _listed(paths)
    if not listed:
        raise CrdError(
            [Mistake("paths", 0, "none is given: name files, folders or globs with CustomResourceDefinitions")]
        )
    version = profile.named(kubernetes_version).version
    return read(listed, base=Path(base), kubernetes_version=version, observer=SESSION)


def read(paths: Sequence[str], *, base: Path, kubernetes_version: str, observer: Observer) -> CustomResourceDefinitions:
    """
    Return the CRDs in files, folders and globs.

    Args:
        paths: As for `load`, at least one.
        base: The folder for relative paths.
        kubernetes_version: The Kubernetes version of the CRDs, a key of `profile.KNOWN`.
        observer: The observer of the CRDs.

    Raises:
        InputError: As for `load`.
    """
    crd_files = CrdFiles(kubernetes_version, observer)
    crd_files.read_all(paths, base=base.absolute())
    crd_files.raise_mistakes()
    return CustomResourceDefinitions(crd_files.crds, crd_files.notes)


def _listed(paths: object) -> list[str]:
    """
    Return untyped *paths* from user code as a list of texts; empty for None.

    Raises:
        TypeError: A value is neither a text nor a path.
    """
    if paths is None:
        return []
    is_one = isinstance(paths, str | Path | bytes) or not isinstance(paths, Iterable)
    listed: list[object] = [paths] if is_one else list(paths)  # type: ignore[call-overload]
    for path in listed:
        if not isinstance(path, str | Path):
            description = f"{type(path).__name__}: {path!r}"
            raise WrongTypeError(
                f"paths are texts or pathlib.Path, not {description}; for a manifest there is from_manifest"
            )
    return list(map(str, listed))


def _by_name(crds: Sequence[CustomResourceDefinition]) -> dict[str, list[CustomResourceDefinition]]:
    crds_by_name: dict[str, list[CustomResourceDefinition]] = {}
    for crd in crds:
        crds_by_name.setdefault(crd.name, []).append(crd)
    return crds_by_name


def installed(crds: Sequence[CustomResourceDefinition]) -> tuple[CustomResourceDefinition, ...]:
    """Return *crds* as installed in clusters, which have one alternative of each name: the nearest by folder."""
    named = _by_name(crds)
    groups = [group for group in named.values() if len(group) > 1]
    clusters: dict[tuple[CustomResourceDefinition, ...], dict[CustomResourceDefinition, CustomResourceDefinition]] = {}
    installed_crds: list[CustomResourceDefinition] = []
    for crd in crds:
        chosen = tuple(crd if crd in group else _nearest(crd, group) for group in groups)
        if chosen not in clusters:
            by_name = {name: group[0] for name, group in named.items()} | {
                alternative.name: alternative for alternative in chosen
            }
            beside = tuple(by_name.values())
            clusters[chosen] = dict(zip(beside, side_by_side(beside), strict=True))
        installed_crds.append(clusters[chosen][crd])
    return tuple(installed_crds)


def _resources(crd: CustomResourceDefinition) -> set[str]:
    """Return the names for the resource of a CRD that kubectl accepts, in lower case."""
    names = crd.answers.forms.internal.names
    resource_names = [crd.kind, names.get("plural"), names.get("singular"), *(names.get("shortNames") or ())]
    return {str(name).lower() for name in resource_names if name}


def _described(crd: CustomResourceDefinition) -> str:
    return f"{crd.name} ({crd.source})" if crd.source else crd.name


def _file(source: str) -> str:
    return source.rpartition(":")[0]


def _nearest(crd: CustomResourceDefinition, candidates: Sequence[CustomResourceDefinition]) -> CustomResourceDefinition:
    """Return the first of *candidates* with the most common folders in the paths of its file and the file of *crd*."""
    return max(candidates, key=lambda candidate: sum(itertools.takewhile(bool, _in_common(crd, candidate))))


def _in_common(crd: CustomResourceDefinition, other: CustomResourceDefinition) -> Iterator[bool]:
    folders, other_folders = (PurePath(each.source).parent.parts for each in (crd, other))
    return (folder == other_folder for folder, other_folder in zip(folders, other_folders, strict=False))


def side_by_side(crds: Sequence[CustomResourceDefinition]) -> tuple[CustomResourceDefinition, ...]:
    """
    Return *crds* as one server has them that creates them in this order: the first CRD to claim a name gets it.

    *crds* are not changed; a CRD that is refused a name is returned as a new object.
    """
    namings = nameconflicts.resolve((crd.group, crd.answers.forms.internal.names) for crd in crds)
    return tuple(crd.with_naming(naming) for crd, naming in zip(crds, namings, strict=True))


class Distinct(NamedTuple):
    """
    CRDs without copies and twins.

    Attributes:
        crds: The remaining CRDs, in their order.
        copies: The remaining CRD for the source of each copy.
        notes: A note for each dropped CRD.
    """

    crds: tuple[CustomResourceDefinition, ...]
    copies: dict[str, CustomResourceDefinition]
    notes: tuple[Remark, ...]


def find_distinct(crds: Iterable[CustomResourceDefinition]) -> Distinct:
    """
    Return *crds*, all of one Kubernetes version, without copies and without v1beta1 twins that it does not serve.

    A copy decodes to the same CRD; labels, annotations except the API approval, and an empty status are ignored. A twin
    has the same name in the other API version.
    """
    crds = list(crds)
    named: dict[str, list[CustomResourceDefinition]] = {}
    copies: dict[str, CustomResourceDefinition] = {}
    notes: list[Remark] = []
    for crd in crds:
        same_name = named.setdefault(crd.name, [])
        original = next((candidate for candidate in same_name if is_copy(crd, candidate)), None)
        if original is None:
            same_name.append(crd)
        else:
            copies[crd.source] = original
            notes.append(_note(crd, f"a copy of {crd.name} in {original.source}", RemarkKind.COPY))
    remaining: set[CustomResourceDefinition] = set()
    for same_name in named.values():
        served = without_twins(same_name)
        remaining.update(served)
        notes += [_twin_note(crd, served[0]) for crd in same_name if crd not in served]
    return Distinct(tuple(crd for crd in crds if crd in remaining), copies, tuple(notes))


def without_twins(crds: Sequence[CustomResourceDefinition]) -> list[CustomResourceDefinition]:
    """Return the accepted CRDs of *crds*, all with one name; if a server accepts no CRD, return all."""
    served = [
        crd for crd in crds if crd.api_version == declared.V1 or profile.named(crd.kubernetes_version).serves_v1beta1
    ]
    return served or list(crds)


def _twin_note(crd: CustomResourceDefinition, twin: CustomResourceDefinition) -> Remark:
    version = crd.kubernetes_version
    text = f"Kubernetes {version} takes {crd.name} from {twin.source}, not as {crd.api_version}"
    return _note(crd, text, RemarkKind.TWIN)


def _note(crd: CustomResourceDefinition, text: str, kind: RemarkKind) -> Remark:
    source, _, line = crd.source.rpartition(":")
    is_placed = bool(source) and line.isdigit()
    return Remark(source if is_placed else crd.source, int(line) if is_placed else 0, f"passed over, {text}", kind)


def is_copy(crd: CustomResourceDefinition, other: CustomResourceDefinition) -> bool:
    """Return True if two CRDs decode to the same CRD; labels, annotations except the API approval, and an empty status are ignored."""
    # Decoding drops unknown and repeated fields, so compare the warnings too: one CRD may have a misspelt field.
    same_warnings = crd.unknown_fields == other.unknown_fields and crd.repeated_fields == other.repeated_fields
    return same_warnings and jsonvalue.equal(_compared_fields(crd), _compared_fields(other))


def _compared_fields(crd: CustomResourceDefinition) -> dict[str, JSONValue]:
    """Return the fields of a CRD that distinguish it from other CRDs with its name."""
    manifest = dict(crd.declared)
    metadata = dict(manifest.get("metadata") or {})
    approval = (metadata.pop("annotations", None) or {}).get(apiapproval.ANNOTATION)
    metadata.pop("labels", None)
    if _is_empty_status(manifest.get("status")):
        manifest.pop("status", None)
    return {**manifest, "metadata": metadata, "approval": approval}


def _is_empty_status(value: JSONValue) -> bool:
    """Return whether a status has no values, as in the output of old versions of controller-gen."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(map(_is_empty_status, parts)) if isinstance(value, dict | list) else not value
