"""
Cases about the other served versions of a CRD.

Each version has a document with its smallest object. Its case fails when the server no longer serves the version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd import engine, synthesis
from pytest_crd.casefiles import yamltext
from pytest_crd.cases.sections import Section
from pytest_crd.generation.layout import ExpectedCase, Layout
from pytest_crd.generation.proposedcases import Proposal, bare
from pytest_crd.generation.reach import Reach, parse_cases

_LONGEST: Final = 40


def write_documents(versions: Sequence[engine.CrdVersion]) -> Iterator[str]:
    """
    Yield the text of a document for each other served version of a CRD, without versions that have no short object.

    Args:
        versions: The version of a file under each Kubernetes version for which the cases must pass.
    """
    for version in versions[0].crd.versions:
        others = [item.crd.version(version.name).unobserved for item in versions]
        if version.name != versions[0].name and version.served:
            try:
                smallest = bare(synthesis.example(others[0]))
                is_accepted = all(other.create(smallest).accepted for other in others)
            except (synthesis.NoExampleError, engine.UnsupportedExpressionError, engine.UnsupportedConstructError):
                continue
            lines = [*Layout(None).sections([_create_case(version, smallest)])]
            if is_accepted and len(lines) <= _LONGEST:
                head = ["---", f"crd: {yamltext.flow(version.crd.name)}", f"version: {yamltext.flow(version.name)}"]
                text = "\n".join([*head, *lines, ""])
                for other in others:
                    Reach(other).check(*parse_cases(text))
                yield text


def _create_case(version: engine.CrdVersion, smallest: dict[str, object]) -> ExpectedCase:
    """Return the case in which the *smallest* object of a version is accepted."""
    name = f"the smallest object of {version.name} is accepted"
    expectation = {"accepted": True}
    return ExpectedCase(Proposal(Section.CREATE, name, (), smallest, expectation=expectation), name, expectation)
