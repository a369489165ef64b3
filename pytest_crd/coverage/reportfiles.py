"""Machine-readable reports: JSON, LCOV and Cobertura, so that code hosts show missing points at their lines."""

from __future__ import annotations

import json
import os
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_crd.coverage.summary import Counted, Summary, Tally, VersionCoverage

FORMAT: Final = 1


class LinePoints(NamedTuple):
    """
    A line of a CRD's file with its points.

    Attributes:
        number: The line number.
        covered: Whether each point is covered.
    """

    number: int
    covered: tuple[bool, ...]

    @property
    def hits(self) -> int:
        """The number of covered points."""
        return sum(self.covered)


def render(kind: str, summary: Summary, root: Path) -> str:
    """
    Return a report.

    Args:
        kind: `json`, `lcov` or `cobertura`.
        summary: The coverage summary.
        root: The folder of the project, to which file names are relative.
    """
    if kind == "json":
        return as_json(summary)
    return as_lcov(summary, root) if kind == "lcov" else as_cobertura(summary, root)


def as_json(summary: Summary) -> str:
    """Return the JSON report."""
    value = {
        "format": FORMAT,
        "counted": ["held", "seen"] if summary.tally.counts_seen else ["held"],
        "totals": _tally(summary.tally),
        "versions": [_version(version) for version in summary.versions],
        "problems": list(summary.problems),
    }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "points": tally.points,
        "held": tally.held,
        "seen": tally.seen,
        "missing": tally.missed,
        "left_out": tally.left_out,
        "kubernetes": {"points": tally.kubernetes, "held": tally.kubernetes_held},
        "percent": round(tally.percent, 2),
    }


def _version(version: VersionCoverage) -> dict[str, Any]:
    return {
        "crd": version.version.crd.name,
        "version": version.version.name,
        "file": version.lines.file,
        "requests": version.requests,
        "totals": _tally(version.tally),
        "missing": [_point(counted) for counted in version.counted if counted.state == "missed" and counted.is_counted],
        "left_out": [_point(counted) for counted in version.counted if counted.is_left_out],
        "held": [
            counted.point.id for counted in version.counted if counted.state == "held" and not counted.is_kubernetes
        ],
        "seen": [_point(counted) for counted in version.counted if counted.state == "seen" and counted.is_counted],
    }


def _point(counted: Counted) -> dict[str, Any]:
    point = counted.point
    return {"id": point.id, "kind": point.kind, "path": point.path, "line": counted.line, "text": counted.text}


def group_by_file(summary: Summary, root: Path) -> Iterator[tuple[str, list[LinePoints]]]:
    """Yield the name of each file relative to *root*, with slashes, and its lines with points; printed CRDs are left out."""
    by_file: dict[Path, dict[int, list[bool]]] = {}
    for version in summary.versions:
        if version.path is None:
            continue
        lines = by_file.setdefault(version.path, {})
        for counted in version.counted:
            if counted.is_counted:
                lines.setdefault(counted.line, []).append(counted.is_covered)
    for path, lines in by_file.items():
        name = Path(os.path.relpath(path, root)).as_posix()
        yield name, [LinePoints(number, tuple(lines[number])) for number in sorted(lines)]


def as_lcov(summary: Summary, root: Path) -> str:
    """Return the LCOV report; several points of a line are its branches."""
    text: list[str] = []
    for name, lines in group_by_file(summary, root):
        branches = [line for line in lines if len(line.covered) > 1]
        text += ["TN:", f"SF:{name}"]
        text += [f"DA:{line.number},{line.hits}" for line in lines]
        text += [f"LF:{len(lines)}", f"LH:{sum(line.hits > 0 for line in lines)}"]
        for line in branches:
            counts = ["1" if is_covered else "0" if line.hits else "-" for is_covered in line.covered]
            text += [f"BRDA:{line.number},0,{index},{count}" for index, count in enumerate(counts)]
        text += [f"BRF:{sum(len(line.covered) for line in branches)}", f"BRH:{sum(line.hits for line in branches)}"]
        text += ["end_of_record"]
    return "".join(f"{line}\n" for line in text)


def as_cobertura(summary: Summary, root: Path) -> str:
    """Return the Cobertura report in XML; several points of a line are its branches."""
    files = list(group_by_file(summary, root))
    every = [line for _, lines in files for line in lines]
    top = ET.Element("coverage", {"version": "pytest-crd", "timestamp": str(int(time.time() * 1000)), **_rates(every)})
    ET.SubElement(ET.SubElement(top, "sources"), "source").text = str(root)
    package = ET.SubElement(ET.SubElement(top, "packages"), "package", {"name": "crds", **_rates(every, totals=False)})
    classes = ET.SubElement(package, "classes")
    for name, lines in files:
        attributes = {"name": name.rpartition("/")[2], "filename": name, **_rates(lines, totals=False)}
        class_ = ET.SubElement(classes, "class", attributes)
        ET.SubElement(class_, "methods")
        within = ET.SubElement(class_, "lines")
        for line in lines:
            ET.SubElement(within, "line", {"number": str(line.number), "hits": str(line.hits), **_branches(line)})
    ET.indent(top)
    declaration = '<?xml version="1.0" encoding="utf-8"?>\n'
    doctype = '<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">\n'
    return f"{declaration}{doctype}{ET.tostring(top, encoding='unicode')}\n"


def _branches(line: LinePoints) -> dict[str, str]:
    count = len(line.covered)
    if count < 2:
        return {"branch": "false"}
    return {"branch": "true", "condition-coverage": f"{100 * line.hits // count}% ({line.hits}/{count})"}


def _rates(lines: list[LinePoints], *, totals: bool = True) -> dict[str, str]:
    branches = [line for line in lines if len(line.covered) > 1]
    covered, valid = sum(line.hits > 0 for line in lines), len(lines)
    covered_branches, possible = sum(line.hits for line in branches), sum(len(line.covered) for line in branches)
    rates = {"line-rate": _rate(covered, valid), "branch-rate": _rate(covered_branches, possible), "complexity": "0"}
    counts = {
        "lines-covered": str(covered),
        "lines-valid": str(valid),
        "branches-covered": str(covered_branches),
        "branches-valid": str(possible),
    }
    return {**rates, **(counts if totals else {})}


def _rate(part: int, whole: int) -> str:
    return f"{part / whole:.4g}" if whole else "0"
