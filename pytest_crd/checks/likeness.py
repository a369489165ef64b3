"""Likeness: which words are misspelt, and which groups are Kubernetes' own, so that nothing in them is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_crd import suggestions

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


def nearest(word: str, known: Iterable[str], budget: suggestions.WorkBudget) -> str:
    """
    Return the known word that an unknown *word* may stand for; empty if none is similar.

    Raises:
        SpentBudgetError: There are too many words to compare.
    """
    others = list(known)
    if same := [other for other in others if other.casefold() == word.casefold()]:
        return same[0]
    of_a_length = [other for other in others if abs(len(other) - len(word)) <= _MOST_EDITS]
    budget.spend(sum(len(other) * len(word) for other in of_a_length))
    near = min(of_a_length, key=lambda other: _edits(word, other), default="")
    if near and _edits(word, near) <= _MOST_EDITS:
        return near
    return suggestions.nearest(word, others, budget, alike=_ALIKE)


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
