"""
Validation of a change of the resources of a Pod.

Reference:
    kubernetes pkg/apis/core/validation, ValidatePodResize.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import structs
from pytest_crd.server.builtin import builtingotypes, podfinishing
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods.podfields import Object
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, ValidatedWrite

_SPEC: Final = ROOT.child("spec")
_ONLY: Final = "only cpu and memory resources are mutable"
_COMPUTED: Final = ("cpu", "memory")
_PARTS: Final = ("requests", "limits")


def validate(write: ValidatedWrite) -> Errors:
    """Yield the errors of new resources; other fields stay as they are stored."""
    new: Any = write.new.get("spec") or {}
    old: Any = write.stored.get("spec") or {}
    misplaced = [*_refuse_other_containers(new, old)]
    quality = podfinishing.quality_of(new, write.profile)
    if quality != podfinishing.quality_of(old, write.profile):
        quality_class = (write.new.get("status") or {}).get("qosClass") or ""
        yield validatedwrites.invalid_named(
            _SPEC, quality_class, "Pod QOS Class may not change as a result of resizing"
        )
    yield from misplaced
    if misplaced:
        return
    kind = builtingotypes.named("core.v1.Container", write.profile)
    errors = []
    for place, container in enumerate(new.get("initContainers") or ()):
        stored, path = old["initContainers"][place], _SPEC.child("initContainers").index(place)
        if container.get("restartPolicy") == "Always":
            yield from _refuse_removed(container, stored, path.child("resources"))
            if not structs.equal(_without_computed(container, stored), stored, kind):
                detail = "only cpu and memory resources for init or sidecar containers are mutable"
                errors.append(fielderror.forbidden(path, detail))
        elif not structs.equal(container, stored, kind):
            detail = "resources for non-sidecar init containers are immutable"
            errors.append(fielderror.forbidden(_SPEC, detail))
    for place, container in enumerate(new.get("containers") or ()):
        stored, path = old["containers"][place], _SPEC.child("containers").index(place)
        yield from _refuse_removed(container, stored, path.child("resources"))
        if not structs.equal(_without_computed(container, stored), stored, kind):
            yield fielderror.forbidden(_SPEC, _ONLY)
    yield from errors


def _refuse_other_containers(new: Object, old: Object) -> Errors:
    for kind in ("containers", "initContainers"):
        listed, stored = new.get(kind) or (), old.get(kind) or ()
        if len(listed) != len(stored):
            yield fielderror.forbidden(_SPEC.child(kind), f"{kind} may not be added or removed on resize")
            continue
        for place, (container, old_container) in enumerate(zip(listed, stored, strict=True)):
            if (container.get("name") or "") != (old_container.get("name") or ""):
                path = _SPEC.child(kind).index(place).child("name")
                yield fielderror.forbidden(path, f"{kind} may not be renamed or reordered on resize")


def _needs(container: Object, part: str) -> Mapping[str, str]:
    needs: Mapping[str, str] = (container.get("resources") or {}).get(part) or {}
    return needs


def _refuse_removed(new: Object, old: Object, path: FieldPath) -> Errors:
    for part in _PARTS:
        if _needs(old, part).keys() - _needs(new, part):
            yield fielderror.forbidden(path.child(part), f"resource {part} cannot be removed")


def _without_computed(new: Object, old: Object) -> Object:
    """Return a container with the stored amounts of CPU and memory; its policy of resizes goes."""
    needs = {
        part: {
            **{name: amount for name, amount in _needs(new, part).items() if name not in _COMPUTED},
            **{name: amount for name, amount in _needs(old, part).items() if name in _COMPUTED},
        }
        for part in _PARTS
    }
    return {**new, "resources": {**(new.get("resources") or {}), **needs}}
