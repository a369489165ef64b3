"""`python -m release DISTRIBUTIONS FILES`: write the files of a release beside the wheel and the sdist."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Final

from release import manifests, zipapps

_ROOT: Final = Path(__file__).parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Write the files, print their names, and return 0."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("distributions", type=Path, help="the folder with one wheel and one sdist")
    parser.add_argument("files", type=Path, help="the folder of the other files; it is made if it is missing")
    parser.add_argument(
        "--platform", action="append", choices=zipapps.PLATFORMS, help="a platform of the zipapps; by default all"
    )
    options = parser.parse_args(arguments)
    project: dict[str, Any] = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version: str = project["version"]
    wheel = _find(options.distributions, f"pytest_crd-{version}-*.whl")
    sdist = _find(options.distributions, f"pytest_crd-{version}.tar.gz")
    folder: Path = options.files
    folder.mkdir(parents=True, exist_ok=True)
    text = manifests.release_text((_ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    licences = [_ROOT / "LICENSE", _ROOT / "NOTICE"]
    programs = {
        platform: zipapps.build_zipapp(wheel, platform, pythons, folder)
        for platform in options.platform or zipapps.PLATFORMS
    }
    plugins = {platform: zipapps.archive_plugin(program, licences, folder) for platform, program in programs.items()}
    _write_sbom(wheel, folder / f"pytest-crd-{version}.cdx.json")
    written = {
        "crd.yaml": manifests.krew_text(version, plugins),
        "pytest-crd.rb": manifests.homebrew_text(version, programs),
        "release.md": text,
    }
    for name, content in written.items():
        (folder / name).write_text(content, encoding="utf-8")
    listed = [wheel, sdist, *(path for path in folder.iterdir() if path.name not in {"SHA256SUMS", "release.md"})]
    (folder / "SHA256SUMS").write_text(manifests.checksums_text(listed), encoding="utf-8")
    sys.stdout.write("".join(f"{path.name}  {path.stat().st_size:,} bytes\n" for path in sorted(folder.iterdir())))
    return 0


def _find(folder: Path, pattern: str) -> Path:
    files = list(folder.glob(pattern))
    if len(files) != 1:
        sys.exit(f"{folder} has {len(files)} files {pattern}: `python -m build --outdir {folder}` makes one")
    return files[0]


def _write_sbom(wheel: Path, target: Path) -> None:
    """Write a bill of materials of the packages that an installation of the wheel has."""
    with tempfile.TemporaryDirectory() as path:
        python = Path(path) / "bin/python"
        bom = [sys.executable, "-m", "cyclonedx_py", "environment", python, "--pyproject", _ROOT / "pyproject.toml"]
        for command in (
            [sys.executable, "-m", "venv", path],
            [python, "-m", "pip", "install", "--quiet", "--no-compile", wheel],
            [python, "-m", "pip", "uninstall", "--quiet", "--yes", "pip", "setuptools"],
            [*bom, "--output-reproducible", "--output-file", target],
        ):
            subprocess.run([str(word) for word in command], check=True)


if __name__ == "__main__":
    sys.exit(main())
