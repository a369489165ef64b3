"""
Warnings about files of a volume that overlap.

Reference:
    kubernetes pkg/api/pod/warnings.go, warningsForOverlappingVirtualPaths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.server.builtin.validation.pods.podfields import Object

_OUTPUTS: Final = (
    ("certificateChainPath", "PodCertificate chain"),
    ("keyPath", "PodCertificate key"),
    ("credentialBundlePath", "PodCertificate credential bundle"),
)
_Files = Iterable[tuple[str, str]]


def find(volumes: Sequence[Object]) -> Iterator[str]:
    """Yield the warnings about all volumes."""
    for volume in volumes:
        name = printing.quote(volume.get("name") or "")
        for kind, called, name_field in (
            ("configMap", "ConfigMap ", "name"),
            ("secret", "Secret ", "secretName"),
            ("downwardAPI", "DownwardAPI", ""),
        ):
            source = volume.get(kind)
            if source is None:
                continue
            label = called + (printing.quote(source.get(name_field) or "") if name_field else "")
            for overlap in _find_overlaps(_paths(source, "")):
                yield f"volume {name} ({label}): overlapping paths: {overlap}"
        yield from _find_projected(volume, name)


def _find_projected(volume: Object, name: str) -> Iterator[str]:
    files: list[tuple[str, str]] = []
    for source in (volume.get("projected") or {}).get("sources") or ():
        if not source:
            yield f"volume {name} (Projected) has no sources provided"
            continue
        own = [*_files_of(source)]
        overlaps = [*_find_overlaps(own, files)]
        yield from (f"volume {name} (Projected): overlapping paths: {overlap}" for overlap in overlaps)


def _files_of(source: Object) -> _Files:
    """Return path and name of each file of a source."""
    for kind, called in (("configMap", "ConfigMap"), ("secret", "Secret")):
        own = source.get(kind)
        if own is not None and own.get("items"):
            return _paths(own, f"{called} {printing.quote(own.get('name') or '')}")
    if (source.get("downwardAPI") or {}).get("items"):
        return _paths(source["downwardAPI"], "DownwardAPI")
    if source.get("serviceAccountToken") is not None:
        return [(source["serviceAccountToken"].get("path") or "", "ServiceAccountToken")]
    if source.get("clusterTrustBundle") is not None:
        bundle = source["clusterTrustBundle"]
        signer = bundle.get("signerName") or ""
        name = bundle["name"] if bundle.get("name") is not None else signer
        return [(bundle.get("path") or "", f"ClusterTrustBundle {printing.quote(name)}")]
    certificate = source.get("podCertificate") or {}
    return [(certificate[field], called) for field, called in _OUTPUTS if certificate.get(field)]


def _paths(source: Object, called: str) -> _Files:
    return [(item.get("path") or "", called) for item in source.get("items") or ()]


def _find_overlaps(files: _Files, before: list[tuple[str, str]] | None = None) -> Iterator[str]:
    """Yield the overlaps of files with those before them, which are extended."""
    earlier = [] if before is None else before
    for path, called in files:
        own = path.rstrip("/")
        for second, second_name in earlier:
            if own and second and (_is_below(own, second) or _is_below(second, own)):
                yield f"{_describe(own, called)} with {_describe(second, second_name)}"
        earlier.append((own, called))


def _is_below(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder}/")


def _describe(path: str, called: str) -> str:
    return f"{printing.quote(path)} ({called})" if called else printing.quote(path)
