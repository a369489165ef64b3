"""Lines of fields: where in a manifest the field stands that the server names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import FieldError
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.synthesis import objectplaces

# What the server moves: what all versions of a CRD share stands above them in its own form, and in none of v1.
_MOVED: Final = (
    (("spec", "validation"), ("spec", "versions", 0, "schema")),
    (("spec", "subresources"), ("spec", "versions", 0, "subresources")),
    (("spec", "additionalPrinterColumns"), ("spec", "versions", 0, "additionalPrinterColumns")),
    (("spec", "selectableFields"), ("spec", "versions", 0, "selectableFields")),
)
# A path in a sentence: `spec.versions[0].schema`.
_PATH: Final = re.compile(r"\b(?:spec|metadata|status)(?:\.[\w$-]+|\[[^\]\s]*\])+")


def of_steps(manifest: Manifest, steps: Steps) -> str:
    """Return `file:line` of what *steps* lead to in the server's form of a manifest, or of what is nearest above it."""
    moved = (
        (*other, *steps[len(one) :]) for pair in _MOVED for one, other in (pair, pair[::-1]) if steps[: len(one)] == one
    )
    path = max((objectplaces.reached(manifest.value, one)[0] for one in (steps, *moved)), key=len)
    line = manifest.key_line_of(*path) if path else manifest.line_of()
    return f"{manifest.document.source}:{line}"


def of_error(manifest: Manifest, error: FieldError) -> str:
    """Return where that stands which *error* is about: a rule by its character, all else by its line."""
    if error.rule is not None and error.rule.source:
        return error.rule.source
    return of_steps(manifest, () if error.path is None else error.path.steps)


def finding(manifest: Manifest, error: FieldError, details: tuple[str, ...] = ()) -> CheckFinding:
    """Return what is wrong with a CRD, in the server's words, and where that stands."""
    return CheckFinding(of_error(manifest, error), str(error), details, error.field)


def of_sentence(manifest: Manifest, sentence: str) -> str:
    """Return `file:line` of the first field that a *sentence* of the server names, or of the whole object."""
    named = _PATH.search(sentence)
    return manifest.where if named is None else of_steps(manifest, objectplaces.find(manifest.value, named[0])[0])


def of_values(manifest: Manifest, key: str, value: JSONValue) -> tuple[str, ...]:
    """Return `file:line` of each place where *key* has the *value*."""
    found = _holding(manifest.value, key, value, ())
    return tuple(f"{manifest.document.source}:{manifest.key_line_of(*path)}" for path in found)


def _holding(
    node: JSONValue, key: str, value: JSONValue, path: tuple[str | int, ...]
) -> Iterator[tuple[str | int, ...]]:
    if isinstance(node, dict) and node.get(key) == value:
        yield (*path, key)
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, child in children:
        yield from _holding(child, key, value, (*path, step))
