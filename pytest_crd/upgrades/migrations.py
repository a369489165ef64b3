"""Migrations: versions that no stored object has any more, as a project declares them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_FORM: Final = "GROUP/VERSION: REASON, as in example.com/v1alpha1: the operator has migrated all objects since v1.2"
_LINE: Final = re.compile(r"([^\s/:]+)/([^\s/:]+)\s*:\s*(\S.*)")


class Migration(NamedTuple):
    """
    A declared migration of stored objects.

    Attributes:
        group: The API group.
        version: The version that is no longer stored.
        reason: The reason that the project gives.
    """

    group: str
    version: str
    reason: str

    @property
    def group_version(self) -> str:
        """`example.com/v1alpha1`."""
        return f"{self.group}/{self.version}"


def parse(line: str) -> Migration:
    """
    Parse one line of the `crd_baseline_migrated` setting.

    Raises:
        ValueError: The line is malformed or has no reason; the message shows the expected form.
    """
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise ValueError(f"{line!r} is not {_FORM}")
    return Migration(match[1], match[2], match[3])
