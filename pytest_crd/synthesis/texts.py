"""Texts that a schema may accept: by format, by length and by pattern."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.synthesis import matchingtexts, textsearch
from pytest_crd.synthesis.textsearch import Lengths

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = "0123456789"
LONGEST: Final = 2**20 + 1
"""The length of the longest texts; longer ones, which hardly fit into a request, are made only if the schema requires them."""
_LONGEST_OF_PATTERN: Final = 100_000
_MOST: Final = 40
# The number of texts to vary for lists with many items.
_MOST_VARIED: Final = 3

# Distinct texts of each format that the server knows; as in the server, the names are compared without dashes.
FORMATS: Final = {
    "bsonobjectid": ("507f1f77bcf86cd799439011", "507f1f77bcf86cd799439012"),
    "byte": ("YQ==", "Yg==", "Yw=="),
    "cidr": ("10.0.0.0/8", "10.1.0.0/16", "2001:db8::/32"),
    "creditcard": ("4111111111111111", "4012888888881881"),
    "date": ("2024-01-31", "2024-02-29", "1970-01-01"),
    "datetime": ("2024-01-31T12:00:00Z", "2024-02-29T12:00:00Z", "1970-01-01T00:00:00Z"),
    "duration": ("1h", "1m", "1s", "24h"),
    "email": ("a@example.com", "b@example.com"),
    "hexcolor": ("#000000", "#ffffff"),
    "hostname": ("example.com", "a.example.com", "b.example.com"),
    "ipv4": ("10.0.0.1", "10.0.0.2", "10.0.0.3"),
    "ipv6": ("2001:db8::1", "2001:db8::2", "2001:db8::3"),
    "isbn": ("9780306406157", "0306406152"),
    "isbn10": ("0306406152", "0198526636"),
    "isbn13": ("9780306406157", "9780198526636"),
    "k8slongname": ("example.com", "a.example.com"),
    "k8sshortname": ("a", "b", "c"),
    "mac": ("00:00:5e:00:53:01", "00:00:5e:00:53:02"),
    "password": ("a", "b"),
    "rgbcolor": ("rgb(0, 0, 0)", "rgb(1, 1, 1)"),
    "ssn": ("078-05-1120", "078-05-1121"),
    "uri": ("https://example.com", "https://example.com/a", "/a"),
    "uuid": (
        *("123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174001"),
        "123e4567-e89b-12d3-a456-426614174000",
    ),
    "uuid3": ("123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-32d3-a456-426614174001"),
    "uuid4": ("123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174001"),
    "uuid5": ("123e4567-e89b-52d3-a456-426614174000", "123e4567-e89b-52d3-a456-426614174001"),
}
# Common kinds of texts, tried if no format or pattern is declared, and for rules that cannot be analysed.
USUAL: Final = (
    "example.com",
    "a.example.com",
    "1",
    "1Gi",
    "1h",
    "v1",
    "https://example.com",
    "10.0.0.1",
    "10.0.0.0/8",
    "1.0.0",
    "A",
)


@dataclass(frozen=True, slots=True)
class TextDemand:
    """
    The demand on a text.

    Attributes:
        format: The format; may be empty.
        patterns: Patterns that must all match.
        least: The minimum number of characters.
        most: The maximum; None if unlimited.
    """

    format: str = ""
    patterns: tuple[str, ...] = ()
    least: int = 0
    most: int | None = None

    def fits(self, text: str) -> bool:
        """Return True if the length of *text* is allowed."""
        return self.least <= len(text) and (self.most is None or len(text) <= self.most)

    def matches(self, text: str) -> bool:
        """Return True if the length of *text* is allowed, and all patterns match."""
        return self.fits(text) and all(patterns.compile(pattern)(text) for pattern in self.patterns)


@functools.lru_cache(maxsize=1024)
def find_texts(demand: TextDemand) -> tuple[str, ...]:
    """Return candidate texts without duplicates, simple ones first; they are not matched against the patterns."""
    fitting = dict.fromkeys(text for text in itertools.islice(_all(demand), 10 * _MOST) if demand.fits(text))
    return tuple(itertools.islice(fitting, _MOST))


def find_distinct(demand: TextDemand, count: int) -> Sequence[str]:
    """Return *count* texts for the items of a list, which differ in a few letters or digits; empty if none are found."""
    if demand.format.replace("-", "") in FORMATS:
        return ()
    matching = sorted(filter(demand.matches, find_texts(demand)), key=len)[:_MOST_VARIED]
    for text, characters in itertools.product(matching, (_LETTERS, _DIGITS)):
        size = next(size for size in itertools.count(1) if len(characters) ** size >= count)
        for end, replaced in itertools.product(range(len(text), -1, -1), (0, size)):
            head, tail = text[: max(end - replaced, 0)], text[end:]
            numbers = itertools.islice(itertools.product(characters, repeat=size), count)
            varied = [f"{head}{''.join(number)}{tail}" for number in numbers]
            if all(map(demand.matches, varied)):
                return varied
    return ()


def find_texts_of_length(demand: TextDemand, length: int) -> Iterator[str]:
    """Yield candidate texts of *length* characters."""
    if length > LONGEST and length > demand.least:
        return
    for pattern in demand.patterns:
        text = matchingtexts.find_text_of_length(pattern, length)
        if text is not None:
            yield text
    for text in FORMATS.get(demand.format.replace("-", ""), ()):
        if len(text) == length:
            yield text
    yield from (char * length for char in "a1")


def _all(demand: TextDemand) -> Iterator[str]:
    formatted = FORMATS.get(demand.format.replace("-", ""), ())
    yield from formatted
    if len(demand.patterns) > 1:
        yield from textsearch.find_texts(demand.patterns, lengths=Lengths(demand.least, demand.most), wanted=3).texts
    of_patterns = [_find_pattern_texts(pattern, demand) for pattern in demand.patterns]
    yield from itertools.chain.from_iterable(_interleave(of_patterns))
    if not formatted and not demand.patterns:
        plain = _plain(max(demand.least, 1))
        yield from itertools.islice(plain, 3)
        yield from USUAL
        yield from plain


def _find_pattern_texts(pattern: str, demand: TextDemand) -> Iterator[str]:
    """Yield texts for *pattern*: texts of the demanded lengths first, then the shortest ones."""
    shortest = matchingtexts.texts(pattern)
    if demand.least > 1 or demand.most is not None:
        lengths = (demand.least, demand.least + 1, demand.most or demand.least)
        yield from (text for length in dict.fromkeys(lengths) if (text := _padded(pattern, length)) is not None)
    yield from shortest


def _padded(pattern: str, length: int) -> str | None:
    return matchingtexts.stretch_text(pattern, length) if 0 < length <= _LONGEST_OF_PATTERN else None


def _plain(length: int) -> Iterator[str]:
    for index, char in enumerate(_LETTERS):
        yield char * length if index == 0 or length == 1 else "a" * (length - 1) + char


def _interleave(iterators: Iterable[Iterator[str]]) -> Iterator[list[str]]:
    """Yield the next text of each iterator, round by round."""
    for texts in itertools.zip_longest(*iterators):
        yield [text for text in texts if text is not None]
