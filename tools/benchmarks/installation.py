"""
Sessions of pytest in an environment of its own, with the package as a wheel installs it, counted in function calls.

The environment holds the package and its dependencies alone, in the versions of the running environment. Counts are those of
`sys.setprofile`: calls of functions in Python and C. They do not depend on the load of the machine.
"""

from __future__ import annotations

import compileall
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sysconfig
import venv
from collections.abc import Sequence
from importlib.metadata import Distribution
from pathlib import Path
from typing import Final, NamedTuple

import pytest_crd

_PACKAGE: Final = Path(pytest_crd.__file__).parent
_DISTRIBUTION: Final = "pytest-crd"
_NAME: Final = re.compile(r"[\w.-]+")
_PROGRAM: Final = """\
import json, sys
import pytest

calls = 0

def count(_frame, event, _argument):
    global calls
    calls += event == "call" or event == "c_call"

*arguments, result = sys.argv[1:]
sys.setprofile(count)
status = pytest.main(arguments)
sys.setprofile(None)
modules = sum(name.partition(".")[0] == "pytest_crd" for name in sys.modules)
with open(result, "w") as file:
    json.dump([calls, modules, int(status)], file)
"""


class Count(NamedTuple):
    """
    The cost of a session.

    Attributes:
        calls: The function calls of its main thread.
        modules: The imported modules of the package.
    """

    calls: int
    modules: int


class Installation:
    """
    An environment with the package.

    Attributes:
        rows: The number of rows of the package's RECORD.
        modules: The number of its modules.
    """

    def __init__(self, folder: Path) -> None:
        """Create it in an empty folder."""
        self._folder = folder
        venv.create(folder / "environment", with_pip=False, symlinks=True)
        schemes = {"base": str(folder / "environment"), "platbase": str(folder / "environment")}
        self._packages = Path(sysconfig.get_path("purelib", "venv", schemes))
        self._python = Path(sysconfig.get_path("scripts", "venv", schemes), "python")
        own = importlib.metadata.distribution(_DISTRIBUTION)
        for distribution in _requirements(own):
            _copy(distribution, self._packages)
        self.rows = _install(own, self._packages)
        self.modules = len(list((self._packages / _PACKAGE.name).rglob("*.py")))

    def count(self, project: Path, *arguments: str, writes_bytecode: bool = True) -> Count:
        """
        Return the cost of a session.

        Args:
            project: The folder of the session.
            arguments: The arguments of pytest.
            writes_bytecode: Whether the session reads and writes bytecode of rewritten modules. If so, it runs twice, and the second
                run counts.

        Raises:
            ValueError: The session fails.
        """
        if not writes_bytecode:
            for path in self._packages.rglob("*-pytest-*.pyc"):
                path.unlink()
        for _ in range(2 if writes_bytecode else 1):
            counted = self._count(project, arguments, {} if writes_bytecode else {"PYTHONDONTWRITEBYTECODE": "1"})
        return counted

    def _count(self, project: Path, arguments: Sequence[str], environment: dict[str, str]) -> Count:
        result = self._folder / "count.json"
        command = [str(self._python), "-c", _PROGRAM, "-q", "-p", "no:cacheprovider", *arguments, str(result)]
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "CRD"))
        }
        done = subprocess.run(
            command,
            cwd=project,
            env={**inherited, "PYTHONHASHSEED": "0", **environment},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        calls, modules, status = json.loads(result.read_text(encoding="utf-8"))
        if status:
            raise ValueError(f"{project}: pytest {' '.join(arguments)} ends with {status}:\n{done.stdout}{done.stderr}")
        return Count(calls, modules)


def _requirements(distribution: Distribution) -> list[Distribution]:
    """Return the distributions that *distribution* needs without extras, directly or not."""
    distributions: dict[str, Distribution] = {}
    waiting = [distribution]
    while waiting:
        for requirement in waiting.pop().requires or ():
            text, _, marker = requirement.partition(";")
            name = _NAME.match(text)
            if name is None or (marker.strip() and not _holds(marker)) or name[0] in distributions:
                continue
            distributions[name[0]] = importlib.metadata.distribution(name[0])
            waiting.append(distributions[name[0]])
    return list(distributions.values())


def _holds(marker: str) -> bool:
    from packaging.markers import Marker  # a requirement of pytest

    return bool(Marker(marker).evaluate({"extra": ""}))


def _copy(distribution: Distribution, folder: Path) -> None:
    """Copy the files of a distribution that are in its folder of packages."""
    for file in distribution.files or ():
        if not {"..", "__pycache__"} & {*file.parts}:
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(file.locate()), target)


def _install(own: Distribution, folder: Path) -> int:
    """Install the package as pip does with a wheel, and compile all modules; return the number of rows of RECORD."""
    shutil.copytree(_PACKAGE, folder / _PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(folder, quiet=2)
    metadata = folder / f"{_PACKAGE.name}-{own.version}.dist-info"
    metadata.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        (metadata / name).write_text(own.read_text(name) or "", encoding="utf-8")
    files = [path for path in (folder / _PACKAGE.name).rglob("*") if path.is_file()]
    rows = [path.relative_to(folder).as_posix() for path in (*files, *metadata.iterdir(), metadata / "RECORD")]
    (metadata / "RECORD").write_text("".join(f"{row},,\n" for row in sorted(rows)), encoding="utf-8")
    return len(rows)
