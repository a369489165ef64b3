"""Selectors that stand in objects, such as a Deployment's, as texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource

_WORDS: Final[Mapping[str, str]] = {"In": " in ", "NotIn": " notin ", "Exists": "", "DoesNotExist": "!"}


class NoSelectorError(ValueError):
    """Something that is no selector."""


def text_of(selector: Resource) -> str:
    """
    Return a selector as a query has it; empty of one that demands nothing, or that there is not.

    Args:
        selector: Its `matchLabels` and `matchExpressions`.

    Raises:
        NoSelectorError: It is none.

    Reference:
        apimachinery apis/meta/v1/helpers.go, LabelSelectorAsSelector; labels/selector.go, Requirement.String.
    """
    demanded = [(key, f"{key}={value}") for key, value in selector.get("matchLabels", {}).items()]
    demanded += [
        (one["key"], _expression(one["key"], one["operator"], one.get("values") or []))
        for one in selector.get("matchExpressions", ())
    ]
    return ",".join(shown for _, shown in sorted(demanded, key=lambda pair: pair[0]))


def _expression(key: str, operator: str, values: list[str]) -> str:
    if operator not in _WORDS:
        raise NoSelectorError
    word = _WORDS[operator]
    takes_values = operator in ("In", "NotIn")
    if takes_values != bool(values):
        raise NoSelectorError
    return f"{key}{word}({','.join(sorted(values))})" if takes_values else f"{word}{key}"
