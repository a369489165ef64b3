"""A disagreement as text for an issue: the CRD, the request, and both answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.stages import DisagreementError


def differences(ours: Facts, theirs: Facts) -> Iterator[str]:
    """Yield the lines of a comparison: for each part that differs, its name, the server's value and the engine's."""
    for key in dict.fromkeys((*ours, *theirs)):
        mine, their_value = ours.get(key), theirs.get(key)
        if not jsonvalue.equal(jsonvalue.from_python(mine), jsonvalue.from_python(their_value)):
            yield f"{key}:"
            yield f"  server:     {_to_line(their_value)}"
            yield f"  pytest-crd: {_to_line(mine)}"


def text(disagreement: DisagreementError, server_version: str, version: str) -> str:
    """
    Return the text that the issue template asks for.

    Args:
        disagreement: The disagreement.
        server_version: The version that the server reports.
        version: The Kubernetes version of the engine's answer.
    """
    request = dict(disagreement.request)
    declared = {
        f"**The {name}** (as small as it may be):": ("yaml", _yaml(_without_descriptions(request.pop(name))))
        for name in ("CRD", "policy")
        if name in request
    }
    parts = {
        **declared,
        "**The object, or the request**:": ("yaml", _yaml(request)),
        "**What the server answers**:": ("", _yaml(disagreement.theirs)),
        "**What pytest-crd answers**:": ("", _yaml(disagreement.ours)),
    }
    head = f"**Kubernetes version of the server**, and the one that pytest-crd answers for: {server_version}, {version}"
    blocks = (f"{title}\n\n```{kind}\n{content}```" for title, (kind, content) in parts.items())
    return "\n\n".join((head, *blocks))


def _yaml(value: JSONValue) -> str:
    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - all are written out
            return True

    written: str = yaml.dump(value, Dumper=Plain, sort_keys=False, allow_unicode=True, width=120)
    return written


def _without_descriptions(value: JSONValue) -> JSONValue:
    """Return a CRD without its descriptions, which no answer depends on."""
    if isinstance(value, Mapping):
        return {
            key: _without_descriptions(item)
            for key, item in value.items()
            if not (key == "description" and isinstance(item, str))
        }
    return [_without_descriptions(item) for item in value] if isinstance(value, list) else value


def _to_line(value: JSONValue) -> str:
    if value is None:
        return "nothing"
    return (
        value
        if isinstance(value, str)
        else yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=float("inf"), sort_keys=False)
        .strip()
        .removesuffix("\n...")
    )
