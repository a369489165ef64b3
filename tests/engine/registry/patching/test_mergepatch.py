"""Merge patches, as far as recorded answers do not show it."""

from __future__ import annotations

from pytest_crd.engine import profile
from pytest_crd.engine.registry.patching import documents, mergepatch

NEWEST = profile.named("1.37").json_patch
OLDEST = profile.named("1.21").json_patch


def test_a_merge_does_not_modify_the_document() -> None:
    document, patch = {"a": {"b": 1}}, {"a": {"b": None, "c": {"d": [1]}}}
    merged = mergepatch.merge(document, documents.as_sent(patch), NEWEST)
    assert documents.plain(merged) == {"a": {"c": {"d": [1]}}}
    assert document == {"a": {"b": 1}}


def test_a_merge_shares_unchanged_parts() -> None:
    document = {"a": {"b": 1}, "c": {"d": []}}
    merged = mergepatch.merge(document, {"a": {"e": 2}}, NEWEST)
    assert merged == {"a": {"b": 1, "e": 2}, "c": {"d": []}}
    assert merged["c"] is document["c"]


def test_the_oldest_version_drops_the_nulls_of_lists() -> None:
    patch = documents.as_sent({"l": [None, {"a": None}]})
    assert mergepatch.merge({}, patch, NEWEST) == {"l": [None, {}]}
    assert mergepatch.merge({}, patch, OLDEST) == {"l": [{}]}
