"""
Forms of events: `v1`, which is stored, and `events.k8s.io/v1`.

Reference:
    kubernetes pkg/apis/events/v1/conversion.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.golang import decoding
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import builtingotypes

GROUP: Final = "events.k8s.io"
STORED: Final = "v1"
NEW: Final = f"{GROUP}/v1"
_KIND: Final = "Event"
# Renamed fields of events in `events.k8s.io`, with their names in the stored `v1` form.
_FIELDS: Final[Mapping[str, str]] = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_STORED_FIELDS: Final = {name: renamed for renamed, name in _FIELDS.items()}


def convert(event: Resource, api_version: str, profile: Profile) -> Resource:
    """Return an event in the other apiVersion."""
    names = _FIELDS if api_version == STORED else _STORED_FIELDS
    renamed = {names.get(key, key): value for key, value in event.items()}
    go_type = builtingotypes.of_kind(api_version, _KIND, profile)
    return {**decoding.decode(renamed, go_type).value, "apiVersion": api_version}
