"""
Unicode classes and case folding as Go has them.

The data is Unicode 15.0, which Go 1.21 to 1.26 use, independent of the versions of Python and RE2. Kubernetes 1.21 is
built with Go 1.16 and Unicode 13.0; the characters and the seven scripts added since are treated there as in 1.32.
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
# The only class without a case folding table in Go, by its short and its long name.
_NEVER_FOLDED: Final = frozenset({"Lc", "Casedletter"})


def find_class(name: str, *, loosely: bool, fold: bool) -> RuneSet | None:
    r"""
    Return the code points of the class `\p{name}`, None if there is no such class.

    Args:
        name: The name in the braces.
        loosely: Ignore case, blanks, hyphens and underscores in the name, and accept long names. Scripts with an
            underscore in their name are unknown then: Go does not look for them without it.
        fold: Add all code points that differ by case only.

    Reference:
        Go's regexp/syntax, unicodeTable.
    """
    if loosely:
        name = _canonical(name)
    runes = _loosely(name) if loosely else _exactly(name)
    return fold_case(runes) if runes is not None and fold and not (loosely and name in _NEVER_FOLDED) else runes


def fold_case(runes: RuneSet) -> RuneSet:
    """
    Return *runes* with all code points that differ from a member by case only.

    Reference:
        Go's unicode.SimpleFold: `k`, `K` and the Kelvin sign.
    """
    following = _following()
    chars = _with_case()
    more: list[tuple[int, int]] = []
    for first, last in runes:
        for char in chars[bisect.bisect_left(chars, first) : bisect.bisect_right(chars, last)]:
            variant = following[char]
            while variant != char:
                more.append((variant, variant))
                variant = following[variant]
    return runesets.union((*runes, *more)) if more else runes


@functools.cache
def _loosely(name: str) -> RuneSet | None:
    if name == "Any":
        return runesets.ALL
    if name == "Ascii":
        return _ASCII
    if name == "Assigned":
        return runesets.negate(_category("Cn"))
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
    if name == "C":  # older Go releases have no class of unassigned code points
        return runesets.union(run for category in _OTHER_BUT_UNASSIGNED for run in _category(category))
    scripts: Mapping[str, str] = _content()["scripts"]
    if name in scripts:
        return _runes(scripts[name])
    return _category(name) if name in _categories() - {"Cn", "LC"} else None


def _category(name: str) -> RuneSet:
    """Return the code points of a general category; one-letter categories, `LC` and `Cn` are derived from the others."""
    declared: Mapping[str, str] = _content()["categories"]
    if name in declared:
        return _runes(declared[name])
    if name == "Cn":
        return runesets.negate(runesets.union(run for steps in declared.values() for run in _runes(steps)))
    parts = _CASED if name == "LC" else [part for part in (*declared, "Cn") if part[0] == name]
    return runesets.union(run for part in parts for run in _category(part))


def _categories() -> frozenset[str]:
    declared = _content()["categories"]
    return frozenset({*declared, *(name[0] for name in declared), "Cn", "LC"})


def _canonical(name: str) -> str:
    """Return *name* as Go looks it up: first letter upper case, the rest lower case, no separators; ASCII only."""
    bare = name.translate(_BETWEEN_WORDS)
    return bare[:1].translate(_TO_UPPER) + bare[1:].translate(_TO_LOWER)


_BETWEEN_WORDS: Final = dict.fromkeys(map(ord, "_- "))
_UPPER: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TO_UPPER: Final = str.maketrans(_UPPER.lower(), _UPPER)
_TO_LOWER: Final = str.maketrans(_UPPER, _UPPER.lower())


def _runes(steps: str) -> RuneSet:
    """Return a set from the base-36 lengths of its runs and the gaps before them."""
    bounds = list(itertools.accumulate(int(step, 36) for step in steps.split()))
    return tuple((first, after - 1) for first, after in zip(bounds[::2], bounds[1::2], strict=True))


@functools.cache
def _following() -> Mapping[int, int]:
    """Return the next case variant of each cased code point; the variants form a cycle."""
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
    """Return the data file, which `tools/oracle/reference/classes` prints from Go's own tables."""
    text = resources.files(__package__).joinpath("unicodeclasses.json").read_text("utf-8")
    content: Mapping[str, Any] = json.loads(text)
    return content
