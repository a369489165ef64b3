"""Manifests of package managers, and the text of a release: made from the names and checksums of its files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import yaml

HOME: Final = "https://github.com/pytest-crd/pytest-crd"
_SUMMARY: Final = "Test CustomResourceDefinitions offline"
_DESCRIPTION: Final = (
    "Checks CustomResourceDefinitions, samples and upgrades without a cluster, with the answers of the API server.\n"
)
_CAVEATS: Final = "Needs Python 3.11 or newer as `python3`.\n"
# The labels of krew for each platform, and the condition of a Homebrew formula.
_KREW: Final = {
    "linux-x86_64": {"os": "linux", "arch": "amd64"},
    "linux-aarch64": {"os": "linux", "arch": "arm64"},
    "macos-arm64": {"os": "darwin", "arch": "arm64"},
}
_HOMEBREW: Final = {
    "linux-x86_64": "OS.linux? && Hardware::CPU.intel?",
    "linux-aarch64": "OS.linux? && Hardware::CPU.arm?",
    "macos-arm64": "OS.mac? && Hardware::CPU.arm?",
}


def checksum(file: Path) -> str:
    """Return the SHA-256 digest of a file, in hexadecimal digits."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def checksums_text(files: Iterable[Path]) -> str:
    """Return the lines that `sha256sum --check` reads."""
    return "".join(f"{checksum(file)}  {file.name}\n" for file in sorted(files, key=lambda file: file.name))


def krew_text(version: str, archives: Mapping[str, Path]) -> str:
    """Return the manifest of krew, in YAML; the keys of `archives` are platforms."""
    platforms = [
        {
            "selector": {"matchLabels": _KREW[platform]},
            "uri": _address(version, archive),
            "sha256": checksum(archive),
            "bin": "kubectl-crd",
        }
        for platform, archive in archives.items()
    ]
    plugin = {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": "crd"},
        "spec": {
            "version": f"v{version}",
            "homepage": HOME,
            "shortDescription": _SUMMARY,
            "description": _DESCRIPTION,
            "caveats": _CAVEATS,
            "platforms": platforms,
        },
    }
    text: str = yaml.safe_dump(plugin, sort_keys=False)
    return text


def homebrew_text(version: str, zipapps: Mapping[str, Path]) -> str:
    """Return the formula of Homebrew, in Ruby; the keys of `zipapps` are platforms."""
    choices = "\n".join(
        f'  {"if" if number == 0 else "elsif"} {_HOMEBREW[platform]}\n    url "{_address(version, file)}"\n    sha256 "{checksum(file)}"'
        for number, (platform, file) in enumerate(zipapps.items())
    )
    return f"""class PytestCrd < Formula
  desc "{_SUMMARY}"
  homepage "{HOME}"
  version "{version}"
  license "Apache-2.0"
{choices}
  end

  depends_on "python@3.13"

  def install
    libexec.install Dir["*.pyz"].first => "pytest-crd.pyz"
    (bin/"pytest-crd").write <<~SH
      #!/bin/sh
      exec "#{{Formula["python@3.13"].opt_bin}}/python3.13" "#{{libexec}}/pytest-crd.pyz" "$@"
    SH
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/pytest-crd --version")
  end
end
"""


def release_text(changelog: str, version: str) -> str:
    """
    Return the section of the changelog about a version, without its heading.

    Raises:
        SystemExit: The changelog has no such section, or it is empty.
    """
    section = re.search(rf"^## {re.escape(version)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE)
    if section is None or not section[1].strip():
        raise SystemExit(f"CHANGELOG.md: no section for {version}: write `## {version} (DATE)` and the changes")
    target = f"{HOME}/blob/v{version}/"
    return re.sub(r"\]\((?!https?://|#)", f"]({target}", section[1].strip()) + "\n"


def _address(version: str, file: Path) -> str:
    return f"{HOME}/releases/download/v{version}/{file.name}"
