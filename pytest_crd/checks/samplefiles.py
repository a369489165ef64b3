"""Samples of a project: custom resources in files, separated from other kinds, ignored objects, and files that are no manifests."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from pytest_crd import suggestions
from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import CustomResourceDefinition, ManifestError, Mistake
from pytest_crd.engine.loading.crdfiles import Remark, RemarkKind
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.document import Document
from pytest_crd.engine.yaml.manifest import Manifest, ManifestFile
from pytest_crd.wording import counted

# The CRDs, by the group and kind of their objects.
Claims: TypeAlias = "Mapping[tuple[str, str], Sequence[CustomResourceDefinition]]"

_VARIABLE: Final = re.compile(rb"\$\{[^}\s]*+(\})?")
_GROUPS_OF_KUBERNETES: Final = frozenset({"apps", "autoscaling", "batch", "extensions", "policy"})
_KINDS_OF_THE_CORE: Final = frozenset(
    [
        "Binding",
        "ComponentStatus",
        "ConfigMap",
        "Endpoints",
        "Event",
        "LimitRange",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Pod",
        "PodTemplate",
        "ReplicationController",
        "ResourceQuota",
        "Secret",
        "Service",
        "ServiceAccount",
    ]
)
_DIRECTIVE: Final = re.compile(r"#\s*crd:(.*)")
_DIRECTIVES: Final = "write `# crd: refused`, `# crd: refused FIELD …` or `# crd: ignore REASON`"


class Sample(NamedTuple):
    """
    A custom resource in a file.

    Attributes:
        manifest: The object.
        path: The file.
        group: Its API group.
        version: Its API version, `v1`.
        kind: Its kind.
        directive: The directive in its comments.
        name: Its name in reports: `Backup/nightly`.
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
        """Whether the server is expected to accept it."""
        return not (self.directive.is_refused or self.directive.problem)


class Broken(NamedTuple):
    """A broken sample: the finding, its file and line, and a name for it."""

    finding: CheckFinding
    path: Path
    line: int
    name: str


@dataclass(slots=True)
class Samples:
    """
    The contents of sample files.

    Attributes:
        samples: The custom resources.
        broken: Broken samples.
        others: The number of objects of each kind without a CRD.
        ignored: Ignored samples, with the reasons.
        notes: Skipped files, with the reasons.
        strangers: Places of objects with a kind of the project in another group, by kind and `apiVersion`.
        matched: The patterns that have matched a sample, broken ones included.
    """

    samples: list[Sample] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    ignored: list[Remark] = field(default_factory=list)
    notes: list[Remark] = field(default_factory=list)
    strangers: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    matched: set[str] = field(default_factory=set)

    @property
    def count(self) -> int:
        """The number of samples, including broken and ignored ones."""
        return len(self.samples) + len(self.broken) + len(self.ignored)


def read(files: Iterable[ManifestFile], claims: Claims) -> Samples:
    """
    Return the samples in *files*.

    Args:
        files: The files.
        claims: The CRDs, which claim groups and kinds.
    """
    samples = Samples()
    for file in files:
        before = samples.count
        _read(samples, file, claims)
        if samples.count > before:
            samples.matched.update(file.patterns)
    return samples


def group_crds(crds: Iterable[CustomResourceDefinition]) -> Claims:
    """Return CRDs by group and kind of their objects."""
    claims: dict[tuple[str, str], list[CustomResourceDefinition]] = {}
    for crd in crds:
        claims.setdefault((crd.group, crd.kind), []).append(crd)
    return claims


def require_matches(patterns: Sequence[str], files: Sequence[ManifestFile], samples: Samples) -> None:
    """
    Raise an error unless each of *patterns* has matched a sample.

    Raises:
        ManifestError: The patterns without samples.
    """
    mistakes = []
    for pattern in patterns:
        if not pattern.startswith(manifest.LEFT_OUT) and pattern not in samples.matched:
            file_count = sum(pattern in file.patterns for file in files)
            words = f"no custom resource of a CRD of the project in {counted(file_count, 'file')}"
            mistakes.append(Mistake(f"crd_samples: {pattern}", 0, words))
    if mistakes:
        raise ManifestError(mistakes)


def _read(samples: Samples, file: ManifestFile, claims: Claims) -> None:
    try:
        content = file.read()
    except ManifestError as error:
        samples.broken.append(Broken(CheckFinding(file.name, error.mistakes[0].message), file.path, 0, "unreadable"))
        return
    try:
        items = manifest.read(content, source=file.name)
    except ManifestError as error:
        _unreadable(samples, file, content, error.mistakes[0], claims)
        return
    for item in items:
        _take(samples, item, file.path, claims)


def _take(samples: Samples, item: Manifest, path: Path, claims: Claims) -> None:
    group, _, version = item.api_version.rpartition("/")
    kind, line = item.kind, item.line_of()
    if (group, kind) not in claims:
        if not kind and group in {claimed for claimed, _ in claims}:
            words = f"an object of {group} without a kind, so that it is not checked; write its kind"
            samples.broken.append(Broken(CheckFinding(item.where, words), path, line, item.title))
        elif question := suggest_kind(group, kind, claims):
            words = f"no CRD of the project is for kind {kind!r} of {group}; {question}"
            samples.broken.append(Broken(CheckFinding(item.where, words), path, line, item.title))
        else:
            samples.others[kind or f"no kind at {item.where}"] += 1
            is_of_a_kind = any(kind.casefold() == known_kind.casefold() for _, known_kind in claims)
            if is_of_a_kind and not _is_of_kubernetes(group, version, kind):
                samples.strangers.setdefault((kind, item.api_version), []).append(item.where)
        return
    directive = _find_directive(item.document)
    if directive.ignored:
        samples.ignored.append(Remark(item.source, line, f"ignored: {directive.ignored}", RemarkKind.IGNORED))
    else:
        samples.samples.append(Sample(item, path, group, version, kind, directive, item.title))


def _unreadable(samples: Samples, file: ManifestFile, content: bytes, mistake: Mistake, claims: Claims) -> None:
    if _is_in_chart(file.path, content) or manifest.is_template(content) or _has_variables(content):
        samples.notes.append(Remark(file.name, 0, "passed over, a template", RemarkKind.TEMPLATE))
    elif any(manifest.may_mention(content, group) for group, _ in claims):
        finding = CheckFinding(f"{mistake.source}:{mistake.line}" if mistake.line else mistake.source, mistake.message)
        samples.broken.append(Broken(finding, file.path, mistake.line, "unreadable"))
    else:
        samples.notes.append(Remark(file.name, mistake.line, f"passed over, {mistake.message}", RemarkKind.UNREADABLE))


def _is_in_chart(path: Path, content: bytes) -> bool:
    """Return whether a file with actions is a template of a Helm chart, by its folder."""
    if b"{{" not in content:
        return False
    return any(folder.name == "templates" and (folder.parent / "Chart.yaml").is_file() for folder in path.parents)


def _has_variables(content: bytes) -> bool:
    """Return whether a text can be read once its `${…}` variables are replaced."""
    plain = _VARIABLE.sub(lambda match: b"x" if match[1] else match[0], content)
    if plain == content:
        return False
    try:
        manifest.read(plain, source="")
    except ManifestError:
        return False
    return True


def suggest_kind(group: str, kind: str, claims: Claims) -> str:
    """
    Return a question that suggests another group or kind if either is misspelt; else empty.

    If there are too many unknown kinds to tell, the text says so.
    """
    return _suggest_kind(group, kind, tuple(claims))


@functools.lru_cache
def _suggest_kind(group: str, kind: str, claims: tuple[tuple[str, str], ...]) -> str:
    kinds = [known_kind for known_group, known_kind in claims if known_group == group]
    groups = [known_group for known_group, known_kind in claims if known_kind == kind]
    try:
        if suggestion := suggestions.nearest_name(kind, kinds, _budget(claims)):
            return f"did you mean kind {suggestion!r}?"
        if suggestion := suggestions.nearest_name(group, groups, _budget(claims)):
            return f"did you mean the group {suggestion!r}?"
    except suggestions.SpentBudgetError:
        return "whether it is misspelt is not known, as there are too many unknown kinds"
    return ""


@functools.lru_cache(maxsize=8)
def _budget(_claims: tuple[tuple[str, str], ...]) -> suggestions.WorkBudget:
    """Return the budget that the unknown kinds of a project share."""
    return suggestions.WorkBudget()


def _is_of_kubernetes(group: str, version: str, kind: str) -> bool:
    """Return whether a kind belongs to Kubernetes itself."""
    if not group:
        return version == "v1" and kind in _KINDS_OF_THE_CORE
    return group in _GROUPS_OF_KUBERNETES or group.endswith(".k8s.io")


def may_hold(content: bytes, claims: Claims) -> bool:
    """Return whether a file may contain objects of claimed or misspelt kinds, so that few files need to be parsed."""
    kinds = "|".join(re.escape(kind) for kind in dict.fromkeys(kind for _, kind in claims))
    has_kind = re.search(rf"""kind["']?\s*:\s*["']?(?:{kinds})\b""".encode(), content, re.IGNORECASE)
    return has_kind is not None or any(manifest.may_mention(content, f"{group}/") for group, _ in claims)


class Directive(NamedTuple):
    """
    The directive for the objects of a document: a comment `# crd: refused spec.x` or `# crd: ignore REASON` at its top.

    Attributes:
        is_refused: Whether a server must refuse them.
        fields: The fields of the expected errors, as the server spells them; empty for any.
        ignored: The reason to ignore them; empty if they are not ignored.
        problem: The mistake in the comment; may be empty.
    """

    is_refused: bool = False
    fields: tuple[str, ...] = ()
    ignored: str = ""
    problem: str = ""


def _find_directive(document: Document) -> Directive:
    """Return the directive in the comments before the content of a document, or on its first line."""
    before, behind = document.comments
    directives = [match[1].strip() for line in before if (match := _DIRECTIVE.fullmatch(line.strip()))]
    if any(map(_DIRECTIVE.fullmatch, behind)):
        return Directive(
            problem="a comment `# crd:` counts only before the content of its document, or on its first line"
        )
    if len(directives) > 1:
        return Directive(problem="several comments `# crd:`; only one counts")
    return _read_directive(directives[0]) if directives else Directive()


def _read_directive(text: str) -> Directive:
    word, _, rest = text.partition(" ")
    if word == "refused":
        return Directive(is_refused=True, fields=tuple(rest.split()))
    if word == "ignore" and rest.strip():
        return Directive(ignored=rest.strip())
    return Directive(problem=f"`# crd: {text}` says nothing: {_DIRECTIVES}")
