"""
The programs in Go, built where they are not there yet.

The first build of one for a Kubernetes version fetches modules from a Go module proxy and takes one to three minutes; the binaries are
kept in `$CRD_ORACLE_CACHE` (default: `~/.cache/crd-oracle`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from oracle.servers.versions import minor

SOURCES: Final = Path(__file__).parents[1]
REFERENCE: Final = SOURCES / "reference"


def cache() -> Path:
    """Return the folder of the binaries and of the servers' logs, made where it is missing."""
    folder = Path(os.environ.get("CRD_ORACLE_CACHE", "") or Path.home() / ".cache" / "crd-oracle")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def built(name: str, module: Path, *arguments: str) -> Path:
    """
    Return the binary *name*, built from the Go module in the folder *module* where the cache does not hold it.

    Args:
        name: File name in the cache.
        module: Folder of a go.mod.
        arguments: What follows `go build -o …`: flags and the package.

    Raises:
        subprocess.CalledProcessError: The build failed; the compiler's words are on stderr.
    """
    binary = cache() / name
    if not binary.exists():
        print(f"building {name} …", file=sys.stderr)
        unfinished = binary.with_name(f"{name}.{os.getpid()}")
        subprocess.run(["go", "build", "-o", str(unfinished), *arguments], cwd=module, check=True)
        unfinished.rename(binary)
    return binary


def of_version(program: str, version: str) -> Path:
    """
    Return the binary of a *program* in `reference/`, linked with the reference of a Kubernetes *version*.

    Its sources tell by the build tags `before_1_35` and `before_1_22` which signatures the reference has.
    """
    name = f"server-{version}" if program == "apiserver" else f"{program}-{version}"
    tags = ",".join(f"before_1_{other}" for other in (35, 22) if minor(version) < other)
    return built(name, REFERENCE, f"-modfile=k8s-{version}.mod", f"-tags={tags}", f"./{program}")
