"""The HTML page."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from support.pots import POTS, read

from pytest_crd.casefiles import yamltext
from pytest_crd.coverage import crdsection, data, page
from pytest_crd.coverage.collector import Collector, Reached
from pytest_crd.coverage.lines import read_exclusion
from pytest_crd.coverage.summary import Summary, summarize


class _Reader(HTMLParser):
    """
    Parser of a page: the classes and texts of CRD lines by their shown number, links, targets and rendered parts.

    `drawn` counts the elements that a browser with scripts has before anything is opened, for which `<noscript>` is text.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, str]] = []
        self.numbers: list[int] = []
        self.folded: dict[int, int] = {}
        self.links: dict[str, str | None] = {}
        self.targets: set[str] = set()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.drawn = self.whole = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        assert tag not in {"link", "img", "iframe", "object"}
        assert not {"src", "onclick", "onload"} & named.keys()
        self.whole += 1
        self.drawn += self._is_drawn
        if target := named.get("id"):
            assert target not in self.targets
            self.targets.add(target)
        if (link := named.get("href")) is not None:
            self.links[link] = named.get("rel")
        if named.get("class") == "fold":
            self.folded[int(named["data-first"] or 0)] = int(named["data-last"] or 0)
        if tag == "div" and self._is_in("block"):
            start = named.get("style")
            self.numbers.append(int((start or "").rpartition(" ")[2]) + 1 if start else self.numbers[-1] + 1)
            self.lines.append((str(named.get("class", "")), ""))
        if tag != "meta":
            self.open.append((tag, named))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if (
            self.open
            and self.open[-1][0] == "div"
            and any(named.get("class") == "block" for _, named in self.open[:-1])
        ):
            state, text = self.lines[-1]
            self.lines[-1] = (state, text + data)

    def _is_in(self, name: str) -> bool:
        return bool(self.open) and self.open[-1][1].get("class") == name

    @property
    def _is_drawn(self) -> bool:
        """Whether an element that begins here is there before anything is opened."""
        around = [(tag, "open" in named) for tag, named in self.open if tag in {"details", "noscript"}]
        return ("noscript", False) not in around or all(is_open for tag, is_open in around if tag == "details")


def _summary(folder: Path, text: str = POTS) -> Summary:
    crd = read(folder, text)
    collector = Collector()
    crd.version("v1").observed_by(collector.observer).create({"spec": {"size": 1}})
    return summarize(
        [crd],
        data.export_collector(collector, folder),
        (read_exclusion("pots.example.com spec.old"),),
        counts_seen=True,
    )


def _page(summary: Summary, **limits: Any) -> tuple[str, _Reader]:
    text = page.render(summary, yamltext.block, **limits)
    return text, _read(text)


def _read(text: str) -> _Reader:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    assert text.count("<script>") == 1
    assert f"<script>{page.SCRIPT}</script>" in text
    return reader


def test_the_page_shows_the_crd_line_by_line(tmp_path: Path) -> None:
    _, reader = _page(_summary(tmp_path))

    assert "\n".join(text for _, text in reader.lines) == POTS
    assert reader.numbers == list(range(1, len(reader.lines) + 1))


def test_lines_are_coloured_by_what_was_reached(tmp_path: Path) -> None:
    _, reader = _page(_summary(tmp_path))

    states = {line: state for line, (state, _) in enumerate(reader.lines, 1) if state}
    assert {20: "all", 16: "some", 22: "some", 18: "none", 29: "none", 23: "out"}.items() <= states.items()


def test_missing_points_have_an_object(tmp_path: Path) -> None:
    text, reader = _page(_summary(tmp_path))

    assert (
        "<li>v1: spec.soil: the value &quot;sand&quot; of enum is never used<pre>apiVersion: example.com/v1\n" in text
    )
    assert re.search(r"<pre>apiVersion: example.com/v1\nkind: Pot\n[^<]*soil: sand[^<]*</pre>", text)
    assert {link for link in reader.links if link.startswith("#")} <= {f"#{target}" for target in reader.targets}
    assert all(link.startswith("#") for link in reader.links)
    assert "No passing test has sent a request to it." in text


def test_a_page_is_escaped(tmp_path: Path) -> None:
    text, _ = _page(_summary(tmp_path, POTS.replace("- clay", "- '<script>&'")))

    assert "<script>&" not in text
    assert "&lt;script&gt;&amp;" in text


def test_the_number_of_objects_is_limited(tmp_path: Path) -> None:
    text, _ = _page(_summary(tmp_path), most=2)

    assert text.count("<pre>") == 2
    assert "The page has objects for the first missing points" in text
    assert "The page has objects" not in _page(_summary(tmp_path))[0]


def test_points_without_an_object_are_marked(tmp_path: Path) -> None:
    text, _ = _page(
        _summary(
            tmp_path, POTS.replace("minimum: 1", "minimum: 1\n                maximum: 1\n                enum: [5]")
        )
    )

    assert "No object was found for this point." in text


def test_objects_name_their_subresource_and_old_object(tmp_path: Path) -> None:
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

    html, _ = _page(_summary(tmp_path, text))

    assert re.search(r"<pre># sent over the object below\n[^<]*\n---\n[^<]*</pre>", html)
    assert re.search(r"<pre># sent to its status over the object below\n[^<]*\n---\n[^<]*</pre>", html)
    assert "<pre># sent to its status\napiVersion" in html


def test_a_fully_covered_version_has_no_objects(tmp_path: Path) -> None:
    crd = read(tmp_path)
    summary = summarize([crd], data.Data(), (read_exclusion("pots.example.com spec"),))
    reached = data.Data({data.compute_digest(crd): data.Record("pots.example.com", "pots.yaml")})
    for version_coverage in summary.versions:
        ids = {counted.point.id for counted in version_coverage.counted}
        reached[data.compute_digest(crd)].versions[version_coverage.version.name] = Reached(1, ids, ids)

    text, _ = _page(summarize([crd], reached))

    assert "<pre>" not in text
    assert text.count("<details") == text.count('<details class="fold"') + 1
    assert 'data-missing=""' in text


def test_two_crds_in_one_file_are_two_texts(tmp_path: Path) -> None:
    crd = read(tmp_path)
    copy = read(tmp_path, POTS.replace("pots", "jars").replace("Pot", "Jar"), "jars.yaml")

    text, reader = _page(summarize([crd, copy], data.Data()))

    assert text.count("<h2") == 2
    assert {"c1-13", "c2-13", "crd-1", "crd-2"} <= reader.targets


def test_a_long_list_of_missing_points_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crdsection, "_MOST_LISTED", 3)

    text, _ = _page(_summary(tmp_path))

    assert text.count('<li><a href="#c1-') == 10
    assert "<li>3 more</li>" in text


def test_a_section_begins_with_the_fields_that_miss_most(tmp_path: Path) -> None:
    text, _ = _page(_summary(tmp_path))

    begin = text.index("Fields with the most missing points")
    counts = [int(count) for count in re.findall(r"</a>: (\d+) missing</li>", text[begin : text.index("</ul>", begin)])]
    assert begin < text.index('<details class="all-missing">')
    assert counts == sorted(counts, reverse=True)
    assert 0 < len(counts) <= 8


def _long(lines: int) -> str:
    """Return a CRD with so long a description."""
    described = "\n".join(["description: |-", *(f"                  line {number}" for number in range(lines))])
    return POTS.replace("              size:\n", f"              size:\n                {described}\n")


@pytest.mark.parametrize(("lines", "folded"), [(60, {24: 78}), (15, {24: 33}), (14, {})])
def test_lines_far_from_any_point_are_folded(tmp_path: Path, lines: int, folded: dict[int, int]) -> None:
    _, reader = _page(_summary(tmp_path, _long(lines)))

    of_description = {first: last for first, last in reader.folded.items() if first > 20}
    assert of_description == folded
    assert "\n".join(text for _, text in reader.lines) == _long(lines)
    assert reader.numbers == list(range(1, len(reader.lines) + 1))


def test_excluded_points_are_folded_and_counted(tmp_path: Path) -> None:
    crd = read(tmp_path)
    excluded = (read_exclusion("pots.example.com spec"),)

    text, reader = _page(summarize([crd], data.Data(), excluded))

    assert reader.folded == {17: 28}
    assert re.search("<summary>lines 17 to 28: [0-9]+ points not counted</summary>", text)
    assert [state for state, _ in reader.lines[16:28] if state] == ["out"] * 8


def test_closed_crds_are_not_rendered(tmp_path: Path) -> None:
    crds = [read(tmp_path, POTS.replace("pots", f"pots{number}"), f"{number}.yaml") for number in range(5)]

    _, alone = _page(summarize(crds[:1], data.Data()))
    _, reader = _page(summarize(crds, data.Data()))

    assert alone.drawn > len(alone.lines) - 20
    assert reader.whole > 4 * alone.whole
    assert reader.drawn < 2 * alone.drawn
    assert len(reader.lines) == 5 * len(alone.lines)


def test_the_keys_lead_through_lines_with_missing_points(tmp_path: Path) -> None:
    text, reader = _page(_summary(tmp_path))

    assert '<p id="keys" hidden>Keys: <kbd>n</kbd> goes to the next line' in text
    assert '<noscript><p class="soft">The keys need JavaScript' in text
    missing = re.search(r'data-missing="([\d ]+)"', text)
    assert missing is not None
    lines = [int(line) for line in missing[1].split()]
    assert lines == sorted({*lines})
    assert {f"c1-{line}" for line in lines} <= reader.targets
    assert [line for line, (state, _) in enumerate(reader.lines, 1) if state in {"none", "some"}] == lines


def test_a_folder_has_an_index_and_a_page_for_each_crd(tmp_path: Path) -> None:
    names = ("pots", "jars", "urns")
    crds = [read(tmp_path, POTS.replace("pots", name), f"{name}.yaml") for name in names]
    # The CRD in the middle has no missing points.
    summary = summarize(
        crds, data.Data(), (read_exclusion("jars.example.com spec"), read_exclusion("jars.example.com status"))
    )
    version_coverages = tuple(
        item
        if "jars" not in item.name
        else replace(item, counted=tuple(point for point in item.counted if point.is_left_out))
        for item in summary.versions
    )

    pages = dict(page.render_folder(replace(summary, versions=version_coverages), yamltext.block))

    assert list(pages) == [*(f"{name}.example.com.html" for name in names), "index.html"]
    read_pages = {name: _read(text) for name, text in pages.items()}
    assert read_pages["index.html"].lines == []
    assert read_pages["index.html"].links == dict.fromkeys(list(pages)[:3]) | {"pots.example.com.html": "next"}
    relations = {name: {link: by for link, by in item.links.items() if by} for name, item in read_pages.items()}
    assert relations["pots.example.com.html"] == {"urns.example.com.html": "next"}
    assert relations["jars.example.com.html"] == {"pots.example.com.html": "prev", "urns.example.com.html": "next"}
    assert relations["urns.example.com.html"] == {"pots.example.com.html": "prev"}
    for name, item in read_pages.items():
        assert "index.html" in item.links or name == "index.html"
        within = {link.removeprefix("#") for link in item.links if link.startswith("#")}
        assert within <= item.targets
        assert {link for link in item.links if not link.startswith("#")} <= pages.keys()
    assert "\n".join(text for _, text in read_pages["urns.example.com.html"].lines) == POTS.replace("pots", "urns")
    assert ">pots.example.com v1<" in pages["index.html"]


def test_the_number_of_objects_is_limited_for_all_pages_together(tmp_path: Path) -> None:
    crds = [read(tmp_path), read(tmp_path, POTS.replace("pots", "jars"), "jars.yaml")]

    summary = summarize(crds, data.Data())
    of_first = page.render(summarize(crds[:1], data.Data()), yamltext.block).count("<pre>")

    pages = dict(page.render_folder(summary, yamltext.block, most=of_first + 1))

    assert [text.count("<pre>") for text in pages.values()] == [of_first, 1, 0]
    assert ["The page has objects" in text for text in pages.values()] == [False, True, False]


def test_file_names_of_pages_are_unique() -> None:
    names = page._file_names(["index", "a/b.example.com", "A_B.example.com", "../up", "x" * 300, "a_b.example.com-2"])

    assert names == [
        "index-2.html",
        "a_b.example.com.html",
        "A_B.example.com-2.html",
        ".._up.html",
        f"{'x' * 200}.html",
        "a_b.example.com-2-2.html",
    ]
