"""Command `crd`: the CustomResourceDefinition of a Python class."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from pytest_crd import engine, folders
from pytest_crd.classes import crd_of, importpaths
from pytest_crd.engine.inputerror import Mistake, WrongTypeError
from pytest_crd.engine.yaml import yamlreader

_SCOPES: Final = ("Namespaced", "Cluster")


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "model",
        metavar="MODULE:CLASS",
        help="the class: a pydantic model, a TypeAdapter, or a JSON Schema as a mapping; its module is imported, also from the current folder",
    )
    parser.add_argument("--group", required=True, help="the API group")
    parser.add_argument("--kind", default="", help="the kind; default: the name of the class")
    parser.add_argument("--plural", default="", help="the plural name; default: the kind in lower case, with an ending")
    parser.add_argument(
        "--version",
        action="append",
        metavar="NAME",
        help="the name of a version; may be given several times, and the last one is stored; default: v1",
    )
    parser.add_argument("--scope", choices=_SCOPES, default=_SCOPES[0], help=f"default: {_SCOPES[0]}")
    parser.add_argument(
        "--short-name", action="append", metavar="NAME", help="a short name; may be given several times"
    )
    parser.add_argument("--check", type=Path, metavar="FILE", help="compare the CRD with a file instead of printing it")


def run(options: argparse.Namespace) -> int:
    """Print the CRD, or its differences from a file; return 1 if there are some, 2 if the CRD or the file cannot be read."""
    try:
        manifest = _make_manifest(options)
        if options.check is None:
            sys.stdout.write(_dump(manifest))
            return 0
        return _compare(manifest, _read(options.check, manifest["metadata"]["name"]), options.check)
    except importpaths.ImportPathError as error:
        print(f"{options.model}: {error}", file=sys.stderr)
    except (engine.InputError, WrongTypeError) as error:
        print(error, file=sys.stderr)
    return 2


def _make_manifest(options: argparse.Namespace) -> dict[str, Any]:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    with contextlib.redirect_stdout(sys.stderr):  # the module may print, too
        model = importpaths.find_object(options.model)
        names = {"shortNames": options.short_name} if options.short_name else None
        return crd_of(
            model,
            group=options.group,
            kind=options.kind,
            plural=options.plural,
            versions=options.version or "v1",
            scope=options.scope,
            names=names,
        )


def _dump(manifest: Mapping[str, Any]) -> str:
    text: str = yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True)
    return text


def _read(path: Path, name: str) -> dict[str, Any]:
    """
    Return the CRD in a file.

    Raises:
        InputError: The file cannot be read, or has no such CRD.
    """
    try:
        content = folders.read_file(path)
    except OSError as error:
        raise engine.CrdError([Mistake(str(path), 0, f"cannot be read: {error.strerror or error}")]) from None
    for document in yamlreader.read(content, source=str(path)):
        value = document.value
        if isinstance(value, dict) and (value.get("metadata") or {}).get("name") == name:
            return value
    raise engine.CrdError([Mistake(str(path), 0, f"it has no CRD {name}")])


def _compare(manifest: Mapping[str, Any], written: Mapping[str, Any], path: Path) -> int:
    """Print the differences of the spec, and return 1 if there are some, else 0; other metadata is the user's."""
    lines = [*_find_differences(manifest["spec"], written.get("spec"), path)]
    sys.stdout.writelines(lines)
    return 1 if lines else 0


def _find_differences(of_class: Any, written: Any, path: Path) -> Iterator[str]:
    """Yield the lines of a diff of two specs, with their keys in one order."""
    if of_class == written:
        return
    old, new = (
        yaml.safe_dump({"spec": spec}, allow_unicode=True).splitlines(keepends=True) for spec in (written, of_class)
    )
    yield from difflib.unified_diff(old, new, str(path), "the class")
