"""Media types of patches."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors.refusal import Refusal

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"
STRATEGIC_MERGE_PATCH: Final = "application/strategic-merge-patch+json"
MEDIA_TYPES: Final = (JSON_PATCH, MERGE_PATCH, APPLY)
# Kinds with a Go type, such as CRDs, take strategic merge patches, too.
MEDIA_TYPES_OF_BUILT_IN: Final = (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY)


def refuse_media_type(media_type: str, *, is_built_in: bool = False) -> Refusal | None:
    """
    Return the refusal of a PATCH with an unsupported media type, or None.

    Args:
        media_type: The Content-Type; may have parameters.
        is_built_in: Whether the resource has a Go type: it has an additional media type, and the router refuses others.

    Reference:
        apiserver endpoints/handlers/negotiation/errors.go, NewUnsupportedMediaTypeError; emicklei/go-restful jsr311.go.
    """
    supported = MEDIA_TYPES_OF_BUILT_IN if is_built_in else MEDIA_TYPES
    if plain_media_type(media_type) in supported:
        return None
    listed = f"accepted media types include: {', '.join(supported)}"
    words = (
        "415: Unsupported Media Type" if is_built_in else f"the body of the request was in an unknown format - {listed}"
    )
    return Refusal(415, "UnsupportedMediaType", words)


def is_apply(verb: str, media_type: str) -> bool:
    """Return whether a request is a server-side apply."""
    return verb == "patch" and plain_media_type(media_type) == APPLY


def plain_media_type(media_type: str) -> str:
    """Return a media type without parameters."""
    return media_type.partition(";")[0]
