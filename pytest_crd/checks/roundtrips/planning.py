"""Choice of the CRDs for the check of round trips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.loading.crdfiles import Remark
from pytest_crd.wording import counted

_MOST_NAMES: Final = 3


def find_pairs(crd: CustomResourceDefinition) -> Iterator[tuple[CrdVersion, CrdVersion]]:
    """Yield each served version with each other version in which the server reads or stores its objects."""
    for source in crd.versions:
        for target in crd.versions:
            if source.served and target is not source and (target.served or target.storage):
                yield source, target


def has_pairs(crd: CustomResourceDefinition) -> bool:
    """Return True if the server converts objects of the CRD."""
    return any(True for _ in find_pairs(crd))


def is_known(crd: CustomResourceDefinition) -> bool:
    """Return True if the conversion needs no webhook, or if its webhook can be called."""
    return not any(version.unknown_when_stored for version in crd.versions)


def find_notes(crds: Sequence[CustomResourceDefinition]) -> Iterator[Remark]:
    """Yield the note about CRDs with a conversion webhook that cannot be called."""
    unknown = {crd.name: crd.source for crd in crds if has_pairs(crd) and not is_known(crd)}
    if not unknown:
        return
    names = ", ".join([*unknown][:_MOST_NAMES]) + (" …" if len(unknown) > _MOST_NAMES else "")
    words = (
        f"round trips of {counted(len(unknown), 'CRD')} are not checked ({names}): a webhook converts the objects, and "
        "crd_webhooks does not say how to call it"
    )
    source, _, line = next(iter(unknown.values())).rpartition(":")
    yield Remark(source, int(line), words, is_hint=True) if line.isdigit() else Remark("", 0, words, is_hint=True)
