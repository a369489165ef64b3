"""The samples of a project: custom resources in files, told from what is of other kinds, ignored, or no manifest at all."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from pytest_crd import suggestions
from pytest_crd.checks import directives, likeness
from pytest_crd.checks.directives import Directive
from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import CustomResourceDefinition, ManifestError, Mistake
from pytest_crd.engine.loading.remarks import Remark, RemarkKind
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import Manifest, ManifestFile

# The CRDs, by the group and kind of their objects.
Claims: TypeAlias = "Mapping[tuple[str, str], Sequence[CustomResourceDefinition]]"

_VARIABLE: Final = re.compile(rb"\$\{[^}\s]*+(\})?")


class Sample(NamedTuple):
    """
    A custom resource in a file.

    Attributes:
        manifest: The object.
        path: The file.
        group: Its API group.
        version: Its API version, `v1`.
        kind: Its kind.
        directive: What a comment says of it.
        name: How it is called among others: `Backup/nightly`.
    """

    manifest: Manifest
    path: Path
    group: str
    version: str
    kind: str
    directive: Directive
    name: str

    @property
    def can_be_applied(self) -> bool:
        """Whether it is one that a server is to take."""
        return not (self.directive.is_refused or self.directive.problem)


class Broken(NamedTuple):
    """What is meant as a sample and is none: why, in which file and line, and how it is called."""

    finding: CheckFinding
    path: Path
    line: int
    name: str


@dataclass(slots=True)
class Samples:
    """
    What the files hold.

    Attributes:
        samples: The custom resources.
        broken: What is meant to be one.
        others: How many objects there are of each kind that no CRD claims.
        ignored: Which are left alone, and why.
        notes: Which files were passed over, and why.
        strangers: Those of a kind of the project in another group, by kind and `apiVersion`: where they stand.
        answered: The patterns that have brought something that is, or is meant to be, a custom resource.
    """

    samples: list[Sample] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    ignored: list[Remark] = field(default_factory=list)
    notes: list[Remark] = field(default_factory=list)
    strangers: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)

    @property
    def count(self) -> int:
        """How many objects there are that samples are, or are meant to be."""
        return len(self.samples) + len(self.broken) + len(self.ignored)


def read(files: Iterable[ManifestFile], claims: Claims) -> Samples:
    """
    Return what *files* hold.

    Args:
        files: The files.
        claims: The CRDs, which claim groups and kinds.
    """
    found = Samples()
    for file in files:
        before = found.count
        _read(found, file, claims)
        if found.count > before:
            found.answered.update(file.patterns)
    return found


def demand(patterns: Sequence[str], files: Sequence[ManifestFile], found: Samples) -> None:
    """
    Pass where each of *patterns* has brought a sample.

    Raises:
        ManifestError: Those that have not.
    """
    mistakes = []
    for pattern in patterns:
        if not pattern.startswith(manifest.LEFT_OUT) and pattern not in found.answered:
            matched = sum(pattern in file.patterns for file in files)
            words = f"no custom resource of a CRD of the project in {matched} file{'' if matched == 1 else 's'}"
            mistakes.append(Mistake(f"crd_samples: {pattern}", 0, words))
    if mistakes:
        raise ManifestError(mistakes)


def _read(found: Samples, file: ManifestFile, claims: Claims) -> None:
    try:
        content = file.read()
    except ManifestError as error:
        found.broken.append(Broken(CheckFinding(file.name, error.mistakes[0].message), file.path, 0, "unreadable"))
        return
    try:
        items = manifest.read(content, source=file.name)
    except ManifestError as error:
        _unreadable(found, file, content, error.mistakes[0], claims)
        return
    for item in items:
        _take(found, item, file.path, claims)


def _take(found: Samples, item: Manifest, path: Path, claims: Claims) -> None:
    group, _, version = item.api_version.rpartition("/")
    kind, line = item.kind, item.line_of()
    if (group, kind) not in claims:
        if meant := near(group, kind, claims):
            words = f"no CRD of the project is for kind {kind!r} of {group}; {meant}"
            found.broken.append(Broken(CheckFinding(item.where, words), path, line, item.title))
        else:
            found.others[kind or "no kind"] += 1
            is_of_a_kind = any(kind.casefold() == one.casefold() for _, one in claims)
            if is_of_a_kind and not likeness.is_of_kubernetes(group, version, kind):
                found.strangers.setdefault((kind, item.api_version), []).append(item.where)
        return
    directive = directives.of_document(item.document)
    if directive.ignored:
        found.ignored.append(Remark(item.source, line, f"ignored: {directive.ignored}", RemarkKind.IGNORED))
    else:
        found.samples.append(Sample(item, path, group, version, kind, directive, item.title))


def _unreadable(found: Samples, file: ManifestFile, content: bytes, mistake: Mistake, claims: Claims) -> None:
    if manifest.is_template(content) or _has_variables(content):
        found.notes.append(Remark(file.name, 0, "passed over, a template", RemarkKind.TEMPLATE))
    elif any(manifest.may_mention(content, group) for group, _ in claims):
        finding = CheckFinding(f"{mistake.source}:{mistake.line}" if mistake.line else mistake.source, mistake.message)
        found.broken.append(Broken(finding, file.path, mistake.line, "unreadable"))
    else:
        found.notes.append(Remark(file.name, mistake.line, f"passed over, {mistake.message}", RemarkKind.UNREADABLE))


def _has_variables(content: bytes) -> bool:
    """Return whether a text can be read once its `${…}` stand for something."""
    plain = _VARIABLE.sub(lambda match: b"x" if match[1] else match[0], content)
    if plain == content:
        return False
    try:
        manifest.read(plain, source="")
    except ManifestError:
        return False
    return True


def near(group: str, kind: str, claims: Claims) -> str:
    """
    Return the question whether another group or kind is meant, if one of the two is misspelt; else empty.

    If there are too many unknown kinds to tell, the text says so.
    """
    return _near(group, kind, tuple(claims))


@functools.lru_cache
def _near(group: str, kind: str, claims: tuple[tuple[str, str], ...]) -> str:
    kinds = [one for of, one in claims if of == group]
    groups = [of for of, one in claims if one == kind]
    try:
        if meant := likeness.nearest(kind, kinds, _budget(claims)):
            return f"did you mean kind {meant!r}?"
        if meant := likeness.nearest(group, groups, _budget(claims)):
            return f"did you mean the group {meant!r}?"
    except suggestions.SpentBudgetError:
        return "whether it is misspelt is not known, as there are too many unknown kinds"
    return ""


@functools.lru_cache(maxsize=8)
def _budget(_claims: tuple[tuple[str, str], ...]) -> suggestions.WorkBudget:
    """Return the budget that the unknown kinds of a project share."""
    return suggestions.WorkBudget()


def may_hold(content: bytes, claims: Claims) -> bool:
    """Return whether there may be objects in a file that CRDs claim, or that are misspelt, so that few files need be read."""
    kinds = "|".join(re.escape(kind) for kind in dict.fromkeys(kind for _, kind in claims))
    has_kind = re.search(rf"""kind["']?\s*:\s*["']?(?:{kinds})\b""".encode(), content, re.IGNORECASE)
    return has_kind is not None or any(manifest.may_mention(content, f"{group}/") for group, _ in claims)
