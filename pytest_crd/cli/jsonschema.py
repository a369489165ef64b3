"""Command `json-schema`: JSON Schemas of custom resources, for editors and validators."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_crd import boundary, engine
from pytest_crd.casefiles import filereplacement, reports
from pytest_crd.cli import lookup

_FLAT: Final = "flat"
_CATALOG: Final = "catalog"


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    lookup.add_crds(parser)
    parser.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="the folder of the files; it is created if it is missing"
    )
    parser.add_argument(
        "--layout",
        choices=(_FLAT, _CATALOG),
        default=_FLAT,
        help=(
            f"the names of the files: {_FLAT} (default): KIND-GROUP-VERSION.json; {_CATALOG}: GROUP/KIND_VERSION.json, "
            "as public catalogues have them"
        ),
    )
    lookup.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Write the files and print their names; return 1 if some cannot be made; then no file is written."""
    crds = lookup.named_crds(options.crds, options.crd_path, options.kubernetes_version)
    versions = [version for crd in crds for version in crd.versions if version.served]
    problems = [
        *filter(None, (lookup.why_unpublished(version, 3) for version in versions)),
        *_find_collisions(versions, options.layout),
    ]
    if problems or not versions:
        print("\n".join(dict.fromkeys(problems)) or "no version is served", file=sys.stderr)
        return 1
    return _write(versions, options.out, options.layout)


def _write(versions: list[engine.CrdVersion], folder: Path, layout: str) -> int:
    try:
        filereplacement.resolve(folder)
        boundary.require_output(folder / _file_of(versions[0], layout))
        for version in versions:
            path = folder / _file_of(version, layout)
            filereplacement.resolve(path.parent)
            text = json.dumps(version.json_schema(), indent=2, sort_keys=True, ensure_ascii=False)
            reports.write(path, f"{text}\n")
            print(path)
    except OSError as error:
        print(f"{folder}: cannot be written: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


def _file_of(version: engine.CrdVersion, layout: str) -> str:
    """
    Return the file name that kubeconform looks for.

    It is `{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json`; in catalogues `{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json`.
    """
    kind, group = version.crd.kind.lower(), version.crd.group
    return f"{group}/{kind}_{version.name}.json" if layout == _CATALOG else f"{kind}-{group}-{version.name}.json"


def _find_collisions(versions: list[engine.CrdVersion], layout: str) -> Iterator[str]:
    """Yield a problem for each file name that several versions would share."""
    versions_by_name: dict[str, engine.CrdVersion] = {}
    for version in versions:
        first = versions_by_name.setdefault(_file_of(version, layout), version)
        if first is not version:
            places = " and ".join(item.crd.source or item.crd.name for item in (first, version))
            yield f"{_file_of(version, layout)} would be of {places}; say which CRD is meant"
