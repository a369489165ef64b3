"""
Normalization of conversations, for comparison with the same conversation on another server.

Times, addresses, continue tokens and generated name suffixes are replaced. A uid is replaced by its number of first
appearance. A resourceVersion is replaced by the number of preceding writes that the client has seen: the versions of
objects are sorted, and the version of a list counts all writes up to it.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from oracle.clients.notes import Step
from pytest_crd.engine.jsonvalue import JSONValue

_UID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NORMAL: Final = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?"), "TIME"),
    (re.compile(r"(too old resource version: \d+) \(\d+\)"), r"\1 (RV)"),
    (re.compile(r"(does not match the ResourceVersion in record) \(\d+\)"), r"\1 (RV)"),
    (re.compile(r"(Too large resource version: \d+, current: )\d+"), r"\1RV"),
)


def normalize(steps: Sequence[Step], url: str) -> list[Step]:
    """Return the steps of a conversation with the server at *url*, with all values replaced that differ between servers."""
    metadata = [item for step in steps for item in _metadata(step.result)]
    versions = sorted({int(item["resourceVersion"]) for item in metadata if _is_object(item)})
    generated = {item["name"]: f"{item['generateName']}MADE" for item in metadata if item.get("generateName")}
    normalizer = _Normalizer({url: "SERVER", **generated}, versions)
    return [step._replace(result=normalizer.value(step.result)) for step in steps]


def format_result(step: Step | None) -> list[str]:
    """Return the result of a step as lines of JSON, empty if the client did not reach the step."""
    return [] if step is None else json.dumps(step.result, indent=1, sort_keys=True).splitlines()


def _metadata(value: JSONValue) -> Iterator[JSONValue]:
    """Yield all mappings with a resourceVersion."""
    if isinstance(value, list):
        for item in value:
            yield from _metadata(item)
    elif isinstance(value, dict):
        if value.get("resourceVersion"):
            yield value
        for item in value.values():
            yield from _metadata(item)


def _is_object(metadata: JSONValue) -> bool:
    """Return True for metadata of an object; lists and bookmarks have no name."""
    return "name" in metadata


class _Normalizer:
    """Replaces texts and resourceVersions that differ between servers."""

    def __init__(self, words: Mapping[str, str], versions: Sequence[int]) -> None:
        """Take replacements of texts, and the sorted resourceVersions of all writes."""
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
        for word, replacement in self._words.items():
            text = text.replace(word, replacement)
        for pattern, replacement in _NORMAL:
            text = pattern.sub(replacement, text)
        return _UID.sub(lambda match: self._uids.setdefault(match[0], f"UID {len(self._uids)}"), text)
