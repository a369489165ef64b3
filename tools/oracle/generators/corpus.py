"""Real CRDs and their samples as questions: unchanged, and mutated with random flaws."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import yaml

from oracle.generators import objectgen, schemagen
from oracle.judges.verdicts import GROUP, Question
from pytest_crd.engine.jsonvalue import JSONValue

_MUTANTS: Final = 4
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def questions(random: Random, folder: Path, *, objects: int) -> Iterator[Question]:
    """
    Yield the schema of each CRD version with samples and generated objects, then copies with flaws.

    Args:
        random: The random generator.
        folder: A folder with folders `crds…` and the folder `samples`.
        objects: The number of objects per schema.
    """
    samples = _samples(folder / "samples")
    for crd in itertools.chain.from_iterable(map(_documents, sorted(folder.glob("crds*")))):
        if crd.get("kind") != "CustomResourceDefinition" or crd.get("apiVersion") != "apiextensions.k8s.io/v1":
            continue
        for version in crd["spec"]["versions"]:
            schema = version.get("schema", {}).get("openAPIV3Schema")
            if not schema:
                continue
            kind = (crd["spec"]["group"], crd["spec"]["names"]["kind"])
            yield Question(schema, list(itertools.islice(_objects(random, schema, samples.get(kind, [])), objects)))
            for _ in range(_MUTANTS):
                yield Question(schemagen.flawed(random, schema))


def with_samples(folder: Path) -> Iterator[tuple[JSONValue, list[JSONValue]]]:
    """Yield the CRDs in *folder* that have samples of their first version, with these samples."""
    samples = _samples(folder / "samples")
    for crd in itertools.chain.from_iterable(map(_documents, sorted(folder.glob("crds*")))):
        if crd.get("kind") == "CustomResourceDefinition" and crd.get("apiVersion") == "apiextensions.k8s.io/v1":
            spec = crd["spec"]
            first = f"{spec['group']}/{spec['versions'][0]['name']}"
            fitting = [
                sample
                for sample in samples.get((spec["group"], spec["names"]["kind"]), [])
                if sample["apiVersion"] == first
            ]
            if fitting:
                yield crd, fitting


def _objects(random: Random, schema: JSONValue, samples: list[JSONValue]) -> Iterator[JSONValue]:
    meta = {"apiVersion": f"{GROUP}/v1", "kind": "Case"}
    yield from (sample | meta for sample in samples)
    while True:
        if samples and random.random() < 0.5:
            yield objectgen.mutated(random, random.choice(samples) | meta)
        else:
            yield objectgen.resource(random, schema, api_version=meta["apiVersion"], kind=meta["kind"], name="case")


def _samples(folder: Path) -> dict[tuple[str, str], list[JSONValue]]:
    samples: dict[tuple[str, str], list[JSONValue]] = {}
    for document in _documents(folder):
        group, _, _ = str(document.get("apiVersion")).partition("/")
        if isinstance(document.get("metadata"), dict):
            samples.setdefault((group, str(document.get("kind"))), []).append(document)
    return samples


def _documents(folder: Path) -> Iterator[JSONValue]:
    """Yield the mappings in YAML files below *folder* that are plain JSON; templates and the like are skipped."""
    for path in sorted(folder.glob("**/*.y*ml")):
        try:
            documents = list(yaml.load_all(path.read_text(encoding="utf-8"), _LOADER))
            plain = json.loads(json.dumps(documents))
        except (yaml.YAMLError, TypeError, ValueError, RecursionError):
            continue
        yield from (copy.deepcopy(document) for document in plain if isinstance(document, dict))
