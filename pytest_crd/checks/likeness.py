"""Likeness: which words are misspelt, and which groups are Kubernetes' own, so that nothing in them is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

# So many letters are lost, added or changed in a word that is misspelt.
_MOST_EDITS: Final = 2
# So much alike are longer words with more letters that are lost, doubled or swapped.
_ALIKE: Final = 0.9
_GROUPS: Final = frozenset({"apps", "autoscaling", "batch", "extensions", "policy"})
_KINDS_OF_THE_CORE: Final = frozenset(
    [
        "Binding",
        "ComponentStatus",
        "ConfigMap",
        "Endpoints",
        "Event",
        "LimitRange",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Pod",
        "PodTemplate",
        "ReplicationController",
        "ResourceQuota",
        "Secret",
        "Service",
        "ServiceAccount",
    ]
)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return which of the *known* words is meant by one that is none of them; empty where none is."""
    others = list(known)
    if same := [other for other in others if other.casefold() == word.casefold()]:
        return same[0]
    near = min(others, key=lambda other: _edits(word, other), default="")
    if near and _edits(word, near) <= _MOST_EDITS:
        return near
    return next(iter(difflib.get_close_matches(word, others, n=1, cutoff=_ALIKE)), "")


def is_of_kubernetes(group: str, version: str, kind: str) -> bool:
    """Return whether a kind is one of Kubernetes itself."""
    if not group:
        return version == "v1" and kind in _KINDS_OF_THE_CORE
    return group in _GROUPS or group.endswith(".k8s.io")


def _edits(word: str, other: str) -> int:
    """Return how many letters have to be added, removed or changed to get from one word to the other."""
    above = list(range(len(other) + 1))
    for row, letter in enumerate(word, 1):
        line = [row]
        for column, another in enumerate(other, 1):
            line.append(min(above[column] + 1, line[-1] + 1, above[column - 1] + (letter != another)))
        above = line
    return above[-1]
