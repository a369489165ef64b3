"""Size of a CRD in the annotation that `kubectl apply` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from pytest_crd.checks.effects.effect import LostEffect
from pytest_crd.engine.golang import printing
from pytest_crd.engine.loading.crdfiles import ReadCrd

LIMIT: Final = 256 * 1024
"""The limit for all annotations of an object, in bytes."""
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_NEAR: Final = 0.9
# The bytes that an escaped character needs beyond its own; `\\u003c` for `<`.
_ESCAPED: Final = "<>&"
_MORE: Final = 5


def find_effects(read: ReadCrd) -> Iterator[LostEffect]:
    """Yield the effect of a CRD that is too large for `kubectl apply`, or nearly so."""
    text = json.dumps(read.manifest.value, ensure_ascii=False, default=str)
    if len(text.encode(errors="replace")) + _MORE * sum(map(text.count, _ESCAPED)) < _NEAR * LIMIT:
        return
    size = measure(read)
    remedy = "use kubectl apply --server-side, or leave descriptions out (controller-gen: crd:maxDescLen=0)"
    if size > LIMIT:
        yield LostEffect(
            "applysize",
            (),
            f"kubectl apply fails: its annotation would make {size:,} bytes, more than the {LIMIT:,} that there may be; {remedy}",
        )
    elif size > _NEAR * LIMIT:
        yield LostEffect(
            "applysize",
            (),
            f"kubectl apply will soon fail: its annotation makes {size:,} of the {LIMIT:,} bytes that there may be; {remedy}",
        )


def measure(read: ReadCrd) -> int:
    """Return the size of all annotations of a CRD after `kubectl apply`, in bytes."""
    value = read.manifest.value
    metadata = value.get("metadata") or {}
    annotations = {key: text for key, text in (metadata.get("annotations") or {}).items() if key != _LAST_APPLIED}
    applied = {**value, "metadata": {**metadata, "annotations": annotations}}
    texts = [*annotations, *map(str, annotations.values()), _LAST_APPLIED, f"{printing.marshal(applied)}\n"]
    return sum(len(text.encode()) for text in texts)
