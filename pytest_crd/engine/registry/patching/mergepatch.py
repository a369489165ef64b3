"""Merge patches as the API server applies them: RFC 7386, except for nulls in unmerged parts."""

from __future__ import annotations

from pytest_crd.engine.golang.release import JsonPatchRelease
from pytest_crd.engine.registry.patching.documents import Document


def merge(document: Document, patch: Document, release: JsonPatchRelease) -> Document:
    """
    Return *document* after a merge patch: objects merge, null removes, other values replace; unchanged parts are shared.

    Nulls are dropped from values that fill an absent or null field; a list that replaces an object keeps them.

    Args:
        document: An object; not modified.
        patch: An object, or a list, which replaces the document.
        release: The version of the server's library.

    Reference:
        evanphx/json-patch merge.go, doMergePatch.
    """
    if isinstance(patch, list):
        return _without_nulls(patch, release)
    return _merged(document, patch, release)


def _merged(document: Document, patch: Document, release: JsonPatchRelease) -> Document:
    if not isinstance(document, dict):
        return _without_nulls(patch, release)
    if not isinstance(patch, dict):
        return patch
    document = dict(document)  # a plain copy: changed objects lose their spelling
    for key, item in patch.items():
        if item is None:
            document.pop(key, None)
        elif document.get(key) is None:
            document[key] = _without_nulls(item, release)
        else:
            document[key] = _merged(document[key], item, release)
    return document


def _without_nulls(patch: Document, release: JsonPatchRelease) -> Document:
    if isinstance(patch, dict):
        return {key: _without_nulls(item, release) for key, item in patch.items() if item is not None}
    if isinstance(patch, list):
        items = patch if release.keeps_nulls_in_lists else [item for item in patch if item is not None]
        return [_without_nulls(item, release) for item in items]
    return patch
