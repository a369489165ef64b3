"""Words about classes that differ from a CRD."""

from __future__ import annotations

from pytest_crd.classes.divergences import Divergence, DivergenceKind
from pytest_crd.report import paritywords


def test_many_differences_are_counted_unless_the_report_is_verbose() -> None:
    findings = [Divergence(DivergenceKind.DEFAULT, f"spec.a{number}", "1 and 2", {}) for number in range(60)]

    brief = [*paritywords.lines("title", findings, (), "tabs.example.com/v1")]
    whole = [*paritywords.lines("title", findings, (), "tabs.example.com/v1", verbosity=1)]

    assert any(line.endswith("more; -v shows all") for line in brief)
    assert not any("-v shows all" in line for line in whole)
