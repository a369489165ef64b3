"""Where another Kubernetes version answers a case file alike, and where it gets a file of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance import casefile

from oracle.servers.versions import minor

JSONValue = Any
Recorded = dict[str, JSONValue]


def files(
    asked: Sequence[casefile.CaseFile], contents: Sequence[Recorded], version: str, folder: Path
) -> Iterator[tuple[Path, Recorded]]:
    """
    Yield what is to be written where, nothing where a file is to be gone.

    Args:
        asked: The case files, recorded on their own versions.
        contents: The same with the answers of the other version.
        version: The other version.
        folder: The folder of all versions.
    """
    for file, content in zip(asked, contents, strict=True):
        # Anew, for a run that asks another version may have written it.
        known = casefile.read(file.path).content
        versions = {*known.get("alike", ())} - {version}
        own = folder.joinpath(version, *file.path.parts[-2:])
        if _facts(content, version) == _facts(known, version):
            versions.add(version)
            if own.exists() and casefile.read(own).content["name"] == known["name"]:
                yield own, {}
        else:
            yield own, _with_gaps(content, casefile.read(own).content if own.exists() else known)
        listed = sorted(versions, key=minor)
        yield file.path, _without(known, "alike") | ({"alike": listed} if listed else {})


def _facts(content: Mapping[str, JSONValue], version: str) -> list[Recorded]:
    """Return the answers; without the warnings about fields where the servers of *version* do not check these."""
    answers = [content["answer"], *(request["answer"] for request in content.get("requests", ()))]
    return answers if casefile.warns(version) else [casefile.without_field_warnings(answer) for answer in answers]


def _with_gaps(content: Recorded, kept: Mapping[str, JSONValue]) -> Recorded:
    """Return *content* with the gaps of the file that is there already in place of its own."""
    gaps = {request["name"]: request["gap"] for request in kept.get("requests", ()) if "gap" in request}
    whole = _without(_without(content, "alike"), "gap") | {key: kept[key] for key in ("gap",) if key in kept}
    if "requests" in whole:
        whole["requests"] = [
            _without(request, "gap") | ({"gap": gaps[request["name"]]} if request["name"] in gaps else {})
            for request in whole["requests"]
        ]
    return whole


def _without(content: Mapping[str, JSONValue], gone: str) -> Recorded:
    return {key: value for key, value in content.items() if key != gone}
