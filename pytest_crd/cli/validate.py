"""Command `validate`: the server's verdict on objects, in files or in a stream."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Final

from pytest_crd import progress, suggestions
from pytest_crd.checks import samplefiles
from pytest_crd.checks.samplefiles import Claims
from pytest_crd.cli import (
    knownkinds,
    lookup,
    objectfiles,
    objectkinds,
    repositorysettings,
    validateformats,
    validatetext,
)
from pytest_crd.cli.exits import Exit
from pytest_crd.cli.judging import SendingMethod
from pytest_crd.cli.knownkinds import KnownKinds, WrongUseError
from pytest_crd.cli.objectfiles import STREAM
from pytest_crd.cli.objectkinds import Identity, KindExplanations, Resource
from pytest_crd.cli.validateformats import Answers
from pytest_crd.cli.verdicts import ObjectVerdict, TextJudge, ValidationSummary
from pytest_crd.engine import (
    Mistake,
    UnsupportedConstructError,
    UnsupportedExpressionError,
    profile,
)
from pytest_crd.progress import Tell
from pytest_crd.report.outputs import testformats
from pytest_crd.suggestions import WorkBudget

_MANAGER: Final = "kubectl"
_JSON: Final = "json"
_AUTO: Final = "auto"
# The similarity of a kind with one wrong letter; Secret and PushSecret are less similar.
_SAME: Final = 0.85
_TITLE: Final = "KiB judged"


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
    add(
        "--jobs",
        type=_read_jobs,
        metavar="N",
        help="the number of processes; auto (default): one per core, if there is enough to judge",
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
        kinds = knownkinds.find(options, sent)
        claims, method = samplefiles.group_crds(kinds.crds), _sending_method(options, kinds)
        mistakes: list[Mistake] = []
        if options.old:
            stored = [*_read_stored(options.old, claims, kinds.kubernetes_version, mistakes)]
            mistakes += [*_find_impossible(stored), *_find_repeated(stored)]
            method = method._replace(old={item.identity: item for item in stored if _has_metadata(item)})
        keeps_stored = options.show or options.output == _JSON
        skip = frozenset(kind.casefold() for kind in options.skip or ())
        judge = TextJudge(claims, sent, method, skip, keeps_stored)
        return _report(judge, options, mistakes)
    except (UnsupportedConstructError, UnsupportedExpressionError, WrongUseError) as error:
        print(error, file=sys.stderr)
        return Exit.WRONG_USE


def _read_stored(name: str, claims: Claims, kubernetes_version: str, mistakes: list[Mistake]) -> Sequence[Resource]:
    """Return the stored objects, and add the reasons why files cannot be read to *mistakes*."""
    old = objectfiles.read([name])
    objectfiles.find_crds(old, kubernetes_version)
    items = [*old.read_all(mistakes)]
    mistakes += old.mistakes
    return objectkinds.classify(items, claims, kubernetes_version, old.crds).resources


def _report(judge: TextJudge, options: argparse.Namespace, old_mistakes: Sequence[Mistake]) -> Exit:
    """Print the verdicts on all objects, in the format of the command line."""
    method, is_text = judge.method, options.output == testformats.TEXT
    summary = ValidationSummary(unbuilt=judge.objects.unbuilt)
    reported: list[ObjectVerdict] = []
    with _show_progress() as tell, contextlib.closing(judge.judge_all(options.jobs, tell)) as parts:
        for verdicts in parts:
            summary.add(verdicts)
            if is_text:
                for line in validatetext.describe(verdicts.judged, method, shows_objects=options.show):
                    print(line)
            else:
                reported += verdicts.judged
    version, catalog = method.kubernetes_version, method.catalog
    reasons = objectkinds.explain_unknown(summary.unknown, judge.claims, version, catalog)
    misspelt = _find_misspelt(judge.skip, summary)
    problems = _problems(summary, method, [*judge.objects.mistakes, *summary.mistakes, *old_mistakes, *misspelt])
    if is_text:
        lines = validatetext.summarize(summary, reasons, method, shows_objects=options.show)
        print("\n".join(lines), end=f"; Kubernetes {profile.describe(version)}\n")
    else:
        answers = Answers(
            reported, reasons, summary.unbuilt, summary.skipped.total(), problems, version, method.is_strict
        )
        print(validateformats.render(answers, options.output), end="")
    if problems:
        print("\n".join(map(str, problems)), file=sys.stderr)
        return Exit.WRONG_USE
    return _exit(summary, reasons, is_strict=method.is_strict)


def _show_progress() -> AbstractContextManager[Tell]:
    """Show the progress on a terminal, unless the verdicts appear there."""
    terminal = sys.__stderr__  # the other stream escapes the control characters of a terminal
    is_shown = terminal is not None and terminal.isatty() and not sys.stdout.isatty()
    return progress.show(_TITLE, terminal) if terminal is not None and is_shown else progress.silent(_TITLE)


def _read_jobs(text: str) -> int | None:
    """
    Return the number of processes; None for `auto`.

    Raises:
        ArgumentTypeError: The text is no such number.
    """
    if text == _AUTO:
        return None
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is neither {_AUTO} nor a number from 1")
    return int(text)


def _check_options(options: argparse.Namespace) -> None:
    """Raise WrongUseError if options contradict each other."""
    if not options.files:
        raise WrongUseError("name files with objects, - for standard input, or `files` in pytest-crd.toml")
    if options.show and options.output != testformats.TEXT:
        raise WrongUseError(
            f"--show prints YAML: leave it out with -o {options.output}; -o json has the stored objects"
        )
    if not options.apply and (options.manager is not None or options.force):
        raise WrongUseError("--manager and --force are of applies: add --apply")
    if options.crd and options.crd_live:
        raise WrongUseError("--crd and --crd-live both say where CRDs are: leave out one")
    if "" in (options.skip or ()):
        raise WrongUseError("--skip: name a kind")
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


def _find_misspelt(skip: Collection[str], summary: ValidationSummary) -> Iterator[Mistake]:
    """Yield a mistake for each kind to skip that no object has, if it is similar to the kind of an object."""
    skipped = {kind.casefold() for kind in summary.skipped}
    kinds = {kind.casefold(): kind for kind in summary.kinds}
    budget = WorkBudget()
    for name in sorted(skip):
        kind = name.partition(".")[0]
        near = "" if kind in skipped else suggestions.nearest(kind, kinds, budget, least_ratio=_SAME)
        if near and kind not in kinds:
            yield Mistake("--skip", 0, f"no object has the kind {name}{suggestions.hint(kinds[near])}")


def _problems(summary: ValidationSummary, method: SendingMethod, mistakes: Sequence[Mistake]) -> Sequence[Mistake]:
    """Return the reasons why the verdict is incomplete; empty if it is complete."""
    counts = (summary.custom, summary.built_in)
    is_in_vain = any(item.all for item in counts) and not any(item.updated for item in counts)
    if mistakes or method.old is None or not is_in_vain:
        return mistakes
    return [Mistake("--old", 0, "none of the objects, by group, kind, namespace and name: nothing was updated")]


def _exit(summary: ValidationSummary, reasons: KindExplanations, *, is_strict: bool) -> Exit:
    counts = (summary.custom, summary.built_in)
    if any(item.refused or item.changed for item in counts) or reasons.misspelt or reasons.unserved:
        return Exit.DOES_NOT_HOLD
    if is_strict and (reasons.others or summary.unbuilt):
        return Exit.DOES_NOT_HOLD
    return Exit.HOLDS if any(item.all > item.unjudged for item in counts) else Exit.NOTHING_THERE
