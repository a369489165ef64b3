"""Facts of an answer, the same for the engine and a server: code, reason, message, causes, warnings and the stored object."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from pytest_crd.engine import Response, jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE
from pytest_crd.engine.registry.fieldmanager import managers
from pytest_crd.live.client import ServerAnswer

Facts = dict[str, JSONValue]

_OF_CAUSE: Final = ("reason", "field", "message")
# The last five characters of a generated name are random.
_GENERATED: Final = re.compile(r"(.+)[bcdfghjklmnpqrstvwxz2456789]{5}", re.DOTALL)
_SUFFIX: Final = "xxxxx"
# An address that Go prints for a pointer.
ADDRESS: Final = re.compile(r"\(0x[0-9a-f]+\)")
ANY_ADDRESS: Final = "(0xc000000000)"
# The name of an object's type in rules, with a number that is random for each compilation.
SELF_TYPE: Final = re.compile(r"selfType[0-9]+")
ANY_SELF_TYPE: Final = "selfType"
# The line in the server's source that creates its scheme.
SCHEME: Final = re.compile(r' in scheme \\*"[a-z/]+\.go:[0-9]+\\*"')


def of_server(answer: ServerAnswer, sent: JSONValue = None) -> Facts:
    """Return the facts of a server's answer to the body *sent*: the Status of a refusal, or the stored object."""
    facts: Facts = {"code": answer.code}
    if answer.code < 300:
        facts["stored"] = _without_server_made(answer.body, sent)
    elif isinstance(answer.body, dict):
        facts |= _of_status(mask_random(answer.body, sent))
    else:
        facts["message"] = answer.body
    if answer.warnings:
        facts["warnings"] = list(answer.warnings)
    return facts


def of_engine(response: Response, sent: JSONValue) -> Facts:
    """Return the facts of the engine's answer to the body *sent*."""
    facts: Facts = {"code": response.code}
    if response.accepted:
        answered = response.stored if response.scale is None else response.scale
        facts["stored"] = _without_server_made(answered, sent)
    else:
        facts |= _of_status(mask_random(response.status, sent))
    if response.warnings:
        facts["warnings"] = list(response.warnings)
    return facts


def with_owners(answer: ServerAnswer, sent: JSONValue = None) -> Facts:
    """Return the facts of a server's answer to an apply of *sent*, with the fields that each manager owns."""
    facts = of_server(answer, sent)
    if answer.code < 300:
        entries = answer.body["metadata"].get("managedFields") or []
        facts["owners"] = {
            name: list(map(str, paths)) for name, paths in managers.paths(managers.read(entries)).items()
        }
    return facts


def of_engine_with_owners(response: Response, sent: JSONValue) -> Facts:
    """Return the facts of the engine's answer to an apply of *sent*, with the fields that each manager owns."""
    owners = {name: list(map(str, paths)) for name, paths in response.managers.items()}
    return of_engine(response, sent) | ({"owners": owners} if response.accepted else {})


def of_crd(response: Response) -> Facts:
    """Return the facts of the engine's answer to a POST of a CRD; only the spec of the stored CRD counts."""
    return of_engine(response, None) | ({"stored": {"spec": response.stored["spec"]}} if response.accepted else {})


def of_server_crd(answer: ServerAnswer, sent: JSONValue = None) -> Facts:
    """Return the facts of a server's answer to a POST of a CRD; only the spec of the stored CRD counts."""
    return of_server(answer, sent) | ({"stored": {"spec": answer.body["spec"]}} if answer.code < 300 else {})


def _of_status(status: JSONValue) -> Facts:
    facts = {key: status[key] for key in ("reason", "message") if key in status}
    if causes := status.get("details", {}).get("causes"):
        facts["causes"] = [{key: cause.get(key, "") for key in _OF_CAUSE} for cause in causes]
    return facts


def _without_server_made(stored: JSONValue, sent: JSONValue) -> JSONValue:
    metadata = sent.get("metadata") if isinstance(sent, dict) else None
    has_namespace = isinstance(metadata, dict) and "namespace" in metadata
    server_made = SERVER_MADE | (frozenset() if has_namespace else {"namespace"})
    if is_generated(stored["metadata"].get("name", ""), sent):
        server_made |= {"name"}
    return without_server_made(stored, server_made)


def without_server_made(
    stored: Mapping[str, JSONValue], server_made: Collection[str] = SERVER_MADE
) -> dict[str, JSONValue]:
    """Return a stored object without the metadata that only a server sets."""
    return {**stored, "metadata": {key: value for key, value in stored["metadata"].items() if key not in server_made}}


def in_order(answer: Facts, parts: Iterable[str]) -> Facts:
    """Return *answer* with the lists named *parts* sorted, and with its message in the order of the sorted causes."""
    ordered = {**answer, **{part: sorted(answer[part], key=_key) for part in parts if part in answer}}
    if "causes" in parts and "causes" in answer:
        # The message lists the causes in their order; it is rewritten only if it has the expected form.
        before, after = (_join(facts["causes"]) for facts in (answer, ordered))
        ordered["message"] = answer["message"].replace(before, after)
    return ordered


def are_equal(ours: Facts, theirs: Facts) -> bool:
    """Return whether two answers have the same facts."""
    return jsonvalue.equal(jsonvalue.from_python(ours), jsonvalue.from_python(theirs))


def _join(causes: Iterable[Mapping[str, str]]) -> str:
    return ", ".join(dict.fromkeys(f"{cause['field']}: {cause['message']}" for cause in causes))


def _key(value: JSONValue) -> str:
    return json.dumps(value, sort_keys=True)


def mask_random(status: JSONValue, sent: JSONValue) -> JSONValue:
    """Return the Status that answers the body *sent*, with placeholders for generated names, addresses and types."""
    text = json.dumps(status)
    name = status.get("details", {}).get("name", "")
    if is_generated(name, sent):
        # The name may be quoted in a text, but its end is the same.
        text = text.replace(name[-len(_SUFFIX) :], _SUFFIX)
    return json.loads(SCHEME.sub("", SELF_TYPE.sub(ANY_SELF_TYPE, ADDRESS.sub(ANY_ADDRESS, text))))


def is_generated(name: str, sent: JSONValue) -> bool:
    """Return whether the server generated *name* for the body *sent*, a resource or its text."""
    text = sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False)
    match = _GENERATED.fullmatch(name)
    return (
        match is not None and "generateName" in text and name not in text and match[1].rstrip("\ufffd") in text
    )  # the cut may leave half a character
