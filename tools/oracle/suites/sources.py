"""Sources of suites, and their built tests, in the cache."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

from oracle.servers import programs
from oracle.suites.listing import Suite

_HOST: Final = "https://github.com"
_COMMIT_LENGTH: Final = 40


def check_out(suite: Suite) -> Path:
    """
    Return the folder with the source of a suite, fetched unless it is in the cache.

    Raises:
        subprocess.CalledProcessError: It cannot be fetched, or a command of the suite failed.
    """
    digest = hashlib.sha256("\0".join([suite.source, *suite.prepare]).encode()).hexdigest()[:12]
    folder = programs.cache() / "suites" / digest
    if not folder.exists():
        print(f"fetching {suite.source} …", file=sys.stderr)
        unfinished = folder.with_suffix(f".{os.getpid()}")
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        name, _, version = suite.source.partition("@")
        if len(version) == _COMMIT_LENGTH:
            _clone(name, version, unfinished)
        else:
            _copy_module(suite.source, unfinished)
        for command in suite.prepare:
            subprocess.run(shlex.split(command), cwd=unfinished, check=True, env=quiet_go())
        unfinished.rename(folder)
    return folder


def build(suite: Suite) -> Path:
    """
    Return the path of the test binary of a Go suite, built unless it is in the cache.

    Raises:
        subprocess.CalledProcessError: The source cannot be fetched, or the build failed.
    """
    folder = check_out(suite)
    # Named as `go test` names it: tests may check their name as a client.
    program = folder / ".tests" / suite.package / f"{Path(suite.package).name}.test"
    if not program.exists():
        print(f"building {suite.name} …", file=sys.stderr)
        program.parent.mkdir(parents=True, exist_ok=True)
        unfinished = program.with_suffix(".unfinished")
        command = ["go", "test", "-c", "-o", str(unfinished), f"./{suite.package}"]
        subprocess.run(command, cwd=folder, check=True, env=quiet_go())
        unfinished.rename(program)
    return program


def python(suite: Suite) -> Path:
    """
    Return the path of a Python with the requirements of a suite, installed unless they are in the cache.

    Raises:
        subprocess.CalledProcessError: A requirement cannot be installed.
    """
    digest = hashlib.sha256("\0".join([sys.version, *suite.requires]).encode()).hexdigest()[:12]
    folder = programs.cache() / "suites" / f"python-{digest}"
    if not folder.exists():
        print(f"installing {', '.join(suite.requires)} …", file=sys.stderr)
        unfinished = folder.with_suffix(f".{os.getpid()}")
        venv.create(unfinished, with_pip=True)
        subprocess.run([unfinished / "bin/python", "-m", "pip", "install", "-q", *suite.requires], check=True)
        unfinished.rename(folder)
    return folder / "bin/python"


def quiet_go() -> dict[str, str]:
    """Return the environment of a build that leaves a processor to others."""
    return {**os.environ, "GOFLAGS": "-p=2 -buildvcs=false -mod=mod", "GOTOOLCHAIN": "local"}


def _clone(name: str, commit: str, folder: Path) -> None:
    git = ["git", "-C", str(folder)]
    folder.mkdir()
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "fetch", "-q", "--depth=1", f"{_HOST}/{name}", commit], check=True)
    subprocess.run([*git, "checkout", "-q", "FETCH_HEAD"], check=True)


def _copy_module(source: str, folder: Path) -> None:
    """Copy a module out of Go's module cache, which nobody may write to."""
    command = ["go", "mod", "download", "-json", source]
    process = subprocess.run(command, check=True, capture_output=True, text=True, cwd=programs.cache())
    shutil.copytree(json.loads(process.stdout)["Dir"], folder, copy_function=shutil.copyfile)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    folder.chmod(0o755)
