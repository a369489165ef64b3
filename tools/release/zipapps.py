"""Zipapps: one file for each platform, which every supported version of Python runs without an installation."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

# The tags of wheels that each platform takes, best first.
PLATFORMS: Final = {
    "linux-x86_64": (
        "manylinux_2_28_x86_64",
        "manylinux_2_27_x86_64",
        "manylinux_2_17_x86_64",
        "manylinux2014_x86_64",
    ),
    "linux-aarch64": (
        "manylinux_2_28_aarch64",
        "manylinux_2_27_aarch64",
        "manylinux_2_17_aarch64",
        "manylinux2014_aarch64",
    ),
    "macos-arm64": ("macosx_14_0_arm64", "macosx_12_0_arm64", "macosx_11_0_arm64"),
}
PROGRAM: Final = "pytest-crd"
PLUGIN: Final = "kubectl-crd"


def build_zipapp(wheel: Path, platform: str, versions: Iterable[str], folder: Path) -> Path:
    """
    Build the zipapp of a platform and return its path.

    The compiled modules of several Python versions have different names, so one file holds them all.

    Args:
        wheel: the wheel of the project
        platform: a key of `PLATFORMS`
        versions: the Python versions that run the file, such as "3.11"
        folder: the folder of the file

    Raises:
        SystemExit: A dependency has no wheel for the platform, or the versions of Python need different releases of one.
    """
    target = folder / f"{PROGRAM}-{wheel.name.split('-')[1]}-{platform}.pyz"
    with tempfile.TemporaryDirectory() as path:
        packages = Path(path) / "packages"
        for version in versions:
            own = Path(path) / version
            _install(wheel, platform, version, own)
            _merge(own, packages, version)
        words = ["--site-packages", packages, "--console-script", PROGRAM, "--python", "/usr/bin/env python3"]
        _run("shiv", *words, "--reproducible", "--output-file", target)
    return target


def archive_plugin(zipapp: Path, licences: Iterable[Path], folder: Path) -> Path:
    """Write the archive that krew unpacks, with the zipapp as a plugin of kubectl, and return its path."""
    target = folder / zipapp.with_suffix(".tar.gz").name.replace(PROGRAM, PLUGIN, 1)
    with tarfile.open(target, "w:gz") as archive:
        archive.add(zipapp, PLUGIN)
        for licence in licences:
            archive.add(licence, licence.name)
    return target


def _install(wheel: Path, platform: str, version: str, folder: Path) -> None:
    tags = [word for tag in PLATFORMS[platform] for word in ("--platform", tag)]
    words = ["install", "--quiet", "--no-compile", "--only-binary=:all:", "--target", folder]
    _run("pip", *words, "--python-version", version, *tags, wheel)
    shutil.rmtree(folder / "bin")


def _merge(source: Path, target: Path, version: str) -> None:
    """Copy the packages for one Python version beside those for the others."""
    releases = [{path.name for path in folder.glob("*.dist-info")} for folder in (source, target)]
    if target.exists() and releases[0] != releases[1]:
        differences = ", ".join(sorted(releases[0] ^ releases[1]))
        sys.exit(f"Python {version} needs other releases than the versions before: {differences}")
    shutil.copytree(source, target, dirs_exist_ok=True)


def _run(module: str, *arguments: object) -> None:
    done = subprocess.run([sys.executable, "-m", module, *map(str, arguments)], check=False)
    if done.returncode:
        sys.exit(f"{module} has failed")
