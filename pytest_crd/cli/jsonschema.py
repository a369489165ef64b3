"""`json-schema`: JSON Schemas of custom resources, for editors and validators."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from pytest_crd import engine
from pytest_crd.casefiles import reports
from pytest_crd.cli import arguments, lookup


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    lookup.add_crds(parser)
    parser.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="the folder of the files, made where it is missing"
    )
    arguments.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Write the files and print their names; 1 where some cannot be made, 2 where none can. Nothing is written then."""
    try:
        found = lookup.named_crds(options.crds, options.crd_path, options.kubernetes_version)
    except lookup.ERRORS as error:
        print(error, file=sys.stderr)
        return 2
    versions = [version for crd in found for version in crd.versions if version.served]
    problems = [*filter(None, (lookup.why_unpublished(version, 3) for version in versions)), *_alike(versions)]
    if problems or not versions:
        print("\n".join(dict.fromkeys(problems)) or "no version is served", file=sys.stderr)
        return 1
    return _write(versions, options.out)


def _write(versions: list[engine.Version], folder: Path) -> int:
    try:
        reports.resolve(folder)
        for version in versions:
            path = folder / _file_of(version)
            text = json.dumps(version.json_schema(), indent=2, sort_keys=True, ensure_ascii=False)
            reports.write(path, f"{text}\n")
            print(path)
    except OSError as error:
        print(f"{folder}: cannot be written: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


def _file_of(version: engine.Version) -> str:
    """Return the name of the file, as kubeconform finds it: `{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json`."""
    return f"{version.crd.kind.lower()}-{version.crd.group}-{version.name}.json"


def _alike(versions: list[engine.Version]) -> Iterator[str]:
    """Say of which versions the files would have one name."""
    known: dict[str, engine.Version] = {}
    for version in versions:
        other = known.setdefault(_file_of(version), version)
        if other is not version:
            places = " and ".join(one.crd.source or one.crd.name for one in (other, version))
            yield f"{_file_of(version)} would be of {places}; say which CRD is meant"
