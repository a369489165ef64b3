"""Coverage data: the reached points of runs, in a form for other processes and for files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_crd.boundary import ProjectBoundary
from pytest_crd.coverage.collector import Collector, Reached
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.yaml import manifest

FORMAT: Final = 2


class DataError(ValueError):
    """The coverage data of a file is unusable; the message has the reason and a remedy."""


@dataclass(slots=True)
class Record:
    """
    The reached points of a CRD.

    Attributes:
        name: The name of the CRD.
        file: The file of the CRD; empty if a command printed it.
        versions: The reached points by version name.
    """

    name: str
    file: str
    versions: dict[str, Reached] = field(default_factory=dict)


class Data(dict[str, Record]):
    """Reached points by the digest of the CRD; a changed CRD starts without any."""

    def add(self, others: Data) -> None:
        """Add the points of *others*."""
        for digest, record in others.items():
            own = self.setdefault(digest, Record(record.name, record.file))
            for version, reached in record.versions.items():
                own.versions.setdefault(version, Reached()).add(reached)

    def find(self, digest: str, version: str) -> Reached:
        """Return the reached points of a version; no points if the digest is unknown."""
        record = self.get(digest)
        return record.versions.get(version, Reached()) if record else Reached()

    def to_json(self) -> dict[str, Any]:
        """Return the data as a JSON value."""
        return {
            "format": FORMAT,
            "crds": [
                {
                    "name": record.name,
                    "file": record.file,
                    "digest": digest,
                    "versions": {
                        name: {
                            "requests": reached.requests,
                            "held": sorted(reached.held),
                            "seen": sorted(reached.points - reached.held),
                        }
                        for name, reached in sorted(record.versions.items())
                    },
                }
                for digest, record in sorted(self.items(), key=lambda item: (item[1].name, item[1].file, item[0]))
            ],
        }


def export_collector(collector: Collector, root: Path) -> Data:
    """
    Return the data of *collector* for CRDs that were read; CRDs that a test builds itself are left out.

    Args:
        collector: The collector.
        root: The folder; file names below it are relative to it.
    """
    data = Data()
    for crd in collector.crds.values():
        if crd.written is None:
            continue
        path = "" if crd.written.path is None else manifest.name_of(crd.written.path.resolve(), root.resolve())
        versions = {version.name: collector.snapshot(version) for version in crd.versions}
        requested = {name: reached for name, reached in versions.items() if reached.requests}
        data.add(Data({compute_digest(crd): Record(crd.name, path, requested)}))
    return data


def compute_digest(crd: CustomResourceDefinition) -> str:
    """Return a digest of the declared name and spec of *crd*, which must have been read; comments and key order do not count."""
    assert crd.written is not None  # noqa: S101
    text = json.dumps([crd.name, crd.written.manifest.value["spec"]], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def from_json(value: Any) -> Data:
    """
    Return the data from a JSON value.

    Raises:
        DataError: The value has another format.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise DataError(f"its format is not {FORMAT}")
    try:
        return Data(_records(value["crds"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"it is broken ({type(error).__name__}: {error})") from None


def _records(crds: Iterable[Any]) -> Iterator[tuple[str, Record]]:
    for crd in crds:
        versions = {str(name): _reached(reached) for name, reached in crd["versions"].items()}
        yield str(crd["digest"]), Record(str(crd["name"]), str(crd["file"]), versions)


def _reached(value: Any) -> Reached:
    held_ids, seen_ids = (set(map(str, value[state])) for state in ("held", "seen"))
    return Reached(int(value["requests"]), held_ids | seen_ids, held_ids)


def read(path: Path) -> Data:
    """
    Return the data of the file at *path*; empty data if there is no file.

    Raises:
        DataError: The file cannot be read.
    """
    try:
        value = json.loads(ProjectBoundary(path.parent).read(path))
    except FileNotFoundError:
        return Data()
    except OSError as error:
        raise DataError(f"it cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DataError(f"it is no JSON ({error})") from None
    return from_json(value)
