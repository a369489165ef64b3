"""Text form of label selectors in objects, such as a Deployment's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource

_WORDS: Final[Mapping[str, str]] = {"In": " in ", "NotIn": " notin ", "Exists": "", "DoesNotExist": "!"}


class NoSelectorError(ValueError):
    """An object that is not a valid label selector."""


def text_of(selector: Resource) -> str:
    """
    Return a selector in query syntax; empty for an empty or missing selector.

    Args:
        selector: The selector, with `matchLabels` and `matchExpressions`.

    Raises:
        NoSelectorError: The selector is invalid.

    Reference:
        apimachinery apis/meta/v1/helpers.go, LabelSelectorAsSelector; labels/selector.go, Requirement.String.
    """
    terms = [(key, f"{key}={value}") for key, value in selector.get("matchLabels", {}).items()]
    terms += [
        (expression["key"], _expression(expression["key"], expression["operator"], expression.get("values") or []))
        for expression in selector.get("matchExpressions", ())
    ]
    return ",".join(text for _, text in sorted(terms, key=lambda pair: pair[0]))


def _expression(key: str, operator: str, values: list[str]) -> str:
    if operator not in _WORDS:
        raise NoSelectorError
    word = _WORDS[operator]
    takes_values = operator in ("In", "NotIn")
    if takes_values != bool(values):
        raise NoSelectorError
    return f"{key}{word}({','.join(sorted(values))})" if takes_values else f"{word}{key}"
