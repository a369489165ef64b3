"""Files with recorded conversations; the newest version notes the others with an equal recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from conformance import sharedparts, webhookconversations

from oracle.recorders import files
from oracle.servers.versions import NEWEST
from pytest_crd.engine.jsonvalue import JSONValue


def write(find_path: Callable[[str], Path], version: str, lines: dict[str, JSONValue], *, check: bool) -> int:
    """
    Write a recording, and return the number of changed files.

    Args:
        find_path: Returns the path of the recording of a version.
        version: The Kubernetes version.
        lines: The recorded lines by the name of the conversation.
        check: Whether only the names of changed files are printed.
    """
    path, newest = find_path(version), find_path(NEWEST)
    path.parent.mkdir(exist_ok=True)
    existing = webhookconversations.recorded(newest)
    if version == NEWEST:
        versions = {name: line.get("alike", []) for name, line in existing.items()}
        text = sharedparts.write([{**line, **_noted(versions.get(name, []))} for name, line in lines.items()])
        return files.keep(path, text, check=check)
    different = []
    for name, line in lines.items():
        stored = existing[name]
        is_equal = {key: value for key, value in stored.items() if key != "alike"} == line
        others = sorted(({*stored.get("alike", [])} - {version}) | ({version} if is_equal else set()))
        existing[name] = {**{key: value for key, value in stored.items() if key != "alike"}, **_noted(others)}
        different += [] if is_equal else [line]
    changed = files.keep(newest, sharedparts.write([*existing.values()]), check=check)
    if not different and not path.exists():
        return changed
    return changed + files.keep(path, sharedparts.write(different), check=check)


def _noted(versions: Sequence[str]) -> dict[str, JSONValue]:
    return {"alike": list(versions)} if versions else {}
