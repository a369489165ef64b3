"""
Scripted webhooks, whose responses are data, so that a recorder and a test get the same ones.

A script has the behaviour of each hook by its name, which is the end of its path. A behaviour is a mapping, or a list
whose last item repeats. Without keys, an admission webhook allows a request, and a conversion webhook changes only the
apiVersion. The keys:

- `patch`: a JSON patch, and `patchText`: the text of a patch in any form;
- `to`: edits of each converted object, by the version, and `of`: further ones by the name of the object;
- `edit`: edits of the whole review in the response;
- `body`: a text instead of a review; `{uid}` stands for that of the review;
- `status`, `contentType`: of the HTTP response;
- `delay`: the seconds before the response;
- `error`: no response, but this error of Go's HTTP client. The reason is `cut`, the end of the connection `before` or
  `inside` the response, or `delay`. Without both, the address does not answer, and the hook is never called.

An edit has one of the keys `set` with `value`, `remove`, and `move` with `to`. They take JSON pointers; an edit at a
missing place changes nothing.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

Behaviour = Mapping[str, Any]

KEYS: Final = frozenset(
    {"patch", "patchText", "to", "of", "edit", "body", "status", "contentType", "delay", "error", "cut"}
)


class Reply(NamedTuple):
    """
    The response of a scripted webhook.

    Attributes:
        status: The HTTP code.
        body: The body.
        content_type: The header Content-Type; empty without one.
        delay: The seconds before the response.
        error: The error of Go's HTTP client if there is no response, or empty.
        cut: Where the connection ends: `before` or `inside` the response, or empty.
    """

    status: int
    body: bytes
    content_type: str
    delay: float
    error: str
    cut: str


class Call(NamedTuple):
    """
    A call of a webhook.

    Attributes:
        hook: The name of the hook.
        query: The query of the URL.
        review: The received review.
    """

    hook: str
    query: str
    review: Any


class Script:
    """
    The webhooks of a conversation.

    Attributes:
        first: The name of the first hook.
        calls: The calls since the last `take`.
    """

    def __init__(self, hooks: Mapping[str, Behaviour | Sequence[Behaviour]]) -> None:
        """
        Take the behaviours by the names of the hooks.

        Raises:
            ValueError: A behaviour has an unknown key.
        """
        self._hooks = {name: [*value] if isinstance(value, Sequence) else [value] for name, value in hooks.items()}
        unknown = {key for behaviours in self._hooks.values() for behaviour in behaviours for key in behaviour} - KEYS
        if unknown:
            raise ValueError(f"unknown keys of behaviours: {sorted(unknown)}")
        self.first = next(iter(hooks), "")
        self.calls: list[Call] = []

    def reply(self, hook: str, query: str, body: bytes) -> Reply:
        """Return the response of *hook* to a review, and note the call."""
        review = json.loads(body)
        behaviours = self._hooks[hook]
        behaviour = behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]
        reply = _reply(behaviour, review)
        if not reply.error or reply.cut or reply.delay:
            self.calls.append(Call(hook, query, review))
        return reply

    def take(self) -> list[Call]:
        """Return the calls since the last one, and forget them."""
        calls, self.calls = self.calls, []
        return calls


def edit(document: Any, edits: Sequence[Mapping[str, Any]]) -> Any:
    """Return a copy of *document* with *edits*."""
    root = {"": json.loads(json.dumps(document))}
    for step in edits:
        if "set" in step:
            _set(root, step["set"], step["value"])
        elif "remove" in step:
            _take(root, step["remove"])
        else:
            value = _take(root, step["move"])
            if value is not _MISSING:
                _set(root, step["to"], value)
    return root[""]


_MISSING: Final = object()


def _reply(behaviour: Behaviour, review: Any) -> Reply:
    text = behaviour.get("body")
    if text is None:
        text = json.dumps(edit(_answer(behaviour, review), behaviour.get("edit", ())))
    return Reply(
        behaviour.get("status", 200),
        text.replace("{uid}", review["request"]["uid"]).encode(),
        behaviour.get("contentType", "application/json"),
        behaviour.get("delay", 0.0),
        behaviour.get("error", ""),
        behaviour.get("cut", ""),
    )


def _answer(behaviour: Behaviour, review: Any) -> Any:
    request = review["request"]
    response: dict[str, Any] = {"uid": request["uid"]}
    if review["kind"] == "ConversionReview":
        desired = request["desiredAPIVersion"]
        edits = behaviour.get("to", {}).get(desired.rpartition("/")[2], ())
        by_name = behaviour.get("of", {})
        converted = [
            edit({**object_, "apiVersion": desired}, [*edits, *by_name.get(_name_of(object_), ())])
            for object_ in request["objects"]
        ]
        response |= {"convertedObjects": converted, "result": {"status": "Success"}}
    else:
        response["allowed"] = True
        if "patch" in behaviour or "patchText" in behaviour:
            patch = behaviour.get("patchText", json.dumps(behaviour.get("patch")))
            response |= {"patchType": "JSONPatch", "patch": base64.b64encode(patch.encode()).decode()}
    return {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}


def _name_of(object_: Any) -> Any:
    """Return the name of an object; None if a webhook for admission left no metadata."""
    metadata = object_.get("metadata")
    return metadata.get("name") if isinstance(metadata, dict) else None


def _set(root: Any, pointer: str, value: Any) -> None:
    parent, key = _parent(root, pointer)
    if isinstance(parent, dict):
        parent[key] = value
    elif isinstance(parent, list):
        if key == "-":
            parent.append(value)
        elif _has_item(parent, key):
            parent[int(key)] = value


def _take(root: Any, pointer: str) -> Any:
    parent, key = _parent(root, pointer)
    if isinstance(parent, dict):
        return parent.pop(key, _MISSING)
    if _has_item(parent, key):
        return parent.pop(int(key))
    return _MISSING


def _has_item(place: Any, step: str) -> bool:
    return isinstance(place, list) and step.isdigit() and int(step) < len(place)


def _parent(root: Any, pointer: str) -> tuple[Any, str]:
    *parents, key = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")]
    place = root
    for step in parents:
        if isinstance(place, dict):
            place = place.get(step)
        elif _has_item(place, step):
            place = place[int(step)]
        else:
            place = None
    return place, key
