"""Order of API versions by preference: `v2` before `v1`, `v1` before `v1beta1`, other names last."""

from __future__ import annotations

from typing import Final, TypeAlias

from pytest_crd import lazyre

Priority: TypeAlias = "tuple[int, int, int, int, tuple[int, ...]]"

_KUBE_LIKE: Final = lazyre.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STABILITY: Final = {"alpha": 0, "beta": 1, None: 2}


def sort_key(version: str) -> Priority:
    """
    Return the sort key of a *version*: the server prefers the version with the greatest key.

    Reference:
        apimachinery pkg/version/helpers.go, CompareKubeAwareVersionStrings.
    """
    match = _KUBE_LIKE.fullmatch(version)
    if match is None:
        # Alphabetical order; a name sorts after its own prefix.
        return 0, 0, 0, 0, (*(-ord(char) for char in version), 1)
    major, stability, minor = match.groups()
    return 1, _STABILITY[stability], int(major), int(minor or 0), ()
