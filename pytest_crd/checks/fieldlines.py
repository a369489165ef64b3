"""Lines of the fields in a manifest that the server names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import FieldError
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.synthesis import objectplaces
from pytest_crd.wording import escape

# Fields that the server moves: in its internal form, fields that all versions share are in the spec, and v1 has no such fields.
_MOVED: Final = (
    (("spec", "validation"), ("spec", "versions", 0, "schema")),
    (("spec", "subresources"), ("spec", "versions", 0, "subresources")),
    (("spec", "additionalPrinterColumns"), ("spec", "versions", 0, "additionalPrinterColumns")),
    (("spec", "selectableFields"), ("spec", "versions", 0, "selectableFields")),
)
# A path in a sentence: `spec.versions[0].schema`.
_PATH: Final = re.compile(r"\b(?:spec|metadata|status)(?:\.[\w$-]+|\[[^\[\]\s]*\])+")


def find_line(manifest: Manifest, steps: Steps) -> str:
    """Return `file:line` of the value at *steps* in the server's form of a manifest, or of the nearest one around it."""
    moved = (
        (*target, *steps[len(source) :])
        for pair in _MOVED
        for source, target in (pair, pair[::-1])
        if steps[: len(source)] == source
    )
    path = max((objectplaces.split_path(manifest.value, source)[0] for source in (steps, *moved)), key=len)
    line = manifest.key_line_of(*path) if path else manifest.line_of()
    return f"{manifest.document.source}:{line}"


def find_error(manifest: Manifest, error: FieldError) -> str:
    """Return the place of *error*: a rule by line and column, anything else by line."""
    if error.rule is not None and error.rule.source:
        return error.rule.source
    return find_line(manifest, () if error.path is None else error.path.steps)


def make_finding(manifest: Manifest, error: FieldError, details: tuple[str, ...] = ()) -> CheckFinding:
    """Return the finding for an error in a CRD, with its place."""
    return CheckFinding(find_error(manifest, error), escape(str(error)), details, error.field)


def find_named_field(manifest: Manifest, sentence: str) -> str:
    """Return `file:line` of the first field that a *sentence* of the server names, or of the whole object."""
    named = _PATH.search(sentence)
    return (
        manifest.where if named is None else find_line(manifest, objectplaces.find_steps(manifest.value, named[0])[0])
    )


def find_values(manifest: Manifest, key: str, value: JSONValue) -> tuple[str, ...]:
    """Return `file:line` of each place where *key* has the *value*."""
    paths = _holding(manifest.value, key, value, ())
    return tuple(f"{manifest.document.source}:{manifest.key_line_of(*path)}" for path in paths)


def _holding(
    node: JSONValue, key: str, value: JSONValue, path: tuple[str | int, ...]
) -> Iterator[tuple[str | int, ...]]:
    if isinstance(node, dict) and node.get(key) == value:
        yield (*path, key)
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, child in children:
        yield from _holding(child, key, value, (*path, step))
