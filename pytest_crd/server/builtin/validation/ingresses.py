"""
Validation of Ingresses and their status.

Reference:
    kubernetes pkg/apis/networking/validation, ValidateIngressCreate, ValidateIngressUpdate and ValidateIngressStatusUpdate;
    pkg/registry/networking/ingress/strategy.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from pytest_crd import lazyre
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin import namerules
from pytest_crd.server.builtin.validation import fieldrules, ipaddresses, serviceports, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite

_CLASS: Final = "kubernetes.io/ingress.class"
_SUBDOMAIN: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_WILDCARD: Final = rf"\*\.{_SUBDOMAIN}"
_IS_WILDCARD: Final = lazyre.compile(_WILDCARD)
_NO_WILDCARD: Final = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower"
    " case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
    f" (e.g. '*.example.com', regex used for validation is '{_WILDCARD}')"
)
_LONGEST: Final = 253
_NO_NAME: Final = "must be a DNS name, not an IP address"
_ABSOLUTE: Final = "must be an absolute path"
_SEQUENCES: Final = ("//", "/./", "/../", "%2f", "%2F")
_SUFFIXES: Final = ("/..", "/.")
_POINTS: Final = ("status", "loadBalancer", "ingress")


def _find_host_problems(host: str) -> tuple[str, ...]:
    if "*" not in host:
        return names.dns1123_subdomain(host)
    problems = (f"must be no more than {_LONGEST} characters",) if len(host.encode()) > _LONGEST else ()
    return problems if _IS_WILDCARD.fullmatch(host) else (*problems, _NO_WILDCARD)


def _validate_name_of_host(site: Site) -> Iterator[FieldError]:
    if site.value and ipaddresses.parse(site.value) is not None:
        yield site.invalid(_NO_NAME)


def _validate_path(site: Site) -> Iterator[FieldError]:
    """Validate a path by its type."""
    path, type_, text = site.child("path"), site.value["pathType"], site.value.get("path") or ""
    is_strict = type_ in ("Exact", "Prefix")
    if not text.startswith("/") and (text or is_strict):
        yield fielderror.invalid(path.path, text, _ABSOLUTE)
    if is_strict:
        details = [f"must not contain '{part}'" for part in _SEQUENCES if part in text]
        details += [f"cannot end with '{part}'" for part in _SUFFIXES if text.endswith(part)]
        yield from (path.invalid(detail) for detail in details)


def _required_type(site: Site) -> Iterable[FieldError]:
    return (fielderror.required(site.path, "pathType must be specified"),) if site.value is None else ()


_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_REFERENCE: Final = fieldrules.fields({
    "apiGroup": fieldrules.SUBDOMAIN,
    **dict.fromkeys(("kind", "name"), fieldrules.first(fieldrules.required(), fieldrules.text(names.path_segment))),
})  # fmt: skip


def _validate_backend(site: Site) -> Iterator[FieldError]:
    """Validate that a backend is either a resource or a Service, and its fields."""
    resource, service = site.child("resource"), site.child("service")
    if (resource.value is None) == (service.value is None):
        detail = (
            "resource or service backend is required"
            if resource.value is None
            else "cannot set both resource and service backends"
        )
        yield fielderror.invalid(site.path, "", detail)
    elif service.value is None:
        yield from _REFERENCE(resource)
    else:
        yield from _validate_service(site.path, service)


def _validate_service(backend: FieldPath, service: Site) -> Iterator[FieldError]:
    """Yield the errors of a Service; an error of its whole port is at the path of the backend."""
    name, port = service.child("name"), service.child("port")
    yield from fieldrules.first(fieldrules.required(), fieldrules.text(_find_name_rule(service)))(name)
    label, number = port.child("name"), port.child("number")
    if label.value and number.value:
        yield fielderror.invalid(backend, "", "cannot set both port name & port number")
    elif label.value:
        yield from fieldrules.text(serviceports.find_name_problems)(label)
    elif number.value:
        yield from serviceports.validate_range(number.path, number.value)
    else:
        yield fielderror.required(backend, "port name or number is required")


def _find_name_rule(site: Site) -> Callable[[str], Iterable[str]]:
    return namerules.find_rule("services", {}, site.profile).name


def _validate_presence(site: Site) -> Iterator[FieldError]:
    """Yield the error of a spec without rules and backend; it prints an empty list only if the request has one."""
    if site.child("rules").value or site.child("defaultBackend").value is not None:
        return
    value: list[Any] | None = [] if site.child("rules").sent == [] else None
    detail = "either `defaultBackend` or `rules` must be specified"
    yield badvalues.invalid_as(site.path, value, printing.marshal(value), detail)


def _validate_annotation(site: Site) -> Iterator[FieldError]:
    """Yield the error of a deprecated annotation with another class."""
    text = (site.value["metadata"].get("annotations") or {}).get(_CLASS)
    class_ = site.child("spec", "ingressClassName").value
    if text is not None and class_ is not None and text != class_:
        path = ROOT.child("annotations", _CLASS)
        yield fielderror.invalid(path, text, "must match `ingressClassName` when both are specified")


_PATH: Final = fieldrules.first(
    fieldrules.fields({"pathType": _required_type}),
    fieldrules.fields({
        "": fieldrules.when(lambda site: site.value["pathType"] in _TYPES, _validate_path),
        "pathType": fieldrules.choice(*_TYPES),
        "backend": _validate_backend,
    }),
)  # fmt: skip
_HOST: Final = fieldrules.when(lambda site: site.value, _validate_name_of_host, fieldrules.text(_find_host_problems))
_RULE: Final = fieldrules.fields({
    "host": _HOST,
    "http": fieldrules.present(fieldrules.fields({"paths": (fieldrules.required(), fieldrules.each(_PATH))})),
})  # fmt: skip
_TLS: Final = fieldrules.fields({
    "hosts": fieldrules.each(fieldrules.text(_find_host_problems)),
    "secretName": fieldrules.when(lambda site: site.value, fieldrules.SUBDOMAIN),
})  # fmt: skip
_FIELDS: Final = fieldrules.table({
    "spec": _validate_presence,
    "spec.defaultBackend": fieldrules.present(_validate_backend),
    "spec.rules": fieldrules.each(_RULE),
    "spec.tls": fieldrules.each(_TLS),
    "spec.ingressClassName": fieldrules.SUBDOMAIN,
})  # fmt: skip


def _validate_address(site: Site) -> Iterable[FieldError]:
    old = fieldrules.items(site.write.stored, *_POINTS)
    return ipaddresses.validate(site.path, site.value, [point["ip"] for point in old if point.get("ip")], site.profile)


_POINT: Final = fieldrules.fields({
    "ip": fieldrules.when(lambda site: site.value, _validate_address),
    "hostname": fieldrules.when(lambda site: site.value, fieldrules.SUBDOMAIN, _validate_name_of_host),
})  # fmt: skip
_validate_status: Final = validatedwrites.chain(
    validatedwrites.validate_core_change, fieldrules.table({".".join(_POINTS): fieldrules.each(_POINT)})
)
_validate_object: Final = validatedwrites.chain(
    validatedwrites.validate_core_change, validatedwrites.validate_core_metadata, _FIELDS
)


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of an Ingress or of its status."""
    return _validate_status(write) if write.subresource else _validate_object(write)


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warning about a deprecated annotation of a new Ingress, or those about addresses in a status."""
    if write.old is None:
        has_class = (write.new.get("spec") or {}).get("ingressClassName") is not None
        is_deprecated = _CLASS in (write.new["metadata"].get("annotations") or {}) and not has_class
        text = f"annotation {printing.quote(_CLASS)} is deprecated, please use 'spec.ingressClassName' instead"
        return (text,) if is_deprecated else ()
    points = fieldrules.items(write.new, *_POINTS) if write.subresource else ()
    return tuple(
        warning
        for place, point in enumerate(points)
        for warning in ipaddresses.find_warnings(
            ROOT.child(*_POINTS).index(place), point.get("ip") or "", write.profile
        )
    )


KIND: Final = KindValidation(
    validatedwrites.chain(
        validatedwrites.validate_core_metadata, _FIELDS, fieldrules.table({"": _validate_annotation})
    ),
    validate_update,
    find_warnings,
)
