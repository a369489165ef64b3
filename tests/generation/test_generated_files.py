"""The files in `docs/generated`: cases for CRDs of real projects, and the number of single changes that they detect."""

from __future__ import annotations

import copy
import functools
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd import engine
from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.objectsources import resolve
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.generation import generate

CORPUS: Final = os.environ.get("CRD_CORPUS", "")
pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not CORPUS, reason="CRD_CORPUS names no folder with real CRDs")]

FOLDER: Final = Path(__file__).parents[2] / "docs" / "generated"
SOURCES: Final = {
    "bgppeers": "metallb+metallb/config__crd__bases__metallb.io_bgppeers.yaml",
    "helmrepositories": "fluxcd+source-controller/config__crd__bases__source.toolkit.fluxcd.io_helmrepositories.yaml",
    "scaledobjects": "kedacore+keda/config__crd__bases__keda.sh_scaledobjects.yaml",
}
_CHANGES: Final = 48
_SEED: Final = 24
# Keywords to remove; bounds are moved by one.
_REMOVED: Final = ("default", "pattern", "format", "nullable", "x-kubernetes-validations", "x-kubernetes-list-type")
_BOUNDS: Final = (
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
)
_ROW: Final = re.compile(r"^\| `(\w+)` \|.*\| (\d+) \| (\d+) of (\d+) \|$", re.MULTILINE)


def _crd(name: str) -> engine.CustomResourceDefinition:
    (crd,) = engine.load([Path(CORPUS, "crds", SOURCES[name])])
    return crd


def _version(crd: engine.CustomResourceDefinition) -> engine.CrdVersion:
    return next(version for version in crd.versions if version.storage)


@functools.cache
def _text(name: str) -> str:
    return (FOLDER / f"test_{name}.crd.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SOURCES)
def test_the_files_are_up_to_date(name: str) -> None:
    assert generate([_version(_crd(name))]).text == _text(name)


@pytest.mark.parametrize("name", SOURCES)
def test_the_page_has_the_number_of_detected_changes(name: str) -> None:
    expectation = {row[0]: tuple(map(int, row[1:])) for row in _ROW.findall((FOLDER / "README.md").read_text("utf-8"))}
    crd = _crd(name)
    changes = list(_changes(crd.manifest))
    drawn = random.Random(_SEED).sample(changes, _CHANGES)  # noqa: S311 - no secret
    noticed = sum(
        1 for changed in drawn if _is_noticed(_text(name), engine.CustomResourceDefinition.from_manifest(changed))
    )

    assert expectation[name] == (_text(name).count("\n"), noticed, _CHANGES)


def _is_noticed(text: str, crd: engine.CustomResourceDefinition) -> bool:
    subject = CaseSubject(_version(crd))
    for file in loader.load(text, source="generated"):
        for case in file.cases:
            try:
                if caserunner.run(resolve(case, Path()), subject).mismatches:
                    return True
            except engine.InputError:
                return True  # the old object is refused now
    return False


def _changes(manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the CRD with each single change to the schema of its storage version that a server still accepts."""
    position = next(place for place, version in enumerate(manifest["spec"]["versions"]) if version["storage"])
    root = ("spec", "versions", position, "schema", "openAPIV3Schema")
    for path, edit in _edits(_at(manifest, root), root):
        changed = copy.deepcopy(manifest)
        edit(_at(changed, path))
        if engine.CustomResourceDefinition.from_manifest(changed).response.accepted:
            yield changed


def _edits(schema: dict[str, Any], path: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the possible changes: the path of a schema, and a function that changes that schema."""
    for keyword in sorted(schema.keys() & {*_REMOVED}):
        yield path, lambda node, keyword=keyword: node.pop(keyword)
    for keyword in sorted(schema.keys() & {*_BOUNDS}):
        yield path, lambda node, keyword=keyword: node.update({keyword: node[keyword] + 1})
    for keyword in ("enum", "required"):
        for place in range(len(schema.get(keyword, ()))):
            yield path, lambda node, keyword=keyword, place=place: node[keyword].pop(place)
    for name, child in schema.get("properties", {}).items():
        if path[-1] != "openAPIV3Schema" or name in ("spec", "status"):
            yield path, lambda node, name=name: node["properties"].pop(name)
            yield from _edits(child, (*path, "properties", name))
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from _edits(schema[keyword], (*path, keyword))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    return functools.reduce(lambda node, step: node[step], path, value)
