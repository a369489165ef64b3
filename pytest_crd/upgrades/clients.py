"""
Effects of an upgrade that clients notice besides changed objects: scale, field selectors, names, columns, conversion.

If a server answers the request, the answers before and after are compared; all else is reported as a notice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.registry.subresources import Scale
from pytest_crd.synthesis import Boundaries, objectplaces
from pytest_crd.upgrades import crdwrites
from pytest_crd.upgrades.upgradefindings import Finding, Kind, Resource, Witness

_REPLICAS: Final = 3


def find_removed_selectors(old: CrdVersion, new: CrdVersion) -> Iterator[Finding]:
    """
    Yield a finding for each field by which lists can no longer be selected.

    Reference:
        apiextensions-apiserver apiserver/conversion/converter.go, ConvertFieldLabel: the words of the 400.
    """
    remaining = _selectable(new)
    for path in _selectable(old):
        if path not in remaining:
            label = path.removeprefix(".")
            words = f"a list with the field selector {label}=… is refused: field label not supported: {label}"
            lines = (
                crdwrites.line_of(old, "selectableFields", text=path),
                crdwrites.line_of(new, "selectableFields"),
            )
            yield Finding(Kind.REFUSED, f"selectableFields[{path}]", words, (old.name,), (lines,))


def reads_scale_otherwise(old: CrdVersion, new: CrdVersion) -> bool:
    """Return True if the `/scale` subresource reads other fields than before."""
    scales = (old.subresources.scale, new.subresources.scale)
    return None not in scales and scales[0] != scales[1]


def find_scale_change(old: CrdVersion, new: CrdVersion, sides: Iterable[Boundaries]) -> Finding | None:
    """Return a finding for the first object that both CRDs accept with a changed `/scale`; None if no object is known."""
    before, after = old.subresources, new.subresources
    paths = dict.fromkeys(path for side in (before, after) for path in (side.scale or {}).values())
    for resource in _scalable(sides, paths):
        was, is_now = before.read_scale(resource), after.read_scale(resource)
        if was == is_now or not isinstance(was, Scale):
            continue
        answers = (old.create(resource), new.create(resource))
        if all(answer.accepted for answer in answers):
            words = f"/scale of this object was {_describe_scale(was)}, and is {_describe_scale(is_now)} now"
            lines = tuple(
                crdwrites.line_of(version, "subresources", text=str(version.subresources.scale))
                for version in (old, new)
            )
            witness = Witness(resource, *answers)
            return Finding(Kind.CHANGED, "subresources.scale", words, (old.name,), ((lines[0], lines[1]),), witness)
    return None


def _scalable(sides: Iterable[Boundaries], paths: Iterable[str]) -> Iterator[Resource]:
    """
    Yield objects with different numbers at *paths*.

    For each side, objects with one path set come first, and an object with all paths set is last. The CRDs need not accept them.
    """
    wanted = {tuple(path.removeprefix(".").split(".")): _REPLICAS + index for index, path in enumerate(paths)}
    for side in sides:
        resource: Any = side.placer.start
        for place, number in wanted.items():
            if side.placer.version.schema_map.at(place) is None:
                continue
            # The CRD may refuse the number, so values that the schema accepts are tried, too.
            values = [number, *side.maker.find_values(side.root.at(place))]
            is_text = side.root.at(place).type == "string"
            value = f"app={number}" if is_text else number
            resource = objectplaces.set_field(resource, place, value)
            yield from (
                objectplaces.set_field(side.placer.start, place, candidate)
                for candidate in ([value] if is_text else values)
            )
        yield resource


def _describe_scale(answer: Scale | Refusal) -> str:
    if isinstance(answer, Refusal):
        return f"a {answer.code}: {answer.message}"
    selector = f" for {answer.selector!r}" if answer.selector else ""
    return f"{answer.status_replicas} of {answer.replicas} replicas{selector}"


def describe_name_changes(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[str]:
    """Yield the changes of the names and the conversion of a CRD that clients may notice, in words."""
    before, after = (crd.declared["spec"] for crd in (old, new))
    for keyword, noun in (("shortNames", "short name"), ("categories", "category")):
        removed = _removed_items(before.get("names", {}).get(keyword), after.get("names", {}).get(keyword))
        yield from (f"the {noun} {name} is gone: kubectl no longer knows it" for name in removed)
    was, is_now = (spec.get("conversion") or {} for spec in (before, after))
    if was.get("strategy", "None") != is_now.get("strategy", "None"):
        yield f"spec.conversion.strategy: {was.get('strategy', 'None')} before, {is_now.get('strategy', 'None')} now"
    for keyword in ("conversionReviewVersions", "clientConfig", "webhookClientConfig"):
        pair = [_webhook(conversion).get(keyword) for conversion in (was, is_now)]
        if all(pair) and pair[0] != pair[1]:
            yield f"the conversion webhook has another {keyword}"


def _webhook(conversion: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**conversion, **(conversion.get("webhook") or {})}


def describe_column_changes(old: CrdVersion, new: CrdVersion) -> Iterator[str]:
    """Yield the printer columns that `kubectl get` no longer shows or shows differently, in words."""
    remaining = {column.get("name"): column for column in _declared_list(new, "additionalPrinterColumns")}
    for column in _declared_list(old, "additionalPrinterColumns"):
        name = column.get("name")
        if name not in remaining:
            yield f"{old.name}: the column {name} is gone from what kubectl prints"
        elif _displayed_value(column) != _displayed_value(remaining[name]):
            yield f"{old.name}: the column {name} shows {_displayed_value(remaining[name])[0]}, before {_displayed_value(column)[0]}"


def _displayed_value(column: Mapping[str, Any]) -> tuple[str, str]:
    return column.get("jsonPath") or column.get("JSONPath") or "", column.get("type") or ""


def _removed_items(before: Iterable[str] | None, after: Iterable[str] | None) -> list[str]:
    remaining = set(after or ())
    return [name for name in before or () if name not in remaining]


def _selectable(version: CrdVersion) -> list[str]:
    return [field.get("jsonPath", "") for field in _declared_list(version, "selectableFields")]


def _declared_list(version: CrdVersion, field: str) -> Sequence[Mapping[str, Any]]:
    return crdwrites.declared_of(version, field) or ()
