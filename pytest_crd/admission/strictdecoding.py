"""Decoding of the manifests of a project as `kubectl apply` does: unknown and duplicate fields are mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.engine.golang import decoding, printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.yaml.manifest import Manifest

_STRICT: Final = "strict decoding error"


def decode(manifest: Manifest, type_: Struct) -> tuple[Mapping[str, Any], list[Mistake]]:
    """
    Return a decoded manifest, and its mistakes in the server's words.

    Args:
        manifest: The manifest.
        type_: The Go type of its kind.

    Returns:
        The object, which is empty if it cannot be decoded, and the mistakes.
    """
    kind, version = manifest.kind, manifest.api_version.rpartition("/")[2]
    cannot = f"{kind} in version {printing.quote(version)} cannot be handled as a {kind}:"
    try:
        decoded = decoding.decode(manifest.value, type_)
    except DecodeError as error:
        return {}, [Mistake(manifest.source, manifest.line_of(), f"{cannot} {error}")]
    mistakes = [
        Mistake(manifest.source, manifest.key_line_of(*path.steps), f'{cannot} {_STRICT}: unknown field "{path}"')
        for path in decoded.unknown
    ]
    mistakes += [
        Mistake(manifest.source, duplicate.line, f"{cannot} {_STRICT}: {duplicate.message}")
        for duplicate in manifest.duplicates
        if not duplicate.overrides_merge
    ]
    value: Mapping[str, Any] = decoded.value
    return value, mistakes
