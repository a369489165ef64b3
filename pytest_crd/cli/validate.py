"""Command `validate`: the server's verdict on objects, in files or in a stream."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from pytest_crd.checks import samplefiles
from pytest_crd.checks.samplefiles import Claims
from pytest_crd.checks.samples import SampleOutcome
from pytest_crd.cli import judging, knownkinds, lookup, objectfiles, repositorysettings, validateformats, validatetext
from pytest_crd.cli.exits import Exit
from pytest_crd.cli.judging import SendingMethod
from pytest_crd.cli.knownkinds import KnownKinds, WrongUseError
from pytest_crd.cli.objectfiles import STREAM, ClassifiedObjects, Identity, Resource
from pytest_crd.cli.validateformats import Answers
from pytest_crd.engine import (
    CrdLookupError,
    InputError,
    Mistake,
    UnknownVersionError,
    UnsupportedConstructError,
    UnsupportedExpressionError,
    profile,
)
from pytest_crd.report.outputs import testformats

_MANAGER: Final = "kubectl"
_JSON: Final = "json"


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add(
        "files",
        nargs="*",
        metavar="FILE",
        help=("files, folders and globs with objects; - for standard input; kustomizations in folders are built"),
    )
    add("-f", "--filename", action="append", metavar="FILE", help="the same, as kubectl names files")
    add(
        "--crd",
        action="append",
        metavar="PATH",
        help=(
            "a file, a folder or a glob with CRDs, or with JSON Schemas in the layout of catalogues,"
            " GROUP/KIND_VERSION.json; - for standard input; may be given several times; default: the CRDs of the"
            " project in the current folder; CRDs among the objects count, too"
        ),
    )
    add(
        "--skip",
        action="append",
        metavar="KIND",
        help="leave out objects of a kind: Secret, or Secret with its group; repeatable",
    )
    add(
        "--helm-charts",
        action=argparse.BooleanOptionalAction,
        help="run helm template for the charts in folders, and judge its output",
    )
    add(
        "--local-sources",
        action="append",
        metavar="SOURCE",
        help="the folder of a source of Flux, KIND/NAMESPACE/NAME=FOLDER; repeatable",
    )
    add("--old", metavar="FILE", help="the stored objects; send updates of these")
    add("--apply", action="store_true", help="send server-side applies, as kubectl apply --server-side does")
    add("--manager", metavar="NAME", help=f"the field manager of applies; default: {_MANAGER}")
    add("--force", action="store_true", help="force applies: take over fields of other managers")
    add("--show", action="store_true", help="print the stored objects as YAML, and everything else as comments")
    add(
        "--strict",
        action=argparse.BooleanOptionalAction,
        help="fail for objects of unknown kinds, and for values that are encrypted or variables",
    )
    add(
        "-o",
        "--output",
        choices=testformats.FORMATS,
        default=testformats.TEXT,
        help="the format on stdout: text (default), json, junit or tap",
    )
    add(
        "--crd-live",
        metavar="URL|KUBECONFIG",
        help="use the CRDs installed on a server; the default of --kubernetes-version is then the server's version",
    )
    add("--crd-live-context", metavar="NAME", help="the context of the kubeconfig")
    lookup.add_kubernetes_version(parser, default=None)


def run(options: argparse.Namespace) -> int:
    """Print the outcome of each object; return a code of `exits.Exit`."""
    options.files += options.filename or ()
    try:
        repositorysettings.complete(options)
        _check_options(options)
        helm_version = profile.named(options.kubernetes_version or profile.DEFAULT).version
        sent = objectfiles.read(
            options.files,
            helm_version=helm_version if options.helm_charts else "",
            local_sources=options.local_sources or (),
        )
        skipped = objectfiles.skip_kinds(sent, options.skip or ())
        kinds = knownkinds.find(options, sent)
        claims, version = samplefiles.group_crds(kinds.crds), kinds.kubernetes_version
        classified = objectfiles.classify(sent, claims, version, kinds.catalog)
        classified.skipped = skipped
        method = _sending_method(options, kinds)
        mistakes = sent.mistakes
        if options.old:
            old = objectfiles.read([options.old])
            objectfiles.find_crds(old, version)
            stored = objectfiles.classify(old, claims, version).resources
            mistakes += [*old.mistakes, *_find_impossible(stored), *_find_repeated(stored)]
            stored = [resource for resource in stored if _has_metadata(resource)]
            method = method._replace(old={resource.identity: resource for resource in stored})
        outcomes = [
            *_judge(classified.resources, claims, method, keeps_responses=options.show or options.output == _JSON)
        ]
    except (
        CrdLookupError,
        InputError,
        UnknownVersionError,
        UnsupportedConstructError,
        UnsupportedExpressionError,
        WrongUseError,
    ) as error:
        print(error, file=sys.stderr)
        return Exit.WRONG_USE
    problems = _problems(classified, method, mistakes)
    if options.output == testformats.TEXT:
        lines = validatetext.render(outcomes, classified, method, shows_objects=options.show)
        print("\n".join(lines), end=f"; Kubernetes {profile.describe(version)}\n")
    else:
        answers = Answers(outcomes, classified, problems, version, method.is_strict)
        print(validateformats.render(answers, options.output), end="")
    if problems:
        print("\n".join(map(str, problems)), file=sys.stderr)
        return Exit.WRONG_USE
    return _exit(outcomes, classified, is_strict=method.is_strict)


def _judge(
    resources: Iterable[Resource], claims: Claims, method: SendingMethod, *, keeps_responses: bool
) -> Iterator[tuple[Resource, SampleOutcome]]:
    """Yield the outcome of each object; a response holds the stored object, and most formats do not print it."""
    for resource in resources:
        outcome = judging.outcome(resource, claims, method)
        yield resource, outcome if keeps_responses else replace(outcome, response=None)


def _check_options(options: argparse.Namespace) -> None:
    """Raise WrongUseError if options contradict each other."""
    if not options.files:
        raise WrongUseError("name files with objects, or - for standard input")
    if options.show and options.output != testformats.TEXT:
        raise WrongUseError(
            f"--show prints YAML: leave it out with -o {options.output}; -o json has the stored objects"
        )
    if not options.apply and (options.manager is not None or options.force):
        raise WrongUseError("--manager and --force are of applies: add --apply")
    if options.crd and options.crd_live:
        raise WrongUseError("--crd and --crd-live both say where CRDs are: leave out one")
    if options.crd_live_context and not options.crd_live:
        raise WrongUseError("--crd-live-context does nothing without --crd-live")
    if [*options.files, *(options.crd or ()), options.old].count(STREAM) > 1:
        raise WrongUseError("there is one standard input: name - once")


def _sending_method(options: argparse.Namespace, kinds: KnownKinds) -> SendingMethod:
    manager = (options.manager if options.manager is not None else _MANAGER) if options.apply else ""
    if options.apply and not manager:
        raise WrongUseError("--manager: a field manager has a name")
    strict = bool(options.strict)
    return SendingMethod(manager, options.force, None, strict, kinds.kubernetes_version, kinds.catalog)


def _has_metadata(stored: Resource) -> bool:
    return isinstance(stored.manifest.value.get("metadata", {}), dict)


def _find_impossible(stored: Iterable[Resource]) -> Iterator[Mistake]:
    """Yield a mistake for each object that no server can have stored."""
    for resource in stored:
        if not _has_metadata(resource):
            line = resource.manifest.line_of("metadata")
            yield Mistake(
                resource.manifest.document.source,
                line,
                f"{resource.title}: the metadata of a stored object is a mapping",
            )


def _find_repeated(stored: Iterable[Resource]) -> Iterator[Mistake]:
    """Yield a mistake for each object that is listed twice as stored."""
    first_by_identity: dict[Identity, Resource] = {}
    for resource in stored:
        first = first_by_identity.setdefault(resource.identity, resource)
        if first is not resource:
            source = resource.manifest.document.source
            yield Mistake(
                source,
                resource.manifest.line_of(),
                f"{resource.title} is stored once: see line {first.manifest.line_of()}",
            )


def _problems(classified: ClassifiedObjects, method: SendingMethod, mistakes: Sequence[Mistake]) -> Sequence[Mistake]:
    """Return the reasons why the verdict is incomplete; empty if it is complete."""
    is_in_vain = (
        method.old is not None
        and classified.resources
        and not any(resource.identity in method.old for resource in classified.resources)
    )
    if mistakes or not is_in_vain:
        return mistakes
    return [Mistake("--old", 0, "none of the objects, by group, kind, namespace and name: nothing was updated")]


def _exit(
    outcomes: Sequence[tuple[Resource, SampleOutcome]], classified: ClassifiedObjects, *, is_strict: bool
) -> Exit:
    judged = [outcome for _, outcome in outcomes if not outcome.placeholder]
    holds = not any(outcome.findings for outcome in judged) and not classified.misspelt and not classified.unserved
    if not holds or (is_strict and (classified.others or classified.unbuilt)):
        return Exit.DOES_NOT_HOLD
    return Exit.HOLDS if judged else Exit.NOTHING_THERE
