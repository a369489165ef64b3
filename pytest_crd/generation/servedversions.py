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
from pytest_crd.generation import expectedanswers
from pytest_crd.generation.layout import ExpectedCase, Layout
from pytest_crd.generation.proposedcases import Proposal, bare
from pytest_crd.generation.reach import Reach, parse_cases

_LONGEST: Final = 40
# The keys for fields that an accepted object loses.
_LISTED: Final = frozenset({"pruned", "nullsDropped", "lost"})


def write_documents(versions: Sequence[engine.CrdVersion]) -> Iterator[str]:
    """
    Yield the text of a document for each other served version of a CRD, without versions that have no short object.

    Args:
        versions: The version of a file under each Kubernetes version for which the cases must pass.
    """
    for version in versions[0].crd.versions:
        candidates = [item.crd.version(version.name).unobserved for item in versions]
        if version.name != versions[0].name and version.served:
            try:
                smallest = bare(synthesis.example(candidates[0]))
                name = f"the smallest object of {version.name} is accepted"
                proposal = Proposal(Section.CREATE, name, (), smallest)
                answers = [expectedanswers.expect_answer(proposal, candidate) for candidate in candidates]
            except (synthesis.NoExampleError, engine.UnsupportedExpressionError, engine.UnsupportedConstructError):
                continue
            expectation = {key: value for key, value in answers[0].items() if key in _LISTED} or {"accepted": True}
            lines = [*Layout(None).sections([ExpectedCase(proposal, name, expectation)])]
            if (
                "errors" not in answers[0]
                and all(answer == answers[0] for answer in answers)
                and len(lines) <= _LONGEST
            ):
                head = ["---", f"crd: {yamltext.flow(version.crd.name)}", f"version: {yamltext.flow(version.name)}"]
                text = "\n".join([*head, *lines, ""])
                for candidate in candidates:
                    Reach(candidate).check(*parse_cases(text))
                yield text
