"""
Forms of Events: `v1` in the store, and `events.k8s.io/v1` with other names of fields.

Reference:
    kubernetes pkg/apis/events/v1/conversion.go.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.golang import decoding
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import builtingotypes

PLURAL: Final = "events"
GROUP: Final = "events.k8s.io"
GROUPS: Final = ("", GROUP)
"""The groups that serve Events."""

_KIND: Final = "Event"
# Fields of `events.k8s.io`, with their names in `v1`.
_STORED_NAMES: Final = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_NAMES: Final = {stored_name: name for name, stored_name in _STORED_NAMES.items()}


def convert(value: JSONObject, api_version: str, profile: Profile) -> dict[str, JSONValue]:
    """Return an Event in another apiVersion."""
    names = _NAMES if api_version.startswith(GROUP) else _STORED_NAMES
    renamed = {names.get(key, key): item for key, item in value.items()}
    form = decoding.decode(renamed, builtingotypes.of_kind(api_version, _KIND, profile)).value
    return {"kind": _KIND, **form, "apiVersion": api_version}
