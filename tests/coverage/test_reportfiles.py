"""Machine-readable reports."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from support.pots import POTS, read

from pytest_crd.coverage import reportfiles
from pytest_crd.coverage.data import Data
from pytest_crd.coverage.lines import read_exclusion
from pytest_crd.coverage.summary import Summary, summarize


def test_excluded_points_have_no_line(tmp_path: Path) -> None:
    crd = read(tmp_path, POTS.replace("minimum: 1", "minimum: 1 # crd: no cover"))
    summary = summarize([crd], Data(), (read_exclusion("pots.example.com spec.old"),))

    [(name, lines)] = reportfiles.group_by_file(summary, tmp_path)

    assert name == "pots.yaml"
    assert not {22, 23, 26} & {line.number for line in lines}
    assert {18, 27} <= {line.number for line in lines}
    assert "DA:22," not in reportfiles.as_lcov(summary, tmp_path)


def test_a_report_without_files_has_zero_rates(tmp_path: Path) -> None:
    top = ET.fromstring(reportfiles.as_cobertura(Summary(()), tmp_path))  # noqa: S314 - written here

    assert (top.get("line-rate"), top.get("lines-valid"), list(top.iter("class"))) == ("0", "0", [])


def test_a_line_of_the_cobertura_report_has_branches_if_it_has_several_points(tmp_path: Path) -> None:
    summary = summarize([read(tmp_path)], Data())
    [(_, points)] = reportfiles.group_by_file(summary, tmp_path)
    lines = ET.fromstring(reportfiles.as_cobertura(summary, tmp_path)).iter("line")  # noqa: S314 - written here

    counts = {str(line.number): len(line.covered) for line in points}
    assert {1, 2} <= set(counts.values())
    for line in lines:
        count = counts[line.attrib["number"]]
        conditions = (line.get("branch"), line.get("condition-coverage"))
        assert conditions == (("true", f"0% (0/{count})") if count > 1 else ("false", None))


def test_files_outside_of_the_project_are_named_from_there(tmp_path: Path) -> None:
    summary = summarize([read(tmp_path)], Data())

    [(name, _)] = reportfiles.group_by_file(summary, tmp_path / "some" / "where")

    assert name == "../../pots.yaml"
