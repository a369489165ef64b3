"""Base objects of generated case files: objects that today's CRD refuses are replaced by accepted ones, for all cases at once."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.casefiles import splicing, yamlspans
from pytest_crd.cases.model import CaseFile
from pytest_crd.engine import CrdVersion, jsonvalue
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.yamlstream import UnreadableError
from pytest_crd.generation.constraints import Constraints
from pytest_crd.generation.layout import ANCHOR_KEY
from pytest_crd.synthesis import NoExampleError, objectplaces

_SPEC: Final = "spec"


class RepairedText(NamedTuple):
    """
    A case file with accepted base objects.

    Attributes:
        content: The new content.
        fields: The fields of base objects that have other values now.
    """

    content: bytes
    fields: tuple[str, ...]


def repair(
    content: bytes, parts: Sequence[CaseFile], find_version: Callable[[CaseFile], CrdVersion], *, source: str
) -> RepairedText | None:
    """
    Return a case file with accepted base objects; None if nothing changes.

    Args:
        content: The case file.
        parts: Its documents.
        find_version: Function that returns the CRD version of a document.
        source: The name of the file for messages.

    Raises:
        InputError: A CRD cannot be loaded.
    """
    decoded = yamlreader.decode(content, source=source)
    documents = yamlreader.read(decoded, source=source)
    try:
        layout = yamlspans.find_spans(decoded.content)
    except UnreadableError:
        return None
    if not len(documents) == len(parts) == len(layout.documents):
        return None
    splice = splicing.Splice(layout.text, is_json=layout.is_json)
    fields: list[str] = []
    for part, document, root in zip(parts, documents, layout.documents, strict=True):
        base, pair = document.value.get(ANCHOR_KEY), root.own(ANCHOR_KEY)
        mended = (
            _mend(base, find_version(part)) if isinstance(base, dict) and pair is not None and not part.policy else None
        )
        if mended is not None and pair is not None:
            splice.change(pair[1], base, mended.value, in_flow=pair[1].is_flow)
            fields += mended.fields
    if not fields:
        return None
    edits = sorted(splice.edits, key=lambda item: (item.start, item.end))
    text = yamlspans.apply_edits(decoded.content, layout, edits)
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    return RepairedText(mark + text.encode(), tuple(dict.fromkeys(fields)))


class _Mended(NamedTuple):
    value: dict[str, Any]
    fields: list[str]


def _mend(base: dict[str, Any], version: CrdVersion) -> _Mended | None:
    """Return *base* with the values of today's smallest object at the fields with errors, else that object; None if neither is accepted."""
    errors = _errors(version, base)
    if not errors:
        return None
    try:
        smallest = dict(Constraints(version).smallest)
    except NoExampleError:
        return None
    changed = base
    for steps, _ in errors:
        changed = objectplaces.copy_value(smallest, changed, steps or (_SPEC,))
    value = smallest if _errors(version, changed) else changed
    return None if jsonvalue.equal(value, base) else _Mended(value, [field for _, field in errors])


def _errors(version: CrdVersion, base: dict[str, Any]) -> list[tuple[Steps, str]]:
    """Return the fields with errors of a create, as steps and in words; empty if the object is accepted."""
    named = {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind, **base}
    named["metadata"] = {"name": "a", **(base.get("metadata") or {})}
    answer = version.create(named)
    if answer.accepted:
        return []
    return [(error.path.steps if error.path else (), error.field) for error in answer.errors] or [((), answer.message)]
