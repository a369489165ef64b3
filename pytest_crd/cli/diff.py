"""Command `diff`: the effects of an upgrade between two files, folders or commits, or between two Kubernetes versions."""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_crd.cli import lookup, objectdiff, objectfiles, versionchanges
from pytest_crd.cli.exits import Exit
from pytest_crd.cli.objectdiff import ObjectDiff
from pytest_crd.discovery import baseline, chartarchives
from pytest_crd.discovery.baseline import Baseline
from pytest_crd.discovery.commitcrds import Project
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.discovery.filetrees import FolderTree, GitTree, Tree
from pytest_crd.engine import InputError, Mistake, UnknownVersionError, profile
from pytest_crd.engine.inputerror import CrdError
from pytest_crd.engine.loading.crdfiles import CrdFiles
from pytest_crd.engine.yaml import manifest
from pytest_crd.report import causes
from pytest_crd.report import upgradewords as report
from pytest_crd.upgrades import crddiff
from pytest_crd.upgrades.crddiff import CrdDiff
from pytest_crd.upgrades.task import Task
from pytest_crd.upgrades.upgradefindings import Finding, Line
from pytest_crd.wording import counted

# Part of the server's message about two objects in one document.
_REPEATED_KIND: Final = 'key "kind" already set'
_TEXT: Final = "text"
_JSON: Final = "json"
_RANGE: Final = ".."
_EXAMPLE: Final = f"{profile.DEFAULT}{_RANGE}{max(profile.PREVIEWS)}"


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    places = (
        "a file, a folder, the archive of a Helm chart (.tgz), - for standard input, or git:REF: a commit of the "
        "repository around the current folder"
    )
    add(
        "old",
        nargs="?",
        metavar="OLD",
        help=f"the CRDs of users: {places}; git:latest-tag and git:all-tags are releases; left out between two Kubernetes versions",
    )
    add(
        "new",
        nargs="?",
        metavar="NEW",
        help="the CRDs that replace them: the same; default: the CRDs of the project in the current folder",
    )
    add(
        "--crd-path",
        action="append",
        metavar="PATH",
        help=(
            "a file, a folder or a glob with CRDs, in commits and in the project; may be given several times; default: "
            "the usual places, else all files"
        ),
    )
    add(
        "--objects",
        action="append",
        nargs="+",
        metavar="PATH",
        help=(
            "judge these objects alone: files, folders and globs, - for standard input; the output of kubectl get -o "
            "yaml has the stored objects; kustomizations in folders are built"
        ),
    )
    add(
        "--local-sources",
        action="append",
        metavar="SOURCE",
        help="with --objects: the folder of a source of Flux, KIND/NAMESPACE/NAME=FOLDER; repeatable",
    )
    add("--all", action="store_true", help="with --objects: also judge all other objects")
    add("-o", "--output", choices=(_TEXT, _JSON), default=_TEXT, help="the format of the output; default: text")
    lookup.add_kubernetes_version(parser, also="; OLD..NEW compares the answers of two versions about this project")


def run(options: argparse.Namespace) -> int:
    """Print the effects of the upgrade; return a code of `exits.Exit`."""
    old_kubernetes, is_range, new_kubernetes = options.kubernetes_version.partition(_RANGE)
    if is_range:
        return _compare_versions(options, old_kubernetes, new_kubernetes)
    if options.old is None:
        message = f"name the CRDs of users, or two versions, as in --kubernetes-version {_EXAMPLE}"
        print(message, file=sys.stderr)
        return Exit.WRONG_USE
    try:
        version = profile.named(options.kubernetes_version).version
        paths = tuple(options.crd_path or ())
        _check_streams(options)
        old = _read(options.old, paths, version)
        new = _read_project(paths, version) if options.new is None else _read(options.new, paths, version)
        _check_paths(paths, (old, new) if options.new else ())
        named = _compare_named(options, old, new, version)
        compared = crddiff.compare(old, new, version) if named is None or options.all else None
    except (InputError, UnknownVersionError) as error:
        print(error, file=sys.stderr)
        return Exit.WRONG_USE
    errors: list[InputError | Mistake] = [
        *_find_joined(old, new, version),
        *(named.mistakes if named else ()),
        *(_find_errors(compared) if compared else ()),
    ]
    if options.output == _JSON:
        document: dict[str, object] = {"old": old.words, "new": new.words, "kubernetesVersion": version}
        document |= _describe(old, new, compared, version) if compared else {}
        document |= {"named": objectdiff.describe(named)} if named else {}
        print(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        parts = [
            objectdiff.render(named, version) if named else (),
            _lines(old, new, compared, version) if compared else (),
        ]
        print("\n".join(itertools.chain.from_iterable(parts)))
    print("".join(f"{error}\n" for error in errors), end="", file=sys.stderr)
    if errors:
        return Exit.WRONG_USE
    if (named and named.breaks) or (compared and any(task.breaking for task in compared.tasks)):
        return Exit.DOES_NOT_HOLD
    return Exit.HOLDS if compared or (named and named.has_verdict) else Exit.NOTHING_THERE


def _check_streams(options: argparse.Namespace) -> None:
    """
    Raise an error if several arguments name standard input.

    Raises:
        CrdError: Several arguments are `-`.
    """
    named = [options.old, options.new, *itertools.chain.from_iterable(options.objects or ())]
    if named.count(objectfiles.STREAM) > 1:
        raise CrdError([Mistake(objectfiles.STREAM, 0, "there is one standard input: name - once")])


def _compare_named(options: argparse.Namespace, old: Baseline, new: Baseline, version: str) -> ObjectDiff | None:
    """
    Return the effects on the objects that the command line names; None if it names none.

    Raises:
        InputError: A path matches no file.
    """
    paths = [path for group in options.objects or () for path in group]
    if options.all and not paths:
        raise CrdError([Mistake("--all", 0, "it does nothing without --objects PATH")])
    if options.local_sources and not paths:
        raise CrdError([Mistake("--local-sources", 0, "it does nothing without --objects PATH")])
    return objectdiff.compare(old, new, paths, version, options.local_sources or ()) if paths else None


def _compare_versions(options: argparse.Namespace, old: str, new: str) -> int:
    """Print the changes of the project by another Kubernetes version; return a code of `exits.Exit`."""
    if options.old is not None or options.crd_path or options.objects or options.output != _TEXT:
        message = f"--kubernetes-version {old}{_RANGE}{new} is about the project in the current folder: name no CRDs, and no format"
        print(message, file=sys.stderr)
        return Exit.WRONG_USE
    try:
        changes = versionchanges.find(Path.cwd(), profile.named(old).version, profile.named(new).version)
    except (InputError, UnknownVersionError) as error:
        print(error, file=sys.stderr)
        return Exit.WRONG_USE
    print("\n".join(versionchanges.describe(changes)))
    if changes.breaks:
        return Exit.DOES_NOT_HOLD
    return Exit.WRONG_USE if changes.unread else Exit.HOLDS


def _read(location: str, paths: tuple[str, ...], kubernetes_version: str) -> Baseline:
    """
    Return the CRDs of a file, a folder, an archive, standard input or a commit.

    Raises:
        InputError: There are none, or they have mistakes.
    """
    here = Path.cwd()
    crd_files = CrdFiles(kubernetes_version)
    if location == objectfiles.STREAM:
        crd_files.take_output(sys.stdin.buffer.read(), source=objectfiles.STREAM_NAME)
        crd_files.raise_mistakes()
        return Baseline(objectfiles.STREAM_NAME, None, crd_files)
    if chartarchives.is_archive(location) and (here / location).is_file():
        chartarchives.read(here / location, location, crd_files)
        crd_files.raise_mistakes()
        return Baseline(location, None, crd_files)
    if not location.startswith(baseline.OF_GIT) and not (here / location).exists():
        message = (
            f"there is no such file or folder; a commit is {baseline.OF_GIT}REF, as in {baseline.OF_GIT}{location}"
        )
        raise CrdError([Mistake(location, 0, message)])
    project = Project(here, paths, here)
    return baseline.read(location, base=here, project=project, kubernetes_version=kubernetes_version)


def _read_project(paths: tuple[str, ...], kubernetes_version: str) -> Baseline:
    """
    Return the CRDs of the project in the current folder.

    Raises:
        InputError: There are none, or they have mistakes.
    """
    here = Path.cwd()
    sources = Sources(here, paths)
    notes = sources.crds(kubernetes_version).passed_over
    read_crds = [*sources.every(kubernetes_version)]
    return Baseline(sources.places, FolderTree(here), CrdFiles(kubernetes_version, read_crds=read_crds, notes=[*notes]))


def _check_paths(paths: Sequence[str], sides: Sequence[Baseline]) -> None:
    """
    Raise an error for each path that matches no file of a commit, or of the current folder if no side is a commit.

    The CRDs of the project raise their own errors.

    Raises:
        CrdError: The paths.
    """
    commits: list[Tree] = [side.tree for side in sides if isinstance(side.tree, GitTree)]
    trees = commits or [FolderTree(Path.cwd())]
    wanted = (path for path in paths if sides and not path.startswith(manifest.LEFT_OUT))
    message = (
        "it matches no file; it names CRDs of commits and of the project, other folders and files are read as they are"
    )
    unmatched = [path for path in wanted if not any(tree.names([path]) for tree in trees)]
    if unmatched:
        raise CrdError([Mistake(f"--crd-path {path}", 0, message) for path in unmatched])


def _find_joined(old: Baseline, new: Baseline, kubernetes_version: str) -> Iterator[Mistake]:
    """Yield a mistake for each CRD that hides another one, as no line with `---` is between them."""
    for crd in (*old.crds(kubernetes_version), *new.crds(kubernetes_version)):
        if any(_REPEATED_KIND in message for message in crd.repeated_fields):
            words = f"{'; '.join(crd.repeated_fields)}; write --- between two CRDs"
            yield Mistake(crd.source, 0, words)


def _find_errors(compared: CrdDiff) -> Iterator[InputError]:
    for task in compared.tasks:
        try:
            task.upgrade  # noqa: B018 - computed once
        except InputError as error:
            yield error


def _lines(old: Baseline, new: Baseline, compared: CrdDiff, kubernetes_version: str) -> Iterator[str]:
    for note in _notes(old, new, compared, kubernetes_version):
        yield f"note: {note}"
    for task in compared.tasks:
        yield from _of_task(task)
    for crd in compared.added:
        yield f"{crd.source}: {crd.name}: new"
    for source, reason in compared.find_unjudged().items():
        yield f"note: {source}: not judged: {reason}"
    breaking = sum(_breaks(task) for task in compared.tasks)
    yield (
        f"{counted(len(compared.tasks), 'CRD')} of {old.words}, {breaking} with breaking effects, {len(compared.added)} new; "
        f"{_count_judged(compared)}; Kubernetes {profile.describe(kubernetes_version)}"
    )


def _count_judged(compared: CrdDiff) -> str:
    """Return the number of judged objects, and of all if some are not judged, in words."""
    total, unjudged = len(compared.specimens.objects), len(compared.find_unjudged())
    return (
        f"{total - unjudged} of {counted(total, 'object')} judged" if unjudged else f"{counted(total, 'object')} judged"
    )


def _of_task(task: Task) -> Iterator[str]:
    """Yield the effects of one upgrade: the breaking ones first, then all others."""
    new = next((crd.source for crd in task.today), "nothing")
    title = f"{task.old.name}: from {task.origin} to {new}"
    try:
        effects, breaking = task.upgrade, task.breaking
    except InputError:
        yield f"{title}: not known"
        return
    yield from report.lines(f"{title}{'' if breaking else ': nothing breaks'}", breaking, (), ())
    for finding in effects.findings:
        if finding not in breaking:
            yield from report.describe_finding(finding)
    for words in (*effects.warnings, *effects.unshown, *effects.notices):
        yield f"note: {words}"


def _breaks(task: Task) -> bool:
    try:
        return bool(task.breaking)
    except InputError:
        return False


def _notes(old: Baseline, new: Baseline, compared: CrdDiff, kubernetes_version: str) -> dict[str, None]:
    notes = [*old.crds(kubernetes_version).notes, *new.crds(kubernetes_version).notes]
    if old.is_checkout and isinstance(new.tree, FolderTree) and new.tree.folder == Path.cwd():
        notes.append(f"nothing can differ: {old.words} is the current commit, and no file is changed")
    return dict.fromkeys((*notes, *old.notes, *compared.specimens.notes))


def _describe(old: Baseline, new: Baseline, compared: CrdDiff, kubernetes_version: str) -> dict[str, object]:
    return {
        "crds": [_describe_upgrade(task) for task in compared.tasks],
        "added": [{"name": crd.name, "new": crd.source} for crd in compared.added],
        "objects": len(compared.specimens.objects) - len(compared.find_unjudged()),
        "unjudged": compared.find_unjudged(),
        "notes": list(_notes(old, new, compared, kubernetes_version)),
    }


def _describe_upgrade(task: Task) -> dict[str, Any]:
    """Return the effects of an upgrade; with an error if they are unknown."""
    sources = {
        "name": task.old.name,
        "old": [old.crd.source for old in task.olds],
        "new": next((crd.source for crd in task.today), None),
    }
    try:
        effects = task.upgrade
    except InputError as error:
        return {**sources, "error": str(error)}
    return {
        **sources,
        "breaks": bool(task.breaking),
        "findings": [_describe_finding(finding) for finding in effects.findings],
        "undecided": list(effects.undecided),
        "unshown": list(effects.unshown),
        "notices": list(effects.notices),
        "warnings": list(effects.warnings),
    }


def _describe_finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "path": finding.path,
        "breaks": finding.is_breaking,
        "message": finding.words,
        "versions": list(finding.versions),
        "releases": list(finding.releases),
        "lines": [{"old": _describe_line(old), "new": _describe_line(new)} for old, new in finding.lines],
        "objects": list(finding.others),
        "witness": None if finding.witness is None else causes.describe_witness(finding.witness),
    }


def _describe_line(line: Line) -> dict[str, str]:
    return {"place": line.where, "text": line.text}
