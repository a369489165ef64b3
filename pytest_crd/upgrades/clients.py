"""
What clients notice of an upgrade besides what becomes of objects they write: scale, selection, names, columns, conversion.

Where a server has an answer, it is asked before and after; all else is told as what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine import CustomResourceDefinition, Version
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.requests.subresources import Scale
from pytest_crd.synthesis import Boundaries, objectplaces
from pytest_crd.upgrades import crdwrites
from pytest_crd.upgrades.upgradefindings import Finding, Kind, Resource, Witness

_REPLICAS: Final = 3


def selections(old: Version, new: Version) -> Iterator[Finding]:
    """
    Yield the fields that a list can no longer be selected by.

    Reference:
        apiextensions-apiserver apiserver/conversion/converter.go, ConvertFieldLabel: the words of the 400.
    """
    kept = _selectable(new)
    for path in _selectable(old):
        if path not in kept:
            label = path.removeprefix(".")
            words = f"a list with the field selector {label}=… is refused: field label not supported: {label}"
            lines = (
                crdwrites.line_of(old, "selectableFields", text=path),
                crdwrites.line_of(new, "selectableFields"),
            )
            yield Finding(Kind.REFUSED, f"selectableFields[{path}]", words, (old.name,), (lines,))


def reads_scale_otherwise(old: Version, new: Version) -> bool:
    """Return whether the `/scale` of objects is read at other places than before."""
    scales = (old.subresources.scale, new.subresources.scale)
    return None not in scales and scales[0] != scales[1]


def scale(old: Version, new: Version, sides: Iterable[Boundaries]) -> Finding | None:
    """Return that the `/scale` of an object reads otherwise, with the first object that both CRDs take; None where none is known."""
    before, after = old.subresources, new.subresources
    paths = dict.fromkeys(path for one in (before, after) for path in (one.scale or {}).values())
    for resource in _scalable(sides, paths):
        was, is_now = before.read_scale(resource), after.read_scale(resource)
        answers = (old.create(resource), new.create(resource))
        if was != is_now and isinstance(was, Scale) and all(answer.accepted for answer in answers):
            words = f"/scale of this object was {_told(was)}, and is {_told(is_now)} now"
            lines = tuple(
                crdwrites.line_of(one, "subresources", text=str(one.subresources.scale)) for one in (old, new)
            )
            witness = Witness(resource, *answers)
            return Finding(Kind.CHANGED, "subresources.scale", words, (old.name,), ((lines[0], lines[1]),), witness)
    return None


def _scalable(sides: Iterable[Boundaries], paths: Iterable[str]) -> Iterator[Resource]:
    """Yield objects that have another number at each of *paths*, and such with one of them alone; no CRD need take them."""
    wanted = {tuple(path.removeprefix(".").split(".")): _REPLICAS + index for index, path in enumerate(paths)}
    for side in sides:
        made: Any = side.placer.start
        for place, number in wanted.items():
            if side.placer.version.schema_map.at(place) is None:
                continue
            # Not all numbers need be taken; those that are made of the schema are.
            values = [number, *side.maker.find(side.root.at(place))]
            is_text = side.root.at(place).type == "string"
            value = f"app={number}" if is_text else number
            made = objectplaces.set_below(made, place, value)
            yield from (
                objectplaces.set_below(side.placer.start, place, one) for one in ([value] if is_text else values)
            )
        yield made


def _told(answer: Scale | Refusal) -> str:
    if isinstance(answer, Refusal):
        return f"a {answer.code}: {answer.message}"
    selector = f" for {answer.selector!r}" if answer.selector else ""
    return f"{answer.status_replicas} of {answer.replicas} replicas{selector}"


def notices(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[str]:
    """Yield what clients may notice of the names and the conversion of a CRD, in words."""
    before, after = (crd.declared["spec"] for crd in (old, new))
    for keyword, what in (("shortNames", "short name"), ("categories", "category")):
        gone = _without(before.get("names", {}).get(keyword), after.get("names", {}).get(keyword))
        yield from (f"the {what} {name} is gone: kubectl no longer knows it" for name in gone)
    was, is_now = (spec.get("conversion") or {} for spec in (before, after))
    if was.get("strategy", "None") != is_now.get("strategy", "None"):
        yield f"spec.conversion.strategy: {was.get('strategy', 'None')} before, {is_now.get('strategy', 'None')} now"
    for keyword in ("conversionReviewVersions", "clientConfig", "webhookClientConfig"):
        pair = [_webhook(conversion).get(keyword) for conversion in (was, is_now)]
        if all(pair) and pair[0] != pair[1]:
            yield f"the conversion webhook has another {keyword}"


def _webhook(conversion: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**conversion, **(conversion.get("webhook") or {})}


def columns(old: Version, new: Version) -> Iterator[str]:
    """Yield the printer columns that `kubectl get` no longer shows, or shows otherwise, in words."""
    kept = {column.get("name"): column for column in _listed(new, "additionalPrinterColumns")}
    for column in _listed(old, "additionalPrinterColumns"):
        name = column.get("name")
        if name not in kept:
            yield f"{old.name}: the column {name} is gone from what kubectl prints"
        elif _shown(column) != _shown(kept[name]):
            yield f"{old.name}: the column {name} shows {_shown(kept[name])[0]}, before {_shown(column)[0]}"


def _shown(column: Mapping[str, Any]) -> tuple[str, str]:
    return column.get("jsonPath") or column.get("JSONPath") or "", column.get("type") or ""


def _without(before: Iterable[str] | None, after: Iterable[str] | None) -> list[str]:
    kept = set(after or ())
    return [name for name in before or () if name not in kept]


def _selectable(version: Version) -> list[str]:
    return [field.get("jsonPath", "") for field in _listed(version, "selectableFields")]


def _listed(version: Version, field: str) -> Sequence[Mapping[str, Any]]:
    return crdwrites.declared_of(version, field) or ()
