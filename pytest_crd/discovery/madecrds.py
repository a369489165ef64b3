"""
CRDs that Python code of a project builds: the return value of its hook `pytest_crd_manifests`, as texts that are read like files.

The value maps a name for messages to a manifest, or to an iterable of manifests. A manifest is a mapping, or a text of YAML or JSON; a
mapping has the line numbers of `json.dumps(manifest, indent=2)`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.records import NamedTuple

HOOK: Final = "pytest_crd_manifests"
_SHAPE: Final = 'return a mapping of names to manifests: {"backups": {"kind": "CustomResourceDefinition", …}}'
_MANIFEST: Final = "a manifest is a mapping, or a text of YAML or JSON"

Manifest: TypeAlias = "str | bytes | Mapping[str, Any]"


class MadeManifests(NamedTuple):
    """
    The manifests below one name.

    Attributes:
        source: The maker and the name for messages: `conftest.py[backups]`.
        texts: The manifests by their source, which has a number if there are several.
    """

    source: str
    texts: Mapping[str, bytes]

    @property
    def maker(self) -> str:
        """The plugin or `conftest.py` with the hook."""
        return find_maker(self.source)


def find_maker(source: str) -> str:
    """Return the plugin or `conftest.py` in the source of a manifest or CRD: `conftest.py` of `conftest.py[backups]:1`."""
    return source.partition("[")[0]


def materialize(returned: object) -> object:
    """Return the value of a hook with its iterables turned into lists; this runs Python code of the project, which may raise."""
    if not isinstance(returned, Mapping):
        return returned
    return {name: _several(value) for name, value in returned.items()}


def read(returned: object, *, maker: str) -> list[MadeManifests]:
    """
    Return the manifests in the value of a hook.

    Args:
        returned: The value, as `materialize` returns it.
        maker: The plugin or `conftest.py` with the hook.

    Raises:
        CrdError: It has another form; the message lists all mistakes with the maker and the name.
    """
    if not isinstance(returned, Mapping):
        raise CrdError([Mistake(maker, 0, f"{HOOK} returns {_kind(returned)}; {_SHAPE}")])
    if not returned:
        raise CrdError([Mistake(maker, 0, f"{HOOK} returns no manifest; {_SHAPE}")])
    made_manifests: list[MadeManifests] = []
    mistakes: list[Mistake] = []
    for name, manifests in returned.items():
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            mistakes.append(Mistake(maker, 0, f"{HOOK} returns {name!r} for a name; {_SHAPE}"))
            continue
        texts: dict[str, bytes] = {}
        for number, manifest in enumerate(manifests, 1):
            source = f"{maker}[{name}{f' #{number}' if len(manifests) > 1 else ''}]"
            try:
                texts[source] = _text(manifest)
            except TypeError as error:
                mistakes.append(Mistake(source, 0, str(error)))
        made_manifests.append(MadeManifests(f"{maker}[{name}]", texts))
    if mistakes:
        raise CrdError(mistakes)
    return made_manifests


def words(manifests: Iterable[MadeManifests]) -> str:
    """Return the makers of manifests, in words; empty if there are none."""
    makers = dict.fromkeys(item.maker for item in manifests)
    return " ".join(f"{maker} ({HOOK})" for maker in makers)


def _several(value: object) -> list[object]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return [value]
    return list(value)


def _text(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")  # the reader reports a lone surrogate with its line
    if isinstance(value, Mapping):
        return json.dumps(jsonvalue.from_python(value), indent=2, ensure_ascii=False).encode()
    raise TypeError(f"{_kind(value)}; {_MANIFEST}")


def _kind(value: object) -> str:
    return "None" if value is None else f"an object of the type {type(value).__name__}"
