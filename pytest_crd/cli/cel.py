"""Command `cel`: evaluation of a CEL expression on a custom resource."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from pytest_crd import engine
from pytest_crd.cases import comparison
from pytest_crd.cli import lookup
from pytest_crd.engine import profile
from pytest_crd.engine.crds.rule import EXPRESSION_LIMIT
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules import trial
from pytest_crd.engine.rules.trial import Trial, TrialError
from pytest_crd.engine.yaml import yamlreader


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("expression", metavar="RULE", help="the expression, as in 'self.replicas <= self.max'")
    parser.add_argument(
        "crd",
        nargs="?",
        metavar="CRD[/VERSION]",
        help="a CRD (name, kind, short name or file), and a version; default: those of the object",
    )
    # The original spelling of these options.
    parser.add_argument("--crd", dest="crd_option", help=argparse.SUPPRESS)
    parser.add_argument("--version", help=argparse.SUPPRESS)
    parser.add_argument(
        "--path", default="", help="the path of self in the object, as in spec.items[0]; default: the whole object"
    )
    parser.add_argument("--self", required=True, metavar="FILE", help="a file with the object")
    parser.add_argument("--old", metavar="FILE", help="a file with the old object, for oldSelf")
    lookup.add_paths(parser)
    lookup.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Print the result of the expression; return 1 if it is false or an error, 2 if it cannot be evaluated."""
    try:
        tried = _try_expression(options)
    except (
        engine.CrdLookupError,
        engine.DecodeError,
        engine.InputError,
        engine.UnknownVersionError,
        engine.UnsupportedConstructError,
        engine.UnsupportedExpressionError,
        TrialError,
    ) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(_lines(tried)))
    return 1 if tried.error or tried.value == "false" else 0


def _try_expression(options: argparse.Namespace) -> Trial:
    named = profile.named(options.kubernetes_version)
    files = [options.self] if options.old is None else [options.self, options.old]
    written = [_read_object(file) for file in files]
    version = _version(options, written[0], named.version)
    if version.schema is None:
        raise TrialError(
            f"{version.name} of {version.crd.name} has no schema, so that rules cannot speak of its objects"
        )
    resources = [_resource(value, version, file) for value, file in zip(written, files, strict=True)]
    _note_refusal(resources[0], version, options.self)
    values = [_find_self(resource, options.path, file) for resource, file in zip(resources, files, strict=True)]
    return trial.run(version.schema_map, named, options.expression, values[0][0], [value for _, value in values])


def _version(
    options: argparse.Namespace, written: Mapping[str, JSONValue], kubernetes_version: str
) -> engine.CrdVersion:
    """Return the version that the command line names, else that of the object."""
    group, _, of_object = str(written.get("apiVersion", "")).rpartition("/")
    if (named := options.crd_option or options.crd) is None:
        crds = lookup.crds(options.crd_path, kubernetes_version)
        fitting = [crd for crd in crds if (crd.group, crd.kind) == (group, written.get("kind"))]
        if len(fitting) != 1:
            which = "several CRDs are" if fitting else "no CRD is"
            raise TrialError(
                f"{options.self}: {which} of the object's apiVersion and kind; say which: RULE CRD[/VERSION]"
            )
        crd, name = fitting[0], ""
    else:
        crd, name = lookup.crd_and_version(named, options.crd_path, kubernetes_version)
    served = [version for version in crd.versions if version.served]
    if options.version or name:
        return crd.version(options.version or name)
    own = [version for version in served if (crd.group, version.name) == (group, of_object)] or served
    if len(own) != 1:
        version_names = ", ".join(version.name for version in crd.versions)
        raise TrialError(f"{crd.name} serves {len(served)} versions of {version_names}; say which: CRD/VERSION")
    return own[0]


def _read_object(file: str) -> Mapping[str, JSONValue]:
    """Return the object in a file, unchanged."""
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise engine.ManifestError([Mistake(file, 0, f"cannot be read: {error.strerror or error}")]) from None
    value = yamlreader.read_one(content, source=file).value
    if not isinstance(value, dict):
        raise engine.ManifestError([Mistake(file, 1, "is no mapping, as every object is")])
    return value


def _resource(written: Mapping[str, JSONValue], version: engine.CrdVersion, file: str) -> Mapping[str, JSONValue]:
    """Return an object as rules see it: pruned, with a note for each dropped field, and with defaults."""
    whole = {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind, **written}
    pruned = version.prune(whole)
    for path in pruned.paths:
        print(f"note: {file}: {path} is dropped, as the schema does not specify it", file=sys.stderr)
    resource: Mapping[str, JSONValue] = version.default(pruned.value).value
    return resource


def _note_refusal(resource: Mapping[str, JSONValue], version: engine.CrdVersion, file: str) -> None:
    """Print the reasons why a server would refuse *resource* before it runs any rule."""
    for error in version.create(resource, field_validation="Ignore").errors:
        if error.rule is None:
            print(f"note: {file}: the server refuses the object before it runs rules: {error}", file=sys.stderr)


def _find_self(resource: Mapping[str, JSONValue], path: str, file: str) -> tuple[tuple[str | int, ...], JSONValue]:
    if not path:
        return (), resource
    matches = list(comparison.find_places(resource, path))
    if len(matches) != 1:
        reason = "there is nothing" if not matches else "several fields are called so"
        raise TrialError(f"{file}: {reason} at {path}")
    return matches[0]


def _lines(tried: Trial) -> Iterator[str]:
    yield f"error  {tried.error}" if tried.error else f"value  {tried.value}"
    yield f"type   {tried.type}"
    yield f"cost   {tried.cost}, at most {tried.estimate} by estimate{_of_all_values(tried)}"
    yield from (f"  {part}" for part in tried.parts)


def _of_all_values(tried: Trial) -> str:
    """Return the highest cost of the expression as a rule, for all values that an object may have at the path."""
    cost = tried.estimate * tried.values
    times = f"; {cost} for up to {tried.values} values" if tried.values > 1 else ""
    share = cost / EXPRESSION_LIMIT
    return f"{times}, {f'{share:.2%} of' if share <= 1 else f'{share:.0f} times'} a rule's budget"
