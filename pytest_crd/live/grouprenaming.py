"""Renaming of a CRD and its objects to a group, and a namespace, of our own; what the server says of them is put back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pytest_crd.engine.golang import printing
from pytest_crd.engine.requests import completion
from pytest_crd.engine.requests.requestbody import Body

JSONValue = Any
JSONObject = Mapping[str, JSONValue]


class Renaming(NamedTuple):
    """
    What is renamed; where both names are the same, nothing is.

    Attributes:
        group: The group of the CRD.
        other_group: The group that it has on the server.
        namespace: The namespace on the server; empty for that of the object.
        made_up_name: The name of objects that the project gives none.
    """

    group: str
    other_group: str
    namespace: str
    made_up_name: str = completion.MADE_UP_NAME

    def of_crd(self, manifest: JSONObject) -> dict[str, JSONValue]:
        """
        Return a CRD under the other group.

        Of its metadata only the name is left, lest somebody on the server takes care of it; and no webhook converts objects.
        """
        spec = {**manifest["spec"], "group": self.other_group}
        if self.other_group != self.group:
            spec.pop("conversion", None)
        name = f"{spec['names']['plural']}.{self.other_group}"
        return {
            "apiVersion": manifest["apiVersion"],
            "kind": manifest["kind"],
            "metadata": {"name": name},
            "spec": spec,
        }

    def of_object(self, resource: JSONValue, namespace: str) -> JSONValue:
        """Return an object of the other group, and of the other namespace where it is of *namespace*."""
        if not isinstance(resource, dict):
            return resource
        renamed = dict(resource)
        if isinstance(stated := resource.get("apiVersion"), str) and stated.startswith(f"{self.group}/"):
            renamed["apiVersion"] = self.other_group + stated.removeprefix(self.group)
        metadata = resource.get("metadata")
        if self.namespace and isinstance(metadata, dict) and metadata.get("namespace") == namespace:
            renamed["metadata"] = {**metadata, "namespace": self.namespace}
        return renamed

    def of_patch(self, patch: JSONValue, namespace: str) -> JSONValue:
        """Return a merge patch or a JSON Patch, for an object of the other group and namespace."""
        if not isinstance(patch, list):
            return self.of_object(patch, namespace)
        return [self._of_operation(operation, namespace) for operation in patch]

    def _of_operation(self, operation: Mapping[str, JSONValue], namespace: str) -> JSONValue:
        value = operation.get("value")
        if operation["path"] == "/apiVersion":
            return {**operation, "value": self.of_object({"apiVersion": value}, namespace)["apiVersion"]}
        if operation["path"] == "/metadata/namespace":
            metadata = self.of_object({"metadata": {"namespace": value}}, namespace)["metadata"]
            return {**operation, "value": metadata["namespace"]}
        return operation

    def of_body(self, body: Body, namespace: str, *, read: Callable[[str], Body] = completion.read) -> Body:
        """Return the body of a request with the other names; in a text that is not the plain one of its object, every such name."""
        if self.group == self.other_group:
            return body
        if not body.text:
            return Body(self.of_object(body.value, namespace))
        if printing.marshal(body.value) == body.text:
            value = self.of_object(body.value, namespace)
            return Body(value, printing.marshal(value))
        text = re.sub(
            rf"""(apiVersion["']?\s*:\s*["']?){re.escape(self.group)}/""", rf"\g<1>{self.other_group}/", body.text
        )
        if self.namespace:
            text = re.sub(
                rf"""(\bnamespace["']?\s*:\s*["']?){re.escape(namespace)}\b""", rf"\g<1>{self.namespace}", text
            )
        return read(text)

    def undone(self, value: JSONValue, namespace: str) -> JSONValue:
        """Return an answer with the names that the CRD and *namespace* have, and objects without one elsewhere."""
        names = {
            self.other_group: self.group,
            self.namespace: namespace,
            self.made_up_name: completion.MADE_UP_NAME,
        }
        changed = {there: here for there, here in names.items() if there not in ("", here)}
        return replaced(value, changed) if changed else value


def replaced(value: JSONValue, names: Mapping[str, str]) -> JSONValue:
    """Return a value with other names in all its texts: *names* has the new ones by the old."""
    if isinstance(value, str):
        for old, new in names.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, Mapping):
        return {replaced(key, names): replaced(item, names) for key, item in value.items()}
    return [replaced(item, names) for item in value] if isinstance(value, list) else value
