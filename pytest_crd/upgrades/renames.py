"""Renamed fields: a field is gone, and a new one beside it is alike in type and text."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.upgrades.schemadifferences import ADDED, REMOVED, Difference
from pytest_crd.upgrades.upgradefindings import Finding, Kind, path_of

_LEAST: Final = 0.8
"""The least similarity of two descriptions, from 0 to 1."""
_LEAST_OF_NAMES: Final = 0.6
"""The least similarity of two names without descriptions, from 0 to 1."""
_KINDS: Final = ("type", "format", "x-kubernetes-int-or-string")


def find_renames(differences: Iterable[Difference]) -> dict[str, str]:
    """Return the path of the new field for the path of each renamed field; each new field replaces one."""
    removed: list[tuple[Place, Any]] = []
    added: list[tuple[Place, Any]] = []
    for difference in differences:
        if difference.keyword == REMOVED:
            removed.append((difference.place, difference.before))
        elif difference.keyword == ADDED:
            added.append((difference.place, difference.after))
    pairs = [
        (_similarity(before, after, (old[-1], new[-1])), path_of(old), path_of(new))
        for old, before in removed
        for new, after in added
        if old[:-1] == new[:-1]
    ]
    renames: dict[str, str] = {}
    for similarity, old_path, new_path in sorted(pairs, reverse=True):
        if similarity >= _LEAST and old_path not in renames and new_path not in renames.values():
            renames[old_path] = new_path
    return renames


def describe(findings: Iterable[Finding], renames: Mapping[str, str]) -> Iterator[Finding]:
    """Yield *findings*; those about a lost field, or a new one that is required, name the other field of the rename."""
    old_names = {new: old for old, new in renames.items()}
    for finding in findings:
        if finding.kind is Kind.DATA_LOSS and finding.path in renames:
            new = renames[finding.path]
            words = f"{finding.words}; {new} is new, alike in type and text: a rename loses the stored values"
            yield replace(finding, words=words)
        elif finding.kind is Kind.REFUSED and finding.path in old_names:
            old = old_names[finding.path]
            yield replace(finding, words=f"{finding.words} (renamed: {old} is gone, alike in type and text)")
        else:
            yield finding


def _similarity(old: Any, new: Any, names: tuple[Any, Any]) -> float:
    """Return the similarity of two schemas, from 0 to 1; 0 for schemas of different types."""
    if any(old.get(key) != new.get(key) for key in _KINDS):
        return 0.0
    before, after = (
        str(schema.get("description") or "").replace(str(name), "")
        for schema, name in zip((old, new), names, strict=True)
    )
    if before or after:
        return difflib.SequenceMatcher(None, before, after).ratio()
    are_alike = difflib.SequenceMatcher(None, str(names[0]).lower(), str(names[1]).lower()).ratio() >= _LEAST_OF_NAMES
    return _LEAST if are_alike and jsonvalue.equal(old, new) else 0.0
