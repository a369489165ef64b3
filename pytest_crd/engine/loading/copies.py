"""
CRDs with the same name: copies, `v1beta1` twins that the Kubernetes version does not serve, and alternatives.

Alternatives all stay, because only the project knows their roles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue, profile
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.loading.crdfiles import Remark, RemarkKind
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.crds import apiapproval
else:
    apiapproval = lazyimport.module("pytest_crd.engine.crds.apiapproval")


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


def distinct(crds: Iterable[CustomResourceDefinition]) -> Distinct:
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
