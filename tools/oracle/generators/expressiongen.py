"""
CEL expressions from a seed: well typed, except for parts that were replaced by parts of another type.

`self` is dyn, so that many type errors occur only at run time.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

SELF: Final = {
    "i": 3, "j": -7, "z": 0, "big": 9223372036854775807, "f": 1.5, "s": "abc", "e": "", "u": "Äµx", "t": True, "n": None,
    "l": [1, 2, 3], "ls": ["a", "bb", "abc"], "m": [1, "a", None, 2.5], "o": {"a": 1, "b": {"c": "x"}}, "d": "1h30m", "ts": "2020-02-29T12:00:00Z",
}  # fmt: skip
_WRONG: Final = 0.04


class Generator:
    """A generator of expressions from a seed."""

    def __init__(
        self,
        seed: int,
        leaves: Mapping[str, Sequence[str]] | None = None,
        templates: Mapping[str, Sequence[str]] | None = None,
        *,
        wrong: float = _WRONG,
    ) -> None:
        """Take leaves and templates by kind, and the probability *wrong* of a part of a different kind."""
        self._random = random.Random(seed)  # noqa: S311 - chance that can be repeated
        self._leaves = leaves or LEAVES
        self._templates = templates or TEMPLATES
        self._wrong = wrong
        self._names = 0
        self.scope: list[tuple[str, str]] = []

    def make(self, kind: str, depth: int) -> str:
        """Return an expression, mostly of *kind*, nested at most *depth* levels deep."""
        if self._random.random() < self._wrong:
            kind = self._random.choice(sorted(self._leaves))
        variables = self.variables_of(kind)
        if variables and self._random.random() < 0.5:
            return self._random.choice(variables)
        if depth <= 0 or self._random.random() < 0.15:
            return self._random.choice(self._leaves[kind])
        template = self._random.choice(self._templates[kind])
        return self.fill(template, depth - 1)

    def variables_of(self, kind: str) -> list[str]:
        """Return the variables of *kind* in scope."""
        return [name for name, variable_kind in self.scope if variable_kind == kind]

    def any_kind(self) -> str:
        """Return a random kind of expression."""
        return self._random.choice(sorted(self._leaves))

    def fill(self, template: str, depth: int) -> str:
        """
        Return *template* with an expression for each hole.

        A hole is `<kind>`, or `<kind@of>` whose expression may use a new variable `$` of kind *of*.
        """
        parts: list[str] = []
        name = ""
        if "$" in template:
            self._names += 1
            name = f"v{self._names}"
        for part in template.replace("$", name).split("<"):
            hole, closed, rest = part.partition(">")
            if not closed or not hole.replace("@", "").isalpha():
                parts.append(part if not parts else f"<{part}")
                continue
            kind, _, variable_kind = hole.partition("@")
            self.scope += [(name, variable_kind)] * bool(variable_kind)
            parts.append(self.make(kind, depth))
            del self.scope[len(self.scope) - bool(variable_kind) :]
            parts.append(rest)
        return "".join(parts)


LEAVES: Final[Mapping[str, Sequence[str]]] = {
    "int": [
        "0",
        "1",
        "-1",
        "7",
        "self.i",
        "self.j",
        "self.z",
        "self.big",
        "9223372036854775807",
        "self.l[0]",
        "self.o.a",
    ],
    "uint": ["0u", "1u", "5u", "18446744073709551615u"],
    "double": ["0.0", "1.0", "-2.5", "1e300", "self.f", "0.1", "1e-7"],
    "bool": ["true", "false", "self.t", "has(self.i)", "has(self.q)"],
    "string": ['"a"', '""', '"abc"', "self.s", "self.e", "self.u", '"1"', "self.d", '"Äö"', "self.ls[1]", "self.o.b.c"],
    "bytes": ['b"a"', 'b""', 'b"\\xff"'],
    "duration": ['duration("1h")', 'duration("-1.5s")', "duration(self.d)"],
    "timestamp": ['timestamp("2020-02-29T12:00:00.5Z")', "timestamp(self.ts)", "timestamp(0)"],
    "list": ["[]", "[1, 2]", "self.l", "[3, 1, 2]", "[1]"],
    "texts": ['["b", "a"]', "self.ls", '["a"]', '"a,b".split(",")'],
    "map": ['{"a": 1}', "self.o", '{"x": 2, "a": 3}'],
    "optional": ["self.?i", "self.?q", "optional.none()", "optional.of(1)"],
    "dyn": ["self.n", "self.m", "self.i", "self.s", "self.o", "self.q", "self.f", "self.m[2]", "self"],
}
TEMPLATES: Final[Mapping[str, Sequence[str]]] = {
    "int": [
        "(<int> + <int>)", "(<int> - <int>)", "(<int> * <int>)", "(<int> / <int>)", "(<int> % <int>)", "-(<int>)",
        "size(<string>)", "size(<list>)", "<texts>.size()", "int(<double>)", "int(<string>)", "int(<uint>)", "<list>.sum()",
        "<list>.max()", "<list>.min()", "<list>[<int>]", "<string>.indexOf(<string>)", "<string>.lastIndexOf(<string>)",
        "<list>.indexOf(<int>)", "<bool> ? <int> : <int>", "<optional>.orValue(<int>)", "<duration>.getMinutes()",
        "<timestamp>.getHours()", "<timestamp>.getDayOfYear()", "<list>.map($, <int@int>).sum()", "int(<duration>)", "<map>.a",
        '<timestamp>.getHours("Europe/Berlin")', "int(<timestamp>)", "<optional>.value()", "<list>.sort()[<int>]",
    ],
    "uint": ["(<uint> + <uint>)", "(<uint> - <uint>)", "(<uint> * <uint>)", "(<uint> / <uint>)", "(<uint> % <uint>)", "uint(<int>)", "uint(<string>)"],
    "double": ["(<double> + <double>)", "(<double> - <double>)", "(<double> * <double>)", "(<double> / <double>)", "-(<double>)", "double(<int>)", "double(<string>)", "[<double>, <double>].max()"],
    "bool": [
        "(<bool> && <bool>)", "(<bool> || <bool>)", "!<bool>", "<int> < <int>", "<int> <= <double>", "<double> > <uint>", "<uint> >= <int>",
        "<string> < <string>", "<bytes> <= <bytes>", "<int> == <int>", "<string> != <string>", "<list> == <list>", "<map> == <map>",
        "<dyn> == <dyn>", "<dyn> != <dyn>", "<double> == <double>", "<optional> == <optional>", "<int> in <list>", "<string> in <texts>",
        "<string> in <map>", "<dyn> in <list>", "<int> in [1, 2, 3]", '<string> in ["a", "abc"]', "<list>.all($, <bool@int>)",
        "<list>.exists($, <bool@int>)", "<list>.exists_one($, <bool@int>)", "<texts>.all($, <bool@string>)", "<texts>.exists($, <bool@string>)",
        "<string>.startsWith(<string>)", "<string>.endsWith(<string>)", "<string>.contains(<string>)", '<string>.matches("^[a-c]+$")',
        "<string>.matches(<string>)", "<list>.isSorted()", "<optional>.hasValue()", "<duration> < <duration>", "<timestamp> >= <timestamp>",
        "sets.contains(<list>, <list>)", "sets.intersects(<list>, <list>)", "sets.equivalent(<list>, <list>)", "<bool> ? <bool> : <bool>",
        "bool(<string>)", "isQuantity(<string>)", "isURL(<string>)", "isIP(<string>)", "<list>.includes(<int>)", "type(<dyn>) == type(<dyn>)",
        "<list>.all(k$, $, k$ <= <int@int>)", "<dyn>.exists($, <bool@dyn>)", "<dyn>.all($, <bool@dyn>)",
    ],
    "string": [
        "(<string> + <string>)", "string(<int>)", "string(<double>)", "string(<uint>)", "string(<bool>)", "string(<bytes>)", "string(<duration>)",
        "string(<timestamp>)", "<string>.lowerAscii()", "<string>.upperAscii()", "<string>.trim()", "<string>.replace(<string>, <string>)",
        "<string>.substring(<int>)", "<string>.substring(<int>, <int>)", "<string>.charAt(<int>)", "<texts>.join()", "<texts>.join(<string>)",
        '<string>.find("[a-z]")', "<string>.find(<string>)", "strings.quote(<string>)", "<bool> ? <string> : <string>", '"%s|%d".format([<string>, <int>])',
        '"%s".format([<dyn>])', '"%.2f".format([<double>])', '"%x".format([<int>])', "<texts>.max()", "<texts>[<int>]",
    ],
    "bytes": ["(<bytes> + <bytes>)", "bytes(<string>)"],
    "duration": ["(<duration> + <duration>)", "(<duration> - <duration>)", "(<timestamp> - <timestamp>)", "duration(<string>)"],
    "timestamp": ["(<timestamp> + <duration>)", "(<timestamp> - <duration>)", "timestamp(<int>)", "timestamp(<string>)"],
    "list": [
        "(<list> + <list>)", "[<int>, <int>]", "<list>.map($, <int@int>)", "<list>.filter($, <bool@int>)", "<list>.map($, <bool@int>, <int@int>)",
        "<list>.reverse()", "<list>.sort()", "<list>.distinct()", "<list>.slice(<int>, <int>)", "[<list>, <list>].flatten()", "lists.range(3)",
        "<list>.sortBy($, <int@int>)", "<texts>.map($, <int@string>)", "<bool> ? <list> : <list>", "<list>.transformList(k$, $, <int@int>)", "[?<optional>, <int>]",
    ],
    "texts": ["(<texts> + <texts>)", "[<string>, <string>]", "<string>.split(<string>)", "<texts>.map($, <string@string>)", "<texts>.filter($, <bool@string>)", '<string>.findAll("[a-z]")', "<texts>.sort()"],
    "map": ["{<string>: <int>}", '{"a": <int>, "b": <int>}', "<list>.transformMap(k$, $, <int@int>)", '{?"a": <optional>}', "<bool> ? <map> : <map>"],
    "optional": ["optional.of(<int>)", "optional.ofNonZeroValue(<int>)", "<map>.?a", "<list>[?<int>]", "<optional>.or(<optional>)", "<optional>.optMap($, <int@int>)", "<optional>.optFlatMap($, <optional@int>)"],
    "dyn": ["dyn(<int>)", "dyn(<string>)", "dyn(<list>)", "dyn(<map>)", "dyn(<optional>)", "dyn(<duration>)", "self.m[<int>]", "self.o[<string>]", "dyn(<uint>)", "dyn(<bytes>)", "dyn(<bool>)", "dyn(<dyn>.a)"],
}  # fmt: skip
