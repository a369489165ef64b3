"""Results of the command `validate` for people: lines for each object, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from pytest_crd.casefiles import yamltext
from pytest_crd.checks.samples import SampleOutcome
from pytest_crd.cli import objectfiles
from pytest_crd.cli.judging import SendingMethod
from pytest_crd.cli.objectfiles import ClassifiedObjects, Resource
from pytest_crd.report import text
from pytest_crd.wording import counted, escape

_MOST_KINDS: Final = 5

Outcomes: TypeAlias = Sequence[tuple[Resource, SampleOutcome]]


def render(
    outcomes: Outcomes, classified: ClassifiedObjects, method: SendingMethod, *, shows_objects: bool
) -> Iterator[str]:
    """
    Yield lines for each object, then the summary.

    Args:
        outcomes: The judged objects with their outcomes.
        classified: All objects by their kinds.
        method: The method of sending.
        shows_objects: Whether to yield the stored objects as YAML, and everything else as comments.
    """
    mark = "# " if shows_objects else ""
    for resource, outcome in outcomes:
        yield from (f"{mark}{line}" for line in _describe(resource, outcome, method))
        if shows_objects and outcome.response is not None and outcome.is_accepted:
            yield "---"
            yield from (f"# {note}" for note in outcome.notes)
            yield from yamltext.block(outcome.response.stored)
    for item, words in (*classified.misspelt, *classified.unserved):
        yield f"{mark}{item.where}: {escape(words)}"
    for item, kind in classified.others if method.is_strict else ():
        yield f"{mark}{item.where}: no CRD is known of {kind}"
    for item, words in classified.unbuilt:
        yield f"{mark}{item.where}: {item.title}: its folder is not judged: {escape(words)}"
    yield f"{mark}{_summarize(outcomes, classified, method)}"


def _describe(resource: Resource, outcome: SampleOutcome, method: SendingMethod) -> Iterator[str]:
    if outcome.placeholder:
        yield f"{resource.manifest.where}: {resource.title}: not judged, as {escape(outcome.placeholder)}"
        return
    only = "" if outcome.is_validated else ", only decoded"
    only = ", by a JSON Schema alone" if resource.schema is not None else only
    verb = outcome.heading if outcome.findings else f"accepted{only}{_describe_method(resource, method)}"
    yield f"{resource.manifest.where}: {resource.title}: {verb}"
    for finding in outcome.findings:
        first, *rest = text.visible_lines(finding.text)
        yield f"  {finding.place}{': ' if finding.place else ''}{first}"
        yield from (f"      {line}" for line in (*rest, *finding.details))
    yield from (f"  warning: {warning.text}" for warning in outcome.warnings)


def _describe_method(resource: Resource, method: SendingMethod) -> str:
    if method.old is None or resource.schema is not None:
        return ""
    return ", an update" if resource.identity in method.old else ", as nothing is stored of it"


def _summarize(outcomes: Outcomes, classified: ClassifiedObjects, method: SendingMethod) -> str:
    custom = [pair for pair in outcomes if pair[0].is_custom]
    built_in = [pair for pair in outcomes if not pair[0].is_custom]
    parts = [_count(custom, "custom resource", method)]
    if built_in:
        parts.append(_count(built_in, "built-in object", method))
    if count := sum(objectfiles.count_placeholders(item.manifest.value) for item, _ in outcomes):
        parts.append(f"{counted(count, 'value')} not known, encrypted or variable")
    if classified.misspelt:
        parts.append(f"{counted(len(classified.misspelt), 'object')} of a misspelt kind")
    if classified.unserved:
        parts.append(f"{counted(len(classified.unserved), 'object')} of a kind that is not served")
    if classified.others:
        listed = _count_kinds([kind for _, kind in classified.others])
        parts.append(f"{counted(len(classified.others), 'object')} of other kinds, not judged ({listed})")
    if classified.unbuilt:
        parts.append(f"{counted(len(classified.unbuilt), 'folder')} of Flux not judged")
    if classified.skipped:
        listed = _count_kinds(classified.skipped)
        parts.append(f"{counted(len(classified.skipped), 'object')} skipped ({listed})")
    return "; ".join(parts)


def _count(outcomes: Outcomes, noun: str, method: SendingMethod) -> str:
    """Return the numbers of objects by outcome."""
    unjudged = sum(bool(item.placeholder) for _, item in outcomes)
    refused = sum(not item.is_accepted for _, item in outcomes) - unjudged
    changed = sum(bool(item.findings) for _, item in outcomes) - refused - unjudged
    counts = [f"{counted(len(outcomes), noun)}, {refused} refused"]
    counts += [f"{unjudged} not judged"] * (unjudged > 0)
    counts += [f"{changed} accepted, but not as they are" if changed > 1 else "1 accepted, but not as it is"] * (
        changed > 0
    )
    by_schema = [item.kind for item, _ in outcomes if item.schema is not None]
    counts += [f"{len(by_schema)} by a JSON Schema alone ({_count_kinds(by_schema)})"] * bool(by_schema)
    if method.old is not None:
        updated = sum(item.identity in method.old for item, _ in outcomes)
        counts.append(f"{updated} of them updated")
    decoded = [item.kind for item, outcome in outcomes if not (outcome.is_validated or outcome.placeholder)]
    counts += [f"{len(decoded)} only decoded ({_count_kinds(decoded)})"] * bool(decoded)
    return ", ".join(counts)


def _count_kinds(kinds: Sequence[str]) -> str:
    """Return the numbers of the most frequent kinds."""
    counts = Counter(kinds).most_common()
    listed = ", ".join(f"{count} {kind}" for kind, count in counts[:_MOST_KINDS])
    return f"{listed} and {len(counts) - _MOST_KINDS} more kinds" if len(counts) > _MOST_KINDS else listed
