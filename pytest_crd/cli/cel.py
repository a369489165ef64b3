"""Command `cel`: evaluation of a CEL expression on a custom resource or with an admission policy, or its estimated cost."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping

from pytest_crd import engine
from pytest_crd.cases import comparison
from pytest_crd.checks import costadvice
from pytest_crd.cli import lookup, objectfiles, policycel
from pytest_crd.engine import profile
from pytest_crd.engine.crds.rule import EXPRESSION_LIMIT
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules import costlimits, trial
from pytest_crd.engine.rules.trial import Trial, TrialError


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
    parser.add_argument(
        "--self", metavar="FILE", help="a file with the object; without one, only the cost of the rule is estimated"
    )
    parser.add_argument("--old", metavar="FILE", help="a file with the old object, for oldSelf")
    policycel.declare(parser)
    lookup.add_paths(parser)
    lookup.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Print the result or the cost of an expression; return 1 if it is false, an error or too costly, 2 if it cannot be evaluated."""
    try:
        if options.policy is not None:
            return policycel.run(options)
        if options.self is None:
            return _print_cost(options)
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
    written = [objectfiles.read_one(file) for file in files]
    version = _version(options, written[0], named.version)
    if version.schema is None:
        raise TrialError(
            f"{version.name} of {version.crd.name} has no schema, so that rules cannot speak of its objects"
        )
    resources = [_resource(value, version, file) for value, file in zip(written, files, strict=True)]
    _note_refusal(resources[0], version, options.self)
    values = [_find_self(resource, options.path, file) for resource, file in zip(resources, files, strict=True)]
    return trial.run(version.schema_map, named, options.expression, values[0][0], [value for _, value in values])


def _print_cost(options: argparse.Namespace) -> int:
    """Print the estimated cost of the expression and the limits that the schema lacks; return 1 if it is above the budget."""
    if (named := options.crd_option or options.crd) is None or options.old is not None:
        raise TrialError("without --self, say which CRD and leave out --old: RULE CRD[/VERSION] --path spec.items[*]")
    kubernetes = profile.named(options.kubernetes_version)
    crd, name = lookup.crd_and_version(named, options.crd_path, kubernetes.version)
    version = lookup.version(crd, options.version or name)
    place = re.sub(r"\[\d+\]", "[*]", options.path)
    schema = next((node for node in version.schema_map if node.path == place), None)
    if schema is None:
        raise TrialError(
            f"the schema of {version.crd.name} {version.name} has no {options.path}; items are spelled spec.items[*]"
        )
    estimate = trial.estimate(schema, kubernetes, options.expression)
    share = costadvice.describe_share(estimate.cost, estimate.values)
    print(f"type   {estimate.type}\ncost   at most {estimate.cost} by estimate{share}")
    if estimate.total <= EXPRESSION_LIMIT:
        return 0
    remedy = costlimits.find_remedy(schema, kubernetes, options.expression, budget=EXPRESSION_LIMIT)
    print("\n".join(f"  {line}" for line in costadvice.lines(version, remedy)))
    return 1


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
    share = costadvice.describe_share(tried.estimate, tried.values)
    yield f"cost   {tried.cost}, at most {tried.estimate} by estimate{share}"
    yield from (f"  {part}" for part in tried.parts)
