"""
Conversations with a server, in the form in which they are recorded and compared.

A conversation has HTTP requests and watches of several clients.

A request is a mapping with `method` and `path`, and optionally `body`, `mediaType`, `accept`, `agent`, `headers`,
`impersonation`, `leaveOut`, `varies` and `pause`. `impersonation` has pairs of a header `impersonate-…` and its value. `leaveOut` has fields of the answer to ignore. `varies` is true if the server names a random
one of several unknown fields, so that the name is not compared. `pause` has the seconds to wait before the request. In paths and bodies `{ns}` stands for the namespace of the conversation, and `{rv:N}`, `{uid:N}` and
`{continue:N}` for values in answer N. The events of a `watch` are collected until the conversation ends; the answer has
`ended` if the server ended the watch before.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import yaml

from conformance import sequences
from pytest_crd.engine.jsonvalue import JSONValue

Request = Mapping[str, Any]

NAMESPACE: Final = "conversation"
_PLACEHOLDER: Final = re.compile(r"\{(ns|rv:\d+|uid:\d+|continue:\d+)\}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_UID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_QUOTED: Final = re.compile(r'(resourceVersion\\{3,}":\\{3,}")(\d+|revision-\d+)')
# The end of a list of managed fields in a quoted object is that of its last entry, whose time or subresource is its last field.
_QUOTED_MANAGERS: Final = re.compile(r'(\\?)"managedFields\1":(\[\{\1"apiVersion.*?"TIME\1"\}\])')
_AGE: Final = re.compile(r"\A(<invalid>|\d+s)\Z")
_GENERATED: Final = re.compile(r"\b(gen-)[bcdfghjklmnpqrstvwxz2456789]{5}\b")
_CALLED: Final = re.compile(r"(conversion webhook for .+ failed:) .*", re.DOTALL)
_REASON: Final = re.compile(r"(failed to [^:]*(?:object|\)): ).*", re.DOTALL)
_HEADERS: Final = ("content-type", "warning", "retry-after", "content-encoding")


class Raw(NamedTuple):
    """
    A response.

    Attributes:
        code: The HTTP code.
        headers: The headers with lower-case names, each with the list of its values.
        text: The body.
        ended: Whether the server ended a watch without an error.
    """

    code: int
    headers: Mapping[str, Sequence[str]]
    text: str
    ended: bool = False


Send = Callable[[Request], "Raw | Callable[[], Raw]"]


def run(requests: Sequence[Request], send: Send, *, namespace: str = NAMESPACE) -> list[JSONValue]:
    """
    Return the answers to a conversation, without values that differ between runs.

    Args:
        requests: The requests.
        send: Returns the response, or for a watch a function that returns it at the end.
        namespace: The value of `{ns}`.
    """
    raws: list[Any] = []
    for request in requests:
        raws.append(send(fill(request, raws, namespace)))
    whole = [raw if isinstance(raw, Raw) else raw() for raw in raws]
    normalizer = Normalizer(namespace)
    return [normalizer.answer(raw, request) for raw, request in zip(whole, requests, strict=True)]


def body_of(raw: Any) -> JSONValue:
    """Return the decoded body of a response; None for a watch."""
    return _value(raw.text) if isinstance(raw, Raw) else None


def fill(request: Request, raws: Sequence[Any], namespace: str) -> Request:
    """Return a request with its placeholders filled from the answers before."""

    def value_of(match: re.Match[str]) -> str:
        placeholder, _, number = match[1].partition(":")
        if placeholder == "ns":
            return namespace
        value = body_of(raws[int(number)])
        metadata = value.get("metadata") or {} if isinstance(value, dict) else {}
        key = {"rv": "resourceVersion", "uid": "uid", "continue": "continue"}[placeholder]
        return str(metadata.get(key, ""))

    def filled(value: Any) -> Any:
        if isinstance(value, str):
            return _PLACEHOLDER.sub(value_of, value)
        text = json.dumps(value)
        whole = _PLACEHOLDER.sub(value_of, text)
        return value if whole == text else json.loads(whole)

    return {key: filled(value) for key, value in request.items()}


def _value(text: str) -> JSONValue:
    try:
        return json.loads(text)
    except ValueError:
        return text


def load_yaml(text: str) -> Any:
    """Return the decoded value of a YAML text."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe one


def _is_periodic(event: JSONValue) -> bool:
    """Return True for a bookmark that only reports progress, which servers send from time to time."""
    object_ = event["object"]
    if object_.get("kind") == "Table":
        object_ = object_["rows"][0]["object"]
    return event["type"] == "BOOKMARK" and not ((object_ or {}).get("metadata") or {}).get("annotations")


def _message(status: JSONValue, *, calls_webhooks: bool) -> str:
    """Return the message of a Status without its causes, if it has several, which are in any order."""
    causes = (status.get("details") or {}).get("causes") or []
    message = re.sub(
        r"(precondition:?|record|meta:|current:|Version:|old resource version:|revision=) ?\(?\d+( \(\d+\))?\)?",
        r"\1 N",
        status["message"],
    )
    # Without webhooks, our server says that it calls none, instead of why the webhook did not answer.
    message = message if calls_webhooks else _CALLED.sub(r"\1 WHY", message)
    message = _sort_quoted_managers(_GENERATED.sub(r"\1xxxxx", message))
    if len(causes) > 1:
        causes.sort(key=json.dumps)
        return message.partition(" is invalid: ")[0]
    return sequences.sort_lines(message)


def _sort_quoted_managers(text: str) -> str:
    """Return a text with the managed fields of quoted objects sorted, as their order depends on times."""

    def sort(match: re.Match[str]) -> str:
        is_escaped = match[1] == "\\"
        written = json.loads(f'"{match[2]}"') if is_escaped else match[2]
        entries = sorted(json.loads(written), key=json.dumps)
        sorted_text = json.dumps(entries, separators=(",", ":"), ensure_ascii=False)
        return f'{match[1]}"managedFields{match[1]}":' + (json.dumps(sorted_text)[1:-1] if is_escaped else sorted_text)

    return _QUOTED_MANAGERS.sub(sort, text)


def undeclared(raw: Raw) -> str:
    """Return the message about a field that the schema does not have; empty for other answers."""
    value = _value(raw.text)
    message = str(value.get("message", "")) if isinstance(value, dict) else ""
    return sequences.sort_lines(message) if "field not declared in schema" in message else ""


def without_reason(message: str) -> str:
    """Return a message about an apply or update without its reason."""
    return _REASON.sub(r"\1WHY", message)


def _hash(stored_kind: str) -> str:
    """Return the storageVersionHash of a kind in discovery, written as `group/version/kind`."""
    return base64.b64encode(hashlib.sha256(stored_kind.encode()).digest()[:8]).decode()


class Normalizer:
    """Normalizes the answers of a conversation."""

    def __init__(self, namespace: str, *, calls_webhooks: bool = False) -> None:
        """
        Take the namespace of the conversation.

        Args:
            namespace: The namespace.
            calls_webhooks: Whether webhooks are called, so that messages have the reason of a failed conversion.
        """
        self._namespace = namespace
        self._calls_webhooks = calls_webhooks
        self._hashes = {
            _hash(f"{namespace}.example.com/{version}/Thing"): f"hash-{version}" for version in ("v1", "v2")
        }
        self._uids: dict[str, str] = {}
        self._versions: dict[str, str] = {}

    def answer(self, raw: Raw, request: Request) -> JSONValue:
        """Return an answer without values that differ between runs."""
        answer_: dict[str, JSONValue] = {"code": raw.code}
        headers = {name: [*raw.headers[name]] for name in _HEADERS if raw.headers.get(name)}
        if headers.get("content-type") == ["application/json"]:
            del headers["content-type"]
        if headers:
            answer_["headers"] = json.loads(self._text(json.dumps(headers)))
        if request.get("watch") and raw.code == 200:
            lines = [json.loads(self._text(line)) for line in raw.text.splitlines() if line.strip()]
            answer_["events"] = [self._value(event, request) for event in lines if not _is_periodic(event)]
            if raw.ended:
                answer_["ended"] = True
        else:
            text = self._text(raw.text)
            is_yaml = "application/yaml" in raw.headers.get("content-type", ())
            answer_["body"] = self._value(load_yaml(text) if is_yaml else _value(text), request)
        return answer_

    def value(self, text: str) -> JSONValue:
        """Return a JSON text as a value without values that differ between runs."""
        return self._value(json.loads(self._text(text)), {})

    def _text(self, text: str) -> str:
        for hash_, name in self._hashes.items():
            text = text.replace(hash_, name)
        text = _QUOTED.sub(r"\1N", _TIME.sub("TIME", text.replace(self._namespace, "NAMESPACE")))
        return _UID.sub(lambda match: self._uids.setdefault(match[0], f"uid-{len(self._uids) + 1}"), text)

    def _value(self, value: JSONValue, request: Request) -> JSONValue:
        if isinstance(value, str):
            return _GENERATED.sub(r"\1xxxxx", value) if "gen-" in value else value
        if isinstance(value, list):
            return [self._value(item, request) for item in value]
        if not isinstance(value, dict):
            return value
        without = request.get("leaveOut", ())
        fields = {key: self._value(item, request) for key, item in value.items() if key not in without}
        if isinstance(fields.get("cells"), list):  # of a table
            fields["cells"] = ["AGE" if _AGE.match(str(cell)) else cell for cell in fields["cells"]]
        if isinstance(fields.get("managedFields"), list):  # their order depends on times
            fields["managedFields"].sort(key=lambda entry: json.dumps(entry, sort_keys=True))
        if fields.get("kind") == "APIResourceList":  # discovery has no order
            fields["resources"].sort(key=lambda resource: str(resource["name"]))
        version = value.get("resourceVersion")
        if isinstance(version, str):
            fields["resourceVersion"] = self._version(version, value)
        if value.get("continue"):
            fields["continue"] = "CONTINUE"
        if isinstance(fields.get("message"), str):
            message = _message(fields, calls_webhooks=self._calls_webhooks)
            fields["message"] = without_reason(message) if request.get("varies") else message
        return fields

    def _version(self, version: str, holder: Mapping[str, JSONValue]) -> str:
        """
        Return the number of an object's resourceVersion. The version of a list is only distinguished from an empty one.

        The version of a list is only distinguished from an empty one.
        """
        if "name" not in holder:
            return "OF-LIST" if version else ""
        return self._versions.setdefault(version, f"rv-{len(self._versions) + 1}")
