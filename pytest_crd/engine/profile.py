"""
Kubernetes versions: the only place that knows that their answers differ.

A version is supported when a real server of it has been recorded; any other is refused rather than guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Profile:
    """
    How one Kubernetes version behaves.

    Attributes:
        version: `major.minor`, as in `kubernetes_version="1.37"`.
        serves_v1beta1: Whether `apiextensions.k8s.io/v1beta1` can be POSTed; how stored CRDs behave does not depend on it.
    """

    version: str
    serves_v1beta1: bool = False


KNOWN: Final[dict[str, Profile]] = {
    profile.version: profile
    for profile in (
        Profile("1.21", serves_v1beta1=True),
        Profile("1.32"),
        Profile("1.35"),
        Profile("1.36"),
        Profile("1.37"),
    )
}
DEFAULT: Final = "1.37"


class UnknownVersionError(ValueError):
    """A Kubernetes version that was never recorded; the message lists the known ones."""


def named(version: object) -> Profile:
    """
    Return the profile of a Kubernetes version.

    Args:
        version: `"1.37"`; a leading `v` and a patch release (`v1.37.2`) are understood.

    Raises:
        UnknownVersionError: Not a string (unquoted in YAML or TOML, 1.30 is the number 1.3), or not a known version.
    """
    known = ", ".join(KNOWN)
    if not isinstance(version, str):
        message = f'Kubernetes version {version!r} is a number: quote it, as in "{DEFAULT}" (known versions: {known})'
        raise UnknownVersionError(message)
    profile = KNOWN.get(".".join(version.strip().removeprefix("v").split(".")[:2]))
    if profile is None:
        # What TOML and YAML make of 1.30 when nobody quotes it, by the time that pytest hands it over as a text.
        hint = (
            f" (without quotes, {version}0 is the number {version}: quote it)"
            if re.fullmatch(r"1\.\d", version)
            else ""
        )
        raise UnknownVersionError(f"unknown Kubernetes version {version!r}{hint}; known versions: {known}")
    return profile
