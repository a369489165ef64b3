"""Merge patches as the API server applies them: RFC 7386, but for nulls in what is not merged."""

from __future__ import annotations

from pytest_crd.engine.golang.release import JsonPatchRelease
from pytest_crd.engine.registry.patching.patchdocuments import Document


def merge(document: Document, patch: Document, release: JsonPatchRelease) -> Document:
    """
    Return *document* after a merge patch: objects are merged, a null removes, anything else replaces; the rest is shared with it.

    Nulls are taken out of what is put in where nothing or no object was; a list that replaces an object keeps them.

    Args:
        document: An object; not modified.
        patch: An object, or a list, which takes the place of the document.
        release: Of the server's library.

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
    document = dict(document)  # of what was sent, too, which is written anew where it is looked into
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
        kept = patch if release.keeps_nulls_in_lists else [item for item in patch if item is not None]
        return [_without_nulls(item, release) for item in kept]
    return patch
