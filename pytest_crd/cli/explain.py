"""Command `explain`: the output of `kubectl explain` for a custom resource or a built-in kind."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_crd.cli import explaintext, lookup
from pytest_crd.cli.explaintext import Explanation, NoFieldError
from pytest_crd.engine import CrdLookupError, profile
from pytest_crd.engine.crds import versionpriority
from pytest_crd.engine.inputerror import NoCrdError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.openapi import kubernetesdocuments
from pytest_crd.server.builtin import builtinkinds
from pytest_crd.server.builtin.builtinkinds import BuiltInRecord

# Errors of a name that no CRD has.
_WITHOUT_CRD: Final = (CrdLookupError, NoCrdError)


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "crd",
        metavar="CRD[/VERSION][.FIELD]",
        help=(
            "a CRD (name, kind, short name or file) or a built-in kind, a version (default: the server's preferred one), and a "
            "field, as in kubectl: backup.spec.retention"
        ),
    )
    parser.add_argument("field", nargs="?", default="", metavar="FIELD", help="a field below that: spec.retention")
    parser.add_argument("--recursive", action="store_true", help="print all fields below, without descriptions")
    lookup.add_paths(parser)
    lookup.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Print the explanation; return 1 without one, 2 if neither a CRD nor a built-in kind has the name."""
    try:
        version, field = lookup.find_explained(options.crd, options.crd_path, options.kubernetes_version)
    except lookup.ERRORS as error:
        match = _find_built_in(options.crd, options.kubernetes_version) if isinstance(error, _WITHOUT_CRD) else None
        if match is None:
            print(error, file=sys.stderr)
            return 2
        return _explain_built_in(match, options)
    if problem := lookup.why_unpublished(version, 3):
        print(problem, file=sys.stderr)
        return 1
    crd = version.crd
    kind = _Kind(version.openapi(3) or {}, crd.group, version.name, crd.kind)
    return _print(kind, f"{field}.{options.field}", is_recursive=options.recursive)


class _Kind(NamedTuple):
    """A kind and the document with its schema."""

    document: Mapping[str, JSONValue]
    group: str
    version: str
    kind: str


class _Match(NamedTuple):
    """A built-in kind with the name that a text starts with, and the field in the text."""

    name: str
    record: BuiltInRecord
    field: str


def _find_built_in(named: str, kubernetes_version: str) -> _Match | None:
    """Return the built-in kind of a text such as `deployment.spec` or `deployments.apps/v1.spec`; the longest name counts."""
    whole, _, rest = named.partition("/")
    version, _, field = rest.partition(".")
    matches = [
        _Match(name, record, field if version else whole[len(name) + 1 :])
        for record in builtinkinds.served_records(profile.named(kubernetes_version))
        for name in _names(record)
        if version in ("", record.version)
        and (whole.lower() == name if version else f"{whole.lower()}.".startswith(f"{name}."))
    ]
    if not matches:
        return None
    longest = max(len(match.name) for match in matches)
    first = next(match for match in matches if len(match.name) == longest)
    of_group = [match for match in matches if match.name == first.name and match.record.group == first.record.group]
    return max(of_group, key=lambda match: versionpriority.sort_key(match.record.version))


def _names(record: BuiltInRecord) -> list[str]:
    names = [record.plural, record.singular, *record.shortNames]
    return [*names, *(f"{name}.{record.group}" for name in names if record.group)]


def _explain_built_in(match: _Match, options: argparse.Namespace) -> int:
    record = match.record
    release = profile.named(options.kubernetes_version)
    if not release.publishes_v3:
        print(f"Kubernetes {release.version} publishes no OpenAPI v3", file=sys.stderr)
        return 1
    path = f"apis/{record.api_version}" if record.group else f"api/{record.version}"
    kind = _Kind(kubernetesdocuments.of_version(release)[path], record.group, record.version, record.kind)
    return _print(kind, f"{match.field}.{options.field}", is_recursive=options.recursive)


def _print(kind: _Kind, field: str, *, is_recursive: bool) -> int:
    schema = explaintext.schema_of(*kind)
    group = f"GROUP:      {kind.group}\n" if kind.group else ""
    print(f"{group}KIND:       {kind.kind}\nVERSION:    {kind.version}\n")
    try:
        steps = [step for step in field.split(".") if step]
        text = Explanation(kind.document, is_recursive=is_recursive).explain(schema, steps)
    except NoFieldError as error:
        print(error, file=sys.stderr)
        return 1
    print(text, end="")
    return 0
