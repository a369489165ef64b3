"""What runs have reached, as it travels between processes and is kept in a file for later runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_crd.coverage.collector import Collector, Reached
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.yaml import manifest

FORMAT: Final = 2


class DataError(ValueError):
    """A file that does not hold what runs have reached; the message says why, and what to do."""


@dataclass(slots=True)
class Record:
    """
    What was reached of a CRD.

    Attributes:
        name: The CRD.
        file: The file that it was read from; empty where a command has printed it.
        versions: What was reached, by the name of the version.
    """

    name: str
    file: str
    versions: dict[str, Reached] = field(default_factory=dict)


class Data(dict[str, Record]):
    """What was reached, by the digest of the CRD: of one that was changed nothing is known."""

    def add(self, others: Data) -> None:
        """Add what others have reached."""
        for digest, record in others.items():
            own = self.setdefault(digest, Record(record.name, record.file))
            for version, reached in record.versions.items():
                own.versions.setdefault(version, Reached()).add(reached)

    def of(self, digest: str, version: str) -> Reached:
        """Return what was reached of a version."""
        record = self.get(digest)
        return record.versions.get(version, Reached()) if record else Reached()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "format": FORMAT,
            "crds": [
                {
                    "name": record.name,
                    "file": record.file,
                    "digest": digest,
                    "versions": {
                        name: {
                            "requests": one.requests,
                            "held": sorted(one.held),
                            "seen": sorted(one.points - one.held),
                        }
                        for name, one in sorted(record.versions.items())
                    },
                }
                for digest, record in sorted(self.items(), key=lambda item: (item[1].name, item[1].file, item[0]))
            ],
        }


def of_collector(collector: Collector, root: Path) -> Data:
    """
    Return what *collector* has collected of CRDs that were read; what a test makes up itself is its own.

    Args:
        collector: The collector.
        root: The folder to which files are relative that are below it.
    """
    data = Data()
    for crd in collector.crds.values():
        if crd.written is None:
            continue
        path = "" if crd.written.path is None else manifest.name_of(crd.written.path.resolve(), root.resolve())
        versions = {version.name: collector.of(version) for version in crd.versions}
        asked = {name: one for name, one in versions.items() if one.requests}
        data.add(Data({digest_of(crd): Record(crd.name, path, asked)}))
    return data


def digest_of(crd: CustomResourceDefinition) -> str:
    """Return what changes with what *crd*, which was read, declares; comments and the order of keys do not count."""
    assert crd.written is not None  # noqa: S101
    text = json.dumps([crd.name, crd.written.manifest.value["spec"]], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def from_json(value: Any) -> Data:
    """
    Return what *value* holds.

    Raises:
        DataError: It is of another format.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise DataError(f"its format is not {FORMAT}")
    try:
        return Data(_records(value["crds"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"it is broken ({type(error).__name__}: {error})") from None


def _records(crds: Iterable[Any]) -> Iterator[tuple[str, Record]]:
    for one in crds:
        versions = {str(name): _reached(reached) for name, reached in one["versions"].items()}
        yield str(one["digest"]), Record(str(one["name"]), str(one["file"]), versions)


def _reached(one: Any) -> Reached:
    held, seen = (set(map(str, one[state])) for state in ("held", "seen"))
    return Reached(int(one["requests"]), held | seen, held)


def read(path: Path) -> Data:
    """
    Return what the file at *path* holds; nothing where there is none.

    Raises:
        DataError: It cannot be read.
    """
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return Data()
    except OSError as error:
        raise DataError(f"it cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DataError(f"it is no JSON ({error})") from None
    return from_json(value)
