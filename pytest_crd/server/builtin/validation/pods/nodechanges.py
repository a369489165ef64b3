"""
Changes of the nodes that a Pod with scheduling gates may run on.

Reference:
    kubernetes pkg/apis/core/validation, validateNodeSelectorMutation and validateNodeAffinityMutation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation.pods import gostructs
from pytest_crd.server.builtin.validation.pods.podfields import Object

_SPEC: Final = FieldPath(("spec",))
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_TERMS: Final = "nodeSelectorTerms"
_TERM: Final = "core.v1.NodeSelectorTerm"
_PARTS: Final = ("matchExpressions", "matchFields")


def without(new: dict[str, Any], old: Object, profile: Profile) -> tuple[dict[str, Any], list[FieldError]]:
    """
    Return a new spec with the stored choice of nodes, and the errors of its change.

    Args:
        new: The new spec; changes of other fields stay.
        old: The stored spec.
        profile: The Kubernetes version.
    """
    if not old.get("schedulingGates"):
        return new, []
    errors: list[FieldError] = []
    selector, stored = new.get("nodeSelector") or {}, old.get("nodeSelector") or {}
    if any(selector.get(key) != value for key, value in stored.items()):
        detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        errors.append(fielderror.invalid(_SPEC.child("nodeSelector"), selector or None, detail))
    affinity, old_affinity = new.get("affinity") or {}, old.get("affinity") or {}
    errors += _compare_affinity(affinity.get("nodeAffinity") or {}, old_affinity.get("nodeAffinity") or {}, profile)
    rest = {key: item for key, item in affinity.items() if key != "nodeAffinity"}
    if "nodeAffinity" in old_affinity:
        rest["nodeAffinity"] = old_affinity["nodeAffinity"]
    is_absent = not rest and old.get("affinity") is None
    return {**new, "nodeSelector": stored, "affinity": None if is_absent else rest}, errors


def _compare_affinity(new: Object, old: Object, profile: Profile) -> Errors:
    path = _SPEC.child("affinity", "nodeAffinity", _REQUIRED, _TERMS)
    before: Sequence[Object] = (old.get(_REQUIRED) or {}).get(_TERMS) or ()
    terms = (new.get(_REQUIRED) or {}).get(_TERMS)
    if new == old:
        return
    if before and len(before) != len(terms or ()):
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        printed = gostructs.marshal_named(terms, f"[]{_TERM}", profile)
        yield badvalues.invalid_as(path, terms, printed, detail)
        return
    for place, (term, stored) in enumerate(zip(terms or (), before, strict=False)):
        if not _extends(term, stored):
            detail = "only additions are allowed (no mutations or deletions)"
            yield gostructs.invalid(path.index(place), term, _TERM, detail, profile)


def _extends(new: Object, old: Object) -> bool:
    parts = [(new.get(name) or [], old.get(name) or []) for name in _PARTS]
    if not any(stored for _, stored in parts):
        return not any(own for own, _ in parts)
    return all(own[: len(stored)] == stored for own, stored in parts)
