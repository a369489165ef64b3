"""The layout of the repository: folders of tests mirror the package, import contracts name every module, class names are unique."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from oracle import cli

from pytest_crd.engine import profile

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "pytest_crd"
TESTS: Final = ROOT / "tests"
# Folders of tests without a folder of the same name in the package.
OTHERS: Final = {
    "conformance": "recorded answers of servers",
    "properties": "laws of the whole engine",
    "tools/benchmarks": "the command line of the benchmarks",
    "tools/crdchanges": "the measurement of changes that generated case files notice",
    "tools/handbook": "generated documentation, and the commands and output on pages",
    "tools/mutations": "the measurement of mutations of the package that tests notice",
    "tools/oracle": "the command line of the programs that record and fuzz servers",
    "tools/release": "the manifests and texts of a release",
}


def _packages() -> Iterator[str]:
    """Yield the folders of the package that hold modules, relative to it."""
    for path in sorted({module.parent for module in PACKAGE.rglob("*.py")} - {PACKAGE}):
        yield path.relative_to(PACKAGE).as_posix()


def _has_tests(folder: Path) -> bool:
    return any(folder.glob("test_*.py"))


@pytest.mark.parametrize("package", [*_packages()])
def test_every_package_has_a_folder_of_tests(package: str) -> None:
    assert _has_tests(TESTS / package)


def test_every_folder_of_tests_has_a_package_or_a_description() -> None:
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")} - {"."}

    assert folders - set(_packages()) == OTHERS.keys()


CONTRACTS: Final[Any] = {
    item["id"]: item
    for item in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
}


def test_only_the_rim_may_import_pytest() -> None:
    modules = {path.stem for path in PACKAGE.glob("*.py")} | {name for name in _packages() if "/" not in name}

    named = {name.removeprefix("pytest_crd.") for name in CONTRACTS["pytest-free"]["source_modules"]}

    assert named == modules - {"__init__", "plugin"}


def test_features_may_not_import_each_other() -> None:
    rooms = {name.replace("/", ".") for name in _packages() if re.fullmatch("plugin/features/[^/]+", name)}

    assert {name.removeprefix("pytest_crd.") for name in CONTRACTS["rooms"]["modules"]} == rooms


def test_importlib_is_used_only_in_listed_modules() -> None:
    """Import contracts miss `importlib`: it imports other projects, public names, hooks, features and commands, which have contracts of their own."""
    observed = {
        (path.relative_to(PACKAGE).as_posix(), imported)
        for path in PACKAGE.rglob("*.py")
        for imported in re.findall(r"(?:import_module|__import__)\((.*?)\)", path.read_text(encoding="utf-8"))
        if not re.match(r'"(?!pytest_crd)', imported)
    }

    assert observed == {
        ("__init__.py", "_MODULES[name]"),
        ("engine/__init__.py", 'f"{__name__}.{_MODULES[name]}"'),
        ("lazyimport.py", "self._name"),
        ("plugin/__init__.py", 'f"{__name__}.{name}"'),
        ("plugin/features/__init__.py", 'f"{__name__}.{name}"'),
        ("classes/importpaths.py", "name"),
        ("server/builtin/validation/kindvalidation.py", 'f"{__package__}.{module}"'),
        ("__main__.py", 'f"pytest_crd.cli.{command.module}"'),
    }


def _lazy_imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the name and the module of each `lazyimport.module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("lazyimport.module("):
            yield ast.unparse(node.targets[0]), ast.literal_eval(ast.unparse(node.value)[len("lazyimport.module") :])


def _imports_for_types(tree: ast.Module) -> set[tuple[str, str]]:
    """Return the names and the origins of the imports for type checkers alone."""
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {(item.asname or item.name, f"{node.module}.{item.name}") for node in imports for item in node.names}


def test_lazy_imports_are_those_that_type_checkers_and_contracts_read() -> None:
    sources = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    trees = {path: ast.parse(source) for path, source in sources.items() if "lazyimport.module(" in source}
    lazy = {path: {*_lazy_imports(tree)} for path, tree in trees.items()}

    assert sum(map(len, lazy.values())) > 20
    assert {path: names - _imports_for_types(trees[path]) for path, names in lazy.items() if names} == {
        path: set() for path, names in lazy.items() if names
    }


def test_imports_inside_of_functions_become_no_more() -> None:
    """A function imports at a boundary that `docs/developing/architecture.md` lists; a module behind it imports at its top."""
    sources = (path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))

    assert sum(source.count("PLC0415") for source in sources) <= 61


def test_two_modules_touch_the_garbage_collector() -> None:
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(r"\bgc\b", path.read_text("utf-8"))
    }

    assert users == {"cli/serving.py", "plugin/heap.py"}


# Classes of one name, and why each is called so.
NAMESAKES: Final = {
    "Hooks": "what a room registers with pytest: each room has one, which is found by this name",
    "Maker": "boundaries and upgrades make values each in their way, and neither knows the other's",
    "Program": "Go's word for a compiled expression (cel-go) and for a compiled pattern (regexp)",
    "Reader": "reads a pattern in Go's syntax, or the objects of a tree",
}


def _classes(module: Path) -> list[str]:
    """Return the names of the public classes of a module."""
    return re.findall(r"^class ([^\W_]\w*)", module.read_text(encoding="utf-8"), re.MULTILINE)


def test_a_class_name_has_one_meaning() -> None:
    defined = Counter(name for module in PACKAGE.rglob("*.py") for name in _classes(module))

    assert {name for name, count in defined.items() if count > 1} == NAMESAKES.keys()


WORKFLOW: Final[Any] = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))


def _steps(job: str) -> list[str]:
    return [step["run"] for step in WORKFLOW["jobs"][job]["steps"] if "run" in step]


def test_the_forge_runs_the_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    (command,) = _steps("quick")

    assert f"```sh\n{command}\n```" in readme


def test_the_forge_runs_every_environment_of_tox() -> None:
    listed = re.search(r"^env_list = (.*)$", (ROOT / "tox.ini").read_text(encoding="utf-8"), re.MULTILINE)
    assert listed
    prefix, minors, suffix = re.fullmatch(r"(?:.*, )?(3\.1){(.*)}(-tests)", listed[1]).groups()  # type: ignore[union-attr]
    named = {*listed[1].split(", ")[:5], *(f"{prefix}{minor}{suffix}" for minor in minors.split(","))}

    parts = {entry["part"] for entry in WORKFLOW["jobs"]["parts"]["strategy"]["matrix"]["include"]}

    assert parts == named - {"3.11-tests"}  # the README's command runs its environments


def test_the_forge_compares_with_a_server_of_every_version() -> None:
    assert sorted(WORKFLOW["jobs"]["servers"]["strategy"]["matrix"]["version"]) == sorted(
        profile.KNOWN.keys() - profile.PREVIEWS
    )


@pytest.mark.parametrize("job", WORKFLOW["jobs"])
def test_the_forges_commands_for_the_oracle_parse(job: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The output also has the time limit of each job, which is at most the sum of its parts."""
    for command in _steps(job):
        for words in re.findall(r"python -m oracle (\w+ \w+)", command):
            with pytest.raises(SystemExit) as ended:
                cli.main([*words.split(), "--help"])
            assert ended.value.code == 0
            assert f"usage: python -m oracle {words}" in capsys.readouterr().out
    assert WORKFLOW["jobs"][job]["timeout-minutes"] <= 60
