"""Parser of classes and escapes in patterns, as Go's regexp reads them."""

from __future__ import annotations

from typing import Final, NamedTuple

from pytest_crd.engine.golang.regexp import runesets, unicodeclasses
from pytest_crd.engine.golang.regexp.patterntree import PatternError
from pytest_crd.engine.golang.regexp.runesets import RuneSet

_INVALID_ESCAPE: Final = "invalid escape sequence"
_INVALID_RANGE: Final = "invalid character class range"
_MISSING_BRACKET: Final = "missing closing ]"

_DIGITS: Final = ((0x30, 0x39),)
_UPPER: Final = ((0x41, 0x5A),)
_LOWER: Final = ((0x61, 0x7A),)
_ALPHA: Final = (*_UPPER, *_LOWER)
WORD: Final = runesets.union((*_DIGITS, *_ALPHA, (0x5F, 0x5F)))
_PERL: Final[dict[str, RuneSet]] = {
    "d": _DIGITS,
    "s": ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)),
    "w": WORD,
}
_POSIX: Final[dict[str, RuneSet]] = {
    "alnum": (*_DIGITS, *_ALPHA),
    "alpha": _ALPHA,
    "ascii": ((0, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "digit": _DIGITS,
    "graph": ((0x21, 0x7E),),
    "lower": _LOWER,
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": _UPPER,
    "word": WORD,
    "xdigit": (*_DIGITS, (0x41, 0x46), (0x61, 0x66)),
}
_CONTROLS: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_OCTAL: Final = "01234567"
_OCTAL_DIGITS: Final = 3
_HEX: Final = "0123456789abcdefABCDEF"


class Classes(NamedTuple):
    r"""
    Parser of escapes and bracketed classes in one pattern.

    Attributes:
        pattern: The whole pattern.
        loosely: Look up the names in `\p{…}` in any spelling.
    """

    pattern: str
    loosely: bool

    def escaped(self, at: int, *, fold: bool) -> tuple[RuneSet, int] | None:
        r"""
        Return the class of the escape at *at* (`\d`, `\pL`) and its end; None if the escape is not a class.

        Raises:
            PatternError: Go does not have the Unicode class.
        """
        kind = self.pattern[at + 1 : at + 2]
        if kind.lower() == "p":
            return self._unicode(at, fold=fold)
        runes = _PERL.get(kind.lower())
        return None if runes is None else (_signed(runes, negative=kind.isupper(), fold=fold), at + 2)

    def bracketed(self, start: int, *, fold: bool) -> tuple[RuneSet, int]:
        """
        Return the class that begins with the bracket at *start*, and its end.

        Raises:
            PatternError: The class is incomplete or invalid.
        """
        at = start + 1
        negative = self.pattern.startswith("^", at)
        at += negative
        first = at
        runs: list[tuple[int, int]] = []
        while not self.pattern.startswith("]", at) or at == first:
            if named := self._named(at, fold=fold):
                runes, at = named
            else:
                run, at = self._run(at, start)
                runes = unicodeclasses.fold_case((run,)) if fold else (run,)
            runs += runes
        runes = runesets.union(runs)
        return (runesets.negate(runes) if negative else runes), at + 1

    def char(self, at: int) -> tuple[int, int]:
        """
        Return the code point of the escape at *at*, and its end.

        Raises:
            PatternError: There is no such escape.
        """
        kind = self.pattern[at + 1 : at + 2]
        if not kind:
            raise PatternError("trailing backslash at end of expression", "")
        if kind == "x":
            return self._hexadecimal(at)
        if kind in _OCTAL:
            return self._octal(at)
        if kind in _CONTROLS:
            return _CONTROLS[kind], at + 2
        if kind.isascii() and not kind.isalnum():
            return ord(kind), at + 2
        raise PatternError(_INVALID_ESCAPE, self.pattern[at : at + 2])

    def _named(self, at: int, *, fold: bool) -> tuple[RuneSet, int] | None:
        r"""Return the named class (`[:alpha:]`, `\d`) at *at* inside brackets and its end; None without a class."""
        if self.pattern.startswith("[:", at) and (end := self.pattern.find(":]", at + 2)) >= 0:
            name = self.pattern[at + 2 : end]
            runes = _POSIX.get(name.removeprefix("^"))
            if runes is None:
                raise PatternError(_INVALID_RANGE, self.pattern[at : end + 2])
            return _signed(runes, negative=name.startswith("^"), fold=fold), end + 2
        return self.escaped(at, fold=fold) if self.pattern.startswith("\\", at) else None

    def _run(self, begin: int, bracket: int) -> tuple[tuple[int, int], int]:
        """Return the run of code points at *begin* inside brackets, a single one or a range, and its end."""
        first, at = self._char_between_brackets(begin, bracket)
        last = first
        if self.pattern.startswith("-", at) and self.pattern[at + 1 : at + 2] not in ("", "]"):
            last, at = self._char_between_brackets(at + 1, bracket)
            if last < first:
                raise PatternError(_INVALID_RANGE, self.pattern[begin:at])
        return (first, last), at

    def _char_between_brackets(self, at: int, bracket: int) -> tuple[int, int]:
        if at == len(self.pattern):
            raise PatternError(_MISSING_BRACKET, self.pattern[bracket:])
        return self.char(at) if self.pattern[at] == "\\" else (ord(self.pattern[at]), at + 1)

    def _unicode(self, at: int, *, fold: bool) -> tuple[RuneSet, int]:
        r"""Return the class of `\p` or `\P` at *at*, and its end."""
        begin = at + 2
        if not self.pattern.startswith("{", begin):
            end, name = begin + 1, self.pattern[begin : begin + 1]
        elif (brace := self.pattern.find("}", at)) >= 0:
            end, name = brace + 1, self.pattern[begin + 1 : brace]
        else:
            raise PatternError(_INVALID_RANGE, self.pattern[at:])
        negative = (self.pattern[at + 1] == "P") is not name.startswith("^")
        runes = unicodeclasses.find_class(name.removeprefix("^"), loosely=self.loosely, fold=fold)
        if runes is None:
            raise PatternError(_INVALID_RANGE, self.pattern[at:end])
        return (runesets.negate(runes) if negative else runes), end

    def _octal(self, at: int) -> tuple[int, int]:
        """Return the code point of up to three octal digits and its end; a single non-zero digit is refused."""
        end = begin = at + 1
        while end < begin + _OCTAL_DIGITS and self.pattern[end : end + 1] in tuple(_OCTAL):
            end += 1
        if self.pattern[begin] != "0" and end == begin + 1:
            raise PatternError(_INVALID_ESCAPE, self.pattern[at:end])
        return int(self.pattern[begin:end], 8), end

    def _hexadecimal(self, at: int) -> tuple[int, int]:
        begin = at + 2
        if not self.pattern.startswith("{", begin):
            end = begin + 2
            digits = self.pattern[begin:end]
            if len(digits) < 2 or not all(digit in _HEX for digit in digits):
                raise PatternError(_INVALID_ESCAPE, self.pattern[at:end])
            return int(digits, 16), end
        value = 0
        for end in range(begin + 1, len(self.pattern)):
            digit = self.pattern[end]
            if digit == "}" and end > begin + 1:
                return value, end + 1
            value = value * 16 + int(digit, 16) if digit in _HEX else runesets.LAST + 1
            if value > runesets.LAST:
                raise PatternError(_INVALID_ESCAPE, self.pattern[at : end + 1])
        raise PatternError(_INVALID_ESCAPE, self.pattern[at:])


def _signed(runes: RuneSet, *, negative: bool, fold: bool) -> RuneSet:
    folded = unicodeclasses.fold_case(runes) if fold else runes
    return runesets.negate(folded) if negative else folded
