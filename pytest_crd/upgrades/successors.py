"""Successors: the CRDs of today that may replace a CRD of the baseline; each alternative replaces one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pytest_crd.discovery.releasewalk import OldCrd
from pytest_crd.engine import CustomResourceDefinition


class Succession(NamedTuple):
    """
    A CRD of the baseline and its successor.

    Attributes:
        id: The id of the old CRD; with the file of the successor if there are several.
        olds: The old CRD, in each form of its releases.
        today: The successor; empty if the CRD is removed.
    """

    id: str
    olds: Sequence[OldCrd]
    today: tuple[CustomResourceDefinition, ...]


def find_successions(
    olds: Mapping[str, Sequence[OldCrd]], today: Sequence[CustomResourceDefinition]
) -> list[Succession]:
    """
    Return the successors of each old CRD, so that each CRD of today with the name of an old one is a successor.

    Of alternatives, those with the nearest path of a file belong together. An alternative without an old one in its place, such as a new
    copy, replaces the nearest old one, because users may install it.

    Args:
        olds: The CRDs of the baseline by id.
        today: The CRDs of today.
    """
    successions: list[Succession] = []
    for id_, forms in olds.items():
        name = forms[-1].crd.name
        same_name = [crd for crd in today if crd.name == name]
        others = [item[-1].crd for item in olds.values() if item[-1].crd.name == name]
        own = _find_nearest(forms[-1].crd, same_name)
        nearest = [crd for old in others for crd in _find_nearest(old, same_name)]
        own += [crd for crd in same_name if crd not in nearest and forms[-1].crd in _find_nearest(crd, others)]
        if len(own) < 2:
            successions.append(Succession(id_, forms, tuple(own)))
        else:
            successions += (Succession(_distinguish(id_, crd, own), forms, (crd,)) for crd in own)
    return successions


def _distinguish(id_: str, crd: CustomResourceDefinition, others: Sequence[CustomResourceDefinition]) -> str:
    """Append the file of a successor to an id; with its line if the file has several."""
    files = [_file(crd) for crd in others]
    place = _file(crd) if files.count(_file(crd)) == 1 else crd.source
    return f"{id_}{'-' if '@' in id_ else '@'}{place}"


def _find_nearest(
    crd: CustomResourceDefinition, others: Sequence[CustomResourceDefinition]
) -> list[CustomResourceDefinition]:
    """Return the CRD with the most similar file path; all CRDs if there is no single one."""
    common = [_count_common_parts(crd, rival) for rival in others]
    best = max(common, default=0)
    nearest = [rival for rival, count in zip(others, common, strict=True) if best and count == best]
    return nearest if len(nearest) == 1 else [*others]


def _count_common_parts(first: CustomResourceDefinition, second: CustomResourceDefinition) -> int:
    """Return the number of equal parts at the ends of the paths of two files."""
    count = 0
    for part, second_part in zip(_parts(first), _parts(second), strict=False):
        if part != second_part:
            break
        count += 1
    return count


def _parts(crd: CustomResourceDefinition) -> list[str]:
    """Return the parts of the path of a file, the name first."""
    return [*reversed(_file(crd).rpartition(":")[2].split("/"))]


def _file(crd: CustomResourceDefinition) -> str:
    return crd.source.rpartition(":")[0]
