"""
Effects of an upgrade on one object of a user: a manifest in a repository, or an object that a cluster stores.

The object is stored under the old CRD. Then it is read, applied again, and written by a controller under the new CRD.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.engine import CrdVersion, CustomResourceDefinition, Response
from pytest_crd.engine.registry import resourcerules
from pytest_crd.upgrades import effects, storedobjects
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Effect, Kind, Resource, path_of

UNSERVED: Final = "unserved"
REFUSED: Final = "refused"
LOST: Final = "lost"
CHANGED: Final = "changed"
ADDED: Final = "added"
UNCHANGED: Final = "unchanged"
OUTCOMES: Final = (UNSERVED, REFUSED, LOST, CHANGED, ADDED, UNCHANGED)
"""The outcomes, the worst first."""
BREAKING: Final = frozenset({UNSERVED, REFUSED, LOST, CHANGED})

_READ_OUTCOMES: Final = {Kind.DATA_LOSS: LOST, Kind.CHANGED: CHANGED, Kind.WIDENED: ADDED}
_NEXT_APPLY: Final = "the next apply"
_NEXT_WRITE: Final = "the next write of a controller"
_NEXT_STATUS: Final = "the next write of the status"
_MANAGER: Final = "kubectl"
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
# Fields that a manifest does not have.
_OF_SERVER: Final = frozenset(
    {"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields"}
    | {"resourceVersion", "selfLink", "uid"}
)


class ObjectEffect(NamedTuple):
    """
    An effect on an object.

    Attributes:
        outcome: One of `OUTCOMES`.
        words: The effect in words.
        requests: The requests that are refused, in words; empty for other outcomes.
    """

    outcome: str
    words: str
    requests: tuple[str, ...] = ()


class ObjectUpgrade(NamedTuple):
    """
    The effects of an upgrade on an object.

    Attributes:
        effects: The effects, the worst first.
        unjudged: Why the effects are unknown; empty if they are known.
    """

    effects: tuple[ObjectEffect, ...] = ()
    unjudged: str = ""

    @property
    def outcome(self) -> str:
        """The worst outcome; `unchanged` without effects."""
        return self.effects[0].outcome if self.effects else UNCHANGED


def judge(
    resource: Resource, version: str, old: CustomResourceDefinition, new: CustomResourceDefinition | None
) -> ObjectUpgrade:
    """
    Return the effects of an upgrade on an object.

    Args:
        resource: A manifest, or an object of a cluster with its uid.
        version: The version in its apiVersion.
        old: The CRD under which it is stored.
        new: The CRD that replaces it; None if it is removed.
    """
    before = _find_served(old, version)
    if before is None:
        return ObjectUpgrade(unjudged=f"the old {old.name} does not serve {version}")
    if new is None:
        words = "there is no such CRD any more; its deletion takes the object with it"
        return ObjectUpgrade((ObjectEffect(UNSERVED, words),))
    after = _find_served(new, version)
    served = ", ".join(item.name for item in new.versions if item.served) or "no version"
    if after is None:
        words = f"{version} is no longer served, a request gets a 404; served: {served}"
        return ObjectUpgrade((ObjectEffect(UNSERVED, words),))
    unserved = [
        ObjectEffect(UNSERVED, f"{manager} applies {name}, which is no longer served; served: {served}", (_NEXT_APPLY,))
        for manager, name in _find_applied_versions(resource)
        if _find_served(old, name) is not None and _find_served(new, name) is None
    ]
    unknown = before.unknown_when_stored or after.unknown_when_stored
    if unknown:
        return ObjectUpgrade(tuple(unserved), "" if unserved else unknown)
    compared = _compare(resource, Subject(before), Subject(after.over_objects_of(before)))
    return compared._replace(effects=(*unserved, *compared.effects))


def _find_applied_versions(resource: Resource) -> dict[tuple[str, str], None]:
    """Return the managers that have applied an object of a cluster, each with the version of its manifest."""
    metadata: Mapping[str, Any] = resource.get("metadata") or {}
    entries = metadata.get("managedFields") if metadata.get("uid") else ()
    applied = _read_last_applied(resource)
    pairs = [(_MANAGER, applied.get("apiVersion"))] if applied else []
    pairs += [
        (str(entry.get("manager")), entry.get("apiVersion"))
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and entry.get("operation") == "Apply"
    ]
    return dict.fromkeys((manager, str(api_version).rpartition("/")[2]) for manager, api_version in pairs)


def _find_served(crd: CustomResourceDefinition, name: str) -> CrdVersion | None:
    return next((version for version in crd.versions if version.name == name and version.served), None)


def _compare(resource: Resource, old: Subject, new: Subject) -> ObjectUpgrade:
    is_live = bool((resource.get("metadata") or {}).get("uid"))
    answer = old.write(resource)
    if not (is_live or answer.accepted):
        return ObjectUpgrade(unjudged=f"the old CRD refuses it: {_join_errors(answer)}")
    stored: Resource = old.settle(resource) if is_live else answer.stored
    results = [
        ObjectEffect(_READ_OUTCOMES[effect.kind], _describe_read(effect))
        for effect in effects.find_read_effects(stored, old, new)
    ]
    manifest = _find_manifest(resource)
    results += _find_refusals(resource if is_live else None, manifest, stored, old, new)
    is_whole = effects.is_stored_whole(old.write(manifest))
    results += _find_refused_creates(manifest if is_whole else stored, old, new)
    unique = dict.fromkeys(results)
    return ObjectUpgrade(tuple(sorted(unique, key=lambda effect: OUTCOMES.index(effect.outcome))))


def _describe_read(effect: Effect) -> str:
    if effect.kind is Kind.DATA_LOSS:
        return f"{effect.words}, and the next write removes it"
    return f"{path_of(effect.place)}: {effect.words}"


def _find_refusals(
    live: Resource | None, manifest: Resource, stored: Resource, old: Subject, new: Subject
) -> Iterator[ObjectEffect]:
    """Yield an effect for each refusal with other errors, with the refused requests."""
    requests: dict[str, list[str]] = {}
    for request, answer in _send(live, manifest, stored, old, new):
        if not answer.accepted:
            requests.setdefault(_join_errors(answer), []).append(request)
    for words, refused in requests.items():
        yield ObjectEffect(REFUSED, words, tuple(refused))


def _find_refused_creates(manifest: Resource, old: Subject, new: Subject) -> Iterator[ObjectEffect]:
    """Yield the refusals of a create, as in another cluster or from a backup, with the updates that pass."""
    change = effects.find_change(manifest, old, new)
    for effect in change.effects:
        if effect.kind is Kind.REFUSED:
            yield ObjectEffect(REFUSED, f"{effect.words}\n{storedobjects.note(effect, change.witness, old, new)}")


def _send(
    live: Resource | None, manifest: Resource, stored: Resource, old: Subject, new: Subject
) -> Iterator[tuple[str, Response]]:
    """Yield the requests after the upgrade with their answers; a request that the old CRD refuses, too, is left out."""
    first = old.version.apply(manifest, manager=_MANAGER, old=live, force=True)
    if first.accepted:
        yield _NEXT_APPLY, new.version.apply(manifest, manager=_MANAGER, old=live or first, force=True)
    else:
        yield _NEXT_APPLY, new.overwrite({**manifest, **_get_status(stored)}, stored)
    if old.relabel(stored).accepted:
        yield _NEXT_WRITE, new.relabel(stored)
    if "status" in stored and new.version.has_status and old.version.update_status(stored, old=stored).accepted:
        yield _NEXT_STATUS, new.version.update_status(stored, old=stored)


def _get_status(stored: Resource) -> dict[str, Any]:
    return {"status": stored["status"]} if "status" in stored else {}


def _find_manifest(resource: Resource) -> Resource:
    """Return the manifest of an object: as it was applied last, or without the fields of the server."""
    metadata: Mapping[str, Any] = resource.get("metadata") or {}
    if not metadata.get("uid"):
        return resource
    applied = _read_last_applied(resource)
    if applied.get("apiVersion") == resource.get("apiVersion"):
        return applied
    own = {key: value for key, value in metadata.items() if key not in _OF_SERVER}
    return {key: value for key, value in {**resource, "metadata": own}.items() if key != "status"}


def _read_last_applied(resource: Resource) -> Resource:
    """Return the manifest that kubectl has applied last to an object of a cluster; empty if it is not known."""
    metadata: Mapping[str, Any] = resource.get("metadata") or {}
    try:
        applied = json.loads((metadata.get("annotations") or {})[_LAST_APPLIED]) if metadata.get("uid") else {}
    except (KeyError, TypeError, ValueError):
        applied = {}
    return applied if isinstance(applied, dict) else {}


def _join_errors(answer: Response) -> str:
    return "; ".join(str(error) for error in answer.errors if not resourcerules.is_notice(error))
