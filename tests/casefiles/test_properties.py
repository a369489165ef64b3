"""Laws of the writers: any case file of the tests, filled in and updated, differs only where it should."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from pytest_crd import engine
from pytest_crd.casefiles import casetext, observation
from pytest_crd.casefiles.casetext import Correction
from pytest_crd.casefiles.observation import Mode
from pytest_crd.cases import caserunner, loader, objectsources
from pytest_crd.cases.builder import EXPECTATIONS, FILLED
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.yaml import yamlreader

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "example_project"
PAGE = (ROOT / "docs/reference/case-file.md").read_text(encoding="utf-8")
TEXTS = {
    path.name: path.read_text(encoding="utf-8") for path in sorted((PROJECT / "tests").glob("test_backup*.crd.yaml"))
}
TEXTS["case-file"] = PAGE.split("```yaml\n")[1].split("```")[0]


@functools.cache
def subjects() -> Mapping[str, CaseSubject]:
    """Return the newest versions of the CRDs of the example project, by the name of the CRD."""
    crds = engine.load(PROJECT / "config/crd/bases")
    return {crd.name: CaseSubject(crd.versions[-1]) for crd in crds}


@functools.cache
def cases_of(text: str) -> Sequence[tuple[AnyCase, Callable[[AnyCase], CaseResult]]]:
    """Return the cases without skip and xfail, each with a function that runs it."""
    cases = []
    for file in loader.load(text, source="f", fills=True):
        for case in file.cases:
            resolved = objectsources.resolve(case, PROJECT / "tests")
            if case.skip is None and case.xfail is None and getattr(case, "old_crd", None) is None:
                cases.append((resolved, functools.partial(_run, subjects()[file.crd])))
    return cases


def _run(subject: CaseSubject, case: AnyCase) -> CaseResult:
    return caserunner.run(case, subject)


def rewritten(text: str, mode: Mode) -> str:
    """Return the outcome for a file."""
    corrections = []
    for case, run in cases_of(text):
        observed = observation.observe(case, run, mode)
        if observed.values:
            corrections.append(Correction(case.name, observed.values, observed.removed))
    result = casetext.write_corrections(text.encode(), corrections, source="f")
    assert not result.problems
    return result.content.decode()


def comments(text: str) -> list[str]:
    return re.findall(r"(?m)(?:^|\s)(#.*)$", text)


@pytest.mark.parametrize("name", TEXTS)
@given(data=st.data())
@examples(25)
def test_removed_expectations_are_filled_in_and_nothing_else_changes(name: str, data: st.DataObject) -> None:
    text = TEXTS[name]
    expected_names = {case.name: case for case, _ in cases_of(text)}
    blanked = []
    for name in data.draw(st.lists(st.sampled_from(sorted(expected_names)), unique=True, max_size=6)):  # noqa: PLR1704
        declared = [key for key in expected_names[name].declared if key in EXPECTATIONS]
        if data.draw(st.booleans()):
            blanked.append(Correction(name, {}, tuple(declared)))
        elif fillable := [key for key in declared if key in FILLED]:
            blanked.append(Correction(name, {data.draw(st.sampled_from(fillable)): "TODO"}))
    remaining = casetext.write_corrections(text.encode(), blanked, source="f")
    assert not remaining.problems

    filled = rewritten(remaining.content.decode(), Mode.FILL)

    _hold(filled, {item.name for item in blanked})
    _agree(text, filled, {item.name for item in blanked})
    assert sorted(comments(filled)) == sorted(comments(remaining.content.decode()))
    if not blanked:
        assert filled == text


@pytest.mark.parametrize("name", TEXTS)
@given(data=st.data())
@examples(25)
def test_falsified_expectations_are_corrected_and_nothing_else_changes(name: str, data: st.DataObject) -> None:
    text = TEXTS[name]
    expected_names = {
        case.name: case.declared for case, _ in cases_of(text) if {"expected", "pruned"} & case.declared.keys()
    }
    falsified = []
    for name in data.draw(st.lists(st.sampled_from(sorted(expected_names)), unique=True, max_size=4)):  # noqa: PLR1704
        key = data.draw(st.sampled_from([key for key in ("expected", "pruned") if key in expected_names[name]]))
        falsified.append(Correction(name, {key: data.draw(_change(expected_names[name][key]))}))
    false = casetext.write_corrections(text.encode(), falsified, source="f")

    corrected = rewritten(false.content.decode(), Mode.UPDATE)

    _hold(corrected, {item.name for item in falsified})
    _agree(text, corrected, {item.name for item in falsified})
    assert "falsified" not in corrected
    assert sorted(comments(corrected)) == sorted(comments(false.content.decode()))


def _change(value: Any) -> st.SearchStrategy[Any]:
    """Return other values of the same form: with a part more, a part less, another scalar, or empty."""
    if isinstance(value, list):
        return st.lists(st.sampled_from(["spec.falsified", *value]), max_size=4)
    return st.builds(_changed, st.just(value), st.integers(0, 30), st.sampled_from(["add", "remove", "scalar"]))


def _changed(value: Any, at: int, how: str) -> Any:
    changed = jsonvalue.copy(value)
    holders = [*_holders(changed)]
    if not holders or how == "add":
        changed["falsified"] = {"a": [1, {"b": "falsified: yes"}]}
        return changed
    holder, key = holders[at % len(holders)]
    if how == "remove":
        del holder[key]
    else:
        holder[key] = "falsified: text"
    return changed


def _holders(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(item, dict | list):
            yield from _holders(item)


def _hold(text: str, changed: set[str]) -> None:
    """Hold that nothing is left to fill in, and that the *changed* cases hold; the others are as before."""
    for case, run in cases_of(text):
        assert not case.blanks
        assert not case.is_open
        assert case.name not in changed or run(case).holds


def _agree(text: str, other: str, but: set[str]) -> None:
    """Assert that two files agree, apart from the expectations of some cases."""
    for old, new in zip(yamlreader.read(text), yamlreader.read(other), strict=True):
        assert old.value.keys() == new.value.keys()
        for key, value in old.value.items():
            if not isinstance(value, list):
                assert jsonvalue.equal(value, new.value[key])
                continue
            for before, after in zip(value, new.value[key], strict=True):
                left_out = EXPECTATIONS if before["name"] in but else frozenset()
                assert jsonvalue.equal(_without(before, left_out), _without(after, left_out))


def _without(case: Mapping[str, Any], keys: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in case.items() if key not in keys}
