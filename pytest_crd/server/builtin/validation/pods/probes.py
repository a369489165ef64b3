"""
Validation of the probes and the lifecycle of a container.

Reference:
    kubernetes pkg/apis/core/validation, validateProbe and validateLifecycle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.server.builtin.validation.pods import podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object

_SCHEMES: Final = ("HTTP", "HTTPS")
_COUNTS: Final = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_GRACE: Final = "terminationGracePeriodSeconds"
_Handler: TypeAlias = "Callable[[Object, FieldPath, int | None], Errors]"


def validate(container: Object, grace: int | None, path: FieldPath) -> Errors:
    """Yield the errors of lifecycle and probes; *grace* has the seconds before a Pod is killed."""
    lifecycle = container.get("lifecycle") or {}
    for name in ("postStart", "preStop"):
        if lifecycle.get(name) is not None:
            yield from _validate_handler(lifecycle[name], grace, path.child("lifecycle", name), _IN_LIFECYCLE)
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe, place = container.get(name), path.child(name)
        if probe is None:
            continue
        yield from _validate_probe(probe, grace, place)
        if name == "readinessProbe":
            if probe.get(_GRACE) is not None:
                yield fielderror.invalid(place.child(_GRACE), probe[_GRACE], "must not be set for readinessProbes")
        elif probe.get("successThreshold", 0) != 1:
            yield fielderror.invalid(place.child("successThreshold"), probe.get("successThreshold", 0), "must be 1")


def _validate_probe(probe: Object, grace: int | None, path: FieldPath) -> Errors:
    yield from _validate_handler(probe, grace, path, _IN_PROBES)
    yield from podfields.refuse_negative(probe, path, *_COUNTS)
    seconds = probe.get(_GRACE)
    if seconds is not None and seconds <= 0:
        yield fielderror.invalid(path.child(_GRACE), seconds, "must be greater than 0")


def _exec(handler: Object, path: FieldPath, _grace: int | None) -> Errors:
    return podfields.require(handler, path, "command")


def _http(handler: Object, path: FieldPath, _grace: int | None) -> Errors:
    yield from podfields.require(handler, path, "path")
    yield from podfields.validate_port(handler.get("port") or 0, path.child("port"))
    yield from podfields.choose(handler.get("scheme") or "", path.child("scheme"), _SCHEMES, empty=None)
    for header in handler.get("httpHeaders") or ():
        name = header.get("name") or ""
        yield from podfields.validate_text(name, path.child("httpHeaders"), podfields.find_header_problems)


def _port(handler: Object, path: FieldPath, _grace: int | None) -> Errors:
    return podfields.validate_port(handler.get("port") or 0, path.child("port"))


def _sleep(handler: Object, path: FieldPath, grace: int | None) -> Errors:
    seconds = handler.get("seconds") or 0
    if grace is not None and not 0 <= seconds <= grace:
        detail = f"must be non-negative and less than {_GRACE} ({grace})"
        yield fielderror.invalid(path, seconds, detail)


_IN_PROBES: Final[Mapping[str, _Handler]] = {"exec": _exec, "httpGet": _http, "tcpSocket": _port, "grpc": _port}
_IN_LIFECYCLE: Final[Mapping[str, _Handler]] = {"exec": _exec, "httpGet": _http, "tcpSocket": _port, "sleep": _sleep}


def _validate_handler(owner: Object, grace: int | None, path: FieldPath, handlers: Mapping[str, _Handler]) -> Errors:
    named = [name for name in handlers if owner.get(name) is not None]
    for name in named:
        if name == named[0]:
            yield from handlers[name](owner[name], path.child(name), grace)
        else:
            yield fielderror.forbidden(path.child(name), "may not specify more than 1 handler type")
    if not named:
        yield fielderror.required(path, "must specify a handler type")
