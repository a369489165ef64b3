"""
The Go programs, built if they are missing.

The first build of a program for a Kubernetes version fetches modules from a Go module proxy and takes one to three
minutes. The binaries are cached in `$CRD_ORACLE_CACHE` (default: `~/.cache/crd-oracle`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from oracle.servers.versions import PREVIEWS, minor

SOURCES: Final = Path(__file__).parents[1]
REFERENCE: Final = SOURCES / "reference"


def cache() -> Path:
    """Return the folder of the binaries and of the servers' logs, after creating it if necessary."""
    folder = Path(os.environ.get("CRD_ORACLE_CACHE", "") or Path.home() / ".cache" / "crd-oracle")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def build(name: str, module: Path, *arguments: str) -> Path:
    """
    Return the path of a binary, built from a Go module unless it is in the cache.

    Args:
        name: The file name in the cache.
        module: The folder of the go.mod.
        arguments: Further arguments of `go build -o …`: flags and the package.

    Raises:
        subprocess.CalledProcessError: The build failed; the compiler's messages are on stderr.
    """
    binary = cache() / name
    if not binary.exists():
        print(f"building {name} …", file=sys.stderr)
        unfinished = binary.with_name(f"{name}.{os.getpid()}")
        subprocess.run(["go", "build", "-o", str(unfinished), *arguments], cwd=module, check=True)
        unfinished.rename(binary)
    return binary


def build_for_version(program: str, version: str) -> Path:
    """
    Return the path of a program of `reference/`, linked with the reference of a Kubernetes *version*.

    The build tags `before_1_35` and `before_1_22` select the signatures of the reference in its sources, and `preview` selects a
    reference without apiextensions-apiserver.
    """
    name = f"server-{version}" if program == "apiserver" else f"{program}-{version}"
    tags = [f"before_1_{number}" for number in (35, 22) if minor(version) < number]
    overlay = []
    if version in PREVIEWS:
        tags.append("preview")
        overlay.append(f"-overlay={_rename_cel(program, version)}")
    return build(name, REFERENCE, f"-modfile=k8s-{version}.mod", f"-tags={','.join(tags)}", *overlay, f"./{program}")


def _rename_cel(program: str, version: str) -> Path:
    """Return the path of an overlay in which the sources of a *program* import cel-go by its name since 0.33."""
    folder = cache() / f"{program}-{version}-sources"
    folder.mkdir(exist_ok=True)
    replaced = {}
    for source in (REFERENCE / program).glob("*.go"):
        renamed = folder / source.name
        renamed.write_text(source.read_text("utf-8").replace('"github.com/google/cel-go/', '"cel.dev/cel-go/'), "utf-8")
        replaced[str(source)] = str(renamed)
    overlay = folder / "overlay.json"
    overlay.write_text(json.dumps({"Replace": replaced}), "utf-8")
    return overlay
