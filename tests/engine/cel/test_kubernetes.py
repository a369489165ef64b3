"""What the environment of each Kubernetes version has."""

from __future__ import annotations

import re

import pytest

from pytest_crd.engine.cel import kubernetes
from pytest_crd.engine.cel.declarations import Declarations
from pytest_crd.engine.cel.errors import CompileError
from pytest_crd.engine.cel.functions import Library
from pytest_crd.engine.cel.interpreter import Program, ProgramError

SINCE = {
    "[1].isSorted()": 31,
    "optional.of(1).optMap(x, x).hasValue()": 31,
    "sets.contains([1], [1]) && isIP('::1') && isCIDR('::/0')": 31,
    "[1].all(i, v, i < v)": 32,
    "isSemver('1.0.0')": 33,
    "[[1]].flatten() == [1]": 34,
    "[1].includes(1)": 37,
}


@pytest.mark.parametrize(("text", "since"), SINCE.items())
def test_versions_bring_libraries(text: str, since: int) -> None:
    for version in range(kubernetes.OLDEST_VERSION, 38):
        environment = kubernetes.environment(version, 37, Library("no formats"))
        if version >= since:
            environment.compile(text)
        else:
            with pytest.raises(CompileError):
                environment.compile(text)


def test_there_are_no_structs_without_a_provider() -> None:
    provider = Declarations([]).provider

    assert provider.find_struct("Pod") is None
    assert provider.find_field("Pod", "name") is None


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        (r"'a'.matches('\\p{Letter}')", "invalid matches argument"),
        (r"'a'.find('\\p{Letter}') == 'a'", r"invalid character class range: `\\p.Letter.`"),
        (r"'a'.findAll('\\p{Letter}').size() == 1", r"invalid character class range: `\\p.Letter.`"),
        (r"'a'.matches('\\p{' + 'Letter}')", r"invalid character class range: `\\p.Letter.`"),
        (r"'a'.find('\\p{' + 'Letter}') == 'a'", r"Illegal regex: .*invalid character class range: `\\p.Letter.`"),
    ],
)
def test_regular_expressions_are_those_of_the_release(expression: str, problem: str) -> None:
    """The servers whose answers are recorded are built with a newer Go than the first release of their version."""
    assert _value(37, expression) is True
    assert re.search(problem, str(_value(34, expression)))


def _value(release: int, expression: str) -> object:
    """Return what comes of an expression: its value, or what is wrong with it."""
    environment = kubernetes.environment(release, release, Library("no formats"))
    try:
        outcome = Program(environment.compile(expression), environment.functions).evaluate({})
    except (CompileError, ProgramError) as error:
        return error
    return outcome.error or outcome.value
