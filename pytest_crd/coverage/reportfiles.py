"""Reports that programs read: JSON, LCOV and Cobertura, so that code hosts show what is missing at its line."""

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
        number: Its number.
        covered: Of each of its points, whether it is covered.
    """

    number: int
    covered: tuple[bool, ...]

    @property
    def hits(self) -> int:
        """How many of its points are covered."""
        return sum(self.covered)


def render(kind: str, summary: Summary, root: Path) -> str:
    """
    Return a report.

    Args:
        kind: `json`, `lcov` or `cobertura`.
        summary: What was reached.
        root: The folder of the project, to which the names of files are relative.
    """
    if kind == "json":
        return as_json(summary)
    return as_lcov(summary, root) if kind == "lcov" else as_cobertura(summary, root)


def as_json(summary: Summary) -> str:
    """Return what was reached and what was not, as JSON."""
    value = {
        "format": FORMAT,
        "counted": ["held", "seen"] if summary.tally.counts_seen else ["held"],
        "totals": _tally(summary.tally),
        "versions": [_version(one) for one in summary.versions],
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
        "percent": round(tally.percent, 2),
    }


def _version(version: VersionCoverage) -> dict[str, Any]:
    return {
        "crd": version.version.crd.name,
        "version": version.version.name,
        "file": version.lines.file,
        "requests": version.requests,
        "totals": _tally(version.tally),
        "missing": [_point(one) for one in version.counted if one.state == "missed" and not one.is_left_out],
        "left_out": [_point(one) for one in version.counted if one.is_left_out],
        "held": [one.point.id for one in version.counted if one.state == "held"],
        "seen": [_point(one) for one in version.counted if one.state == "seen" and not one.is_left_out],
    }


def _point(counted: Counted) -> dict[str, Any]:
    point = counted.point
    return {"id": point.id, "kind": point.kind, "path": point.path, "line": counted.line, "text": counted.text}


def of_files(summary: Summary, root: Path) -> Iterator[tuple[str, list[LinePoints]]]:
    """Yield each file, relative to *root* with slashes, with its lines that have points; what a command printed is no file."""
    by_file: dict[Path, dict[int, list[bool]]] = {}
    for version in summary.versions:
        if version.path is None:
            continue
        lines = by_file.setdefault(version.path, {})
        for one in version.counted:
            if not one.is_left_out:
                lines.setdefault(one.line, []).append(one.is_covered)
    for path, found in by_file.items():
        name = Path(os.path.relpath(path, root)).as_posix()
        yield name, [LinePoints(number, tuple(found[number])) for number in sorted(found)]


def as_lcov(summary: Summary, root: Path) -> str:
    """Return the lines and, where several points stand on one, its points as branches, as LCOV reads them."""
    text: list[str] = []
    for name, lines in of_files(summary, root):
        branches = [line for line in lines if len(line.covered) > 1]
        text += ["TN:", f"SF:{name}"]
        text += [f"DA:{line.number},{line.hits}" for line in lines]
        text += [f"LF:{len(lines)}", f"LH:{sum(line.hits > 0 for line in lines)}"]
        for line in branches:
            taken = ["1" if one else "0" if line.hits else "-" for one in line.covered]
            text += [f"BRDA:{line.number},0,{index},{one}" for index, one in enumerate(taken)]
        text += [f"BRF:{sum(len(line.covered) for line in branches)}", f"BRH:{sum(line.hits for line in branches)}"]
        text += ["end_of_record"]
    return "".join(f"{line}\n" for line in text)


def as_cobertura(summary: Summary, root: Path) -> str:
    """Return the same as Cobertura's XML."""
    files = list(of_files(summary, root))
    every = [line for _, lines in files for line in lines]
    top = ET.Element("coverage", {"version": "pytest-crd", "timestamp": str(int(time.time() * 1000)), **_rates(every)})
    ET.SubElement(ET.SubElement(top, "sources"), "source").text = str(root)
    package = ET.SubElement(ET.SubElement(top, "packages"), "package", {"name": "crds", **_rates(every, totals=False)})
    classes = ET.SubElement(package, "classes")
    for name, lines in files:
        attributes = {"name": name.rpartition("/")[2], "filename": name, **_rates(lines, totals=False)}
        one = ET.SubElement(classes, "class", attributes)
        ET.SubElement(one, "methods")
        within = ET.SubElement(one, "lines")
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
    taken, possible = sum(line.hits for line in branches), sum(len(line.covered) for line in branches)
    rates = {"line-rate": _rate(covered, valid), "branch-rate": _rate(taken, possible), "complexity": "0"}
    counts = {
        "lines-covered": str(covered),
        "lines-valid": str(valid),
        "branches-covered": str(taken),
        "branches-valid": str(possible),
    }
    return {**rates, **(counts if totals else {})}


def _rate(part: int, whole: int) -> str:
    return f"{part / whole:.4g}" if whole else "0"
