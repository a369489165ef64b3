"""
Answers that depend on the order of mutating plugins, which a server chooses at random.

Reference:
    apiserver admission/plugin/policy/generic/policy_source.go, calculatePolicyData; policy_dispatcher.go, CollectParams.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import admitting
from pytest_crd.engine.registry.admission import Admission, AdmissionRequest, Admitted, Orders, OrderVariant
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.registry.response import Response

# The number of differing fields in a report.
_MOST: Final = 5
_ABSENT: Final = "absent"


class OrderedAnswer(NamedTuple):
    """
    The answer to a request in one order.

    Attributes:
        order: The order in words.
        response: The response.
    """

    order: str
    response: Response

    @property
    def facts(self) -> tuple[object, ...]:
        """The facts that may depend on the order; several denials come in a random order anyway."""
        response = self.response
        if response.kept is not None:
            return response.code, response.kept.value, sorted(response.warnings)
        return response.code, sorted(response.denials) or response.message


class OrderDependence(NamedTuple):
    """
    Two orders of policies with different answers.

    Attributes:
        first: The answer in the order of the names.
        second: The answer in another order.
    """

    first: OrderedAnswer
    second: OrderedAnswer

    def __str__(self) -> str:
        """Return both orders with their answers."""
        values = [answer.response.kept.value for answer in self if answer.response.kept is not None]
        paths = admitting.find_changes(*values) if len(values) == len(self) else ()
        lines = (f"    {answer.order}: {_describe(answer.response, paths)}" for answer in self)
        head = "the answer depends on the order of mutating admission policies, which is random on a server:"
        return "\n".join((head, *lines))


def compare(orders: Orders, response: Response, answer: Callable[[OrderVariant], Response]) -> str:
    """
    Return two orders with different answers in words, and report them; empty if all answers are equal.

    Args:
        orders: The tried orders.
        response: The answer in the order of the names.
        answer: Returns the answer to the request with the result of another order.
    """
    first = OrderedAnswer(orders.own, response)
    answers = (OrderedAnswer(item.order.words, answer(item)) for item in orders.variants)
    second = next((item for item in answers if item.facts != first.facts), None)
    if second is None:
        return ""
    words = str(OrderDependence(first, second))
    orders.report(words)
    return words


class VariantAdmission(NamedTuple):
    """
    Admission plugins with the known result of the mutating ones.

    Attributes:
        inner: The plugins.
        variant: The result.
    """

    inner: Admission
    variant: OrderVariant

    def mutate(self, _request: AdmissionRequest) -> Admitted:
        """Return the known result; raise RefusedError if it is a refusal."""
        if isinstance(self.variant.result, RefusedError):
            raise self.variant.result
        return self.variant.result

    def validate(self, request: AdmissionRequest) -> Admitted:
        """Return the unchanged object and warnings, without reports; raise RefusedError if a validating plugin refuses it."""
        return self.inner.validate(request._replace(is_rehearsal=True))


def _describe(response: Response, paths: Sequence[SpelledPath]) -> str:
    """Return the code with the message of a refusal, or with the values of the fields in *paths*."""
    if response.kept is None:
        return f"{response.code}: {response.message}"
    fields = [f"{path}: {_spell(response.kept.value, path)}" for path in paths[:_MOST]]
    return f"{response.code}, {', '.join(fields)}" if fields else str(response.code)


def _spell(value: JSONValue, path: SpelledPath) -> str:
    """Return the value at a path as JSON."""
    for step in path.steps:
        try:
            value = value[step]
        except (KeyError, IndexError):
            return _ABSENT
    return printing.marshal(value)
