"""
Conversations with an API server that calls webhooks, in the form in which they are declared, recorded and compared.

`webhooks/TOPIC.yaml` declares conversations. Each has a `name` and

- `crds`: names in `webhooks/crds.yaml`, or mappings with `base` and a merge patch `with` for the spec;
- `hooks`: the behaviours of webhooks, by name: see `webhookscripts`;
- `mutating` and `validating`: configurations by name, with a list of webhooks each. A webhook has `hook`, the name of its
  behaviour, and fields that replace the default ones; a null removes a field;
- `labels`: the labels of the namespace;
- `differs`: the reason why our server differs from the recording; without it, both are equal;
- `requests`: each with one verb, its body, and other keys: see `webhookrequests.message`.

`VERSION/webhooks/TOPIC.jsonl` has the `answers` of a server to the requests, and for each the `calls` of webhooks: hook,
query and review. `alike` lists other Kubernetes versions with the same recording. See `sharedparts` for the format.

In texts and moved values, the revisions of objects in etcd are replaced by their order. Reviews name only the groups of the user, since name and uid depend on how a client authenticates. In all texts `{ns}` stands for the namespace of the conversation, `{hooks}` for the URL of its webhooks, and `{ca}` for
the certificate of their authority.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from conformance import exchanges, sharedparts
from conformance.exchanges import Raw, Request
from conformance.webhookrequests import CONFIGURATIONS, configuration, message
from conformance.webhookscripts import Call, Script
from pytest_crd.engine.jsonvalue import JSONValue

ROOT: Final = Path(__file__).parent
DECLARED: Final = ROOT / "webhooks"
# The recorded Kubernetes versions, the newest first.
VERSIONS: Final = ("1.37", "1.34")
# The topics that only the newest version is recorded for.
NEWEST_ONLY: Final = frozenset({"admitted", "completed"})
ADDRESS: Final = "https://127.0.0.1:9443"
_KEYS: Final = frozenset({"name", "crds", "hooks", "labels", "requests", "differs", *CONFIGURATIONS})
_MASKED: Final = "REVIEW"
# A time as Go prints it in messages.
_GO_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC")
_NUMBER: Final = re.compile(r'(?<=")[1-9]\d*(?=\\*")')
_SETTLE: Final = 0.5


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_Named = TypeVar("_Named", bound=_HasName)


class Conversation(NamedTuple):
    """
    A declared conversation.

    Attributes:
        topic: The name of its file.
        name: Its name.
        crds: The CRDs.
        hooks: The behaviours of the webhooks by name.
        configurations: The webhook configurations.
        labels: The labels of the namespace.
        requests: The HTTP requests.
        differs: The reason why our server differs, or empty.
    """

    topic: str
    name: str
    crds: Sequence[JSONValue]
    hooks: Mapping[str, Any]
    configurations: Sequence[JSONValue]
    labels: Mapping[str, str]
    requests: Sequence[Request]
    differs: str = ""

    def filled(self, fill: Callable[[Any], Any]) -> Conversation:
        """Return a copy with placeholders filled by *fill*."""
        return Conversation(self.topic, self.name, *map(fill, self[2:]))


def topics(folder: Path = DECLARED) -> list[Path]:
    """Return the paths of the files with conversations in a folder."""
    return sorted(path for path in folder.glob("*.yaml") if path.stem != "crds")


def read(path: Path) -> list[Conversation]:
    """Return the conversations in a file; see `read_as`."""
    return read_as(path, conversation)


def read_as(path: Path, declare: Callable[[str, Any], _Named]) -> list[_Named]:
    """
    Return the conversations in a file.

    Args:
        path: The file.
        declare: Returns a conversation of a topic.

    Raises:
        ValueError: The file has an unknown key, or a name twice.
    """
    conversations = [declare(path.stem, value) for value in load(path)]
    names = [each.name for each in conversations]
    if len({*names}) != len(names):
        raise ValueError(f"{path}: a name occurs twice: {sorted(names)}")
    return conversations


def recorded(path: Path) -> dict[str, JSONValue]:
    """Return the recordings in a file by the name of the conversation; empty if the file does not exist."""
    if not path.exists():
        return {}
    return {line["name"]: line for line in sharedparts.read(path.read_text(encoding="utf-8"))}


def recording(version: str, topic: str) -> Path:
    """Return the path of the recording of a *topic*."""
    return ROOT / version / "webhooks" / f"{topic}.jsonl"


def recordings(names: Collection[str]) -> Iterator[tuple[str, Conversation, JSONValue]]:
    """Yield the Kubernetes version, the conversation and its recording for the conversations of some topics."""
    for path in filter(lambda path: path.stem in names, topics()):
        newest, *others = (recorded(recording(version, path.stem)) for version in VERSIONS)
        conversations = read(path)
        requests = {each.name: len(each.requests) for each in conversations}
        assert {name: len(line["answers"]) for name, line in newest.items()} == requests
        assert {name: len(line["calls"]) for name, line in newest.items()} == requests
        for each in conversations:
            line = newest[each.name]
            yield VERSIONS[0], each, line
            if path.stem in NEWEST_ONLY:
                continue
            for version, own in zip(VERSIONS[1:], others, strict=True):
                yield version, each, line if version in line.get("alike", ()) else own[each.name]


def fill(value: Any, namespace: str, hooks: str, authority: str) -> Any:
    """Return *value* with the placeholders `{ns}`, `{hooks}` and `{ca}` filled."""
    text = json.dumps(value, ensure_ascii=False)
    for placeholder, filling in (("{hooks}", hooks), ("{ca}", authority), ("{ns}", namespace)):
        text = text.replace(placeholder, filling)
    return json.loads(text)


def run(
    requests: Sequence[Request],
    send: Callable[[Request], Any],
    script: Script,
    namespace: str,
    settle: Callable[[], None],
) -> Iterator[tuple[Any, list[Call]]]:
    """
    Yield the raw answer to each request with the calls of webhooks during it.

    Args:
        requests: The requests of a conversation, with filled placeholders of the conversation.
        send: Sends a request; see `exchanges.run`.
        script: The webhooks.
        namespace: The namespace of the conversation.
        settle: Waits for the calls of open watches.
    """
    watching = False
    raws: list[Any] = []
    for request in requests:
        raw = send(exchanges.fill(request, raws, namespace))
        raws.append(raw)
        watching |= not isinstance(raw, Raw)
        if watching:
            settle()
        yield raw, script.take()


def normalize(
    results: Sequence[tuple[Any, list[Call]]], requests: Sequence[Request], namespace: str, masks: Mapping[str, str]
) -> JSONValue:
    """
    Return answers and calls without values that differ between runs.

    Args:
        results: The results of `run`.
        requests: The requests.
        namespace: The namespace of the conversation.
        masks: Texts of this run with their replacements.
    """
    masks = dict(masks)
    for _, calls in results:
        masks |= {call.review["request"]["uid"]: _MASKED for call in calls}
        for call in calls:
            _mask_user(call.review["request"])
    order = _order_of_revisions(results)
    watching = False

    def masked(text: str) -> str:
        for value, mask in masks.items():
            text = text.replace(value, mask)
        text = _NUMBER.sub(lambda match: order.get(match[0], match[0]), text)
        return _GO_TIME.sub("TIME", text)

    normalizer = exchanges.Normalizer(namespace, calls_webhooks=True)
    answers, called = [], []
    for request, (raw, calls) in zip(requests, results, strict=True):
        watching |= not isinstance(raw, Raw)
        got = raw if isinstance(raw, Raw) else raw()
        texts = [masked(json.dumps([call.hook, call.query, call.review])) for call in _ordered(calls)]
        # The server converts objects for a watch at the same time.
        called.append([normalizer.value(text) for text in (sorted(texts) if watching else texts)])
        headers = {name: [masked(text) for text in values] for name, values in got.headers.items()}
        answers.append(normalizer.answer(got._replace(text=masked(got.text), headers=headers), request))
    return {"answers": answers, "calls": called}


def _order_of_revisions(results: Sequence[tuple[Any, list[Call]]]) -> dict[str, str]:
    """
    Return the replacements of the revisions of objects in answers and reviews, numbered in the order of the writes.

    Other writes to etcd make the revisions of a cluster differ between runs, but not their order.
    """
    bodies = [exchanges.body_of(raw) for raw, _ in results]
    reviews = [call.review for _, calls in results for call in calls]
    revisions = sorted({*_revisions(bodies), *_revisions(reviews)}, key=int)
    return {revision: f"revision-{number}" for number, revision in enumerate(revisions, 1)}


def _revisions(value: JSONValue) -> Iterator[str]:
    """Yield the resourceVersions of objects in a value; those of lists, which have no name, count other writes, too."""
    if isinstance(value, list):
        for item in value:
            yield from _revisions(item)
    elif isinstance(value, dict):
        revision = value.get("resourceVersion")
        if isinstance(revision, str) and revision.isdigit() and int(revision) and "name" in value:
            yield revision
        for item in value.values():
            yield from _revisions(item)


def _mask_user(request: JSONValue) -> None:
    """Leave only the groups of the user: name and uid depend on how a client authenticates."""
    if "userInfo" in request:
        request["userInfo"] = {"groups": request["userInfo"]["groups"]}


def _ordered(calls: Sequence[Call]) -> list[Call]:
    """Return calls with successive ones of validating webhooks sorted: the server sends them at the same time."""
    groups = itertools.groupby(calls, lambda call: call.hook.startswith("validate"))
    return [call for validates, group in groups for call in _sorted(group, validates=validates)]


def _sorted(calls: Iterable[Call], *, validates: bool) -> Iterable[Call]:
    return sorted(calls, key=lambda call: call.hook) if validates else calls


def load(path: Path) -> Any:
    """Return the decoded content of a file with conversations or CRDs."""
    return exchanges.load_yaml(path.read_text(encoding="utf-8"))


@functools.cache
def crd_specs(folder: Path) -> Any:
    """Return the specs of the CRDs of the conversations in a folder, by name."""
    return load(folder / "crds.yaml")


def conversation(topic: str, value: Mapping[str, Any]) -> Conversation:
    """
    Return a declared conversation; see the module.

    Raises:
        ValueError: It has an unknown key.
    """
    if unknown := value.keys() - _KEYS:
        raise ValueError(f"{topic}: {value.get('name')}: unknown {sorted(unknown)}")
    configurations = [
        configuration(kind, name, webhooks) for kind in CONFIGURATIONS for name, webhooks in value.get(kind, {}).items()
    ]
    manifests = [crd(crd_specs(DECLARED), base) for base in value.get("crds", ["plain"])]
    scope = manifests[0]["spec"]["scope"] if manifests else "Namespaced"
    return Conversation(
        topic,
        value["name"],
        manifests,
        value.get("hooks", {}),
        configurations,
        value.get("labels", {}),
        [message(request, scope, number) for number, request in enumerate(value["requests"])],
        value.get("differs", ""),
    )


def crd(specs: Mapping[str, Any], base: str | Mapping[str, Any]) -> JSONValue:
    """Return a CRD by its name in *specs*, or by a mapping with the name as `base` and a merge patch `with` for the spec."""
    name, change = (base, {}) if isinstance(base, str) else (base["base"], base["with"])
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    spec = merged({"group": "{ns}.example.com", "names": names, **specs[name]}, change)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{spec['names']['plural']}.{spec['group']}"},
        "spec": spec,
    }


def merged(value: Any, change: Any) -> Any:
    """Return *value* with a merge patch applied."""
    if not isinstance(value, Mapping) or not isinstance(change, Mapping):
        return change
    whole = {**value, **{key: merged(value.get(key), item) for key, item in change.items()}}
    return {key: item for key, item in whole.items() if item is not None}
