"""The metadata that a server makes of an object: uid, creationTimestamp, generation; managed fields are made in `apply`."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue


def of_created(*, uid: str, now: str) -> dict[str, JSONValue]:
    """
    Return what a server makes of an object that is created.

    Args:
        uid: A new uid.
        now: The time.

    Reference:
        apiserver registry/rest/meta.go, FillObjectMetaSystemFields; apiextensions-apiserver
        registry/customresource/strategy.go, PrepareForCreate.
    """
    return {"creationTimestamp": now, "generation": 1, "uid": uid}


def of_updated(old_metadata: Mapping[str, JSONValue], *, generates: bool) -> dict[str, JSONValue]:
    """
    Return what a server makes of an object that is updated.

    Args:
        old_metadata: The stored one; what it has nothing of is not made either.
        generates: Whether the generation counts on.

    Reference:
        apiserver registry/rest/update.go, BeforeUpdate.
    """
    made = {key: old_metadata[key] for key in ("creationTimestamp", "generation", "uid") if old_metadata.get(key)}
    if generates and "generation" in made:
        made["generation"] += 1
    return made


def generates(resource: Resource, old: Resource) -> bool:
    """
    Return whether an update to *resource* makes a new generation of *old*: it changes something beside the metadata.

    Reference:
        apiextensions-apiserver registry/customresource/strategy.go, PrepareForUpdate.
    """
    return not jsonvalue.equal({**resource, "metadata": None}, {**old, "metadata": None})
