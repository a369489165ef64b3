"""
Names of container images, as far as the default pull policy needs them.

Reference:
    distribution/reference, ParseNormalizedNamed; kubernetes pkg/util/parsers, ParseImageName.
"""

from __future__ import annotations

import re
from typing import Final

_COMPONENT: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_LABEL: Final = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_DOMAIN: Final = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_TAG: Final = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_REFERENCE: Final = re.compile(
    rf"(?P<name>{_DOMAIN}/{_COMPONENT}(?:/{_COMPONENT})*)(?::(?P<tag>{_TAG}))?(?:@(?P<digest>{_DIGEST}))?"
)
_IDENTIFIER: Final = re.compile(r"[a-f0-9]{64}")
# The digits of a digest by its algorithm.
_DIGITS: Final = {"sha256": 64, "sha384": 96, "sha512": 128}
_LONGEST: Final = 255
_LATEST: Final = "latest"


def is_latest(image: str) -> bool:
    """Return True if an image has the tag `latest`, or neither tag nor digest; False if its name is malformed."""
    if _IDENTIFIER.fullmatch(image):
        return False
    match = _REFERENCE.fullmatch(_normalized(image))
    if match is None or len(match["name"]) > _LONGEST:
        return False
    if match["digest"]:
        algorithm, _, digits = match["digest"].partition(":")
        if len(digits) != _DIGITS.get(algorithm) or digits != digits.lower():
            return False
    return (match["tag"] or ("" if match["digest"] else _LATEST)) == _LATEST


def _normalized(image: str) -> str:
    """Return the name of an image with its domain."""
    first, slash, rest = image.partition("/")
    is_domain = slash and (first == "localhost" or first != first.lower() or not {".", ":"}.isdisjoint(first))
    if is_domain and first != "docker.io":
        return image
    remainder = rest if is_domain else image
    return f"docker.io/{remainder if '/' in remainder else f'library/{remainder}'}"
