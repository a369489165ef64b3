"""Which of two versions of an API comes first: `v2` before `v1`, `v1` before `v1beta1`, other names last."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

Priority: TypeAlias = "tuple[int, int, int, int, tuple[int, ...]]"

_KUBE_LIKE: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STABILITY: Final = {"alpha": 0, "beta": 1, None: 2}


def of(version: str) -> Priority:
    """
    Return the sort key of a *version*: the greater, the more the server prefers it.

    Reference:
        apimachinery pkg/version/helpers.go, CompareKubeAwareVersionStrings.
    """
    match = _KUBE_LIKE.fullmatch(version)
    if match is None:
        # The first by the alphabet comes first; a name that continues another one comes after it.
        return 0, 0, 0, 0, (*(-ord(char) for char in version), 1)
    major, stability, minor = match.groups()
    return 1, _STABILITY[stability], int(major), int(minor or 0), ()
