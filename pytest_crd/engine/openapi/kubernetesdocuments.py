"""
OpenAPI documents of the built-in kinds, for each Kubernetes version.

They are read on first use. Values that occur several times, in the documents of all versions, are stored once and shared in the
results: nobody may change them.
"""

from __future__ import annotations

import functools
import gzip
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile

# The key of a number, as stored numbers are references to shared values.
NUMBER: Final = "="
# The path of the document of version 2.
VERSION_2: Final = "v2"
_FILE: Final = "kubernetesdocuments.json.gz"


@functools.cache
def of_version(profile: Profile) -> Mapping[str, Any]:
    """
    Return the documents of a server by path: `api/v1`, `apis/apps/v1` and others in version 3, and `v2`.

    In `v2` are the parts that do not follow from the others; of a server without version 3 it is the whole document.
    """
    return unpack(_packed(), profile.recorded_version)


def _packed() -> Mapping[str, Any]:
    """Return the stored documents of all versions; the output of `python -m oracle record kubernetesdocuments`."""
    packed: Mapping[str, Any] = json.loads(gzip.decompress(resources.files(__package__).joinpath(_FILE).read_bytes()))
    return packed


def unpack(packed: Mapping[str, Any], version: str) -> Mapping[str, Any]:
    """Return the documents of a version from the stored form, in which a number is the index of a shared value."""
    shared: dict[int, JSONValue] = {}

    def unpacked(value: JSONValue) -> JSONValue:
        if type(value) is int:
            if value not in shared:
                shared[value] = unpacked(packed["shared"][value])
            return shared[value]
        if isinstance(value, dict):
            return value[NUMBER] if NUMBER in value else {key: unpacked(item) for key, item in value.items()}
        return [unpacked(item) for item in value] if isinstance(value, list) else value

    documents: Mapping[str, Any] = unpacked(packed["versions"][version])
    return documents
