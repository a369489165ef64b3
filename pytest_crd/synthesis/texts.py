"""Texts that a schema may ask for: of a format, of a length, matching patterns."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pytest_crd.synthesis import matchingtexts, textsearch
from pytest_crd.synthesis.textsearch import Lengths

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
# From here on a text is only made where a schema asks for no fewer characters.
_LONGEST_MADE: Final = 100_000
_MOST: Final = 40

# Of each format that a server knows, texts that differ; names as the server compares them, without dashes.
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
# What texts with a meaning look like: tried where nothing says which one is asked for, and by rules that are read no further.
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
    What is asked of a text.

    Attributes:
        format: Its format; may be empty.
        patterns: Patterns that all have to match.
        least: The least number of characters.
        most: The greatest; None where nothing limits it.
    """

    format: str = ""
    patterns: tuple[str, ...] = ()
    least: int = 0
    most: int | None = None

    def fits(self, text: str) -> bool:
        """Return whether the length of *text* is as asked for."""
        return self.least <= len(text) and (self.most is None or len(text) <= self.most)


@functools.lru_cache(maxsize=1024)
def find(demand: TextDemand) -> tuple[str, ...]:
    """Return texts that may be what is asked for, the plainest first, each once; patterns are not tried on them."""
    found = dict.fromkeys(text for text in itertools.islice(_all(demand), 10 * _MOST) if demand.fits(text))
    return tuple(itertools.islice(found, _MOST))


def of_length(demand: TextDemand, length: int) -> Iterator[str]:
    """Yield texts of *length* characters that may be what is asked for otherwise."""
    if length > _LONGEST_MADE and length > demand.least:
        return
    for pattern in demand.patterns:
        text = matchingtexts.of_length(pattern, length)
        if text is not None:
            yield text
    for text in FORMATS.get(demand.format.replace("-", ""), ()):
        if len(text) == length:
            yield text
    yield from (char * length for char in "a1")


def _all(demand: TextDemand) -> Iterator[str]:
    known = FORMATS.get(demand.format.replace("-", ""), ())
    yield from known
    if len(demand.patterns) > 1:
        yield from textsearch.find(demand.patterns, lengths=Lengths(demand.least, demand.most), wanted=3).texts
    of_patterns = [_of_pattern(pattern, demand) for pattern in demand.patterns]
    yield from itertools.chain.from_iterable(_in_turn(of_patterns))
    if not known and not demand.patterns:
        plain = _plain(max(demand.least, 1))
        yield from itertools.islice(plain, 3)
        yield from USUAL
        yield from plain


def _of_pattern(pattern: str, demand: TextDemand) -> Iterator[str]:
    """Yield texts for *pattern*: as they are, and at least as long as they have to be."""
    found = matchingtexts.texts(pattern)
    if demand.least > 1 or demand.most is not None:
        lengths = (demand.least, demand.least + 1, demand.most or demand.least)
        yield from (text for length in dict.fromkeys(lengths) if (text := _padded(pattern, length)) is not None)
    yield from found


def _padded(pattern: str, length: int) -> str | None:
    return matchingtexts.stretched(pattern, length) if 0 < length <= _LONGEST_MADE else None


def _plain(length: int) -> Iterator[str]:
    for index, char in enumerate(_LETTERS):
        yield char * length if index == 0 or length == 1 else "a" * (length - 1) + char


def _in_turn(iterators: Iterable[Iterator[str]]) -> Iterator[list[str]]:
    """Yield the next text of each iterator, round by round."""
    for texts in itertools.zip_longest(*iterators):
        yield [text for text in texts if text is not None]
