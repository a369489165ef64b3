"""
What clients notice of an upgrade besides what becomes of objects they write: scale, selection, names, columns, merging, conversion.

Where a server has an answer, it is asked before and after; all else is told as what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_crd.engine import CustomResourceDefinition, Version
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.requests.subresources import Scale
from pytest_crd.engine.schema import schemamap
from pytest_crd.examples import Boundaries, places
from pytest_crd.upgrades.differences import Difference
from pytest_crd.upgrades.findings import Finding, Kind, Line, Resource, Witness

_MERGING: Final = frozenset({"x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"})
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
            lines = ((_line(old, "selectableFields", path), _line(new, "selectableFields", "")),)
            yield Finding(Kind.REFUSED, f"selectableFields[{path}]", words, (old.name,), lines)


def scales(old: Version, new: Version, sides: Iterable[Boundaries]) -> Iterator[Finding]:
    """Yield that the `/scale` of an object reads otherwise, with the first object of which it does."""
    before, after = old.subresources.scale, new.subresources.scale
    if before is None or after is None or before == after:
        return
    paths = dict.fromkeys(path for scale in (before, after) for path in scale.values())
    for resource in _scalable(sides, paths):
        was, is_now = old.subresources.read_scale(resource), new.subresources.read_scale(resource)
        if was != is_now and isinstance(was, Scale):
            words = f"/scale of this object was {_told(was)}, and is {_told(is_now)} now"
            lines = ((_line(old, "subresources", str(before)), _line(new, "subresources", str(after))),)
            answers = (old.create(resource), new.create(resource))
            yield Finding(Kind.CHANGED, "subresources.scale", words, (old.name,), lines, Witness(resource, *answers))
            return


def _scalable(sides: Iterable[Boundaries], paths: Iterable[str]) -> Iterator[Resource]:
    """Yield objects that have another number at each of *paths*, and such with one of them alone."""
    wanted = {tuple(path.removeprefix(".").split(".")): _REPLICAS + index for index, path in enumerate(paths)}
    for side in sides:
        made: Any = side.placer.start
        for place, number in wanted.items():
            if side.placer.version.schema_map.at(place) is None:
                continue
            value = number if side.root.at(place).type != "string" else f"app={number}"
            made = places.set_below(made, place, value)
            yield places.set_below(side.placer.start, place, value)
        yield made


def _told(scale: Scale | Refusal | None) -> str:
    if isinstance(scale, Scale):
        selector = f" for {scale.selector!r}" if scale.selector else ""
        return f"{scale.status_replicas} of {scale.replicas} replicas{selector}"
    return f"a {scale.code}: {scale.message}" if scale is not None else "a 404"


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
    kept = {column.get("name"): column for column in _declared(new, "additionalPrinterColumns")}
    for column in _declared(old, "additionalPrinterColumns"):
        name = column.get("name")
        if name not in kept:
            yield f"{old.name}: the column {name} is gone from what kubectl prints"
        elif _shown(column) != _shown(kept[name]):
            yield f"{old.name}: the column {name} shows {_shown(kept[name])[0]}, before {_shown(column)[0]}"


def merges(differences: Iterable[Difference]) -> Iterator[str]:
    """Yield the lists and maps that server-side apply merges otherwise, in words."""
    for one in differences:
        if one.keyword in _MERGING:
            path = schemamap.spelled(one.place)
            was, is_now = one.before or "atomic", one.after or "atomic"
            if was != is_now and "map-type" not in one.keyword:
                yield f"{path}: {one.keyword} {was} before, {is_now} now: server-side apply merges it otherwise"
            elif "map-type" in one.keyword and (one.before or "granular") != (one.after or "granular"):
                words = f"{one.before or 'granular'} before, {one.after or 'granular'} now"
                yield f"{path}: {one.keyword} {words}: server-side apply merges it otherwise"


def _shown(column: Mapping[str, Any]) -> tuple[str, str]:
    return column.get("jsonPath") or column.get("JSONPath") or "", column.get("type") or ""


def _without(before: Iterable[str] | None, after: Iterable[str] | None) -> list[str]:
    kept = set(after or ())
    return [name for name in before or () if name not in kept]


def _selectable(version: Version) -> list[str]:
    return [field.get("jsonPath", "") for field in _declared(version, "selectableFields")]


def _declared(version: Version, field: str) -> list[Mapping[str, Any]]:
    """Return what a version declares of a *field*, or what all versions of its CRD share."""
    spec = version.crd.declared["spec"]
    own: Mapping[str, Any] = next((one for one in spec.get("versions") or () if one["name"] == version.name), {})
    return own.get(field) or spec.get(field) or []


def _line(version: Version, field: str, text: str) -> Line:
    """Return the line of a *field* of a version, or of what is nearest around it."""
    crd = version.crd
    schema = declared.place_of_schema(crd.declared, version.name)
    around = schema[: -2 if schema[1] == "versions" else 1]
    return Line("" if crd.locate is None else crd.locate((*around, field), None), text)
