"""What a server answers that answers at random, Go's map order: asked until it is as good as certain, and told as one answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from pytest_crd.live import answerfacts

JSONValue = Any
Recorded = dict[str, JSONValue]

# Two neighbours of a Go map of at most eight entries change places in one of eight iterations.
_TIMES: Final = 64


def ask_often(ask: Callable[[], Recorded]) -> Recorded:
    """Ask until it is as good as certain whether the answer is always the same, and merge the answers."""
    answers = [ask(), ask()]
    if _may_vary(answers):
        answers += [ask() for _ in range(_TIMES)]
    return _merged(answers)


def _may_vary(answers: Sequence[Recorded]) -> bool:
    first, second = answers
    return first != second or first["code"] == 400 or any(len(first.get(key, ())) > 1 for key in ("causes", "warnings"))


def _merged(answers: Sequence[Recorded]) -> Recorded:
    """
    Return one answer for several: as it is where they agree, else with sorted parts and their names in `unordered`.

    Where they differ in more than order, `alternatives` lists all that were seen.
    """
    distinct = _distinct(answers)
    if len(distinct) == 1:
        return distinct[0]
    unordered = [key for key in ("causes", "warnings") if len(_distinct([{key: a.get(key)} for a in distinct])) > 1]
    alike = _distinct([answerfacts.in_order(answer, unordered) for answer in distinct])
    if len(alike) == 1:
        return alike[0] | {"unordered": unordered}
    return {"code": distinct[0]["code"], "alternatives": sorted(distinct, key=_key)}


def _distinct(answers: Iterable[Recorded]) -> list[Recorded]:
    return list({_key(answer): answer for answer in answers}.values())


def _key(value: JSONValue) -> str:
    return json.dumps(value, sort_keys=True)
