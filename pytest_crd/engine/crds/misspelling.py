"""
Manifests that a server does not recognize as CRDs because of a typing error in `kind` or `apiVersion`.

Only these two fields are compared; other kinds of the group and similar groups are known.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Mapping
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.decoded import GROUP
from pytest_crd.engine.jsonvalue import JSONValue

# The similarity of a word with one or two letters lost, doubled or swapped. Crossplane's kind
# (`CompositeResourceDefinition`: 0.82) and group (0.77) are less similar, and so is `apiregistration.k8s.io` (0.71).
_ALIKE: Final = 0.9
_OTHER_KINDS: Final = frozenset({"ConversionReview"})
_DECLARED: Final = lazyre.compile(rb"""\b(apiVersion|kind)["']?\s*:\s*["']?([^\s"',}]+)""")


def may_hold(content: bytes) -> bool:
    """Return whether *content* has a plain `kind` or `apiVersion` that is nearly a CRD's, so that parsing pays off."""
    return any(
        _is_near_kind(value) if key == b"kind" else _is_near_group(value)
        for key, value in {(key, value.decode(errors="replace")) for key, value in _DECLARED.findall(content)}
    )


def problem_of(manifest: JSONValue) -> str:
    """
    Return the error message about a manifest that is nearly a CRD; empty for a CRD, and for any other value.

    Args:
        manifest: Any JSON value.
    """
    if not isinstance(manifest, Mapping) or declared.is_crd(manifest):
        return ""
    api_version, kind = manifest.get("apiVersion"), manifest.get("kind")
    is_near_group = isinstance(api_version, str) and _is_near_group(api_version) and kind not in _OTHER_KINDS
    if not is_near_group and not (isinstance(kind, str) and _is_near_kind(kind)):
        return ""
    declared_type, suggestion = f"apiVersion {api_version!r} and kind {kind!r}", f"kind {declared.KIND!r}"
    if kind == declared.KIND:
        declared_type, suggestion = f"apiVersion {api_version!r} of a {declared.KIND}", repr(declared.V1)
    elif api_version in {declared.V1, declared.V1BETA1}:
        declared_type = f"kind {kind!r} of {api_version}"
    else:
        suggestion = f"{declared.V1!r} and {declared.KIND!r}"
    return f"no server knows {declared_type}; did you mean {suggestion}?"


@functools.cache
def _is_near_kind(kind: str) -> bool:
    return _is_near(kind, declared.KIND)


@functools.cache
def _is_near_group(api_version: str) -> bool:
    return _is_near(api_version.partition("/")[0], GROUP)


def _is_near(word: str, known: str) -> bool:
    matcher = difflib.SequenceMatcher(None, word.casefold(), known.casefold())
    return matcher.real_quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE
