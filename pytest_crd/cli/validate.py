"""`validate`: what a server makes of custom resources, in files or in a stream."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd.casefiles import yamltext
from pytest_crd.cases import acceptance
from pytest_crd.checks.samples import SampleOutcome
from pytest_crd.cli import arguments, judging, objectfiles
from pytest_crd.cli.exits import Exit
from pytest_crd.cli.judging import Way
from pytest_crd.cli.objectfiles import STREAM, Identity, ReadObjects, Resource, ToldApart
from pytest_crd.cli.wording import counted
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import (
    CrdLookupError,
    CustomResourceDefinition,
    CustomResourceDefinitions,
    InputError,
    Mistake,
    UnknownVersionError,
    UnsupportedConstructError,
    UnsupportedExpressionError,
    profile,
)
from pytest_crd.engine.loading.crdfiles import CrdFiles
from pytest_crd.report import text

_MOST_KINDS: Final = 5
_MANAGER: Final = "kubectl"


class WrongUseError(Exception):
    """Options that do not go together, or a server that cannot be asked."""


class KnownCrds(NamedTuple):
    """
    The CRDs that objects are judged by.

    Attributes:
        crds: The CRDs.
        kubernetes_version: Whose answers are given.
    """

    crds: CustomResourceDefinitions
    kubernetes_version: str


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="files, folders and globs with custom resources, whatever else is in them; - for standard input",
    )
    add(
        "--crd",
        action="append",
        metavar="PATH",
        help="a file, a folder or a glob with CRDs, - for standard input; several; unset: those of the project in the current folder;"
        " CRDs among the objects count, too",
    )
    add("--old", metavar="FILE", help="the objects as they are stored: those of FILE are updates of them")
    add("--apply", action="store_true", help="send server-side applies, as kubectl apply --server-side does")
    add("--manager", metavar="NAME", help=f"the field manager of applies; unset: {_MANAGER}")
    add("--force", action="store_true", help="let applies take over the fields of others")
    add("--show", action="store_true", help="print what is stored: YAML, in which all else is comments")
    add("--strict", action="store_true", help="let kinds that no CRD is known of fail")
    add(
        "--crd-live",
        metavar="URL|KUBECONFIG",
        help="take the CRDs that are installed on a server; unset with it: --kubernetes-version is that of the server",
    )
    add("--crd-live-context", metavar="NAME", help="the context of that kubeconfig")
    arguments.add_kubernetes_version(parser, default=None)


def run(options: argparse.Namespace) -> int:
    """Print what becomes of each object; return a code of `exits.Exit`."""
    try:
        _demand_possible(options)
        sent = objectfiles.read(options.files)
        known = _known(options, sent)
        claims = objectfiles.claims_of(known.crds)
        found, way, mistakes = objectfiles.told_apart(sent.manifests, claims), _way(options), sent.mistakes
        if options.old:
            old = objectfiles.read([options.old])
            stored = objectfiles.told_apart(old.manifests, claims).resources
            mistakes += [*old.mistakes, *_impossible(stored), *_repeated(stored)]
            stored = [one for one in stored if _has_metadata(one)]
            way = way._replace(old={one.identity: one for one in stored})
        outcomes = [(one, judging.outcome(one, claims, way)) for one in found.resources]
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
    _print(outcomes, found, options, way)
    print(f"{'# ' if options.show else ''}{_summary(outcomes, found, way)}; Kubernetes {known.kubernetes_version}")
    problem = _problem(found, way, mistakes)
    if problem:
        print(problem, file=sys.stderr)
        return Exit.WRONG_USE
    return _exit(outcomes, found, is_strict=options.strict)


def _demand_possible(options: argparse.Namespace) -> None:
    """Raise WrongUseError where options do not go together."""
    if not options.apply and (options.manager is not None or options.force):
        raise WrongUseError("--manager and --force are of applies: add --apply")
    if options.crd and options.crd_live:
        raise WrongUseError("--crd and --crd-live both say where CRDs are: leave out one")
    if options.crd_live_context and not options.crd_live:
        raise WrongUseError("--crd-live-context does nothing without --crd-live")
    if [*options.files, *(options.crd or ()), options.old].count(STREAM) > 1:
        raise WrongUseError("there is one standard input: name - once")


def _way(options: argparse.Namespace) -> Way:
    manager = (options.manager if options.manager is not None else _MANAGER) if options.apply else ""
    if options.apply and not manager:
        raise WrongUseError("--manager: a field manager has a name")
    return Way(manager, options.force, None)


def _known(options: argparse.Namespace, sent: ReadObjects) -> KnownCrds:
    """Return the CRDs that the command line names, and those among the objects."""
    if options.crd_live:
        return _installed(options)
    version = profile.named(options.kubernetes_version or profile.DEFAULT).version
    among = objectfiles.crds_of(sent.contents, version)
    named = _named(options.crd, version) if options.crd else _of_project(version, is_needed=not among)
    # Those that come with the objects take the place of those of the project, and what is named counts before all.
    first, second = (named, among) if options.crd else (among, named)
    names = {crd.name for crd in first}
    crds = CustomResourceDefinitions([*first, *(crd for crd in second if crd.name not in names)])
    return KnownCrds(crds.guarded(lambda _: acceptance.require_accepted), version)


def _of_project(kubernetes_version: str, *, is_needed: bool) -> list[CustomResourceDefinition]:
    sources = Sources(Path.cwd())
    try:
        return list(sources.crds(kubernetes_version))
    except InputError:
        if is_needed or not sources.is_in_vain:
            raise
        return []


def _named(paths: Sequence[str], kubernetes_version: str) -> list[CustomResourceDefinition]:
    found = CrdFiles(kubernetes_version)
    if STREAM in paths:
        found.take_output(sys.stdin.buffer.read(), source=objectfiles.STREAM_NAME)
    if files := [path for path in paths if path != STREAM]:
        found.read_all(files, base=Path.cwd())
    found.raise_mistakes()
    return found.crds


def _installed(options: argparse.Namespace) -> KnownCrds:
    from pytest_crd.live import connection, installed  # noqa: PLC0415 - who asks no server needs no client
    from pytest_crd.live.connection import UsageProblemError  # noqa: PLC0415 - the same
    from pytest_crd.live.transport import NoAnswerError  # noqa: PLC0415 - the same

    try:
        target = connection.connect(options.crd_live, options.crd_live_context, base=Path.cwd())
    except UsageProblemError as error:
        raise WrongUseError(f"--crd-live: {error}") from None
    version = profile.named(options.kubernetes_version or target.version).version
    try:
        return KnownCrds(installed.crds(target, version), version)
    except NoAnswerError as error:
        raise WrongUseError(f"--crd-live: {error}") from None
    finally:
        target.server.close()


def _has_metadata(stored: Resource) -> bool:
    return isinstance(stored.manifest.value.get("metadata", {}), dict)


def _impossible(stored: Iterable[Resource]) -> Iterator[Mistake]:
    """Yield a mistake for each object that no server can have stored."""
    for one in stored:
        if not _has_metadata(one):
            line = one.manifest.line_of("metadata")
            yield Mistake(
                one.manifest.document.source, line, f"{one.title}: the metadata of a stored object is a mapping"
            )


def _repeated(stored: Iterable[Resource]) -> Iterator[Mistake]:
    """Yield a mistake for each object that is stored a second time."""
    known: dict[Identity, Resource] = {}
    for one in stored:
        first = known.setdefault(one.identity, one)
        if first is not one:
            source = one.manifest.document.source
            yield Mistake(
                source, one.manifest.line_of(), f"{one.title} is stored once: see line {first.manifest.line_of()}"
            )


def _print(
    outcomes: Iterable[tuple[Resource, SampleOutcome]], found: ToldApart, options: argparse.Namespace, way: Way
) -> None:
    """Print a line or more for each object; the objects themselves, too, where they are to be shown."""
    mark = "# " if options.show else ""
    for resource, outcome in outcomes:
        print("\n".join(f"{mark}{line}" for line in _lines(resource, outcome, way)))
        if options.show and outcome.response is not None and outcome.response.accepted:
            print(
                "\n".join(("---", *(f"# {note}" for note in outcome.notes), *yamltext.block(outcome.response.stored)))
            )
    for one, words in found.misspelt:
        print(f"{mark}{one.where}: {words}")
    for one, what in found.others if options.strict else ():
        print(f"{mark}{one.where}: no CRD is known of {what}")


def _lines(resource: Resource, outcome: SampleOutcome, way: Way) -> Iterator[str]:
    verb = outcome.heading if outcome.findings else f"accepted{_as(resource, way)}"
    yield f"{resource.manifest.where}: {resource.title}: {verb}"
    for finding in outcome.findings:
        first, *rest = text.visible_lines(finding.text)
        yield f"  {finding.place}{': ' if finding.place else ''}{first}"
        yield from (f"      {line}" for line in (*rest, *finding.details))
    yield from (f"  warning: {warning.text}" for warning in outcome.warnings)


def _as(resource: Resource, way: Way) -> str:
    if way.old is None:
        return ""
    return ", an update" if resource.identity in way.old else ", as nothing is stored of it"


def _summary(outcomes: Sequence[tuple[Resource, SampleOutcome]], found: ToldApart, way: Way) -> str:
    refused = sum(one.response is None or not one.response.accepted for _, one in outcomes)
    changed = sum(bool(one.findings) for _, one in outcomes) - refused
    counts = [f"{counted(len(outcomes), 'custom resource')}, {refused} refused"]
    counts += [f"{changed} accepted, but not as they are" if changed > 1 else "1 accepted, but not as it is"] * (
        changed > 0
    )
    if way.old is not None:
        updated = sum(one.identity in way.old for one, _ in outcomes)
        counts.append(f"{updated} of them updated")
    text = ", ".join(counts)
    if found.misspelt:
        text += f"; {counted(len(found.misspelt), 'object')} of a misspelt kind"
    return text + (f"; {_others(found)}" if found.others else "")


def _others(found: ToldApart) -> str:
    """Return how many objects no CRD is known of, and of which kinds they are."""
    kinds = Counter(what for _, what in found.others).most_common()
    shown = ", ".join(f"{count} {what}" for what, count in kinds[:_MOST_KINDS])
    more = f" and {len(kinds) - _MOST_KINDS} more kinds" if len(kinds) > _MOST_KINDS else ""
    return f"{counted(len(found.others), 'object')} of other kinds, not judged ({shown}{more})"


def _problem(found: ToldApart, way: Way, mistakes: Sequence[Mistake]) -> str:
    """Return why the verdict is not whole; empty where it is."""
    if mistakes:
        return "\n".join(map(str, mistakes))
    if way.old is not None and found.resources and not any(one.identity in way.old for one in found.resources):
        return "--old has none of the objects, by group, kind, namespace and name: nothing was updated"
    return ""


def _exit(outcomes: Sequence[tuple[Resource, SampleOutcome]], found: ToldApart, *, is_strict: bool) -> Exit:
    holds = not any(outcome.findings for _, outcome in outcomes) and not found.misspelt
    if not holds or (is_strict and found.others):
        return Exit.DOES_NOT_HOLD
    return Exit.HOLDS if outcomes else Exit.NOTHING_THERE
