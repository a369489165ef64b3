"""
JSON Schemas in the layout of public catalogues, `GROUP/KIND_VERSION.json`, and their verdicts on custom resources.

Such a schema has no CEL rules, list types, defaults or pruning, and no metadata. It decides only about a kind without a CRD.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_crd import lazyimport, suggestions
from pytest_crd.checks import fieldlines, samples
from pytest_crd.checks.samples import SampleOutcome
from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import ManifestError, Mistake
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang.regexp.patterntree import PatternError
from pytest_crd.engine.yaml.manifest import Manifest, ManifestFile
from pytest_crd.suggestions import WORK_OF_MESSAGE, SpentBudgetError, WorkBudget
from pytest_crd.wording import escape

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

    from pytest_crd.cli import schemavalidators
else:
    schemavalidators = lazyimport.module("pytest_crd.cli.schemavalidators")

_NAME: Final = re.compile(r"([a-z0-9]+)_([a-z0-9][a-z0-9-]*)\.json")
# A CRD in JSON may have such a name, too.
_CRD: Final = re.compile(rb'"kind"\s*:\s*"CustomResourceDefinition"')
_HEAD: Final = 4096
_LONGEST: Final = 80
_MOST_CAUSES: Final = 5


class SchemaFile(NamedTuple):
    """A JSON Schema: its file, and the API version in its name."""

    file: ManifestFile
    version: str


@dataclass(slots=True)
class SchemaCatalog:
    """
    The JSON Schemas of a catalogue.

    Attributes:
        files: The schemas, by group and by kind in lower case.
    """

    files: dict[tuple[str, str], list[SchemaFile]] = field(default_factory=dict)
    _validators: dict[tuple[str, str], Validator] = field(default_factory=dict)

    def take(self, files: Iterable[ManifestFile]) -> list[ManifestFile]:
        """Add the files with the name of a schema, and return all other files."""
        others = []
        for file in files:
            name = _NAME.fullmatch(file.path.name)
            group = file.path.absolute().parent.name
            if name is None or "." not in group or file.is_outside or _is_crd(file):
                others.append(file)
            else:
                self.files.setdefault((group, name[1]), []).append(SchemaFile(file, name[2]))
        return others

    def find(self, group: str, kind: str, version: str) -> ManifestFile | None:
        """Return the file with the schema of a version of a kind; None without one."""
        schemas = self.files.get((group, kind.lower()), ())
        return next((schema.file for schema in schemas if schema.version == version), None)

    def list_versions(self, group: str, kind: str) -> list[str]:
        """Return the versions of a kind that have a schema."""
        return sorted({schema.version for schema in self.files.get((group, kind.lower()), ())})

    def judge(self, item: Manifest, file: ManifestFile, kubernetes_version: str) -> SampleOutcome:
        """
        Return the verdict of a schema on an object.

        Args:
            item: The object.
            file: The file with the schema of its kind.
            kubernetes_version: The Kubernetes version whose formats count.

        Raises:
            ManifestError: The schema cannot be read.
        """
        key = (file.name, kubernetes_version)
        if key not in self._validators:
            self._validators[key] = schemavalidators.read(file, kubernetes_version)
        try:
            errors = [*self._validators[key].iter_errors(item.value)]
        except (RecursionError, PatternError) as error:
            words = error if isinstance(error, PatternError) else "a `$ref` leads back to itself"
            raise ManifestError([Mistake(file.name, 0, f"no usable JSON Schema: {words}")]) from None
        repeated, budget = samples.find_repeated(item), WorkBudget(WORK_OF_MESSAGE)
        findings = (*repeated, *(finding for error in errors for finding in _describe(error, item, budget)))
        open_values = [_open_value(error) for error in errors]
        return SampleOutcome(
            escape(file.name),
            f"refused by the JSON Schema {escape(file.name)}" if findings else "",
            findings,
            placeholder=open_values[0] if open_values and all(open_values) and not repeated else "",
            is_accepted=not findings,
        )


def _is_crd(file: ManifestFile) -> bool:
    """Return whether a file is a CRD in JSON by its beginning; False if it cannot be read, which is an error when it is used."""
    try:
        with file.path.open("rb") as opened:
            return _CRD.search(opened.read(_HEAD)) is not None
    except OSError:
        return False


def _describe(error: ValidationError, item: Manifest, budget: WorkBudget) -> Iterator[CheckFinding]:
    """Yield the findings of an error: one for each unknown field, or one with the causes of its alternatives."""
    steps = tuple(error.absolute_path)
    if error.validator == "additionalProperties" and error.validator_value is False:
        schema: Any = error.schema
        value: Any = error.instance
        properties = schema.get("properties", {})
        for key in (key for key in value if key not in properties):
            path = str(FieldPath((*steps, key)))
            words = escape(f"{path}: the JSON Schema does not specify it{_suggest(key, properties, budget)}")
            yield CheckFinding(fieldlines.find_line(item, (*steps, key)), words, field=path)
        return
    path = str(FieldPath(steps)) if steps else ""
    causes = dict.fromkeys(_shorten(cause) for cause in error.context or ())
    words = escape(f"{path}{': ' if path else ''}{_shorten(error)}")
    yield CheckFinding(
        fieldlines.find_line(item, steps), words, tuple(map(escape, [*causes][:_MOST_CAUSES])), field=path
    )


def _suggest(key: str, properties: Iterable[str], budget: WorkBudget) -> str:
    """Return the suggestion for an unknown field; empty without one."""
    try:
        return suggestions.hint(suggestions.nearest(key, properties, budget))
    except SpentBudgetError:
        return suggestions.hint(None)


def _shorten(error: ValidationError) -> str:
    """Return the message of an error, without a long value in it."""
    value = repr(error.instance)
    return error.message if len(value) <= _LONGEST else error.message.replace(value, f"{value[:_LONGEST]}…")


def _open_value(error: ValidationError) -> str:
    """Return the field and the value of an error about an absent value; empty for other errors."""
    value = error.instance if isinstance(error.instance, str) else ""
    return f"{FieldPath(tuple(error.absolute_path))} is {value}" if samples.find_placeholder(value) else ""
