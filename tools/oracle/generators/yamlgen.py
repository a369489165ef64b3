"""YAML and JSON documents for `fuzz yaml`: odd but well-formed ones, and ones with some changed characters."""

from __future__ import annotations

import random
from typing import Final

_TAGS_TEXT: Final = (
    "!x ! !!str !!int !!float !!bool !!null !!binary !!timestamp !!merge !!map !!seq !!set !!omap "
    "!!python/none !<!> !<tag:yaml.org,2002:int> !<x> !a!b !e!x"
)

_WORDS_TEXT: Final = (
    "a b c x y n on off yes No true FALSE null ~ Null << = 1 0 -1 +1 1.0 -0 -0.0 0.5 .5 -.5 +.5 5. "
    "1e3 1E3 1.5e3 1e+3 12e03 1e-7 1.e3 1_e3 1_0e2 1e400 -1e400 1e18 1e21 1e20 1:30 190:20:30 0777 "
    "014 0o14 0O14 0b11 0B11 0b-1 0b+1 0b-0 -0b1 0x1f 0X1F -0x1f +0x1f 08 089 0_8 1_000 1__0 0x_1F "
    "1_0.5 .6_1 ._6 .6_ .6__1 0x 0b 0o 00 0_ + - . .. -. _1 1_ 9223372036854775807 "
    "9223372036854775808 -9223372036854775808 -9223372036854775809 18446744073709551615 "
    "18446744073709551616 0xffffffffffffffff 0x8000000000000000 +18446744073709551615 "
    "9007199254740993.0 9223372036854774784.0 -9223372036854775808.0 123456789012345680000.0 1e22 "
    "123456789.5 .inf -.inf +.Inf .nan .NaN inf nan 2001-01-01 2001-02-30 "
    "2001-12-14t21:59:43.10-05:00 2001-1-1 tRue nuLL oN 8777500331.07 0.1 1.5 100000.0 1000000.5 "
    "1e-5 3.4e38 3.5e38 1e-46 a:b a#b #c *a &a !x @x `x %x |x >x -x ?x :x x: ,x ]x {x} [x] - ? : "
    "http://a/b:c \xe9 \U0001f600 \u2028 \x85 \ufeff \x00 \x07 \t a\tb 'q' \"q\" --- ... ---x ${a} aGk= ==== "
)


class Generator:
    """A generator of well-formed documents and of documents with some changed characters."""

    words: Final = tuple(_WORDS_TEXT.split(" "))
    tags: Final = tuple(_TAGS_TEXT.split(" "))
    plain: Final = [
        word
        for word in words
        if word
        and set(word) <= set("abcdefghijklmnopqrstuvwxyzABCDEFNULOTX0123456789+-._~=")
        and word[:3] not in ("---", "...", "-", "nan")
    ]
    special: Final = "\n\n  \t\r:-?[]{},#&*!|>'\"%@`~<=.0123456789eExXoOyn_+/\\\x00\ufeff\u2028\x85é😀a"

    def __init__(self, seed: int) -> None:
        """Take the seed of a repeatable run."""
        self.random = random.Random(seed)  # noqa: S311 - has to be repeatable
        # A calm document is meant to be accepted: odd content in ordinary syntax.
        self.calm = False
        self.anchors: set[str] = set()

    def document(self) -> bytes:
        """Return one document."""
        self.calm = self.random.random() < 0.5
        self.anchors.clear()
        roll = self.random.random()
        text = self.json(0) if roll < 0.12 else self.stream() if roll < 0.25 else self.node(0, 0)
        if roll < 0.02:
            text += self.random.choice(["", " ", "\n"]) + self.random.choice(
                [self.json(0), self.node(0, 0), "---\na: 1"]
            )
        if not self.calm and self.random.random() < 0.5:
            text = self.mutated(text)
        if self.random.random() < 0.03:
            text = text.replace("\n", self.random.choice(["\r\n", "\r", "\n\n", "\u2028"]))
        data = text.encode(errors="surrogatepass")
        roll = self.random.random()
        if roll < 0.01:
            return b"\xef\xbb\xbf" + data
        if roll < 0.015:
            return text.encode("utf-16", "replace")
        if roll < 0.02 and data:
            position = self.random.randrange(len(data))
            return data[:position] + bytes([self.random.randrange(128, 256)]) + data[position:]
        return data

    def mutated(self, text: str) -> str:
        for _ in range(self.random.choice([1, 1, 2, 3])):
            position = self.random.randint(0, len(text))
            removed = self.random.choice([0, 0, 1, 1, 2])
            added = self.random.choice(self.special) if self.random.random() < 0.7 else ""
            text = text[:position] + added + text[position + removed :]
        return text

    def stream(self) -> str:
        parts = []
        for _ in range(self.random.choice([1, 2, 2, 3])):
            parts.append(
                self.random.choice(
                    [
                        "",
                        "",
                        "---\n",
                        "--- # c\n",
                        "--- ",
                        "---\t",
                        "%YAML 1.1\n---\n",
                        "%YAML 1.2\n---\n",
                        "%TAG !e! tag:e,1:\n---\n",
                        "%FOO x\n---\n",
                        "# c\n",
                        "\n",
                    ]
                )
            )
            parts.append(self.node(0, 0) + "\n")
            parts.append(self.random.choice(["", "", "", "...\n", "---\n", "... # c\n", "---x\n"]))
        return "".join(parts)

    def scalar(self) -> str:
        roll = self.random.random()
        if roll < 0.3:
            return self.random.choice(["a", "b", "c", "some text", "1", "true", "x-y", "a.b/c"])
        if self.calm:
            return self.random.choice(self.plain)
        if roll < 0.8:
            return self.random.choice(self.words)
        if roll < 0.88:
            return "".join(self.random.choices("+-.0123456789_eExXoObB", k=self.random.randint(1, 8)))
        return "".join(self.random.choices("ab :#,-[]{}'\"\\", k=self.random.randint(1, 6))).strip()

    def properties(self) -> str:
        roll = self.random.random()
        if roll < 0.86:
            return ""
        if roll < 0.93:
            self.anchors.add(anchor := self.random.choice("abc"))
            return f"&{anchor} "
        return self.random.choice(self.tags[:2] if self.calm else self.tags) + " "

    def inline(self, depth: int, *, key: bool = False) -> str:  # noqa: PLR0911 - one return for each kind
        roll = self.random.random()
        if roll < 0.06 and not key and (self.anchors or not self.calm):
            return f"*{self.random.choice(sorted(self.anchors) if self.calm else 'abc')}"
        prefix = self.properties()
        if roll < 0.55:
            return prefix + self.scalar()
        if roll < 0.65:
            return prefix + "'" + self.scalar().replace("'", "''") + "'"
        if roll < 0.75:
            return prefix + self.double_quoted()
        if depth > 3 or key:
            return prefix + self.random.choice(["a", "b", "1", "c d"])
        if roll < 0.87:
            return (
                prefix + "[" + self.separated([self.inline(depth + 1) for _ in range(self.random.randint(0, 3))]) + "]"
            )
        pairs = [self.pair(depth) for _ in range(self.random.randint(0, 3))]
        return prefix + "{" + self.separated(pairs) + "}"

    def separated(self, items: list[str]) -> str:
        return self.random.choice([", ", ",", " , ", ",\n ", ", # c\n  "]).join(items) + self.random.choice(
            ["", "", "", ",", " "]
        )

    def pair(self, depth: int) -> str:
        value = self.inline(depth + 1)
        roll = self.random.random()
        if roll < 0.06:
            return (
                "<<: {a: 1}"
                if self.calm
                else f"<<: {self.random.choice(['*a', '*b', '{a: 1}', '[*a, {b: 2}]', '[*a, *b]', value])}"
            )
        if roll < 0.1:
            return f"? {self.inline(depth, key=True)} : {value}"
        if roll < 0.15:
            return self.inline(depth, key=True)
        return self.inline(depth, key=True) + self.random.choice([": ", ": ", ":  ", ":", " : ", ":\t"]) + value

    def double_quoted(self) -> str:
        escapes = [
            "\\n",
            "\\t",
            "\\\\",
            '\\"',
            "\\/",
            "\\x41",
            "\\u00e9",
            "\\ud800",
            "\\U0001f600",
            "\\0",
            "\\ ",
            "\\\n  ",
            "\\q",
            "\\_",
            "\\N",
            "\\e",
            "\\ud83d\\ude00",
        ]
        parts = [
            self.random.choice([self.scalar().replace('"', "").replace("\\", ""), self.random.choice(escapes), " "])
            for _ in range(self.random.randint(0, 3))
        ]
        return '"' + "".join(parts) + '"'

    def block_scalar(self, indent: int) -> str:
        header = (
            self.random.choice("|>")
            + self.random.choice(["", "", "-", "+", "2", "1-", "9"])
            + self.random.choice(["", "", " # c", "#"])
        )
        lines = [
            " " * (indent + self.random.choice([2, 2, 2, 3, 4])) + self.scalar() if self.random.random() < 0.8 else ""
            for _ in range(self.random.randint(0, 4))
        ]
        return header + "\n" + "\n".join(lines)

    def comment(self) -> str:
        return self.random.choice(["", "", "", "", "", " # c", "  #", " #: x"])

    def node(self, indent: int, depth: int) -> str:
        """Return a node that begins in the current line and indents its further lines by *indent*."""
        roll = self.random.random()
        if depth > 3 or roll < 0.15:
            return self.inline(depth) + self.comment()
        pad = " " * indent
        if roll < 0.22:
            return self.properties() + self.block_scalar(indent)
        if roll < 0.45:
            return f"\n{pad}".join("- " + self.node(indent + 2, depth + 1) for _ in range(self.random.randint(1, 3)))
        return f"\n{pad}".join(self.entry(indent, depth) for _ in range(self.random.choice([1, 2, 2, 3, 4])))

    def entry(self, indent: int, depth: int) -> str:
        roll = self.random.random()
        if roll < 0.08:
            return (
                "<<: {x: 1}"
                if self.calm
                else "<<: " + self.random.choice(["*a", "*b", "{a: 1}", "[*a, *b]", "[{a: 1}, *a]", self.inline(depth)])
            )
        pad = " " * (indent + 2)
        if roll < 0.13:
            return f"? {self.node(indent + 2, depth + 1)}\n{' ' * indent}: {self.node(indent + 2, depth + 1)}"
        key = self.random.choice("abc") if self.random.random() < 0.4 else self.inline(depth, key=True)
        colon = self.random.choice([":", ":", ":", ":", " :", ":\t"])
        if roll < 0.5:
            return f"{key}{colon} {self.inline(depth)}{self.comment()}"
        if roll < 0.6:
            return f"{key}{colon} {self.properties()}{self.block_scalar(indent)}"
        if roll < 0.65:
            return f"{key}{colon}{self.comment()}"
        return f"{key}{colon} {self.properties().strip()}{self.comment()}\n{pad}{self.node(indent + 2, depth + 1)}"

    def json(self, depth: int) -> str:
        roll = self.random.random()
        blank = self.random.choice(["", "", " ", "\n", "\t"])
        if depth and (roll < 0.45 or depth > 3):
            return self.random.choice(
                [
                    "1",
                    "-0",
                    "-0.0",
                    "1.0",
                    "1e3",
                    "1E400",
                    "1e-400",
                    "0.5",
                    "9223372036854775807",
                    "9223372036854775808",
                    "-9223372036854775809",
                    "true",
                    "false",
                    "null",
                    "NaN",
                    "-Infinity",
                    '"a"',
                    '"\\ud800"',
                    '"\\ud83d\\ude00"',
                    '"\\udc00\\ud800"',
                    '"\\/"',
                    '"\\u0000"',
                    '"😀"',
                    '"\u2028"',
                    '"\\x41"',
                    '"\t"',
                    "01",
                    "1.",
                    '"a b: c"',
                ]
            )
        if depth and roll < 0.65:
            return "[" + f",{blank}".join(self.json(depth + 1) for _ in range(self.random.randint(0, 3))) + "]"
        keys = ['"a"', '"b"', '"a.b"', '"c"', '"\\u0061"', '"\\ud800"', '"\\udc01"', '""', '"é"', "a", "1", "'a'"]
        pairs = [
            f"{self.random.choice(keys[:9] if self.random.random() < 0.95 else keys)}{blank}:{blank}{self.json(depth + 1)}"
            for _ in range(self.random.randint(0, 3))
        ]
        return "{" + blank + f"{blank},".join(pairs) + blank + "}" + self.random.choice(["", "\n"])
