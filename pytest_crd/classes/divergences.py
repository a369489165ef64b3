"""Divergences: differences between a class and a CRD, as data, and the lines of a project that allow some with a reason."""

from __future__ import annotations

import enum
import fnmatch
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple


class DivergenceKind(enum.StrEnum):
    """The kind of a divergence."""

    CLASS_REFUSES = "only the class refuses"
    CRD_REFUSES = "only the CRD refuses"
    CRD_DROPS = "the CRD drops"
    CLASS_LOSES = "the class loses"
    DEFAULT = "another default"
    CHANGED = "another value"


@dataclass(frozen=True, slots=True, repr=False)
class Divergence:
    """
    A difference between a class and a CRD.

    Attributes:
        kind: The kind of difference.
        path: The field: `spec.days`.
        words: The values of both, or the error of the side that refuses.
        resource: The smallest object that shows it, as it is sent.
        place: `file:line` of the field or keyword of the CRD, or of the nearest field around it; empty if it is unknown.
    """

    kind: DivergenceKind
    path: str
    words: str
    resource: Mapping[str, Any]
    place: str = ""

    def __str__(self) -> str:
        """Return it on one line, with its object."""
        place = f" ({self.place})" if self.place else ""
        return f"{self.path}: {self.kind}: {self.words}{place}; object: {json.dumps(self.resource, ensure_ascii=False)}"

    __repr__ = __str__  # for lists in assertions of pytest


SETTING: Final = "crd_parity_allow"
_ANY: Final = "*"
_KINDS: Final = "|".join(map(re.escape, (_ANY, *DivergenceKind)))
_LINE: Final = re.compile(rf"(\*|[^\s/]++/\S++)\s++((?:[^\s:]|:(?!\s))++)(?:\s++({_KINDS}))?\s*+:\s++(\S.*)")
_INDEX: Final = re.compile(r"\[\d+\]")
_FORM: Final = (
    "CRD/VERSION FIELD KIND: REASON, as in things.example.com/v1 spec.days another default: the operator sets it. "
    f"KIND is one of {', '.join(DivergenceKind)}, or left out for all of them"
)


class AllowedDivergence(NamedTuple):
    """
    An entry of the setting.

    Attributes:
        target: The CRD and its version, `things.example.com/v1`; `*` matches any characters.
        path: The field; `*` matches any characters.
        kind: The kind of divergence; `*` for each.
        reason: The reason of the project.
    """

    target: str
    path: str
    kind: str
    reason: str

    def is_about(self, target: str) -> bool:
        """Return whether the entry is about a version of a CRD."""
        return _matches(self.target, target)

    def covers(self, target: str, divergence: Divergence) -> bool:
        """Return whether the entry allows a divergence of a version of a CRD."""
        is_of_kind = self.kind in (_ANY, divergence.kind.value)
        return is_of_kind and self.is_about(target) and _matches(self.path, divergence.path)

    def __str__(self) -> str:
        """Return the entry without its reason."""
        return f"{self.target} {self.path}{'' if self.kind == _ANY else f' {self.kind}'}"


def parse(line: str) -> AllowedDivergence:
    """
    Parse one line of the setting.

    Raises:
        ValueError: The line is malformed, has no reason, or allows every difference; the message says what to write instead.
    """
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise ValueError(f"{line!r} is not {_FORM}")
    entry = AllowedDivergence(match[1], match[2], match[3] or _ANY, match[4])
    if not entry.path.strip(_ANY) and entry.kind == _ANY:
        raise ValueError(f"{line!r} allows every difference, so that nothing is compared: name the fields or the kind")
    return entry


def suggest(target: str, divergence: Divergence) -> str:
    """Return the line of the setting that allows a divergence; its reason is to be written."""
    return f"{target} {_INDEX.sub('[*]', divergence.path)} {divergence.kind}: REASON"


def _matches(pattern: str, text: str) -> bool:
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))
