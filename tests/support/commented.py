"""Generated case files with numbered comments in every place that YAML allows, and corrections to write into them."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import strategies as st

from pytest_crd.casefiles.casetext import Correction
from pytest_crd.engine import jsonvalue

_TEXTS = ("a", "two words", "a#b", "not # one", "it's", "one\ntwo # no comment\n", "# none\n\nthree", "")
_SCALARS = (*_TEXTS, 1, 2.5, True, None)
_KEYS = ("spec", "size", "b", "c d", "#e")
_OTHER = "crd: z # other\npruning:\n- {name: other, input: {}, expected: {}}\n---\n"
_TYPES = ("Invalid", "Required", "NotSupported")


class Commented(NamedTuple):
    """
    A case file.

    Attributes:
        text: Its YAML text.
        cases: Its cases as mappings.
        corrections: Corrections of some of its cases.
    """

    text: str
    cases: list[dict[str, Any]]
    corrections: list[Correction]


@st.composite
def files(draw: st.DrawFn) -> Commented:
    """Return a case file with corrections to write into it."""
    choice = draw(st.randoms(use_true_random=False))
    cases = [_case(choice, f"case {number}") for number in range(choice.randint(1, 3))]
    corrections = [_correction(choice, case) for case in cases if choice.random() < 0.8]
    return Commented(_Writer(choice).file(cases), cases, corrections)


def numbers(text: str) -> list[str]:
    """Return the number of each comment in *text*, found by a regular expression instead of a YAML reader."""
    return re.findall(r"# (?:\d+|other|next)\b", text)


def _case(choice: random.Random, name: str) -> dict[str, Any]:
    sent = _object(choice)
    case = {"name": name, "input": sent} | _expectation(choice, sent)
    if choice.random() < 0.3:
        case["pruned"] = choice.sample(["spec.a", "spec.b", "spec.c"], 2)
    keys = [*case]
    choice.shuffle(keys)
    return {key: case[key] for key in keys}


def _expectation(choice: random.Random, sent: dict[str, Any]) -> dict[str, Any]:
    whole_object = {"expected": _object(choice)}
    part = {"accepted": True, "contains": {"spec": {"size": 1}} | _object(choice), "absent": ["spec.x"]}
    return choice.choice([whole_object, part, {"errors": _errors(choice)}, {"expected": sent}, {"expected": "TODO"}])


def _object(choice: random.Random) -> dict[str, Any]:
    return {key: _value(choice, 3) for key in ["spec", "status"][: choice.randint(1, 2)]}


def _value(choice: random.Random, depth: int) -> Any:
    kind = choice.random() if depth else 0
    if kind < 0.35:
        return choice.choice(_SCALARS)
    if kind < 0.6:
        return [_value(choice, depth - 1) for _ in range(choice.randint(0, 3))]
    return {key: _value(choice, depth - 1) for key in choice.sample(_KEYS, choice.randint(0, 4))}


def _errors(choice: random.Random) -> list[dict[str, Any]]:
    return [
        {"field": choice.choice(["spec.a", "spec.b"]), "type": choice.choice(_TYPES)}
        | choice.choice([{}, {"message": "one"}, {"detail": "two # no comment"}, {"message": "x\ny"}])
        for _ in range(choice.randint(1, 3))
    ]


def _correction(choice: random.Random, case: dict[str, Any]) -> Correction:
    is_refused = "errors" in case
    if choice.random() < 0.4:  # the verdict changes
        removed = tuple(key for key in ("expected", "accepted", "contains", "absent", "errors") if key in case)
        return Correction(
            case["name"], {"expected": _object(choice)} if is_refused else {"errors": _errors(choice)}, removed
        )
    keys = [key for key in ("expected", "contains", "errors", "pruned") if key in case]
    values: dict[str, Any] = {}
    for key in choice.sample(keys, choice.randint(1, len(keys))):
        values[key] = (
            _errors(choice)
            if key == "errors"
            else _paths(choice, case[key])
            if key == "pruned"
            else _change_value(choice, case[key])
        )
    return Correction(case["name"], values)


def _paths(choice: random.Random, paths: list[str]) -> list[str]:
    return choice.sample([*paths, "spec.d", "spec.e"], choice.randint(0, 3))


def _change_value(choice: random.Random, value: Any) -> Any:
    """Return a copy of *value* with up to three changes; it stays an object."""
    if not isinstance(value, dict):
        return _object(choice)
    changed = jsonvalue.copy(value)
    for _ in range(choice.randint(1, 3)):
        holder, key = choice.choice([*_holders(changed)])  # not empty, as the object keeps its own keys
        if choice.random() < 0.4 and holder is not changed:
            del holder[key]
        elif isinstance(holder, list) and choice.random() < 0.3:
            holder.insert(key, _value(choice, 2))
        else:
            holder[key] = _value(choice, 2)
    return changed


def _holders(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(item, dict | list):
            yield from _holders(item)


class _Writer:
    """A writer of YAML as people write it: block and flow style, quoted and plain scalars, comments everywhere."""

    def __init__(self, choice: random.Random) -> None:
        self._choice = choice
        self._numbers = itertools.count(1)
        self._anchored: list[Any] = []

    def file(self, cases: list[dict[str, Any]]) -> str:
        """Return the text of a case file with *cases*."""
        is_flow = self._choice.random() < 0.1
        lines = [*self._above(0), f"crd: x{self._beside()}", *self._above(0), f"create:{self._beside()}"]
        if is_flow:
            lines.append(f"  {self._flow(cases, 2)}{self._beside()}")
        else:
            lines += self._block(cases, self._choice.choice([0, 2]), is_plain=True)
        before, behind = self._choice.choice([("", ""), ("", ""), (_OTHER, ""), ("", f"--- # next\n{_OTHER}")])
        text = before + "\n".join([*lines, *self._above(0), ""]) + behind
        text = text if self._choice.random() < 0.8 else text.rstrip("\n")
        return text if self._choice.random() < 0.8 else text.replace("\n", "\r\n")

    def _comment(self) -> str:
        return f"# {next(self._numbers)}{self._choice.choice(['', ' it: {', ' why?', ' - #'])}"

    def _above(self, most: int) -> Iterator[str]:
        """Yield comment lines indented by at most *most* spaces, and empty lines."""
        for _ in range(self._choice.choice([0, 0, 0, 1, 2])):
            yield " " * self._choice.randint(0, most) + self._comment() if self._choice.random() < 0.8 else ""

    def _beside(self) -> str:
        return f"{self._choice.choice([' ', '  '])}{self._comment()}" if self._choice.random() < 0.4 else ""

    def _anchor(self, value: Any) -> str:
        if self._choice.random() < 0.9:
            return ""
        self._anchored.append(value)
        return f" &a{len(self._anchored)}"

    def _alias(self, value: Any) -> str:
        numbers = [
            number for number, anchored in enumerate(self._anchored, start=1) if jsonvalue.equal(value, anchored)
        ]
        return f"*a{numbers[-1]}" if numbers and self._choice.random() < 0.5 else ""

    def _block(self, value: Any, indent: int, *, is_plain: bool = False) -> Iterator[str]:
        """Yield the lines of a mapping or a list, with comments above each entry."""
        heads = [f"{self._scalar(key)}:" for key in value] if isinstance(value, dict) else ["-"] * len(value)
        items = [*value.values()] if isinstance(value, dict) else value
        for head, item in zip(heads, items, strict=True):
            yield from self._above(indent)
            yield from self._entry(" " * indent + head, item, indent, in_list=head == "-", is_plain=is_plain)

    def _entry(self, head: str, value: Any, indent: int, *, in_list: bool, is_plain: bool) -> Iterator[str]:
        if alias := self._alias(value):
            yield f"{head} {alias}{self._beside()}"
            return
        anchor = "" if is_plain else self._anchor(value)
        step = self._choice.choice([2, 4])
        if isinstance(value, dict | list) and value and (is_plain or self._choice.random() < 0.6):
            deeper = indent + (0 if isinstance(value, list) and not in_list and self._choice.random() < 0.5 else step)
            lines = [*self._block(value, deeper)]
            if (
                in_list
                and not anchor
                and self._choice.random() < 0.7
                and lines[0].strip()
                and lines[0].lstrip()[0] != "#"
            ):
                yield head + lines[0][len(head) :]  # the value begins on the line of its dash
                yield from lines[1:]
            else:
                yield f"{head}{anchor}{self._beside()}"
                yield from lines
        elif isinstance(value, str) and "\n" in value and not value.startswith("#") and self._choice.random() < 0.8:
            yield f"{head}{anchor} {'|' if value.endswith(chr(10)) else '|-'}{self._beside()}"
            yield from (f"{' ' * (indent + step)}{line}" if line else "" for line in value.rstrip("\n").split("\n"))
        elif anchor or self._choice.random() < 0.9:
            yield f"{head}{anchor} {self._flow(value, indent + step)}{self._beside()}"
        else:
            yield f"{head}{self._beside()}"
            yield from self._above(indent + step)
            yield f"{' ' * (indent + step)}{self._flow(value, indent + step)}{self._beside()}"

    def _flow(self, value: Any, indent: int) -> str:
        """Return a value in flow style, on one line or several."""
        if not isinstance(value, dict | list):
            return self._scalar(value)
        heads = [f"{self._scalar(key)}: " for key in value] if isinstance(value, dict) else [""] * len(value)
        items = [*value.values()] if isinstance(value, dict) else value
        texts = [f"{head}{self._flow(item, indent + 2)}" for head, item in zip(heads, items, strict=True)]
        left, right = "{}" if isinstance(value, dict) else "[]"
        parts = [left]
        for number, text in enumerate(texts, start=1):
            parts += [self._break(indent + 1), text, "," if number < len(texts) or self._choice.random() < 0.1 else ""]
            parts.append(" " if number < len(texts) else "")
        return "".join([*parts, self._break(indent), right])

    def _break(self, indent: int) -> str:
        """Return an empty text, or a line break with comments before and after it."""
        if self._choice.random() < 0.75:
            return ""
        return "\n".join([self._beside(), *self._above(indent + 2), " " * indent])

    def _scalar(self, value: Any) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        if value[:1].isalpha() and not {"\n", "#"} & {*value.replace("a#b", "")} and self._choice.random() < 0.7:
            return value
        if "\n" not in value and self._choice.random() < 0.5:
            return "'" + value.replace("'", "''") + "'"
        return json.dumps(value)
