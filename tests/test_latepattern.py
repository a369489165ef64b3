"""Patterns that are compiled when they are first used."""

import re

import pytest

from pytest_crd.latepattern import compile_late

_COMPILE = re.compile


def test_it_is_compiled_when_it_is_first_used_and_not_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def compile_pattern(pattern: str, flags: int) -> re.Pattern[str]:
        compiled.append(pattern)
        return _COMPILE(pattern, flags)

    monkeypatch.setattr(re, "compile", compile_pattern)
    late = compile_late("a+", re.IGNORECASE)
    assert compiled == []
    assert late.fullmatch("aA") is not None
    assert late.fullmatch("ab") is None
    assert compiled == ["a+"]


def test_it_has_what_a_pattern_has() -> None:
    late = compile_late(rb"(?P<word>\w+)")
    assert (late.groups, dict(late.groupindex), late.flags) == (1, {"word": 1}, 0)
    assert late.sub(b"x", b"a b") == b"x x"


def test_a_mistake_is_told_when_it_is_used() -> None:
    late = compile_late("(")
    with pytest.raises(re.error):
        late.search("")
