"""Report on a class and a CRD that differ: each divergence with its object, and the lines that allow them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from pytest_crd.classes import divergences
from pytest_crd.classes.divergences import AllowedDivergence, Divergence
from pytest_crd.report import text
from pytest_crd.wording import Paint, plain

_MOST_FINDINGS = 20
_OF_OBJECTS = ("apiVersion", "kind", "metadata")


def lines(  # noqa: PLR0913 - the parts of a report
    title: str,
    findings: Sequence[Divergence],
    outdated: Iterable[AllowedDivergence],
    target: str,
    *,
    verbosity: int = 0,
    paint: Paint = plain,
) -> Iterator[str]:
    """
    Yield the lines of a failure.

    Args:
        title: The name and place of the check.
        findings: The divergences.
        outdated: The allowances that match nothing.
        target: The CRD and its version, for the lines that allow the divergences.
        verbosity: 0 or less: the first divergences; more: all of them.
        paint: Function that colours a part of a line.
    """
    yield paint(title, "title")
    if findings:
        yield ""
        yield "the class and the CRD differ:"
    listed = findings if verbosity > 0 else findings[:_MOST_FINDINGS]
    for item in listed:
        yield from _describe(item, paint)
    if len(findings) > len(listed):
        yield f"  … and {len(findings) - len(listed)} more; -v shows all"
    if findings:
        yield ""
        yield f"If a difference is intended, add its line to {divergences.SETTING}, with a reason:"
        yield from (f"  {line}" for line in dict.fromkeys(divergences.suggest(target, item) for item in listed))
    yield from describe_outdated(outdated)


def describe_outdated(outdated: Iterable[AllowedDivergence]) -> Iterator[str]:
    """Yield a line for each allowance that matches nothing."""
    for entry in outdated:
        yield f"allowed in {divergences.SETTING}, but no longer found: {entry}; remove the line"


def summary(findings: Sequence[Divergence], outdated: Iterable[AllowedDivergence]) -> str:
    """Return the first divergence or outdated allowance on one line, and the number of others."""
    words = [f"{item.path}: {item.kind}: {item.words}" for item in findings] or [*describe_outdated(outdated)]
    more = f" (+{len(words) - 1} more)" if len(words) > 1 else ""
    return f"{' '.join(' '.join(text.visible_lines(words[0])).split())}{more}"


def _describe(item: Divergence, paint: Paint) -> Iterator[str]:
    place = f" ({item.place})" if item.place else ""
    yield f"  {paint(item.path or 'the object', 'path')}: {item.kind}{place}"
    yield from (f"      {paint(line, 'actual')}" for line in text.visible_lines(item.words))
    resource = {name: value for name, value in item.resource.items() if name not in _OF_OBJECTS}
    yield f"      object: {text.visible_lines(json.dumps(resource, ensure_ascii=False))[0]}"
