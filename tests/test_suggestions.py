"""Suggestions are `difflib`'s, within a bounded amount of work."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies
from support import crds

from pytest_crd import suggestions
from pytest_crd.cases import expectedowners, schemafields
from pytest_crd.cases.caseresult import Trace
from pytest_crd.cases.deviations import PathsMismatch
from pytest_crd.checks import samplefiles
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.report import text
from pytest_crd.suggestions import SpentBudgetError, WorkBudget
from pytest_crd.wording import plain

if TYPE_CHECKING:
    from support.sessions import Project

_STRING = {"type": "string"}
_WORDS = strategies.text("abcd", max_size=7)


class _Comparisons:
    """A count of the comparisons of two words."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        for name in ("real_quick_ratio", "quick_ratio", "ratio"):
            monkeypatch.setattr(difflib.SequenceMatcher, name, self._counting(getattr(difflib.SequenceMatcher, name)))

    def _counting(self, method: Any) -> Any:
        def counted(matcher: Any) -> Any:
            self.count += 1
            return method(matcher)

        return counted


def _fields(count: int) -> schemafields.SchemaFields:
    properties = {f"field{index:05}": _STRING for index in range(count)}
    spec = {"type": "object", "properties": properties}
    manifest = crds.manifest({"type": "object", "properties": {"spec": spec}})
    return schemafields.SchemaFields(CustomResourceDefinition.from_manifest(manifest).version("v1"))


@given(word=_WORDS, known=strategies.lists(_WORDS))
def test_a_suggestion_is_the_closest_match_of_difflib(word: str, known: list[str]) -> None:
    closest = difflib.get_close_matches(word, known, n=1) or [""]

    assert suggestions.nearest(word, known, WorkBudget()) == closest[0]


def test_a_spent_budget_is_no_answer() -> None:
    budget = WorkBudget(20)

    assert suggestions.search("retentoin", ["retention"], budget) == "retention"
    assert suggestions.search("retentoin", ["retention"], budget) is None
    assert suggestions.search("zzz", ["retention"], WorkBudget()) == ""
    with pytest.raises(SpentBudgetError):
        suggestions.nearest("retentoin", ["retention"], budget)


def test_the_suggestions_for_unknown_fields_of_a_version_share_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    fields, comparisons = _fields(500), _Comparisons(monkeypatch)
    monkeypatch.setattr(fields, "_budget", WorkBudget(100_000))

    first = [fields.near(f"spec.fieldx{index:05}") for index in range(50)]
    count = comparisons.count
    later = [fields.near(f"spec.fieldy{index:05}") for index in range(200)]

    assert first[0] == "spec.field00000"
    assert first[-1] is None
    assert set(later) == {None}
    assert comparisons.count == count


def test_a_repeated_name_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fields, comparisons = _fields(10), _Comparisons(monkeypatch)

    assert fields.near("spec.feild00001") == "spec.field00001"
    count = comparisons.count
    assert fields.near("spec.feild00001") == "spec.field00001"
    assert comparisons.count == count


def test_a_key_with_many_dots_stays_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    fields, path = _fields(1), "spec." + "a." * 2_000
    for search, answer in ((fields.near, None), (fields.find_emptied, "")):
        monkeypatch.setattr(fields, "_budget", WorkBudget(100_000))
        assert search(path) == answer
        with pytest.raises(SpentBudgetError):
            fields._budget.spend(1)


def test_an_unknown_field_without_a_search_says_so(empty: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggestions.WorkBudget, "__init__", lambda budget: setattr(budget, "_work", 45))
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"class": _STRING}}}}
    empty.write("crd.yaml", json.dumps(crds.manifest(schema)))
    case = {"name": "x", "input": {"spec": {"clas": "a", "clazz": "b", "klass": "c"}}, "accepted": True}
    empty.cases(json.dumps({"crd": "crd.yaml", "create": [case]}))

    result = empty.run()

    result.stdout.fnmatch_lines(
        [
            "*spec.clas *the schema does not specify it; did you mean spec.class?",
            "*spec.clazz *the schema does not specify it; similar names were not looked for, as too many are unknown",
            "*spec.klass *the schema does not specify it; similar names were not looked for, as too many are unknown",
        ]
    )


def test_the_nearest_of_many_listed_paths_are_within_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(count: int) -> tuple[int, list[text.Row]]:
        comparisons = _Comparisons(monkeypatch)
        missing, unasked = ([f"spec.{letter}{index:05}" for index in range(count)] for letter in "ab")
        mismatch = PathsMismatch("pruned", tuple(missing), tuple(unasked), ())
        output = [*text._rows(mismatch, Trace(), plain)]
        monkeypatch.undo()
        return comparisons.count, output

    few, _ = rows(300)
    many, output = rows(600)

    assert many < 1.5 * few
    assert len(output) == 1_200
    assert output[0].words.endswith("; the nearest is spec.b00000")
    assert output[599].words.endswith("; similar names were not looked for, as too many are unknown")


def test_kinds_are_compared_within_a_budget() -> None:
    budget = WorkBudget(100)

    assert suggestions.nearest_name("Cluster", ["Clusters"], budget) == "Clusters"
    assert suggestions.nearest_name("C" * 1_000_000, ["Clusters"], budget) == ""
    with pytest.raises(SpentBudgetError):
        [suggestions.nearest_name(f"Cluster{index}", ["Clusters"], budget) for index in range(2_000)]


def test_an_unknown_kind_without_a_search_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samplefiles, "_budget", lambda _: WorkBudget(0))

    assert samplefiles.suggest_kind("a.example.com", "Tba", {("a.example.com", "Tab"): []}) == (
        "whether it is misspelt is not known, as there are too many unknown kinds"
    )


def test_few_managers_are_listed_and_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    managers = [f"manager{index}" for index in range(30)]

    assert expectedowners._remedy("x", managers, WorkBudget()).endswith(" and 10 more")
    assert expectedowners._remedy("x", managers, WorkBudget(0)) == (
        "similar names were not looked for, as too many are unknown"
    )


def test_a_field_of_an_object_that_keeps_nothing_has_no_suggestion_elsewhere() -> None:
    template = {"type": "object", "properties": {"metadata": {"type": "object"}, "spec": {"type": "object"}}}
    some = {"type": "object", "properties": {"name": _STRING}}
    labelled = {"type": "object", "properties": {"metadata": some}}
    spec = {"type": "object", "properties": {"template": template, "labelled": labelled, "size": _STRING}}
    manifest = crds.manifest({"type": "object", "properties": {"spec": spec}})
    fields = schemafields.SchemaFields(CustomResourceDefinition.from_manifest(manifest).version("v1"))

    assert [fields.near(f"spec.template.{path}") for path in ("metadata.labels", "spec.size", "size")] == [
        "",
        "",
        "spec.size",
    ]
    assert fields.near("spec.labelled.metadata.annotations") == ""
    assert fields.near("spec.labelled.metadata.size") == "spec.size"
    emptied = [fields.find_emptied(f"spec.template.{path}") for path in ("metadata.labels.a", "spec.size", "size")]
    assert emptied == ["spec.template.metadata", "spec.template.spec", ""]
    assert fields.find_emptied("sise") == ""
