"""
Ports of Services.

Reference:
    kubernetes pkg/apis/core/validation, validateServicePort and ValidatePortNumOrName.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import structs
from pytest_crd.engine.golang.gotypes import INT32, STRING, Pointer, Struct
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation import servicefields, validatedwrites
from pytest_crd.server.builtin.validation.servicefields import Spec

_PORTS: Final = FieldPath(("spec", "ports"))
_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_MOST: Final = 65535
_LONGEST_NAME: Final = 15


def validate(spec: Spec, profile: Profile) -> Iterator[FieldError]:
    """Validate each port; only a single one may have no name."""
    ports = spec.get("ports") or ()
    used: set[str] = set()
    for place, port in enumerate(ports):
        path, name = _PORTS.index(place), port.get("name", "")
        if name:
            details = names.dns1123_label(name, profile)
            yield from (fielderror.invalid(path.child("name"), name, detail) for detail in details)
            if name in used:
                yield fielderror.duplicate(path.child("name"), name)
            used.add(name)
        elif len(ports) > 1:
            yield fielderror.required(path.child("name"), "")
        yield from _validate_port(path, port, profile)


def _validate_port(path: FieldPath, port: Mapping[str, Any], profile: Profile) -> Iterator[FieldError]:
    yield from validate_range(path.child("port"), port.get("port") or 0)
    protocol = port.get("protocol", "")
    if protocol not in _PROTOCOLS:
        yield validatedwrites.unsupported_named(path.child("protocol"), protocol, _PROTOCOLS)
    target = port.get("targetPort") or 0
    if isinstance(target, str):
        problems = find_name_problems(target)
        yield from (fielderror.invalid(path.child("targetPort"), target, problem) for problem in problems)
    else:
        yield from validate_range(path.child("targetPort"), target)
    application = port.get("appProtocol")
    if application is not None:
        details = names.label_key(application, profile)
        yield from (fielderror.invalid(path.child("appProtocol"), application, detail) for detail in details)


def validate_range(path: FieldPath, number: int) -> Iterator[FieldError]:
    """Return the error of a number that is no port."""
    if not 0 < number <= _MOST:
        yield fielderror.invalid(path, number, f"must be between 1 and {_MOST}, inclusive")


def validate_number(path: FieldPath, number: int) -> Iterator[FieldError]:
    """Return the error of a missing or wrong number of a port."""
    if not number:
        yield fielderror.required(path, "")
    else:
        yield from validate_range(path, number)


def find_name_problems(name: str) -> Iterator[str]:
    """
    Yield the problems of the name of a port of a container.

    Reference:
        apimachinery util/validation, IsValidPortName.
    """
    if len(name.encode()) > _LONGEST_NAME:
        yield f"must be no more than {_LONGEST_NAME} characters"
    if not re.fullmatch("[-a-z0-9]+", name):
        yield "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
    if not re.search("[a-z]", name):
        yield "must contain at least one letter (a-z)"
    if "--" in name:
        yield "must not contain consecutive hyphens"
    if name.startswith("-") or name.endswith("-"):
        yield "must not begin or end with a hyphen"


def validate_together(spec: Spec) -> Iterator[FieldError]:
    """Validate the ports of nodes, and that no protocol has two ports with a number."""
    ports = spec.get("ports") or ()
    if spec.get("type") == servicefields.CLUSTER_IP:
        for place, port in enumerate(ports):
            if port.get("nodePort"):
                path = _PORTS.index(place).child("nodePort")
                yield fielderror.forbidden(path, "may not be used when `type` is 'ClusterIP'")
    for name in ("nodePort", "port"):
        used: set[tuple[str, int]] = set()
        for place, port in enumerate(ports):
            pair = port.get("protocol", ""), port.get(name) or 0
            if name == "nodePort" and not pair[1]:
                continue
            if pair in used and name == "nodePort":
                yield fielderror.duplicate(_PORTS.index(place).child(name), pair[1])
            elif pair in used:
                yield _duplicate_port(_PORTS.index(place), *pair)
            used.add(pair)


def _duplicate_port(path: FieldPath, protocol: str, number: int) -> FieldError:
    """Return the error of a second port, which prints a port with protocol and number alone."""
    port = {"protocol": protocol, "port": number, "targetPort": 0}
    return badvalues.reprinted(fielderror.duplicate(path, port), structs.to_json(port, _PORT))


_PORT: Final = Struct(
    "core.ServicePort",
    {
        "name": STRING,
        "protocol": STRING,
        "appProtocol": Pointer(STRING),
        "port": INT32,
        "targetPort": INT32,
        "nodePort": INT32,
    },
)
