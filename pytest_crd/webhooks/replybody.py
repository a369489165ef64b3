"""Bodies of responses: JSON, or YAML if they do not begin with a brace, as the API server's client reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.client import completion
from pytest_crd.engine.golang import gostrings, jsonsyntax, printing
from pytest_crd.engine.golang.decodeerrors import SentNumber
from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.patching import documents
from pytest_crd.engine.yaml import jsonreader, yamlreader, yamlwords
from pytest_crd.engine.yaml.yamlstream import UnreadableError


class UnreadableReplyError(Exception):
    """A body that is neither JSON nor YAML; the message is the server's."""


class ReplyBody(NamedTuple):
    """
    A body.

    Attributes:
        value: The value, with repeated keys and spellings of numbers; an empty object for null.
        text: The text.
        is_json: Whether it is JSON, whose keys are decoded in their order.
    """

    value: JSONValue
    text: str
    is_json: bool


def read(body: bytes) -> ReplyBody:
    """
    Return the value of a body.

    Raises:
        UnreadableReplyError: It cannot be read.

    Reference:
        apimachinery runtime/serializer/recognizer/recognizer.go, Decode.
    """
    text = body.decode(errors="surrogateescape")
    is_json = gostrings.trim_space(text).startswith("{")
    if is_json and (problem := jsonsyntax.find_problem(text)):
        raise UnreadableReplyError(f"couldn't get version/kind; json parse error: {problem}")
    try:
        if is_json:
            value = documents.decodable(documents.read(printing.replace_bytes(text)))
        else:
            value = completion.read_applied(text, takes_first=True).value
    except UnreadableError as error:
        raise UnreadableReplyError(error.message) from None
    except ManifestError as error:
        if error.mistakes[0].message != yamlreader.NONE:
            raise UnreadableReplyError(yamlwords.server_message(body, error.mistakes[0].message)) from None
        value = None
    return ReplyBody({} if value is None else value, text, is_json)


def find_text(body: ReplyBody, value: JSONValue, *path: str | int) -> str:
    """
    Return the text of a value in a body; for a body in YAML, the JSON of the server.

    Args:
        body: The body.
        value: The value.
        path: The keys and indices of the value in the body; the last of equal keys counts.
    """
    if not body.is_json:
        return printing.marshal(value)
    start = jsonreader.skip_blank(body.text, 0)
    for step in path:
        start = _find_start(body.text, start, step)
    return body.text[start : _SCAN(body.text, start)[1]]


_SCAN: Final = json.JSONDecoder().raw_decode


def _find_start(text: str, start: int, step: str | int) -> int:
    """Return the index of the value under a key or an index of the object or list at *start*."""
    is_object, value_start = text[start] == "{", start
    position = jsonreader.skip_blank(text, start + 1)
    index = 0
    while text[position] not in "]}":
        key: JSONValue = index
        if is_object:
            key, position = _SCAN(text, position)
            position = jsonreader.skip_blank(text, jsonreader.skip_blank(text, position) + 1)
        value_start = position if key == step else value_start
        position = jsonreader.skip_blank(text, _SCAN(text, position)[1])
        if text[position] == ",":
            position = jsonreader.skip_blank(text, position + 1)
        index += 1
    return value_start


def plain(value: JSONValue) -> JSONValue:
    """Return a decoded value without the spellings of its text."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return float(value) if isinstance(value, SentNumber) else value
