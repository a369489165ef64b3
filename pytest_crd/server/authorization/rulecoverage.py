"""
Coverage of rules by other rules: whether a user holds all permissions of a role.

Reference:
    component-helpers auth/rbac/validation/policy_comparator.go; kubernetes pkg/registry/rbac/validation/policy_compact.go and
    pkg/apis/rbac/v1/evaluation_helpers.go, CompactString.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_crd.engine.golang import printing
from pytest_crd.server.authorization.policy import PolicyRule
from pytest_crd.server.authorization.rules import ALL


def find_uncovered(owned: Sequence[PolicyRule], rules: Iterable[PolicyRule]) -> list[PolicyRule]:
    """Return the smallest parts of rules that no owned rule covers."""
    return [part for rule in rules for part in _parts(rule) if not any(_covers(own, part) for own in owned)]


def describe(uncovered: Iterable[PolicyRule]) -> list[str]:
    """Return parts of rules in the server's words, sorted; parts that differ only in their verb are one."""
    verbs: dict[PolicyRule, tuple[str, ...]] = {}
    texts: set[str] = set()
    for part in uncovered:
        if part.non_resource_urls:
            texts.add(_print(part))
        else:
            bare = part._replace(verbs=())
            verbs[bare] = (*verbs.get(bare, ()), *part.verbs)
    texts |= {_print(bare._replace(verbs=parts)) for bare, parts in verbs.items()}
    return sorted(texts)


def _parts(rule: PolicyRule) -> Iterator[PolicyRule]:
    """Yield the parts of a rule with one verb, and one resource and name or one path."""
    names: list[tuple[str, ...]] = [(name,) for name in rule.resource_names] or [()]
    for group in rule.api_groups:
        for resource in rule.resources:
            for verb in rule.verbs:
                yield from (PolicyRule((verb,), (group,), (resource,), name) for name in names)
    for url in rule.non_resource_urls:
        yield from (PolicyRule((verb,), non_resource_urls=(url,)) for verb in rule.verbs)


def _covers(own: PolicyRule, part: PolicyRule) -> bool:
    has_names = not own.resource_names or (
        bool(part.resource_names) and set(part.resource_names) <= set(own.resource_names)
    )
    return (
        _has_all(own.verbs, part.verbs)
        and _has_all(own.api_groups, part.api_groups)
        and all(_has_resource(own.resources, resource) for resource in part.resources)
        and has_names
        and all(any(_covers_url(pattern, url) for pattern in own.non_resource_urls) for url in part.non_resource_urls)
    )


def _has_all(owned: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return ALL in owned or set(wanted) <= set(owned)


def _has_resource(owned: tuple[str, ...], resource: str) -> bool:
    _, slash, subresource = resource.partition("/")
    return ALL in owned or resource in owned or (bool(slash) and f"{ALL}/{subresource}" in owned)


def _covers_url(pattern: str, url: str) -> bool:
    return pattern == url or (pattern.endswith(ALL) and url.startswith(pattern.rstrip(ALL)))


def _print(rule: PolicyRule) -> str:
    fields = (
        ("APIGroups", rule.api_groups),
        ("Resources", rule.resources),
        ("NonResourceURLs", rule.non_resource_urls),
        ("ResourceNames", rule.resource_names),
        ("Verbs", rule.verbs),
    )
    return "{" + ", ".join(f"{name}:{quote_all(values)}" for name, values in fields if values) + "}"


def quote_all(texts: Iterable[str]) -> str:
    """Return texts in the form of Go's `%q` for a slice."""
    return f"[{' '.join(map(printing.quote, texts))}]"
