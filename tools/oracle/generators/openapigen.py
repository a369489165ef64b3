"""OpenAPI documents from a seed with every protobuf message, and arbitrary JSON where a field allows any value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

# A recorded message: whether it is a oneof, and its fields as number, name, kind.
Messages = Mapping[str, tuple[bool, list[tuple[int, str, str]]]]

_NAMES: Final = {
    "vendorExtension": ("x-b", "x-a"),
    "specificationExtension": ("x-b", "x-a"),
    "path": ("/b/{c}", "/"),
    "responseCode": ("200", "default"),
    "responseOrReference": ("200", "4XX"),
    "additionalProperties": ("b", "é", ""),
    "v3.Callback.path": ("{$request.body#/url}", "/"),
}
# Allowed texts, by message and field, or by field alone.
_WORDS: Final = {
    "v2.Document.swagger": ("2.0",),
    "v2.BodyParameter.in": ("body",),
    "v2.HeaderParameterSubSchema.in": ("header",),
    "v2.FormDataParameterSubSchema.in": ("formData",),
    "v2.QueryParameterSubSchema.in": ("query",),
    "v2.PathParameterSubSchema.in": ("path",),
    "v2.FileSchema.type": ("file",),
    "v2.BasicAuthenticationSecurity.type": ("basic",),
    "v2.ApiKeySecurity.type": ("apiKey",),
    "v2.ApiKeySecurity.in": ("header", "query"),
    "v2.Oauth2ImplicitSecurity.flow": ("implicit",),
    "v2.Oauth2PasswordSecurity.flow": ("password",),
    "v2.Oauth2ApplicationSecurity.flow": ("application",),
    "v2.Oauth2AccessCodeSecurity.flow": ("accessCode",),
    "collectionFormat": ("csv",),
    "schemes": ("http", "wss"),
    "type": ("string", "array"),
}
# Required fields, and fields that are never generated.
_REQUIRED: Final = frozenset({"info", "paths", "responses", "scopes", "content"})
_OMITTED: Final = frozenset({"v2.PathItem.$ref", "v3.PathItem.$ref", "v3.Callback.specificationExtension"})
_TEXTS: Final = ("a", "Tür", "two words", "true", "3", "a: b", "- a", "<&>", "\u20ac")
_ANY_TEXTS: Final = (
    *_TEXTS,
    *("", " a", "a ", "a\nb", "a\n", "\n", "\n\n", " a\nb\n\n", "a \nb", "a\nb ", "a\nb\u2028", "\ta", "a\tb", "\x01", "\u2028", "a\u2028", "\ufeffa", "\U0001f600"),
    *("~", "null", "Null", "<<", "on", "y", "TRUE", ".inf", "-.INF", ".NaN", "1", "-1", "+1", "01", "08", "0x1F", "0b1", "0o7", "0o-7", "1_000", "_1"),
    *("1.5", ".5", "5.", "1e5", "1e999", "18446744073709551615", "-18446744073709551615", "99999999999999999999", "0xfffffffffffffffff", "0xffffffffffffffff", "+0xffffffffffffffff", "-0x8000000000000000"),
    *("2024-02-30", "2024-2-3", "2024-02-29T1:2:3Z", "2024-02-29 01:02:03.5", "2024-02-29T01:02:03+02:00", "0000-02-29", "2024-02"),
    *("#a", "a #b", "a#b", "[a", "a]", "{", "*a", "&a", "!a", "|", ">a", "%a", "@a", "`a", "'a", '"a', "a'b", '\\"', ",a", "? a", "?a", ":a", "a:", "a:b"),
    *("-", "-a", "---", "---a", "...", "=", "self.all(x, x == 'a') && self.size() < 3", "a\n---\nb", "k" * 130, "k\nl"),
)  # fmt: skip
_NUMBERS: Final = (0, 1, -5, 2.5, 1e21, 1e-7, 9007199254740993)


def documents(messages: Messages, seed: int) -> Iterator[tuple[str, JSONValue]]:
    """Yield version and document: one for each message, with all its fields; then one with special texts for each version."""
    for version in ("v2", "v3"):
        for name, path_ in _shortest_paths(messages, f"{version}.Document").items():
            random = Random(f"{seed}/{name}")  # noqa: S311
            yield version, _Document(messages, random, name, path_).message(f"{version}.Document")
    texts: dict[str, JSONValue] = {f"x-{number}": text for number, text in enumerate(_ANY_TEXTS)}
    nested: dict[str, JSONValue] = {
        "x-keys": dict.fromkeys(_ANY_TEXTS, 1),
        "x-lists": {text: [text] for text in _ANY_TEXTS},
        "x-inner": [[[_ANY_TEXTS[0], {"a": [], "b": {}, "k\nl": {"c": [None]}}], []], {"a": {"b": {"c": "a\nb"}}}, [True, 1e21]],
    }  # fmt: skip
    for version, rest in (("v2", {"swagger": "2.0"}), ("v3", {"openapi": "3.0.0"})):
        yield version, {**rest, "info": {"title": "a", "version": "1", **texts}, "paths": nested}


def _shortest_paths(messages: Messages, root: str) -> Mapping[str, list[tuple[str, str]]]:
    """Return the shortest path of fields from *root* to each message, each field with its message."""
    paths: dict[str, list[tuple[str, str]]] = {root: []}
    names = [root]
    for name in names:
        for _, field, kind in messages.get(name, (False, []))[1]:
            inner = kind.removeprefix("[]").removeprefix("map ")
            if inner.startswith(".") and inner[1:] not in paths and f"{name}.{field}" not in _OMITTED:
                paths[inner[1:]] = [*paths[name], (name, field)]
                names.append(inner[1:])
    return {name: path for name, path in paths.items() if name in messages}


class _Document:
    """A generator of a document with all fields of one message, the path to it, and the fields of `_is_needed`."""

    def __init__(self, messages: Messages, random: Random, whole: str, path: list[tuple[str, str]]) -> None:
        self._messages = messages
        self._random = random
        self._whole = whole
        self._path = path

    def message(self, name: str) -> JSONValue:
        if (special := self._special(name)) is not None:
            return special()
        is_choice, fields = self._messages[name]
        next_ = self._path.pop(0)[1] if self._path and self._path[0][0] == name else ""
        is_whole = name == self._whole and not self._path and not next_
        self._whole = "" if is_whole else self._whole
        if is_choice:
            chosen = next((kind for _, field, kind in fields if field == next_), fields[-1][2])
            return self._value(name, "", chosen)
        fields_: dict[str, JSONValue] = {}
        for _, field, kind in fields:
            if not (is_whole or field == next_ or _is_needed(name, field, kind)):
                continue
            if f"{name}.{field}" in _OMITTED:
                continue
            if kind.startswith("map "):
                fields_ |= {
                    key: self._value(name, field, kind.removeprefix("map "))
                    for key in _NAMES.get(f"{name}.{field}", _NAMES.get(field, ()))
                }
            elif kind.startswith("[]"):
                fields_[field] = [self._value(name, field, kind[2:]) for _ in range(2)]
            else:
                fields_[field] = self._value(name, field, kind)
        return fields_

    def _value(self, name: str, field: str, kind: str) -> JSONValue:
        if kind.startswith("."):
            return self.message(kind[1:])
        if kind == "string":
            oauth = ("oauth2",) if "Oauth2" in name and field == "type" else None
            words = oauth or _WORDS.get(f"{name}.{field}") or (_WORDS.get(field) if name.startswith("v2") else None)
            return self._random.choice(words or _TEXTS)
        if kind == "bool":
            return (field == "required" and "PathParameter" in name) or self._random.random() < 0.5
        return self._random.choice([number for number in _NUMBERS if kind == "double" or isinstance(number, int)])

    def _special(self, name: str) -> Callable[[], JSONValue] | None:
        version, _, short = name.partition(".")
        item = f"{version}.{'Schema' if version == 'v2' else 'SchemaOrReference'}"
        specials: dict[str, Callable[[], JSONValue]] = {
            "Any": lambda: self._any(2),
            "DefaultType": lambda: self._any(1),
            "TypeItem": lambda: self._random.choice(["object", ["string", "null"]]),
            "StringArray": lambda: ["a", "b"],
            "ItemsItem": lambda: self.message(item),
            "AnyOrExpression": lambda: {"a": self._any(1)},
        }
        return specials.get(short)

    def _any(self, depth: int) -> JSONValue:
        chance = self._random.random()
        if depth and chance < 0.25:
            return [self._any(depth - 1) for _ in range(self._random.randrange(3))]
        if depth and chance < 0.5:
            return {self._random.choice(_TEXTS): self._any(depth - 1) for _ in range(self._random.randrange(3))}
        return self._random.choice((*_TEXTS, *_NUMBERS, None, True, False))


def _is_needed(name: str, field: str, kind: str) -> bool:
    """Return whether a field is in every message: it is required, a text or a boolean."""
    return kind in ("string", "bool") or field in _REQUIRED or f"{name}.{field}" == "v2.BodyParameter.schema"
