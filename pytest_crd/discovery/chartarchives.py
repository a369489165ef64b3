"""CRDs in the archive of a Helm chart, which `helm pull` downloads. It is read in memory, and no template is rendered."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from pathlib import Path
from typing import BinaryIO, Final

from pytest_crd import folders
from pytest_crd.engine import ManifestError, Mistake
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin

_ENDINGS: Final = (".tgz", ".tar.gz")
# The limits of helm.
_MOST_BYTES: Final = 100 * 1024 * 1024
_LARGEST_FILE: Final = 5 * 1024 * 1024
_RENDER: Final = "render its templates: helm template --include-crds"


class _TooLargeError(Exception):
    """An archive with more bytes than helm accepts."""


class _LimitedReader:
    """Reader of decompressed bytes up to the limit of helm."""

    def __init__(self, stream: BinaryIO) -> None:
        """Create from the stream of decompressed bytes."""
        self._stream = stream
        self._rest = _MOST_BYTES

    def read(self, size: int) -> bytes:
        """
        Return the next bytes.

        Raises:
            _TooLargeError: The limit is passed.
        """
        content = self._stream.read(size)
        self._rest -= len(content)
        if self._rest < 0:
            raise _TooLargeError
        return content


def is_archive(location: str) -> bool:
    """Return whether a path ends like the archive of a chart."""
    return location.lower().endswith(_ENDINGS)


def read(path: Path, location: str, crd_files: CrdFiles) -> None:
    """
    Read the CRDs in the archive of a chart and its subcharts.

    Args:
        path: The archive.
        location: Its name in messages.
        crd_files: Takes the CRDs.

    Raises:
        ManifestError: The file is no archive, is too large, or has no CRD.
    """
    try:
        with gzip.open(path) as stream, tarfile.open(fileobj=_LimitedReader(stream), mode="r|") as archive:  # type: ignore[call-overload, arg-type] # only `read` is called
            for member in archive:
                if member.isfile() and folders.is_manifest(member.name):
                    _read_member(archive, member, location, crd_files)
    except _TooLargeError:
        raise ManifestError([Mistake(location, 0, "has more than 100 MiB, which helm refuses")]) from None
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise ManifestError([Mistake(location, 0, f"cannot be read as the archive of a chart: {error}")]) from None
    if not crd_files.crds and not crd_files.mistakes:
        message = f"no CustomResourceDefinition in the archive; {_RENDER} {location} > FILE"
        raise ManifestError([Mistake(location, 0, message)])


def _read_member(archive: tarfile.TarFile, member: tarfile.TarInfo, location: str, crd_files: CrdFiles) -> None:
    source = f"{location}/{member.name}"
    if member.size > _LARGEST_FILE:
        crd_files.mistakes.append(Mistake(source, 0, "is larger than 5 MiB, which helm refuses"))
        return
    file = archive.extractfile(member)
    assert file is not None  # noqa: S101 - the member is a file
    crd_files.take(file.read(), source=source, origin=FileOrigin.GIVEN)
