"""
Conversations with a server: requests of HTTP by some clients, and watches beside, in the form in which they are recorded and compared.

A request is a mapping: `method`, `path`, and perhaps `body`, `mediaType`, `accept`, `agent`, `headers`, `leaveOut`, the fields of which the answer is
not compared, and `pause`, the seconds that a cluster is given before it is asked. In paths and bodies stand `{ns}` for the
namespace of the conversation, and `{rv:N}`, `{uid:N}`, `{continue:N}` for what answer N said. A `watch` is a request whose events are those that come
until the conversation ends; the answer says `ended` where the server has ended it before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import yaml

JSONValue = Any
Request = Mapping[str, Any]

NAMESPACE: Final = "conversation"
_PLACEHOLDER: Final = re.compile(r"\{(ns|rv:\d+|uid:\d+|continue:\d+)\}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_UID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_QUOTED: Final = re.compile(r'(resourceVersion\\{3,}":\\{3,}")\d+')
_AGE: Final = re.compile(r"\A(<invalid>|\d+s)\Z")
_GENERATED: Final = re.compile(r"\b(gen-)[bcdfghjklmnpqrstvwxz2456789]{5}\b")
_CALLED: Final = re.compile(r"(conversion webhook for .+ failed:) .*", re.DOTALL)
_HEADERS: Final = ("content-type", "warning", "retry-after", "content-encoding")


class Raw(NamedTuple):
    """
    What comes back.

    Attributes:
        code: The HTTP code.
        headers: The headers, names in lower case, those that come several times in one list.
        text: What the body says.
        ended: Whether it is a watch that the server has ended, without an error.
    """

    code: int
    headers: Mapping[str, Sequence[str]]
    text: str
    ended: bool = False


Send = Callable[[Request], "Raw | Callable[[], Raw]"]


def run(requests: Sequence[Request], send: Send, *, namespace: str = NAMESPACE) -> list[JSONValue]:
    """
    Return the answers to a conversation, without what differs from one time to the next.

    Args:
        requests: The requests.
        send: Returns what comes back; of a watch what returns that in the end.
        namespace: What stands for `{ns}`.
    """
    said: list[JSONValue] = []
    raws: list[Any] = []
    for asked in requests:
        raw = send(_filled(asked, said, namespace))
        raws.append(raw)
        said.append(_value(raw.text) if isinstance(raw, Raw) else None)
    whole = [raw if isinstance(raw, Raw) else raw() for raw in raws]
    normal = _Normal(namespace)
    return [normal.answer(raw, asked) for raw, asked in zip(whole, requests, strict=True)]


def _filled(asked: Request, said: Sequence[JSONValue], namespace: str) -> Request:
    def value_of(match: re.Match[str]) -> str:
        what, _, number = match[1].partition(":")
        if what == "ns":
            return namespace
        value = said[int(number)]
        metadata = value.get("metadata") or {} if isinstance(value, dict) else {}
        key = {"rv": "resourceVersion", "uid": "uid", "continue": "continue"}[what]
        return str(metadata.get(key, ""))

    return {
        key: _PLACEHOLDER.sub(value_of, value)
        if isinstance(value, str)
        else json.loads(_PLACEHOLDER.sub(value_of, json.dumps(value)))
        for key, value in asked.items()
    }


def _value(text: str) -> JSONValue:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_periodic(event: JSONValue) -> bool:
    """Return whether an event only says how far a watch is, which a server says now and then."""
    shown = event["object"]
    if shown.get("kind") == "Table":
        shown = shown["rows"][0]["object"]
    return event["type"] == "BOOKMARK" and not (shown.get("metadata") or {}).get("annotations")


def _message(status: JSONValue) -> str:
    """Return the message of a Status, of which several causes come in any order."""
    causes = (status.get("details") or {}).get("causes") or []
    message = re.sub(
        r"(precondition:?|record|meta:|current:|Version:|old resource version:) ?\(?\d+( \(\d+\))?\)?",
        r"\1 N",
        status["message"],
    )
    # Ours calls no webhook, and says so instead of why one did not answer.
    message = _CALLED.sub(r"\1 WHY", message)
    message = _GENERATED.sub(r"\1xxxxx", message)
    if message.startswith(
        "failed to create typed patch object"
    ):  # fields are looked at in any order, until one is unknown
        return message.partition("): ")[0]
    if len(causes) > 1:
        causes.sort(key=json.dumps)
        return message.partition(" is invalid: ")[0]
    return message


class _Normal:
    """Brings the answers of a conversation into one form, whoever gave them."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._uids: dict[str, str] = {}
        self._versions: dict[str, str] = {}

    def answer(self, raw: Raw, asked: Request) -> JSONValue:
        found: dict[str, JSONValue] = {"code": raw.code}
        headers = {name: [*raw.headers[name]] for name in _HEADERS if raw.headers.get(name)}
        if headers.get("content-type") == ["application/json"]:
            del headers["content-type"]
        if headers:
            found["headers"] = json.loads(self._text(json.dumps(headers)))
        if asked.get("watch") and raw.code == 200:
            lines = [json.loads(self._text(line)) for line in raw.text.splitlines() if line.strip()]
            found["events"] = [self._value(one, asked) for one in lines if not _is_periodic(one)]
            if raw.ended:
                found["ended"] = True
        else:
            text = self._text(raw.text)
            is_yaml = "application/yaml" in raw.headers.get("content-type", ())
            found["body"] = self._value(yaml.safe_load(text) if is_yaml else _value(text), asked)
        return found

    def _text(self, text: str) -> str:
        text = _QUOTED.sub(r"\1N", _TIME.sub("TIME", text.replace(self._namespace, "NAMESPACE")))
        return _UID.sub(lambda match: self._uids.setdefault(match[0], f"uid-{len(self._uids) + 1}"), text)

    def _value(self, value: JSONValue, asked: Request) -> JSONValue:
        if isinstance(value, list):
            return [self._value(item, asked) for item in value]
        if not isinstance(value, dict):
            if isinstance(value, str):
                return "AGE" if _AGE.match(value) else _GENERATED.sub(r"\1xxxxx", value)
            return value
        without = asked.get("leaveOut", ())
        found = {key: self._value(item, asked) for key, item in value.items() if key not in without}
        if isinstance(found.get("managedFields"), list):  # which are ordered by times, too
            found["managedFields"].sort(key=lambda one: json.dumps(one, sort_keys=True))
        if isinstance(found.get("resources"), list):  # of discovery, in no order
            found["resources"].sort(key=lambda one: str(one["name"]))
        version = value.get("resourceVersion")
        if isinstance(version, str):
            found["resourceVersion"] = self._version(version, value)
        if value.get("continue"):
            found["continue"] = "CONTINUE"
        if isinstance(found.get("message"), str):
            found["message"] = _message(found)
        return found

    def _version(self, version: str, holder: Mapping[str, JSONValue]) -> str:
        """Return which one of the versions of objects it is; those of lists are only told from none."""
        if "name" not in holder:
            return "OF-LIST" if version else ""
        return self._versions.setdefault(version, f"rv-{len(self._versions) + 1}")
