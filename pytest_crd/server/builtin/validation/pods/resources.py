"""
Validation of the resources of containers and Pods.

Reference:
    kubernetes pkg/apis/core/validation, validateResourceRequirements and validatePodResources; pkg/apis/core/helper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.server.builtin import podresources
from pytest_crd.server.builtin.validation import resourcenames, validatedwrites
from pytest_crd.server.builtin.validation.pods import podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules
from pytest_crd.server.builtin.validation.resourcenames import COUNTED, HUGE

_COMPUTED: Final = ("cpu", "memory")
_OF_PODS: Final = ("cpu", HUGE, "memory")
_ZERO: Final = amounts.parse("0")
_Check = Callable[[str, FieldPath, Rules], Errors]


def validate(needs: Object, claims: Collection[str], path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of the resources of a container; *claims* has the names of the Pod's claims."""
    yield from _validate(needs, claims, path, rules, _validate_container_name)


def validate_overhead(overhead: Mapping[str, str], path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of the overhead of a Pod."""
    yield from _validate({"limits": overhead}, (), path, rules, _validate_container_name)


def _validate(needs: Object, claims: Collection[str], path: FieldPath, rules: Rules, check: _Check) -> Errors:
    limits, requests = needs.get("limits") or {}, needs.get("requests") or {}
    for name, text in sorted(limits.items()):
        place = path.child("limits").key(name)
        yield from _validate_amount(name, text, place, rules, check)
        yield from _validate_pages(name, text, place)
    for name, text in sorted(requests.items()):
        place = path.child("requests").key(name)
        yield from _validate_amount(name, text, place, rules, check)
        yield from _compare(name, text, limits.get(name), path)
        yield from _validate_pages(name, text, place)
    everything = {*limits, *requests}
    if any(name.startswith(HUGE) for name in everything) and not everything.intersection(_COMPUTED):
        yield fielderror.forbidden(path, "HugePages require cpu or memory")
    yield from _validate_claims(needs.get("claims") or (), claims, path.child("claims"), rules)


def _validate_amount(name: str, text: str, path: FieldPath, rules: Rules, check: _Check) -> Errors:
    yield from check(name, path, rules)
    if text.startswith("-"):
        yield fielderror.invalid(path, text, podfields.NOT_NEGATIVE)
    if (name in COUNTED or resourcenames.is_extended(name, rules.profile)) and not _is_whole(text):
        yield fielderror.invalid(path, text, "must be an integer")


def _compare(name: str, text: str, most: str | None, path: FieldPath) -> Errors:
    """Yield the error of a request that does not fit its limit."""
    is_shared = resourcenames.is_native(name) and not name.startswith(HUGE)
    if most is None:
        if not is_shared:
            yield fielderror.required(path.child("limits"), "Limit must be set for non overcommitable resources")
        return
    order = amounts.compare(amounts.parse(text), amounts.parse(most))
    if order and not is_shared:
        yield fielderror.invalid(path.child("requests"), text, f"must be equal to {name} limit of {most}")
    elif order > 0:
        yield fielderror.invalid(path.child("requests"), text, f"must be less than or equal to {name} limit of {most}")


def _validate_pages(name: str, text: str, path: FieldPath) -> Errors:
    if name.startswith(HUGE) and not _is_multiple(text, name.removeprefix(HUGE)):
        yield fielderror.invalid(path, text, f"{text} is not positive integer multiple of {name}")


def _is_multiple(text: str, size: str) -> bool:
    try:
        page = amounts.parse(size)
    except amounts.QuantityError:
        return False
    if amounts.compare(page, _ZERO) <= 0 or not _is_whole(str(page)):
        return False
    return _round_up(text) % _round_up(str(page)) == 0


def _round_up(text: str) -> int:
    """Return a quantity as an integer, rounded up."""
    amount = amounts.rounded_up(amounts.parse(text), 0)
    number: int = amount.number * 10**amount.scale
    return number


def _is_whole(text: str) -> bool:
    amount = amounts.parse(text)
    return amounts.compare(amounts.rounded_up(amount, 0), amount) == 0


def _validate_container_name(name: str, path: FieldPath, rules: Rules) -> Errors:
    problems = resourcenames.find_container_problems(name, rules.profile)
    return (validatedwrites.invalid_named(path, name, problem) for problem in problems)


def _validate_pod_name(name: str, path: FieldPath, rules: Rules) -> Errors:
    problems = resourcenames.find_problems(name, rules.profile)
    yield from (validatedwrites.invalid_named(path, name, problem) for problem in problems)
    if not problems and name not in _COMPUTED and not name.startswith(HUGE):
        yield from podfields.choose(name, path, _OF_PODS, empty=None)


def _validate_claims(claims: Collection[Object], known: Collection[str], path: FieldPath, rules: Rules) -> Errors:
    names: set[str] = set()
    for place, claim in enumerate(claims):
        name, own = claim.get("name") or "", path.index(place)
        if not name:
            yield fielderror.required(own, "")
            continue
        yield from _refuse_repeated(name, claim.get("request") or "", names, own, rules)
        if name not in known:
            rest = f": {', '.join(sorted(known))}" if known else " which is empty"
            yield podfields.not_found(own, name, f"must be one of the names in pod.spec.resourceClaims{rest}")


def _refuse_repeated(name: str, request: str, names: set[str], path: FieldPath, rules: Rules) -> Errors:
    if name in names:
        yield fielderror.duplicate(path, name)
        return
    key = f"{name}/{request}" if request else name
    if request:
        yield from podfields.validate_text(request, path.child("request"), rules.label)
    if key in names:
        yield fielderror.duplicate(path, key)
    elif not request:
        yield from (
            fielderror.duplicate(path, name)
            for other in names
            if other.partition("/")[::2] == (name, other[len(name) + 1 :]) and "/" in other
        )
    names.add(key)


def validate_pod(spec: Object, claims: Collection[str], path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of the resources of a whole Pod."""
    needs = spec.get("resources")
    if needs is None:
        return
    place = path.child("resources")
    if (spec.get("os") or {}).get("name") == "windows":
        yield fielderror.forbidden(place, "may not be set for a windows pod")
        return
    if needs.get("claims") is not None or rules.sends_empty(place.child("claims")):
        yield fielderror.forbidden(place.child("claims"), "claims may not be set for Resources at pod-level")
    yield from _validate(needs, claims, place, rules, _validate_pod_name)
    yield from _validate_sums(spec, needs, place)


def _validate_sums(spec: Object, needs: Object, path: FieldPath) -> Errors:
    """Yield the errors of containers that need more than their Pod."""
    requests, limits = needs.get("requests") or {}, needs.get("limits") or {}
    for part, own in (("requests", requests), ("limits", limits)):
        for name, total in sorted(podresources.sum_of(spec, part).items()):
            if part == "limits" and not name.startswith(HUGE):
                continue
            if name in own and _exceeds(total, own[name]):
                detail = f"must be greater than or equal to aggregate container {part} of {total}"
                yield fielderror.invalid(path.child(part).key(name), own[name], detail)
    for place, container in enumerate(spec.get("containers") or ()):
        for name, text in sorted(((container.get("resources") or {}).get("limits") or {}).items()):
            if name in limits and _exceeds(text, limits[name]):
                field = path.child("containers").index(place).key(name).child("limits")
                detail = f"must be less than or equal to pod limits of {limits[name]}"
                yield fielderror.invalid(field, text, detail)


def _exceeds(text: str, most: str) -> bool:
    return amounts.compare(amounts.parse(text), amounts.parse(most)) > 0


def find_fractions(owner: Object, parts: Collection[str], path: FieldPath, names: Collection[str]) -> Iterator[str]:
    """Yield the warnings about fractions of bytes."""
    for name in names:
        for part in parts:
            text = (owner.get(part) or {}).get(name)
            if text is not None and not _is_whole(text):
                yield f'{path.child(part).key(name)}: fractional byte value "{text}" is invalid, must be an integer'
