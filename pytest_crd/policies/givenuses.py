"""Uses of the facts that a test gives to admission: params that no binding selects and rules that no expression asks prove nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pytest_crd import suggestions
from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.engine.api.context import GivenFacts, UnusedFact
from pytest_crd.engine.cel.library.accesschecks import AccessAnswer, AccessRequest, Authorize
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.policies.invocations import ConfigurationProblem, PolicyInvocation
from pytest_crd.policies.policycontext import PolicyListeners

# The verbs of requests, of paths, and of RBAC, certificates and other checks in Kubernetes itself.
VERBS: Final = (
    *("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy", "connect"),
    *("head", "options", "post", "put", "use", "bind", "escalate", "impersonate", "approve", "sign", "attest"),
)
_EVERY: Final = "*"
_DEFAULT_NAMESPACE: Final = "default"
# From this likeness on, an unknown verb is a misspelt one.
_ALIKE: Final = 0.75


class FactUses:
    """
    The uses of the facts of one test.

    Attributes:
        accesses: The accesses that expressions ask the authorizer about.
        params: The selected params.
        has_problem: Whether a policy or a binding cannot be evaluated, as if a param is missing.
    """

    def __init__(self) -> None:
        """Create without uses."""
        self.accesses: list[AccessRequest] = []
        self.params: list[JSONObject] = []
        self.has_problem = False

    def note_match(self, item: PolicyInvocation) -> None:
        """Note a policy that a request matches."""
        if item.param is not None:
            self.params.append(item.param)

    def note_problem(self, _: ConfigurationProblem) -> None:
        """Note a policy or a binding that cannot be evaluated."""
        self.has_problem = True

    def note_accesses(self, authorize: Authorize | None) -> Authorize:
        """Return an authorizer that notes the accesses; without one, it allows administrators everything."""

        def note_access(access: AccessRequest) -> AccessAnswer:
            self.accesses.append(access)
            return (authorize or admissionexpressions.authorize_administrator)(access)

        return note_access

    def listen(self, listeners: PolicyListeners) -> PolicyListeners:
        """Return listeners that note the uses, and call other listeners."""

        def observe_match(item: PolicyInvocation) -> None:
            self.note_match(item)
            listeners.observe_match(item)

        def observe_problem(problem: ConfigurationProblem) -> None:
            self.note_problem(problem)
            listeners.observe_problem(problem)

        return dataclasses.replace(listeners, observe_problem=observe_problem, observe_match=observe_match)


def find_unused(
    given: GivenFacts, uses: FactUses, is_granted: Callable[[Sequence[JSONObject], AccessRequest], AccessAnswer]
) -> Iterator[UnusedFact]:
    """
    Yield the facts of a test that nothing reads, and misspelt verbs.

    Args:
        given: The facts.
        uses: Their uses.
        is_granted: Returns whether rules allow an access.
    """
    for access in uses.accesses:
        if near := _find_meant(access.verb):
            yield UnusedFact("authorizer", None, f"an expression checks the verb {access.verb!r}; did you mean {near}?")
            return
    for index, param in enumerate(given.params):
        if not _is_selected(param, uses):
            yield UnusedFact("params", index, "does nothing, as no binding selects it for this request")
    if given.rules is None:
        return
    if not uses.accesses:
        yield UnusedFact("authorizer", None, "does nothing, as no expression asks the authorizer for this request")
    accesses = ", ".join(dict.fromkeys(map(_describe, uses.accesses)))
    for index, rule in enumerate(given.rules if uses.accesses else ()):
        if near := next(filter(None, map(_find_meant, rule["verbs"])), ""):
            yield UnusedFact("authorizer", index, f"has an unknown verb; did you mean {near}?")
        elif not any(_is_about(rule, access, is_granted) for access in uses.accesses):
            yield UnusedFact("authorizer", index, f"does nothing, as expressions ask about other things: {accesses}")


def _is_selected(param: JSONObject, uses: FactUses) -> bool:
    """Return whether a binding selects a param, or none is selected and a policy reports that."""
    if not uses.params and uses.has_problem:
        return True
    metadata = param["metadata"]
    namespaces = ("", metadata.get("namespace") or _DEFAULT_NAMESPACE)
    return any(
        item["metadata"]["name"] == metadata["name"] and item["metadata"].get("namespace", "") in namespaces
        for item in uses.params
    )


def _is_about(
    rule: JSONObject, access: AccessRequest, is_granted: Callable[[Sequence[JSONObject], AccessRequest], AccessAnswer]
) -> bool:
    """Return whether a rule is about the object of an access: at most its verbs and names differ."""
    widened = {key: value for key, value in rule.items() if key != "resourceNames"} | {"verbs": [_EVERY]}
    return is_granted([widened], access).is_allowed


def _find_meant(verb: str) -> str:
    """Return the nearest known verb to a misspelt one; empty for other verbs."""
    if verb in (*VERBS, _EVERY):
        return ""
    return suggestions.nearest(verb.casefold(), VERBS, suggestions.WorkBudget(), least_ratio=_ALIKE)


def _describe(access: AccessRequest) -> str:
    resource = "/".join(filter(None, (access.resource, access.subresource)))
    return f"{access.verb} {access.path or '.'.join(filter(None, (resource, access.group)))}"
