"""
FluxVariables of Flux, which kustomize-controller replaces in the objects of a Kustomization: `${SIZE}`, `${SIZE:=3}`.

It replaces them in YAML that it prints without the original quotes, so that `"${SIZE}"` may become a number.

Reference:
    fluxcd/pkg kustomize/kustomize_varsub.go and envsubst.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from pytest_crd.checks import samples
from pytest_crd.cli import fluxsources
from pytest_crd.engine import ManifestError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.manifest import Manifest

# Returns the ConfigMap or Secret with a name; None if it is not known.
FindObject: TypeAlias = Callable[[str, str], "Manifest | None"]

_NAME: Final = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")
_WORD: Final = re.compile(r"\w+")
_OPERATOR: Final = re.compile(r":[=\-?+]|=|:|[,^]{1,2}|/[/#%]?|#{1,2}|%{1,2}")
_DEFAULTS: Final = frozenset({"=", ":=", ":-", ":?", ":+"})
_CASES: Final[Mapping[str, Callable[[str], str]]] = {
    ",": lambda text: text[:1].lower() + text[1:],
    ",,": str.lower,
    "^": lambda text: text[:1].upper() + text[1:],
    "^^": str.upper,
}
_LABEL: Final = "kustomize.toolkit.fluxcd.io/substitute"
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
# A text on one line that Go prints with quotes, although it is read as a text without them.
_QUOTED: Final = re.compile(
    r"\A(?:[-?:](?:\s|\Z)|[,\[\]{}#&*!|>'\"%@`\s]|---|\.\.\.)|:(?:\s|\Z)|\s#|\s\Z|[\x00-\x08\x0b-\x1f\x7f]"
)


class SubstitutionError(Exception):
    """Text that kustomize-controller cannot substitute."""


@dataclass(slots=True)
class FluxVariables:
    """
    The variables of a Kustomization.

    Attributes:
        values: The known variables; None for a value that is encrypted or may be replaced.
        is_open: Whether there may be others.
        is_always: Whether texts are substituted without a variable, too.
    """

    values: dict[str, str | None] = field(default_factory=dict)
    is_open: bool = False
    is_always: bool = False

    @property
    def is_active(self) -> bool:
        """Whether texts are substituted."""
        return bool(self.values) or self.is_open or self.is_always

    def find(self, name: str) -> str | None:
        """Return the value of a variable; empty if it has none, None if it is not known."""
        return self.values.get(name, None if self.is_open else "")

    def take(self, item: Manifest | None) -> None:
        """Add the variables of a ConfigMap or Secret; an unknown one, None, may replace all variables."""
        if item is None:
            self.is_open = True
            self.values = dict.fromkeys(self.values)
            return
        with fluxsources.reading(item, "data"):
            data = _read_data(item)
        for key, text in data.items():
            self.values[key] = None if samples.find_placeholder(text) else text.replace("\n", "")


def read(post_build: Mapping[str, Any], find_object: FindObject) -> FluxVariables:
    """
    Return the variables of a Kustomization.

    Args:
        post_build: The field `spec.postBuild`.
        find_object: Returns a ConfigMap or Secret by kind and name.

    Raises:
        SubstitutionError: A variable has no valid name, or no text as value.
    """
    variables = FluxVariables(is_always=post_build.get("substituteStrategy") == "Always")
    for reference in post_build.get("substituteFrom") or ():
        variables.take(find_object(str(reference.get("kind")), str(reference.get("name"))))
    for name, text in (post_build.get("substitute") or {}).items():
        if not isinstance(text, str):
            raise SubstitutionError(f"the variable {name} is no text: write quotes")
        variables.values[name] = None if samples.find_placeholder(text) else text.replace("\n", "")
    for name in variables.values:
        if not _NAME.fullmatch(name):
            raise SubstitutionError(f"'{name}' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'")
    return variables


def _read_data(item: Manifest) -> dict[str, str]:
    """Return the data of a ConfigMap or Secret as texts."""
    value: Any = item.value
    data = {key: str(text) for key, text in (value.get("data") or {}).items()}
    if item.kind == "Secret":
        data = {key: text if samples.find_placeholder(text) else _decode(text) for key, text in data.items()}
        data |= {key: str(text) for key, text in (value.get("stringData") or {}).items()}
    return data


def _decode(text: str) -> str:
    return base64.b64decode(text).decode(errors="replace")


def substitute(value: Any, variables: FluxVariables) -> Any:
    """
    Return an object with its known variables replaced.

    Raises:
        SubstitutionError: A text is no valid expression, or the result is no YAML.
    """
    metadata = value.get("metadata") or {}
    if not variables.is_active or "disabled" in (
        (metadata.get(key) or {}).get(_LABEL) for key in ("labels", "annotations")
    ):
        return value
    return _substitute(value, variables, "k: ")


def _substitute(value: JSONValue, variables: FluxVariables, prefix: str) -> Any:
    if isinstance(value, dict):
        return {_key(key, variables): _substitute(item, variables, "k: ") for key, item in value.items()}
    if isinstance(value, list):
        return [_substitute(item, variables, "- ") for item in value]
    if not isinstance(value, str) or "$" not in value:
        return value
    text = _Expressions(value, variables).evaluate()
    is_quoted = bool(_QUOTED.search(value))
    if is_quoted and text.count("'") != value.count("'"):
        raise SubstitutionError(f"{text} is no YAML: Flux writes it in single quotes")
    if "\n" in value or is_quoted or samples.find_placeholder(text):
        return text
    parsed: Any = _parse(f"{prefix}{text}")
    return parsed["k"] if prefix == "k: " else parsed[0]


def _key(key: str, variables: FluxVariables) -> str:
    if "$" not in key:
        return key
    text = _Expressions(key, variables).evaluate()
    if _QUOTED.search(key) or samples.find_placeholder(text):
        return text
    parsed: Any = _parse(f"{text}: 0")
    return str(next(iter(parsed)))


def _parse(text: str) -> JSONValue:
    try:
        return yamlreader.read_one(text, source="").value
    except ManifestError as error:
        raise SubstitutionError(f"{text} is no YAML: {error.mistakes[0].message}") from None


class _Expressions:
    """The expressions in a text, with the position so far."""

    def __init__(self, text: str, variables: FluxVariables) -> None:
        self._text, self._at, self._variables = text, 0, variables

    def evaluate(self) -> str:
        """Return the text with the known expressions replaced."""
        parts = []
        while (next_at := self._text.find("$", self._at)) >= 0:
            parts.append(self._text[self._at : next_at])
            self._at = next_at
            if self._text.startswith("${", next_at):
                value = self._expression()
                parts.append(self._text[next_at : self._at] if value is None else value)
            else:
                parts.append("$")
                self._at += 2 if self._text.startswith("$$", next_at) else 1
        return "".join((*parts, self._text[self._at :]))

    def _expression(self) -> str | None:
        """Return the value of an expression; None if it is not known."""
        self._at += 2
        if self._next() == "#":
            self._at += 1
            value = self._variables.find(self._word("bad substitution"))
            self._close()
            return None if value is None else str(len(value.encode()))
        value = self._variables.find(self._word("unable to parse variable name"))
        match = _OPERATOR.match(self._text, self._at)
        if match is None:
            self._close("missing closing brace")
            return value
        self._at = match.end()
        operator = match[0]
        if operator[0] in ",^":
            self._close()
            return None if value is None else _CASES.get(operator, str)(value)
        arguments = self._arguments(operator)
        if value is None or None in arguments:
            return None
        return _apply(value, operator, [text for text in arguments if text is not None])

    def _arguments(self, operator: str) -> list[str | None]:
        if operator in _DEFAULTS:
            arguments = []
            while self._next() != "}":
                arguments.append(self._argument(r"[^}]"))
        elif operator[0] == "/":
            arguments = [self._argument(r"[^/]", escapes=True)]
            self._at += len(self._match(r"/+", "bad substitution"))
            arguments += [] if self._next() == "}" else [self._argument(r"[^}]", escapes=True)]
        elif operator == ":":
            arguments = [self._argument(r"[^:}]")]
            if self._next() == ":":
                self._at += len(self._match(r":+", ""))
                arguments.append(self._argument(r"[^}]"))
        else:
            arguments = [self._argument(r"[^}]")]
        self._close()
        return arguments

    def _argument(self, letter: str, *, escapes: bool = False) -> str | None:
        """Return the value of an argument: an expression, or letters up to the next one."""
        if self._text.startswith("${", self._at):
            return self._expression()
        letters = rf"(?:\\[/\\]|\$\$|(?!\$\{{){letter})+" if escapes else rf"(?:(?!\$\{{){letter})+"
        text = self._match(letters, "unable to parse substitution within function")
        self._at += len(text)
        return re.sub(r"\\([/\\])|\$(\$)", r"\1\2", text) if escapes else text

    def _word(self, words: str) -> str:
        name = self._match(_WORD.pattern, words)
        self._at += len(name)
        return name

    def _match(self, pattern: str, words: str) -> str:
        match = re.compile(pattern, re.DOTALL).match(self._text, self._at)
        if match is None:
            raise SubstitutionError(words)
        return match[0]

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _close(self, words: str = "bad substitution") -> None:
        if self._next() != "}":
            raise SubstitutionError(words)
        self._at += 1


def _apply(value: str, operator: str, arguments: list[str]) -> str | None:
    """Return the result of an operator; None for the removal of patterns, which is not known here."""
    if operator in _DEFAULTS:
        return value or "".join(arguments)
    if operator == ":":
        return _slice(value, arguments)
    old, new = arguments[0], arguments[1] if len(arguments) > 1 else ""
    if operator in {"/", "//"}:
        return value.replace(old, new, 1 if operator == "/" else -1)
    if operator == "/#" and len(arguments) > 1:
        return new + value.removeprefix(old) if value.startswith(old) else value
    if operator == "/%" and len(arguments) > 1:
        return value.removesuffix(old) + new if value.endswith(old) else value
    return value if operator[0] == "/" else None


def _slice(value: str, arguments: list[str]) -> str:
    """Return a part of a text; the whole text without valid numbers."""
    if not all(map(_INTEGER.fullmatch, arguments)):
        return value
    content = value.encode()
    start, *length = map(int, arguments)
    start = max(start + len(content), 0) if start < 0 else start
    end = len(content) if not length or length[0] < 0 else start
    end += length[0] if length else 0
    return content[start : max(end, start)].decode(errors="replace")
