"""
Commands of `pytest-crd`, also known as `python -m pytest_crd`: a module each, with `declare` for its arguments and `run` for its work.

`run` takes the arguments of `declare` and returns the exit code of the program; `exits` defines the codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Command(NamedTuple):
    """
    A command.

    Attributes:
        module: The module of this package, imported only if the command is used.
        summary: A description for `--help`.
        hands_on: Whether arguments after `--` are for another program; `run` gets them as `options.handed_on`.
        prints_document: Whether its output has no escapes: YAML for other programs, or its own escapes and the colours of pytest.
    """

    module: str
    summary: str
    hands_on: bool = False
    prints_document: bool = False


# By name, in the order in which `--help` has them.
COMMANDS: Final[Mapping[str, Command]] = {
    "test": Command("test", "run case files, checks, and upgrades from the last release", hands_on=True),
    "validate": Command("validate", "print the answer of a server to objects"),
    "check": Command("check", "print the answer of a server to CustomResourceDefinitions"),
    "crd": Command(
        "crd", "print the CustomResourceDefinition of a Python class, or compare it with a file", prints_document=True
    ),
    "diff": Command(
        "diff", "compare two sets of CustomResourceDefinitions by the effects of an upgrade on custom resources"
    ),
    "init": Command("init", "set up a repository: settings, case files and a CI job", prints_document=True),
    "serve": Command(
        "serve", "serve CRDs and their custom resources on loopback, for kubectl and for tests in any language"
    ),
    "cel": Command("cel", "evaluate a CEL expression on a custom resource, as the server would"),
    "explain": Command("explain", "describe a custom resource and its fields, as kubectl explain does"),
    "sample": Command("sample", "print an object that a server accepts, with descriptions", prints_document=True),
    "docs": Command("docs", "print a page in Markdown about a CRD: versions, fields, rules", prints_document=True),
    "json-schema": Command("jsonschema", "write a JSON Schema for each served version, for editors and validators"),
    "openapi": Command("openapi", "print the OpenAPI document that a server publishes for a version of a CRD"),
    "schema": Command(
        "schema",
        "print the path of the JSON Schema of case files, for `# yaml-language-server: $schema=PATH`, or write "
        "the schema",
    ),
}
