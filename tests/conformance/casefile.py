"""
Conformance case files: requests to a real API server and its answers.

The recorder writes the answers and the tests compare them with the engine; only this module reads and writes the files.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import yaml

from conformance import answers
from pytest_crd.engine.jsonvalue import JSONValue

# The folder of all recordings.
FOLDER: Final = Path(__file__).parent
# Other YAML files, and folders with them.
_OTHERS: Final = frozenset(
    {"sequences", "crdrequests", "webhooks", "policies", "policyobjects.yaml", "typechecking.yaml"}
)
# Changes the form of an answer: `answers.shorten` or `answers.restore`.
Change = Callable[..., dict[str, JSONValue]]

FILE_KEYS: Final = (
    "name",
    "reference",
    "source",
    "asks",
    "alike",
    "gap",
    "beyond",
    "schema",
    "crd",
    "accepted",
    "answer",
    "requests",
)
REQUEST_KEYS: Final = (
    "name",
    "gap",
    "version",
    "create",
    "createText",
    "update",
    "updateStatus",
    "updateCRD",
    "createCRDText",
    "patch",
    "patchStatus",
    "patchScale",
    "updateScale",
    "patchCRD",
    "mediaType",
    "old",
    "oldVersion",
    "oldSchema",
    "fieldValidation",
    "answer",
)
# The bodies of these verbs are no whole objects; texts are sent unchanged.
PATCHES: Final = ("patch", "patchStatus", "patchScale", "patchCRD")
OF_SCALE: Final = ("patchScale", "updateScale")
VERBS: Final = ("create", "createText", "update", "updateStatus", "updateCRD", "createCRDText", "updateScale", *PATCHES)
# The name of most objects. Name, apiVersion and kind are omitted in files, so that the rest stands out.
NAME: Final = "case"
# The short answer to a CRD without further facts.
_ACCEPTED: Final = {"code": 201}

_WIDTH: Final = 120
_WARNING_SINCE: Final = 25
_ALIKE: Final = re.compile(r"^alike: \[(.*)\]$", re.MULTILINE)
_FIELD_WARNING: Final = re.compile(r'^unknown field "|^duplicate field "|^line \d+: key .* already set in map$')
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class CaseFileError(ValueError):
    """An invalid case file; the message has the file and the mistake."""


@dataclass(frozen=True, slots=True)
class Request:
    """
    One request to the CRD of a case file.

    Attributes:
        name: A sentence, unique in the file.
        verb: One of VERBS.
        sent: The completed body; a text if the verb has one.
        version: The version in the URL; the first of the CRD by default.
        old: The completed object that is stored before, or None.
        old_version: The version in the URL to which *old* is sent.
        old_crd: The CRD under which *old* is stored, or None for the CRD of the file.
        answer: The recorded answer, completed; empty before the first recording.
        field_validation: The parameter fieldValidation, such as `Strict`, or an empty string.
        media_type: The media type of a patch, or an empty string for the one that its body suggests.
    """

    name: str
    verb: str
    sent: JSONValue
    version: str
    old: JSONValue
    old_version: str
    old_crd: JSONValue
    answer: Mapping[str, JSONValue]
    field_validation: str
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class CaseFile:
    """
    One CRD, the requests to it, and the answers.

    Attributes:
        path: The path: `…/VERSION/TERM/NAME.yaml`.
        content: The content, with whole answers.
        crd: The whole manifest.
        version: The Kubernetes version of the server.
    """

    path: Path
    content: Mapping[str, JSONValue]
    crd: JSONValue
    version: str

    @property
    def id(self) -> str:
        """The name of the file in reports."""
        return f"{self.version}/{self.path.parent.name}/{self.path.stem}"

    @property
    def api_version(self) -> str:
        """The default API version of the custom resources in requests."""
        return self._api_version(self.first_version)

    @property
    def first_version(self) -> str:
        """The default version of requests."""
        spec = self.crd["spec"]
        return str(spec.get("version") or spec["versions"][0]["name"])

    def everywhere(self) -> Iterator[CaseFile]:
        """Yield the file for each Kubernetes version with these answers: its own, and those listed in `alike`."""
        yield self
        for version in self.content.get("alike", ()):
            content = self.content if warns(version) else _without_field_warnings(self.content)
            yield replace(self, version=version, content=content)

    def gap(self, comparison: str, request: Request | None = None) -> str:
        """
        Return the reason of a known difference of the engine, or an empty string.

        Args:
            comparison: The comparison. A file has `gap: REASON` for all comparisons, or `gap: {COMPARISON: REASON, VERSION: REASON}` for some comparisons or versions.
            request: The request, or None for the CRD itself.
        """
        content = self.content
        if request is not None:
            content = next(item for item in content["requests"] if item["name"] == request.name)
        gap = content.get("gap", "")
        return str(gap.get(comparison) or gap.get(self.version, "") if isinstance(gap, dict) else gap)

    @property
    def requests(self) -> list[Request]:
        """The requests, in order."""
        return [self._request(content) for content in self.content.get("requests", ())]

    def _request(self, content: Mapping[str, JSONValue]) -> Request:
        verb = next(verb for verb in VERBS if verb in content)
        version, old_version = (content.get(key, self.first_version) for key in ("version", "oldVersion"))
        sent, old, answer = content[verb], content.get("old"), dict(content.get("answer", {}))
        if verb == "updateCRD":
            sent = self._with_schema(sent)
        elif verb not in ("createText", "createCRDText", *PATCHES, *OF_SCALE):
            sent = self.complete(sent, version)
        if "stored" in answer and verb not in OF_SCALE:
            answer["stored"] = self.complete(answer["stored"], version)
        schema = content.get("oldSchema")
        return Request(
            name=content["name"],
            verb=verb,
            sent=sent,
            version=version,
            old=self.complete(old, old_version) if "old" in content else None,
            old_version=old_version,
            old_crd=self._with_schema(schema) if schema is not None else None,
            answer=answer,
            field_validation=content.get("fieldValidation", ""),
            media_type=content.get("mediaType", ""),
        )

    def complete(self, resource: JSONValue, version: str) -> JSONValue:
        """Return *resource* with the apiVersion, kind and name that a file may omit; values that are no objects stay."""
        if not isinstance(resource, dict):
            return resource
        whole = {
            "apiVersion": self._api_version(version),
            "kind": self.crd["spec"]["names"]["kind"],
            "metadata": {},
        } | resource
        metadata = whole["metadata"]
        if isinstance(metadata, dict) and not metadata.keys() & {"name", "generateName"}:
            whole["metadata"] = {"name": NAME} | metadata
        return whole

    def abbreviate(self, resource: JSONValue, version: str) -> JSONValue:
        """Return *resource* without the fields that `complete` restores."""
        short = dict(resource)
        if short.get("apiVersion") == self._api_version(version):
            del short["apiVersion"]
        if short.get("kind") == self.crd["spec"]["names"]["kind"]:
            del short["kind"]
        metadata = short.get("metadata")
        if isinstance(metadata, dict) and metadata.get("name") == NAME and "generateName" not in metadata:
            metadata = {key: value for key, value in metadata.items() if key != "name"}
            short = short | {"metadata": metadata} if metadata else {k: v for k, v in short.items() if k != "metadata"}
        return short

    def with_answers(self, change: Change) -> dict[str, JSONValue]:
        """Return the content with *change* applied to each answer."""
        content = dict(self.content)
        if "answer" in content:
            content["answer"] = change(content["answer"], name=_error_name(self.crd), is_of_crd=True)
        if "requests" in content:
            pairs = zip(content["requests"], self.requests, strict=True)
            content["requests"] = [
                {**item, "answer": self._changed(item["answer"], request, change)} if "answer" in item else item
                for item, request in pairs
            ]
        return content

    def _changed(self, answer: JSONValue, request: Request, change: Change) -> JSONValue:
        if request.verb == "updateCRD":
            return change(answer, name=_error_name(request.sent), is_of_crd=True)
        if request.verb == "patchCRD":
            return change(answer, name=_error_name(self.crd), is_of_crd=True)
        is_whole = isinstance(request.sent, dict) and request.verb not in (*PATCHES, *OF_SCALE)
        sent = request.sent if is_whole else self.complete({}, request.version)
        short = self.abbreviate(sent, request.version) if sent is request.sent else None
        return change(answer, name=_error_name(sent, request.old), sent=short)

    def _api_version(self, version: str) -> str:
        return f"{self.crd['spec']['group']}/{version}"

    def _with_schema(self, schema_or_crd: JSONValue) -> JSONValue:
        if "apiVersion" in schema_or_crd:
            return schema_or_crd
        return manifest(schema_or_crd, group=self.crd["spec"]["group"])


def read(path: Path) -> CaseFile:
    """
    Read one case file.

    Raises:
        CaseFileError: It is no valid case file.
    """
    content = yaml.load(path.read_text(encoding="utf-8"), _LOADER)  # noqa: S506 - the safe one, in C where it is there
    for problem in _problems(content):
        raise CaseFileError(f"{path}: {problem}")
    if content.get("accepted"):
        content = {key: value for key, value in content.items() if key != "accepted"} | {"answer": _ACCEPTED}
    file = _file(path, content)
    return replace(file, content=file.with_answers(answers.restore))


def _file(path: Path, content: Mapping[str, JSONValue]) -> CaseFile:
    group = f"{path.stem}.{path.parent.name}.example.com"
    crd = content["crd"] if "crd" in content else manifest(content["schema"], group=group)
    return CaseFile(path, content, crd, version=path.parent.parent.name)


def _error_name(resource: JSONValue, stored: JSONValue = None) -> str:
    """Return the name of a resource in error messages, which may come from the *stored* one."""
    group = str(resource.get("apiVersion") or "").rpartition("/")[0]
    metadata = [whole.get("metadata") or {} for whole in (resource, stored) if isinstance(whole, dict)]
    names = [part["name"] for part in metadata if isinstance(part, dict) and part.get("name")]
    return f'{resource.get("kind")}.{group} "{names[0] if names else ""}"'


def read_folder(folder: Path) -> list[CaseFile]:
    """
    Read all case files below *folder*, sorted by path.

    Raises:
        CaseFileError: A file is invalid, or there is none.
    """
    return [read(path) for path in paths(folder)]


def paths(folder: Path) -> list[Path]:
    """
    Return the sorted paths of all case files below *folder*.

    Raises:
        CaseFileError: There is none.
    """
    files = sorted(path for path in folder.glob("**/*.yaml") if _OTHERS.isdisjoint(path.parts))
    if not files:
        raise CaseFileError(f"{folder}: no case files")
    return files


def versions(path: Path) -> list[str]:
    """Return the versions with the answers of a file, its own first, without parsing the file."""
    alike = _ALIKE.search(path.read_text(encoding="utf-8"))
    return [path.parent.parent.name, *(re.findall(r"[\d.]+", alike[1]) if alike else ())]


def write(path: Path, content: Mapping[str, JSONValue]) -> None:
    """Write a case file atomically; equal content gives equal bytes."""
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_text(text(path, content), encoding="utf-8")
    unfinished.replace(path)


def text(path: Path, content: Mapping[str, JSONValue]) -> str:
    """Return the text of a case file, with answers in their short form."""
    short = _file(path, content).with_answers(answers.shorten)
    if short.get("answer") == _ACCEPTED:
        short = {key: value for key, value in short.items() if key != "answer"} | {"accepted": True}
    return dump(short)


def dump(content: Mapping[str, JSONValue]) -> str:
    """Return *content* as YAML, with ordered keys and flow style for collections that fit on a line."""
    node = _Representer(sort_keys=False).represent_data(_ordered(content))
    _lay_out(node, 0, top=True)
    text = yaml.serialize(node, Dumper=yaml.SafeDumper, width=10**6, allow_unicode=True)
    return str(text).replace("\nrequests:", "\n\nrequests:")


def warns(version: str) -> bool:
    """Return True if servers of a Kubernetes *version* warn about unknown and duplicate fields."""
    return int(version.partition(".")[2]) >= _WARNING_SINCE


def without_field_warnings(answer: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return an answer without warnings about unknown and duplicate fields."""
    other_warnings = [warning for warning in answer.get("warnings", ()) if not _FIELD_WARNING.search(warning)]
    silent = {key: value for key, value in answer.items() if key != "warnings"}
    return silent | ({"warnings": other_warnings} if other_warnings else {})


def manifest(schema: JSONValue, *, group: str) -> JSONValue:
    """Return the CRD of a file with a `schema`: cluster-scoped `Case`s of *group* in version `v1`."""
    names = {"plural": "cases", "singular": "case", "kind": "Case", "listKind": "CaseList"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"cases.{group}"},
        "spec": {
            "conversion": {"strategy": "None"},
            "group": group,
            "names": names,
            "scope": "Cluster",
            "versions": [version],
        },
    }


class _Representer(yaml.representer.SafeRepresenter):
    """Representer that writes a repeated value in full instead of as an alias."""

    def ignore_aliases(self, _data: object) -> bool:
        """Return True, so that no value gets an anchor."""
        return True


def _problems(content: JSONValue) -> Iterator[str]:
    if not isinstance(content, dict):
        yield "not a mapping"
        return
    if unknown := content.keys() - set(FILE_KEYS):
        yield f"unknown keys {sorted(unknown)}"
    if ("schema" in content) == ("crd" in content):
        yield "needs either `schema` or `crd`"
    if not content.get("name") or not content.get("asks"):
        yield "needs `name` and `asks`"
    if odd := [key for key in _keys(content) if not isinstance(key, str)]:
        yield f"keys that are no strings, {odd}: quote them"
    names = [request.get("name") for request in content.get("requests", ())]
    if len(set(names)) != len(names) or not all(names):
        yield "requests need names, each its own"
    for request in content.get("requests", ()):
        if unknown := request.keys() - set(REQUEST_KEYS):
            yield f"{request['name']}: unknown keys {sorted(unknown)}"
        if len(request.keys() & set(VERBS)) != 1:
            yield f"{request['name']}: needs one of {', '.join(VERBS)}"


def _without_field_warnings(content: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    whole = {**content, "answer": without_field_warnings(content["answer"])}
    if "requests" in content:
        whole["requests"] = [
            {**request, "answer": without_field_warnings(request["answer"])} for request in content["requests"]
        ]
    return whole


def _keys(value: JSONValue) -> Iterator[object]:
    """Yield every key of every mapping in *value*: YAML reads the key `true` as a boolean."""
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _keys(item)


def _ordered(content: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    ordered = {key: content[key] for key in FILE_KEYS if key in content}
    if "requests" in ordered:
        ordered["requests"] = [{key: item[key] for key in REQUEST_KEYS if key in item} for item in ordered["requests"]]
    return ordered


def _lay_out(node: yaml.Node, column: int, *, top: bool = False) -> int:
    """Choose flow style for collections that fit on a line from *column*; return their width, or a huge number."""
    if isinstance(node, yaml.ScalarNode):
        if "\n" in node.value and node.value.strip("\n") and not node.value.startswith((" ", "\n")):
            node.style = "|"
            return 10**6
        return _scalar_width(node.tag, node.value, node.style)
    if not isinstance(node, yaml.CollectionNode):
        return 0
    if isinstance(node, yaml.MappingNode):
        width = sum(_lay_out(key, 0) + _lay_out(value, column + 2) + 4 for key, value in node.value)
    else:
        width = sum(_lay_out(item, column + 2) + 2 for item in node.value)
    node.flow_style = not top and column + width < _WIDTH and not _is_steps(node)
    return width


@functools.cache
def _scalar_width(tag: str, value: str, style: str | None) -> int:
    node = yaml.ScalarNode(tag, value, style=style)
    return len(yaml.serialize(node, Dumper=yaml.SafeDumper, width=10**6, allow_unicode=True).split("\n")[0])


def _is_steps(node: yaml.Node) -> bool:
    """Return True for a request or a list of requests, which are never written in flow style."""
    children = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return bool(children) and all(
        isinstance(child, yaml.MappingNode)
        and any(key.value == "name" for key, _ in child.value[:1])
        and any(key.value in VERBS for key, _ in child.value)
        for child in children
    )
