"""The Kubernetes versions with servers."""

from __future__ import annotations

from typing import Final

VERSIONS: Final = ("1.37", "1.36", "1.35", "1.34", "1.33", "1.32", "1.21")
NEWEST: Final = VERSIONS[0]
# Versions without a server: only their CEL can be asked.
PREVIEWS: Final = ("1.38",)


def minor(version: str) -> int:
    """Return the minor version of a Kubernetes *version*, for comparisons."""
    return int(version.partition(".")[2])
