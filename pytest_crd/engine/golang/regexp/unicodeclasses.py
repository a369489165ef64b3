"""
The classes of Unicode that patterns name, and which code points differ by case only, as Go knows them.

Those of Unicode 15.0, which Go 1.21 to 1.26 have, whatever the versions of Python and RE2 know. Kubernetes 1.21 is built
with Go 1.16 and Unicode 13.0; the characters and the seven scripts that have come since are answered there as in 1.32.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from pytest_crd.engine.golang.regexp import runesets
from pytest_crd.engine.golang.regexp.runesets import RuneSet

_ASCII: Final[RuneSet] = ((0, 0x7F),)
_CASED: Final = ("Ll", "Lt", "Lu")
_OTHER_BUT_UNASSIGNED: Final = ("Cc", "Cf", "Co", "Cs")
# The one class for which Go has no table of what case adds, as short and long names are looked up.
_NEVER_FOLDED: Final = frozenset({"Lc", "Casedletter"})


def find(name: str, *, loosely: bool, fold: bool) -> RuneSet | None:
    r"""
    Return the code points of the class that `\p{name}` means, or None where there is none of that name.

    Args:
        name: What stands in the braces.
        loosely: Whether case, blanks, hyphens and underscores in the name do not count, and long names are known. Scripts
            whose own name has an underscore are then known no more: Go does not look for them without it.
        fold: Whether what differs by case only is in the class, too.

    Reference:
        Go's regexp/syntax, unicodeTable.
    """
    if loosely:
        name = _canonical(name)
    found = _loosely(name) if loosely else _exactly(name)
    return folded(found) if found is not None and fold and not (loosely and name in _NEVER_FOLDED) else found


def folded(runes: RuneSet) -> RuneSet:
    """
    Return *runes* with all code points that differ from one of them by case only.

    Reference:
        Go's unicode.SimpleFold: `k`, `K` and the sign of the Kelvin.
    """
    following = _following()
    chars = _with_case()
    more: list[tuple[int, int]] = []
    for first, last in runes:
        for char in chars[bisect.bisect_left(chars, first) : bisect.bisect_right(chars, last)]:
            other = following[char]
            while other != char:
                more.append((other, other))
                other = following[other]
    return runesets.union((*runes, *more)) if more else runes


@functools.cache
def _loosely(name: str) -> RuneSet | None:
    if name == "Any":
        return runesets.ALL
    if name == "Ascii":
        return _ASCII
    if name == "Assigned":
        return runesets.negated(_category("Cn"))
    scripts: Mapping[str, str] = _content()["scripts"]
    if name in scripts:
        return _runes(scripts[name])
    aliases = {_canonical(alias): category for alias, category in _content()["aliases"].items()}
    name = "LC" if name == "Lc" else aliases.get(name, name)
    return _category(name) if name in _categories() else None


@functools.cache
def _exactly(name: str) -> RuneSet | None:
    if name == "Any":
        return runesets.ALL
    if name == "C":  # there was no class of the unassigned then
        return runesets.union(run for category in _OTHER_BUT_UNASSIGNED for run in _category(category))
    scripts: Mapping[str, str] = _content()["scripts"]
    if name in scripts:
        return _runes(scripts[name])
    return _category(name) if name in _categories() - {"Cn", "LC"} else None


def _category(name: str) -> RuneSet:
    """Return a general category; those of one letter, `LC` and `Cn` follow from the others."""
    declared: Mapping[str, str] = _content()["categories"]
    if name in declared:
        return _runes(declared[name])
    if name == "Cn":
        return runesets.negated(runesets.union(run for steps in declared.values() for run in _runes(steps)))
    parts = _CASED if name == "LC" else [part for part in (*declared, "Cn") if part[0] == name]
    return runesets.union(run for part in parts for run in _category(part))


def _categories() -> frozenset[str]:
    declared = _content()["categories"]
    return frozenset({*declared, *(name[0] for name in declared), "Cn", "LC"})


def _canonical(name: str) -> str:
    """Return a name as Go looks it up: a capital first, then none, nothing between the words; of ASCII alone."""
    bare = name.translate(_BETWEEN_WORDS)
    return bare[:1].translate(_TO_UPPER) + bare[1:].translate(_TO_LOWER)


_BETWEEN_WORDS: Final = dict.fromkeys(map(ord, "_- "))
_UPPER: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TO_UPPER: Final = str.maketrans(_UPPER.lower(), _UPPER)
_TO_LOWER: Final = str.maketrans(_UPPER, _UPPER.lower())


def _runes(steps: str) -> RuneSet:
    """Return a set that is written as the lengths of the runs outside and inside of it, alternately."""
    bounds = list(itertools.accumulate(int(step, 36) for step in steps.split()))
    return tuple((first, after - 1) for first, after in zip(bounds[::2], bounds[1::2], strict=True))


@functools.cache
def _following() -> Mapping[int, int]:
    """Return, for each code point that has others of another case, the next of them; they go round in a circle."""
    following: dict[int, int] = {}
    for run in _content()["folding"].split():
        first, last, step, distance = (int(number, 36) for number in run.split(","))
        following.update((char, char + distance) for char in range(first, last + 1, step))
    return following


@functools.cache
def _with_case() -> list[int]:
    return sorted(_following())


@functools.cache
def _content() -> Mapping[str, Any]:
    """Return the file that `tools/oracle/reference/classes` prints from Go's own tables."""
    text = resources.files(__package__).joinpath("unicodeclasses.json").read_text("utf-8")
    content: Mapping[str, Any] = json.loads(text)
    return content
