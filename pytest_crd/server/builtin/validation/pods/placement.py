"""
Validation of affinity, tolerations and topology spread of a Pod.

Reference:
    kubernetes pkg/apis/core/validation, validateAffinity, ValidateTolerations and validateTopologySpreadConstraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import labelselectors, names
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
_POLICIES: Final = ("Honor", "Ignore")
_WRONG_OPERATOR: Final = "not a valid selector operator"
_MOST_WEIGHT: Final = 100
# The first minor version of Kubernetes 1 that knows comparisons of taints in its messages.
_COMPARES_SINCE: Final = 35


def validate_affinity(affinity: Object, path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of the affinity of a Pod."""
    if affinity.get("nodeAffinity") is not None:
        yield from _validate_node_affinity(affinity["nodeAffinity"], path.child("nodeAffinity"), rules)
    for kind in ("podAffinity", "podAntiAffinity"):
        own, place = affinity.get(kind) or {}, path.child(kind)
        for number, term in enumerate(own.get(_REQUIRED) or ()):
            yield from _validate_pod_term(term, place.child(_REQUIRED).index(number), rules)
        for number, weighted in enumerate(own.get(_PREFERRED) or ()):
            item = place.child(_PREFERRED).index(number)
            yield from _validate_weight(weighted, item)
            yield from _validate_pod_term(weighted.get("podAffinityTerm") or {}, item.child("podAffinityTerm"), rules)


def _validate_weight(weighted: Object, path: FieldPath) -> Errors:
    weight = {"weight": weighted.get("weight") or 0}
    yield from podfields.limit(weight, path, "weight", (1, _MOST_WEIGHT), f"must be in the range 1-{_MOST_WEIGHT}")


def _validate_node_affinity(affinity: Object, path: FieldPath, rules: Rules) -> Errors:
    required = affinity.get(_REQUIRED)
    if required is not None:
        place = path.child(_REQUIRED, "nodeSelectorTerms")
        terms = required.get("nodeSelectorTerms") or ()
        if not terms:
            yield fielderror.required(place, "must have at least one node selector term")
        for number, term in enumerate(terms):
            yield from _validate_node_term(term, place.index(number), rules, checks_values=True)
    for number, weighted in enumerate(affinity.get(_PREFERRED) or ()):
        item = path.child(_PREFERRED).index(number)
        yield from _validate_weight(weighted, item)
        term = weighted.get("preference") or {}
        yield from _validate_node_term(term, item.child("preference"), rules, checks_values=False)


def _validate_node_term(term: Object, path: FieldPath, rules: Rules, *, checks_values: bool) -> Errors:
    for number, expression in enumerate(term.get("matchExpressions") or ()):
        place = path.child("matchExpressions").index(number)
        yield from _validate_node_expression(expression, place)
        yield from podfields.validate_text(expression.get("key") or "", place.child("key"), rules.qualified)
        for at, value in enumerate(expression.get("values") or ()) if checks_values else ():
            yield from podfields.validate_text(value, place.child("values").index(at), rules.value)
    for number, field in enumerate(term.get("matchFields") or ()):
        yield from _validate_node_field(field, path.child("matchFields").index(number))


def _validate_node_expression(expression: Object, path: FieldPath) -> Errors:
    operator, values = expression.get("operator") or "", expression.get("values") or ()
    place = path.child("values")
    if operator in ("In", "NotIn"):
        if not values:
            yield fielderror.required(place, "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield fielderror.forbidden(place, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            yield fielderror.required(place, "must be specified single value when `operator` is 'Lt' or 'Gt'")
    else:
        yield validatedwrites.invalid_named(path.child("operator"), operator, _WRONG_OPERATOR)


def _validate_node_field(field: Object, path: FieldPath) -> Errors:
    operator, values, key = field.get("operator") or "", field.get("values") or (), field.get("key") or ""
    if operator not in ("In", "NotIn"):
        yield validatedwrites.invalid_named(path.child("operator"), operator, _WRONG_OPERATOR)
    elif len(values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        yield fielderror.required(path.child("values"), detail)
    if key != "metadata.name":
        yield fielderror.invalid(path.child("key"), key, "not a valid field selector key")
        return
    for number, value in enumerate(values):
        yield from podfields.validate_text(value, path.child("values").index(number), names.dns1123_subdomain)


def _validate_pod_term(term: Object, path: FieldPath, rules: Rules) -> Errors:
    for field in ("labelSelector", "namespaceSelector"):
        yield from labelselectors.validate(term.get(field) or {}, path.child(field), rules.profile)
    for namespace in term.get("namespaces") or ():
        yield from podfields.validate_text(namespace, path.child("namespace"), rules.label)
    yield from _validate_keys(term, path, rules)
    topology = term.get("topologyKey") or ""
    if not topology:
        yield fielderror.required(path.child("topologyKey"), "can not be empty")
    yield from podfields.validate_text(topology, path.child("topologyKey"), rules.qualified)


def _validate_keys(owner: Object, path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of label keys beside a selector: `matchLabelKeys` and `mismatchLabelKeys`."""
    selector = owner.get("labelSelector")
    match, mismatch = owner.get("matchLabelKeys") or (), owner.get("mismatchLabelKeys") or ()
    for field, keys in (("matchLabelKeys", match), ("mismatchLabelKeys", mismatch)):
        place = path.child(field)
        if keys and selector is None:
            yield fielderror.forbidden(place, "must not be specified when labelSelector is not set")
            continue
        for number, key in enumerate(keys):
            yield from podfields.validate_text(key, place.index(number), rules.qualified)
    if selector is not None:
        places = {key: number for number, key in enumerate(match)}
        seen = set(selector.get("matchLabels") or {})
        for expression in selector.get("matchExpressions") or ():
            key = expression.get("key") or ""
            if key in places and key in seen:
                yield _repeated(path.index(places[key]), key, "labelSelector")
            seen.add(key)
    for number, key in enumerate(match):
        if key in mismatch:
            yield _repeated(path.child("matchLabelKeys").index(number), key, "mismatchLabelKeys")


def _repeated(path: FieldPath, key: str, other: str) -> Any:
    return fielderror.invalid(path, key, f"exists in both matchLabelKeys and {other}")


def validate_tolerations(tolerations: Sequence[Object], path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of tolerations."""
    for place, toleration in enumerate(tolerations):
        own = path.index(place)
        key, operator = toleration.get("key") or "", toleration.get("operator") or ""
        effect = toleration.get("effect") or ""
        if key:
            yield from podfields.validate_text(key, own.child("key"), rules.qualified)
        elif operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            yield validatedwrites.invalid_named(own.child("operator"), operator, detail)
        if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            yield validatedwrites.invalid_named(own.child("effect"), effect, detail)
        yield from _validate_operator(operator, toleration.get("value") or "", own.child("operator"), rules)
        if effect:
            yield from podfields.choose(effect, own.child("effect"), _EFFECTS)


def _validate_operator(operator: str, value: str, path: FieldPath, rules: Rules) -> Errors:
    if operator in ("", "Equal"):
        if problems := rules.value(value):
            yield fielderror.invalid(path, value, ";".join(problems))
    elif operator == "Exists":
        if value:
            yield fielderror.invalid(path, value, "value must be empty when `operator` is 'Exists'")
    else:
        is_known = operator in ("Lt", "Gt") and rules.minor >= _COMPARES_SINCE
        listed = ("Equal", "Exists", "Lt", "Gt") if is_known else ("Equal", "Exists")
        yield validatedwrites.unsupported_named(path, operator, listed)


def validate_spread(constraints: Sequence[Object], path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of the constraints of topology spread."""
    for place, constraint in enumerate(constraints):
        own = path.index(place)
        skew, topology = constraint.get("maxSkew") or 0, constraint.get("topologyKey") or ""
        action, domains = constraint.get("whenUnsatisfiable") or "", constraint.get("minDomains")
        if skew <= 0:
            yield fielderror.invalid(own.child("maxSkew"), skew, "must be greater than zero")
        if not topology:
            yield fielderror.required(own.child("topologyKey"), "can not be empty")
        yield from podfields.choose(action, own.child("whenUnsatisfiable"), _ACTIONS, empty=None)
        pair = topology, action
        if any(
            pair == (item.get("topologyKey") or "", item.get("whenUnsatisfiable") or "")
            for item in constraints[place + 1 :]
        ):
            yield fielderror.duplicate(own.child("{topologyKey, whenUnsatisfiable}"), f"{{{topology}, {action}}}")
        if domains is not None:
            yield from _validate_domains(domains, action, own.child("minDomains"))
        for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            yield from podfields.choose_optional(constraint, own, field, _POLICIES)
        yield from _validate_keys({**constraint, "mismatchLabelKeys": None}, own, rules)
        yield from labelselectors.validate(
            constraint.get("labelSelector") or {}, own.child("labelSelector"), rules.profile
        )


def _validate_domains(domains: int, action: str, path: FieldPath) -> Errors:
    if domains <= 0:
        yield fielderror.invalid(path, domains, "must be greater than zero")
    if action != _ACTIONS[0]:
        detail = f"can only use minDomains if whenUnsatisfiable={_ACTIONS[0]}, not {action}"
        yield fielderror.invalid(path, domains, detail)
