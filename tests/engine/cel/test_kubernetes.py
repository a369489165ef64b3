"""Environments of the Kubernetes versions."""

from __future__ import annotations

import re

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import CompileError
from pytest_crd.engine.cel.run.interpreter import Program, ProgramError
from pytest_crd.engine.cel.types.declarations import Declarations
from pytest_crd.engine.rules import environments

SINCE = {
    "[1].isSorted()": "1.31",
    "optional.of(1).optMap(x, x).hasValue()": "1.31",
    "sets.contains([1], [1]) && isIP('::1') && isCIDR('::/0')": "1.31",
    "[1].all(i, v, i < v)": "1.32",
    "isSemver('1.0.0')": "1.33",
    "[[1]].flatten() == [1]": "1.34",
    "[1].includes(1)": "1.37",
    "cidr('10.0.0.0/8').isMask()": "1.38",
}


@pytest.mark.parametrize(("text", "since"), SINCE.items())
def test_libraries_are_available_since_their_version(text: str, since: str) -> None:
    before = "1.31"
    for version, version_profile in profile.KNOWN.items():
        if version_profile.validation_rules:
            _assert_compiles(environments.new(version_profile), text, is_known=before >= since)
            _assert_compiles(environments.stored(version_profile), text, is_known=version >= since)
            before = version


@pytest.mark.parametrize(
    ("range_", "is_mask"), [("10.0.0.0/8", True), ("10.0.0.1/8", False), ("fd00::/8", True), ("::1/0", False)]
)
def test_a_mask_has_no_bits_after_its_prefix(range_: str, is_mask: bool) -> None:  # noqa: FBT001
    environment = environments.stored(profile.named("1.38"))
    checked = environment.compile(f"cidr('{range_}').isMask()")
    assert Program(checked, environment.functions).evaluate({}).value is is_mask


def _assert_compiles(environment: Environment, text: str, *, is_known: bool) -> None:
    if is_known:
        environment.compile(text)
    else:
        with pytest.raises(CompileError):
            environment.compile(text)


def test_the_default_provider_has_no_structs() -> None:
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
def test_the_syntax_of_regular_expressions_depends_on_the_release(expression: str, problem: str) -> None:
    """The recorded servers are built with a newer Go than the first release of their version."""
    assert _value("1.37", expression) is True
    assert re.search(problem, str(_value("1.34", expression)))


def _value(version: str, expression: str) -> object:
    """Evaluate an expression and return its value or its error."""
    environment = environments.stored(profile.KNOWN[version])
    try:
        outcome = Program(environment.compile(expression), environment.functions).evaluate({})
    except (CompileError, ProgramError) as error:
        return error
    return outcome.error or outcome.value
