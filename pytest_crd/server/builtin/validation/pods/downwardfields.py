"""
References to fields and resources of a Pod, in environment variables and files.

Reference:
    kubernetes pkg/apis/core/validation, validateObjectFieldSelector and validateContainerResourceFieldSelector;
    pkg/apis/core/pods/helpers.go, ConvertDownwardAPIFieldLabel; pkg/fieldpath, SplitMaybeSubscriptedPath.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin.validation.pods import podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules

OF_FILES: Final = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
OF_VARIABLES: Final = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)
_KNOWN: Final = {*OF_FILES, *OF_VARIABLES, "spec.restartPolicy", "spec.schedulerName", "status.phase"}
_MAPS: Final = ("metadata.annotations", "metadata.labels")
_AMOUNTS: Final = (
    *("limits.cpu", "limits.ephemeral-storage", "limits.memory"),
    *("requests.cpu", "requests.ephemeral-storage", "requests.memory"),
)
_HUGE_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")
_UNITS: Final = ("1", *(f"1{unit}" for unit in "kMGTPE"), *(f"1{unit}i" for unit in "KMGTPE"))


def validate_field(reference: Object, path: FieldPath, supported: Sequence[str], rules: Rules) -> Errors:
    """
    Yield the errors of a reference to a field.

    Args:
        reference: The reference, `fieldRef`.
        path: Its path.
        supported: The fields that may be read here.
        rules: The surroundings.
    """
    for name in ("apiVersion", "fieldPath"):
        if not reference.get(name):
            yield fielderror.required(path.child(name), "")
            return
    text = reference["fieldPath"]
    field, subscript = _split(text)
    if problem := _find_problem(reference["apiVersion"], text, field, has_subscript=subscript is not None):
        yield fielderror.invalid(path.child("fieldPath"), text, f"error converting fieldPath: {problem}")
        return
    if subscript is not None:
        key = names.lower(subscript) if field == _MAPS[0] else subscript
        yield from podfields.validate_text(key, path, rules.qualified)
        return
    field = "spec.nodeName" if field == "spec.host" else field
    if field not in supported:
        yield fielderror.not_supported(path.child("fieldPath"), field, supported)


def _split(text: str) -> tuple[str, str | None]:
    """Return a field and the key in brackets; None without one."""
    if not text.endswith("']"):
        return text, None
    field, bracket, key = text.removesuffix("']").partition("['")
    return (field, key) if bracket and field else (text, None)


def _find_problem(version: str, text: str, field: str, *, has_subscript: bool) -> str:
    if version != "v1":
        return f"unsupported pod version: {version}"
    if has_subscript:
        return "" if field in _MAPS else f"field label does not support subscript: {text}"
    return "" if field in _KNOWN or field == "spec.host" else f"field label not supported: {text}"


def validate_amount(reference: Object, path: FieldPath, *, needs_container: bool) -> Errors:
    """
    Yield the errors of a reference to a resource.

    Args:
        reference: The reference, `resourceFieldRef`.
        path: Its path.
        needs_container: Whether it must name a container.
    """
    resource = reference.get("resource") or ""
    if needs_container and not reference.get("containerName"):
        yield fielderror.required(path.child("containerName"), "")
    elif not resource:
        yield fielderror.required(path.child("resource"), "")
    elif resource not in _AMOUNTS and not resource.startswith(_HUGE_PAGES):
        yield fielderror.not_supported(path.child("resource"), resource, _AMOUNTS)
    divisor = reference.get("divisor") or "0"
    if divisor == "0":
        return
    units, called = _units(resource)
    if called and divisor not in units:
        listed = "values 1m and 1" if called == "cpu" else f"values {', '.join(_UNITS)}"
        detail = f"only divisor's {listed} are supported with the {called} resource"
        yield fielderror.invalid(path.child("divisor"), resource, detail)


def _units(resource: str) -> tuple[Sequence[str], str]:
    """Return the divisors of a resource, and its name in messages."""
    if resource.startswith(_HUGE_PAGES):
        return _UNITS, "hugepages"
    kinds = {
        "cpu": (("1m", "1"), "cpu"),
        "memory": (_UNITS, "memory"),
        "ephemeral-storage": (_UNITS, "local ephemeral storage"),
    }
    return kinds[resource.partition(".")[2]] if resource in _AMOUNTS else ((), "")
