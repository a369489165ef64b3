"""
Variants of a pattern: a range of a class without its last character, a repetition that ends earlier, or a missing anchor.

A text for which a pattern and its variant have the same result does not show that this place of the pattern matters.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Container, Iterator, Sequence
from typing import Final

from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.synthesis import textsearch
from pytest_crd.synthesis.textsearch import Lengths

# Escapes, classes, repetitions, groups with flags or names, other characters.
_TOKENS: Final = re.compile(
    r"(?P<escape>\\(?:[pP]\{\w+\}|x\{\w+\}|.))"
    r"|(?P<chars>\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*+\]?)"
    r"|(?P<repeat>(?:[*+?]|\{\d+(?:,\d*)?\})\??)"
    r"|(?P<group>\(\?(?:P?<\w+>|[a-zA-Z-]*:?))"
    r"|(?P<other>.)",
    re.DOTALL,
)
_RANGE: Final = re.compile(r"(?<!\\)([0-9A-Za-z])-([0-9A-Za-z])")
# The budget of a search for texts; a pattern has many variants.
_STEPS: Final = 20_000
# A comparison of each variant of a long pattern would take seconds.
_MOST_VARIANTS: Final = 32
_ANY_LENGTH: Final = Lengths()
_COUNTED: Final = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")


@functools.lru_cache(maxsize=1024)
def find_variants(pattern: str, lengths: Lengths = _ANY_LENGTH) -> tuple[str, ...]:
    """Return the variants of *pattern* that differ from it for a text of *lengths*, without duplicates; none of a pattern with too many."""
    candidates = dict.fromkeys(variant for variant in _vary(pattern) if variant != pattern)
    if len(candidates) > _MOST_VARIANTS:
        return ()
    return tuple(variant for variant in candidates if find_text(pattern, variant, lengths) is not None)


@functools.lru_cache(maxsize=4096)
def find_text(pattern: str, variant: str, lengths: Lengths = _ANY_LENGTH) -> str | None:
    """Return a text that only one of two patterns matches, preferably the first; None if the search fails."""
    for matched, unmatched in ((pattern, variant), (variant, pattern)):
        if texts := textsearch.find_texts([matched], [unmatched], lengths=lengths, steps=_STEPS).texts:
            return texts[0]
    return None


def choose_texts(pattern: str, known: Sequence[str], lengths: Lengths = _ANY_LENGTH) -> Iterator[str]:
    """Yield few texts that tell *pattern* from all variants; *known* texts tell it from some variants already."""
    is_match = patterns.compile(pattern)
    varied = {variant: patterns.compile(variant) for variant in find_variants(pattern, lengths)}

    def tell_apart(text: str) -> set[str]:
        return {variant for variant, matches in varied.items() if matches(text) is not is_match(text)}

    waiting = {*varied}.difference(*map(tell_apart, known))
    single = (find_text(pattern, variant, lengths) for variant in varied if variant in waiting)
    texts = {
        text: tell_apart(text) for text in (*_combined_texts(pattern, waiting, lengths), *single) if text is not None
    }
    while waiting and texts:
        text = max(texts, key=lambda item: len(texts[item] & waiting))
        waiting -= texts.pop(text)
        yield text


def _combined_texts(pattern: str, wanted: Container[str], lengths: Lengths) -> Iterator[str]:
    """Yield texts that match *pattern* and as few as possible of the *wanted* variants; ranges of one class are in different texts."""
    by_rank: dict[int, list[str]] = {}
    for token in _TOKENS.finditer(pattern):
        for rank, variant in enumerate(_vary_token(pattern, token)):
            if variant in wanted:
                by_rank.setdefault(rank, []).append(variant)
    groups = [*by_rank.values()]
    while groups:
        group = groups.pop()
        if texts := textsearch.find_texts([pattern], group, lengths=lengths, steps=_STEPS).texts:
            yield texts[0]
        elif len(group) > 1:
            middle = len(group) // 2
            groups += [group[:middle], group[middle:]]


def _vary(pattern: str) -> Iterator[str]:
    for token in _TOKENS.finditer(pattern):
        yield from _vary_token(pattern, token)


def _vary_token(pattern: str, token: re.Match[str]) -> Iterator[str]:
    before, text, after = pattern[: token.start()], token[0], pattern[token.end() :]
    yield from (f"{before}{other}{after}" for other in _replacements(token.lastgroup or "", text))
    if (text == "^" and not before) or (text == "$" and not after):
        yield f"{before}{after}"


def _replacements(kind: str, text: str) -> Iterator[str]:
    """Yield the other texts of a token."""
    if kind == "chars":
        for found in _RANGE.finditer(text):
            first, last = found[1], found[2]
            if first < last:
                yield f"{text[: found.start()]}{first}-{chr(ord(last) - 1)}{text[found.end() :]}"
    elif kind == "repeat":
        yield from _other_repetitions(text)


def _other_repetitions(text: str) -> Iterator[str]:
    """Yield the repetition with a lower maximum, or with a higher minimum if there is only one number."""
    counted = _COUNTED.match(text)
    if counted is None:
        yield {"*": "?", "+": "{1}", "?": "{0}"}[text[0]]
        return
    least, most = int(counted[1]), counted[3]
    if not counted[2]:
        yield f"{{{least + 1}}}"
    elif not most:
        yield f"{{{least}}}"
    elif int(most) > max(least, 1):
        yield f"{{{least},{int(most) - 1}}}"
