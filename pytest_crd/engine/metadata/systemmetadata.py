"""
Metadata that only the server sets: its types, and its values after a create and an update.

`registry.fieldmanager` computes managed fields, and the store assigns resourceVersion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.golang.gotypes import INT64, STRING, TIME, GoType
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue

UID: Final = gotypes.string("types.UID")
# The types of the fields, in their order in ObjectMeta.
TYPES: Final[Mapping[str, GoType]] = {
    "selfLink": STRING,
    "uid": UID,
    "resourceVersion": STRING,
    "generation": INT64,
    "creationTimestamp": TIME,
}
# All fields, which responses here omit and cases do not compare.
SERVER_MADE: Final = frozenset({*TYPES, "managedFields"})
# The fields of metadata without a field manager: apimachinery managedfields/internal/stripmeta.go.
UNOWNED: Final = SERVER_MADE | {"name", "namespace", "clusterName"}


def of_created(uid: str, now: str, generation: int | None = 1) -> dict[str, JSONValue]:
    """
    Return the generated metadata of a new object.

    Args:
        uid: A new uid.
        now: The time.
        generation: The generation; None for kinds without one.

    Reference:
        apiserver registry/rest/meta.go, FillObjectMetaSystemFields; apiextensions-apiserver registry/customresource/strategy.go, PrepareForCreate.
    """
    return {"creationTimestamp": now, **({"generation": generation} if generation else {}), "uid": uid}


def of_updated(old_metadata: Mapping[str, JSONValue], *, generates: bool) -> dict[str, JSONValue]:
    """
    Return the generated metadata of an updated object.

    Args:
        old_metadata: The stored metadata; absent values stay absent.
        generates: Whether to increment the generation.

    Reference:
        apiserver registry/rest/update.go, BeforeUpdate.
    """
    metadata = {key: old_metadata[key] for key in ("creationTimestamp", "generation", "uid") if old_metadata.get(key)}
    if generates and "generation" in metadata:
        metadata["generation"] += 1
    return metadata


def generates(resource: Resource, old: Resource) -> bool:
    """
    Return whether an update to *resource* increments the generation of *old*: it changes more than metadata.

    Reference:
        apiextensions-apiserver registry/customresource/strategy.go, PrepareForUpdate.
    """
    return not jsonvalue.equal({**resource, "metadata": None}, {**old, "metadata": None})
