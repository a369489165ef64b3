"""Recorded case files of other Kubernetes versions: noted as equal, or written as files of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from conformance import casefile

from oracle.servers.versions import minor
from pytest_crd.engine.jsonvalue import JSONValue

Recorded = dict[str, JSONValue]


def files(
    originals: Sequence[casefile.CaseFile], contents: Sequence[Recorded], version: str, folder: Path
) -> Iterator[tuple[Path, Recorded]]:
    """
    Yield paths with the content to write; empty content means that the file has to be removed.

    Args:
        originals: The case files, recorded with their own versions.
        contents: The same files with the answers of the other version.
        version: The other version.
        folder: The folder of all versions.
    """
    for file, content in zip(originals, contents, strict=True):
        # Read again, because a run with another version may have written it.
        original_content = casefile.read(file.path).content
        versions = {*original_content.get("alike", ())} - {version}
        own = folder.joinpath(version, *file.path.parts[-2:])
        if _facts(content, version) == _facts(original_content, version):
            versions.add(version)
            if own.exists() and casefile.read(own).content["name"] == original_content["name"]:
                yield own, {}
        else:
            yield own, _with_gaps(content, casefile.read(own).content if own.exists() else original_content)
        sorted_versions = sorted(versions, key=minor)
        yield file.path, _without(original_content, "alike") | ({"alike": sorted_versions} if sorted_versions else {})


def _facts(content: Mapping[str, JSONValue], version: str) -> list[Recorded]:
    """Return the answers, without warnings about unknown fields if servers of *version* do not give them."""
    answers = [content["answer"], *(request["answer"] for request in content.get("requests", ()))]
    return answers if casefile.warns(version) else [casefile.without_field_warnings(answer) for answer in answers]


def _with_gaps(content: Recorded, existing: Mapping[str, JSONValue]) -> Recorded:
    """Return *content* with the known gaps of the existing file instead of its own."""
    gaps = {request["name"]: request["gap"] for request in existing.get("requests", ()) if "gap" in request}
    whole = _without(_without(content, "alike"), "gap") | {key: existing[key] for key in ("gap",) if key in existing}
    if "requests" in whole:
        whole["requests"] = [
            _without(request, "gap") | ({"gap": gaps[request["name"]]} if request["name"] in gaps else {})
            for request in whole["requests"]
        ]
    return whole


def _without(content: Mapping[str, JSONValue], removed: str) -> Recorded:
    return {key: value for key, value in content.items() if key != removed}
