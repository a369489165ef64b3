"""The page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from support.pots import POTS, read

from pytest_crd.coverage import data, page
from pytest_crd.coverage.collector import Collector, Reached
from pytest_crd.coverage.lines import read_exclusion
from pytest_crd.coverage.summary import Summary, summarize
from pytest_crd.writing import yamltext


class _Reader(HTMLParser):
    """Reads the lines of a CRD: their classes and texts; and what is said of them."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, str]] = []
        self.links: set[str] = set()
        self.targets: set[str] = set()
        self.open: list[str] = []
        self._line = self.last = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        assert tag not in {"script", "link", "img"}
        if tag != "meta":
            self.open.append(tag)
        if target := named.get("id"):
            self.targets.add(target)
        if (link := named.get("href")) is not None:
            self.links.add(link)
        if "data-n" in named:
            self._line = int(named["data-n"] or 0)
            assert self._line == 1 or self._line == self.last + 1
            self.last = self._line
            self.lines.append((str(named["class"]).removeprefix("line").strip(), ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "div":
            self._line = 0

    def handle_data(self, data: str) -> None:
        if self._line and self.open[-1] == "div":
            state, text = self.lines[-1]
            self.lines[-1] = (state, text + data)


def _summary(folder: Path, text: str = POTS) -> Summary:
    crd = read(folder, text)
    collector = Collector()
    with collector.collecting():
        crd.version("v1").create({"spec": {"size": 1}})
    return summarize(
        [crd], data.of_collector(collector, folder), (read_exclusion("pots.example.com spec.old"),), counts_seen=True
    )


def _page(summary: Summary, **limits: Any) -> tuple[str, _Reader]:
    text = page.render(summary, yamltext.block, **limits)
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return text, reader


def test_the_page_shows_the_crd_line_by_line(tmp_path: Path) -> None:
    _, reader = _page(_summary(tmp_path))

    assert "\n".join(text for _, text in reader.lines) == POTS


def test_lines_are_coloured_by_what_was_reached(tmp_path: Path) -> None:
    _, reader = _page(_summary(tmp_path))

    states = {line: state for line, (state, _) in enumerate(reader.lines, 1) if state}
    assert {20: "all", 16: "some", 22: "some", 18: "none", 27: "none", 23: "out"}.items() <= states.items()


def test_what_is_missing_is_said_with_an_object(tmp_path: Path) -> None:
    text, reader = _page(_summary(tmp_path))

    assert (
        "<li>v1: spec.soil: the value &quot;sand&quot; of enum is never used<pre>apiVersion: example.com/v1\n" in text
    )
    assert re.search(r"<pre>apiVersion: example.com/v1\nkind: Pot\n[^<]*soil: sand[^<]*</pre>", text)
    assert {link for link in reader.links if link.startswith("#")} <= {f"#{target}" for target in reader.targets}
    assert all(link.startswith("#") for link in reader.links)
    assert "No test that passed has made a request to it." in text


def test_a_page_is_escaped(tmp_path: Path) -> None:
    text, _ = _page(_summary(tmp_path, POTS.replace("- clay", "- '<script>&'")))

    assert "<script" not in text
    assert "&lt;script&gt;&amp;" in text


def test_objects_are_made_for_so_many_points(tmp_path: Path) -> None:
    text, _ = _page(_summary(tmp_path), most=2)

    assert text.count("<pre>") == 2
    assert "Objects were made for the first points that are missing" in text
    assert "Objects were made" not in _page(_summary(tmp_path))[0]


def test_an_object_that_is_not_found_is_said(tmp_path: Path) -> None:
    text, _ = _page(
        _summary(
            tmp_path, POTS.replace("minimum: 1", "minimum: 1\n                maximum: 1\n                enum: [5]")
        )
    )

    assert "No object was found that reaches it." in text


def test_what_is_sent_elsewhere_is_told(tmp_path: Path) -> None:
    ruled = "type: string\n                maxLength: 5\n                x-kubernetes-validations: [{rule: self == oldSelf}]\n"
    status = (
        "          status:\n            type: object\n            properties:\n              phase:\n                "
        + ruled
    )
    text = POTS.replace(
        "              soil:\n                type: string\n", f"              soil:\n                {ruled}"
    )
    text = text.replace("    storage: true\n", "    storage: true\n    subresources: {status: {}}\n")
    text = text.replace("  - name: v1beta1\n", f"{status}  - name: v1beta1\n")

    shown, _ = _page(_summary(tmp_path, text))

    assert re.search(r"<pre># sent over the object below\n[^<]*\n---\n[^<]*</pre>", shown)
    assert re.search(r"<pre># sent to its status over the object below\n[^<]*\n---\n[^<]*</pre>", shown)
    assert "<pre># sent to its status\napiVersion" in shown


def test_a_version_of_which_nothing_is_missing_needs_no_object(tmp_path: Path) -> None:
    crd = read(tmp_path)
    summary = summarize([crd], data.Data(), (read_exclusion("pots.example.com spec"),))
    reached = data.Data({data.digest_of(crd): data.Record("pots.example.com", "pots.yaml")})
    for one in summary.versions:
        ids = {counted.point.id for counted in one.counted}
        reached[data.digest_of(crd)].versions[one.version.name] = Reached(1, ids, ids)

    text, _ = _page(summarize([crd], reached))

    assert "<pre>" not in text
    assert "<details" not in text


def test_two_crds_in_one_file_are_two_texts(tmp_path: Path) -> None:
    crd = read(tmp_path)
    other = read(tmp_path, POTS.replace("pots", "jars").replace("Pot", "Jar"), "jars.yaml")

    text, reader = _page(summarize([crd, other], data.Data()))

    assert text.count("<h2") == 2
    assert {"c1-13", "c2-13", "crd-1", "crd-2"} <= reader.targets


def test_a_long_list_of_what_is_missing_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "_MOST_LISTED", 3)

    text, _ = _page(_summary(tmp_path))

    assert text.count('<li><a href="#c1-') == 6
    assert "<li>2 more</li>" in text
