"""
Comparison of answers to writes of validated built-in kinds: code, warnings, and the whole body with its causes.

Causes about entries of a map are in any order, as in Go. Generated values such as uids, times and revisions are ignored.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from random import Random, SystemRandom
from typing import Any, Final

from conformance import serverside
from conformance.exchanges import Raw

from oracle.comparisons import valuedifferences
from oracle.generators import drawnobjects, validationgen
from oracle.servers.dialogue import Cluster
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.api import Api
from pytest_crd.server.builtin.services import beginning
from pytest_crd.server.http.httpmessages import HTTPAnswer

# The user of the token of `kube/run`.
_USER: Final = User("admin", "admin", ("system:masters", "system:authenticated"))
_NOUNS: Final = {"POST": "creates", "PUT": "updates", "PATCH": "updates", "DELETE": "deletions", "GET": "reads"}
_AT_ONCE: Final = 8
_BATCH: Final = 40
_LENGTH: Final = 12
_GENERATED: Final = frozenset({"uid", "creationTimestamp", "resourceVersion", "time", "deletionTimestamp"})
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Times of conditions that the server sets.
_TODAY: Final = re.compile(rf"{datetime.now(UTC):%Y-%m-%d}T\d\d:\d\d:\d\dZ")
_REVISIONS: Final = re.compile(r"(meta:|record|precondition|revision=) ?\(?\d+\)?|\d+")
# Addresses and ports that a server chooses: not from the lower part of the range.
_CHOSEN: Final = re.compile(
    r"\b10\.0\.0\.(?:1[7-9]|[2-9]\d|1\d\d|2[0-4]\d|25[0-4])\b|(?<=[nN]odePort\": )3(?:0(?:08[6-9]|09\d|[1-9]\d\d)|[12]\d{3})\b"
)
# Fields with entries that errors name in any order.
_MAPS: Final = re.compile(
    r"(data|binaryData)\[|.*\.(labels|annotations|matchLabels|\w*[sS]elector)\Z|selector\Z|spec\.metrics\[\d+\]\.\w+\Z"
    r"|spec\.schedulingGates\[\d+\]\.name\Z|status\.(capacity|allocated\w+)(\[.*)?\Z|.*\.(limits|requests|overhead|annotations)(\[.*)?\Z"
)
# Empty lists and maps in printed structs, which our server does not tell from absent ones.
_EMPTY: Final = re.compile(r"(?<=: )(?:\[\]|\{\})(?=[,:\\])|(?<=\":)(?:\[\]|\{\})(?=[,}])")
# The difference of two specs in an error.
_DIFFERENCE: Final = re.compile(r"\n@@.*?(?=, \w+\.\w+(?:[.\[][\w.\[\]]*)?: |\]?\Z)", re.DOTALL)
# The fields that a subresource of a Pod owns are another matter.
_UNOWNED: Final = "Pod"


def fuzz(cluster: Cluster, options: argparse.Namespace) -> int:
    """Run the conversations of each kind; return 1 if an answer differs."""
    print(f"seed {options.seed}", flush=True)
    started, differing = time.monotonic(), 0
    namespace = f"v{SystemRandom().randrange(16**6):06x}"
    api = Api(kubernetes_version=options.kubernetes_version)
    whole: JSONValue = {"method": "POST", "path": "/api/v1/namespaces", "body": {"metadata": {"name": namespace}}}
    cluster.request("POST", whole["path"], whole["body"])
    api.answer(serverside.to_http(whole))
    for kind in validationgen.KINDS:
        if options.kinds and kind.rpartition(" ")[2] not in options.kinds:
            continue
        counts, differences = _compare(cluster, api, kind, namespace, options)
        differing += differences
        codes = {key: count for key, count in sorted(counts.items()) if key.isdecimal()}
        print(
            f"{kind}: {counts['creates']} creates, {counts['updates']} updates {codes}, {differences} differ",
            flush=True,
        )
    print(f"{differing} differ ({time.monotonic() - started:.0f} s)")
    return int(bool(differing))


def _compare(
    cluster: Cluster, api: Api, kind: str, namespace: str, options: argparse.Namespace
) -> tuple[Counter[str], int]:
    """Return the number of creates, of updates, and of answers by code, and the number of conversations with a difference."""
    counts: Counter[str] = Counter()
    differences = 0
    for requests, answers in _conversations(cluster, kind, namespace, options):
        counts.update(_NOUNS[request["method"]] for request in requests)
        counts.update(str(theirs.code) for theirs in answers)
        their_names, our_names = _Names(), _Names()
        is_equal = True
        for place, (request, theirs) in enumerate(zip(requests, answers, strict=True)):
            ours = _answer(api, request)  # also after a difference, as the last requests free addresses
            has_empty = any(text in json.dumps(request) for text in ("[]", "{}"))
            expected, actual = (
                names.stable(raw, has_empty) for names, raw in ((their_names, theirs), (our_names, ours))
            )
            if _ends_choice(request, theirs):
                their_names, our_names = _Names(), _Names()
            if not is_equal or expected == actual:
                continue
            is_equal = False
            differences += 1
            if differences <= options.limit:
                print(f"\n{json.dumps(request)[:2000]} ({place + 1} of {request['path']})")
                print(
                    "\n".join(f"  {line}" for line in valuedifferences.find(expected, actual, longest=700)), flush=True
                )
    return counts, differences


def _conversations(
    cluster: Cluster, kind: str, namespace: str, options: argparse.Namespace
) -> Iterator[tuple[Sequence[Any], Sequence[Raw]]]:
    """Yield the requests of each conversation with the cluster's answers."""
    enums = drawnobjects.enums_of(_schemas(cluster, kind))

    def run(number: int) -> tuple[Sequence[Any], Sequence[Raw]]:
        random = Random(f"{options.seed}/{kind}/{number}")  # noqa: S311 - a reproducible sequence
        # Kinds of several versions have objects of their own.
        name = f"{namespace}-{[*validationgen.KINDS].index(kind)}-{number}"
        text = json.dumps(validationgen.conversation(random, kind, name, _LENGTH, enums))
        filled = json.loads(text.replace("{ns}", namespace))
        send = cluster.sender()
        return filled, [_send(send, request) for request in filled]

    # Services share addresses and ports, so that another conversation would change the answers.
    with ThreadPoolExecutor(1 if kind == validationgen.SERVICE else _AT_ONCE) as executor:
        count = -(-options.objects // _LENGTH)
        for start in range(0, count, _BATCH):
            yield from executor.map(run, range(start, min(start + _BATCH, count)))


def _schemas(cluster: Cluster, kind: str) -> JSONValue:
    """Return the schemas of the API version of a kind."""
    api_version = kind.rpartition(" ")[0]
    lead = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
    return json.loads(cluster.request("GET", f"/openapi/v3{lead}")[1])["components"]["schemas"]


def _send(send: Callable[[Any], Any], request: JSONValue) -> Raw:
    """Return the answer, or our refusal if the server panics and closes the connection."""
    try:
        answer: Raw = send(request)
    except http.client.RemoteDisconnected:
        status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 500}
        return Raw(500, {}, json.dumps({**status, "message": beginning.PANIC.message}))
    return answer


def _answer(api: Api, request: JSONValue) -> Raw:
    answer = api.answer(serverside.to_http(request)._replace(user=_USER))
    assert isinstance(answer, HTTPAnswer)
    headers: dict[str, list[str]] = {}
    for name, value in answer.headers:
        headers.setdefault(name.lower(), []).append(value)
    return Raw(answer.code, headers, answer.body.decode())


def _ends_choice(request: JSONValue, answer: Raw) -> bool:
    """Return whether the next address is another one: a Service is deleted, or becomes one without addresses."""
    return request["method"] == "DELETE" or '"type":"ExternalName"' in answer.text


class _Names:
    """Names of the addresses and ports that a server chooses in a conversation, in the order of their first use."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def stable(self, raw: Raw, has_empty: bool) -> JSONValue:  # noqa: FBT001 - the only option
        """Return an answer without generated values, with names of chosen ones, without differences after empty values."""
        value = _stable(raw)
        if has_empty and value[2].get("kind") == "Status":
            value[2] = _without_differences(value[2])
        return json.loads(_CHOSEN.sub(self._name, json.dumps(value, sort_keys=True)))

    def _name(self, match: re.Match[str]) -> str:
        name = self._names.setdefault(match[0], f"chosen {len(self._names)}")
        return name if "." in match[0] else json.dumps(name)


def _stable(raw: Raw) -> JSONValue:
    """Return an answer without generated values, with causes about entries of maps sorted."""
    value = json.loads(_TODAY.sub("NOW", _UUID.sub("UUID", raw.text)))
    warnings = [_from_header(text) for text in raw.headers.get("warning", ())]
    if value.get("kind") == "Status":
        value = json.loads(_EMPTY.sub("null", json.dumps(value)))
        causes = (value.get("details") or {}).get("causes") or []
        if any(_MAPS.match(cause.get("field", "")) for cause in causes):
            causes.sort(key=json.dumps)
            value["message"] = ""
        if raw.code == 409:
            value["message"] = _REVISIONS.sub("N", value["message"])
        return [raw.code, warnings, value]
    return [raw.code, warnings, _without_generated(value)]


def _without_differences(status: JSONValue) -> JSONValue:
    causes = (status.get("details") or {}).get("causes") or ()
    for owner in (status, *causes):
        owner["message"] = _DIFFERENCE.sub("", owner.get("message") or "")
    return status


def _from_header(text: str) -> str:
    """Return the text of a header that is UTF-8, which Python reads as Latin-1."""
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text


def _without_generated(value: JSONValue) -> JSONValue:
    if isinstance(value, list):
        items = [_without_generated(item) for item in value]
        is_managed = bool(items) and isinstance(items[0], dict) and "fieldsV1" in items[0]
        return sorted(items, key=json.dumps) if is_managed else items
    if not isinstance(value, dict):
        return value
    if value.get("kind") == _UNOWNED and "metadata" in value:
        value = {**value, "metadata": {key: item for key, item in value["metadata"].items() if key != "managedFields"}}
    return {key: "GENERATED" if key in _GENERATED else _without_generated(item) for key, item in value.items()}
