"""Likeness of words, to recognize misspelt kinds and groups, and the groups of Kubernetes itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_crd import suggestions

# The most lost, added or changed letters of a misspelt word.
_MOST_EDITS: Final = 2
# The likeness of longer words with more lost, doubled or swapped letters.
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


def nearest(word: str, words: Iterable[str], budget: suggestions.WorkBudget) -> str:
    """
    Return the known word that is most similar to an unknown *word*; empty if none is.

    Raises:
        SpentBudgetError: There are too many words to compare.
    """
    others = list(words)
    if same := [candidate for candidate in others if candidate.casefold() == word.casefold()]:
        return same[0]
    of_a_length = [candidate for candidate in others if abs(len(candidate) - len(word)) <= _MOST_EDITS]
    budget.spend(sum(len(candidate) * len(word) for candidate in of_a_length))
    near = min(of_a_length, key=lambda candidate: _edits(word, candidate), default="")
    if near and _edits(word, near) <= _MOST_EDITS:
        return near
    return suggestions.nearest(word, others, budget, least_ratio=_ALIKE)


def is_of_kubernetes(group: str, version: str, kind: str) -> bool:
    """Return whether a kind belongs to Kubernetes itself."""
    if not group:
        return version == "v1" and kind in _KINDS_OF_THE_CORE
    return group in _GROUPS or group.endswith(".k8s.io")


def _edits(word: str, target: str) -> int:
    """Return the number of letters to add, remove or change to get from one word to the other."""
    above = list(range(len(target) + 1))
    for row, letter in enumerate(word, 1):
        line = [row]
        for column, target_letter in enumerate(target, 1):
            line.append(min(above[column] + 1, line[-1] + 1, above[column - 1] + (letter != target_letter)))
        above = line
    return above[-1]
