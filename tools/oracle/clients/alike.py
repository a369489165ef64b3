"""
What of a conversation can be held against the same one with another server.

Times, addresses, tokens of lists and made-up ends of names are taken out. Of a uid stays which others are the same. Of a
resourceVersion stays how many writes that the client has seen come before it: those of objects stand in their order, that of a list
stands behind the last write that it knows.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from oracle.clients.notes import Step

JSONValue = Any
_UID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NORMAL: Final = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?"), "TIME"),
    (re.compile(r"(too old resource version: \d+) \(\d+\)"), r"\1 (RV)"),
    (re.compile(r"(does not match the ResourceVersion in record) \(\d+\)"), r"\1 (RV)"),
    (re.compile(r"(Too large resource version: \d+, current: )\d+"), r"\1RV"),
)


def comparable(steps: Sequence[Step], url: str) -> list[Step]:
    """Return the steps of a conversation with the server at *url*, without what is otherwise on any other server."""
    known = [one for step in steps for one in _metadata(step.got)]
    versions = sorted({int(one["resourceVersion"]) for one in known if _written(one)})
    made = {one["name"]: f"{one['generateName']}MADE" for one in known if one.get("generateName")}
    normal = _Normal({url: "SERVER", **made}, versions)
    return [step._replace(got=normal.value(step.got)) for step in steps]


def shown(step: Step | None) -> list[str]:
    """Return the lines of what a client got; none where it did not come to the step."""
    return [] if step is None else json.dumps(step.got, indent=1, sort_keys=True).splitlines()


def _metadata(value: JSONValue) -> Iterator[JSONValue]:
    """Yield all metadata with a resourceVersion."""
    if isinstance(value, list):
        for item in value:
            yield from _metadata(item)
    elif isinstance(value, dict):
        if value.get("resourceVersion"):
            yield value
        for item in value.values():
            yield from _metadata(item)


def _written(metadata: JSONValue) -> bool:
    """Return whether metadata is that of an object, which a write has made; lists and bookmarks have no name."""
    return "name" in metadata


class _Normal:
    """What is put in place of what differs."""

    def __init__(self, words: Mapping[str, str], versions: Sequence[int]) -> None:
        """Take what stands in place of which words, and the versions of all writes that were seen."""
        self._words, self._versions, self._uids = words, versions, dict[str, str]()

    def value(self, value: JSONValue) -> JSONValue:
        if isinstance(value, dict):
            return self._fields({key: value[key] for key in sorted(value)})
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return self._text(value) if isinstance(value, str) else value

    def _fields(self, fields: dict[str, JSONValue]) -> JSONValue:
        if fields.get("continue"):
            fields["continue"] = "CONTINUE"
        if str(version := fields.get("resourceVersion", "")).isdigit():
            fields["resourceVersion"] = f"after {bisect.bisect_right(self._versions, int(version))} writes"
        return {key: self.value(item) for key, item in fields.items()}

    def _text(self, text: str) -> str:
        for word, put in self._words.items():
            text = text.replace(word, put)
        for pattern, put in _NORMAL:
            text = pattern.sub(put, text)
        return _UID.sub(lambda found: self._uids.setdefault(found[0], f"UID {len(self._uids)}"), text)
