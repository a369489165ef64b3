"""
Compare the engine with Go's regexp on patterns: which are rejected, with which messages, and which texts match.

`--go` downloads and uses another Go version. Every Unicode class is compared in full, with and without case folding. A
seed repeats a run. It stops at the twentieth difference.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from oracle.servers import programs
from pytest_crd.engine.golang.regexp import patterns, unicodeclasses
from pytest_crd.engine.golang.release import GoRelease

_LITERALS: Final = (
    "a",
    "b",
    "k",
    "K",
    "\u017f",
    "\u212a",
    "\u00e9",
    "\u03b9",
    "\u0345",
    "-",
    "1",
    " ",
    "\n",
    "_",
    "/",
    "\U0001f600",
)
_CLASSES: Final = (
    *(rf"\{letter}" for letter in "dDsSwW"),
    *(f"[[:{name}:]]" for name in ("alpha", "^digit", "space", "print", "nope", "word")),
    *(
        rf"\p{name}"
        for name in (
            "L",
            "Lu",
            "{Lu}",
            "{^Ll}",
            "{Letter}",
            "{greek}",
            "{Greek}",
            "{Phags_Pa}",
            "{PhagsPa}",
            "{LC}",
            "{Cn}",
            "N",
            "{",
            "",
        )
    ),
    *(
        rf"\P{name}"
        for name in ("L", "{Ll}", "{Any}", "{ASCII}", "{assigned}", "{C}", "{Old_Italic}", "{cased-letter}")
    ),
    *(
        "[a-k]",
        "[^a-k]",
        "[]a]",
        "[^]a]",
        "[a-",
        "[z-a]",
        "[-a]",
        "[a-]",
        r"[\pLu\d-]",
        r"[^\PL\x{61}-\x{7a}]",
        "[^\\x00-\\x{10FFFF}]",
        "[[:alpha:]-z]",
    ),
)
_ESCAPES: Final = (
    r"\.",
    r"\-",
    r"\_",
    r"\n",
    r"\x41",
    r"\x{1F600}",
    r"\x{}",
    r"\x{110000}",
    r"\x4",
    r"\x",
    r"\07",
    r"\101",
    r"\1",
    r"\8",
    r"\e",
    r"\Qa.b\E",
    r"\Q*",
    r"\E",
    "\\",
)
_ANCHORS: Final = ("^", "$", r"\A", r"\z", r"\Z", r"\b", r"\B", r"\C", ".")
_OPENERS: Final = (
    *(
        "(",
        "(",
        "(?:",
        "(?i:",
        "(?i)",
        "(?-i)",
        "(?s)",
        "(?m)",
        "(?U)",
        "(?i-s:",
        "(?-:",
        "(?i-)",
        "(?P<n>",
        "(?<n>",
        "(?P<n",
        "(?<",
        "(?P<",
    ),
    *("(?<=a)", "(?=a)", "(?!a)", "(?P=n)", "(?P<n-x>", "(?<\u00e9>", "(?", "(?i", "(?x)", "(?ims-U:", "(?--i)"),
)
_REPETITIONS: Final = (
    "*",
    "+",
    "?",
    "*?",
    "{2}",
    "{2,}",
    "{0}",
    "{0,}",
    "{,2}",
    "{01}",
    "{1,2}?",
    "{3,1}",
    "{1001}",
    "{40}",
    "{99999999999}",
    "**",
    "{2}{3}",
    "{",
)
_TEXTS: Final = (
    "",
    "a",
    "k",
    "K",
    "\u212a",
    "\u017f",
    "ab",
    "a\u00e9a",
    "\n",
    "a\nb",
    "1",
    "-",
    "\u0345\u03b9",
    "\U0001f600",
    "a.b",
    "\u1e9e\u00df",
    "aaaa bbbb",
    "\u0e01\u2fe0",
)
_ENOUGH: Final = 20


def generate(chance: random.Random, depth: int = 3) -> str:
    """Return a random pattern, valid more often than not."""
    pieces: list[str] = []
    for _ in range(chance.randint(1, 4)):
        piece = chance.choice(chance.choices((_LITERALS, _CLASSES, _ESCAPES, _ANCHORS), (6, 4, 2, 2))[0])
        if depth and chance.random() < 0.3:
            closer = ")" if chance.random() < 0.95 else ""
            piece = (
                chance.choice(_OPENERS[:8] if chance.random() < 0.8 else _OPENERS)
                + generate(chance, depth - 1)
                + closer
            )
        if chance.random() < 0.3:
            piece += chance.choice(_REPETITIONS[:6] if chance.random() < 0.8 else _REPETITIONS)
        pieces.append(piece)
        if chance.random() < 0.1:
            pieces.append("|")
    if chance.random() < 0.1:
        position = chance.randrange(len(pieces) + 1)
        pieces.insert(position, chance.choice((*_OPENERS, *_REPETITIONS, ")", "|", "[")))
    return "".join(pieces)


def nested(chance: random.Random) -> str:
    """Return a pattern with about as many nested groups as Go allows."""
    inner, depth = (
        chance.choice(("a", "ab", "a|b", "ab|c", r"\pL", "")),
        chance.choice((498, 499, 500, 998, 999, 1000, 1001)),
    )
    opener, closer = chance.choice((("(", ")"), ("(x", ")"), ("(?:", ")"), ("(", ")*"), ("(?:", ")*"), ("(?:x", ")")))
    return opener * depth + inner + closer * depth


def questions(chance: random.Random, count: int) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield *count* patterns and then every Unicode class, each with texts to match."""
    for number in range(count):
        yield (nested(chance) if number % 500 == 0 else generate(chance)), _TEXTS
    content = unicodeclasses._content()
    names = (
        *content["categories"],
        *content["scripts"],
        *content["aliases"],
        *"CLMNPSZ",
        "Cn",
        "LC",
        "Any",
        "ASCII",
        "Assigned",
    )
    for name, fold, sign in itertools.product(names, (False, True), "pP"):
        yield f"{'(?i)' if fold else ''}\\{sign}{{{name}}}", boundary_characters(name, chance, fold=fold)
    for first in range(0, 0x3000, 16):
        chars = range(first, first + 16, 3)
        yield (
            "(?i)^[" + "".join(f"\\x{{{char:x}}}" for char in chars) + "]$",
            [*map(chr, range(first, first + 64)), *_TEXTS],
        )


def boundary_characters(name: str, chance: random.Random, *, fold: bool) -> Sequence[str]:
    """Return the characters around every bound of a class, and some random ones."""
    bounds = {
        char for first, last in unicodeclasses.find_class(name, loosely=True, fold=fold) or () for char in (first, last)
    }
    chars = {char + step for char in bounds for step in (-1, 0, 1)} | {chance.randrange(0x110000) for _ in range(200)}
    return [chr(char) for char in sorted(chars) if 0 <= char < 0xD800 or 0xE000 <= char < 0x110000]


def engine_answer(pattern: str, texts: Sequence[str], go: GoRelease) -> dict[str, Any]:
    """Return the engine's answer in the form of the reference."""
    if problem := patterns.find_problem(pattern, go):
        return {"problem": problem, "matches": []}
    matches = patterns.compile(pattern, go)
    return {"problem": "", "matches": [matches(text) for text in texts]}


def reference(version: str) -> Path:
    """Return the path of the program that runs the regexp of a Go *version*, or of the installed Go if it is empty."""
    if version:
        os.environ["GOTOOLCHAIN"] = version
    return programs.build(f"patterns-{version or 'go'}", programs.REFERENCE, "-modfile=k8s-1.21.mod", "./patterns")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the count, the seed and the Go version."""
    parser.add_argument("--patterns", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--go", default="", metavar="VERSION", help="compare with this Go: go1.24.5")


def main(options: argparse.Namespace) -> int:
    """Compare until the twentieth difference; return 1 if there is one."""
    is_older = bool(options.go) and tuple(map(int, options.go.removeprefix("go").split(".")))[:2] < (1, 25)
    go = GoRelease(has_loose_class_names=not is_older)
    differences = count = 0
    program = subprocess.Popen([reference(options.go)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with (
        program,
        program.stdin or contextlib.nullcontext(sys.stdin) as requests,
        program.stdout or sys.stdin as answers,
    ):
        for pattern, texts in questions(random.Random(options.seed), options.patterns):  # noqa: S311 - nothing secret
            print(json.dumps({"pattern": pattern, "texts": texts}), file=requests, flush=True)
            expected, actual = json.loads(answers.readline()), engine_answer(pattern, texts, go)
            count += 1
            if expected == actual:
                continue
            differences += 1
            pairs = itertools.zip_longest(texts, expected["matches"], actual["matches"])
            differing = [text for text, *both in pairs if both[0] != both[1]]
            print(
                f"{pattern!r}\n  Go:     {expected['problem']}\n  engine: {actual['problem']}\n  texts:  {differing[:5]!r}"
            )
            if differences == _ENOUGH:
                break
    print(f"{count} patterns, seed {options.seed}: {differences} differences")
    return min(differences, 1)
