"""Answers of a server that depend on Go's random map order: repeated until all variants are almost certain, and merged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import answerfacts

Recorded = dict[str, JSONValue]

# Two neighbours in a Go map of at most eight entries swap places in every eighth iteration, on average.
_TIMES: Final = 64


def merge_repeated(ask: Callable[[], Recorded]) -> Recorded:
    """Call *ask* until all its different answers are almost certain, and return them merged."""
    answers = [ask(), ask()]
    if _may_vary(answers):
        answers += [ask() for _ in range(_TIMES)]
    return _merged(answers)


def _may_vary(answers: Sequence[Recorded]) -> bool:
    first, second = answers
    return first != second or first["code"] == 400 or any(len(first.get(key, ())) > 1 for key in ("causes", "warnings"))


def _merged(answers: Sequence[Recorded]) -> Recorded:
    """
    Return one answer for several. Equal answers are returned as they are.

    If they differ in the order of a part, the part is sorted and its name is added to `unordered`. If they differ in
    more, `alternatives` lists all answers.
    """
    distinct = _distinct(answers)
    if len(distinct) == 1:
        return distinct[0]
    unordered = [key for key in ("causes", "warnings") if len(_distinct([{key: a.get(key)} for a in distinct])) > 1]
    ordered = _distinct([answerfacts.in_order(answer, unordered) for answer in distinct])
    if len(ordered) == 1:
        return ordered[0] | {"unordered": unordered}
    return {"code": distinct[0]["code"], "alternatives": sorted(distinct, key=_key)}


def _distinct(answers: Iterable[Recorded]) -> list[Recorded]:
    return list({_key(answer): answer for answer in answers}.values())


def _key(value: JSONValue) -> str:
    return json.dumps(value, sort_keys=True)
