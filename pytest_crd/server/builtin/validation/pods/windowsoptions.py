"""
Validation of the options of Windows in security contexts.

Reference:
    kubernetes pkg/apis/core/validation, validateWindowsSecurityContextOptions and validateWindowsHostProcessPod.
"""

from __future__ import annotations

from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object

_OPTIONS: Final = "windowsOptions"
_MOST_KIB: Final = 64
_LONGEST_DOMAIN: Final = 255
_LONGEST_USER: Final = 104
_CONTROL: Final = lazyre.compile("[\x00-\x1f\x7f]")
_NETBIOS: Final = lazyre.compile(r'[^\\/:\*\?"<>|\.][^\\/:\*\?"<>|]{0,14}')
_DNS_LABEL: Final = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS: Final = lazyre.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*")
_FORBIDDEN: Final = frozenset('"/\\:;|=,+*?<>@[]')


def validate(context: Object, path: FieldPath) -> Errors:
    """Yield the errors of the options of a security context; *path* leads to them."""
    options = context.get(_OPTIONS)
    if options is None:
        return
    name = options.get("gmsaCredentialSpecName")
    if name is not None:
        place = path.child("gmsaCredentialSpecName")
        yield from (validatedwrites.invalid_named(place, name, problem) for problem in names.dns1123_subdomain(name))
    text = options.get("gmsaCredentialSpec")
    if text is not None:
        place = path.child("gmsaCredentialSpec")
        if not text:
            yield validatedwrites.invalid_named(place, text, "gmsaCredentialSpec cannot be an empty string")
        elif len(text.encode()) > _MOST_KIB * 1024:
            yield validatedwrites.invalid_named(place, text, f"gmsaCredentialSpec size must be under {_MOST_KIB} KiB")
    user = options.get("runAsUserName")
    if user is not None:
        place = path.child("runAsUserName")
        for problem in _find_problems(user):
            yield validatedwrites.invalid_named(place, user, f"runAsUserName{problem}")


def _find_problems(text: str) -> list[str]:
    """Return the problems of the name of a user, with or without a domain."""
    if not text:
        return [" cannot be an empty string"]
    if _CONTROL.search(text):
        return [" cannot contain control characters"]
    domain, slash, user = text.rpartition("\\")
    if "\\" in domain:
        return [" cannot contain more than one backslash"]
    problems = []
    if len(domain.encode()) > _LONGEST_DOMAIN:
        problems.append(f"'s Domain length must be under {_LONGEST_DOMAIN + 1} characters")
    if slash and not (_NETBIOS.fullmatch(domain) or _DNS.fullmatch(domain)):
        problems.append("'s Domain doesn't match the NetBios nor the DNS format")
    if not user:
        problems.append("'s User cannot be empty")
    elif len(user.encode()) > _LONGEST_USER:
        problems.append(f"'s User length must not be longer than {_LONGEST_USER} characters")
    if user and not user.strip(". "):
        problems.append("'s User cannot contain only periods or spaces")
    if _FORBIDDEN.intersection(user):
        problems.append("'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]")
    return problems


def validate_host_process(spec: Object, path: FieldPath) -> Errors:
    """Yield the errors of containers that are processes of the host; *path* leads to the spec."""
    of_pod = _host_process(spec)
    states = []
    for container, own in podfields.containers(spec, path):
        own_value = _host_process(container)
        if None not in (of_pod, own_value) and of_pod != own_value:
            shown = "true" if of_pod else "false"
            detail = f"pod hostProcess value must be identical if both are specified, was {shown}"
            yield fielderror.invalid(own.child("securityContext", _OPTIONS, "hostProcess"), own_value, detail)
        states.append(bool(of_pod if own_value is None else own_value))
    if not any(states):
        return
    if not all(states):
        detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        yield fielderror.invalid(path, "", detail)
    if not spec.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        yield fielderror.invalid(path.child("hostNetwork"), False, detail)  # noqa: FBT003 - a bad value


def _host_process(owner: Object) -> bool | None:
    value: bool | None = ((owner.get("securityContext") or {}).get(_OPTIONS) or {}).get("hostProcess")
    return value
