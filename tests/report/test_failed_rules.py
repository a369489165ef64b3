"""A failure over a CEL rule shows the rule, its place in the CRD, and the deciding values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.crds import TABS

if TYPE_CHECKING:
    from support.sessions import Project

CASES = """\
crd: tabs.example.com
version: v1
create:
- name: accepted
  input: {spec: {replicas: 11}}
  accepted: true
- name: another rule
  input: {spec: {replicas: 11}}
  errors:
  - {rule: self.replicas >= self.max}
- name: another error
  input: {spec: {replicas: 11}}
  errors:
  - {type: Required}
- name: the rule
  input: {spec: {replicas: 11}}
  errors:
  - {rule: self.replicas <= self.max}
"""
RULE = """\
      rule (crds/tabs.yaml:19): self.replicas <= self.max
      self.replicas = 11
      self.max = 10
"""


def test_a_failure_explains_the_rule(empty: Project) -> None:
    empty.write("crds/tabs.yaml", TABS)
    empty.cases(CASES)

    result = empty.run()

    result.assert_outcomes(failed=3, passed=1)
    output = result.stdout.str()
    assert f"refused (422), but expected to be accepted:\n  spec: Invalid value: too many\n{RULE}" in output
    assert (
        "errors:\n  missing  {rule: \"self.replicas >= self.max\"} ('self.replicas >= self.max' is in no rule of the CRD)\n"
        f"  nearest  spec: Invalid value: too many (another rule)\n{RULE}" in output
    )
    assert f"  unasked  spec: Invalid value: too many\n{RULE}" in output


def test_a_refused_crd_says_where_the_rule_stands(empty: Project) -> None:
    empty.write("crds/tabs.yaml", TABS.replace("<= self.max", "<= self.min"))
    empty.cases(CASES)

    result = empty.run()

    result.assert_outcomes(errors=1)
    assert "undefined field 'min'" in result.stdout.str()
    result.stdout.fnmatch_lines(["    at crds/tabs.yaml:19:42"])


def test_the_place_of_a_compile_error_is_inside_the_block_scalar(empty: Project) -> None:
    folded = "rule: >-\n                # why\n                self.replicas <=\n                self.min\n"
    text = TABS.replace("rule: self.replicas <= self.max\n", folded.replace("# why", "!has(self.max) ||"))
    empty.write("crds/tabs.yaml", text)
    empty.cases(CASES)

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["    at crds/tabs.yaml:22:21"])
