"""
CRDs that the Python of a project makes: what its hook `pytest_crd_manifests` returns, as texts that are read as files are.

What is returned is a mapping: a name for messages, and below it a manifest, or an iterable of some. A manifest is a mapping, or a text
of YAML or JSON; the lines of a mapping are those of `json.dumps(manifest, indent=2)`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.inputerror import CrdError, Mistake

HOOK: Final = "pytest_crd_manifests"
_SHAPE: Final = 'return a mapping of names to manifests: {"backups": {"kind": "CustomResourceDefinition", …}}'
_MANIFEST: Final = "a manifest is a mapping, or a text of YAML or JSON"

Manifest: TypeAlias = "str | bytes | Mapping[str, Any]"


class MadeManifests(NamedTuple):
    """
    What was returned below one name.

    Attributes:
        source: How it is called in messages: who has made it, and the name, as in `conftest.py[backups]`.
        texts: The manifests, by what each is called: the same, with a number where there are several.
    """

    source: str
    texts: Mapping[str, bytes]


def listed(returned: object) -> object:
    """Return what a hook has returned with every iterable below a name run through: it is Python of the project, and may fail."""
    if not isinstance(returned, Mapping):
        return returned
    return {name: _several(value) for name, value in returned.items()}


def read(returned: object, *, maker: str) -> list[MadeManifests]:
    """
    Return the manifests that a hook has returned.

    Args:
        returned: What it has returned, as `listed` gives it.
        maker: The plugin or `conftest.py` with the hook.

    Raises:
        CrdError: They are none: all that is wrong, each with the maker and the name.
    """
    if not isinstance(returned, Mapping):
        raise CrdError([Mistake(maker, 0, f"{HOOK} returns {_kind(returned)}; {_SHAPE}")])
    if not returned:
        raise CrdError([Mistake(maker, 0, f"{HOOK} returns no manifest; {_SHAPE}")])
    found: list[MadeManifests] = []
    mistakes: list[Mistake] = []
    for name, manifests in returned.items():
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            mistakes.append(Mistake(maker, 0, f"{HOOK} returns {name!r} for a name; {_SHAPE}"))
            continue
        texts: dict[str, bytes] = {}
        for number, one in enumerate(manifests, 1):
            called = f"{maker}[{name}{f' #{number}' if len(manifests) > 1 else ''}]"
            try:
                texts[called] = _text(one)
            except TypeError as error:
                mistakes.append(Mistake(called, 0, str(error)))
        found.append(MadeManifests(f"{maker}[{name}]", texts))
    if mistakes:
        raise CrdError(mistakes)
    return found


def words(made: Iterable[MadeManifests]) -> str:
    """Return who has made them, in words; empty where nobody has made any."""
    makers = dict.fromkeys(one.source.partition("[")[0] for one in made)
    return " ".join(f"{maker} ({HOOK})" for maker in makers)


def _several(value: object) -> list[object]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return [value]
    return list(value)


def _text(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")  # which the reader refuses, with its line
    if isinstance(value, Mapping):
        return json.dumps(jsonvalue.from_python(value), indent=2, ensure_ascii=False).encode()
    raise TypeError(f"{_kind(value)}; {_MANIFEST}")


def _kind(value: object) -> str:
    return "None" if value is None else f"an object of the type {type(value).__name__}"
