"""
CRDs of one name: which are copies of each other, which a server of the Kubernetes version would not take, and which differ.

Those that differ all stay: which of them a project means, nobody can tell but the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pytest_crd.engine import jsonvalue, profile
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.crds import apiapproval, declared
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.loading.remarks import Remark, RemarkKind


class Distinct(NamedTuple):
    """
    CRDs less those that add nothing.

    Attributes:
        crds: The CRDs that stay, in their order.
        copies: The source of each that was left out, and the CRD that stands for it.
        notes: What was left out, and why.
    """

    crds: tuple[CustomResourceDefinition, ...]
    copies: dict[str, CustomResourceDefinition]
    notes: tuple[Remark, ...]


def distinct(crds: Iterable[CustomResourceDefinition]) -> Distinct:
    """
    Return *crds*, all of one Kubernetes version, without copies and without v1beta1 twins that it does not serve.

    A copy decodes to the same CRD; labels and annotations do not count, the approval of an API aside, nor does a status
    that says nothing. A twin has the same name in the other API version.
    """
    crds = list(crds)
    named: dict[str, list[CustomResourceDefinition]] = {}
    copies: dict[str, CustomResourceDefinition] = {}
    notes: list[Remark] = []
    for crd in crds:
        others = named.setdefault(crd.name, [])
        original = next((other for other in others if _is_copy(crd, other)), None)
        if original is None:
            others.append(crd)
        else:
            copies[crd.source] = original
            notes.append(_note(crd, f"a copy of {crd.name} in {original.source}", RemarkKind.COPY))
    kept: set[CustomResourceDefinition] = set()
    for others in named.values():
        served = without_twins(others)
        kept.update(served)
        notes += [_of_twin(crd, served[0]) for crd in others if crd not in served]
    return Distinct(tuple(crd for crd in crds if crd in kept), copies, tuple(notes))


def without_twins(crds: Sequence[CustomResourceDefinition]) -> list[CustomResourceDefinition]:
    """Return those *crds*, all of one name, that a server takes; all of them where it takes none."""
    served = [
        crd for crd in crds if crd.api_version == declared.V1 or profile.named(crd.kubernetes_version).serves_v1beta1
    ]
    return served or list(crds)


def _of_twin(crd: CustomResourceDefinition, twin: CustomResourceDefinition) -> Remark:
    version = crd.kubernetes_version
    words = f"Kubernetes {version} takes {crd.name} from {twin.source}, not as {crd.api_version}"
    return _note(crd, words, RemarkKind.TWIN)


def _note(crd: CustomResourceDefinition, words: str, kind: RemarkKind) -> Remark:
    source, _, line = crd.source.rpartition(":")
    is_placed = bool(source) and line.isdigit()
    return Remark(source if is_placed else crd.source, int(line) if is_placed else 0, f"passed over, {words}", kind)


def _is_copy(crd: CustomResourceDefinition, other: CustomResourceDefinition) -> bool:
    # Unknown and repeated fields are gone once a CRD is decoded, but not the warnings about them: one of two may be misspelt.
    alike = crd.unknown_fields == other.unknown_fields and crd.repeated_fields == other.repeated_fields
    return alike and jsonvalue.equal(_telling(crd), _telling(other))


def _telling(crd: CustomResourceDefinition) -> dict[str, JSONValue]:
    """Return what of a CRD tells it from others of its name."""
    manifest = dict(crd.declared)
    metadata = dict(manifest.get("metadata") or {})
    approval = (metadata.pop("annotations", None) or {}).get(apiapproval.ANNOTATION)
    metadata.pop("labels", None)
    if _is_nothing(manifest.get("status")):
        manifest.pop("status", None)
    return {**manifest, "metadata": metadata, "approval": approval}


def _is_nothing(value: JSONValue) -> bool:
    """Return whether a status is as controller-gen once wrote it: no value at all in any of its fields."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(map(_is_nothing, parts)) if isinstance(value, dict | list) else not value
